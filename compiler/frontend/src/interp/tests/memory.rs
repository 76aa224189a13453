//! Loads, stores, views, and what they must not touch.

use tile_runtime::element::ElementType;
use tile_runtime::numeric::Scalar;
use tile_runtime::tensor::Tensor;

use super::build::{
    Builder, HERE, binary, block_of, broadcast, compare, constant, expr, load, offset, program_id,
    store,
};
use crate::diagnostic::{Code, messages};
use crate::interp::{Argument, Arguments, Buffer, Fault, InterpError, Options, run};
use crate::typed::{
    BinaryOperation, Bounds, CacheHints, CompareOperation, Expr, ExprKind, Kernel, StmtKind,
    Stride, View, ViewIndex,
};

const F32: ElementType = ElementType::F32;
const I32: ElementType = ElementType::I32;

/// `z = x + y` of `n` numbers in the pointer form, with or without masks.
fn add(block: u64, masked: bool) -> Kernel {
    let mut builder = Builder::new();
    let [x, y] = ["x", "y"].map(|name| builder.pointer(name, F32, false));
    let z = builder.pointer("z", F32, true);
    let n = builder.scalar("n", I32);
    let at = block_of(block);
    let mask = compare(CompareOperation::Less, at.clone(), broadcast(n, &[block]));
    let mask = masked.then_some(mask);
    let [x, y] = [x, y].map(|pointer| load(offset(pointer, at.clone()), mask.clone(), None));
    let sum = binary(BinaryOperation::Add, x, y);
    builder.finish(vec![store(offset(z, at), sum, mask)])
}

fn run_add(
    kernel: &Kernel,
    programs: u32,
    [x, y, z]: [usize; 3],
    n: i128,
) -> Result<Vec<f64>, Box<InterpError>> {
    let mut arguments = Arguments::new();
    let mut give = |name: &str, values: Vec<f64>| {
        let buffer = arguments.add_buffer(Buffer::new(F32, values));
        arguments.set(name, Argument::Pointer { buffer, offset: 0 });
        buffer
    };
    give("x", (0..x).map(|index| index as f64).collect());
    give("y", (0..y).map(|index| index as f64 * 0.5).collect());
    let z = give("z", vec![-1.0; z]);
    arguments.set_scalar("n", Scalar::Int(n));
    run(kernel, [programs, 1, 1], &mut arguments, Options::default())?;
    Ok(arguments.buffer(z).values().map(Scalar::as_f64).collect())
}

#[test]
fn vector_add_of_ragged_sizes() {
    for n in [1usize, 15, 16, 17, 100] {
        let programs = n.div_ceil(16) as u32;
        let found = run_add(&add(16, true), programs, [n, n, n + 3], n as i128);
        let mut expected: Vec<f64> = (0..n).map(|index| index as f64 * 1.5).collect();
        expected.extend([-1.0; 3]); // not touched
        assert_eq!(found, Ok(expected));
    }
}

#[test]
fn a_store_out_of_bounds_says_where() {
    let error = run_add(&add(16, false), 2, [32, 32, 20], 20).expect_err("z is short");
    assert_eq!(
        error.to_string(),
        "`store` writes element 20 of `z`, which has 20 elements \
         (program 1, 0, 0; element [4] of the tile)"
    );
    assert_eq!(error.span, HERE);
    let diagnostic = messages::runtime::stopped(&error);
    assert_eq!(diagnostic.code, Code::AccessOutOfBounds);
    assert_eq!(
        diagnostic.message,
        "`store` writes element 20 of `z`, which has 20 elements"
    );
    assert_eq!(
        diagnostic.labels[0].text,
        "in program (1, 0, 0), for element [4] of the tile"
    );
}

#[test]
fn a_load_out_of_bounds_says_where() {
    let error = run_add(&add(16, false), 2, [32, 18, 32], 20).expect_err("y is short");
    assert_eq!(
        error.to_string(),
        "`load` reads element 18 of `y`, which has 18 elements \
         (program 1, 0, 0; element [2] of the tile)"
    );
}

