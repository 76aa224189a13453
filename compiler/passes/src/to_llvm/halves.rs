//! Arithmetic of `f16` and `bf16`, two elements at a time.
//!
//! A word holds two elements, and one instruction computes both (PTX ISA, "Half Precision Floating Point Instructions"). Neighbouring registers are a
//! pair: what comes from memory or goes there lies so in words, and nothing is packed.

use melior::ir::{Attribute, Type};

use super::ToLlvm;
use super::threads::{elements, pack};
use crate::build::Builder;
use crate::ir::Value;
use crate::layout::Layout;

/// The first compute capability that has all of this for `bf16`, and for `f16`.
const OF_BF16: u32 = 90;
const OF_F16: u32 = 80;

/// What there is for two.
const PAIRED: [&str; 5] = [
    "arith.addf",
    "arith.subf",
    "arith.mulf",
    "arith.maxnumf",
    "arith.minnumf",
];

impl<'c> ToLlvm<'_, '_, 'c> {
    /// The registers of what an operation computes from these, if two at a time are.
    pub(super) fn two_at_a_time(
        &self,
        builder: &mut Builder<'c>,
        (name, attributes): (&'c str, &[(&'c str, Attribute<'c>)]),
        layout: &Layout,
        list: &[Vec<Value<'c>>],
        ty: Type<'c>,
    ) -> Option<Vec<Value<'c>>> {
        let first = match ty.to_string().as_str() {
            "f16" => OF_F16,
            "bf16" => OF_BF16,
            _ => return None,
        };
        let count = layout.register_count();
        let is_each = layout.distinct_registers().len() == count;
        let is_whole = list.iter().all(|values| values.len() == count);
        if self.cx.target.capability() < first
            || !PAIRED.contains(&name)
            || !is_each
            || !is_whole
            || !count.is_multiple_of(2)
        {
            return None;
        }
        let two = Type::vector(&[2], ty);
        let pairs = (0..count).step_by(2).flat_map(|register| {
            let inputs: Vec<_> = list
                .iter()
                .map(|values| pack(builder, &values[register..register + 2], ty))
                .collect();
            let both = builder.value(name, &inputs, attributes, two);
            elements(builder, both, 2, ty)
        });
        Some(pairs.collect())
    }
}
