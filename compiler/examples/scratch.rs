//! scratch
#![allow(unsafe_code)]
use std::collections::BTreeMap;
fn main() {
    if std::env::var("TIMEP").is_ok() {
        let a = [c"x".as_ptr(), c"-time-passes".as_ptr()];
        unsafe { inkwell::llvm_sys::support::LLVMParseCommandLineOptions(2, a.as_ptr(), c"".as_ptr()) };
    }
    let args: Vec<String> = std::env::args().collect();
    let mut sources = tilec::source::SourceMap::new();
    let parse = |sources: &tilec::source::SourceMap, id| tilec::syntax::parse(id, &sources.get(id).unwrap().text);
    let root = sources.load(std::path::Path::new(&args[1])).unwrap();
    let (files, errors) = tilec::sema::Files::load(&mut sources, root, &parse);
    let style = tilec::diagnostic::render::Style::default();
    println!("{}", tilec::diagnostic::render::texts(&errors, &sources, style));
    let stop = args.get(3).cloned().unwrap_or_default();
    let bindings: BTreeMap<String, String> = args.iter().skip(4).map(|a| { let (k, v) = a.split_once('=').unwrap(); (k.into(), v.into()) }).collect();
    let (kernel, errors) = tilec::sema::elaborate_kernel(&files, &args[2], &bindings);
    println!("{}", tilec::diagnostic::render::texts(&errors, &sources, style));
    let Some(kernel) = kernel else { return };
    if stop == "typed" { println!("{kernel}"); return; }
    let target = tilec::target::Target::named("sm_90a").unwrap();
    let context = tilec::dialect::context();
    let variants = tilec::backend::manifest::default_variants(&kernel);
    let start = std::time::Instant::now();
    let mut last = start;
    let lowered = tilec::compile::lower(&context, &sources, &kernel, target, &variants, |name, module| {
        eprintln!("{name}: {:?}", last.elapsed());
        if name == stop || stop == "all" { println!("// --- {name}\n{}", tilec::dialect::print(module)); }
        last = std::time::Instant::now();
        name != stop
    });
    let lowered = match lowered { Ok(l) => l, Err(e) => { println!("{}", tilec::diagnostic::render::texts(&[e], &sources, style)); return } };
    for r in &lowered.remarks { eprintln!("{} {}: {}", r.function, r.pass, r.message); }
    if !stop.is_empty() && stop != "ptx" && stop != "llvm" && stop != "sass" { return }
    let code = tilec::backend::llvm::compile(&lowered.module, target, true).unwrap();
    eprintln!("total {:?}", start.elapsed());
    if stop == "llvm" { println!("{}", code.llvm) }
    if stop == "ptx" { println!("{}", code.ptx) }
    match tilec::backend::nvidia::assemble(&code.ptx, "sm_90a") { Ok((cubin, r)) => { eprintln!("{r:?}"); if stop == "sass" { println!("{}", tilec::backend::nvidia::disassemble(&cubin).unwrap()) } }, Err(e) => println!("{e}") }
}
