//! scratch
use std::cell::RefCell;
use tilec::passes::*;
fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let stop = std::env::args().nth(2).unwrap_or_default();
    let context = tilec::dialect::context();
    let sources = tilec::source::SourceMap::new();
    let target = tilec::target::Target::named("sm_90a").unwrap();
    let cx = PassContext { context: &context, target, sources: &sources, variants: &[], remarks: RefCell::new(vec![]) };
    let mut module = melior::ir::Module::parse(&context, &text).expect("parses");
    for pass in PASSES {
        let start = std::time::Instant::now();
        module = match pass.run(&cx, module) { Ok(m) => m, Err(e) => { println!("{}: {:?}", pass.name, e); return; } };
        eprintln!("{}: {:?}", pass.name, start.elapsed());
        if stop == pass.name || stop == "all" { println!("// ---- {}\n{}", pass.name, tilec::dialect::print(&module)); }
    }
    for r in cx.remarks.borrow().iter() { eprintln!("{}: {}", r.pass, r.message); }
    let start = std::time::Instant::now();
    match tilec::backend::llvm::compile(&module, target, true) {
        Ok(code) => { if stop == "llvm" { println!("{}", code.llvm); } if stop.is_empty() { println!("{}", code.ptx); } }
        Err(e) => println!("{e:?}"),
    }
    eprintln!("llvm: {:?}", start.elapsed());
}
