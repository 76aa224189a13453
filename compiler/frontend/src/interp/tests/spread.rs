//! Mistakes put into programs: what may be off by nothing is found wherever it is off by one unit,
//! and what may be off by its rounding is found where it is off by more.

use tile_runtime::comparison::{Comparison, Tolerance};
use tile_runtime::element::ElementType;
use tile_runtime::numeric::to_scalar;
use tile_runtime::tensor::Tensor;

use super::kernels::{noise, tensor};
use super::sources::{Program, given};
use crate::interp::deviation::{Deviation, RUNS};
use crate::interp::spread::Spread;
use crate::interp::{Arguments, Options, run_otherwise};

const ROWS: usize = 24;
const COLUMNS: usize = 40;

/// A kernel of `x` and `w` that leaves `y`, all of one shape and element type, with one expression
/// for its result.
fn program(element: ElementType, result: &str) -> Program {
    let element = element.name();
    let text = format!(
        "kernel made(x: tensor<{element}>[m, n], w: tensor<{element}>[m, n], \
         y: mut tensor<{element}>[m, n]) grid(m / 8) {{
             let at = program_id(0) * 8;
             let x = load(x[at +: 8, 0 +: 40]) as f32;
             let w = load(w[at +: 8, 0 +: 40]) as f32;
             store(y[at +: 8, 0 +: 40], ({result}) as {element});
         }}"
    );
    Program::new(&text, &[])
}

fn arguments(element: ElementType) -> Arguments {
    let zeros = Tensor::zeros(element, &[ROWS, COLUMNS]).expect("a small one");
    given(&[
        ("x", tensor(element, &noise(element, ROWS, COLUMNS, 1))),
        ("w", tensor(element, &noise(element, ROWS, COLUMNS, 2))),
        ("y", zeros),
    ])
}

const GRID: [u32; 3] = [3, 1, 1];

/// What a right program leaves, and what it may be off by.
fn reference(program: &Program, element: ElementType) -> (Tensor, Vec<f64>) {
    let arguments = arguments(element);
    let mut usual = arguments.clone();
    let expected = program.run(GRID, &mut usual, "y").expect("no fault");
    let spread = Spread::of(&program.kernel, GRID, &arguments, Options::default());
    let allowed = spread.allowed("y", &expected).expect("inside");
    (expected, allowed.expect("runs that end"))
}

fn is_right(expected: &Tensor, allowed: &[f64], found: &Tensor) -> bool {
    let tolerance = Tolerance::Elements(allowed);
    let comparison = Comparison::within(expected, found, tolerance).expect("of one shape");
    comparison.is_right()
}

/// Results that nothing rounds in a way the language leaves open.
const EXACT: [&str; 9] = [
    "x + w",
    "x * w - x",
    "x / (abs(w) + 1.0)",
    "sqrt(abs(x))",
    "fma(x, w, 1.0)",
    "where(x < w, x, w * 0.5)",
    "maximum(x, 0.0) + max(w, axis = 1)[:, None]",
    "floor(x * 8.0)",
    "cumsum(where(x > 0.0, 1.0, 0.0), axis = 1) + sum(full([8, 40], 1.0, f32), axis = 1)[:, None]",
];

#[test]
fn one_unit_in_an_exact_program_is_found() {
    let (mut seeded, mut found) = (0, 0);
    for element in [ElementType::F32, ElementType::F16, ElementType::BF16] {
        for result in EXACT {
            let (expected, allowed) = reference(&program(element, result), element);
            assert!(
                allowed.iter().all(|allowed| *allowed == 0.0),
                "{result} in {element}"
            );
            let bits: Vec<u64> = expected.bits().collect();
            for at in (0..bits.len()).step_by(7) {
                let mut wrong = bits.clone();
                wrong[at] += 1;
                let value = |bits: &u64| to_scalar(element, *bits).as_f64();
                let values: Vec<f64> = wrong.iter().map(value).collect();
                let wrong = Tensor::from_vec(&[ROWS, COLUMNS], &values).expect("as many");
                let wrong = wrong.convert(element);
                seeded += 1;
                found += usize::from(!is_right(&expected, &allowed, &wrong));
            }
        }
    }
    assert_eq!((found, seeded), (seeded, 27 * 138));
}

