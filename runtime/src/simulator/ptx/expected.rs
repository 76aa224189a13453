//! What the parser would have taken, in words.

pub fn in_words(expected: &[String]) -> String {
    expected.join(" ")
}
pub fn ends_statement(expected: &[String]) -> bool {
    expected.iter().any(|t| t == "\";\"")
}
