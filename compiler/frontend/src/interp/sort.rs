//! Sorting along one dimension, in the order the [module](super) fixes.

use std::cmp::Ordering;

use tile_runtime::element::ElementType;

use crate::typed::Sorted;

use super::fault::Fault;
use super::reduce::Columns;
use super::value::Tile;

/// The first elements of `operand` in order along `axis`: as many as `shape`, that of the result,
/// has there.
pub(super) fn sort(
    operand: &Tile,
    axis: usize,
    descending: bool,
    gives: Sorted,
    shape: &[u64],
) -> Result<Tile, Fault> {
    let (element, _) = operand.as_numbers()?;
    let compare: Box<dyn Fn(usize, usize) -> Ordering> = if element.is_float() {
        let values = operand.floats()?;
        Box::new(move |a, b| compare_floats(values[a], values[b]))
    } else {
        let values = operand.integers()?;
        Box::new(move |a, b| values[a].cmp(&values[b]))
    };
    let (from, to) = (
        Columns::new(&operand.shape, axis)?,
        Columns::new(shape, axis)?,
    );
    if from.shape != to.shape || operand.shape.get(axis) < shape.get(axis) {
        return Err(Fault::Malformed("a sort with another shape as its result"));
    }
    let mut sources = vec![0; shape.iter().product::<u64>() as usize];
    let mut indices = vec![0; sources.len()];
    for (elements, places) in from.elements().zip(to.elements()) {
        let mut column: Vec<(i128, usize)> = (0..).zip(elements).collect();
        // Stable: what is equal keeps its order, also when the largest come first.
        column.sort_by(|(_, a), (_, b)| {
            if descending {
                compare(*b, *a)
            } else {
                compare(*a, *b)
            }
        });
        for (place, (index, source)) in places.zip(column) {
            sources[place] = source;
            indices[place] = index;
        }
    }
    Ok(match gives {
        Sorted::Values => operand.gathered(shape, &sources),
        Sorted::Indices => Tile::from_integers(ElementType::I32, shape, indices.into_iter()),
    })
}

/// -0 before +0, and NaN last.
fn compare_floats(a: f64, b: f64) -> Ordering {
    match (a.is_nan(), b.is_nan()) {
        (false, false) => a.total_cmp(&b),
        (a, b) => a.cmp(&b),
    }
}
