//! Conditions both sides of which are cheap enough to be computed.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use crate::build::{Builder, Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::{TileOp, is_integer_division, predicates};
use crate::ffi::defining_operation;
use crate::ir::{
    Block, Operation, TileType, Value, int_attribute, key, name, operand, operations, region_block,
    result, results, yielded,
};
use crate::{is_tile, may_be_idle};

/// Instructions for each element of a result that both sides may take: a comparison, two masks joined, a selection, and as much again.
const FEW: usize = 8;

/// A condition that gives tiles and does little for them.
pub struct Choice<'c> {
    operation: Operation<'c>,
    blocks: [Block<'c>; 2],
}

impl<'c> Choice<'c> {
    pub fn of(operation: Operation<'c>) -> Option<Self> {
        if name(operation) != "scf.if" || !results(operation).into_iter().any(is_tile) {
            return None;
        }
        let blocks = [region_block(operation, 0)?, region_block(operation, 1)?];
        let largest = results(operation).into_iter().map(elements).max()?;
        let mut count = 0;
        for block in blocks {
            let inside = operations(block);
            let (_, inside) = inside.split_last()?;
            for operation in inside {
                if !is_cheap(*operation) {
                    return None;
                }
                count += usize::from(
                    is_computed(*operation) && elements(result(*operation, 0)) >= largest,
                );
            }
        }
        (count <= FEW).then_some(Self { operation, blocks })
    }

    /// Computes both sides, and what the condition chooses of them.
    pub fn build(
        self,
        rewrite: &mut impl Rewrite<'c>,
        to: &mut Rebuilder<'c>,
    ) -> Result<(), Diagnostic> {
        for block in self.blocks {
            let inside = operations(block);
            let (_, inside) = inside.split_last().expect("a branch yields");
            for operation in inside {
                to.operation(rewrite, *operation)?;
            }
        }
        to.builder.set_location(self.operation.location());
        let condition = to.one(operand(self.operation, 0));
        let inverse = inverse(to, operand(self.operation, 0));
        let [then, otherwise] = self.blocks.map(yielded);
        for (number, old) in results(self.operation).into_iter().enumerate() {
            let [then, otherwise] = [then[number], otherwise[number]];
            let value = if key(then) == key(otherwise) {
                to.one(then)
            } else if let Some(value) = masked(to, then, otherwise, [condition, inverse]) {
                value
            } else if let Some(value) = masked(to, otherwise, then, [inverse, condition]) {
                value
            } else {
                let [then, otherwise] = [then, otherwise].map(|value| to.one(value));
                let condition = spread(&mut to.builder, condition, then);
                to.builder.select(condition, then, otherwise)
            };
            to.bind(old, vec![value]);
        }
        Ok(())
    }
}

/// A value where a condition holds, and what it masks elsewhere: one selection, of a mask with the condition in it.
fn masked<'c>(
    to: &mut Rebuilder<'c>,
    value: Value<'c>,
    otherwise: Value<'c>,
    [holds, fails]: [Value<'c>; 2],
) -> Option<Value<'c>> {
    let select = defining_operation(value).filter(|of| name(*of) == "arith.select")?;
    let [mask, yes, no] = [0, 1, 2].map(|number| operand(select, number));
    if !is_tile(mask) {
        return None;
    }
    let is_it = |side: Value<'c>| key(side) == key(otherwise);
    let (join, scalar) = match (is_it(yes), is_it(no)) {
        (true, false) => ("arith.ori", fails),
        (false, true) => ("arith.andi", holds),
        _ => return None,
    };
    let [mask, yes, no] = [mask, yes, no].map(|value| to.one(value));
    let everywhere = spread(&mut to.builder, scalar, mask);
    let mask = to.builder.binary(join, mask, everywhere);
    Some(to.builder.select(mask, yes, no))
}

/// A condition for each element of a value.
fn spread<'c>(builder: &mut Builder<'c>, condition: Value<'c>, like: Value<'c>) -> Value<'c> {
    let Some(tile) = TileType::of(like) else {
        return condition;
    };
    let ty = tile.with_element(condition.r#type()).ty();
    builder.value("tile.splat", &[condition], &[], ty)
}

/// Where a condition does not hold: a comparison, if it is one, as what reads masks knows those.
fn inverse<'c>(to: &mut Rebuilder<'c>, condition: Value<'c>) -> Value<'c> {
    let comparison = defining_operation(condition).filter(|of| name(*of) == "arith.cmpi");
    let predicate = comparison.and_then(|of| int_attribute(of, "predicate"));
    let opposite = predicate.and_then(predicates::opposite);
    match comparison.zip(opposite) {
        Some((comparison, opposite)) => {
            let [left, right] = [0, 1].map(|number| to.one(operand(comparison, number)));
            to.builder.compare_int(opposite, left, right)
        }
        None => {
            let condition = to.one(condition);
            let yes = to.builder.constant_int(1, condition.r#type());
            to.builder.binary("arith.xori", condition, yes)
        }
    }
}

/// Whether an operation does no harm where its result is not used, and takes an instruction or two for an element.
fn is_cheap(operation: Operation<'_>) -> bool {
    let is_slow = is_integer_division(name(operation)) && is_tile(result(operation, 0));
    match TileOp::of(operation) {
        Some(_) => !is_computed(operation),
        None => {
            name(operation).starts_with("arith.")
                && !matches!(name(operation), "arith.divf" | "arith.remf")
                && !is_slow
                && may_be_idle(operation)
        }
    }
}

/// Whether elements of a result are computed, not spread from fewer or known.
fn is_computed(operation: Operation<'_>) -> bool {
    let is_spread = matches!(
        TileOp::of(operation),
        Some(TileOp::Splat(_) | TileOp::Expand(_) | TileOp::Broadcast(_) | TileOp::Arange(_))
    );
    !is_spread && name(operation) != "arith.constant"
}

/// Elements of a tile.
fn elements(value: Value<'_>) -> u64 {
    TileType::of(value).map_or(1, |tile| tile.shape().iter().product())
}
