//! `exp` of several registers of a thread.
//!
//! With `t = x log2 e` rounded, `exp(x) = 2^t exp(x - t ln 2)`, and what is lost by rounding is so small that
//! `exp(c) = 1 + c`:
//!
//! ```text
//! t = x log2 e;  c = x - t ln 2 (two parts of ln 2, each rounded once by fma);  2^t + 2^t c
//! ```
//!
//! That is five instructions where `math` needs eight. It holds while `2^t` is a normal number; one check for a
//! few elements decides, and a thread that holds anything else (infinities, results that underflow) goes that way.

use melior::ir::Type;

use super::ToLlvm;
use super::divide::one_of;
use super::math::{approximate, expand};
use crate::dialect::predicates as p;
use crate::ir::{Builder, Operation, Rebuilder, Value, name};
use crate::layout::Layout;

/// Elements that are checked together.
const TOGETHER: usize = 16;

/// Elements from which on this pays.
const FEWEST: usize = 4;

/// The largest magnitude of `t` for which `2^t` is a normal number, and a little less.
const LARGEST: f64 = 125.0;

/// The part of `ln 2` that f32 holds, and what it drops.
const LN_2: f64 = std::f32::consts::LN_2 as f64;
const LN_2_REST: f64 = std::f64::consts::LN_2 - LN_2;

impl<'c> ToLlvm<'_, '_, 'c> {
    /// The registers of `exp` of a tile, if it has several different ones.
    pub(super) fn powers(
        &self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
        layout: &Layout,
        operands: &[Vec<Value<'c>>],
        ty: Type<'c>,
    ) -> Option<Vec<Value<'c>>> {
        let [inputs] = operands else { return None };
        let is_fast = super::attributes(operation)
            .iter()
            .any(|(name, value)| name == "fastmath" && value.to_string().contains("afn"));
        if name(operation) != "math.exp" || ty.to_string() != "f32" || is_fast {
            return None;
        }
        let mut members = layout.distinct_registers();
        members.dedup_by_key(|register| inputs[*register]);
        if members.len() < FEWEST || members.len() < layout.distinct_registers().len() {
            return None;
        }
        let mut powers = inputs.clone();
        for part in members.chunks(TOGETHER) {
            let elements: Vec<_> = part
                .iter()
                .map(|member| {
                    self.without_garbage(&mut to.builder, layout, *member, inputs[*member])
                })
                .collect();
            let found = powers_of(&mut to.builder, &elements, ty);
            for (member, power) in part.iter().zip(found) {
                powers[*member] = power;
            }
        }
        Some(self.per_register(layout, |register| powers[register]))
    }
}

fn powers_of<'c>(
    builder: &mut Builder<'c>,
    elements: &[Value<'c>],
    ty: Type<'c>,
) -> Vec<Value<'c>> {
    let factor = builder.constant_float(std::f64::consts::LOG2_E, ty);
    let scaled: Vec<_> = elements
        .iter()
        .map(|element| builder.binary("arith.mulf", *element, factor))
        .collect();
    let mut level: Vec<_> = scaled
        .iter()
        .map(|scaled| builder.value("math.absf", &[*scaled], &[], ty))
        .collect();
    // A NaN loses, and stays one in either way.
    while level.len() > 1 {
        level = level
            .chunks(2)
            .map(|pair| match pair {
                [a, b] => builder.binary("arith.maxnumf", *a, *b),
                _ => pair[0],
            })
            .collect();
    }
    let limit = builder.constant_float(LARGEST, ty);
    let is_usual = builder.compare_floats(p::OLE, level[0], limit);
    one_of(
        builder,
        is_usual,
        ty,
        |builder| {
            let high = builder.constant_float(-LN_2, ty);
            let low = builder.constant_float(-LN_2_REST, ty);
            let power = |(element, scaled): (&Value<'c>, &Value<'c>)| {
                let power = approximate(builder, "ex2.approx.ftz.f32", *scaled, ty);
                let rest = builder.value("math.fma", &[*scaled, high, *element], &[], ty);
                let rest = builder.value("math.fma", &[*scaled, low, rest], &[], ty);
                builder.value("math.fma", &[power, rest, power], &[], ty)
            };
            elements.iter().zip(&scaled).map(power).collect()
        },
        |builder| {
            let power = |element: &Value<'c>| {
                expand(builder, "exp", &[*element], &[], ty).unwrap_or(*element)
            };
            elements.iter().map(power).collect()
        },
    )
}
