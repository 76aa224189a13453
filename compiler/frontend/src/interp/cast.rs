//! Conversions between element types.

use tile_runtime::element::ElementType;
use tile_runtime::numeric::{Scalar, convert, from_scalar, to_scalar};

use crate::typed::Rounding;

use super::fault::Fault;
use super::value::Tile;

/// The same numbers in another type.
pub(super) fn cast(operand: &Tile, to: ElementType, rounding: Rounding) -> Result<Tile, Fault> {
    let (from, bits) = operand.as_numbers()?;
    let bits = bits.iter().map(|&bits| match rounding {
        Rounding::NearestEven => convert(bits, from, to),
        Rounding::TowardZero if from != to && to.is_float() => {
            toward_zero(to, to_scalar(from, bits))
        }
        Rounding::TowardZero => convert(bits, from, to),
    });
    Ok(Tile::numbers(to, &operand.shape, bits.collect()))
}

/// The same bits as another type of the same width.
pub(super) fn bitcast(operand: &Tile, to: ElementType) -> Result<Tile, Fault> {
    let (from, bits) = operand.as_numbers()?;
    if from.bits() != to.bits() {
        return Err(Fault::Malformed(
            "a bitcast between types of different widths",
        ));
    }
    Ok(Tile::numbers(to, &operand.shape, bits.to_vec()))
}

/// The bits of the largest float that is not larger in magnitude than the number.
///
/// That is the nearest one or, where the nearest lies beyond, its neighbour towards zero: bits less
/// one, infinity to the largest finite value included.
fn toward_zero(to: ElementType, value: Scalar) -> u64 {
    let nearest = from_scalar(to, value);
    let beyond = match (to_scalar(to, nearest), value) {
        (Scalar::Float(nearest), Scalar::Float(value)) => nearest.abs() > value.abs(),
        // An integer rounds to an integer; infinity becomes one larger than any element's.
        (nearest, Scalar::Int(value)) => {
            (nearest.as_f64() as i128).unsigned_abs() > value.unsigned_abs()
        }
        (Scalar::Int(_), Scalar::Float(_)) => false,
    };
    if beyond { nearest - 1 } else { nearest }
}
