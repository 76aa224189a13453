//! What operations take of a multiprocessor's units.
//!
//! Counted are the instructions that the lowering writes for a thread's elements, not those that are left after LLVM and
//! `ptxas`: near enough to tell which unit bounds a loop ([`crate::schedule::model`]).

use melior::ir::ValueLike;

use crate::dialect::ops::Dot;
use crate::dialect::{TileOp, may_approximate};
use crate::encoding::{Encodings, buffer_layout};
use crate::ir::{
    Operation, TileType, Value, attributes, int_attribute, name, operands, result, results,
};
use crate::target::machine::{Unit, Work};
use crate::{PassContext, each_operation, element_bytes, is_tile};

/// Operations for an element of a scan of what a product gives: for each two in a thread, lanes exchange twice, and hear what
/// is before them and what they have together.
const SCANNED: u32 = 7;

/// Clocks until a value that another lane had can be used; what else a warp has to do hides most of it.
const EXCHANGE: u32 = 12;

/// Clocks until what is loaded can be used, of a cache and of shared memory.
const LOAD: u32 = 300;
const SHARED_LOAD: u32 = 30;

/// Bytes of a register.
const REGISTER_BYTES: u64 = 4;

/// Columns of the widest asynchronous product of tensor cores.
const WIDEST: u64 = 256;

/// What an operation and those in its regions take of the warpgroup that runs it, of so many.
pub fn work<'c>(
    cx: &PassContext<'_, 'c>,
    encodings: &Encodings,
    warpgroups: usize,
    operation: Operation<'c>,
) -> Work {
    let mut all = of_one(cx, encodings, warpgroups, operation);
    each_operation(operation, &mut |inner| {
        all = all.and(of_one(cx, encodings, warpgroups, inner));
    });
    all
}

fn of_one<'c>(
    cx: &PassContext<'_, 'c>,
    encodings: &Encodings,
    warpgroups: usize,
    operation: Operation<'c>,
) -> Work {
    match TileOp::of(operation) {
        Some(TileOp::Dot(dot)) => product(cx, warpgroups, dot),
        // One operation for each element that a thread has, and what lanes exchange.
        Some(TileOp::Reduce(_) | TileOp::Scan(_)) => {
            let inputs = operands(operation);
            let count: u32 = inputs.iter().map(|value| elements(encodings, *value)).sum();
            let each = match TileOp::of(operation) {
                Some(TileOp::Scan(_)) => SCANNED,
                _ => 1,
            };
            combination(operation, count * each).with_latency(EXCHANGE)
        }
        Some(TileOp::Load(_)) => {
            Work::instructions(Unit::Issue, registers(encodings, operation)).with_latency(LOAD)
        }
        Some(TileOp::SharedLoad(_)) => {
            let count = registers(encodings, operation);
            Work::instructions(Unit::Issue, count).with_latency(SHARED_LOAD)
        }
        _ => arithmetic(encodings, operation),
    }
}

/// Clocks of tensor cores for a product of one of so many warpgroups.
fn product<'c>(cx: &PassContext<'_, 'c>, warpgroups: usize, dot: Dot<'c>) -> Work {
    let clocks = product_clocks(cx, dot) / warpgroups as f64;
    let shape = TileType::of(dot.result()).map(TileType::shape);
    let columns = shape.unwrap_or_default().last().copied().unwrap_or(1);
    // 64 rows by so many columns by 32 bytes take half a clock for each column.
    let each = columns.min(WIDEST) as f64 / 2.0;
    let mut work = Work::default().with(Unit::Tensor, clocks.round() as u32);
    work.tensor_instructions = (clocks / each).round() as u32;
    work
}

