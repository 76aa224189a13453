//! Shape operations: no instructions, only which register holds what.

use melior::ir::Type;

use super::ToLlvm;
use super::reduce::{Shuffle, shuffle};
use super::threads::{elements, int, pack};
use crate::build::{Builder, Rebuilder};
use crate::conversions::{inside_warps, pairs_between};
use crate::dialect::ops::{
    Arange, Broadcast, Convert, ExchangePairs, Expand, Part, Permute, Reshape,
};
use crate::dialect::predicates;
use crate::ir::Value;
use crate::layout::{Conversion, Exchange, Layout, ShufflePlan, ThreadBit};

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn arange(&mut self, to: &mut Rebuilder<'c>, arange: Arange<'c>) {
        let layout = self.encodings.layout(arange.result());
        let lo = arange.lo();
        let registers = self.per_register(&layout, |register| {
            let coordinate = self.coordinate(&mut to.builder, &layout, 0, register);
            if lo == 0 {
                return coordinate;
            }
            let lo = int(&mut to.builder, lo);
            to.builder.add(coordinate, lo)
        });
        to.bind(arange.result(), registers);
    }

    /// Registers of the result from registers of the operand: `map` gives the coordinates of the
    /// operand's element for those of the result's.
    fn gather(
        &self,
        to: &mut Rebuilder<'c>,
        operand: Value<'c>,
        result: Value<'c>,
        map: impl Fn(&[u64], &Layout) -> Vec<u64>,
    ) {
        let from = self.encodings.layout(operand);
        let wanted = self.encodings.layout(result);
        let source = to.many(operand).to_vec();
        let registers = (0..wanted.register_count())
            .map(|register| {
                let coordinates = map(&wanted.register_coordinates(register), &from);
                let register = from
                    .register_with_coordinates(&coordinates)
                    .expect("layouts gave the operand the layout this operation needs");
                source[register]
            })
            .collect();
        to.bind(result, registers);
    }

    pub(super) fn expand(&mut self, to: &mut Rebuilder<'c>, expand: Expand<'c>) {
        let axis = expand.axis() as usize;
        self.gather(to, expand.operand(), expand.result(), |coordinates, _| {
            let mut coordinates = coordinates.to_vec();
            coordinates.remove(axis);
            coordinates
        });
    }

    pub(super) fn broadcast(&mut self, to: &mut Rebuilder<'c>, broadcast: Broadcast<'c>) {
        self.gather(
            to,
            broadcast.operand(),
            broadcast.result(),
            |coordinates, from| {
                coordinates
                    .iter()
                    .zip(from.shape())
                    .map(|(coordinate, size)| if *size == 1 { 0 } else { *coordinate })
                    .collect()
            },
        );
    }

    pub(super) fn permute(&mut self, to: &mut Rebuilder<'c>, permute: Permute<'c>) {
        let permutation = permute.permutation();
        self.gather(to, permute.operand(), permute.result(), |coordinates, _| {
            let mut original = vec![0; coordinates.len()];
            for (position, axis) in permutation.iter().enumerate() {
                original[*axis as usize] = coordinates[position];
            }
            original
        });
    }

    pub(super) fn part(&mut self, to: &mut Rebuilder<'c>, part: Part<'c>) {
        let starts = part.starts();
        self.gather(to, part.operand(), part.result(), |coordinates, _| {
            let places = coordinates.iter().zip(&starts);
            places
                .map(|(coordinate, start)| coordinate + *start as u64)
                .collect()
        });
    }

    pub(super) fn reshape(&mut self, to: &mut Rebuilder<'c>, reshape: Reshape<'c>) {
        let from = self.encodings.layout(reshape.operand());
        let wanted = self.encodings.layout(reshape.result());
        let source = to.many(reshape.operand()).to_vec();
        let order = from
            .reshaped_registers(&wanted)
            .expect("layouts reshapes what can be");
        to.bind(
            reshape.result(),
            order.into_iter().map(|register| source[register]).collect(),
        );
    }

    pub(super) fn convert(&mut self, to: &mut Rebuilder<'c>, convert: Convert<'c>) {
        let from = self.encodings.layout(convert.operand());
        let wanted = self.encodings.layout(convert.result());
        let source = to.many(convert.operand()).to_vec();
        let plan =
            inside_warps(&from, &wanted).expect("other conversions went through shared memory");
        let registers = match plan {
            Conversion::Registers(moves) => moves.into_iter().map(|r| source[r]).collect(),
            Conversion::Shuffles(plan) => {
                self.exchange_lanes(&mut to.builder, &plan, &source, &wanted)
            }
            Conversion::Identity | Conversion::Shared => source,
        };
        to.bind(convert.result(), registers);
    }

    /// Pairs of 8-bit elements travel in a word.
    pub(super) fn exchange_pairs(&mut self, to: &mut Rebuilder<'c>, exchange: ExchangePairs<'c>) {
        let [from, wanted] =
            [exchange.operand(), exchange.result()].map(|value| self.encodings.layout(value));
        let plan = pairs_between(&from, &wanted, 8).expect("layouts asked for what there is");
        let pairs = wanted.of_pairs().expect("the plan is one of pairs");
        let source = to.many(exchange.operand()).to_vec();
        let builder = &mut to.builder;
        let [byte, half, word] = [8, 16, 32].map(|bits| builder.int_type(bits));
        let words: Vec<_> = source
            .chunks(2)
            .map(|pair| {
                let pair = pack(builder, pair, byte);
                let pair = builder.value("llvm.bitcast", &[pair], &[], half);
                // What is in the upper half is nobody's.
                let nothing = builder.value("llvm.mlir.poison", &[], &[], half);
                let pair = pack(builder, &[pair, nothing], half);
                builder.value("llvm.bitcast", &[pair], &[], word)
            })
            .collect();
        let words = self.exchange_lanes(builder, &plan, &words, &pairs);
        let vector = Type::vector(&[2], byte);
        let registers = words.into_iter().flat_map(|pair| {
            let pair = builder.value("llvm.trunc", &[pair], &[], half);
            let pair = builder.value("llvm.bitcast", &[pair], &[], vector);
            elements(builder, pair, 2, byte)
        });
        let registers = registers.collect();
        to.bind(exchange.result(), registers);
    }

    /// Emits a shuffle plan; see [`ShufflePlan`] for what its steps mean.
    fn exchange_lanes(
        &self,
        builder: &mut Builder<'c>,
        plan: &ShufflePlan,
        source: &[Value<'c>],
        wanted: &Layout,
    ) -> Vec<Value<'c>> {
        let mut slots: Vec<Option<Value<'c>>> = plan
            .first_slots
            .iter()
            .map(|register| register.map(|register| source[register]))
            .collect();
        for exchange in &plan.before {
            slots = self.exchange_slots(builder, *exchange, &slots);
        }
        let lane = self.source_lane(builder, plan);
        let mut moved: Vec<Option<Value<'c>>> = vec![None; plan.last_slots];
        for round in &plan.rounds {
            let Some(value) = slots[round.source] else {
                continue;
            };
            let flip = int(builder, i64::from(round.lane_xor));
            let from = builder.binary("arith.xori", lane, flip);
            moved[round.destination] = Some(shuffle(builder, value, Shuffle::Index(from)));
        }
        for exchange in &plan.after {
            moved = self.exchange_slots(builder, *exchange, &moved);
        }
        plan.result_slots
            .iter()
            .enumerate()
            .map(|(register, slot)| {
                // Padding that comes from padding has no value; any will do.
                let padding = || wanted.may_be_padding(register).then(|| source[0]);
                moved[*slot]
                    .or_else(padding)
                    .expect("a plan fills the slots of its result")
            })
            .collect()
    }

    fn exchange_slots(
        &self,
        builder: &mut Builder<'c>,
        exchange: Exchange,
        slots: &[Option<Value<'c>>],
    ) -> Vec<Option<Value<'c>>> {
        let bit = self.thread_bit(builder, exchange.bit);
        let zero = int(builder, 0);
        let set = builder.compare_int(predicates::NE, bit, zero);
        (0..slots.len())
            .map(|slot| match (slots[slot ^ exchange.mask], slots[slot]) {
                (Some(other), Some(own)) => Some(builder.select(set, other, own)),
                (other, own) => other.or(own),
            })
            .collect()
    }

    /// The thread-dependent part of the lane to read from.
    fn source_lane(&self, builder: &mut Builder<'c>, plan: &ShufflePlan) -> Value<'c> {
        let mut lanes = vec![0; 5];
        let mut warps = vec![0; self.warps.next_power_of_two().trailing_zeros() as usize];
        for (bit, mask) in &plan.source_lane {
            match bit {
                ThreadBit::Lane(bit) => lanes[*bit as usize] = *mask,
                ThreadBit::Warp(bit) => warps[*bit as usize] = *mask,
            }
        }
        self.linear(builder, &lanes, &warps)
    }

    /// A bit of the thread's number, zero or not.
    fn thread_bit(&self, builder: &mut Builder<'c>, bit: ThreadBit) -> Value<'c> {
        let (number, bit) = match bit {
            ThreadBit::Lane(bit) => (self.lane(builder), bit),
            ThreadBit::Warp(bit) => (self.warp(builder), bit),
        };
        let mask = int(builder, 1 << bit);
        builder.and(number, mask)
    }
}
