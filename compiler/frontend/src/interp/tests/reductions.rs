//! Reductions and dots.

use ndarray::{Array2, Array3, Axis};
use tile_runtime::element::ElementType;
use tile_runtime::numeric::{Scalar, to_scalar};

use super::build::{Builder, HERE, compare, offset, store};
use crate::interp::dot::dot;
use crate::interp::reduce::reduce;
use crate::interp::value::Tile;
use crate::interp::{Argument, Arguments, Buffer, Options, run};
use crate::typed::{
    Combine, CompareOperation, Expr, ExprKind, MultiKind, MultiOperation, Precision,
    ReduceOperation as R, StmtKind,
};

fn integers(shape: &[u64], values: impl Iterator<Item = i128>) -> Tile {
    Tile::from_integers(ElementType::I32, shape, values)
}

#[test]
fn integer_reductions_agree_with_ndarray_on_every_axis() {
    let value = |index: usize| (index * 37 % 23) as i32 - 11;
    let array = Array3::from_shape_fn((3, 4, 5), |(a, b, c)| value((a * 4 + b) * 5 + c));
    let tile = integers(&[3, 4, 5], (0..60).map(|index| value(index).into()));
    for axis in 0..3 {
        for (operation, fold) in [
            (R::Sum, (|a, b| a + b) as fn(i32, i32) -> i32),
            (R::Product, |a, b| a.wrapping_mul(b)),
            (R::Max, i32::max),
            (R::Min, i32::min),
            (R::And, |a, b| a & b),
            (R::Or, |a, b| a | b),
            (R::Xor, |a, b| a ^ b),
        ] {
            let expected = array.map_axis(Axis(axis), |column| {
                column.iter().copied().reduce(fold).expect("not empty")
            });
            let found = reduce(operation, &tile, axis, None).expect("no fault");
            let found: Vec<i32> = found
                .integers()
                .expect("integers")
                .into_iter()
                .map(|v| v as i32)
                .collect();
            assert_eq!(
                found,
                expected.iter().copied().collect::<Vec<_>>(),
                "{operation:?}"
            );
        }
    }
}

fn of_floats(operation: R, element: ElementType, values: &[f64]) -> Scalar {
    let tile = Tile::from_floats(element, &[values.len() as u64], values.iter().copied());
    let result = reduce(operation, &tile, 0, None).expect("no fault");
    let (element, bits) = result.as_numbers().expect("numbers");
    to_scalar(element, bits[0])
}

#[test]
fn sums_of_floats_are_a_balanced_tree() {
    // ((2^24 + 1) + (1 + 1)): the first 1 is lost, the other two arrive as 2.
    let values = [16_777_216.0, 1.0, 1.0, 1.0];
    assert_eq!(
        of_floats(R::Sum, ElementType::F32, &values),
        Scalar::Float(16_777_218.0)
    );
    assert_eq!(
        of_floats(R::Sum, ElementType::F64, &values),
        Scalar::Float(16_777_219.0)
    );
}

#[test]
fn narrow_sums_are_rounded_once() {
    // 2048 + 1 is 2048 in f16, but all four together are 2051, which rounds to 2052.
    let values = [2048.0, 1.0, 1.0, 1.0];
    assert_eq!(
        of_floats(R::Sum, ElementType::F16, &values),
        Scalar::Float(2052.0)
    );
    assert_eq!(
        of_floats(R::Product, ElementType::BF16, &[3.0; 3]),
        Scalar::Float(27.0)
    );
}

#[test]
fn max_and_min_pass_over_nan() {
    let values = [f64::NAN, -0.0, 3.0, f64::NAN, -7.0];
    assert_eq!(
        of_floats(R::Max, ElementType::F32, &values),
        Scalar::Float(3.0)
    );
    assert_eq!(
        of_floats(R::Min, ElementType::F32, &values),
        Scalar::Float(-7.0)
    );
    assert!(
        of_floats(R::Max, ElementType::F16, &[f64::NAN; 2])
            .as_f64()
            .is_nan()
    );
}

#[test]
fn arg_max_gives_the_first_of_equals() {
    let at = |operation, values: &[f64]| of_floats(operation, ElementType::F32, values);
    assert_eq!(at(R::ArgMax, &[1.0, 5.0, 5.0]), Scalar::Int(1));
    assert_eq!(at(R::ArgMin, &[2.0, 1.0, 0.5, 0.5, 1.0]), Scalar::Int(2));
    assert_eq!(at(R::ArgMax, &[-0.0, 0.0]), Scalar::Int(0));
    assert_eq!(at(R::ArgMax, &[f64::NAN, 1.0, f64::NAN]), Scalar::Int(1));
    assert_eq!(at(R::ArgMin, &[f64::NAN, f64::NAN]), Scalar::Int(0));
    let tile = integers(&[2, 3], [3, 9, 9, -1, -1, -5].into_iter());
    let found = reduce(R::ArgMax, &tile, 1, None).expect("no fault");
    assert_eq!(found, integers(&[2], [1, 0].into_iter()));
}

/// A matrix whose numbers are exact in every type.
fn matrix(rows: usize, columns: usize, seed: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows, columns), |(i, j)| {
        ((i * 31 + j * 17 + seed) % 15) as f64 - 7.0
    })
}

