//! `tilec targets` and `tilec passes`: the compiler's tables for people.

use super::console::{Console, Exit};
use super::stage::Stage;
use crate::target::{DEFAULT, TARGETS};

/// The GPUs that can be compiled for.
pub fn targets(console: &Console) -> Result<(), Exit> {
    let mut text = format!(
        "{:<8}  {:<18}  {:>13}  {:>14}\n",
        "TARGET", "GPUS", "SHARED MEMORY", "WARPS, AT MOST"
    );
    for target in TARGETS {
        let default = if target.name == DEFAULT {
            "  (default)"
        } else {
            ""
        };
        let shared = format!("{} KiB", target.shared_bytes_per_program / 1024);
        let warps = target.warps_per_program;
        text.push_str(&format!(
            "{:<8}  {:<18}  {shared:>13}  {warps:>14}{default}\n",
            target.name, target.summary
        ));
    }
    console.print(&text)
}

/// The stages of the compiler, as `--emit` knows them.
pub fn passes(console: &Console) -> Result<(), Exit> {
    let mut text = String::new();
    for (name, summary, _) in Stage::all() {
        text.push_str(&format!("{name:<15}  {summary}\n"));
    }
    text.push_str("\nEach can be shown: `tilec build FILE --emit NAME`. Those from `specialize` to `to-llvm` are passes:\n`tilec opt --pass NAME` runs them on MLIR text.\n");
    console.print(&text)
}
