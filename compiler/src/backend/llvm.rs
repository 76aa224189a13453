//! MLIR's llvm dialect → LLVM IR → optimised → PTX, in one process.
//!
//! MLIR translates into a context of inkwell's: both are the same LLVM.

use std::ffi::CStr;
use std::sync::OnceLock;

use inkwell::OptimizationLevel;
use inkwell::context::Context as LlvmContext;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module as LlvmModule;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{
    CodeModel, FileType, InitializationConfig, RelocMode, Target as LlvmTarget, TargetMachine,
    TargetTriple,
};
use melior::ir::Module;

use super::fatal;
use crate::diagnostic::Diagnostic;
use crate::passes::internal;
use crate::target::Target;

/// LLVM IR and PTX of a module.
pub struct Code {
    /// LLVM IR after LLVM's passes.
    pub llvm: String,
    /// PTX without manifest.
    pub ptx: String,
}

/// Options that only LLVM's command line has. Straight-line strength reduction, which the NVPTX backend
/// always runs, takes more than half of the time of a large kernel, for 0.2 % fewer instructions (340
/// entry points of the examples and tests, as `ptxas` leaves them; registers differ by 0.7 %). Loops keep
/// nothing in memory that registers could hold, and looking for it compares all accesses with each other.
/// N-ary reassociation takes 5 %, for 1 % more instructions (740 entry points; registers differ by 0.2 %).
///
/// `CodeGenPrepare` takes a quarter of what is left, half of that to read the constraints of inline assembly again and
/// again, and code is no worse without it (over 430 entry points 1 % fewer instructions). What the backend gets is then
/// less like what others give it: see `truths`.
const OPTIONS: &[&CStr] = &[
    c"-opt-disable=slsr,nary-reassociate",
    c"-disable-licm-promotion",
    c"-disable-cgp",
];

fn machine(target: &Target) -> Result<TargetMachine, Diagnostic> {
    static INITIALISED: OnceLock<()> = OnceLock::new();
    INITIALISED.get_or_init(|| {
        LlvmTarget::initialize_nvptx(&InitializationConfig::default());
        super::ffi::set_llvm_options(OPTIONS);
    });
    let triple = TargetTriple::create("nvptx64-nvidia-cuda");
    let nvptx =
        LlvmTarget::from_triple(&triple).map_err(|error| internal("llvm", &error.to_string()))?;
    nvptx
        .create_target_machine(
            &triple,
            target.name,
            target.ptx_feature,
            OptimizationLevel::Default,
            RelocMode::PIC,
            CodeModel::Default,
        )
        .ok_or_else(|| internal("llvm", &format!("LLVM has no {}", target.name)))
}

/// The passes of LLVM that earn their time. What reaches LLVM is straight-line code in SSA form with a
/// few loops, nothing to inline, unroll or vectorise: `default<O3>` takes four times as long to give
/// the same PTX (compared on every example and test kernel; registers and spills are in the snapshots).
/// Common subexpressions are looked for once, behind the loops' invariants: before them too changed two of
/// 1131 entry points.
const PIPELINE: &str = "globaldce,function(sroa,simplifycfg,\
    loop-mssa(loop-rotate,licm),early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,adce)";

/// Compiles a module of the llvm dialect.
///
/// # Errors
/// Internal ones: what reaches here was verified.
pub fn compile(module: &Module<'_>, target: &Target, keep_llvm: bool) -> Result<Code, Diagnostic> {
    let context = LlvmContext::create();
    let llvm = translated(module, &context)?;
    // The module that is compiled changes. What it was is needed once, if ever.
    let again = || {
        let context = LlvmContext::create();
        translated(module, &context).map_or_else(|_| Vec::new(), |llvm| bitcode(&llvm))
    };
    compile_in(&context, llvm, &again, target, entry(module), keep_llvm)
}

fn translated<'c>(
    module: &Module<'_>,
    context: &'c LlvmContext,
) -> Result<LlvmModule<'c>, Diagnostic> {
    let llvm = super::ffi::translate(module, context)
        .ok_or_else(|| internal("llvm", "MLIR could not translate the module"))?;
    llvm.set_name("kernel");
    Ok(llvm)
}

/// What is kept of a module: to link it with others, or for whoever looks into a defect of LLVM.
fn bitcode(llvm: &LlvmModule<'_>) -> Vec<u8> {
    llvm.write_bitcode_to_memory().as_slice().to_vec()
}

/// The entry point of a module that has one.
fn entry<'a>(module: &Module<'a>) -> Option<&'a str> {
    let operations = crate::ir::operations(crate::ffi::block(module.body()));
    let mut entries = operations.into_iter().filter(|of| has_body(*of));
    let first = entries.next()?;
    match entries.next() {
        Some(_) => None,
        None => crate::ir::text_attribute(first, "sym_name"),
    }
}

/// A module, to stand in a file with others.
pub enum Unit {
    /// As PTX: it declares nothing that others may declare too but the program's shared memory.
    Text(String),
    /// As bitcode: others may declare the functions, texts and system calls of its debug statements, too.
    Module(Vec<u8>),
}

