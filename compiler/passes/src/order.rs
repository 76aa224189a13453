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
//! (H100, `silu(gate) * up` of 8192 x 14336 in bf16 by tiles of 16 x 128: 3.00 TB/s for 2.87). Where the third axis goes along rows
//! all three are exchanged ([`ORDER`]).

use std::collections::{BTreeMap, HashSet};

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

/// The attribute of a function whose programs run in another order of the axes of its grid: those from the one on along which neighbours run.
pub const ORDER: &str = "tile.order";

/// The axes that a grid may have.
const AXES_OF_GRID: usize = 3;

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

/// The order of axes in which programs should run, if it is not that of the hardware, from the one on along which neighbours run. There is one where there
/// is no product, and for most bytes that are loaded and stored the innermost dimension whose start depends on the program depends on
/// one axis alone that is not the first, and an outer one on another axis.
pub fn along_rows(function: Operation<'_>) -> Option<Vec<usize>> {
    let mut keeps = !in_any_order(function);
    // Bytes of a program by the order of the axes from the innermost dimension on, and those of which axis 0 is in it.
    let mut bytes: BTreeMap<Vec<usize>, u64> = BTreeMap::new();
    let mut by_first = 0;
    let mut add = |tile: Value<'_>, starts: &[Value<'_>]| {
        let Some(ty) = TileType::of(tile) else {
            return;
        };
        let own = ty.shape().iter().product::<u64>() * element_bits(tile.r#type()) / 8;
        let mut order: Vec<usize> = Vec::new();
        for start in starts.iter().rev() {
            let axes = all_axes(*start);
            let is_innermost = order.is_empty();
            let mut new: Vec<_> = (0..AXES_OF_GRID).filter(|axis| axes[*axis]).collect();
            if is_innermost && new.contains(&0) {
                by_first += own;
                return;
            }
            if is_innermost && new.len() > 1 {
                return;
            }
            new.retain(|axis| !order.contains(axis));
            // Of one dimension the hardware's order is as good as any.
            order.extend(new);
        }
        if order.len() > 1 {
            order.extend(
                (0..AXES_OF_GRID)
                    .filter(|axis| !order.contains(axis))
                    .collect::<Vec<_>>(),
            );
            *bytes.entry(order).or_default() += own;
        }
    };
    each_operation(function, &mut |operation| match TileOp::of(operation) {
        Some(TileOp::NumPrograms(_) | TileOp::Dot(_)) => keeps = true,
        Some(TileOp::LoadView(load)) => add(load.result(), &load.starts()),
        Some(TileOp::StoreView(store)) => add(store.value(), &store.starts()),
        _ => {}
    });
    let (order, most) = bytes.into_iter().max_by_key(|(_, bytes)| *bytes)?;
    (!keeps && most > by_first).then_some(order)
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
    let [first, second, _] = all_axes(value);
    [first, second]
}

/// Whether a value depends on the program's number along each axis.
fn all_axes(value: Value<'_>) -> [bool; AXES_OF_GRID] {
    let [direct, listed] = axes_through_loads(value);
    std::array::from_fn(|axis| direct[axis] || listed[axis])
}

/// The axes that choose which part of memory an operand is. What a list in memory says (which expert a block of rows
/// goes to) is mostly the same for neighbours: it counts only where nothing else chooses.
fn chosen_by(operand: Value<'_>) -> [bool; 2] {
    let [direct, listed] = axes_through_loads(operand).map(|[first, second, _]| [first, second]);
    if direct.contains(&true) {
        direct
    } else {
        listed
    }
}

/// The axes that a value depends on: in what is computed or in the places of what is loaded, and only through loads of
/// such places.
fn axes_through_loads(value: Value<'_>) -> [[bool; AXES_OF_GRID]; 2] {
    let mut found = [[false; AXES_OF_GRID]; 2];
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
