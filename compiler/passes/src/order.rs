//! The order of programs: those that run at the same time should read the same memory, or neighbours.
//!
//! Products share operands. Programs start in the order of their numbers, axis 0 first: with a column of output tiles after
//! another, the programs that are there at once read all of A. In groups of some tiles along an axis they
//! make a rectangle, which reads the fewest bytes if it is as wide as it is high. That is so where one
//! operand goes by axis 0 and the other by axis 1; in attention both go by the head, and programs of
//! one head should stay together. `to-llvm` makes other
//! numbers of the hardware's ([`Group`]); each is there once, so a kernel cannot tell, unless it counts
//! on the order: one with atomics keeps its own.
//!
//! Numbers go along the axis of the group first, and neighbours read the same of the other operand at the same time, which
//! L2 then answers together: that should be the larger one (H100, routed experts with tiles of 64 x 256: 669 us along
//! the columns, 503 along the rows).
//!
//! Without a product each byte is read once, and DRAM is fastest where all that run read one stretch of memory: a
//! kernel whose axis 1 goes along rows and whose axis 0 goes from row to row runs along axis 1, in groups of one
//! (H100, `silu(gate) * up` of 8192 x 14336 in bf16 by tiles of 16 x 128: 3.00 TB/s for 2.87).

use std::collections::HashSet;

use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, ValueLike};

use crate::build::Builder;
use crate::dialect::TileOp;
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{
    Operation, TileType, Value, address, int_attribute, key, name, operands, region_block, yielded,
};
use crate::writes::unseen;
use crate::{each_operation, element_bits};

/// The attribute of a function whose programs run in groups: of how many along the axis of the group.
pub const GROUP: &str = "tile.group";

/// The attribute of a function whose programs run in groups along another axis than the first: which.
pub const GROUP_AXIS: &str = "tile.group_axis";

/// How often as large the operand that neighbours along axis 1 share has to be, for groups along that axis: those along axis 0
/// are what the hardware does, too.
const CLEARLY: u64 = 2;

/// How programs run in groups.
#[derive(Clone, Copy)]
pub struct Group {
    /// Programs of a group along its axis: a power of two.
    pub rows: i64,
    /// 0 or 1.
    pub axis: u32,
}

impl Group {
    /// The groups of a function, if it has any.
    pub fn of(function: Operation<'_>) -> Option<Self> {
        Some(Self {
            rows: int_attribute(function, GROUP)?,
            axis: int_attribute(function, GROUP_AXIS).unwrap_or(0) as u32,
        })
    }

    /// The attributes that say so.
    pub fn attributes<'c>(self, builder: &Builder<'c>) -> Vec<(&'static str, Attribute<'c>)> {
        let mut list = vec![(GROUP, builder.int(self.rows))];
        if self.axis != 0 {
            list.push((GROUP_AXIS, builder.int(self.axis.into())));
        }
        list
    }
}

/// Programs that run at once, about: one per multiprocessor of an H100.
const PROGRAMS: f64 = 132.0;

/// The groups that suit a function, if it is a product over a grid of two dimensions.
pub fn group(function: Operation<'_>) -> Option<Group> {
    // Elements of a tile along axis 0 and along axis 1.
    let mut largest: Option<[u64; 2]> = None;
    let mut keeps = !in_any_order(function);
    each_operation(function, &mut |operation| match TileOp::of(operation) {
        Some(TileOp::NumPrograms(_)) => keeps = true,
        Some(TileOp::Dot(dot)) => {
            let shape = TileType::of(dot.result()).map(TileType::shape);
            let apart = match (chosen_by(dot.left()), chosen_by(dot.right())) {
                ([true, false], [false, true]) => Some([0, 1]),
                ([false, true], [true, false]) => Some([1, 0]),
                _ => None,
            };
            let (Some(sides), Some(shape)) = (apart, shape) else {
                keeps = true;
                return;
            };
            let [along_0, along_1] = sides.map(|side| shape[side]);
            if largest.is_none_or(|[a, b]| a * b < along_0 * along_1) {
                largest = Some([along_0, along_1]);
            }
        }
        _ => {}
    });
    let [along_0, along_1] = largest?;
    if keeps {
        return None;
    }
    let axis = u32::from(along_0 >= CLEARLY * along_1);
    let [own, other] = match axis {
        0 => [along_0, along_1],
        _ => [along_1, along_0],
    };
    // As many elements along one axis as along the other, in a rectangle of all that run.
    let ideal = (PROGRAMS * other as f64 / own as f64).sqrt();
    Some(Group {
        rows: 1 << (ideal.log2().round().clamp(1.0, 5.0) as u64),
        axis,
    })
}

