//! Loops, branches and promises.

use tile_runtime::element::ElementType;
use tile_runtime::numeric::Scalar;

use super::build::{Builder, HERE, binary, block, compare, constant, program_id, store};
use crate::interp::{Argument, Arguments, Buffer, Fault, InterpError, Options, run};
use crate::typed::{
    BinaryOperation, Block, CompareOperation, Expr, Kernel, Overrides, StmtKind, VariableId,
};

const I32: ElementType = ElementType::I32;

fn run_to(kernel: &Kernel, grid: [u32; 3]) -> Result<i128, Box<InterpError>> {
    let mut arguments = Arguments::new();
    let buffer = arguments.add_buffer(Buffer::new(I32, [0]));
    arguments.set("out", Argument::Pointer { buffer, offset: 0 });
    run(
        kernel,
        grid,
        &mut arguments,
        Options {
            max_rounds: 1000,
            ..Options::default()
        },
    )?;
    match arguments.buffer(buffer).values().next() {
        Some(Scalar::Int(value)) => Ok(value),
        other => panic!("{other:?}"),
    }
}

fn number(value: i128) -> Expr {
    constant(I32, value)
}

fn assign(variable: VariableId, value: Expr) -> StmtKind {
    StmtKind::Assign { variable, value }
}

/// `total = 0; i = 0; for i in range(lo, hi, step) { body(i, total) } out = total`
fn looping(
    [lo, hi, step]: [i128; 3],
    body: impl FnOnce(&Builder, VariableId, VariableId) -> Block,
) -> Kernel {
    let mut builder = Builder::new();
    let out = builder.pointer("out", I32, true);
    let total = builder.variable("total", I32, &[]);
    let variable = builder.variable("i", I32, &[]);
    let body = body(&builder, variable, total);
    let read = builder.read(total);
    builder.finish(vec![
        assign(total, number(0)),
        StmtKind::For {
            variable,
            lo: number(lo),
            hi: number(hi),
            step: number(step),
            overrides: Overrides::default(),
            body,
        },
        store(out, read, None),
    ])
}

/// `total = total * 10 + i`, which records the order.
fn record(builder: &Builder, variable: VariableId, total: VariableId) -> StmtKind {
    let shifted = binary(BinaryOperation::Multiply, builder.read(total), number(10));
    assign(
        total,
        binary(BinaryOperation::Add, shifted, builder.read(variable)),
    )
}

#[test]
fn ranges_count_up_and_down() {
    for (range, expected) in [
        ([1, 5, 1], 1234),
        ([1, 8, 3], 147),
        ([5, 1, -2], 53),
        ([3, 3, 1], 0),
        ([3, 1, 1], 0),
    ] {
        let kernel = looping(range, |builder, i, total| {
            block(vec![record(builder, i, total)])
        });
        assert_eq!(run_to(&kernel, [1; 3]), Ok(expected), "{range:?}");
    }
}

#[test]
fn a_range_to_the_end_of_its_type_ends() {
    let range = [i128::from(i32::MAX) - 5, i32::MAX.into(), 4];
    let kernel = looping(range, |builder, _, total| {
        let more = binary(BinaryOperation::Add, builder.read(total), number(1));
        block(vec![assign(total, more)])
    });
    assert_eq!(run_to(&kernel, [1; 3]), Ok(2));
}

#[test]
fn break_and_continue_belong_to_the_innermost_loop() {
    let kernel = looping([1, 9, 1], |builder, i, total| {
        let when = |value, then| StmtKind::If {
            condition: compare(CompareOperation::Equal, builder.read(i), number(value)),
            then: block(vec![then]),
            otherwise: Block::default(),
        };
        block(vec![
            when(2, StmtKind::Continue),
            when(5, StmtKind::Break),
            record(builder, i, total),
        ])
    });
    assert_eq!(run_to(&kernel, [1; 3]), Ok(134));
}

#[test]
fn return_ends_the_program_but_not_the_others() {
    let mut builder = Builder::new();
    let out = builder.pointer("out", I32, true);
    let kernel = builder.finish(vec![
        StmtKind::If {
            condition: compare(CompareOperation::Equal, program_id(0), number(2)),
            then: block(vec![StmtKind::Return]),
            otherwise: Block::default(),
        },
        store(out, program_id(0), None),
    ]);
    assert_eq!(run_to(&kernel, [3, 1, 1]), Ok(1));
    assert_eq!(run_to(&kernel, [4, 1, 1]), Ok(3));
}

