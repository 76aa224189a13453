//! From the llvm dialect to PTX with its manifest.
//!
//! [`llvm`] translates the module, runs LLVM's passes and has PTX written; on the way `convergent` says which assembly must not move, `bit_trees` spares InstCombine what takes it long, `truths` replaces what
//! LLVM would translate wrongly, `early_stores` moves stores to where their data comes from, `schedule` orders
//! instructions for few registers, `mask_words` makes bits of the masks of a row, and `masks` makes those of long tiles where they are used; `dependents` lets kernels begin
//! before the one in front of them has ended, and `narrow_stores` writes around what ptxas takes wrongly. [`fatal`] tells what LLVM
//! ends the process for;
//! [`manifest`] writes what a launcher must know in front of the PTX; [`nvidia`] runs NVIDIA's assembler
//! where it is found.

mod bit_trees;
mod convergent;
mod dependents;
mod early_stores;
pub mod fatal;
mod ffi;
mod flow;
pub mod llvm;
pub mod manifest;
mod mask_words;
mod masks;
mod narrow_stores;
pub mod nvidia;
mod schedule;
mod truths;

/// The text of a module after a change to it, which must leave it valid.
#[cfg(test)]
fn changed(text: &str, change: fn(&inkwell::module::Module<'_>)) -> String {
    let context = inkwell::context::Context::create();
    let buffer = inkwell::memory_buffer::MemoryBuffer::create_from_memory_range_copy(
        text.as_bytes(),
        "test",
    );
    let module = context
        .create_module_from_ir(buffer)
        .expect("the text parses");
    change(&module);
    module.verify().expect("the module is valid");
    module.print_to_string().to_string()
}
