//! `specialize`: one copy of the kernel per variant, with what its launch promises.
//!
//! ```text
//! func @add(%x, %y, %z, %n)
//!   ⇒  func @add          {tile.divisibility = [16, 16, 16, 16]}
//!      func @add__general {tile.divisibility = [4, 4, 4, 1]}
//! ```
//!
//! Divisibility is in bytes for addresses and in units for sizes, strides and integers. The runtime
//! takes the first variant whose promises the arguments keep. All but the one for every launch may promise more ([`remainders`],
//! [`counted`]), and ask for less ([`demands`]).

use melior::ir::Module;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationMutLike};
use tile_runtime::manifest::Assumption;

use counted::Counted;
use remainders::Remainders;

use super::{PassContext, functions, internal, rebuild_functions, rebuild_functions_with};
use crate::build::Builder;
use crate::diagnostic::Diagnostic;
use crate::dialect::DIVISIBILITY;

mod counted;
mod demands;
mod remainders;

/// A variant to compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariantRequest {
    /// The entry point's name.
    pub entry: String,
    /// Per argument of the entry point, a power of two.
    pub divisibility: Vec<i64>,
    /// Per argument the size or the number that a launch knows it by, if it is one. Empty for the variant that takes every launch.
    pub names: Vec<Option<String>>,
}

/// What a variant asks of a launch besides divisors, as the manifest has it: JSON of a list of
/// [`Assumption`](tile_runtime::manifest::Assumption)s.
pub const ASSUMPTIONS: &str = "tile.assumptions";

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
            copy.set_attribute(DIVISIBILITY, builder.ints(&variant.divisibility));
            debug_assert_eq!(copy.region_count(), 1);
            top.append_operation(copy);
        }
    }
    // What the variants ask of a launch.
    let mut asked: Vec<Vec<Assumption>> = Vec::new();
    let mut variants = cx.variants.iter();
    let fresh = rebuild_functions(cx, &fresh, |function| {
        let counted = variants
            .next()
            .map(|variant| Counted::find(function, variant));
        let counted = counted.unwrap_or_default();
        asked.push(counted.assumptions.clone());
        Ok(counted)
    })?;
    let mut variants = cx.variants.iter().zip(asked);
    let fresh = rebuild_functions_with(cx, &fresh, |function| {
        let Some((variant, mut asked)) = variants.next() else {
            return Ok((Remainders::default(), Vec::new()));
        };
        let remainders = Remainders::find(function, variant);
        asked.extend(remainders.assumptions.iter().cloned());
        let mut attributes = Vec::new();
        if !asked.is_empty() {
            let text = serde_json::to_string(&asked)
                .map_err(|error| internal("specialize", &error.to_string()))?;
            attributes.push((ASSUMPTIONS, builder.text(&text)));
        }
        Ok((remainders, attributes))
    })?;
    let mut variants = cx.variants.iter();
    rebuild_functions_with(cx, &fresh, |function| {
        let fewer = variants
            .next()
            .and_then(|variant| demands::fewer(function, variant));
        let attributes = fewer.map(|list| (DIVISIBILITY, builder.ints(&list)));
        Ok((Remainders::default(), attributes.into_iter().collect()))
    })
}
