//! The parts of `docs/LANGUAGE.md` that the compiler's own tables say: types, keywords, promotion
//! and every builtin function.
//!
//! ```text
//! <!-- generated: types -->        marks the region
//! | type | bits | values |         what is here is replaced
//! <!-- end -->
//! ```

use tile_runtime::element::ElementType;

use super::builtins::reference;
use super::{numbers, promotion};
use crate::syntax::token::Token;

const BEGIN: &str = "<!-- generated: ";
const END: &str = "<!-- end -->";

/// The page with its generated regions made anew.
///
/// # Errors
/// A region without end, of an unknown name, or a builtin without (or with a second) description:
/// in words.
pub fn regenerate(page: &str) -> Result<String, String> {
    let mut pieces = page.split(BEGIN);
    let mut result = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece
            .split_once(" -->")
            .ok_or("a region has no name".to_owned())?;
        let (_, rest) = rest
            .split_once(END)
            .ok_or_else(|| format!("the region `{name}` has no end"))?;
        let text = match name {
            "keywords" => keywords(),
            "types" => types(),
            "promotion" => promotions(),
            "builtins" => reference::text()?,
            "host" => reference::host(),
            _ => return Err(format!("there is no region `{name}`")),
        };
        result.push_str(&format!("{BEGIN}{name} -->\n\n{text}\n{END}{rest}"));
    }
    Ok(result)
}

fn keywords() -> String {
    let words: Vec<String> = Token::KEYWORDS
        .iter()
        .map(|word| format!("`{word}`"))
        .collect();
    format!("{}.\n", words.join(", "))
}

fn types() -> String {
    let mut text = String::from("| type | bits | values |\n|---|---|---|\n");
    for element in ElementType::ALL {
        let values = if element == ElementType::I1 {
            "`false` and `true`".to_owned()
        } else if element.is_integer() {
            let (low, high) = numbers::integer_range(element);
            format!("{low} to {high}")
        } else {
            float(element)
        };
        text.push_str(&format!(
            "| `{element}` | {} | {values} |\n",
            element.bits()
        ));
    }
    text
}

/// Bits of the fraction and the largest value.
fn float(element: ElementType) -> String {
    let fraction = match element {
        ElementType::F64 => 52,
        ElementType::F32 => 23,
        ElementType::F16 => 10,
        ElementType::BF16 => 7,
        ElementType::F8E4M3 => 3,
        _ => 2,
    };
    let infinite = if element == ElementType::F8E4M3 {
        ", no infinity"
    } else {
        ""
    };
    let largest = numbers::largest_float(element);
    let largest = if largest < 1e6 {
        format!("{largest}")
    } else {
        format!("{largest:.4e}")
    };
    format!("{fraction} bits of fraction, at most {largest}{infinite}")
}

/// The common type of each pair for `+`; a point where there is none.
fn promotions() -> String {
    let mut text = String::from("| `+` |");
    for element in ElementType::ALL {
        text.push_str(&format!(" {element} |"));
    }
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(ElementType::ALL.len()));
    for left in ElementType::ALL {
        text.push_str(&format!("\n| **{left}** |"));
        for right in ElementType::ALL {
            match promotion::promote(left, right, false) {
                // Sums of truth values do not exist.
                Ok(common) if common != ElementType::I1 => {
                    text.push_str(&format!(" {common} |"));
                }
                _ => text.push_str(" · |"),
            }
        }
    }
    text.push('\n');
    text
}
