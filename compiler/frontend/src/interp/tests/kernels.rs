//! Whole kernels against ndarray in f64.

use ndarray::{Array2, Axis};
use tile_runtime::element::ElementType;
use tile_runtime::numeric::{Scalar, from_scalar, to_scalar};
use tile_runtime::tensor::Tensor;

use super::build::{
    Builder, HERE, arange, binary, broadcast, compare, constant, expr, program_id, statement,
};
use crate::interp::{Arguments, Options, run};
use crate::typed::{
    BinaryOperation, Block, Bounds, CacheHints, CompareOperation, Constant, Expr, ExprKind, Kernel,
    Overrides, Precision, ReduceOperation, Rounding, StmtKind, Stride, UnaryOperation, View,
    ViewIndex,
};

const F32: ElementType = ElementType::F32;

/// Numbers in (-2, 2) without a pattern, rounded to `element`.
pub fn noise(element: ElementType, rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut state = seed;
    Array2::from_shape_simple_fn((rows, columns), || {
        // Knuth's MMIX generator; its high bits are good enough.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let value = (state >> 11) as f64 / 2f64.powi(51) - 2.0;
        to_scalar(element, from_scalar(element, Scalar::Float(value))).as_f64()
    })
}

pub fn tensor(element: ElementType, array: &Array2<f64>) -> Tensor {
    let values: Vec<f64> = array.iter().copied().collect();
    let tensor = Tensor::from_vec(array.shape(), &values).expect("as many elements");
    tensor.convert(element)
}

/// Runs a kernel of matrices and gives the last one back.
fn run_on(kernel: &Kernel, grid: [u32; 3], tensors: &[(&str, Tensor)]) -> Array2<f64> {
    let mut arguments = Arguments::new();
    for (name, tensor) in tensors {
        arguments.set_tensor(name, tensor);
    }
    run(kernel, grid, &mut arguments, Options::default()).expect("runs");
    let (name, _) = tensors.last().expect("a result");
    let result = arguments.tensor(name).expect("inside").expect("a tensor");
    let shape = (result.shape()[0], result.shape()[1]);
    Array2::from_shape_vec(shape, result.to_f64()).expect("as many elements")
}

pub fn assert_close(found: &Array2<f64>, expected: &Array2<f64>, relative: f64, absolute: f64) {
    assert_eq!(found.dim(), expected.dim());
    for ((at, found), expected) in found.indexed_iter().zip(expected) {
        let allowed = relative * expected.abs() + absolute;
        assert!(
            (found - expected).abs() <= allowed,
            "{at:?}: {found} is not {expected} within {allowed}"
        );
    }
}

/// Half the distance from 1 to the next number.
pub fn rounding_error(element: ElementType) -> f64 {
    match element {
        ElementType::F16 => 2f64.powi(-11),
        ElementType::BF16 => 2f64.powi(-8),
        _ => 2f64.powi(-24),
    }
}

fn cast(operand: Expr, element: ElementType) -> Expr {
    let shape = operand.ty.shape.clone();
    let kind = ExprKind::Cast {
        operand: Box::new(operand),
        rounding: Rounding::NearestEven,
    };
    expr(kind, element, &shape)
}

fn load(view: View, element: ElementType, other: Option<f64>) -> Expr {
    let shape = view.shape();
    let other = other.map(|other| {
        Box::new(expr(
            ExprKind::Constant(Constant::Float(other)),
            element,
            &[],
        ))
    });
    let kind = ExprKind::LoadView {
        view,
        other,
        bounds: Bounds::Checked,
        cache: CacheHints::default(),
    };
    expr(kind, element, &shape)
}

fn store(view: View, value: Expr) -> StmtKind {
    StmtKind::StoreView {
        view,
        value,
        mask: None,
        bounds: Bounds::Checked,
        cache: CacheHints::default(),
    }
}

