//! What the conditions around an operation say of the programs that come to it.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use crate::dialect::{TileOp, predicates};
use crate::facts::{constant_of, sum_with_constant};
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{Operation, Value, ValueKey, int_attribute, key, name, operand, region_block};

/// Whether a difference is computed only by programs in which the second number is no larger than the first: in `if a < b { … } else { … a - b … }`, or
/// in a loop that counts from below the first (`n - 1 - i`).
pub fn is_where_not_negative(difference: Operation<'_>) -> bool {
    if name(difference) != "arith.subi" {
        return false;
    }
    if counts_below(operand(difference, 1), operand(difference, 0)) {
        return true;
    }
    let sides = [0, 1].map(|number| key(operand(difference, number)));
    let mut inside = difference;
    while let Some(around) = inside.parent_operation().map(crate::ffi::operation) {
        let block = inside.block().map(crate::ffi::block);
        let holds = block == region_block(around, 0);
        if name(around) == "scf.if" && implies_no_less(operand(around, 0), holds, sides) {
            return true;
        }
        inside = around;
    }
    false
}

/// Whether this side of a choice is a difference, and the condition says that its second number is no larger than the first: `where(a < b, …, a - b)`.
pub fn is_chosen_not_negative(select: Operation<'_>, index: usize) -> bool {
    let difference = defining_operation(operand(select, index));
    difference
        .filter(|of| name(*of) == "arith.subi")
        .is_some_and(|of| {
            let sides = [0, 1].map(|number| key(operand(of, number)));
            implies_no_less(operand(select, 0), index == 1, sides)
        })
}

/// Whether a difference says which program this is, counted from the last one (`cdiv(n, 128) - 1 - program_id(0)`): a launch knows whether it is not negative.
pub fn counts_from_last(difference: Operation<'_>) -> bool {
    if name(difference) != "arith.subi" {
        return false;
    }
    let [last, program] = [0, 1].map(|number| operand(difference, number));
    let is_place = matches!(
        defining_operation(program).and_then(TileOp::of),
        Some(TileOp::ProgramId(_))
    );
    let (number, added) = sum_with_constant(last);
    is_place && number.is_some() && added == -1
}

/// The loop that a number is the counter of, as it is or in fewer bits that hold the whole range, and the end of the range in as many.
pub fn counted(counter: Value<'_>) -> Option<(Operation<'_>, Value<'_>)> {
    let narrowed = defining_operation(counter).filter(|from| name(*from) == "arith.trunci");
    let argument = narrowed.map_or(counter, |from| operand(from, 0));
    let owner = argument_owner(argument).filter(|owner| name(*owner) == "scf.for")?;
    if result_number(argument) != 0 {
        return None;
    }
    let [first, end] = [0, 1].map(|number| operand(owner, number));
    if narrowed.is_none() {
        return Some((owner, end));
    }
    let is_word = counter.r#type().to_string() == "i32";
    let before_widened = |value| {
        let widened = defining_operation(value).filter(|from| name(*from) == "arith.extsi")?;
        let narrow = operand(widened, 0);
        (is_word && narrow.r#type() == counter.r#type()).then_some(narrow)
    };
    let is_small = constant_of(first).is_some_and(|first| i32::try_from(first).is_ok());
    if !is_small && before_widened(first).is_none() {
        return None;
    }
    Some((owner, before_widened(end)?))
}

/// Whether a number is the counter of a loop that ends before it is more than another one.
fn counts_below(counter: Value<'_>, most: Value<'_>) -> bool {
    let Some((owner, end)) = counted(counter) else {
        return false;
    };
    let [first, step] = [0, 2].map(|number| operand(owner, number));
    let [(of_end, beyond), (of_most, added)] = [end, most].map(sum_with_constant);
    let step = constant_of(step).filter(|step| *step > 0);
    let in_steps = step.filter(|step| [first, end].iter().all(|value| is_multiple(*value, *step)));
    let below = beyond.wrapping_sub(added);
    // The last one is a step before the end, or between that and the end: so far below a number that is larger than another one no sum wraps around. What is
    // left to the end itself is how much a mask leaves (`arange(0, 64) < n - i`), where both numbers are wanted.
    of_end.map(key) == of_most.map(key) && (1..=in_steps.unwrap_or(1)).contains(&below)
}

/// Whether a number is a multiple of another one by how it is computed, whichever it is.
fn is_multiple(value: Value<'_>, of: i64) -> bool {
    if let Some(constant) = constant_of(value) {
        return constant % of == 0;
    }
    let Some(operation) = defining_operation(value) else {
        return false;
    };
    let is = |number| is_multiple(operand(operation, number), of);
    match name(operation) {
        // In 32 bits or more a sum or a product that wraps around still is a multiple of a power of two.
        "arith.muli" => of.count_ones() == 1 && (is(0) || is(1)),
        "arith.addi" | "arith.subi" => of.count_ones() == 1 && is(0) && is(1),
        "arith.extsi" => is(0),
        _ => false,
    }
}

/// Whether a condition says, where it holds or where it does not, that a number is no less than another.
fn implies_no_less(condition: Value<'_>, holds: bool, [large, small]: [ValueKey; 2]) -> bool {
    use predicates::{EQ, SGE, SGT, SLE, SLT, opposite};
    let Some(operation) = defining_operation(condition) else {
        return false;
    };
    let of = |number| implies_no_less(operand(operation, number), holds, [large, small]);
    match (name(operation), holds) {
        ("arith.andi", true) | ("arith.ori", false) => of(0) || of(1),
        ("arith.cmpi", _) => {
            let sides = [0, 1].map(|number| key(operand(operation, number)));
            let predicate = int_attribute(operation, "predicate");
            let says = match predicate.and_then(|one| if holds { Some(one) } else { opposite(one) })
            {
                Some(EQ) if holds => return sides == [large, small] || sides == [small, large],
                Some(SGE | SGT) => [large, small],
                Some(SLE | SLT) => [small, large],
                _ => return false,
            };
            sides == says
        }
        _ => false,
    }
}
