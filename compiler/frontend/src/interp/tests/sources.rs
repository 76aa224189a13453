//! From source text through the front end to results.

use std::collections::BTreeMap;

use ndarray::{Array1, Array2};
use tile_runtime::element::ElementType;
use tile_runtime::tensor::Tensor;

use super::kernels::{assert_close, noise, rounding_error, softmax_oracle, tensor};
use crate::diagnostic::render::{self, Style};
use crate::diagnostic::{Diagnostic, messages};
use crate::interp::{Arguments, Options, run};
use crate::sema::{Files, elaborate_kernel};
use crate::source::SourceMap;
use crate::syntax;
use crate::typed::Kernel;

const FLOATS: [ElementType; 3] = [ElementType::F32, ElementType::F16, ElementType::BF16];

/// A file with one kernel, ready to run.
pub(super) struct Program {
    sources: SourceMap,
    pub(super) kernel: Kernel,
}

impl Program {
    pub(super) fn new(text: &str, generics: &[(&str, &str)]) -> Self {
        let mut sources = SourceMap::new();
        let root = sources.add("test.tile", text);
        let parse = |sources: &SourceMap, file| {
            syntax::parse(file, &sources.get(file).expect("a file").text)
        };
        let (files, diagnostics) = Files::load(&mut sources, root, &parse);
        refuse(&diagnostics, &sources);
        let name = files.kernels()[0].to_owned();
        let generics = generics
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let (kernel, diagnostics) =
            elaborate_kernel(&files, &name, &generics.collect::<BTreeMap<_, _>>());
        refuse(&diagnostics, &sources);
        let kernel = kernel.expect("a kernel where nothing is wrong");
        Self { sources, kernel }
    }

    /// The named tensor afterwards, or the error as the user sees it.
    pub(super) fn run(
        &self,
        grid: [u32; 3],
        arguments: &mut Arguments,
        result: &str,
    ) -> Result<Tensor, String> {
        let options = Options {
            max_rounds: 10_000,
            ..Options::default()
        };
        run(&self.kernel, grid, arguments, options).map_err(|error| {
            render::text(
                &messages::runtime::stopped(&error),
                &self.sources,
                Style::default(),
            )
        })?;
        Ok(arguments.tensor(result).expect("inside").expect("a tensor"))
    }
}

fn refuse(diagnostics: &[Diagnostic], sources: &SourceMap) {
    let text = render::texts(diagnostics, sources, Style::default());
    assert!(text.is_empty(), "{text}");
}

pub(super) fn given(tensors: &[(&str, Tensor)]) -> Arguments {
    let mut arguments = Arguments::new();
    for (name, tensor) in tensors {
        arguments.set_tensor(name, tensor);
    }
    arguments
}

fn matrix(tensor: &Tensor) -> Array2<f64> {
    let shape = (tensor.shape()[0], tensor.shape()[1]);
    Array2::from_shape_vec(shape, tensor.to_f64()).expect("as many elements")
}

pub(super) fn vector(values: &[f32]) -> Tensor {
    Tensor::from_vec(&[values.len()], values).expect("a vector")
}

const ADD: &str = "
kernel add<const BLOCK: i32 = 64>(x: ptr<f32>, y: ptr<f32>, z: mut ptr<f32>, n: i32)
    grid(cdiv(n, BLOCK))
{
    let at = program_id(0) * BLOCK + arange(0, BLOCK);
    let ok = at < n;
    store(z + at, load(x + at, mask = ok) + load(y + at, mask = ok), mask = ok);
}
";

#[test]
fn add_in_the_pointer_form() {
    let program = Program::new(ADD, &[]);
    for n in [1, 63, 64, 65, 1000usize] {
        let x: Array1<f32> = Array1::from_shape_fn(n, |index| index as f32 * 0.25);
        let y = x.mapv(|value| 100.0 - value * 3.0);
        let zeros = vec![0f32; n];
        let slices = [("x", x.to_vec()), ("y", y.to_vec()), ("z", zeros)];
        let mut arguments = given(&slices.map(|(name, values)| (name, vector(&values))));
        arguments.set_scalar("n", n as i32);
        let z = program
            .run([n.div_ceil(64) as u32, 1, 1], &mut arguments, "z")
            .expect("runs");
        assert_eq!(z.to_vec(), Ok((x + y).to_vec()));
    }
}