#[test]
fn a_load_before_the_start_is_out_of_bounds() {
    let mut builder = Builder::new();
    let x = builder.pointer("x", F32, true);
    let before = offset(x.clone(), constant(I32, -1));
    let kernel = builder.finish(vec![store(x, load(before, None, None), None)]);
    let mut arguments = Arguments::new();
    arguments.set_tensor(
        "x",
        &Tensor::from_vec(&[4], &[1f32, 2., 3., 4.]).expect("a tensor"),
    );
    let error = run(&kernel, [1; 3], &mut arguments, Options::default()).expect_err("x[-1]");
    assert_eq!(
        error.to_string(),
        "`load` reads element -1 of `x`, which has 4 elements (program 0, 0, 0)"
    );
}

#[test]
fn a_store_through_an_immutable_pointer_is_refused() {
    let mut builder = Builder::new();
    let x = builder.pointer("x", F32, false);
    let kernel = builder.finish(vec![store(x, constant(F32, 1), None)]);
    let mut arguments = Arguments::new();
    arguments.set_tensor("x", &Tensor::from_vec(&[1], &[0f32]).expect("a tensor"));
    let error = run(&kernel, [1; 3], &mut arguments, Options::default()).expect_err("not mut");
    assert_eq!(
        error.to_string(),
        "`store` writes to `x`, which is not `mut` (program 0, 0, 0)"
    );
}

#[test]
fn arguments_may_alias() {
    let mut arguments = Arguments::new();
    let buffer = arguments.add_buffer(Buffer::new(F32, [1.0, 2.0, 3.0]));
    for name in ["x", "y", "z"] {
        arguments.set(name, Argument::Pointer { buffer, offset: 0 });
    }
    arguments.set_scalar("n", 3);
    run(&add(4, true), [1; 3], &mut arguments, Options::default()).expect("runs");
    let found: Vec<f64> = arguments
        .buffer(buffer)
        .values()
        .map(Scalar::as_f64)
        .collect();
    assert_eq!(found, [2.0, 4.0, 6.0]);
}

/// A view of `tensor` at rows `[program_id(0) * 2 - 1 +: 2]` and columns `columns`.
fn view(tensor: usize, columns: ViewIndex) -> View {
    let start = binary(BinaryOperation::Multiply, program_id(0), constant(I32, 2));
    let start = binary(BinaryOperation::Subtract, start, constant(I32, 1));
    View {
        tensor,
        indices: vec![ViewIndex::Range { start, width: 2 }, columns],
        span: HERE,
    }
}

fn load_view(view: View, other: Option<Expr>, bounds: Bounds) -> Expr {
    let shape = view.shape();
    let kind = ExprKind::LoadView {
        view,
        other: other.map(Box::new),
        bounds,
        cache: CacheHints::default(),
    };
    expr(kind, F32, &shape)
}

fn store_view(view: View, value: Expr) -> StmtKind {
    StmtKind::StoreView {
        view,
        value,
        mask: None,
        bounds: Bounds::Checked,
        cache: CacheHints::default(),
    }
}

fn columns(start: i128, width: u64) -> ViewIndex {
    ViewIndex::Range {
        start: constant(I32, start),
        width,
    }
}

/// A 3 × 4 matrix counting from 1, stored by columns when `transposed`.
fn matrix(transposed: bool) -> Tensor {
    let value = |i: usize, j: usize| (i * 4 + j + 1) as f32;
    if transposed {
        let values: Vec<f32> = (0..12).map(|at| value(at % 3, at / 3)).collect();
        let bytes = values.into_iter().flat_map(f32::to_le_bytes).collect();
        Tensor::from_storage(F32, &[3, 4], &[1, 3], 0, bytes).expect("a tensor")
    } else {
        let values: Vec<f32> = (0..12).map(|at| value(at / 4, at % 4)).collect();
        Tensor::from_vec(&[3, 4], &values).expect("a tensor")
    }
}

fn strides(builder: &mut Builder, dense: bool) -> Vec<Stride> {
    if dense {
        return vec![Stride::Dense; 2];
    }
    let free = |name| Stride::Variable {
        variable: builder.variable(name, ElementType::I64, &[]),
        named: false,
    };
    ["s0", "s1"].map(free).to_vec()
}

