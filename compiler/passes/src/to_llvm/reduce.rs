//! Reductions inside a warp: registers first, then a butterfly of shuffles.
//!
//! The combiner is inlined at each step. Partial results are combined as a balanced tree, which is
//! short and rounds well; the order is not that of the elements, so combiners are taken to be
//! commutative, as all built-in ones are. Lanes that keep some of the results each exchange
//! the others for parts of those: a reduce-scatter by halves.

use std::collections::BTreeMap;

use melior::ir::attribute::{ArrayAttribute, Attribute};
use melior::ir::{Type, ValueLike};

use super::ToLlvm;
use super::map::may_harm;
use super::threads::int;
use crate::build::{Builder, Rebuilder};
use crate::diagnostic::Diagnostic;
use crate::dialect::THREADS_APART;
use crate::dialect::ops::Reduce;
use crate::ir::{
    Block, TileType, Value, arguments, int_attribute, operands, operations, region_block, results,
};

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn reduce(
        &mut self,
        to: &mut Rebuilder<'c>,
        reduce: Reduce<'c>,
    ) -> Result<(), Diagnostic> {
        let axis = reduce.axis() as usize;
        let layout = self.encodings.layout(reduce.operands()[0]);
        let body = region_block(reduce.0, 0).expect("verified region");
        let inputs = self.without_padding(to, reduce);

        // Registers of a thread that differ along the axis only come together.
        let mut groups: BTreeMap<Vec<u64>, Vec<usize>> = BTreeMap::new();
        for register in layout.distinct_registers() {
            let mut coordinates = layout.register_coordinates(register);
            coordinates.remove(axis);
            groups.entry(coordinates).or_default().push(register);
        }
        let is_apart = reduce.partial() == THREADS_APART;
        let lanes: Vec<usize> = (0..5)
            .filter(|bit| layout.lane_bases()[*bit][axis] != 0 && !is_apart)
            .collect();
        // Before a scan: the layout has neighbours in the registers of a thread and then in lanes,
        // so going by bits keeps the order.
        let is_set = |name| int_attribute(reduce.0, name).is_some_and(|set| set != 0);
        let (ordered, reverse) = (is_set("ordered"), is_set("reverse"));
        let kept = self.kept_by_lanes(reduce, axis, &lanes);
        let mut reduced: BTreeMap<Vec<u64>, Vec<Value<'c>>> = BTreeMap::new();
        for (coordinates, registers) in groups {
            let mut level: Vec<Vec<Value<'c>>> = registers
                .iter()
                .map(|r| inputs.iter().map(|values| values[*r]).collect())
                .collect();
            while level.len() > 1 {
                let mut next = Vec::with_capacity(level.len().div_ceil(2));
                for pair in level.chunks(2) {
                    next.push(match pair {
                        [right, left] if reverse => self.combine(to, body, left, right)?,
                        [left, right] => self.combine(to, body, left, right)?,
                        [single] => single.clone(),
                        _ => unreachable!("chunks of two"),
                    });
                }
                level = next;
            }
            reduced.insert(coordinates, level.swap_remove(0));
        }
        for (bit, basis) in &kept {
            reduced = self.halved(to, body, reduced, *bit, basis)?;
        }
        let whole = lanes.iter().filter(|bit| !kept.contains_key(bit));
        for value in reduced.values_mut() {
            for bit in whole.clone() {
                let other: Vec<_> = value
                    .iter()
                    .map(|v| shuffle(&mut to.builder, *v, Shuffle::Butterfly(1 << bit)))
                    .collect();
                *value = if ordered {
                    let set = self.lane_bit(&mut to.builder, *bit);
                    let pick = |builder: &mut Builder<'c>, yes: &[Value<'c>], no: &[Value<'c>]| {
                        let pairs = yes.iter().zip(no);
                        pairs
                            .map(|(yes, no)| builder.select(set, *yes, *no))
                            .collect::<Vec<_>>()
                    };
                    let first = pick(&mut to.builder, &other, value);
                    let second = pick(&mut to.builder, value, &other);
                    match reverse {
                        true => self.combine(to, body, &second, &first)?,
                        false => self.combine(to, body, &first, &second)?,
                    }
                } else {
                    self.combine(to, body, value, &other)?
                };
            }
        }

        for (index, result) in results(reduce.0).into_iter().enumerate() {
            if TileType::of(result).is_none() {
                let value = reduced.values().next().expect("at least one element")[index];
                to.bind(result, vec![value]);
                continue;
            }
            let wanted = self.encodings.layout(result);
            let registers = (0..wanted.register_count())
                .map(|register| {
                    let mut coordinates = wanted.register_coordinates(register);
                    if reduce.partial() != 0 {
                        coordinates.remove(axis);
                    }
                    reduced[&coordinates][index]
                })
                .collect();
            to.bind(result, registers);
        }
        Ok(())
    }

    /// Of the bits of lanes along the axis those by which lanes of the result differ, and how.
    fn kept_by_lanes(
        &self,
        reduce: Reduce<'c>,
        axis: usize,
        lanes: &[usize],
    ) -> BTreeMap<usize, Vec<u64>> {
        let is_tile = TileType::of(reduce.result()).is_some();
        let layout = is_tile.then(|| self.encodings.layout(reduce.result()));
        let basis = |bit: usize| {
            let mut basis = layout.as_ref()?.lane_bases()[bit].clone();
            if reduce.partial() != 0 {
                basis.remove(axis);
            }
            let basis: Vec<_> = basis.into_iter().map(u64::from).collect();
            basis.iter().any(|part| *part != 0).then_some(basis)
        };
        let lanes = lanes.iter().copied();
        lanes.filter_map(|bit| Some((bit, basis(bit)?))).collect()
    }

    /// A step of a reduce-scatter: lanes that have a bit keep the results that are this far from those that the others keep.
    fn halved(
        &mut self,
        to: &mut Rebuilder<'c>,
        body: Block<'c>,
        results: BTreeMap<Vec<u64>, Vec<Value<'c>>>,
        bit: usize,
        basis: &[u64],
    ) -> Result<BTreeMap<Vec<u64>, Vec<Value<'c>>>, Diagnostic> {
        let set = self.lane_bit(&mut to.builder, bit);
        let further = |place: &[u64]| -> Vec<u64> {
            place
                .iter()
                .zip(basis)
                .map(|(part, far)| part ^ far)
                .collect()
        };
        let mut kept = BTreeMap::new();
        for (place, near) in &results {
            let other = further(place);
            if other < *place {
                continue;
            }
            let far = &results[&other];
            let mut pair = |yes: &[Value<'c>], no: &[Value<'c>]| -> Vec<_> {
                let pairs = yes.iter().zip(no);
                pairs
                    .map(|(yes, no)| to.builder.select(set, *yes, *no))
                    .collect()
            };
            let (own, given) = (pair(far, near), pair(near, far));
            let taken: Vec<_> = given
                .iter()
                .map(|value| shuffle(&mut to.builder, *value, Shuffle::Butterfly(1 << bit)))
                .collect();
            kept.insert(place.clone(), self.combine(to, body, &own, &taken)?);
        }
        Ok(kept)
    }

    /// The operands' registers, with the identity in place of padding.
    fn without_padding(
        &mut self,
        to: &mut Rebuilder<'c>,
        reduce: Reduce<'c>,
    ) -> Vec<Vec<Value<'c>>> {
        let layout = self.encodings.layout(reduce.operands()[0]);
        let mut inputs: Vec<Vec<Value<'c>>> = reduce
            .operands()
            .iter()
            .map(|operand| to.many(*operand).to_vec())
            .collect();
        let harmful = region_block(reduce.0, 0).is_some_and(may_harm);
        let identity: Vec<Attribute<'c>> = reduce
            .identity()
            .and_then(|attribute| ArrayAttribute::try_from(attribute).ok())
            .map(|array| {
                (0..array.len())
                    .filter_map(|index| array.element(index).ok())
                    .collect()
            })
            .unwrap_or_default();
        for register in 0..layout.register_count() {
            let Some(inside) = self.inside(&mut to.builder, &layout, register) else {
                continue;
            };
            for (values, operand) in inputs.iter_mut().zip(0..) {
                // Without one, what is combined with padding is padding itself.
                let Some(neutral) = identity.get(operand).copied() else {
                    if harmful {
                        let value = values[register];
                        values[register] =
                            self.without_garbage(&mut to.builder, &layout, register, value);
                    }
                    continue;
                };
                let ty = values[register].r#type();
                let neutral = to
                    .builder
                    .value("arith.constant", &[], &[("value", neutral)], ty);
                values[register] = to.builder.select(inside, values[register], neutral);
            }
        }
        inputs
    }

    /// Inlines the combiner.
    pub(super) fn combine(
        &mut self,
        to: &mut Rebuilder<'c>,
        body: Block<'c>,
        left: &[Value<'c>],
        right: &[Value<'c>],
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        for (argument, value) in arguments(body).into_iter().zip(left.iter().chain(right)) {
            to.bind(argument, vec![*value]);
        }
        let location = to.builder.location();
        for operation in operations(body) {
            if crate::ir::name(operation) == "gpu.yield" {
                to.builder.set_location(location);
                return Ok(operands(operation)
                    .into_iter()
                    .map(|value| to.one(value))
                    .collect());
            }
            to.operation(self, operation)?;
        }
        unreachable!("the region of a reduction ends in gpu.yield")
    }
}

/// Which lane a shuffle reads from.
#[derive(Clone, Copy)]
pub(super) enum Shuffle<'c> {
    /// The one whose number differs by XOR with this.
    Butterfly(u32),
    /// This one (`i32`).
    Index(Value<'c>),
}

/// A value of another lane: any type, in words of 32 bits.
pub(super) fn shuffle<'c>(
    builder: &mut Builder<'c>,
    value: Value<'c>,
    from: Shuffle<'c>,
) -> Value<'c> {
    let ty = value.r#type();
    let bits = crate::element_bits(ty) as u32;
    let word = builder.int_type(32);
    let int = builder.int_type(bits);
    let is_pointer = ty.to_string().starts_with("!llvm.ptr");
    let as_int = if ty == int {
        value
    } else if is_pointer {
        builder.value("llvm.ptrtoint", &[value], &[], int)
    } else {
        builder.value("arith.bitcast", &[value], &[], int)
    };
    let moved = match bits {
        32 => shuffle_word(builder, as_int, from),
        64 => {
            let pair = Type::vector(&[2], word);
            let halves = builder.value("llvm.bitcast", &[as_int], &[], pair);
            let halves = super::threads::elements(builder, halves, 2, word);
            let moved: Vec<_> = halves
                .into_iter()
                .map(|half| shuffle_word(builder, half, from))
                .collect();
            let packed = super::threads::pack(builder, &moved, word);
            builder.value("llvm.bitcast", &[packed], &[], int)
        }
        _ => {
            let wide = builder.int_cast(as_int, 32, false);
            let moved = shuffle_word(builder, wide, from);
            builder.int_cast(moved, bits, false)
        }
    };
    if ty == int {
        moved
    } else if is_pointer {
        builder.value("llvm.inttoptr", &[moved], &[], ty)
    } else {
        builder.value("arith.bitcast", &[moved], &[], ty)
    }
}

fn shuffle_word<'c>(builder: &mut Builder<'c>, value: Value<'c>, from: Shuffle<'c>) -> Value<'c> {
    let everyone = int(builder, -1);
    let (lane, kind) = match from {
        Shuffle::Butterfly(distance) => (int(builder, i64::from(distance)), "bfly"),
        Shuffle::Index(lane) => (lane, "idx"),
    };
    let clamp = int(builder, 31);
    let kind = builder.parse_attribute(&format!("#nvvm<shfl_kind {kind}>"));
    let word = builder.int_type(32);
    let operands = [everyone, value, lane, clamp];
    let shuffled = builder.insert("nvvm.shfl.sync", &operands, &[("kind", kind)], &[word]);
    crate::ir::result(shuffled, 0)
}
