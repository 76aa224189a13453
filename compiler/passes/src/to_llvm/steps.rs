//! How far the pointers of a tile's registers are from each other.
//!
//! ```text
//! %p = splat(%base) + (broadcast(expand(arange(64) * %pitch)) + broadcast(expand(arange(64))))
//!   ⇒  from row to row %pitch elements, from column to column one
//! ```
//!
//! A thread that copies a tile iteration by iteration would keep each pointer's distance from the base in registers, two for
//! each. Where the distances between neighbours are the same in all threads, it goes from pointer to pointer instead.

use melior::ir::ValueLike;

use super::ToLlvm;
use super::threads::inline_asm;
use crate::build::{Builder, Rebuilder};
use crate::dialect::TileOp;
use crate::facts::{constant_of, pointee_bytes};
use crate::ffi::defining_operation;
use crate::ir::{TileType, Value, element_type, name, operand};
use crate::layout::Layout;

/// From one element of a tile to the next along an axis.
#[derive(Clone, Copy, Default)]
struct Step<'c> {
    times: i64,
    /// What `times` is multiplied by, if that is no constant: an `i64`.
    by: Option<Value<'c>>,
}

/// The steps of a tile of pointers along each axis, in bytes.
pub(super) struct Steps<'c>(Vec<Step<'c>>);

impl<'c> Steps<'c> {
    /// `None` if its elements do not lie at the same distances everywhere.
    pub(super) fn of(pointers: Value<'c>) -> Option<Self> {
        steps(pointers).map(Self)
    }
}

fn steps<'c>(value: Value<'c>) -> Option<Vec<Step<'c>>> {
    let rank = TileType::of(value)?.shape().len();
    if constant_of(value).is_some() {
        return Some(vec![Step::default(); rank]);
    }
    let operation = defining_operation(value)?;
    match TileOp::of(operation) {
        Some(TileOp::Splat(_)) => return Some(vec![Step::default(); rank]),
        Some(TileOp::Arange(_)) => return Some(vec![Step { times: 1, by: None }]),
        Some(TileOp::Expand(expand)) => {
            let mut list = steps(expand.operand())?;
            list.insert(expand.axis() as usize, Step::default());
            return Some(list);
        }
        Some(TileOp::Broadcast(broadcast)) => {
            // What is repeated is the same everywhere.
            let repeated = TileType::of(broadcast.operand())?.shape();
            let list = steps(broadcast.operand())?.into_iter().zip(repeated);
            let each = list.map(|(step, size)| if size == 1 { Step::default() } else { step });
            return Some(each.collect());
        }
        Some(TileOp::Convert(convert)) => return steps(convert.operand()),
        Some(TileOp::PointerOffset(offset)) => {
            let bytes = pointee_bytes(offset.pointer()) as i64;
            let offsets = steps(offset.offset())?;
            let offsets = offsets.into_iter().map(|step| step.scaled(bytes));
            return sums(steps(offset.pointer())?, offsets.collect::<Option<_>>()?);
        }
        _ => {}
    }
    let is_wide = element_type(value.r#type()).to_string() == "i64";
    match name(operation) {
        // What is counted is no less than 0, and is so in more bits as well.
        "arith.extsi" | "arith.extui" if is_counted(operand(operation, 0)) => {
            steps(operand(operation, 0))
        }
        // In 64 bits, as addresses: what wraps does so in both.
        "arith.addi" if is_wide => {
            sums(steps(operand(operation, 0))?, steps(operand(operation, 1))?)
        }
        "arith.muli" if is_wide => {
            let of = |index| operand(operation, index);
            product(steps(of(0))?, of(1)).or_else(|| product(steps(of(1))?, of(0)))
        }
        _ => None,
    }
}

/// Whether the neighbours in a row are one apart.
pub(super) fn are_neighbours(row: Value<'_>) -> bool {
    matches!(steps(row).as_deref(), Some([Step { times: 1, by: None }]))
}

/// Whether a value is that of an `arange` from 0 on, in another shape or layout.
fn is_counted(value: Value<'_>) -> bool {
    match defining_operation(value).and_then(TileOp::of) {
        Some(TileOp::Arange(arange)) => arange.lo() >= 0,
        Some(TileOp::Expand(expand)) => is_counted(expand.operand()),
        Some(TileOp::Broadcast(broadcast)) => is_counted(broadcast.operand()),
        Some(TileOp::Convert(convert)) => is_counted(convert.operand()),
        _ => false,
    }
}

