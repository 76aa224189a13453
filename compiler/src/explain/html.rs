//! An explanation as one page for a browser.

use super::data::Explanation;

/// Renders an explanation.
#[must_use]
pub fn render(explanation: &Explanation, variant: Option<&str>) -> String {
    let _ = variant;
    serde_json::to_string(explanation).unwrap_or_default()
}