impl Unit {
    /// # Errors
    /// Internal ones: what reaches here was verified.
    pub fn compile(module: &Module<'_>, target: &Target) -> Result<Self, Diagnostic> {
        let is_apart = crate::ir::operations(crate::ffi::block(module.body()))
            .into_iter()
            .all(|operation| crate::ir::name(operation) != "llvm.func" || has_body(operation));
        Ok(match is_apart {
            true => Self::Text(compile(module, target, false)?.ptx),
            false => Self::Module(bitcode(&translated(module, &LlvmContext::create())?)),
        })
    }
}

/// One PTX file of several modules. Those that have to share declarations LLVM links, and compiles together.
///
/// # Errors
/// Internal ones: what reaches here was verified.
pub fn join(units: &[Unit], target: &Target) -> Result<String, Diagnostic> {
    let mut texts = Vec::new();
    let mut modules = Vec::new();
    for unit in units {
        match unit {
            Unit::Text(ptx) => texts.push(ptx.as_str()),
            Unit::Module(bitcode) => modules.push(bitcode),
        }
    }
    let linked = match modules.is_empty() {
        true => None,
        false => Some(link(&modules, target)?),
    };
    texts.extend(linked.as_deref());
    Ok(join_texts(&texts))
}

/// PTX of modules that LLVM links.
fn link(modules: &[&Vec<u8>], target: &Target) -> Result<String, Diagnostic> {
    let context = LlvmContext::create();
    let linked = context.create_module("kernels");
    for bitcode in modules {
        linked
            .link_in_module(parse(&context, bitcode)?)
            .map_err(|error| internal("llvm", &error.to_string()))?;
    }
    let bitcode = bitcode(&linked);
    let again = || bitcode.clone();
    Ok(compile_in(&context, linked, &again, target, None, false)?.ptx)
}

fn has_body(operation: crate::ir::Operation<'_>) -> bool {
    crate::ir::region_block(operation, 0).is_some()
}

/// Compiles a module of a context; `bitcode` gives the same module, and `entry` is whom an error is about.
fn compile_in(
    context: &LlvmContext,
    llvm: LlvmModule<'_>,
    bitcode: &dyn Fn() -> Vec<u8>,
    target: &Target,
    entry: Option<&str>,
    keep_llvm: bool,
) -> Result<Code, Diagnostic> {
    let work = || compile_module(llvm, target, keep_llvm);
    let (code, errors) =
        super::ffi::with_errors(context, || fatal::while_compiling(entry, bitcode, work));
    match errors.is_empty() {
        true => code,
        false => Err(internal("llvm", &errors.join("\n"))),
    }
}

fn parse<'c>(context: &'c LlvmContext, bitcode: &[u8]) -> Result<LlvmModule<'c>, Diagnostic> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, "kernel");
    LlvmModule::parse_bitcode_from_buffer(&buffer, context)
        .map_err(|error| internal("llvm", &error.to_string()))
}

fn compile_module(
    llvm: LlvmModule<'_>,
    target: &Target,
    keep_llvm: bool,
) -> Result<Code, Diagnostic> {
    let machine = machine(target)?;
    llvm.set_triple(&machine.get_triple());
    llvm.set_data_layout(&machine.get_target_data().get_data_layout());
    llvm.verify()
        .map_err(|error| internal("llvm", &error.to_string()))?;
    let options = PassBuilderOptions::create();
    options.set_verify_each(false);
    super::convergent::mark(&llvm);
    super::bit_trees::cut(&llvm);
    llvm.run_passes(PIPELINE, &machine, options)
        .map_err(|error| internal("llvm", &error.to_string()))?;
    super::bit_trees::join(&llvm);
    super::truths::select(&llvm);
    super::early_stores::advance(&llvm);
    super::schedule::order(&llvm);
    super::mask_words::pack(&llvm);
    super::masks::remake(&llvm);
    let text = if keep_llvm {
        llvm.print_to_string().to_string()
    } else {
        String::new()
    };
    let buffer = machine
        .write_to_memory_buffer(&llvm, FileType::Assembly)
        .map_err(|error| internal("ptx", &error.to_string()))?;
    let ptx = String::from_utf8_lossy(buffer.as_slice())
        .trim_end_matches('\0')
        .to_owned();
    let ptx = super::narrow_stores::copy(&ptx);
    let ptx = match target.has_dependent_launches {
        true => super::dependents::mark(&ptx),
        false => ptx,
    };
    Ok(Code { llvm: text, ptx })
}