fn sums<'c>(a: Vec<Step<'c>>, b: Vec<Step<'c>>) -> Option<Vec<Step<'c>>> {
    let each = a.into_iter().zip(b).map(|(a, b)| match (a, b) {
        (Step { times: 0, .. }, other) | (other, Step { times: 0, .. }) => Some(other),
        (Step { times: a, by: None }, Step { times: b, by: None }) => Some(Step {
            times: a.checked_add(b)?,
            by: None,
        }),
        _ => None,
    });
    each.collect()
}

/// Steps multiplied by a tile that has the same element everywhere.
fn product<'c>(of: Vec<Step<'c>>, by: Value<'c>) -> Option<Vec<Step<'c>>> {
    if let Some(constant) = constant_of(by) {
        return of.into_iter().map(|step| step.scaled(constant)).collect();
    }
    let Some(TileOp::Splat(splat)) = defining_operation(by).and_then(TileOp::of) else {
        return None;
    };
    let each = of.into_iter().map(|step| match step {
        Step { times: 0, .. } => Some(step),
        Step { times, by: None } => Some(Step {
            times,
            by: Some(splat.scalar()),
        }),
        Step { .. } => None,
    });
    each.collect()
}

impl Step<'_> {
    fn scaled(self, times: i64) -> Option<Self> {
        Some(Self {
            times: self.times.checked_mul(times)?,
            ..self
        })
    }
}

impl<'c> ToLlvm<'_, '_, 'c> {
    /// Where the pointers of these registers are, each from the one before where that is possible. `found` are all of the
    /// tile's.
    pub(super) fn stepped(
        &self,
        to: &mut Rebuilder<'c>,
        layout: &Layout,
        steps: Option<&Steps<'c>>,
        found: &[Value<'c>],
        registers: &[usize],
    ) -> Vec<Pointer<'c>> {
        let mut list: Vec<Pointer<'c>> = Vec::with_capacity(registers.len());
        let mut made: Vec<(Vec<i64>, Value<'c>)> = Vec::new();
        for (index, register) in registers.iter().enumerate() {
            let before = index.checked_sub(1).zip(steps);
            let next = before.and_then(|(before, steps)| {
                let moved = layout.distance(registers[before], *register)?;
                let distance = match made.iter().find(|(known, _)| *known == moved) {
                    Some((_, distance)) => *distance,
                    None => {
                        let distance = steps.distance(to, &moved)?;
                        made.push((moved, distance));
                        distance
                    }
                };
                Some(Pointer::After(distance))
            });
            list.push(next.unwrap_or(Pointer::At(found[*register])));
        }
        list
    }
}

/// Where a piece lies in memory.
#[derive(Clone, Copy)]
pub(super) enum Pointer<'c> {
    At(Value<'c>),
    /// So many bytes after the one before: an `i64`.
    After(Value<'c>),
}

impl<'c> Pointer<'c> {
    /// The pointer, given that of the piece before.
    pub(super) fn get(self, builder: &mut Builder<'c>, before: Option<Value<'c>>) -> Value<'c> {
        match (self, before) {
            (Self::At(pointer), _) => pointer,
            (Self::After(distance), Some(before)) => advance(builder, before, distance),
            (Self::After(_), None) => unreachable!("the first piece of a copy lies somewhere"),
        }
    }
}

impl<'c> Steps<'c> {
    /// So many elements along each axis in bytes, `i64`; `None` if nothing is saved.
    fn distance(&self, to: &mut Rebuilder<'c>, moved: &[i64]) -> Option<Value<'c>> {
        let wide = to.builder.int_type(64);
        let mut constant = 0i64;
        let mut sum: Option<Value<'c>> = None;
        for (step, moved) in self.0.iter().zip(moved) {
            let times = step.times.checked_mul(*moved)?;
            match step.by {
                None => constant = constant.checked_add(times)?,
                Some(_) if times == 0 => {}
                Some(by) => {
                    let (by, times) = (to.one(by), to.builder.constant_int(times, wide));
                    let term = to.builder.multiply(by, times);
                    sum = Some(sum.map_or(term, |sum| to.builder.add(sum, term)));
                }
            }
        }
        // Constants are in the instructions that copy.
        let sum = sum?;
        let constant = to.builder.constant_int(constant, wide);
        Some(to.builder.add(sum, constant))
    }
}

/// A pointer so many bytes on. LLVM would have it as the base and a distance from there that it keeps.
fn advance<'c>(builder: &mut Builder<'c>, from: Value<'c>, distance: Value<'c>) -> Value<'c> {
    let ty = builder.parse_type("!llvm.ptr<1>");
    let text = "add.s64 $0, $1, $2;";
    inline_asm(builder, text, "=l,l,l", &[from, distance], &[ty], false)[0]
}
