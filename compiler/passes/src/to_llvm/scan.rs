//! Scans: along the registers of each thread, then among lanes, then with what earlier warps have.
//!
//! `layouts` chose a layout in which a thread holds a run of neighbours along the axis, lanes follow
//! each other and then warps. So everything before an element is in lower registers of its thread, in
//! lower lanes, or in lower warps, and each of the three is one step:
//!
//! ```text
//! registers   1 1 1 1 | 1 1 1 1 | …   →   1 2 3 4 | 1 2 3 4 | …
//! totals      4 | 4 | 4 | …           →   . | 4 | 8 | …            from lower lanes and warps
//! results     1 2 3 4 | 5 6 7 8 | …
//! ```
//!
//! What products give has runs of two in lanes of four, and what rows are loaded to a vector for each lane, and then the next run of each
//! thread: such a *segment* of runs begins with what all before it have together.
//!
//! Padding lies behind all elements of its row, where nothing that is kept depends on it. In reverse, where there is none,
//! "before" and "lower" are the other way round.

use std::collections::BTreeMap;

use super::ToLlvm;
use super::map::may_harm;
use super::reduce::{Shuffle, shuffle};
use super::threads::int;
use crate::build::{Builder, Rebuilder};
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::Scan;
use crate::dialect::predicates;
use crate::ir::{Block, Value, region_block, results};
use crate::layout::Layout;

impl<'c> ToLlvm<'_, '_, 'c> {
    pub(super) fn scan(
        &mut self,
        to: &mut Rebuilder<'c>,
        scan: Scan<'c>,
    ) -> Result<(), Diagnostic> {
        let axis = scan.axis() as usize;
        let layout = self.encodings.layout(scan.result());
        let body = region_block(scan.0, 0).expect("verified region");
        let mut inputs: Vec<Vec<Value<'c>>> = scan
            .operands()
            .iter()
            .map(|operand| to.many(*operand).to_vec())
            .collect();
        if may_harm(body) {
            for register in layout.distinct_registers() {
                for values in &mut inputs {
                    let value = values[register];
                    values[register] =
                        self.without_garbage(&mut to.builder, &layout, register, value);
                }
            }
        }
        let carry = scan.carry();
        let totals: Vec<Vec<Value<'c>>> =
            carry.iter().map(|total| to.many(*total).to_vec()).collect();
        let totals_layout = carry.first().map(|total| self.encodings.layout(*total));
        let mut rows: BTreeMap<Vec<u64>, Vec<usize>> = BTreeMap::new();
        for register in layout.distinct_registers() {
            let mut coordinates = layout.register_coordinates(register);
            coordinates.remove(axis);
            rows.entry(coordinates).or_default().push(register);
        }
        let mut scanned: Vec<Vec<Option<Value<'c>>>> =
            vec![vec![None; layout.register_count()]; inputs.len()];
        let segment = segment(&layout, axis);
        let reverse = scan.reverse() != 0;
        for (row, mut registers) in rows {
            let place = |register: &usize| layout.register_coordinates(*register)[axis];
            registers.sort_by_key(place);
            if reverse {
                registers.reverse();
            }
            // What each warp has in all. A layout in which another segment follows has no warps along the axis.
            let mut earlier = Vec::new();
            if let Some(layout) = &totals_layout {
                let warps = layout.shape()[axis];
                for warp in 0..warps {
                    let mut at = row.clone();
                    at.insert(axis, warp);
                    let register = layout
                        .register_with_coordinates(&at)
                        .expect("every thread has the totals of its row");
                    earlier.push(totals.iter().map(|values| values[register]).collect());
                }
            }
            // What the segments before have together.
            let mut carried: Option<Vec<Value<'c>>> = None;
            let mut segments = registers
                .chunk_by(|a, b| place(a) / segment == place(b) / segment)
                .peekable();
            while let Some(registers) = segments.next() {
                let mut runs: Vec<Vec<Value<'c>>> = Vec::new();
                for register in registers {
                    let own: Vec<_> = inputs.iter().map(|values| values[*register]).collect();
                    let next = match runs.last() {
                        Some(before) => {
                            let before = before.clone();
                            self.combine(to, body, &before, &own)?
                        }
                        None => own,
                    };
                    runs.push(next);
                }
                let total = runs.last().cloned().unwrap_or_default();
                let (lanes, sum) =
                    self.before_in_warp(to, body, (&layout, axis, reverse), total)?;
                let mut before =
                    self.before_in_program(to, body, (&layout, axis, reverse), lanes, &earlier)?;
                if let Some(carried) = &carried {
                    before = Some(match before {
                        Some(before) => {
                            let both = self.combine(to, body, carried, &before.values)?;
                            let exists = before.exists.expect("lanes have a first one");
                            Before {
                                values: choose(&mut to.builder, exists, &both, carried),
                                exists: None,
                            }
                        }
                        None => Before {
                            values: carried.clone(),
                            exists: None,
                        },
                    });
                }
                for (register, run) in registers.iter().zip(runs) {
                    let values = match &before {
                        Some(before) => self.combine_if(to, body, before, run)?,
                        None => run,
                    };
                    for (results, value) in scanned.iter_mut().zip(values) {
                        results[*register] = Some(value);
                    }
                }
                if segments.peek().is_some() {
                    let all = self.of_last_lane(&mut to.builder, (&layout, axis, reverse), &sum);
                    carried = Some(match carried {
                        Some(carried) => self.combine(to, body, &carried, &all)?,
                        None => all,
                    });
                }
            }
        }
        for (result, values) in results(scan.0).into_iter().zip(scanned) {
            let all = (0..layout.register_count())
                .filter_map(|register| values[layout.register_representative(register)])
                .collect();
            to.bind(result, all);
        }
        Ok(())
    }

