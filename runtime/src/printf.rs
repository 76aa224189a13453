//! Text as C's `printf` makes it: what a kernel prints is the same bytes wherever it runs.
//!
//! A format and its values come in, the text goes out. The driver formats what a kernel gives to
//! `vprintf` as C does (CUDA C++ Programming Guide, "Formatted Output"); the simulator and the
//! interpreter do it with this.
//!
//! ```text
//! %5d %-8.3f|%g %#x     with 7, 2.5, 0.1, 255     ⇒     "    7 2.500   |0.1 0xff"
//! ```

use std::fmt::Write as _;

/// A conversion of a format: `%-8.3f`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conversion {
    /// `-`: padded on the right.
    left: bool,
    /// `+`: positive numbers have a sign.
    plus: bool,
    /// A space in its place.
    space: bool,
    /// `#`: `0x`, and points that nothing follows.
    alternate: bool,
    /// `0`: padded with zeros.
    zeros: bool,
    width: usize,
    precision: Option<usize>,
    /// Whether an integer has 64 bits: `l`, `ll`, `j`, `z`, `t`.
    long: bool,
    /// `d`, `g`, …
    kind: char,
}

/// The widest field and the most digits that are honoured.
const MOST: usize = 4096;

impl Conversion {
    /// Bytes of its value among the arguments of `vprintf`: smaller integers are promoted to 4,
    /// floats to 8.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        match self.kind {
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'c' if !self.long => 4,
            _ => 8,
        }
    }

    /// Whether its value is the address of a text.
    #[must_use]
    pub const fn is_text(&self) -> bool {
        self.kind == 's'
    }

    /// The text of a number, from its bits (those of an `f64` for floats).
    #[must_use]
    pub fn number(&self, bits: u64) -> String {
        #[allow(clippy::cast_possible_truncation)] // numbers of 32 bits
        let narrow = bits as u32;
        let unsigned = if self.long { bits } else { narrow.into() };
        let signed = if self.long {
            bits.cast_signed()
        } else {
            narrow.cast_signed().into()
        };
        let float = f64::from_bits(bits);
        match self.kind {
            'd' | 'i' => {
                let sign = self.sign(signed < 0);
                self.integer(sign, signed.unsigned_abs().to_string())
            }
            'u' => self.integer("", unsigned.to_string()),
            'x' => self.integer(self.prefix("0x", unsigned), format!("{unsigned:x}")),
            'X' => self.integer(self.prefix("0X", unsigned), format!("{unsigned:X}")),
            'o' => self.integer(self.prefix("0", unsigned), format!("{unsigned:o}")),
            'p' => self.padded("", &format!("{bits:#x}"), false),
            #[allow(clippy::cast_possible_truncation)] // one byte
            'c' => self.padded("", &char::from(bits as u8).to_string(), false),
            _ if !float.is_finite() => {
                let text = if float.is_nan() { "nan" } else { "inf" };
                let text = if self.kind.is_ascii_uppercase() {
                    text.to_ascii_uppercase()
                } else {
                    text.to_owned()
                };
                self.padded(self.sign(float.is_sign_negative()), &text, false)
            }
            _ => {
                let digits = self.precision.unwrap_or(6);
                let magnitude = float.abs();
                let text = match self.kind {
                    'e' | 'E' => self.scientific(magnitude, digits),
                    'g' | 'G' => self.general(magnitude, digits),
                    _ => self.fixed(magnitude, digits),
                };
                let text = if self.kind.is_ascii_uppercase() {
                    text.to_ascii_uppercase()
                } else {
                    text
                };
                self.padded(self.sign(float.is_sign_negative()), &text, self.zeros)
            }
        }
    }

    /// A text as a field: cut to the precision, padded to the width.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let cut: String = text
            .chars()
            .take(self.precision.unwrap_or(usize::MAX))
            .collect();
        self.padded("", &cut, false)
    }

    const fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    const fn prefix(&self, prefix: &'static str, value: u64) -> &'static str {
        if self.alternate && value != 0 {
            prefix
        } else {
            ""
        }
    }

    fn integer(&self, sign: &str, digits: String) -> String {
        let digits = match self.precision {
            // No digits at all for the value 0 with precision 0 (C, "fprintf").
            Some(0) if digits == "0" => String::new(),
            Some(least) => format!("{digits:0>least$}"),
            None => digits,
        };
        // A precision switches the flag `0` off.
        self.padded(sign, &digits, self.zeros && self.precision.is_none())
    }

    fn padded(&self, sign: &str, text: &str, zeros: bool) -> String {
        let missing = self.width.saturating_sub(sign.len() + text.chars().count());
        match (self.left, zeros) {
            (true, _) => format!("{sign}{text}{:missing$}", ""),
            (false, true) => format!("{sign}{}{text}", "0".repeat(missing)),
            (false, false) => format!("{:missing$}{sign}{text}", ""),
        }
    }

    fn fixed(&self, magnitude: f64, digits: usize) -> String {
        let mut text = format!("{magnitude:.digits$}");
        if self.alternate && digits == 0 {
            text.push('.');
        }
        text
    }

    /// Rust writes `1.5e-7` where C writes `1.5e-07`.
    fn scientific(&self, magnitude: f64, digits: usize) -> String {
        let text = format!("{magnitude:.digits$e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(exponent) => ('-', exponent),
            None => ('+', exponent),
        };
        let point = if self.alternate && digits == 0 {
            "."
        } else {
            ""
        };
        format!("{mantissa}{point}e{sign}{exponent:0>2}")
    }

    /// `%g`: as many significant digits, without zeros at the end.
    fn general(&self, magnitude: f64, digits: usize) -> String {
        let digits = digits.max(1);
        let rounded = format!("{magnitude:.*e}", digits - 1);
        let exponent = rounded
            .split_once('e')
            .map_or("0", |(_, exponent)| exponent);
        let exponent: i64 = exponent.parse().unwrap_or(0);
        let most = i64::try_from(digits).unwrap_or(i64::MAX);
        let trim = |text: &str| {
            if self.alternate || !text.contains('.') {
                return text.to_owned();
            }
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        if exponent < -4 || exponent >= most {
            let text = self.scientific(magnitude, digits - 1);
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
            return format!("{}e{exponent}", trim(mantissa));
        }
        let after_point = usize::try_from(most - 1 - exponent).unwrap_or(0);
        trim(&self.fixed(magnitude, after_point))
    }
}

/// A piece of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Printed as it is.
    Text(&'a str),
    /// A value is put in.
    Value(Conversion),
}

/// The pieces of a format. What is no conversion is text.
#[must_use]
pub fn pieces(format: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(start) = rest.find('%') {
        let (before, conversion) = rest.split_at(start);
        if !before.is_empty() {
            pieces.push(Piece::Text(before));
        }
        match parse(&conversion[1..]) {
            Some((conversion, tail)) => {
                pieces.push(Piece::Value(conversion));
                rest = tail;
            }
            None => {
                // `%%`, and what C leaves undefined.
                let length = if conversion.starts_with("%%") { 2 } else { 1 };
                pieces.push(Piece::Text("%"));
                rest = &conversion[length..];
            }
        }
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// A conversion after its `%`, and what follows it.
fn parse(text: &str) -> Option<(Conversion, &str)> {
    let mut conversion = Conversion::default();
    let mut rest = text;
    loop {
        match rest.chars().next()? {
            '-' => conversion.left = true,
            '+' => conversion.plus = true,
            ' ' => conversion.space = true,
            '#' => conversion.alternate = true,
            '0' => conversion.zeros = true,
            _ => break,
        }
        rest = &rest[1..];
    }
    let number = |rest: &mut &str| {
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let (digits, tail) = rest.split_at(end);
        *rest = tail;
        digits.parse::<usize>().map_or(0, |number| number.min(MOST))
    };
    conversion.width = number(&mut rest);
    if let Some(tail) = rest.strip_prefix('.') {
        rest = tail;
        conversion.precision = Some(number(&mut rest));
    }
    let kind = rest.find(|c: char| !"hlLqjzt".contains(c))?;
    let (lengths, tail) = rest.split_at(kind);
    conversion.long = lengths.contains(['l', 'q', 'j', 'z', 't']);
    conversion.kind = tail.chars().next()?;
    "diuxXocpsfFeEgG"
        .contains(conversion.kind)
        .then(|| (conversion, &tail[1..]))
}

/// Puts values into a format. `value` gives the text of the next one.
pub fn format(format: &str, mut value: impl FnMut(&Conversion) -> String) -> String {
    let mut text = String::new();
    for piece in pieces(format) {
        let _ = match piece {
            Piece::Text(piece) => text.write_str(piece),
            Piece::Value(conversion) => text.write_str(&value(&conversion)),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(format_text: &str, bits: u64) -> String {
        format(format_text, |conversion| conversion.number(bits))
    }

    fn float(format_text: &str, value: f64) -> String {
        one(format_text, value.to_bits())
    }

    #[test]
    fn floats_are_printed_as_by_c() {
        // What `printf` of the C library prints.
        for (format, value, expected) in [
            ("%g", 0.0, "0"),
            ("%g", -0.0, "-0"),
            ("%g", 0.1, "0.1"),
            ("%g", 1.0, "1"),
            ("%g", 100_000.0, "100000"),
            ("%g", 1_000_000.0, "1e+06"),
            ("%g", 999_999.5, "1e+06"),
            ("%g", 123_456.7, "123457"),
            ("%g", 0.000_1, "0.0001"),
            ("%g", 0.000_01, "1e-05"),
            ("%g", 1.5e300, "1.5e+300"),
            ("%g", 2.5, "2.5"),
            ("%.0g", 2.5, "2"),
            ("%.3g", 0.000_123_456, "0.000123"),
            ("%#g", 1.0, "1.00000"),
            ("%f", 1.0, "1.000000"),
            ("%.0f", 0.5, "0"),
            ("%.0f", 1.5, "2"),
            ("%#.0f", 1.5, "2."),
            ("%.2f", 2.675, "2.67"),
            ("%e", 0.0, "0.000000e+00"),
            ("%e", 12_345.678, "1.234568e+04"),
            ("%E", 1.5e-7, "1.500000E-07"),
            ("%.3e", 1e100, "1.000e+100"),
            ("%+g", 1.5, "+1.5"),
            ("% g", 1.5, " 1.5"),
            ("%8.2f|", -1.5, "   -1.50|"),
            ("%-8.2f|", -1.5, "-1.50   |"),
            ("%08.2f|", -1.5, "-0001.50|"),
            ("%g", f64::INFINITY, "inf"),
            ("%08g", f64::NEG_INFINITY, "    -inf"),
            ("%G", f64::NAN, "NAN"),
        ] {
            assert_eq!(float(format, value), expected, "{format} of {value:?}");
        }
    }

    #[test]
    fn integers_are_printed_as_by_c() {
        let minus = u64::from((-5i32).cast_unsigned());
        for (format, bits, expected) in [
            ("%d", minus, "-5"),
            ("%u", minus, "4294967291"),
            ("%x", minus, "fffffffb"),
            ("%lld", (-5i64).cast_unsigned(), "-5"),
            ("%llu", u64::MAX, "18446744073709551615"),
            ("%016llx", 255, "00000000000000ff"),
            ("%#x", 255, "0xff"),
            ("%#x", 0, "0"),
            ("%#X", 255, "0XFF"),
            ("%o", 8, "10"),
            ("%5d|", minus, "   -5|"),
            ("%-5d|", minus, "-5   |"),
            ("%05d", minus, "-0005"),
            ("%05.3d|", minus, " -005|"),
            ("%+d", 5, "+5"),
            ("%c", 65, "A"),
            ("%p", 0x1234, "0x1234"),
            ("%hhd", 7, "7"),
        ] {
            assert_eq!(one(format, bits), expected, "{format} of {bits:#x}");
        }
    }

    #[test]
    fn what_is_no_conversion_is_text() {
        assert_eq!(one("100%% of %d%", 3), "100% of 3%");
        assert_eq!(one("%y", 3), "%y");
        assert_eq!(one("%", 3), "%");
        assert_eq!(one("", 3), "");
        assert_eq!(format("[%5s]", |c| c.text("ab")), "[   ab]");
        assert_eq!(format("[%.1s]", |c| c.text("ab")), "[a]");
    }
}
