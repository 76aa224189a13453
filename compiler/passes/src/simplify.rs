//! `simplify`: upstream canonicalisation, CSE and loop-invariant code motion; and [`divisions`] leave loops, which upstream does not move.
//!
//! Our own operations carry no effect traits, so upstream leaves them alone; equal ones were built
//! once ([`crate::build::Builder`]), unused ones go when the next pass does not ask for them.

use melior::ir::Module;

use super::{PassContext, divisions, upstream};
use crate::diagnostic::Diagnostic;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let mut module = divisions::run(cx, module)?;
    // Regions are not merged and constants stay in place: locations keep pointing at the source.
    upstream(
        cx.context,
        &mut module,
        "builtin.module(func.func(canonicalize,cse,loop-invariant-code-motion,cse))",
    )?;
    Ok(module)
}
