//! How many elements an access takes, where those of tiles of one shape can take different numbers.
//!
//! ```text
//! m: f32, v: f32, p: f32, g: bf16      ⇒  4 elements at once: 16 bytes of most tiles, 8 of `g`
//! x[j +: 64], y[j - 1 +: 64], z[j +: 64]  ⇒  1: `y` begins beside a multiple of 16 bytes
//! x[j - 1 +: 64], x[j +: 64]              ⇒  4: the first has three of them from the second (`windows`)
//! ```
//!
//! With eight, a thread's elements of `f32` are two accesses that lie apart from those of the next thread, each of which touches all sectors
//! and uses half of them, or they change threads (H200, AdamW with gradients of `bf16`: 0.92 of the copy for 0.98). With four, what begins beside
//! a multiple of 16 bytes changes threads through shared memory, all warps waiting for it. So all take as many as costs least
//! together. What all programs read alike comes from caches and counts for nothing.

use std::collections::{BTreeMap, HashMap};

use super::beside;
use super::choose::accessed;
use crate::dialect::TileOp;
use crate::dialect::ops::{Gather, Load};
use crate::encoding::MOST_COPIES;
use crate::facts::{FactAnalysis, pointee_bytes};
use crate::ffi::defining_operation;
use crate::ir::{Operation, TileType, Value, ValueKey, key, operand, operands};
use crate::sink::is_same_for_all_programs;
use crate::target::WIDEST_ACCESS;
use crate::windows::Window;
use crate::{each_operation, in_loop};

/// How often a loop is taken to run.
const ITERATIONS: u64 = 16;

/// Clocks of the unit of loads and stores for an instruction, besides one for each 128 bytes.
const INSTRUCTION: f64 = 0.5;

/// The same for 32 elements that change threads, besides what stores and loads them: all warps wait.
const BARRIER: f64 = 1.0;

/// Which elements of a tile of some shape a thread has, where accesses to it can take different numbers of them.
#[derive(Clone, Copy, Default)]
pub struct Neighbours {
    /// At most so many at once.
    pub most: Option<u64>,
    /// So many next to each other, though an access takes fewer: it has the rest from others of its windows.
    pub of_window: Option<u64>,
    /// At least so many, though an access takes fewer: each belongs to another part of the tile.
    pub least: u64,
    /// Those beside have runs along this axis, along which windows overlap.
    pub run: Option<usize>,
    /// Those along this axis lie nearest each other, where no fact says how they lie.
    pub beside: Option<usize>,
}

/// The same by shapes, and of the loads that overlap.
#[derive(Default)]
pub struct Widths {
    shapes: HashMap<Vec<u64>, Neighbours>,
    windows: HashMap<ValueKey, u64>,
    apart: HashMap<ValueKey, u64>,
}

impl Widths {
    /// Which elements a thread has of a tile of such a shape, which lies there.
    pub fn of(&self, shape: &[u64], pointers: Value<'_>) -> Neighbours {
        let of_shape = self.shapes.get(shape).copied().unwrap_or_default();
        Neighbours {
            of_window: self.windows.get(&key(pointers)).copied(),
            least: self.apart.get(&key(pointers)).copied().unwrap_or(1),
            beside: beside::axis(pointers),
            ..of_shape
        }
    }
}

/// An access to tiles of a shape.
struct Access<'c> {
    pointers: Value<'c>,
    /// Bytes of an element.
    bytes: u64,
    /// Elements that it can take at once.
    widest: u64,
    /// How often it is done.
    often: u64,
    /// The dimension along which it takes them.
    along: Option<usize>,
    window: Option<Window>,
}

impl<'c> Access<'c> {
    fn new(
        (operation, pointers): (Operation<'c>, Value<'c>),
        mask: Option<Value<'c>>,
        facts: &FactAnalysis<'c>,
    ) -> Self {
        let (order, widest) = accessed(pointers, mask, facts);
        Self {
            pointers,
            bytes: pointee_bytes(pointers),
            widest,
            often: if in_loop(operation) { ITERATIONS } else { 1 },
            along: order.first().copied(),
            window: Load::of(operation).and_then(Window::of),
        }
    }

    /// Clocks for 32 elements in threads that have so many next to each other.
    fn clocks(&self, neighbours: u64, all: &[Self]) -> f64 {
        let bytes = self.bytes as f64 / 4.0;
        let clocks = |width: u64| {
            let width = width as f64;
            INSTRUCTION / width + bytes.max(1.0 / width)
        };
        let each = match (self.widest < neighbours, self.distance(neighbours, all)) {
            (false, _) => clocks(neighbours),
            (true, Some(distance)) => {
                let each = INSTRUCTION + (bytes * neighbours as f64).max(1.0);
                let accesses = distance.min(neighbours).div_ceil(self.widest);
                accesses as f64 * each / neighbours as f64
            }
            (true, None) => 2.0 * clocks(self.widest) + clocks(neighbours) + BARRIER,
        };
        each * self.often as f64
    }

    /// How far it begins from what another access of its windows loads in whole runs of neighbours.
    fn distance(&self, neighbours: u64, all: &[Self]) -> Option<u64> {
        let (window, along) = (self.window.as_ref()?, self.along?);
        let of_group = all.iter().filter(|other| other.widest >= neighbours);
        let distances = of_group.filter_map(|other| {
            let other = other
                .window
                .as_ref()
                .filter(|other| other.group == window.group)?;
            Some(window.offsets[along].abs_diff(other.offsets[along]))
        });
        distances.min()
    }
}

