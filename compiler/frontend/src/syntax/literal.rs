//! The values of numbers and strings.
//!
//! Used twice: by the lexer to report what is malformed, and by the grammar's actions for the
//! value. So a malformed literal is reported once and parsing goes on.

/// What is wrong with a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberProblem {
    /// `0x`, `0b_`.
    NoDigits,
    /// `0b12`, `0xfg`, `12a`: the byte of the first wrong character.
    WrongDigit(usize),
    /// `1.5f32`, `10i64`: where the type starts.
    TypeSuffix(usize),
    /// `1.5f`, `10u`, `10L`: where the letter starts.
    LetterSuffix(usize),
    /// Beyond 128 bits.
    TooLarge,
    /// `1e999`: beyond the largest `f64`.
    Infinite,
    /// `007`: Rust reads 7, C reads octal.
    LeadingZero,
}

const TYPE_NAMES: [&str; 18] = [
    "i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64",
    "f8e4m3", "f8e5m2", "usize", "isize", "i128",
];

/// The value of an integer literal.
///
/// # Errors
/// When it is malformed or does not fit 128 bits.
pub fn integer(text: &str) -> Result<u128, NumberProblem> {
    let (radix, digits) = match text.get(..2) {
        Some("0x" | "0X") => (16, &text[2..]),
        Some("0b" | "0B") => (2, &text[2..]),
        Some("0o" | "0O") => (8, &text[2..]),
        _ => (10, text),
    };
    let prefix = text.len() - digits.len();
    let wrong = digits
        .char_indices()
        .find(|&(_, letter)| letter != '_' && !letter.is_digit(radix));
    if let Some((at, _)) = wrong {
        return Err(suffix_problem(text, prefix + at));
    }
    if digits.chars().all(|letter| letter == '_') {
        return Err(NumberProblem::NoDigits);
    }
    let plain: String = digits.chars().filter(|&letter| letter != '_').collect();
    if radix == 10 && plain.len() > 1 && plain.starts_with('0') {
        return Err(NumberProblem::LeadingZero);
    }
    u128::from_str_radix(&plain, radix).map_err(|_| NumberProblem::TooLarge)
}

/// The value of a floating-point literal.
///
/// # Errors
/// When it is malformed or beyond the range of `f64`.
pub fn float(text: &str) -> Result<f64, NumberProblem> {
    let plain: String = text.chars().filter(|&letter| letter != '_').collect();
    match plain.parse::<f64>() {
        Ok(value) if value.is_infinite() => Err(NumberProblem::Infinite),
        Ok(value) => Ok(value),
        Err(_) => Err(suffix_problem(text, float_end(text))),
    }
}

/// Where the longest well-formed float at the start of `text` ends.
fn float_end(text: &str) -> usize {
    let mut seen_exponent = false;
    let mut previous = ' ';
    for (at, letter) in text.char_indices() {
        let fine = match letter {
            '0'..='9' | '_' | '.' => true,
            '+' | '-' => matches!(previous, 'e' | 'E'),
            'e' | 'E' if !seen_exponent => {
                seen_exponent = true;
                let rest = text[at + 1..].trim_start_matches(['+', '-', '_']);
                rest.starts_with(|next: char| next.is_ascii_digit())
            }
            _ => false,
        };
        if !fine {
            return at;
        }
        previous = letter;
    }
    text.len()
}

fn suffix_problem(text: &str, at: usize) -> NumberProblem {
    let tail = text[at..].trim_start_matches('_');
    if TYPE_NAMES.contains(&tail) {
        return NumberProblem::TypeSuffix(at);
    }
    if matches!(
        tail,
        "f" | "F" | "h" | "u" | "U" | "l" | "L" | "ul" | "UL" | "ll" | "LL" | "j"
    ) {
        return NumberProblem::LetterSuffix(at);
    }
    NumberProblem::WrongDigit(at)
}

/// A wrong escape in a string: byte range in the literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EscapeProblem {
    /// Where in the literal.
    pub range: std::ops::Range<usize>,
}