/// Softmax of each row: `e = exp(x - max(x)); y = e / sum(e)`.
fn softmax(element: ElementType, width: u64) -> Kernel {
    let mut builder = Builder::new();
    let [x, y] =
        ["x", "y"].map(|name| builder.tensor(name, element, &["m", "n"], vec![Stride::Dense; 2]));
    let row = |tensor| View {
        tensor,
        indices: vec![
            ViewIndex::At(program_id(0)),
            ViewIndex::Range {
                start: constant(ElementType::I32, 0),
                width,
            },
        ],
        span: HERE,
    };
    let values = builder.variable("values", F32, &[width]);
    let exponentials = builder.variable("exponentials", F32, &[width]);
    let reduce = |operand: Expr, operation| {
        let kind = ExprKind::Reduce {
            operand: Box::new(operand),
            axis: 0,
            operation,
        };
        broadcast(expr(kind, F32, &[]), &[width])
    };
    builder.finish_with(|builder| {
        let largest = reduce(builder.read(values), ReduceOperation::Max);
        let shifted = binary(BinaryOperation::Subtract, builder.read(values), largest);
        let exponential = ExprKind::Unary {
            operation: UnaryOperation::Exp,
            operand: Box::new(shifted),
        };
        let sum = reduce(builder.read(exponentials), ReduceOperation::Sum);
        let quotient = binary(BinaryOperation::Divide, builder.read(exponentials), sum);
        vec![
            StmtKind::Assign {
                variable: values,
                value: cast(load(row(x), element, Some(f64::NEG_INFINITY)), F32),
            },
            StmtKind::Assign {
                variable: exponentials,
                value: expr(exponential, F32, &[width]),
            },
            store(row(y), cast(quotient, element)),
        ]
    })
}

pub fn softmax_oracle(x: &Array2<f64>) -> Array2<f64> {
    let mut y = x.clone();
    for mut row in y.axis_iter_mut(Axis(0)) {
        let largest = row.fold(f64::NEG_INFINITY, |a, b| a.max(*b));
        row.mapv_inplace(|value| (value - largest).exp());
        let sum = row.sum();
        row.mapv_inplace(|value| value / sum);
    }
    y
}

fn check_softmax(element: ElementType, rows: usize, columns: usize) {
    let x = noise(element, rows, columns, 7).mapv(|value| value * 4.0);
    let kernel = softmax(element, columns.next_power_of_two() as u64);
    let zeros = Array2::zeros((rows, columns));
    let tensors = [("x", tensor(element, &x)), ("y", tensor(element, &zeros))];
    let found = run_on(&kernel, [rows as u32, 1, 1], &tensors);
    // A few f32 operations, one of them a sum of positive numbers as a tree; subnormal f16 are
    // rounded to multiples of 2^-24.
    let relative = rounding_error(element) + 24.0 * 2f64.powi(-24);
    let absolute = if element == ElementType::F16 {
        2f64.powi(-25)
    } else {
        0.0
    };
    assert_close(&found, &softmax_oracle(&x), relative, absolute);
}

#[test]
fn softmax_of_ragged_rows() {
    for element in [F32, ElementType::F16, ElementType::BF16] {
        check_softmax(element, 5, 1);
        check_softmax(element, 3, 37);
        check_softmax(element, 2, 781);
    }
}