fn tile_of(element: ElementType, array: &Array2<f64>) -> Tile {
    let shape = [array.nrows() as u64, array.ncols() as u64];
    if element.is_float() {
        Tile::from_floats(element, &shape, array.iter().copied())
    } else {
        Tile::from_integers(element, &shape, array.iter().map(|&value| value as i128))
    }
}

#[test]
fn dots_of_small_integers_are_exact_in_every_type() {
    let (a, b, c) = (matrix(5, 9, 1), matrix(9, 3, 4), matrix(5, 3, 8));
    let expected = a.dot(&b) + &c;
    for (operands, result) in [
        (ElementType::F16, ElementType::F32),
        (ElementType::BF16, ElementType::F32),
        (ElementType::F8E4M3, ElementType::F32),
        (ElementType::F8E5M2, ElementType::F32),
        (ElementType::F32, ElementType::F32),
        (ElementType::F64, ElementType::F64),
        (ElementType::I8, ElementType::I32),
    ] {
        // e5m2 has 3 bits: make its numbers fit.
        let fit = |array: &Array2<f64>| {
            array.map(|&value| {
                if operands == ElementType::F8E5M2 {
                    value / 7.0
                } else {
                    value
                }
                .round()
            })
        };
        let (a, b) = (fit(&a), fit(&b));
        let expected = if operands == ElementType::F8E5M2 {
            a.dot(&b) + &c
        } else {
            expected.clone()
        };
        let found = dot(
            &tile_of(operands, &a),
            &tile_of(operands, &b),
            &tile_of(result, &c),
            Precision::Full,
            None,
        );
        assert_eq!(found, Ok(tile_of(result, &expected)), "{operands}");
    }
}

#[test]
fn tf32_drops_the_low_bits_of_operands() {
    let one = |value: f64| Tile::from_floats(ElementType::F32, &[1, 1], [value].into_iter());
    let value = 1.0 + 2f64.powi(-11) + 2f64.powi(-10);
    let product = |precision| dot(&one(value), &one(1.0), &one(0.0), precision, None);
    assert_eq!(product(Precision::Full), Ok(one(value)));
    assert_eq!(product(Precision::Tf32), Ok(one(1.0 + 2f64.powi(-10))));
}

#[test]
fn a_combiner_reduces_two_tiles_together() {
    // (value, index) of the largest, the later of equals: what argmax does not do.
    let mut builder = Builder::new();
    let values = builder.pointer("values", ElementType::F32, false);
    let out = builder.pointer("out", ElementType::I32, true);
    let variable =
        |builder: &mut Builder, name: &str, element| builder.variable(name, element, &[]);
    let lv = variable(&mut builder, "lv", ElementType::F32);
    let li = variable(&mut builder, "li", ElementType::I32);
    let rv = variable(&mut builder, "rv", ElementType::F32);
    let ri = variable(&mut builder, "ri", ElementType::I32);
    let takes = variable(&mut builder, "takes", ElementType::I1);
    let largest = builder.variable("largest", ElementType::F32, &[]);
    let index = builder.variable("index", ElementType::I32, &[]);
    let at = super::build::arange(6);
    let loaded = super::build::load(offset(values, at.clone()), None, None);
    let pick = |builder: &Builder, then, otherwise| {
        let select = |then: Expr, otherwise: Expr| Expr {
            ty: then.ty.clone(),
            kind: ExprKind::Select {
                condition: Box::new(builder.read(takes)),
                then: Box::new(then),
                otherwise: Box::new(otherwise),
            },
            span: HERE,
        };
        select(builder.read(then), builder.read(otherwise))
    };
    let combine = Combine {
        left: vec![lv, li],
        right: vec![rv, ri],
        body: super::build::block(vec![StmtKind::Assign {
            variable: takes,
            value: compare(
                CompareOperation::GreaterEqual,
                builder.read(rv),
                builder.read(lv),
            ),
        }]),
        results: vec![pick(&builder, rv, lv), pick(&builder, ri, li)],
    };
    let read = builder.read(index);
    let kernel = builder.finish(vec![
        StmtKind::AssignMany {
            variables: vec![largest, index],
            operation: MultiOperation {
                kind: MultiKind::Reduce,
                inputs: vec![loaded, at],
                axis: 0,
                combine,
            },
        },
        store(out, read, None),
    ]);
    let mut arguments = Arguments::new();
    let values = arguments.add_buffer(Buffer::new(
        ElementType::F32,
        [1.0, 8.0, 3.0, 8.0, 8.0, 2.0],
    ));
    let out = arguments.add_buffer(Buffer::new(ElementType::I32, [0]));
    for (name, buffer) in [("values", values), ("out", out)] {
        arguments.set(name, Argument::Pointer { buffer, offset: 0 });
    }
    run(&kernel, [1; 3], &mut arguments, Options::default()).expect("runs");
    assert_eq!(
        arguments.buffer(out).values().collect::<Vec<_>>(),
        [Scalar::Int(4)]
    );
}

#[test]
fn a_reduction_along_a_missing_axis_is_a_defect_not_a_panic() {
    assert!(reduce(R::Sum, &integers(&[2], 0..2), 1, None).is_err());
}
