//! Arrays of `f64` and what formulas do with them. Nothing here is shared with the compiler, the
//! interpreter or the simulator, so that it can judge them.

use ndarray::{ArrayD, Axis, Ix2, IxDyn, Slice, Zip};

/// The values of a formula. `f64` holds every integer up to 2⁵³, and every narrower float.
pub type Array = ArrayD<f64>;

/// A number.
#[must_use]
pub fn number(value: f64) -> Array {
    Array::from_elem(IxDyn(&[]), value)
}

/// Element by element, with NumPy's broadcasting.
///
/// # Errors
/// If the shapes do not fit.
pub fn zip(left: &Array, right: &Array, f: impl Fn(f64, f64) -> f64) -> Result<Array, String> {
    let shape = common(left.shape(), right.shape())?;
    let wide = |array: &Array| array.broadcast(IxDyn(&shape)).map(|view| view.to_owned());
    match (wide(left), wide(right)) {
        (Some(left), Some(right)) => Ok(Zip::from(&left).and(&right).map_collect(|a, b| f(*a, *b))),
        _ => Err(format!("shapes {:?} and {:?}", left.shape(), right.shape())),
    }
}

fn common(left: &[usize], right: &[usize]) -> Result<Vec<usize>, String> {
    let rank = left.len().max(right.len());
    let size = |shape: &[usize], at: usize| {
        (at + shape.len())
            .checked_sub(rank)
            .map_or(1, |at| shape[at])
    };
    (0..rank)
        .map(|at| match (size(left, at), size(right, at)) {
            (a, b) if a == b || b == 1 => Ok(a),
            (1, b) => Ok(b),
            _ => Err(format!("shapes {left:?} and {right:?} do not broadcast")),
        })
        .collect()
}

/// The array stretched to a shape.
///
/// # Errors
/// If it does not stretch to it.
pub fn stretch(array: &Array, shape: &[usize]) -> Result<Array, String> {
    array
        .broadcast(IxDyn(shape))
        .map(|view| view.to_owned())
        .ok_or_else(|| format!("shape {:?} is not {shape:?}", array.shape()))
}

fn axis_of(array: &Array, axis: usize) -> Result<Axis, String> {
    (axis < array.ndim())
        .then_some(Axis(axis))
        .ok_or_else(|| format!("no axis {axis} in {:?}", array.shape()))
}

/// What a function makes of each line along an axis (of all elements, without one).
///
/// # Errors
/// If there is no such axis.
pub fn reduce(
    array: &Array,
    axis: Option<usize>,
    f: impl Fn(&[f64]) -> f64,
) -> Result<Array, String> {
    let Some(axis) = axis else {
        let all: Vec<f64> = array.iter().copied().collect();
        return Ok(number(f(&all)));
    };
    let axis = axis_of(array, axis)?;
    Ok(array.map_axis(axis, |line| f(&line.to_vec())))
}

/// Each line along an axis replaced by what a function makes of it.
///
/// # Errors
/// If there is no such axis.
pub fn along(array: &Array, axis: usize, f: impl Fn(&mut Vec<f64>)) -> Result<Array, String> {
    let axis = axis_of(array, axis)?;
    let mut result = array.clone();
    for mut line in result.lanes_mut(axis) {
        let mut values = line.to_vec();
        f(&mut values);
        if values.len() != line.len() {
            return Err("a line must keep its length".to_owned());
        }
        line.assign(&ndarray::aview1(&values));
    }
    Ok(result)
}

/// Matrix products, of all matrices of a batch if there are three dimensions.
///
/// # Errors
/// If the shapes do not fit.
pub fn dot(left: &Array, right: &Array) -> Result<Array, String> {
    let wrong = || format!("no product of {:?} and {:?}", left.shape(), right.shape());
    if left.ndim() == 3 && right.ndim() == 3 && left.shape()[0] == right.shape()[0] {
        let products: Result<Vec<Array>, String> = (left.outer_iter().zip(right.outer_iter()))
            .map(|(left, right)| dot(&left.to_owned(), &right.to_owned()))
            .collect();
        let products = products?;
        let views: Vec<_> = products.iter().map(|product| product.view()).collect();
        return ndarray::stack(Axis(0), &views).map_err(|error| error.to_string());
    }
    let matrix = |array: &Array| {
        array
            .clone()
            .into_dimensionality::<Ix2>()
            .map_err(|_| wrong())
    };
    let (left, right) = (matrix(left)?, matrix(right)?);
    if left.ncols() != right.nrows() {
        return Err(wrong());
    }
    Ok(left.dot(&right).into_dyn())
}

/// The dimensions in another order.
///
/// # Errors
/// If the order is none.
pub fn permute(array: &Array, order: &[usize]) -> Result<Array, String> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if sorted != (0..array.ndim()).collect::<Vec<_>>() {
        return Err(format!("{order:?} is no order of {:?}", array.shape()));
    }
    Ok(array
        .view()
        .permuted_axes(IxDyn(order))
        .as_standard_layout()
        .into_owned())
}