/// Whether programs run along axis 1 first. That is where there is no product, and for most bytes that are loaded and stored the
/// innermost dimension whose start depends on the program depends on axis 1 alone, and an outer one on axis 0.
pub fn runs_along_rows(function: Operation<'_>) -> bool {
    let mut keeps = !in_any_order(function);
    // Bytes of a program that lie along axis 1, and along axis 0.
    let mut bytes = [0, 0];
    let mut add = |tile: Value<'_>, starts: &[Value<'_>]| {
        let Some(ty) = TileType::of(tile) else {
            return;
        };
        let own = ty.shape().iter().product::<u64>() * element_bits(tile.r#type()) / 8;
        let mut inner = starts.iter().rev().map(|start| axes(*start));
        match inner.find(|axes| axes.contains(&true)) {
            Some([false, true]) if inner.any(|[by_first, _]| by_first) => bytes[0] += own,
            Some([true, _]) => bytes[1] += own,
            _ => {}
        }
    };
    each_operation(function, &mut |operation| match TileOp::of(operation) {
        Some(TileOp::NumPrograms(_) | TileOp::Dot(_)) => keeps = true,
        Some(TileOp::LoadView(load)) => add(load.result(), &load.starts()),
        Some(TileOp::StoreView(store)) => add(store.value(), &store.starts()),
        _ => {}
    });
    !keeps && bytes[0] > bytes[1]
}

/// Whether programs may run in another order than that of the hardware: none can tell which have run, or wait for
/// those that started before it.
pub fn in_any_order(function: Operation<'_>) -> bool {
    let mut any_order = true;
    let unseen = unseen(function);
    each_operation(function, &mut |operation| {
        any_order &= match TileOp::of(operation) {
            Some(TileOp::Atomic(_)) => unseen.contains(&address(operation)),
            Some(TileOp::Asm(asm)) => asm.effects() == 0,
            _ => true,
        };
    });
    any_order
}

/// What an argument of a loop's body comes from: its counter, or what it carries.
fn of_loop(of: Operation<'_>, argument: usize) -> Vec<Value<'_>> {
    let given = operands(of);
    let (bounds, initial) = given.split_at(given.len().min(3));
    let Some(carried) = argument.checked_sub(1) else {
        return bounds.to_vec();
    };
    let next = region_block(of, 0).and_then(|body| yielded(body).get(carried).copied());
    initial
        .get(carried)
        .copied()
        .into_iter()
        .chain(next)
        .collect()
}

/// Whether a value depends on the program's number along axis 0, and along axis 1.
pub fn axes(value: Value<'_>) -> [bool; 2] {
    let [direct, listed] = axes_through_loads(value);
    [direct[0] || listed[0], direct[1] || listed[1]]
}

/// The axes that choose which part of memory an operand is. What a list in memory says (which expert a block of rows
/// goes to) is mostly the same for neighbours: it counts only where nothing else chooses.
fn chosen_by(operand: Value<'_>) -> [bool; 2] {
    let [direct, listed] = axes_through_loads(operand);
    if direct.contains(&true) {
        direct
    } else {
        listed
    }
}

/// The axes that a value depends on: in what is computed or in the places of what is loaded, and only through loads of
/// such places.
fn axes_through_loads(value: Value<'_>) -> [[bool; 2]; 2] {
    let mut found = [[false; 2]; 2];
    let mut seen = HashSet::new();
    let mut open = vec![(value, 0)];
    while let Some((value, loads)) = open.pop() {
        if !seen.insert((key(value), loads)) {
            continue;
        }
        let of = match defining_operation(value) {
            Some(operation) => operation,
            None => match argument_owner(value) {
                Some(owner) if name(owner) == "scf.for" => {
                    let own = of_loop(owner, result_number(value));
                    open.extend(own.into_iter().map(|value| (value, loads)));
                    continue;
                }
                Some(owner) if name(owner) != "func.func" => owner,
                _ => continue,
            },
        };
        let operation = TileOp::of(of);
        if let Some(TileOp::ProgramId(query)) = operation
            && let Some(axis) = found[usize::from(loads > 1)].get_mut(query.axis() as usize)
        {
            *axis = true;
        }
        let is_load = matches!(operation, Some(TileOp::LoadView(_) | TileOp::Load(_)));
        let loads = (loads + u8::from(is_load)).min(2);
        open.extend(operands(of).into_iter().map(|value| (value, loads)));
        // What a loop or a branch gives, and what a loop carries.
        for index in 0..of.region_count() {
            let given = region_block(of, index).map(yielded).unwrap_or_default();
            open.extend(given.into_iter().map(|value| (value, loads)));
        }
    }
    found
}