/// The value of a string literal with its quotes. Wrong escapes stand for themselves.
#[must_use]
pub fn string(text: &str) -> (String, Vec<EscapeProblem>) {
    let inside = text.strip_prefix('"').unwrap_or(text);
    let inside = closed_inside(inside).unwrap_or(inside);
    let mut value = String::with_capacity(inside.len());
    let mut problems = Vec::new();
    let mut letters = inside.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if letter != '\\' {
            value.push(letter);
            continue;
        }
        let Some((_, escape)) = letters.next() else {
            break;
        };
        match escape {
            'n' => value.push('\n'),
            't' => value.push('\t'),
            'r' => value.push('\r'),
            '0' => value.push('\0'),
            '\\' | '"' | '\'' => value.push(escape),
            'u' => match unicode_escape(&inside[at + 2..]) {
                Some((character, length)) => {
                    value.push(character);
                    while letters
                        .next_if(|&(next, _)| next < at + 2 + length)
                        .is_some()
                    {}
                }
                None => problems.push(EscapeProblem {
                    range: at + 1..at + 3,
                }),
            },
            _ => {
                value.push(escape);
                problems.push(EscapeProblem {
                    range: at + 1..at + 2 + escape.len_utf8(),
                });
            }
        }
    }
    (value, problems)
}

/// Whether a string literal has its closing quote.
#[must_use]
pub fn is_closed(text: &str) -> bool {
    text.strip_prefix('"').and_then(closed_inside).is_some()
}

/// What comes before the closing quote, if there is one: a quote that no backslash escapes.
fn closed_inside(inside: &str) -> Option<&str> {
    let body = inside.strip_suffix('"')?;
    let backslashes = body.bytes().rev().take_while(|&byte| byte == b'\\').count();
    (backslashes % 2 == 0).then_some(body)
}

/// `{41}` behind `\u`: the character and the length of the braces with contents.
fn unicode_escape(rest: &str) -> Option<(char, usize)> {
    let digits = rest.strip_prefix('{')?.split_once('}')?.0;
    let valid =
        (1..=6).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let value = u32::from_str_radix(valid.then_some(digits)?, 16).ok()?;
    Some((char::from_u32(value)?, digits.len() + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        assert_eq!(integer("42"), Ok(42));
        assert_eq!(integer("0xFf"), Ok(255));
        assert_eq!(integer("0b1010"), Ok(10));
        assert_eq!(integer("0o17"), Ok(15));
        assert_eq!(integer("1_000"), Ok(1000));
        assert_eq!(integer("0"), Ok(0));
        assert_eq!(
            integer("340282366920938463463374607431768211455"),
            Ok(u128::MAX)
        );
        assert_eq!(
            integer("340282366920938463463374607431768211456"),
            Err(NumberProblem::TooLarge)
        );
        assert_eq!(integer("0x"), Err(NumberProblem::NoDigits));
        assert_eq!(integer("0b12"), Err(NumberProblem::WrongDigit(3)));
        assert_eq!(integer("12px"), Err(NumberProblem::WrongDigit(2)));
        assert_eq!(integer("1i64"), Err(NumberProblem::TypeSuffix(1)));
        assert_eq!(integer("1_u8"), Err(NumberProblem::TypeSuffix(2)));
        assert_eq!(integer("1u"), Err(NumberProblem::LetterSuffix(1)));
        assert_eq!(integer("007"), Err(NumberProblem::LeadingZero));
    }

    #[test]
    fn floats() {
        assert_eq!(float("1.5"), Ok(1.5));
        assert_eq!(float("1_0.2_5e-1_0"), Ok(10.25e-10));
        assert_eq!(float("1e5"), Ok(1e5));
        assert_eq!(float("1.5f32"), Err(NumberProblem::TypeSuffix(3)));
        assert_eq!(float("1.5f"), Err(NumberProblem::LetterSuffix(3)));
        assert_eq!(float("1e5q"), Err(NumberProblem::WrongDigit(3)));
        assert_eq!(float("1e999"), Err(NumberProblem::Infinite));
    }

    #[test]
    fn strings() {
        assert_eq!(
            string(r#""a\n\"\u{e4}\\""#),
            ("a\n\"ä\\".to_owned(), vec![])
        );
        assert!(is_closed(r#""a""#));
        assert!(is_closed(r#""a\\""#));
        assert!(!is_closed(r#""a\""#));
        assert!(!is_closed(r#"""#));
        assert!(!is_closed(r#""a"#));
        let (value, problems) = string(r#""\q\u{zz}""#);
        assert_eq!(value, "q{zz}");
        assert_eq!(
            problems
                .iter()
                .map(|problem| problem.range.clone())
                .collect::<Vec<_>>(),
            [1..3, 3..5]
        );
    }
}
