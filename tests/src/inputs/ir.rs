//! MLIR text for `tilec opt`: what verifies is taken through the pass that its first line names, or through all.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tilec::dialect;
use tilec::passes::{PASSES, Pass, PassContext};
use tilec::source::SourceMap;
use tilec::target::{DEFAULT, Target};

use super::{files, is_said};

pub(super) fn corpus() -> Vec<Vec<u8>> {
    files("tests/passes", "mlir")
        .into_iter()
        .map(String::into_bytes)
        .collect()
}

/// The passes that an input asks for: `// pass: NAME` in its first line.
fn passes(text: &str) -> &'static [Pass] {
    let first = text.lines().next().unwrap_or_default();
    let named = first.strip_prefix("// pass: ").and_then(Pass::named);
    named.map_or(PASSES, std::slice::from_ref)
}

/// Parses, verifies, runs passes and prints.
pub(super) fn examine(text: &str) -> Result<(), String> {
    let context = dialect::context();
    let mut module = match dialect::parse(&context, "text.mlir", text) {
        Ok(module) => module,
        Err(problem) => return is_said(&problem),
    };
    if let Err(problem) = dialect::verify::module(&context, &module) {
        return is_said(&problem);
    }
    let target = Target::named(DEFAULT).ok_or("no default target")?;
    let sources = SourceMap::new();
    let cx = PassContext::new(&context, target, &sources, &[]);
    for pass in passes(text) {
        // Passes rely on what those before them make; `tilec opt` says so where that is not there.
        match catch_unwind(AssertUnwindSafe(|| pass.run(&cx, module))) {
            Ok(Ok(after)) => module = after,
            Ok(Err(diagnostic)) => return is_said(&diagnostic.message),
            Err(_) => return Ok(()),
        }
    }
    let _ = dialect::print(&module);
    Ok(())
}