#[test]
fn matmul_with_relu() {
    let text = "
kernel matmul<T: float, const BM: i32 = 16, const BN: i32 = 24, const BK: i32 = 32>(
    a: tensor<T>[m, k],
    b: tensor<T>[k, n],
    c: mut tensor<T>[m, n],
) grid(cdiv(m, BM), cdiv(n, BN)) {
    let i = program_id(0) * BM;
    let j = program_id(1) * BN;
    let mut acc = zeros([BM, BN], f32);
    for k0 in range(0, k, BK) {
        let x = load(a[i +: BM, k0 +: BK]);
        let y = load(b[k0 +: BK, j +: BN]);
        acc = dot(x, y, acc);
    }
    store(c[i +: BM, j +: BN], relu(acc) as T);
}

fn relu(x) { max(x, 0.0) }
";
    for element in FLOATS {
        let program = Program::new(text, &[("T", element.name())]);
        for [m, n, k] in [[16, 24, 32], [33, 50, 65], [1, 1, 1]] {
            let (a, b) = (noise(element, m, k, 3), noise(element, k, n, 4));
            let tensors = [("a", &a), ("b", &b), ("c", &Array2::zeros((m, n)))];
            let mut arguments = given(&tensors.map(|(name, array)| (name, tensor(element, array))));
            let grid = [m.div_ceil(16) as u32, n.div_ceil(24) as u32, 1];
            let found = program.run(grid, &mut arguments, "c").expect("runs");
            let expected = a.dot(&b).mapv(|value| value.max(0.0));
            // Each step rounds a partial sum, at most 4k in size, to f32.
            let absolute = k.div_ceil(32) as f64 * 4.0 * k as f64 * 2f64.powi(-24);
            assert_close(
                &matrix(&found),
                &expected,
                rounding_error(element),
                absolute,
            );
        }
    }
}

#[test]
fn softmax_of_rows() {
    let text = "
kernel softmax<T: float, const W: i32>(x: tensor<T>[m, n], y: mut tensor<T>[m, n]) grid(m) {
    let row = program_id(0);
    let values = load(x[row, 0 +: W], other = -inf) as f32;
    let e = exp(values - max(values));
    store(y[row, 0 +: W], (e / sum(e)) as T);
}
";
    for element in FLOATS {
        // Any width is allowed, not only powers of two.
        for (rows, columns, width) in [(3, 37, "37"), (2, 100, "128"), (1, 1, "5")] {
            let program = Program::new(text, &[("T", element.name()), ("W", width)]);
            let x = noise(element, rows, columns, 11);
            let tensors = [("x", &x), ("y", &Array2::zeros((rows, columns)))];
            let mut arguments = given(&tensors.map(|(name, array)| (name, tensor(element, array))));
            let found = program
                .run([rows as u32, 1, 1], &mut arguments, "y")
                .expect("runs");
            let relative = rounding_error(element) + 24.0 * 2f64.powi(-24);
            assert_close(&matrix(&found), &softmax_oracle(&x), relative, 0.0);
        }
    }
}

#[test]
fn integers_and_control_flow_are_those_of_rust() {
    let text = "
kernel collatz(start: tensor<i32>[n], steps: mut tensor<i32>[n]) grid(n) {
    let mut value = load(start[program_id(0)]);
    let mut count = 0;
    while value != 1 {
        if count == 200 { break; }
        value = if value % 2 == 0 { value / 2 } else { value * 3 + 1 };
        count = count + 1;
    }
    store(steps[program_id(0)], count);
}
";
    let program = Program::new(text, &[]);
    let start: Vec<i32> = (1..60).collect();
    let expected: Vec<i32> = start
        .iter()
        .map(|&start| {
            let next = |value: &i32| match *value {
                1 => None,
                even if even % 2 == 0 => Some(even / 2),
                odd => Some(odd * 3 + 1),
            };
            std::iter::successors(Some(start), next).count() as i32 - 1
        })
        .collect();
    let tensors = [("start", &start), ("steps", &vec![0; start.len()])];
    let tensors =
        tensors.map(|(name, values)| (name, Tensor::from_vec(&[59], values).expect("a vector")));
    let found = program
        .run([59, 1, 1], &mut given(&tensors), "steps")
        .expect("runs");
    assert_eq!(found.to_vec(), Ok(expected));
}

