//! `reductions`: a reduction whose axis is spread over warps becomes one inside each warp, an
//! exchange of the warps' results, and one of those.
//!
//! ```text
//! %s = tile.reduce %x axis 0 : tensor<4096xf32> on 8 warps
//!   ⇒  %p = tile.reduce %x axis 0 {partial} : tensor<8xf32>     one element per warp
//!      %q = tile.convert %p                                      all eight in each thread
//!      %s = tile.reduce %q axis 0
//! ```
//!
//! Where a thread has many results, and the lanes of a warp have parts of the same ones, it is a reduce-scatter: each lane keeps some of the results. Half of
//! them are exchanged for the first bit of a lane's number, a quarter for the next one, and so on. The warps' results are then read by the threads that need
//! them or, if that is every thread, by one each.
//!
//! Reductions to a scalar, of tiles that are all there at the first or can be computed of what is there, become one of several tiles: their shuffles go side
//! by side, and threads wait for each other once.

use std::collections::{HashMap, HashSet};

use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Module, Type, ValueLike};

use super::encoding::{Encodings, with_layout};
use super::{PassContext, each_operation, rebuild_functions, uses};
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::{Convert, Reduce, Scan};
use crate::dialect::{SEVERAL, TileOp, WARPS_APART, mixed_segments, several_segments};
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, TileType, Value, ValueKey, address, arguments, key, name, operations, region_block,
    results,
};
use crate::layout::Layout;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let encodings = Encodings::default();
    rebuild_functions(cx, &module, |function| {
        Ok(Reductions {
            cx,
            encodings: &encodings,
            users: uses(function),
            built: HashSet::new(),
        })
    })
}

struct Reductions<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    encodings: &'a Encodings,
    users: HashMap<ValueKey, Vec<Operation<'c>>>,
    /// Those that were built together with one before them, and what their tiles are computed from.
    built: HashSet<usize>,
}

/// Bits of the number of warps whose results every thread reads. Those of more warps are spread over the lanes of
/// each, where they are free: 128 results cost a thread 32 loads and 127 additions, or one load and five shuffles.
const MOST_IN_REGISTERS: usize = 4;

/// Bits of the number of results that a thread reads of all warps, where each has several (H200, softmax along the first of 512 x 32, eight results
/// of sixteen warps: 404 bytes of spills and 224 us for 98).
const MOST_RESULTS: usize = 5;

/// The same of warps where a thread holds so many elements that there are no registers for more than a few results.
const MOST_BESIDE_ROWS: usize = 2;

/// Elements per thread from which on that is so.
const LONG_ROW: usize = 64;

/// Results of a thread from which on lanes keep some of them each.
const MANY_RESULTS: usize = 8;

/// Shuffles and reads of results from which on it pays to have them in the threads that need them by way of shared memory once more (H200,
/// running sums down 64 x 64: 152 us with them, 142 without; softmax down 512 x 32: 51 and 55).
const WORTH_A_BARRIER: u64 = 48;

/// Results of all warps that a thread reads at most to have its own at once.
const MOST_READ: u64 = 32;

/// A reduction in which each lane keeps some of the results.
struct ReduceScatter {
    /// The layout of the warps' results.
    partial: Layout,
    /// That of those that a thread reads.
    gathered: Layout,
    /// Whether they are read where the result is brought to.
    is_brought: bool,
}

/// The layout of the warps' results of a reduction along an axis of which each lane has some, if a thread has many in `partial` and the lanes of its warp parts of
/// the same.
fn scattered(layout: &Layout, axis: usize, partial: &Layout) -> Option<Layout> {
    let is_whole = partial.repeat().iter().all(|times| times.is_power_of_two());
    if partial.register_count() < MANY_RESULTS || !is_whole {
        return None;
    }
    let mut registers = partial.register_bases().to_vec();
    for (dimension, (block, times)) in partial.block().iter().zip(partial.repeat()).enumerate() {
        registers.extend((0..times.ilog2()).map(|bit| {
            let mut basis = vec![0; partial.rank()];
            basis[dimension] = (*block as u32) << bit;
            basis
        }));
    }
    let mut lanes = partial.lane_bases().to_vec();
    for (own, lane) in layout.lane_bases().iter().zip(&mut lanes) {
        if own[axis] != 0 && lane.iter().all(|part| *part == 0) {
            // Two neighbours stay together as long as there are others: they are written at once, and what lanes have between them is in other banks.
            let last = registers.len().checked_sub(1)?;
            *lane = registers.remove(last.min(1));
        }
    }
    let is_scattered = lanes != partial.lane_bases();
    let warps = partial.warp_bases().to_vec();
    let made = Layout::new(partial.shape().to_vec(), registers, lanes, warps);
    let made = made.and_then(|made| made.with_warp_count(partial.warp_count()));
    made.ok().filter(|_| is_scattered)
}