#[test]
fn views_read_fill_outside_and_write_nothing_there() {
    for transposed in [false, true] {
        let mut builder = Builder::new();
        let from = strides(&mut builder, false);
        let x = builder.tensor("x", F32, &["m", "n"], from);
        let y = builder.tensor("y", F32, &["m", "n"], vec![Stride::Dense; 2]);
        let loaded = load_view(
            view(x, columns(2, 3)),
            Some(constant(F32, 9)),
            Bounds::Checked,
        );
        let kernel = builder.finish(vec![store_view(view(y, columns(1, 3)), loaded)]);
        let mut arguments = Arguments::new();
        arguments.set_tensor("x", &matrix(transposed));
        arguments.set_tensor(
            "y",
            &Tensor::from_vec(&[3, 4], &[0f32; 12]).expect("a tensor"),
        );
        run(&kernel, [2, 1, 1], &mut arguments, Options::default()).expect("runs");
        let y = arguments.tensor("y").expect("inside").expect("a tensor");
        // Columns 2, 3, 4 of x arrive in columns 1, 2, 3; column 4 does not exist.
        let expected = [0., 3., 4., 9., 0., 7., 8., 9., 0., 11., 12., 9.];
        assert_eq!(y.to_f64(), expected, "transposed: {transposed}");
    }
}

#[test]
fn a_gather_picks_positions_and_a_fixed_position_drops_its_dimension() {
    let mut builder = Builder::new();
    let x = builder.tensor("x", F32, &["m", "n"], vec![Stride::Dense; 2]);
    let y = builder.tensor("y", F32, &["k"], vec![Stride::Dense]);
    // 3, 0, -3, ... of four columns: positions 3 - 3i.
    let steps = binary(
        BinaryOperation::Multiply,
        super::build::arange(3),
        broadcast(constant(I32, -3), &[3]),
    );
    let positions = binary(
        BinaryOperation::Add,
        steps,
        broadcast(constant(I32, 3), &[3]),
    );
    let row = View {
        tensor: x,
        indices: vec![
            ViewIndex::At(constant(I32, 1)),
            ViewIndex::Gather(positions),
        ],
        span: HERE,
    };
    let all = View {
        tensor: y,
        indices: vec![columns(0, 3)],
        span: HERE,
    };
    let kernel = builder.finish(vec![store_view(all, load_view(row, None, Bounds::Checked))]);
    let mut arguments = Arguments::new();
    arguments.set_tensor("x", &matrix(false));
    arguments.set_tensor("y", &Tensor::from_vec(&[3], &[5f32; 3]).expect("a tensor"));
    run(&kernel, [1; 3], &mut arguments, Options::default()).expect("runs");
    let y = arguments.tensor("y").expect("inside").expect("a tensor");
    assert_eq!(y.to_f64(), [8.0, 5.0, 0.0]);
}

