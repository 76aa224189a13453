//! The matrix product.

use tile_runtime::element::ElementType;

use crate::typed::Precision;

use super::deviation::{Deviation, Products};
use super::fault::Fault;
use super::value::Tile;

/// `left · right + accumulator` for `[m, k]` and `[k, n]`; the [module](super) says in which order.
pub(super) fn dot(
    left: &Tile,
    right: &Tile,
    accumulator: &Tile,
    precision: Precision,
    deviation: Option<&Deviation>,
) -> Result<Tile, Fault> {
    let (&[m, k], &[k_right, n], &[m_result, n_result]) =
        (&left.shape[..], &right.shape[..], &accumulator.shape[..])
    else {
        return Err(Fault::Malformed("a dot of tiles that are not of rank 2"));
    };
    if (m, k, n) != (m_result, k_right, n_result) {
        return Err(Fault::Malformed("a dot of sizes that do not match"));
    }
    // No element, or nothing to add: arrays in tests may be so.
    if k == 0 || n == 0 {
        return Ok(accumulator.clone());
    }
    let (k, n) = (k as usize, n as usize);
    let (element, _) = accumulator.as_numbers()?;
    if element.is_float() {
        let of = left.as_numbers()?.0;
        let (left, right) = (operand(left, precision)?, operand(right, precision)?);
        let way = || Products::of(of, element, precision, [&left, &right]);
        let start = accumulator.floats()?;
        let mut sums = accumulator.floats()?;
        for (sums, left) in sums.chunks_exact_mut(n).zip(left.chunks_exact(k)) {
            for (factor, right) in left.iter().zip(right.chunks_exact(n)) {
                for (sum, right) in sums.iter_mut().zip(right) {
                    *sum += factor * right;
                }
            }
        }
        let usual = Tile::from_floats(element, &accumulator.shape, sums.into_iter());
        let Some(deviation) = deviation else {
            return Ok(usual);
        };
        let way = way();
        let rows = start.chunks_exact(n).zip(left.chunks_exact(k));
        let other = rows.flat_map(|(starts, left)| {
            let right = &right;
            starts.iter().enumerate().map(move |(column, start)| {
                let right = right[column..].iter().step_by(n);
                let products = left.iter().zip(right).map(|(left, right)| left * right);
                deviation.dot(way, *start, &mut products.collect::<Vec<_>>())
            })
        });
        let other = Tile::from_floats(element, &accumulator.shape, other);
        if other != usual {
            deviation.changes();
        }
        Ok(other)
    } else {
        let (left, right) = (left.integers()?, right.integers()?);
        let mut sums = accumulator.integers()?;
        for (sums, left) in sums.chunks_exact_mut(n).zip(left.chunks_exact(k)) {
            for (factor, right) in left.iter().zip(right.chunks_exact(n)) {
                for (sum, right) in sums.iter_mut().zip(right) {
                    *sum = sum.wrapping_add(factor.wrapping_mul(*right));
                }
            }
        }
        let sums = sums.into_iter();
        Ok(Tile::from_integers(element, &accumulator.shape, sums))
    }
}

/// The factors, truncated to tf32 (19 bits: sign, 8 of exponent, 10 of mantissa) if asked for.
fn operand(tile: &Tile, precision: Precision) -> Result<Vec<f64>, Fault> {
    let mut values = tile.floats()?;
    if precision == Precision::Tf32 && tile.as_numbers()?.0 == ElementType::F32 {
        for value in values.iter_mut().filter(|value| !value.is_nan()) {
            *value = f64::from(f32::from_bits((*value as f32).to_bits() & !0x1fff));
        }
    }
    Ok(values)
}