    /// What the lanes before this one have together, and what they have with this one, given what each has.
    fn before_in_warp(
        &mut self,
        to: &mut Rebuilder<'c>,
        body: Block<'c>,
        (layout, axis, reverse): (&Layout, usize, bool),
        total: Vec<Value<'c>>,
    ) -> Result<(Option<Before<'c>>, Vec<Value<'c>>), Diagnostic> {
        let bits: Vec<usize> = (0..5)
            .filter(|bit| layout.lane_bases()[*bit][axis] != 0)
            .collect();
        if bits.is_empty() {
            return Ok((None, total));
        }
        let mut sum = total;
        let mut below = 0i64;
        for bit in &bits {
            // The upper half of 2^(n+1) lanes takes what the last lane of the lower half has.
            let set = self.lane_bit(&mut to.builder, *bit);
            let builder = &mut to.builder;
            let lane = self.lane(builder);
            let source = match reverse {
                true => {
                    let others = int(builder, !below);
                    let half = int(builder, 1 << bit);
                    let first = builder.and(lane, others);
                    builder.binary("arith.ori", first, half)
                }
                false => {
                    let ones = int(builder, below);
                    let mask = int(builder, !(1 << bit));
                    let last = builder.binary("arith.ori", lane, ones);
                    builder.and(last, mask)
                }
            };
            let other: Vec<_> = sum
                .iter()
                .map(|value| shuffle(builder, *value, Shuffle::Index(source)))
                .collect();
            let both = self.combine(to, body, &other, &sum)?;
            sum = match reverse {
                true => choose(&mut to.builder, set, &sum, &both),
                false => choose(&mut to.builder, set, &both, &sum),
            };
            below |= 1 << bit;
        }
        // The lanes along the axis are neighbours: the layout has it fastest.
        let builder = &mut to.builder;
        let lane = self.lane(builder);
        let step = 1 << bits[0];
        let (step, first) = match reverse {
            true => (step, below),
            false => (-step, 0),
        };
        let step = int(builder, step);
        let source = builder.add(lane, step);
        let values = sum
            .iter()
            .map(|value| shuffle(builder, *value, Shuffle::Index(source)))
            .collect();
        let mask = int(builder, below);
        let masked = builder.and(lane, mask);
        let first = int(builder, first);
        let exists = builder.compare_int(predicates::NE, masked, first);
        let before = Before {
            values,
            exists: Some(exists),
        };
        Ok((Some(before), sum))
    }