#[test]
fn while_tests_before_each_round() {
    let mut builder = Builder::new();
    let out = builder.pointer("out", I32, true);
    let at = builder.variable("at", I32, &[]);
    let test = builder.variable("test", ElementType::I1, &[]);
    let read = builder.read(at);
    let kernel = builder.finish_with(|builder| {
        vec![
            assign(at, number(1)),
            StmtKind::While {
                condition: block(vec![assign(
                    test,
                    compare(CompareOperation::Less, builder.read(at), number(100)),
                )]),
                test: builder.read(test),
                body: block(vec![assign(
                    at,
                    binary(BinaryOperation::Add, builder.read(at), builder.read(at)),
                )]),
            },
            store(out, read, None),
        ]
    });
    assert_eq!(run_to(&kernel, [1; 3]), Ok(128));
}

#[test]
fn an_endless_loop_is_stopped() {
    let mut builder = Builder::new();
    builder.pointer("out", I32, true);
    let kernel = builder.finish(vec![StmtKind::While {
        condition: Block::default(),
        test: constant(ElementType::I1, 1),
        body: Block::default(),
    }]);
    let error = run_to(&kernel, [1; 3]).expect_err("it never ends");
    assert_eq!(error.fault, Fault::EndlessLoop { rounds: 1000 });
    assert_eq!(error.span, HERE);
    assert_eq!(
        error.to_string(),
        "the program is still in its loops after 1000 iterations (program 0, 0, 0)"
    );
}

#[test]
fn a_step_of_zero_is_an_error() {
    let kernel = looping([0, 1, 0], |_, _, _| Block::default());
    let error = run_to(&kernel, [1; 3]).expect_err("no step");
    assert_eq!(
        error.to_string(),
        "the step of this loop is 0 (program 0, 0, 0)"
    );
}

#[test]
fn a_false_assumption_is_an_error() {
    let mut builder = Builder::new();
    builder.pointer("out", I32, true);
    let condition = compare(CompareOperation::Less, program_id(1), number(1));
    let kernel = builder.finish(vec![StmtKind::Assume(condition)]);
    assert_eq!(run_to(&kernel, [1, 1, 1]), Ok(0));
    let error = run_to(&kernel, [1, 2, 1]).expect_err("it does not hold");
    assert_eq!(
        error.to_string(),
        "the condition of `assume` is false (program 0, 1, 0)"
    );
}

#[test]
fn a_scalar_division_by_zero_is_an_error() {
    let mut builder = Builder::new();
    let out = builder.pointer("out", I32, true);
    let quotient = binary(BinaryOperation::Divide, number(7), program_id(0));
    let kernel = builder.finish(vec![store(out, quotient, None)]);
    let error = run_to(&kernel, [1; 3]).expect_err("7 / 0");
    assert_eq!(
        error.to_string(),
        "division by zero: 7 / 0 (program 0, 0, 0)"
    );
    assert_eq!((error.span, error.position), (HERE, None));
}

#[test]
fn deep_expressions_do_not_overflow_the_stack() {
    let mut builder = Builder::new();
    let out = builder.pointer("out", I32, true);
    let deep = (0..10_000).fold(number(0), |sum, _| {
        binary(BinaryOperation::Add, sum, number(1))
    });
    let kernel = builder.finish(vec![store(out, deep, None)]);
    assert_eq!(run_to(&kernel, [1; 3]), Ok(10_000));
    // Dropping it recurses too, and tests have small stacks.
    std::mem::forget(kernel);
}

#[test]
fn a_variable_that_was_never_assigned_is_a_defect_not_a_panic() {
    let mut builder = Builder::new();
    let out = builder.pointer("out", I32, true);
    let missing = builder.variable("missing", I32, &[]);
    let read = builder.read(missing);
    let kernel = builder.finish(vec![store(out, read, None)]);
    let error = run_to(&kernel, [1; 3]).expect_err("nothing to read");
    assert!(matches!(error.fault, Fault::Malformed(_)));
}