#[test]
fn a_reduction_with_a_closure_over_two_tiles() {
    let text = "
kernel last_largest(x: tensor<f32>[m, n], at: mut tensor<i32>[m]) grid(m) {
    let row = program_id(0);
    let values = load(x[row, 0 +: 11]);
    let later = |left, right| if right.0 >= left.0 { right } else { left };
    let (_, index) = reduce((values, arange(0, 11)), 0, later);
    store(at[row], index);
}
";
    let program = Program::new(text, &[]);
    let x = Array2::from_shape_fn((4, 11), |(row, column)| ((row + 3) * column % 7) as f64);
    let at = Tensor::from_vec(&[4], &[0i32; 4]).expect("a vector");
    let mut arguments = given(&[("x", tensor(ElementType::F32, &x)), ("at", at)]);
    let found = program.run([4, 1, 1], &mut arguments, "at").expect("runs");
    let last_largest = |row: ndarray::ArrayView1<'_, f64>| {
        let largest = row.iter().copied().fold(f64::MIN, f64::max);
        row.iter()
            .rposition(|value| *value == largest)
            .expect("somewhere") as i64
    };
    assert_eq!(
        found.to_i64(),
        x.rows().into_iter().map(last_largest).collect::<Vec<_>>()
    );
}

#[test]
fn gathers_and_strides() {
    let text = "
kernel pick(table: tensor<f32>[m, n] strides(_, _), at: tensor<i32>[k], out: mut tensor<f32>[n, k]) {
    let rows = load(at[0 +: 4]);
    store(out[0 +: 8, 0 +: 4], load(table[rows, 0 +: 8]).T);
}
";
    let program = Program::new(text, &[]);
    let table = noise(ElementType::F32, 5, 7, 1);
    let at = [4, -1, 0]; // -1 is out of bounds and gives 0
    let tensors = [
        // The table by columns: a transposed copy, permuted back.
        (
            "table",
            tensor(ElementType::F32, &table.t().to_owned())
                .permuted(&[1, 0])
                .expect("a view"),
        ),
        ("at", Tensor::from_vec(&[3], &at).expect("a vector")),
        ("out", tensor(ElementType::F32, &Array2::ones((7, 3)))),
    ];
    let found = program
        .run([1; 3], &mut given(&tensors), "out")
        .expect("runs");
    let expected = Array2::from_shape_fn((7, 3), |(column, index)| {
        usize::try_from(at[index]).map_or(0.0, |row| table[[row, column]])
    });
    assert_eq!(matrix(&found), expected);
}

#[test]
fn a_store_out_of_bounds_is_shown_in_the_source() {
    let text = "\
kernel fill(x: mut ptr<f32>) {
    let at = program_id(0) * 4 + arange(0, 4);
    store(x + at, full([4], 1.0, f32));
}
";
    let mut arguments = given(&[("x", vector(&[0.0; 10]))]);
    let error = Program::new(text, &[]).run([3, 1, 1], &mut arguments, "x");
    let expected = "\
error[E1001]: `store` writes element 10 of `x`, which has 10 elements
 --> test.tile:3:5
  |
3 |     store(x + at, full([4], 1.0, f32));
  |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ in program (2, 0, 0), for element [2] of the tile
  |
  = help: `mask = …` leaves elements out
";
    assert_eq!(error.expect_err("10 < 12"), expected);
}

#[test]
fn an_endless_loop_is_shown_in_the_source() {
    let text = "\
kernel spin(x: mut ptr<f32>) {
    let mut i = 0;
    while i < 10 {
        i = i * 2;
    }
    store(x, i as f32);
}
";
    let mut arguments = given(&[("x", vector(&[0.0]))]);
    let error = Program::new(text, &[]).run([1; 3], &mut arguments, "x");
    let expected = "\
error[E1004]: the program is still in its loops after 10000 iterations
 --> test.tile:3:5
  |
3 | /     while i < 10 {
4 | |         i = i * 2;
5 | |     }
  | |_____^ in program (0, 0, 0)
";
    assert_eq!(error.expect_err("0 * 2 is 0"), expected);
}

#[test]
fn a_division_by_zero_is_shown_in_the_source() {
    let text = "\
kernel divide(x: tensor<i32>[n], y: mut tensor<i32>[n]) {
    let values = load(x[0 +: 4]);
    store(y[0 +: 4], 100 / values);
}
";
    let vector = |values: [i32; 3]| Tensor::from_vec(&[3], &values).expect("a vector");
    let mut arguments = given(&[("x", vector([1, 2, 3])), ("y", vector([0; 3]))]);
    let error = Program::new(text, &[]).run([1; 3], &mut arguments, "y");
    let expected = "\
error[E1002]: division by zero: 100 / 0
 --> test.tile:3:22
  |
3 |     store(y[0 +: 4], 100 / values);
  |                      ^^^^^^^^^^^^ in program (0, 0, 0), for element [3] of the tile
  |
  = note: elements that `load` filled with 0 out of bounds divide too
  = help: `where(d == 0, 1, d)` makes a divisor safe
";
    assert_eq!(error.expect_err("the fourth is 0"), expected);
}
