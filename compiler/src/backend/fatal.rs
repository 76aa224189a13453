//! LLVM's fatal errors, of which "Cannot select" is the best known: what it cannot compile it tells,
//! and ends the process.
//!
//! Nothing may unwind through LLVM's frames, so such an error becomes no diagnostic that is returned.
//! [`on_defect`] names who tells it instead, and ends the process in its own way; in go LLVM's words,
//! out comes a [`Defect`] that also says what was compiled and where a copy of it was kept.

use std::io::Write;
use std::path::PathBuf;
use std::sync::OnceLock;

/// A fatal error of LLVM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// The entry point that was compiled; `None` if there were several, or none.
    pub entry: Option<String>,
    /// LLVM's words.
    pub said: String,
    /// The module as LLVM got it, as bitcode; `None` if it could not be saved.
    pub kept: Option<PathBuf>,
}

type Report = Box<dyn Fn(&Defect) + Send + Sync>;

static REPORT: OnceLock<Report> = OnceLock::new();

/// Names who tells fatal errors, once per process. If it returns, LLVM ends the process; it must not
/// panic.
pub fn on_defect(report: impl Fn(&Defect) + Send + Sync + 'static) {
    if REPORT.set(Box::new(report)).is_ok() {
        super::ffi::install_fatal_error_handler();
    }
}

/// Does something on this thread, during which a fatal error is about this entry point, and a module that
/// `bitcode` gives then.
pub(super) fn while_compiling<R>(
    entry: Option<&str>,
    bitcode: &dyn Fn() -> Vec<u8>,
    work: impl FnOnce() -> R,
) -> R {
    let defect = |said: &str| Defect {
        entry: entry.map(str::to_owned),
        said: said.to_owned(),
        kept: keep(&bitcode()),
    };
    super::ffi::lend(&defect, work)
}

/// LLVM is about to end the process.
pub(crate) fn happened(said: &str) {
    if let Some(report) = REPORT.get() {
        report(&defect(said));
    }
}

fn defect(said: &str) -> Defect {
    let said = said.trim_end();
    super::ffi::lent(|about| match about {
        Some(about) => about(said),
        None => Defect {
            entry: None,
            said: said.to_owned(),
            kept: None,
        },
    })
}

/// Saves bitcode where it stays.
fn keep(bitcode: &[u8]) -> Option<PathBuf> {
    let mut file = tempfile::Builder::new()
        .prefix("tilec-")
        .suffix(".bc")
        .tempfile()
        .ok()?;
    file.write_all(bitcode).ok()?;
    Some(file.keep().ok()?.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_defect_says_what_was_compiled_and_keeps_it() {
        let defect = while_compiling(Some("softmax"), &|| b"bitcode".to_vec(), || {
            defect("Cannot select\n")
        });
        assert_eq!(defect.entry.as_deref(), Some("softmax"));
        assert_eq!(defect.said, "Cannot select");
        let kept = defect.kept.expect("a file");
        assert_eq!(std::fs::read(&kept).expect("its bytes"), b"bitcode");
        std::fs::remove_file(kept).expect("removed");
    }

    #[test]
    fn what_was_compiled_before_is_forgotten() {
        while_compiling(Some("softmax"), &Vec::new, || {});
        let defect = defect("out of memory");
        assert_eq!((defect.entry, defect.kept), (None, None));
    }
}