/// `c = a @ b` in tiles of `[bm, bk]` and `[bk, bn]`.
fn matmul(element: ElementType, [bm, bn, bk]: [u64; 3]) -> Kernel {
    let mut builder = Builder::new();
    let [a, b, c] = [("a", ["m", "k"]), ("b", ["k", "n"]), ("c", ["m", "n"])]
        .map(|(name, sizes)| builder.tensor(name, element, &sizes, vec![Stride::Dense; 2]));
    let sum = builder.variable("sum", F32, &[bm, bn]);
    let at = builder.variable("at", ElementType::I32, &[]);
    let times = |axis, block: u64| {
        let block = constant(ElementType::I32, block.into());
        binary(BinaryOperation::Multiply, program_id(axis), block)
    };
    let view = |tensor, [(row, height), (column, width)]: [(Expr, u64); 2]| View {
        tensor,
        indices: [(row, height), (column, width)]
            .map(|(start, width)| ViewIndex::Range { start, width })
            .into(),
        span: HERE,
    };
    let k = builder.size("k");
    builder.finish_with(|builder| {
        let dot = ExprKind::Dot {
            left: Box::new(load(
                view(a, [(times(0, bm), bm), (builder.read(at), bk)]),
                element,
                None,
            )),
            right: Box::new(load(
                view(b, [(builder.read(at), bk), (times(1, bn), bn)]),
                element,
                None,
            )),
            accumulator: Box::new(builder.read(sum)),
            precision: Precision::Full,
        };
        let step = StmtKind::Assign {
            variable: sum,
            value: expr(dot, F32, &[bm, bn]),
        };
        vec![
            StmtKind::Assign {
                variable: sum,
                value: broadcast(constant(F32, 0), &[bm, bn]),
            },
            StmtKind::For {
                variable: at,
                lo: constant(ElementType::I32, 0),
                hi: builder.read(k),
                step: constant(ElementType::I32, bk.into()),
                overrides: Overrides::default(),
                body: Block {
                    statements: vec![statement(step)],
                },
            },
            store(
                view(c, [(times(0, bm), bm), (times(1, bn), bn)]),
                cast(builder.read(sum), element),
            ),
        ]
    })
}

fn check_matmul(element: ElementType, [m, n, k]: [usize; 3], tile: [u64; 3]) {
    let (a, b) = (noise(element, m, k, 1), noise(element, k, n, 2));
    let zeros = Array2::zeros((m, n));
    let tensors =
        [("a", &a), ("b", &b), ("c", &zeros)].map(|(name, array)| (name, tensor(element, array)));
    let grid = [
        (m as u64).div_ceil(tile[0]) as u32,
        (n as u64).div_ceil(tile[1]) as u32,
        1,
    ];
    let found = run_on(&matmul(element, tile), grid, &tensors);
    // Each step of the loop rounds a partial sum, at most 4k in size, to f32.
    let steps = (k as u64).div_ceil(tile[2]) as f64;
    let absolute = steps * 4.0 * k as f64 * 2f64.powi(-24);
    assert_close(&found, &a.dot(&b), rounding_error(element), absolute);
}

#[test]
fn matmul_of_ragged_sizes() {
    for element in [F32, ElementType::F16, ElementType::BF16] {
        check_matmul(element, [16, 16, 16], [16, 16, 16]);
        check_matmul(element, [33, 17, 45], [16, 8, 32]);
        check_matmul(element, [1, 70, 9], [16, 24, 16]);
    }
}

#[test]
fn a_mask_of_two_dimensions_by_broadcasting() {
    // y[i, j] = j < i, in one program.
    let mut builder = Builder::new();
    let y = builder.tensor("y", F32, &["m", "n"], vec![Stride::Dense; 2]);
    let expand = |operand: Expr, axis: usize| {
        let size = operand.ty.shape[0];
        let shape = if axis == 0 { [1, size] } else { [size, 1] };
        let kind = ExprKind::ExpandDimension {
            operand: Box::new(operand),
            axis,
        };
        broadcast(expr(kind, ElementType::I32, &shape), &[3, 4])
    };
    let below = compare(
        CompareOperation::Less,
        expand(arange(4), 0),
        expand(arange(3), 1),
    );
    let all = View {
        tensor: y,
        indices: [3, 4]
            .map(|width| ViewIndex::Range {
                start: constant(ElementType::I32, 0),
                width,
            })
            .into(),
        span: HERE,
    };
    let kernel = builder.finish(vec![store(all, cast(below, F32))]);
    let zeros = Array2::zeros((3, 4));
    let found = run_on(&kernel, [1; 3], &[("y", tensor(F32, &zeros))]);
    let expected = Array2::from_shape_fn((3, 4), |(i, j)| f64::from(u8::from(j < i)));
    assert_eq!(found, expected);
}

/// The sizes of the architecture's benchmarks; slow without optimisation.
#[test]
#[ignore = "takes a second in a release build, ten in a debug build"]
fn large_sizes() {
    check_matmul(ElementType::F16, [512, 512, 512], [64, 64, 32]);
    check_softmax(F32, 1823, 781);
}