/// Right results, and wrong ones for them.
const MISTAKES: [(&str, &[&str]); 6] = [
    (
        "exp(x)",
        &[
            "exp(x) * 1.00001",
            "exp((x as bf16) as f32)",
            "exp(x) + 0.0001",
            "exp(x * 1.0001)",
        ],
    ),
    (
        "exp(x - max(x, axis = 1)[:, None]) / sum(exp(x - max(x, axis = 1)[:, None]), axis = 1)[:, None]",
        &[
            "exp(x - max(x, axis = 1)[:, None]) / sum(exp(x), axis = 1)[:, None]",
            "exp(x - max(x, axis = 1)[:, None]) / sum((exp(x - max(x, axis = 1)[:, None]) as f16) as f32, axis = 1)[:, None]",
            "exp(x - max(x, axis = 1)[:, None]) / sum(where(arange(0, 40)[None, :] < 39, exp(x - max(x, axis = 1)[:, None]), 0.0), axis = 1)[:, None]",
        ],
    ),
    (
        "x * rsqrt(sum(x * x, axis = 1) / 40.0 + 0.00001)[:, None]",
        &[
            "x * rsqrt(sum(x * x, axis = 1) / 40.0 + 0.0001)[:, None]",
            "x * rsqrt(sum(x * x, axis = 1) / 39.0 + 0.00001)[:, None]",
            "x * ((rsqrt(sum(x * x, axis = 1) / 40.0 + 0.00001)[:, None] as f16) as f32)",
        ],
    ),
    (
        "x * cos(50.0 * exp2(w)) - w * sin(50.0 * exp2(w))",
        &[
            "x * cos(50.0 * exp2(w)) + w * sin(50.0 * exp2(w))",
            "x * cos(50.01 * exp2(w)) - w * sin(50.01 * exp2(w))",
        ],
    ),
    (
        "cumsum(x, axis = 1)",
        &[
            "cumsum(x, axis = 1) - x",
            "cumsum((x as f16) as f32, axis = 1)",
        ],
    ),
    (
        "tanh(x) * w",
        &["fast.tanh(x) * w * 1.001", "tanh(x) * ((w as f16) as f32)"],
    ),
];

#[test]
fn mistakes_beyond_rounding_are_found() {
    let element = ElementType::F32;
    for (right, wrong) in MISTAKES {
        let (expected, allowed) = reference(&program(element, right), element);
        for wrong in wrong {
            let found = program(element, wrong).run(GRID, &mut arguments(element), "y");
            let found = found.expect("no fault");
            assert!(
                !is_right(&expected, &allowed, &found),
                "{wrong} passes for {right}"
            );
        }
    }
}

#[test]
fn what_the_language_leaves_open_is_allowed() {
    let element = ElementType::F32;
    let sums = [
        // Four sums of ten, as threads make them.
        (
            "x + sum(w, axis = 1)[:, None]",
            "x + sum(sum(reshape(w, [8, 4, 10]), axis = 1), axis = 1)[:, None]",
        ),
        (
            "x * sum(w, axis = 1)[:, None]",
            "x * sum(flip(w, axis = 1), axis = 1)[:, None]",
        ),
        ("exp(x) * w", "exp(x) * (1.0 + 1.1920929e-7) * w"),
    ];
    for (right, other) in sums {
        let (expected, allowed) = reference(&program(element, right), element);
        let found = program(element, other).run(GRID, &mut arguments(element), "y");
        let found = found.expect("no fault");
        assert!(is_right(&expected, &allowed, &found), "{other} for {right}");
    }
}

#[test]
fn running_sums_are_added_in_three_orders() {
    let element = ElementType::F32;
    let program = program(element, "cumsum(x, axis = 1)");
    let mut usual = arguments(element);
    let mut results = vec![program.run(GRID, &mut usual, "y").expect("no fault")];
    for number in 0..RUNS {
        let mut arguments = arguments(element);
        let deviation = Deviation::new(number);
        run_otherwise(
            &program.kernel,
            GRID,
            &mut arguments,
            Options::default(),
            &deviation,
        )
        .expect("no fault");
        results.extend(arguments.tensor("y").expect("inside"));
    }
    let bits: Vec<Vec<u64>> = results
        .iter()
        .map(|result| result.bits().collect())
        .collect();
    assert!(bits[0] != bits[1] && bits[0] != bits[2] && bits[1] != bits[2]);
}