#[test]
fn unchecked_bounds_are_a_promise() {
    let mut builder = Builder::new();
    let x = builder.tensor("x", F32, &["m", "n"], vec![Stride::Dense; 2]);
    let loaded = load_view(view(x, columns(0, 4)), None, Bounds::Unchecked);
    let kernel = builder.finish(vec![store_view(view(x, columns(0, 4)), loaded)]);
    let mut arguments = Arguments::new();
    arguments.set_tensor("x", &matrix(false));
    let error = run(&kernel, [1; 3], &mut arguments, Options::default()).expect_err("row -1");
    assert_eq!(
        error.to_string(),
        "`load` reads `x` at -1 in dimension 0, which has size 3, but promises `bounds = unchecked` \
         (program 0, 0, 0; element [0, 0] of the tile)"
    );
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let mut builder = Builder::new();
    builder.tensor("x", F32, &["m", "n"], vec![Stride::Dense; 2]);
    builder.tensor("y", F32, &["n", "m"], vec![Stride::Dense; 2]);
    builder.scalar("s", ElementType::U8);
    let kernel = builder.finish(vec![]);
    let zeros = |shape: &[usize]| {
        Tensor::from_vec(shape, &vec![0f32; shape.iter().product()]).expect("a tensor")
    };
    let refusal = |x: Option<Tensor>, y: Tensor, s: Scalar| {
        let mut arguments = Arguments::new();
        if let Some(x) = x {
            arguments.set_tensor("x", &x);
        }
        arguments.set_tensor("y", &y);
        arguments.set_scalar("s", s);
        match run(&kernel, [1; 3], &mut arguments, Options::default()) {
            Ok(()) => "fits".to_owned(),
            Err(error) => {
                assert!(matches!(error.fault, Fault::Launch(_)));
                error.to_string()
            }
        }
    };
    let s = Scalar::Int(7);
    assert_eq!(refusal(Some(zeros(&[2, 3])), zeros(&[3, 2]), s), "fits");
    assert_eq!(
        refusal(None, zeros(&[3, 2]), s),
        "no argument is given for `x`"
    );
    assert_eq!(
        refusal(Some(zeros(&[2, 3])), zeros(&[4, 2]), s),
        "dimension 0 of `y` must have size 3, but has 4"
    );
    assert_eq!(
        refusal(Some(zeros(&[2, 3, 1])), zeros(&[3, 2]), s),
        "`x` has rank 2, but is given rank 3"
    );
    assert_eq!(
        refusal(Some(matrix(true)), zeros(&[4, 3]), s),
        "dimension 1 of `x` must have stride 1, but has 3"
    );
    assert_eq!(
        refusal(Some(zeros(&[2, 3])), zeros(&[3, 2]), Scalar::Int(256)),
        "256 does not fit `s: u8`"
    );
    let integers = Tensor::from_vec(&[2, 3], &[0i32; 6]).expect("a tensor");
    assert_eq!(
        refusal(Some(integers), zeros(&[3, 2]), s),
        "`x` points to f32, but is given i32"
    );
}

#[test]
fn every_element_type_survives_a_copy() {
    for element in ElementType::ALL {
        let mut builder = Builder::new();
        let from = builder.pointer("from", element, false);
        let to = builder.pointer("to", element, true);
        let at = super::build::arange(256);
        let loaded = load(offset(from, at.clone()), None, None);
        let kernel = builder.finish(vec![store(offset(to, at), loaded, None)]);
        let width = element.bytes() as usize;
        // Every byte value at every place, NaN and infinities among them.
        let byte = |at: usize| match element {
            ElementType::I1 => (at % 2) as u8,
            _ => (at / width * 7 + at % width * 31) as u8,
        };
        let bytes: Vec<u8> = (0..256 * width).map(byte).collect();
        let mut arguments = Arguments::new();
        let [from, to] = [bytes.clone(), vec![0; bytes.len()]]
            .map(|bytes| arguments.add_buffer(Buffer { element, bytes }));
        for (name, buffer) in [("from", from), ("to", to)] {
            arguments.set(name, Argument::Pointer { buffer, offset: 0 });
        }
        run(&kernel, [1; 3], &mut arguments, Options::default()).expect("runs");
        assert_eq!(arguments.buffer(to).bytes, bytes, "{element}");
    }
}

#[test]
fn the_last_store_to_a_watched_element_is_remembered() {
    let mut arguments = Arguments::new();
    let zeros = Tensor::zeros(F32, &[40]).expect("small");
    for name in ["x", "y", "z"] {
        arguments.set_tensor(name, &zeros);
    }
    arguments.set_scalar("n", Scalar::Int(40));
    arguments.watch("z", &[37]);
    assert_eq!(arguments.last_store(), None);
    let kernel = add(16, true);
    run(&kernel, [3, 1, 1], &mut arguments, Options::default()).expect("runs");
    let last = arguments.last_store().expect("stored");
    assert_eq!(
        (last.program, last.position.as_slice()),
        ([2, 0, 0], &[5][..])
    );
    for index in [&[40][..], &[1, 1]] {
        arguments.watch("z", index);
        run(&kernel, [3, 1, 1], &mut arguments, Options::default()).expect("runs");
        assert_eq!(
            arguments.last_store(),
            None,
            "there is no element {index:?}"
        );
    }
}
