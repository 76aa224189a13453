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
//! Padding lies behind all elements of its row, where nothing that is kept depends on it.

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
        for (row, mut registers) in rows {
            registers.sort_by_key(|register| layout.register_coordinates(*register)[axis]);
            let mut runs: Vec<Vec<Value<'c>>> = Vec::new();
            for register in &registers {
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
            let before = self.before_in_warp(to, body, &layout, axis, total)?;
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
            let before = self.before_in_program(to, body, &layout, axis, before, &earlier)?;
            for (register, run) in registers.into_iter().zip(runs) {
                let values = match &before {
                    Some(before) => self.combine_if(to, body, before, run)?,
                    None => run,
                };
                for (results, value) in scanned.iter_mut().zip(values) {
                    results[register] = Some(value);
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

    /// What the lanes before this one have together, given what each has.
    fn before_in_warp(
        &mut self,
        to: &mut Rebuilder<'c>,
        body: Block<'c>,
        layout: &Layout,
        axis: usize,
        total: Vec<Value<'c>>,
    ) -> Result<Option<Before<'c>>, Diagnostic> {
        let bits: Vec<usize> = (0..5)
            .filter(|bit| layout.lane_bases()[*bit][axis] != 0)
            .collect();
        if bits.is_empty() {
            return Ok(None);
        }
        let mut sum = total;
        let mut below = 0i64;
        for bit in &bits {
            // The upper half of 2^(n+1) lanes takes what the last lane of the lower half has.
            let set = self.lane_bit(&mut to.builder, *bit);
            let builder = &mut to.builder;
            let lane = self.lane(builder);
            let ones = int(builder, below);
            let mask = int(builder, !(1 << bit));
            let last = builder.binary("arith.ori", lane, ones);
            let source = builder.and(last, mask);
            let other: Vec<_> = sum
                .iter()
                .map(|value| shuffle(builder, *value, Shuffle::Index(source)))
                .collect();
            let both = self.combine(to, body, &other, &sum)?;
            sum = choose(&mut to.builder, set, &both, &sum);
            below |= 1 << bit;
        }
        // The lanes along the axis are neighbours: the layout has it fastest.
        let builder = &mut to.builder;
        let lane = self.lane(builder);
        let step = int(builder, -(1 << bits[0]));
        let source = builder.add(lane, step);
        let values = sum
            .iter()
            .map(|value| shuffle(builder, *value, Shuffle::Index(source)))
            .collect();
        let mask = int(builder, below);
        let masked = builder.and(lane, mask);
        let zero = int(builder, 0);
        let exists = builder.compare_int(predicates::NE, masked, zero);
        Ok(Some(Before { values, exists }))
    }

    /// The same with what earlier warps have.
    fn before_in_program(
        &mut self,
        to: &mut Rebuilder<'c>,
        body: Block<'c>,
        layout: &Layout,
        axis: usize,
        lanes: Option<Before<'c>>,
        totals: &[Vec<Value<'c>>],
    ) -> Result<Option<Before<'c>>, Diagnostic> {
        let Some(first) = totals.first() else {
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
        for (warp, total) in totals.iter().enumerate().skip(1) {
            let number = int(&mut to.builder, warp as i64);
            let is_before = to.builder.compare_int(predicates::ULT, number, own);
            let more = self.combine(to, body, &sum, total)?;
            sum = choose(&mut to.builder, is_before, &more, &sum);
        }
        let zero = int(&mut to.builder, 0);
        let exists = to.builder.compare_int(predicates::NE, own, zero);
        let warps = Before {
            values: sum,
            exists,
        };
        let Some(lanes) = lanes else {
            return Ok(Some(warps));
        };
        let both = self.combine_if(to, body, &warps, lanes.values)?;
        let values = choose(&mut to.builder, lanes.exists, &both, &warps.values);
        let exists = to.builder.binary("arith.ori", lanes.exists, warps.exists);
        Ok(Some(Before { values, exists }))
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
        Ok(choose(&mut to.builder, before.exists, &both, &values))
    }
}

/// What lies before a thread's elements, if anything does.
struct Before<'c> {
    values: Vec<Value<'c>>,
    exists: Value<'c>,
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
