//! Operations that move elements, against ndarray.

use ndarray::{Array, ArrayD, IxDyn};
use tile_runtime::element::ElementType;

use crate::interp::value::{Tile, coordinates};

fn shape_of(shape: &[u64]) -> IxDyn {
    IxDyn(&shape.iter().map(|&size| size as usize).collect::<Vec<_>>())
}

/// A tile and an array that count up.
fn counting(shape: &[u64]) -> (Tile, ArrayD<i128>) {
    let count = shape.iter().product::<u64>() as i128;
    let tile = Tile::from_integers(ElementType::I32, shape, 0..count);
    let array = Array::from_iter(0..count).into_shape_with_order(shape_of(shape));
    (tile, array.expect("as many elements"))
}

fn assert_same(tile: &Tile, array: ArrayD<i128>) {
    let shape: Vec<u64> = array.shape().iter().map(|&size| size as u64).collect();
    assert_eq!(tile.shape, shape);
    let elements: Vec<i128> = array.iter().copied().collect();
    assert_eq!(tile.integers().expect("integers"), elements);
}

#[test]
fn broadcasts_repeat_along_dimensions_of_size_one() {
    for (from, to) in [
        (&[][..], &[3, 2][..]),
        (&[1, 4], &[3, 4]),
        (&[3, 1], &[3, 4]),
        (&[1, 1], &[5, 7]),
        (&[2, 1, 3], &[2, 4, 3]),
        (&[1], &[1]),
    ] {
        let (tile, array) = counting(from);
        let expected = array.broadcast(shape_of(to)).expect("fits").to_owned();
        assert_same(&tile.broadcast(to).expect("fits"), expected);
    }
    assert!(counting(&[2]).0.broadcast(&[3]).is_err());
    assert!(counting(&[2]).0.broadcast(&[2, 2]).is_err());
}

#[test]
fn permutations_move_dimensions() {
    for permutation in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
        let (tile, array) = counting(&[2, 3, 5]);
        let expected = array.permuted_axes(IxDyn(&permutation));
        // `iter` goes by logical order whatever the memory order.
        assert_same(
            &tile.permuted(&permutation).expect("fits"),
            expected.to_owned(),
        );
    }
    assert!(counting(&[2, 3]).0.permuted(&[0, 2]).is_err());
    assert!(counting(&[2, 3]).0.permuted(&[0]).is_err());
}

#[test]
fn reshapes_keep_the_order() {
    let (tile, array) = counting(&[4, 6]);
    let expected = array.into_shape_with_order(IxDyn(&[3, 8])).expect("fits");
    assert_same(&tile.reshaped(&[3, 8]).expect("fits"), expected);
    assert!(tile.reshaped(&[5, 5]).is_err());
}

#[test]
fn coordinates_undo_row_major_order() {
    for (number, (expected, _)) in counting(&[2, 3, 4]).1.indexed_iter().enumerate() {
        let expected: Vec<u64> = (0..3).map(|axis| expected[axis] as u64).collect();
        assert_eq!(coordinates(&[2, 3, 4], number), expected);
    }
}
