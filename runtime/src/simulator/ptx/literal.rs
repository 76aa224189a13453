//! Numbers as written (PTX ISA 4.5.1 and 4.5.2).

/// An integer constant: 64 bits, signed unless it is marked `U` or needs the top bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Integer {
    /// Two's complement.
    pub bits: u64,
    /// `.u64` rather than `.s64`; matters to operators.
    pub unsigned: bool,
}

impl Integer {
    /// An `.s64`.
    #[must_use]
    pub fn signed(value: i64) -> Self {
        Self {
            bits: value.cast_unsigned(),
            unsigned: false,
        }
    }

    /// The bits as an `.s64`.
    #[must_use]
    pub fn value(self) -> i64 {
        self.bits.cast_signed()
    }
}

/// A constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// Integer.
    Integer(Integer),
    /// Bits of an f32: `0f…`, which takes no part in expressions.
    Single(u32),
    /// Bits of an f64: `0d…` and decimal.
    Double(u64),
}

impl Number {
    /// `WARP_SZ`: threads in a warp (PTX ISA 4.4, "Predefined identifiers").
    pub const WARP_SIZE: Self = Self::Integer(Integer {
        bits: 32,
        unsigned: false,
    });
}

/// Why a word that starts with a digit is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NumberProblem {
    /// More than 64 bits.
    #[error("is too large: integers have 64 bits")]
    TooLarge,
    /// A letter, or a digit that the base lacks.
    #[error("is no number: `{0}` is no {1} digit")]
    Digit(char, &'static str),
    /// `0x`
    #[error("is no number: digits are missing")]
    NoDigits,
    /// `0f…` of another length.
    #[error("is no number: `0f` takes 8 hexadecimal digits")]
    SingleLength,
    /// `0d…` of another length.
    #[error("is no number: `0d` takes 16 hexadecimal digits")]
    DoubleLength,
}

/// A word that starts with a digit, without point or signed exponent.
pub fn number(word: &str) -> Result<Number, NumberProblem> {
    let (base, digits) = match word.as_bytes() {
        [b'0', b'f' | b'F', ..] => {
            let digits = &word[2..];
            if digits.len() != 8 {
                return Err(NumberProblem::SingleLength);
            }
            let bits = integer(digits, 16)?;
            return Ok(Number::Single(u32::try_from(bits).unwrap_or(u32::MAX)));
        }
        [b'0', b'd' | b'D', ..] => {
            let digits = &word[2..];
            if digits.len() != 16 {
                return Err(NumberProblem::DoubleLength);
            }
            return Ok(Number::Double(integer(digits, 16)?));
        }
        [b'0', b'x' | b'X', ..] => (16, &word[2..]),
        [b'0', b'b' | b'B', ..] => (2, &word[2..]),
        [b'0', b'0'..=b'9', ..] => (8, &word[1..]),
        _ => (10, word),
    };
    let (digits, marked) = match digits.strip_suffix('U') {
        Some(digits) => (digits, true),
        None => (digits, false),
    };
    if digits.is_empty() {
        return Err(NumberProblem::NoDigits);
    }
    let bits = integer(digits, base)?;
    let unsigned = marked || bits.cast_signed() < 0;
    Ok(Number::Integer(Integer { bits, unsigned }))
}

fn integer(digits: &str, base: u32) -> Result<u64, NumberProblem> {
    let mut value = 0_u64;
    for letter in digits.chars() {
        let Some(digit) = letter.to_digit(base) else {
            let base = match base {
                2 => "binary",
                8 => "octal",
                10 => "decimal",
                _ => "hexadecimal",
            };
            return Err(NumberProblem::Digit(letter, base));
        };
        value = value
            .checked_mul(u64::from(base))
            .and_then(|value| value.checked_add(u64::from(digit)))
            .ok_or(NumberProblem::TooLarge)?;
    }
    Ok(value)
}
