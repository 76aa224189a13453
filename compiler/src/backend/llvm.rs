//! MLIR's llvm dialect → LLVM IR → O3 → PTX, in one process.
//!
//! The module crosses from MLIR to inkwell as bitcode in memory: no pointer of one library's context
//! is used by the other.

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

use crate::diagnostic::Diagnostic;
use crate::passes::internal;
use crate::target::Target;

/// LLVM IR and PTX of a module.
pub struct Code {
    /// LLVM IR after O3.
    pub llvm: String,
    /// PTX without manifest.
    pub ptx: String,
}

fn machine(target: &Target) -> Result<TargetMachine, Diagnostic> {
    static INITIALISED: OnceLock<()> = OnceLock::new();
    INITIALISED.get_or_init(|| LlvmTarget::initialize_nvptx(&InitializationConfig::default()));
    let triple = TargetTriple::create("nvptx64-nvidia-cuda");
    let nvptx =
        LlvmTarget::from_triple(&triple).map_err(|error| internal("llvm", &error.to_string()))?;
    nvptx
        .create_target_machine(
            &triple,
            target.name,
            target.ptx_feature,
            OptimizationLevel::Aggressive,
            RelocMode::PIC,
            CodeModel::Default,
        )
        .ok_or_else(|| internal("llvm", &format!("LLVM has no {}", target.name)))
}

/// Compiles a module of the llvm dialect.
///
/// # Errors
/// Internal ones: what reaches here was verified.
pub fn compile(module: &Module<'_>, target: &Target, keep_llvm: bool) -> Result<Code, Diagnostic> {
    let bitcode = crate::ffi::translate_to_bitcode(module)
        .ok_or_else(|| internal("llvm", "MLIR could not translate the module"))?;
    let context = LlvmContext::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(&bitcode, "kernel");
    let llvm = LlvmModule::parse_bitcode_from_buffer(&buffer, &context)
        .map_err(|error| internal("llvm", &error.to_string()))?;
    let machine = machine(target)?;
    llvm.set_triple(&machine.get_triple());
    llvm.set_data_layout(&machine.get_target_data().get_data_layout());
    llvm.verify()
        .map_err(|error| internal("llvm", &error.to_string()))?;
    let options = PassBuilderOptions::create();
    options.set_verify_each(false);
    // Tiles are vectors of threads already: there is nothing left to vectorise inside one.
    options.set_loop_vectorization(false);
    options.set_loop_interleaving(false);
    options.set_loop_slp_vectorization(false);
    llvm.run_passes("default<O3>", &machine, options)
        .map_err(|error| internal("llvm", &error.to_string()))?;
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
    Ok(Code { llvm: text, ptx })
}