/// The elements in a new shape.
///
/// # Errors
/// If it has another number of elements.
pub fn reshape(array: &Array, shape: &[usize]) -> Result<Array, String> {
    array
        .to_shape(IxDyn(shape))
        .map(|view| view.to_owned())
        .map_err(|error| error.to_string())
}

/// A part along an axis. What lies outside of the array is `fill`.
///
/// # Errors
/// If there is no such axis.
pub fn part(
    array: &Array,
    axis: usize,
    start: i64,
    length: usize,
    fill: f64,
) -> Result<Array, String> {
    let axis = axis_of(array, axis)?;
    let mut shape = array.shape().to_vec();
    let size = shape[axis.0] as i64;
    shape[axis.0] = length;
    let mut result = Array::from_elem(IxDyn(&shape), fill);
    for at in 0..length {
        let from = start + at as i64;
        if (0..size).contains(&from) {
            let source = array.index_axis(axis, usize::try_from(from).unwrap_or(0));
            result.index_axis_mut(axis, at).assign(&source);
        }
    }
    Ok(result)
}

/// The order along an axis reversed.
///
/// # Errors
/// If there is no such axis.
pub fn flip(array: &Array, axis: usize) -> Result<Array, String> {
    let axis = axis_of(array, axis)?;
    Ok(array.slice_axis(axis, Slice::new(0, None, -1)).to_owned())
}

/// One array behind the other along an axis.
///
/// # Errors
/// If the shapes do not fit.
pub fn cat(left: &Array, right: &Array, axis: usize) -> Result<Array, String> {
    let axis = axis_of(left, axis)?;
    ndarray::concatenate(axis, &[left.view(), right.view()]).map_err(|error| error.to_string())
}

/// As `numpy.take_along_axis`; what lies outside of the array is `fill`.
///
/// # Errors
/// If there is no such axis, or the positions have another shape in another dimension.
pub fn gather(array: &Array, positions: &Array, axis: usize, fill: f64) -> Result<Array, String> {
    axis_of(array, axis)?;
    if positions.ndim() != array.ndim() {
        return Err(format!(
            "positions {:?} in {:?}",
            positions.shape(),
            array.shape()
        ));
    }
    let taken = positions.indexed_iter().map(|(index, position)| {
        let mut index: Vec<usize> = ndarray::Dimension::slice(&index).to_vec();
        index[axis] = if *position < 0.0 {
            usize::MAX
        } else {
            *position as usize
        };
        array.get(IxDyn(&index)).copied().unwrap_or(fill)
    });
    Array::from_shape_vec(IxDyn(positions.shape()), taken.collect())
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(shape: &[usize]) -> Array {
        let count: usize = shape.iter().product();
        let values = (0..count).map(|value| value as f64).collect();
        Array::from_shape_vec(IxDyn(shape), values).expect("as many as there are")
    }

    #[test]
    fn operands_broadcast_both_ways() {
        let column = counted(&[2, 1]);
        let row = counted(&[3]);
        let sum = zip(&column, &row, |a, b| 10.0 * a + b).expect("they fit");
        assert_eq!(sum.shape(), [2, 3]);
        assert_eq!(sum[[1, 2]], 12.0);
        assert!(zip(&counted(&[2]), &row, |a, _| a).is_err());
    }

    #[test]
    fn lines_are_reduced_along_an_axis() {
        let sum = |line: &[f64]| line.iter().sum();
        let columns = reduce(&counted(&[2, 3]), Some(0), sum).expect("there is an axis");
        assert_eq!(columns, ndarray::arr1(&[3.0, 5.0, 7.0]).into_dyn());
        let all = reduce(&counted(&[2, 3]), None, sum).expect("there are elements");
        assert_eq!(all, number(15.0));
    }

    #[test]
    fn batches_are_multiplied_one_by_one() {
        let product = dot(&counted(&[2, 1, 2]), &counted(&[2, 2, 1])).expect("they fit");
        assert_eq!(product.shape(), [2, 1, 1]);
        assert_eq!(product[[1, 0, 0]], 2.0 * 2.0 + 3.0 * 3.0);
    }

    #[test]
    fn parts_outside_are_filled() {
        let part = part(&counted(&[4]), 0, -1, 3, 9.0).expect("there is an axis");
        assert_eq!(part, ndarray::arr1(&[9.0, 0.0, 1.0]).into_dyn());
    }

    #[test]
    fn gathers_follow_an_axis() {
        let positions = ndarray::arr2(&[[2.0, -1.0], [0.0, 7.0]]).into_dyn();
        let taken = gather(&counted(&[2, 3]), &positions, 1, -5.0).expect("they fit");
        assert_eq!(taken, ndarray::arr2(&[[2.0, -5.0], [3.0, -5.0]]).into_dyn());
    }
}
