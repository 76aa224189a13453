//! `specialize`: one copy of the kernel per variant, with what its launch promises.
//!
//! ```text
//! func @add(%x, %y, %z, %n)
//!   ⇒  func @add          {tile.divisibility = [16, 16, 16, 16]}
//!      func @add__general {tile.divisibility = [4, 4, 4, 1]}
//! ```
//!
//! Divisibility is in bytes for addresses and in units for sizes, strides and integers. The runtime
//! takes the first variant whose promises the arguments keep.

use melior::ir::Module;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationMutLike};

use super::{PassContext, functions};
use crate::build::Builder;
use crate::diagnostic::Diagnostic;

/// A variant to compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariantRequest {
    /// The entry point's name.
    pub entry: String,
    /// Per argument of the entry point, a power of two.
    pub divisibility: Vec<i64>,
}

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let fresh = Module::new(melior::ir::Location::unknown(cx.context));
    let top = crate::ffi::block(fresh.body());
    let builder = Builder::new(cx.context, top, melior::ir::Location::unknown(cx.context));
    for function in functions(&module) {
        if cx.variants.is_empty() {
            top.append_operation((*function).clone());
        }
        for variant in cx.variants {
            let mut copy = (*function).clone();
            copy.set_attribute("sym_name", builder.text(&variant.entry));
            copy.set_attribute("tile.divisibility", builder.ints(&variant.divisibility));
            debug_assert_eq!(copy.region_count(), 1);
            top.append_operation(copy);
        }
    }
    Ok(fresh)
}