/// Clocks of a product at the peak of a multiprocessor, by the data sheets of H100 (`wgmma`) and A100: tensor cores multiply
/// 2048 or 1024 elements of two bytes in a clock, more if they are narrower.
pub fn product_clocks<'c>(cx: &PassContext<'_, 'c>, dot: Dot<'c>) -> f64 {
    let shape = TileType::of(dot.result()).map(TileType::shape);
    let elements: u64 = shape.unwrap_or_default().iter().product();
    let depth = int_attribute(dot.0, "depth").unwrap_or(1) as u64;
    let element = match is_tile(dot.right()) {
        true => dot.right().r#type(),
        false => buffer_layout(cx.context, dot.right()).0,
    };
    let bytes = element_bytes(element) as f64;
    let per_clock = match dot.path() {
        "wgmma" => 4096.0 / bytes,
        "mma" => 2048.0 / bytes,
        // Fused multiply-adds of threads.
        _ => 64.0,
    };
    (elements * depth) as f64 / per_clock
}

/// A reduction of so many elements by what its region does.
fn combination(operation: Operation<'_>, count: u32) -> Work {
    let mut all = Work::default();
    each_operation(operation, &mut |inner| {
        all = all.and(instructions(name(inner), count, REGISTER_BYTES));
    });
    all
}

/// What arithmetic on tiles takes.
fn arithmetic(encodings: &Encodings, operation: Operation<'_>) -> Work {
    let values = results(operation);
    let Some(value) = values.first().filter(|_| is_tile_operation(operation)) else {
        return Work::default();
    };
    let count = elements(encodings, *value);
    let name = match name(operation) {
        // One instruction as well.
        "arith.divf" if may_approximate(&attributes(operation)) => "math.rsqrt",
        other => other,
    };
    instructions(name, count, element_bytes(value.r#type()))
}

fn is_tile_operation(operation: Operation<'_>) -> bool {
    results(operation)
        .first()
        .is_some_and(|value| is_tile(*value))
}

/// The instructions for so many elements of so many bytes in each thread.
fn instructions(name: &str, count: u32, bytes: u64) -> Work {
    // Two elements of 16 bits are one instruction's.
    let packed = if bytes == 2 { count.div_ceil(2) } else { count };
    let on = |unit, times: u32| Work::instructions(unit, times * count);
    match name {
        "arith.addf" | "arith.subf" | "arith.mulf" | "arith.negf" | "math.fma" | "math.absf" => {
            Work::instructions(Unit::Fma, packed)
        }
        "arith.maxnumf" | "arith.minnumf" | "arith.maximumf" | "arith.minimumf" => {
            Work::instructions(Unit::Alu, packed)
        }
        "arith.muli" => on(Unit::Fma, 2),
        // Two elements are converted at once.
        "arith.truncf" => Work::instructions(Unit::Alu, count.div_ceil(2)),
        "arith.sitofp" | "arith.uitofp" | "arith.fptosi" | "arith.fptoui" => on(Unit::Alu, 1),
        "math.exp2" | "math.log2" | "math.rsqrt" | "math.tanh" | "math.sin" | "math.cos" => {
            on(Unit::Xu, 1)
        }
        "math.exp" | "math.log" | "math.sqrt" => on(Unit::Xu, 1).and(on(Unit::Fma, 2)),
        "arith.divf" => on(Unit::Xu, 1).and(on(Unit::Fma, 7)).and(on(Unit::Alu, 2)),
        // A shuffle for two elements, and selects before and after it.
        "tile.exchange_pairs" => on(Unit::Alu, 1),
        // Nothing is computed, or once for all iterations.
        "arith.constant" | "tile.splat" | "tile.expand" | "tile.broadcast" | "tile.arange"
        | "arith.extsi" | "arith.extui" | "arith.bitcast" | "tile.convert" => Work::default(),
        // Polynomials.
        of if of.starts_with("math.") => on(Unit::Fma, 10),
        of if of.starts_with("arith.") => on(Unit::Alu, 1),
        _ => Work::default(),
    }
}

/// Elements of a tile that a thread has.
fn elements(encodings: &Encodings, value: Value<'_>) -> u32 {
    match is_tile(value) {
        true => encodings.layout(value).register_count() as u32,
        false => 0,
    }
}

/// Registers that an operation's result takes.
fn registers(encodings: &Encodings, operation: Operation<'_>) -> u32 {
    let value = result(operation, 0);
    let bytes = u64::from(elements(encodings, value)) * element_bytes(value.r#type());
    bytes.div_ceil(REGISTER_BYTES) as u32
}
