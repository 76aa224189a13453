//! A program that was written as text, with one call of it.

use std::fmt::Write;

use super::run::{Subject, Variants};

/// A kernel and one call of it, whose results are exact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) call: Vec<String>,
    pub(super) target: &'static str,
    pub(super) multiprocessors: u32,
    pub(super) variants: Variants,
}

impl Subject for Written {
    fn name(&self) -> &str {
        &self.name
    }

    fn text(&self) -> String {
        self.text.clone()
    }

    fn call(&self) -> Vec<String> {
        self.call.clone()
    }

    fn tolerance(&self) -> Option<f64> {
        Some(0.0)
    }

    fn target(&self) -> &'static str {
        self.target
    }

    fn variants(&self) -> Variants {
        self.variants
    }

    fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }
}

/// Lines indented by the brackets that are open.
pub(super) fn indented(text: &str) -> String {
    let mut depth = 0usize;
    let mut lines = String::new();
    for line in text.lines() {
        let opens = line.ends_with(['{', '(']);
        let closes = line.starts_with(['}', ')']);
        depth = depth.saturating_sub(usize::from(closes));
        let _ = writeln!(lines, "{:1$}{line}", "", 4 * depth);
        depth += usize::from(opens);
    }
    lines
}
