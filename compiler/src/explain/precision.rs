//! What precise arithmetic costs where a loop waits for it: beside matrix products, whose tensor cores do, and where little is loaded.
//!
//! The numbers are instructions of sm_90a for one element of `f32`, counted in what `ptxas` makes of each form; the same table
//! is in LANGUAGE.md ("What precision costs").

use std::collections::HashMap;

use melior::ir::operation::OperationLike;

use super::data::{Place, RemarkData};

use crate::diagnostic::remark::RemarkKind;
use crate::dialect::{TileOp, may_approximate};
use crate::facts::pointee_bytes;
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, TileType, ValueKey, attributes, key, name, operands, operations, region_block,
    results,
};
use crate::passes::{each_operation, span_of, uses};
use crate::source::SourceMap;

/// Elements of a tile from which on its instructions count beside those of a product.
const MANY: u64 = 1024;

/// Instructions for each byte that a loop moves from which on memory waits for them: twice what threads do while the memory of an H100
/// moves one (132 · 128 · 1.755 GHz, 3.35 TB/s).
const MANY_FOR_A_BYTE: u64 = 18;

/// A form, its instructions, and what has fewer.
struct Form {
    what: &'static str,
    instructions: u32,
    instead: &'static str,
    fewer: u32,
}

const FORMS: &[(&str, Form)] = &[
    (
        "math.exp2",
        form(
            "`exp2`",
            4,
            "`fast.exp2(x)`, which makes subnormal numbers 0,",
            1,
        ),
    ),
    (
        "math.exp",
        form(
            "`exp`",
            8,
            "`fast.exp(x)`, which makes subnormal numbers 0,",
            2,
        ),
    ),
    ("math.log2", form("`log2`", 26, "`fast.log2(x)`", 4)),
    ("math.log", form("`log`", 23, "`fast.log(x)`", 5)),
    ("math.tanh", form("`tanh`", 25, "`fast.tanh(x)`", 1)),
    (
        "arith.divf",
        form("a division", 12, "`x * fast.reciprocal(y)`", 2),
    ),
    (
        "arith.mulf",
        form("a product and a sum, each rounded,", 2, "`fma(x, y, z)`", 1),
    ),
];

const fn form(what: &'static str, instructions: u32, instead: &'static str, fewer: u32) -> Form {
    Form {
        what,
        instructions,
        instead,
        fewer,
    }
}

/// The form of what [`is_of_sigmoid`].
const SIGMOID: Form = form("`sigmoid`", 14, "`fast.reciprocal(1.0 + fast.exp(-x))`", 4);

/// Whether an exponential is that of `sigmoid`: of the negated magnitude, all in the same place.
fn is_of_sigmoid(operation: Operation<'_>) -> bool {
    let negation = operands(operation)
        .first()
        .and_then(|of| defining_operation(*of))
        .filter(|of| name(*of) == "arith.negf");
    let magnitude = negation
        .and_then(|of| defining_operation(operands(of)[0]))
        .filter(|of| name(*of) == "math.absf");
    magnitude.is_some_and(|of| of.location() == operation.location())
}

/// Remarks on the operations of loops that wait for arithmetic, where these have a form of fewer instructions; each place once.
pub fn of<'c>(sources: &SourceMap, function: Operation<'c>) -> Vec<RemarkData> {
    let users = uses(function);
    let mut found: Vec<RemarkData> = Vec::new();
    each_operation(function, &mut |inside| {
        let body = (name(inside) == "scf.for")
            .then(|| region_block(inside, 0))
            .flatten();
        let inside = body.map(operations).unwrap_or_default();
        let is_product = |one: &Operation<'c>| matches!(TileOp::of(*one), Some(TileOp::Dot(_)));
        if !inside.iter().any(is_product) && !is_of_arithmetic(&inside) {
            return;
        }
        for operation in inside {
            let place = super::place(sources, span_of(sources, operation.location()));
            if let Some(form) = slow(operation, &users)
                && !found.iter().any(|remark| remark.place == place)
            {
                found.push(remark(form, place));
            }
        }
    });
    found
}

/// Whether memory waits for what a loop computes.
fn is_of_arithmetic(inside: &[Operation<'_>]) -> bool {
    let (mut instructions, mut bytes) = (0, 0);
    for operation in inside {
        let moved = match TileOp::of(*operation) {
            Some(TileOp::Load(load)) => Some(load.pointers()),
            Some(TileOp::Store(store)) => Some(store.pointers()),
            _ => None,
        };
        let count = |value| TileType::of(value).map_or(1, |tile| tile.shape().iter().product());
        if let Some(pointers) = moved {
            bytes += count(pointers) * pointee_bytes(pointers);
        }
        let is_computed = ["arith.", "math."]
            .iter()
            .any(|of| name(*operation).starts_with(of));
        if let Some(value) = results(*operation).first().filter(|_| is_computed) {
            let form = FORMS.iter().find(|(of, _)| *of == name(*operation));
            let each = form.filter(|(of, _)| *of != "arith.mulf");
            instructions +=
                count(*value) * each.map_or(1, |(_, form)| u64::from(form.instructions));
        }
    }
    instructions > MANY_FOR_A_BYTE * bytes
}

/// The form of an operation on a large tile of `f32`, if another one has fewer instructions.
fn slow<'c>(
    operation: Operation<'c>,
    users: &HashMap<ValueKey, Vec<Operation<'c>>>,
) -> Option<&'static Form> {
    let (_, form) = FORMS.iter().find(|(of, _)| *of == name(operation))?;
    let value = results(operation).first().copied()?;
    let tile = TileType::of(value)?;
    if tile.element().to_string() != "f32" || tile.shape().iter().product::<u64>() < MANY {
        return None;
    }
    let is_fast = may_approximate(&attributes(operation));
    let adds = |user: &Operation<'c>| matches!(name(*user), "arith.addf" | "arith.subf");
    let is_added = || {
        users
            .get(&key(value))
            .is_some_and(|users| users.iter().all(adds))
    };
    let form = match name(operation) == "math.exp" && is_of_sigmoid(operation) {
        true => &SIGMOID,
        false => form,
    };
    (!is_fast && (name(operation) != "arith.mulf" || is_added())).then_some(form)
}

fn remark(form: &Form, place: Option<Place>) -> RemarkData {
    let kind = RemarkKind::Precision {
        what: form.what,
        instructions: form.instructions,
        instead: form.instead,
        fewer: form.fewer,
    };
    RemarkData::new(place, &kind)
}
