//! Integers that are known when the sizes of a call are: bounds of loops, strides of rows.

use std::collections::HashMap;

use tile_runtime::numeric::divide_up;

use crate::facts::constant_of;
use crate::ffi::defining_operation;
use crate::ir::{Operation, Value, ValueKey, key, name, operand};

/// How many definitions are followed.
const DEPTH: u32 = 64;

/// The values of a function's arguments.
#[derive(Debug, Clone, Default)]
pub struct Numbers(HashMap<ValueKey, i64>);

impl Numbers {
    /// Arguments with their values, where they have some.
    pub fn new<'c>(arguments: impl IntoIterator<Item = (Value<'c>, Option<i64>)>) -> Self {
        let known = arguments
            .into_iter()
            .filter_map(|(argument, value)| Some((key(argument), value?)));
        Self(known.collect())
    }

    /// The value of an integer scalar.
    #[must_use]
    pub fn of(&self, value: Value<'_>) -> Option<i64> {
        self.walk(value, DEPTH)
    }

    fn walk(&self, value: Value<'_>, depth: u32) -> Option<i64> {
        if let Some(known) = self.0.get(&key(value)) {
            return Some(*known);
        }
        if let Some(constant) = constant_of(value) {
            return Some(constant);
        }
        let depth = depth.checked_sub(1)?;
        let operation = defining_operation(value)?;
        let one = |index| self.walk(operand(operation, index), depth);
        let two = || Some((one(0)?, one(1)?));
        match name(operation) {
            "arith.extsi" | "arith.trunci" | "arith.index_cast" => one(0),
            "arith.extui" => one(0).filter(|value| *value >= 0),
            "arith.addi" => two().and_then(|(a, b)| a.checked_add(b)),
            "arith.subi" => two().and_then(|(a, b)| a.checked_sub(b)),
            "arith.muli" => two().and_then(|(a, b)| a.checked_mul(b)),
            "arith.divsi" => two().and_then(|(a, b)| a.checked_div(b)),
            "arith.ceildivsi" => two().and_then(|(a, b)| ceil_div(a, b)),
            "arith.remsi" => two().and_then(|(a, b)| a.checked_rem(b)),
            "arith.maxsi" => two().map(|(a, b)| a.max(b)),
            "arith.minsi" => two().map(|(a, b)| a.min(b)),
            _ => None,
        }
    }

    /// Rounds of an `scf.for`.
    #[must_use]
    pub fn trips(&self, of: Operation<'_>) -> Option<u64> {
        let [lo, hi, step] = [0, 1, 2].map(|index| self.of(operand(of, index)));
        let (lo, hi, step) = (lo?, hi?, step?);
        let distance = u64::try_from(hi.checked_sub(lo)?).unwrap_or(0);
        let step = u64::try_from(step).ok().filter(|step| *step > 0)?;
        Some(distance.div_ceil(step))
    }
}

fn ceil_div(a: i64, b: i64) -> Option<i64> {
    i64::try_from(divide_up(a.into(), b.into())?).ok()
}