    /// What the last lane along the axis has.
    fn of_last_lane(
        &mut self,
        builder: &mut Builder<'c>,
        (layout, axis, reverse): (&Layout, usize, bool),
        values: &[Value<'c>],
    ) -> Vec<Value<'c>> {
        let bits = layout.lane_bases().iter().enumerate();
        let along: i64 = bits
            .filter(|(_, base)| base[axis] != 0)
            .map(|(bit, _)| 1 << bit)
            .sum();
        if along == 0 {
            return values.to_vec();
        }
        let lane = self.lane(builder);
        let source = match reverse {
            true => {
                let others = int(builder, !along);
                builder.and(lane, others)
            }
            false => {
                let ones = int(builder, along);
                builder.binary("arith.ori", lane, ones)
            }
        };
        let of_last = |value: &Value<'c>| shuffle(builder, *value, Shuffle::Index(source));
        values.iter().map(of_last).collect()
    }

    /// The same with what earlier warps have.
    fn before_in_program(
        &mut self,
        to: &mut Rebuilder<'c>,
        body: Block<'c>,
        (layout, axis, reverse): (&Layout, usize, bool),
        lanes: Option<Before<'c>>,
        totals: &[Vec<Value<'c>>],
    ) -> Result<Option<Before<'c>>, Diagnostic> {
        let mut order: Vec<_> = totals.iter().enumerate().collect();
        let mut predicate = predicates::ULT;
        if reverse {
            order.reverse();
            predicate = predicates::UGT;
        }
        let Some((start, first)) = order.first().copied() else {
            return Ok(lanes);
        };
        // Which of the warps along the axis this is: their bits, lowest step first.
        let mut bits: Vec<(u32, usize)> = layout
            .warp_bases()
            .iter()
            .enumerate()
            .filter(|(_, basis)| basis[axis] != 0)
            .map(|(bit, basis)| (basis[axis], bit))
            .collect();
        bits.sort_unstable();
        let mut steps = vec![0; layout.warp_bases().len()];
        for (position, (_, bit)) in bits.iter().enumerate() {
            steps[*bit] = 1 << position;
        }
        let own = self.linear(&mut to.builder, &[0; 5], &steps);
        let mut sum = first.clone();
        for (warp, total) in order.into_iter().skip(1) {
            let number = int(&mut to.builder, warp as i64);
            let is_before = to.builder.compare_int(predicate, number, own);
            let more = self.combine(to, body, &sum, total)?;
            sum = choose(&mut to.builder, is_before, &more, &sum);
        }
        let start = int(&mut to.builder, start as i64);
        let exists = to.builder.compare_int(predicates::NE, own, start);
        let warps = Before {
            values: sum,
            exists: Some(exists),
        };
        let Some((lanes, has_lanes)) = lanes.and_then(|lanes| Some((lanes.values, lanes.exists?)))
        else {
            return Ok(Some(warps));
        };
        let both = self.combine_if(to, body, &warps, lanes)?;
        let values = choose(&mut to.builder, has_lanes, &both, &warps.values);
        let exists = to.builder.binary("arith.ori", has_lanes, exists);
        Ok(Some(Before {
            values,
            exists: Some(exists),
        }))
    }

    /// `before` combined with `values`, or `values` where nothing is before.
    fn combine_if(
        &mut self,
        to: &mut Rebuilder<'c>,
        body: Block<'c>,
        before: &Before<'c>,
        values: Vec<Value<'c>>,
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let both = self.combine(to, body, &before.values, &values)?;
        Ok(match before.exists {
            Some(exists) => choose(&mut to.builder, exists, &both, &values),
            None => both,
        })
    }
}

/// What lies before a thread's elements, if anything does.
struct Before<'c> {
    values: Vec<Value<'c>>,
    /// `None` where something always does.
    exists: Option<Value<'c>>,
}

/// Neighbours along an axis that are in registers of a thread and then in lanes.
fn segment(layout: &Layout, axis: usize) -> u64 {
    let steps = layout.lane_bases().iter().map(|base| base[axis]);
    match steps.max() {
        None | Some(0) => u64::MAX,
        Some(last) => 2 * u64::from(last),
    }
}

fn choose<'c>(
    builder: &mut Builder<'c>,
    condition: Value<'c>,
    then: &[Value<'c>],
    otherwise: &[Value<'c>],
) -> Vec<Value<'c>> {
    let pairs = then.iter().zip(otherwise);
    pairs
        .map(|(then, otherwise)| builder.select(condition, *then, *otherwise))
        .collect()
}