/// The layout of a tile of which each thread has as little as can be.
fn spread(shape: &[u64], warps: u32) -> Layout {
    let ones = vec![1; shape.len()];
    let along_last = |size: u64| {
        let mut sizes = ones.clone();
        *sizes.last_mut().expect("it has a dimension") = size;
        sizes
    };
    let order: Vec<_> = (0..shape.len()).rev().collect();
    Layout::of_warps(warps, |warps| {
        Layout::blocked(
            shape,
            &ones,
            &along_last(32),
            &along_last(warps.into()),
            &order,
        )
    })
}

/// A layout, with as many results along an axis in each thread.
fn with_all(layout: &Layout, axis: usize, count: u64) -> Option<Layout> {
    let inside = layout.insert_dimension(axis);
    let mut shape = inside.shape().to_vec();
    shape[axis] = count;
    let place = |bit: u32| {
        let mut basis = vec![0; shape.len()];
        basis[axis] = 1 << bit;
        basis
    };
    let mut registers: Vec<_> = (0..count.ilog2()).map(place).collect();
    registers.extend(inside.register_bases().iter().cloned());
    let (lanes, warps) = (inside.lane_bases().to_vec(), inside.warp_bases().to_vec());
    let made = Layout::new(shape.clone(), registers, lanes, warps);
    made.and_then(|made| made.with_warp_count(layout.warp_count()))
        .ok()
}

/// The layouts of the warps' results: one element per warp along the axis, and all of them in every
/// thread, or in every warp if there are more than `most` bits of them.
fn exchange(layout: &Layout, axis: usize, most: usize) -> Option<(Layout, Layout)> {
    let along = |basis: &Vec<u32>| basis[axis] != 0;
    let count = layout
        .warp_bases()
        .iter()
        .filter(|basis| along(basis))
        .count();
    if count == 0 {
        return None;
    }
    let inside = layout.remove_dimension(axis).insert_dimension(axis);
    let mut shape = inside.shape().to_vec();
    shape[axis] = 1 << count;
    let mut next = 1u32;
    let warps = inside
        .warp_bases()
        .iter()
        .zip(layout.warp_bases())
        .map(|(basis, original)| {
            let mut basis = basis.clone();
            if along(original) {
                basis[axis] = next;
                next *= 2;
            }
            basis
        })
        .collect();
    let lanes = inside.lane_bases().to_vec();
    // `layouts` reduces along no axis along which warps are missing.
    let of_all_warps = |registers, lanes, warps| {
        Layout::new(shape.clone(), registers, lanes, warps)
            .and_then(|made| made.with_warp_count(layout.warp_count()))
            .expect("what a warp has along a reduced axis is in a warp that is there")
    };
    let partial = of_all_warps(inside.register_bases().to_vec(), lanes.clone(), warps);
    let mut lanes = lanes;
    let free: Vec<usize> = (0..lanes.len())
        .filter(|lane| lanes[*lane].iter().all(|part| *part == 0))
        .collect();
    let in_lanes = match count > most {
        true => free.len().min(count),
        false => 0,
    };
    let place = |bit: usize| {
        let mut basis = vec![0; shape.len()];
        basis[axis] = 1 << bit;
        basis
    };
    let in_registers = count - in_lanes;
    let mut registers: Vec<Vec<u32>> = (0..in_registers).map(place).collect();
    for (lane, bit) in free.into_iter().zip(in_registers..count) {
        lanes[lane] = place(bit);
    }
    registers.extend(inside.register_bases().iter().cloned());
    let gathered = of_all_warps(registers, lanes, inside.warp_bases().to_vec());
    Some((partial, gathered))
}