/// One PTX file from several: one header, shared memory declared once, one table of source files.
fn join_texts(parts: &[&str]) -> String {
    let mut joined = String::new();
    // As `.file` names them, each with its number: the first is 1 (PTX ISA, "Debugging Directives: .file").
    let mut sources: Vec<&str> = Vec::new();
    for part in parts {
        let mut numbers: Vec<(&str, usize)> = Vec::new();
        let known = sources.len();
        for (number, source) in part.lines().filter_map(source_file) {
            let at = sources.iter().position(|one| *one == source);
            let at = at.unwrap_or_else(|| {
                sources.push(source);
                sources.len() - 1
            });
            numbers.push((number, at + 1));
        }
        let number = |of: &str| {
            numbers
                .iter()
                .find(|(old, _)| *old == of)
                .map(|(_, new)| *new)
        };
        let is_first = joined.is_empty();
        for line in part.lines() {
            let is_header = [".version", ".target", ".address_size", "//"]
                .iter()
                .any(|start| line.starts_with(start));
            let is_declared = line.starts_with(".extern .shared") && joined.contains(line);
            if is_declared || is_header && !is_first {
                continue;
            }
            if let Some((old, source)) = source_file(line) {
                if let Some(new) = number(old).filter(|new| *new > known) {
                    joined.push_str(&format!("\t.file\t{new} {source}\n"));
                }
            } else if let Some((new, place)) = line
                .strip_prefix("\t.loc\t")
                .and_then(|line| line.split_once(' '))
                .and_then(|(old, place)| Some((number(old)?, place)))
            {
                joined.push_str(&format!("\t.loc\t{new} {place}\n"));
            } else {
                joined.push_str(line);
                joined.push('\n');
            }
        }
    }
    joined
}

/// The number and the quoted name of a source file, from a line that declares it.
fn source_file(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("\t.file\t")?.split_once(' ')
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// A kernel in LLVM IR, as bitcode.
    fn bitcode(body: &str) -> Vec<u8> {
        let context = LlvmContext::create();
        let text = format!(
            "declare void @llvm.nvvm.fence.proxy.async()\ndefine ptx_kernel void @kernel(i32 %n) {{\n{body}\nret void\n}}\0"
        );
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "kernel");
        let module = context.create_module_from_ir(buffer).expect("LLVM IR");
        module.write_bitcode_to_memory().as_slice().to_vec()
    }

    fn compiled(body: &str) -> Result<Code, Diagnostic> {
        let target = Target::named("sm_80").expect("a target");
        let (context, bitcode) = (LlvmContext::create(), bitcode(body));
        let llvm = parse(&context, &bitcode)?;
        let again = || bitcode.clone();
        compile_in(&context, llvm, &again, target, Some("kernel"), false)
    }

    #[test]
    fn files_of_different_sources_are_joined() {
        let kernel = |name: &str, sources: &[&str]| {
            let mut text = format!(".version 8.1\n.entry {name}()\n{{\n");
            for (index, line) in (10..).take(sources.len()).enumerate() {
                text += &format!("\t.loc\t{} {line} 5\n", index + 1);
            }
            text += "}\n";
            for (index, source) in sources.iter().enumerate() {
                text += &format!("\t.file\t{} \"{source}\"\n", index + 1);
            }
            text
        };
        let parts = [
            kernel("a", &["a.tile", "math.tile"]),
            kernel("b", &["b.tile", "math.tile", "a.tile"]),
        ];
        let joined = join_texts(&[&parts[0], &parts[1]]);
        let expected = ".version 8.1\n.entry a()\n{\n\t.loc\t1 10 5\n\t.loc\t2 11 5\n}\n\
            \t.file\t1 \"a.tile\"\n\t.file\t2 \"math.tile\"\n\
            .entry b()\n{\n\t.loc\t3 10 5\n\t.loc\t2 11 5\n\t.loc\t1 12 5\n}\n\
            \t.file\t3 \"b.tile\"\n";
        assert_eq!(joined, expected);
    }

    #[test]
    fn what_llvm_refuses_is_a_diagnostic() {
        assert!(compiled("").is_ok());
        let asm = "call void asm sideeffect \"bar.sync $0;\", \"Q\"(i32 %n)";
        let problem = compiled(asm).err().expect("an error");
        assert!(problem.message.contains("`llvm`"), "{problem:?}");
        assert!(format!("{problem:?}").contains("constraint"), "{problem:?}");
    }

    /// Set in the process that dies.
    const DIES: &str = "TILEC_TEST_DIES";

    #[test]
    fn a_fatal_error_is_told_before_the_process_ends() {
        if std::env::var_os(DIES).is_some() {
            fatal::on_defect(|defect| {
                let kept = defect.kept.as_ref().is_some_and(|path| path.exists());
                println!("{:?} {:?} {kept}", defect.entry, defect.said);
                if let Some(path) = &defect.kept {
                    let _ = std::fs::remove_file(path);
                }
                std::process::exit(101);
            });
            // An instruction that this target does not have.
            let _ = compiled("call void @llvm.nvvm.fence.proxy.async()");
            return;
        }
        let name = "backend::llvm::tests::a_fatal_error_is_told_before_the_process_ends";
        let output = Command::new(std::env::current_exe().expect("this test"))
            .args([name, "--exact", "--nocapture"])
            .env(DIES, "1")
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(101), "{said}");
        assert!(said.contains("Some(\"kernel\") \"Cannot select"), "{said}");
        assert!(said.contains("true"), "{said}");
    }
}