/// Which elements threads have of shapes to which several accesses go.
pub fn find<'c>(function: Operation<'c>, facts: &FactAnalysis<'c>) -> Widths {
    let mut accesses: BTreeMap<Vec<u64>, Vec<Access<'c>>> = BTreeMap::new();
    let mut has_own = false;
    let (mut apart, mut runs) = (HashMap::new(), HashMap::new());
    let mut add = |operation, tile, pointers, mask| {
        if let Some(tile) = TileType::of(tile).filter(|_| !is_same_for_all_programs(pointers)) {
            let access = Access::new((operation, pointers), mask, facts);
            accesses.entry(tile.shape()).or_default().push(access);
        }
    };
    each_operation(function, &mut |operation| match TileOp::of(operation) {
        Some(TileOp::Load(load)) => add(operation, load.result(), load.pointers(), load.mask()),
        Some(TileOp::Store(store)) => add(operation, store.value(), store.pointers(), store.mask()),
        Some(TileOp::Gather(gather)) => {
            if let Some((load, axes)) = taken_apart(gather) {
                let shape = TileType::of(load.result()).map(TileType::shape);
                let shape = shape.unwrap_or_default();
                for (axis, parts) in axes {
                    match axis + 1 == shape.len() {
                        true => _ = apart.insert(key(load.pointers()), parts),
                        false => _ = runs.insert(shape.clone(), axis),
                    }
                }
            }
        }
        // Where these have tiles is theirs to say, and rows come in the widest accesses.
        Some(TileOp::Dot(_) | TileOp::Reduce(_) | TileOp::Scan(_) | TileOp::Exchange(_)) => {
            has_own = true;
        }
        _ => {}
    });
    let mut widths = Widths {
        apart,
        ..Widths::default()
    };
    if has_own {
        return widths;
    }
    for (shape, all) in accesses {
        let along = all.first().and_then(|access| access.along);
        let widest = all.iter().map(|access| access.widest).max().unwrap_or(1);
        if all.iter().any(|access| access.along != along) {
            continue;
        }
        let clocks = |neighbours: &u64| -> f64 {
            all.iter()
                .map(|access| access.clocks(*neighbours, &all))
                .sum()
        };
        let each = (0..=WIDEST_ACCESS.ilog2()).map(|power| 1 << power).rev();
        let Some(best) = each.min_by(|one, other| clocks(one).total_cmp(&clocks(other))) else {
            continue;
        };
        for access in all.iter().filter(|access| access.widest < best) {
            if access.distance(best, &all).is_some() {
                widths.windows.insert(key(access.pointers), best);
            }
        }
        let neighbours = Neighbours {
            most: (best < widest).then_some(best),
            of_window: None,
            least: 1,
            run: run(&all, along).or_else(|| runs.get(&shape).copied()),
            ..Neighbours::default()
        };
        widths.shapes.insert(shape, neighbours);
    }
    widths
}

/// A load of whose tile a part is taken, the axes along which it has neighbours that belong to different parts, and how many: a thread should have all of
/// these, and so has its elements of each part (`reshape(load(x[i +: 16, j +: 64]), [8, 2, 64])[:, 0, :]`).
fn taken_apart(part: Gather<'_>) -> Option<(Load<'_>, Vec<(usize, u64)>)> {
    let mut tile = part.operand();
    let [of_part, all] = [part.result(), tile].map(|tile| TileType::of(tile).map(TileType::shape));
    let (of_part, all) = (of_part?, all?);
    // Other gathers give tiles of any shape.
    if of_part.len() != all.len() {
        return None;
    }
    let load = loop {
        let source = defining_operation(tile)?;
        match TileOp::of(source) {
            Some(TileOp::Load(load)) => break load,
            Some(TileOp::Reshape(reshape)) => tile = reshape.operand(),
            None if operands(source).len() == 1 => tile = operand(source, 0),
            _ => return None,
        }
    };
    let shape = TileType::of(load.result())?.shape();
    let behind = |shape: &[u64], axis: usize| -> u64 { shape[axis + 1..].iter().product() };
    let axes = (0..all.len()).filter(|axis| of_part[*axis] == 1 && all[*axis] > 1);
    let axes = axes.filter_map(|axis| {
        let mut of_load = 0..shape.len();
        let parts = all[axis];
        let own = of_load.find(|own| behind(&shape, *own) == behind(&all, axis))?;
        let is_few = parts.is_power_of_two() && parts <= MOST_COPIES;
        let fits = is_few && shape[own].is_multiple_of(parts);
        fits.then_some((own, parts))
    });
    Some((load, axes.collect()))
}

/// The axis besides that of accesses along which windows are farthest apart.
fn run(all: &[Access<'_>], along: Option<usize>) -> Option<usize> {
    let mut farthest = (0, None);
    let windows = all.iter().filter_map(|access| access.window.as_ref());
    for one in windows.clone() {
        for other in windows.clone().filter(|other| other.group == one.group) {
            let each = one.offsets.iter().zip(&other.offsets).enumerate();
            for (axis, (one, other)) in each.filter(|(axis, _)| Some(*axis) != along) {
                farthest = farthest.max((one.abs_diff(*other), Some(axis)));
            }
        }
    }
    farthest.1.filter(|_| farthest.0 > 0)
}
