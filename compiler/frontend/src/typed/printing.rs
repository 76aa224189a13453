//! What `print` writes: the same text wherever a kernel runs.
//!
//! A line per element, in no particular order; a scalar is one line per program:
//!
//! ```text
//! print("x", x, i);      x (pid 0, 2, 0) [3, 1]: 0.5, 7
//! print("n", n);         n (pid 0, 2, 0): 1000
//! ```
//!
//! Compiled code prints with `vprintf`, so a line is a format of C's `printf` and values promoted as C
//! promotes them: integers to 32 or 64 bits, floats to `f64`. Floats show six digits (`%g`), `i1` is 0
//! or 1, every NaN is `nan`. With `hex = true` the bits are shown, as many digits as the type has.
//!
//! A GPU keeps what is printed in a buffer of a megabyte until the kernel is done; of more, the oldest is
//! lost (CUDA C++ Programming Guide, "Formatted Output").

use std::fmt::Write as _;

use tile_runtime::element::ElementType;
use tile_runtime::numeric;

/// How a value travels to `printf`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promotion {
    /// A float as `f64`.
    Float,
    /// An integer converted to this type.
    Integer(ElementType),
    /// Its bits, as an unsigned integer of this type.
    Bits(ElementType),
}

/// How values of an element type are printed: their promotion and the conversion of the format.
#[must_use]
pub fn promotion(element: ElementType, hex: bool) -> (Promotion, String) {
    let wide = element.bits() > 32;
    if hex {
        let digits = element.bits().div_ceil(4);
        return if wide {
            (
                Promotion::Bits(ElementType::U64),
                format!("0x%0{digits}llx"),
            )
        } else {
            (Promotion::Bits(ElementType::U32), format!("0x%0{digits}x"))
        };
    }
    let (target, conversion) = match (wide, element.is_signed()) {
        _ if element.is_float() => return (Promotion::Float, "%g".to_owned()),
        (true, true) => (ElementType::I64, "%lld"),
        (true, false) => (ElementType::U64, "%llu"),
        (false, true) => (ElementType::I32, "%d"),
        (false, false) => (ElementType::U32, "%u"),
    };
    (Promotion::Integer(target), conversion.to_owned())
}

/// The format of a line: three numbers of the program, one per dimension, then the values.
#[must_use]
pub fn line(label: &str, rank: usize, elements: &[ElementType], hex: bool) -> String {
    let mut text = label.replace('%', "%%");
    text.push_str(" (pid %d, %d, %d)");
    if rank > 0 {
        let _ = write!(text, " [{}]", vec!["%d"; rank].join(", "));
    }
    let conversions: Vec<String> = elements
        .iter()
        .map(|element| promotion(*element, hex).1)
        .collect();
    if !conversions.is_empty() {
        let _ = write!(text, ": {}", conversions.join(", "));
    }
    text.push('\n');
    text
}

/// The bits that `printf` gets for an element with these bits.
#[must_use]
pub fn promoted(element: ElementType, bits: u64, hex: bool) -> u64 {
    match promotion(element, hex).0 {
        Promotion::Bits(_) => bits,
        Promotion::Integer(target) => {
            numeric::from_scalar(target, numeric::to_scalar(element, bits))
        }
        Promotion::Float => {
            let value = numeric::to_scalar(element, bits).as_f64();
            // Signs of NaN are not the same everywhere.
            if value.is_nan() {
                f64::NAN.to_bits()
            } else {
                value.to_bits()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementType as E;

    #[test]
    fn lines_name_the_program_the_element_and_the_values() {
        assert_eq!(
            line("100%", 0, &[E::I8], false),
            "100%% (pid %d, %d, %d): %d\n"
        );
        assert_eq!(
            line("x", 2, &[E::F16, E::U64], false),
            "x (pid %d, %d, %d) [%d, %d]: %g, %llu\n"
        );
        assert_eq!(
            line("x", 1, &[E::F16, E::I64], true),
            "x (pid %d, %d, %d) [%d]: 0x%04x, 0x%016llx\n"
        );
        assert_eq!(line("here", 0, &[], false), "here (pid %d, %d, %d)\n");
    }

    #[test]
    fn values_are_promoted_as_c_does() {
        assert_eq!(promoted(E::I8, 0xff, false), 0xffff_ffff);
        assert_eq!(promoted(E::U8, 0xff, false), 0xff);
        assert_eq!(promoted(E::I8, 0xff, true), 0xff);
        assert_eq!(promoted(E::I64, u64::MAX, false), u64::MAX);
        assert_eq!(promoted(E::F16, 0x3800, false), 0.5f64.to_bits());
        assert_eq!(promoted(E::F32, 0xffc0_0001, false), f64::NAN.to_bits());
    }
}
