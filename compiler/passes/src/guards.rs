//! What the conditions around an operation say of the programs that come to it.

use melior::ir::operation::OperationLike;

use crate::dialect::predicates;
use crate::ffi::defining_operation;
use crate::ir::{Operation, Value, ValueKey, int_attribute, key, name, operand, region_block};

/// Whether a difference is computed only by programs in which the second number is no larger than the first: in `if a < b { … } else { … a - b … }`.
pub fn is_where_not_negative(difference: Operation<'_>) -> bool {
    if name(difference) != "arith.subi" {
        return false;
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
