//! Products that a warp leaves out where all its factors are 1 (`tile.unless_one`; the pass `pipeline` says why).
//!
//! `x * 1` is `x`, an infinity or a number below the normal ones, too. A factor that is NaN is not 1. All lanes of a warp take the same way, as a vote tells
//! `ptxas` that they do, so that nothing parts a warp that goes on to `wgmma`.

use std::collections::HashSet;

use melior::ir::{Attribute, Type};

use super::ToLlvm;
use super::threads::inline_asm;
use crate::build::Rebuilder;
use crate::dialect::predicates;
use crate::encoding::UNLESS_ONE;
use crate::ir::{Value, key, results};
use crate::layout::Layout;

/// How many products must share a factor for the vote to cost less than they do.
const WORTH_A_VOTE: usize = 8;

impl<'c> ToLlvm<'_, '_, 'c> {
    /// The registers of such a product, if enough of them share their factors.
    pub(super) fn unless_one(
        &self,
        to: &mut Rebuilder<'c>,
        attributes: &[(&'c str, Attribute<'c>)],
        layout: &Layout,
        inputs: &[Vec<Value<'c>>],
        ty: Type<'c>,
    ) -> Option<Vec<Value<'c>>> {
        let [left, right] = inputs else {
            return None;
        };
        if !attributes.iter().any(|(name, _)| *name == UNLESS_ONE) || ty.to_string() != "f32" {
            return None;
        }
        let all: Vec<usize> = (0..layout.register_count())
            .filter(|register| layout.register_representative(*register) == *register)
            .collect();
        if left.len() != right.len() || left.len() != layout.register_count() {
            return None;
        }
        let [of_left, of_right] = [left, right].map(|values| distinct(values, &all));
        let (elements, factors, each) = match of_left.len() < of_right.len() {
            true => (right, &of_left, left),
            false => (left, &of_right, right),
        };
        if factors.is_empty() || all.len() < factors.len() * WORTH_A_VOTE {
            return None;
        }
        let builder = &mut to.builder;
        let one = builder.constant_float(1.0, ty);
        let differs = factors
            .iter()
            .map(|factor| builder.compare_floats(predicates::UNE, *factor, one))
            .collect::<Vec<_>>()
            .into_iter()
            .reduce(|any, next| builder.binary("arith.ori", any, next))?;
        let word = builder.int_type(32);
        let text = "{\n.reg .pred any;\nvote.sync.any.pred any, $1, 0xffffffff;\nselp.b32 $0, 1, 0, any;\n}";
        let any = inline_asm(builder, text, "=r,b", &[differs], &[word], true)[0];
        let zero = builder.constant_int(0, word);
        let any = builder.compare_int(predicates::NE, any, zero);
        let types = vec![ty; all.len()];
        let (multiplies, ()) = builder.region(&[], |builder, _| {
            let products = all
                .iter()
                .map(|register| builder.binary("arith.mulf", elements[*register], each[*register]));
            let products: Vec<_> = products.collect();
            builder.insert("scf.yield", &products, &[], &[]);
        });
        let (leaves, ()) = builder.region(&[], |builder, _| {
            let same: Vec<_> = all.iter().map(|register| elements[*register]).collect();
            builder.insert("scf.yield", &same, &[], &[]);
        });
        let regions = vec![multiplies, leaves];
        let chosen = builder.insert_with_regions("scf.if", &[any], &[], &types, regions);
        let chosen = results(chosen);
        let place = |register| all.iter().position(|one| *one == register);
        Some(self.per_register(layout, |register| {
            place(register).map_or(elements[register], |place| chosen[place])
        }))
    }
}

/// The values that these registers have, each once.
fn distinct<'c>(values: &[Value<'c>], registers: &[usize]) -> Vec<Value<'c>> {
    let mut seen = HashSet::new();
    let all = registers.iter().map(|register| values[*register]);
    all.filter(|value| seen.insert(key(*value))).collect()
}
