//! Sorting against the definition: the place of an element is the number of those before it.

use tile_runtime::element::ElementType;
use tile_runtime::numeric::Scalar;

use crate::interp::reduce::histogram;
use crate::interp::sort::sort;
use crate::interp::value::Tile;
use crate::typed::Sorted;

/// Where each element of a column goes: those less than it come before it, and those equal to it
/// that stand before it.
fn places(keys: &[i64], descending: bool) -> Vec<usize> {
    let before = |a: i64, b: i64| if descending { a > b } else { a < b };
    let place = |at: usize| {
        let first =
            |other: usize| before(keys[other], keys[at]) || other < at && keys[other] == keys[at];
        (0..keys.len()).filter(|other| first(*other)).count()
    };
    (0..keys.len()).map(place).collect()
}

/// `f32` in the order that is documented, as integers.
fn key(bits: u32) -> i64 {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        return i64::MAX;
    }
    let magnitude = i64::from(bits & 0x7fff_ffff);
    // -0 is less than +0.
    if value.is_sign_negative() {
        -magnitude - 1
    } else {
        magnitude
    }
}

fn special_floats() -> Vec<u32> {
    let values = [
        0.0,
        -0.0,
        1.5,
        -1.5,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        1e-40,
        -1e-40,
        0.0,
        -0.0,
        3.0,
        1.5,
        -f32::NAN,
        f32::MAX,
        f32::MIN,
    ];
    values.map(f32::to_bits).to_vec()
}

#[test]
fn floats_are_ordered_with_both_zeros_and_nan() {
    let bits = special_floats();
    let keys: Vec<i64> = bits.iter().map(|bits| key(*bits)).collect();
    let size = bits.len() as u64;
    let wide: Vec<u64> = bits.iter().map(|bits| u64::from(*bits)).collect();
    let tile = Tile::numbers(ElementType::F32, &[size], wide.clone());
    for descending in [false, true] {
        let places = places(&keys, descending);
        let sorted = sort(&tile, 0, descending, Sorted::Values, &[size]).expect("sorts");
        let order = sort(&tile, 0, descending, Sorted::Indices, &[size]).expect("sorts");
        let (_, sorted) = sorted.as_numbers().expect("numbers");
        let order = order.integers().expect("integers");
        for (at, place) in places.iter().enumerate() {
            assert_eq!(sorted[*place], wide[at]);
            assert_eq!(order[*place], at as i128);
        }
    }
}

#[test]
fn equal_elements_keep_their_order_along_every_axis() {
    let shape = [4u64, 5, 6];
    let value = |number: i128| number * 7 % 4 - 2;
    let tile = Tile::from_integers(ElementType::I8, &shape, (0..120).map(value));
    let values = tile.integers().expect("integers");
    for axis in 0..3 {
        let strides = [30, 6, 1];
        let order = sort(&tile, axis, true, Sorted::Indices, &shape).expect("sorts");
        let order = order.integers().expect("integers");
        let first = (0..120).filter(|number| number / strides[axis] % shape[axis] as usize == 0);
        for first in first {
            let column: Vec<usize> = (0..shape[axis] as usize)
                .map(|at| first + at * strides[axis])
                .collect();
            let keys: Vec<i64> = column.iter().map(|at| values[*at] as i64).collect();
            for (at, place) in places(&keys, true).into_iter().enumerate() {
                assert_eq!(order[column[place]], at as i128, "axis {axis}");
            }
        }
    }
}

#[test]
fn the_first_elements_are_those_of_the_whole_order() {
    let tile = Tile::from_integers(
        ElementType::I32,
        &[2, 50],
        (0..100).map(|number| number * 37 % 41),
    );
    let all = sort(&tile, 1, true, Sorted::Values, &[2, 50]).expect("sorts");
    let top = sort(&tile, 1, true, Sorted::Values, &[2, 3]).expect("sorts");
    let (all, top) = (
        all.integers().expect("numbers"),
        top.integers().expect("numbers"),
    );
    assert_eq!(top, [&all[..3], &all[50..53]].concat());
}

#[test]
fn a_sort_to_another_shape_is_refused() {
    let tile = Tile::from_integers(ElementType::I32, &[4], 0..4);
    assert!(sort(&tile, 0, false, Sorted::Values, &[5]).is_err());
    assert!(sort(&tile, 1, false, Sorted::Values, &[4]).is_err());
}

#[test]
fn a_histogram_counts_what_is_a_bin() {
    let values = [-1, 0, 2, 2, 3, 7, 2, 0];
    let tile = Tile::from_integers(ElementType::I16, &[2, 4], values.into_iter());
    let all = histogram(&tile, None, &[4]).expect("counts");
    assert_eq!(all.integers(), Ok(vec![2, 0, 3, 1]));
    let mask = Tile::from_integers(ElementType::I1, &[2, 4], (0..8).map(|number| number % 2));
    let odd = histogram(&tile, Some(&mask), &[4]).expect("counts");
    assert_eq!(odd.integers(), Ok(vec![2, 0, 1, 0]));
    let float = Tile::scalar(ElementType::F32, Scalar::Float(1.0));
    assert!(histogram(&float, None, &[4]).is_err());
}