impl<'c> Reductions<'_, '_, 'c> {
    /// A scan over warps gets what each warp has in all; the lowering combines those before its own.
    fn scan(&mut self, to: &mut Rebuilder<'c>, scan: Scan<'c>) -> Result<bool, Diagnostic> {
        let axis = scan.axis() as usize;
        let layout = self.encodings.layout(scan.result());
        // The lowering of scans combines what each thread has read.
        let Some((partial, gathered)) = exchange(&layout, axis, usize::MAX) else {
            return Ok(false);
        };
        let Some(body) = region_block(scan.0, 0) else {
            return Ok(false);
        };
        let context = self.cx.context;
        let old: Vec<_> = scan
            .operands()
            .iter()
            .map(|operand| to.one(*operand))
            .collect();
        let partial_types: Vec<_> = old
            .iter()
            .map(|value| with_layout(context, value.r#type(), &partial))
            .collect();
        let segments: Vec<_> = several_segments(old.len()).collect();
        let segments = to.builder.ints32(&segments);
        let axis_attribute = to.builder.int(axis as i64);
        let none = ArrayAttribute::new(context, &[]).into();
        let reverse = to.builder.int(scan.reverse());
        // In order: the combiner need not be commutative.
        let attributes = [
            ("axis", axis_attribute),
            ("reverse", reverse),
            ("identity", none),
            ("partial", to.builder.int(WARPS_APART)),
            ("ordered", to.builder.int(1)),
            ("operandSegmentSizes", segments),
            ("resultSegmentSizes", segments),
        ];
        let region = to.region_of(self, body)?;
        let totals = to.builder.insert_with_regions(
            "tile.reduce",
            &old,
            &attributes,
            &partial_types,
            vec![region],
        );
        let mut list = old.clone();
        for total in results(totals) {
            let ty = with_layout(context, total.r#type(), &gathered);
            list.push(to.builder.value("tile.convert", &[total], &[], ty));
        }
        let sizes: Vec<_> = several_segments(old.len())
            .chain(mixed_segments(old.len()))
            .collect();
        let attributes = [
            ("axis", axis_attribute),
            ("reverse", reverse),
            ("operandSegmentSizes", to.builder.ints32(&sizes)),
            ("resultSegmentSizes", segments),
        ];
        let region = to.region_of(self, body)?;
        let types: Vec<_> = old.iter().map(ValueLike::r#type).collect();
        let new =
            to.builder
                .insert_with_regions("tile.scan", &list, &attributes, &types, vec![region]);
        to.bind_results(scan.0, new);
        Ok(true)
    }
}

/// Operations at most that are computed earlier for one more reduction.
const MOST_AHEAD: usize = 8;

/// Reductions of tiles that lie alike, as one.
struct Joined<'c> {
    members: Vec<Reduce<'c>>,
    /// What their tiles are computed from that is not there yet, in order.
    ahead: Vec<Operation<'c>>,
    axis: usize,
    identity: Attribute<'c>,
}

impl<'c> Joined<'c> {
    fn operands(&self) -> Vec<Value<'c>> {
        self.members
            .iter()
            .flat_map(|reduce| reduce.operands())
            .collect()
    }

    fn results(&self) -> Vec<Value<'c>> {
        self.members
            .iter()
            .flat_map(|reduce| results(reduce.0))
            .collect()
    }

    /// Builds it for these operands.
    fn build(
        &self,
        to: &mut Rebuilder<'c>,
        rewrite: &mut Reductions<'_, '_, 'c>,
        operands: &[Value<'c>],
        types: &[Type<'c>],
        partial: i64,
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let elements: Vec<_> = operands
            .iter()
            .map(|value| crate::ir::element_type(value.r#type()))
            .collect();
        let given = [elements.as_slice(), elements.as_slice()].concat();
        let region = to.region(&given, |to, given| {
            let (left, right) = given.split_at(operands.len());
            let mut first = 0;
            let mut combined = Vec::new();
            for reduce in &self.members {
                let Some(body) = region_block(reduce.0, 0) else {
                    continue;
                };
                let old = arguments(body);
                let count = old.len() / 2;
                let own = first..first + count;
                let new = left[own.clone()].iter().chain(&right[own]);
                for (old, new) in old.iter().zip(new) {
                    to.bind(*old, vec![*new]);
                }
                for operation in operations(body) {
                    if name(operation) == "gpu.yield" {
                        let list = crate::ir::operands(operation);
                        combined.extend(list.iter().map(|value| to.one(*value)));
                    } else {
                        to.operation(rewrite, operation)?;
                    }
                }
                first += count;
            }
            to.builder.insert("gpu.yield", &combined, &[], &[]);
            Ok(())
        })?;
        let segments: Vec<_> = several_segments(operands.len()).collect();
        let segments = to.builder.ints32(&segments);
        let attributes = [
            ("axis", to.builder.int(self.axis as i64)),
            ("identity", self.identity),
            ("partial", to.builder.int(partial)),
            ("operandSegmentSizes", segments),
            ("resultSegmentSizes", segments),
        ];
        let new = to.builder.insert_with_regions(
            "tile.reduce",
            operands,
            &attributes,
            types,
            vec![region],
        );
        Ok(results(new))
    }
}

impl<'c> Reductions<'_, '_, 'c> {
    /// How a reduction whose warps would give `partial` is a reduce-scatter, if it is worth it.
    fn scatter(
        &self,
        layout: &Layout,
        axis: usize,
        partial: &Layout,
        result: Value<'c>,
    ) -> Option<ReduceScatter> {
        let partial = scattered(layout, axis, partial)?;
        let count = partial.shape()[axis];
        let users = self.users.get(&key(result)).map(Vec::as_slice);
        let convert = match users {
            Some([user]) => Convert::of(*user),
            _ => None,
        };
        let few = |to: &Layout| to.register_count() as u64 * count <= MOST_READ;
        let brought = convert.map(|convert| self.encodings.layout(convert.result()));
        let brought = brought.filter(|to| few(to));
        let is_brought = brought.is_some();
        let gathered = match brought {
            Some(to) => with_all(&to, axis, count),
            None => {
                let inside = layout.remove_dimension(axis);
                let lanes = layout.lane_bases().iter();
                let shuffles = lanes.filter(|basis| basis[axis] != 0).count() as u64;
                let each = shuffles + u64::from(count.ilog2());
                if inside.register_count() as u64 * each < WORTH_A_BARRIER {
                    return None;
                }
                with_all(&spread(inside.shape(), layout.warp_count()), axis, count)
            }
        };
        Some(ReduceScatter {
            partial,
            gathered: gathered?,
            is_brought,
        })
    }

    /// A reduction with those after it in its block that could be computed at the same time.
    fn joined(&self, to: &Rebuilder<'c>, first: Reduce<'c>) -> Joined<'c> {
        let axis = first.axis() as usize;
        let layout = self.encodings.layout(first.operands()[0]);
        let neutral = |reduce: Reduce<'c>| -> Vec<Attribute<'c>> {
            let list = reduce
                .identity()
                .and_then(|list| ArrayAttribute::try_from(list).ok());
            let list = list.iter();
            list.flat_map(|list| (0..list.len()).filter_map(|index| list.element(index).ok()))
                .collect()
        };
        let (mut members, mut ahead) = (vec![first], Vec::new());
        let mut identity = neutral(first);
        let mut count = first.operands().len();
        let is_complete = identity.len() == count;
        let block = first.0.block().map(crate::ffi::block);
        let all = block.map(operations).unwrap_or_default();
        let after = all
            .into_iter()
            .skip_while(|operation| *operation != first.0)
            .skip(1);
        for next in after.filter_map(Reduce::of).filter(|_| is_complete) {
            let operands = next.operands();
            let more = neutral(next);
            // Of those that give tiles, too much would be in registers at once.
            let are_scalars = [first, next].iter().all(|reduce| {
                let all = results(reduce.0);
                all.len() == 1 && TileType::of(all[0]).is_none()
            });
            let fits = next.partial() == 0
                && next.axis() as usize == axis
                && are_scalars
                && captured(next.0).all(|value| to.is_bound(value))
                && self.encodings.layout(operands[0]) == layout
                && more.len() == operands.len()
                && count + operands.len() <= SEVERAL;
            let known = ahead.len();
            let is_there =
                |value: &Value<'c>| computable(to, *value, known + MOST_AHEAD, &mut ahead);
            if !fits || !operands.iter().all(is_there) {
                ahead.truncate(known);
                continue;
            }
            count += operands.len();
            identity.extend(more);
            members.push(next);
        }
        Joined {
            members,
            ahead,
            axis,
            identity: ArrayAttribute::new(self.cx.context, &identity).into(),
        }
    }
}

/// Whether a value is there, or is computed element by element of what is: adds what is missing, so many operations at most.
fn computable<'c>(
    to: &Rebuilder<'c>,
    value: Value<'c>,
    most: usize,
    list: &mut Vec<Operation<'c>>,
) -> bool {
    if to.is_bound(value) {
        return true;
    }
    let Some(operation) = defining_operation(value) else {
        return false;
    };
    if list.contains(&operation) {
        return true;
    }
    let is_plain = ["arith.", "math."]
        .iter()
        .any(|dialect| name(operation).starts_with(dialect));
    let mut parts = crate::ir::operands(operation).into_iter();
    let is_there = is_plain && parts.all(|part| computable(to, part, most, list));
    if is_there {
        list.push(operation);
    }
    is_there && list.len() <= most
}

/// What a reduction's function uses of the values outside of it.
fn captured<'c>(reduce: Operation<'c>) -> impl Iterator<Item = Value<'c>> {
    let body = region_block(reduce, 0);
    let mut own: HashSet<_> = body.map(arguments).into_iter().flatten().map(key).collect();
    let mut used = Vec::new();
    each_operation(reduce, &mut |inner| {
        used.extend(crate::ir::operands(inner));
        own.extend(results(inner).into_iter().map(key));
        for index in 0..inner.region_count() {
            let nested = region_block(inner, index).map(arguments);
            own.extend(nested.into_iter().flatten().map(key));
        }
    });
    used.into_iter()
        .filter(move |value| !own.contains(&key(*value)))
}

impl<'c> Rewrite<'c> for Reductions<'_, '_, 'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if self.built.contains(&address(operation)) {
            return Ok(true);
        }
        let reduce = match TileOp::of(operation) {
            Some(TileOp::Reduce(reduce)) if reduce.partial() != 0 => return Ok(false),
            Some(TileOp::Reduce(reduce)) => reduce,
            Some(TileOp::Scan(scan)) => return self.scan(to, scan),
            _ => return Ok(false),
        };
        let joined = self.joined(to, reduce);
        for one in &joined.ahead {
            to.operation(self, *one)?;
            self.built.insert(address(*one));
        }
        let later = joined.members[1..].iter();
        self.built.extend(later.map(|reduce| address(reduce.0)));
        let axis = joined.axis;
        let layout = self.encodings.layout(reduce.operands()[0]);
        let wanted = joined.results();
        let types: Vec<_> = wanted.iter().map(ValueLike::r#type).collect();
        let old: Vec<_> = joined
            .operands()
            .iter()
            .map(|operand| to.one(*operand))
            .collect();
        let results = layout.remove_dimension(axis).register_count();
        let most = match layout.register_count() >= LONG_ROW {
            true => MOST_BESIDE_ROWS,
            false => MOST_IN_REGISTERS,
        };
        let most = most.min(MOST_RESULTS.saturating_sub(results.ilog2() as usize));
        let Some((mut partial, mut gathered)) = exchange(&layout, axis, most) else {
            if joined.members.len() == 1 {
                return Ok(false);
            }
            let new = joined.build(to, self, &old, &types, 0)?;
            for (old, new) in wanted.into_iter().zip(new) {
                to.bind(old, vec![new]);
            }
            return Ok(true);
        };
        let mut is_brought = false;
        if let [result] = wanted[..]
            && let Some(scatter) = self.scatter(&layout, axis, &partial, result)
        {
            is_brought = scatter.is_brought;
            (partial, gathered) = (scatter.partial, scatter.gathered);
        }
        let context = self.cx.context;
        let elements: Vec<_> = old
            .iter()
            .map(|value| crate::ir::element_type(value.r#type()))
            .collect();
        let with = |layout: &Layout| -> Vec<_> {
            let elements = elements.iter();
            elements
                .map(|element| with_layout(context, *element, layout))
                .collect()
        };
        let inside = joined.build(to, self, &old, &with(&partial), WARPS_APART)?;
        let exchanged: Vec<_> = inside
            .into_iter()
            .zip(with(&gathered))
            .map(|(value, ty)| to.builder.value("tile.convert", &[value], &[], ty))
            .collect();
        let reduced = with(&gathered.remove_dimension(axis));
        let among: Vec<_> = wanted
            .iter()
            .zip(reduced)
            .map(|(value, reduced)| match TileType::of(*value) {
                Some(_) => reduced,
                None => value.r#type(),
            })
            .collect();
        let among = joined.build(to, self, &exchanged, &among, 0)?;
        for ((old, new), wanted) in wanted.into_iter().zip(among).zip(types) {
            // The result's layout is the same map; a different spelling is a conversion of nothing.
            let value = match new.r#type() == wanted || is_brought {
                true => new,
                false => to.builder.value("tile.convert", &[new], &[], wanted),
            };
            to.bind(old, vec![value]);
        }
        Ok(true)
    }
}
