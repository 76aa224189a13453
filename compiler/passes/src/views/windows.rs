//! Loads that overlap: windows of one tensor, some elements apart.
//!
//! ```text
//! load(x[i - 1 +: 16, j +: 64])  load(x[i +: 16, j - 1 +: 64])  load(x[i +: 16, j +: 64])  …
//! ```
//!
//! A stencil, a convolution and a pooling read most elements several times, and a thread that holds neighbours along the axes
//! on which the windows differ reads them itself. Here such loads come together, those that begin at multiples of the most bytes first, and
//! have the number of their group as an attribute ([`WINDOW`](crate::dialect::WINDOW)): `layouts` gives threads neighbours, and `to-llvm` takes what a thread
//! has from its registers.

use std::collections::{HashMap, HashSet};

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use crate::dialect::ops::LoadView;
use crate::dialect::{is_pure, kinds};
use crate::ffi::{argument_owner, defining_operation};
use crate::ir::{
    Operation, TileType, Value, ValueKey, address, is_loop, key, name, operands, operations,
    region_block,
};
use crate::windows::offsets;
use crate::writes::{is_unwritten, written};
use crate::{each_operation, in_loop, is_number_or_row, is_tile, multiplies};

/// The windows of a function.
#[derive(Default)]
pub struct Windows<'c> {
    /// The number of a load's group, and how far it begins from the others along the axes of its tile.
    groups: HashMap<ValueKey, Vec<i64>>,
    /// What is built where the first load of a group is: what the loads need, and the loads.
    together: HashMap<usize, Vec<Operation<'c>>>,
    /// All of these operations.
    moved: HashSet<usize>,
}

impl<'c> Windows<'c> {
    /// Finds those among the loads that `may` be windows.
    pub fn find(function: Operation<'c>, may: impl Fn(LoadView<'c>) -> bool) -> Self {
        let mut windows = Self::default();
        // What is multiplied is copied ahead, each tile when its turn comes.
        let Some(written) = written(function).filter(|_| !multiplies(function)) else {
            return windows;
        };
        let mut add = |block: Vec<Operation<'c>>| {
            let loads = block.iter().filter_map(|one| LoadView::of(*one));
            let loads = loads.filter(|load| is_unwritten(load.base(), &written) && may(*load));
            for group in groups(loads) {
                windows.add(&block, group);
            }
        };
        add(region_block(function, 0)
            .map(operations)
            .unwrap_or_default());
        each_operation(function, &mut |operation| {
            for index in 0..operation.region_count() {
                let body = region_block(operation, index).map(operations);
                add(body.unwrap_or_default());
            }
        });
        windows
    }

    fn add(&mut self, block: &[Operation<'c>], mut group: Vec<Window<'c>>) {
        let Some(first) = group.first().map(|window| window.load.0) else {
            return;
        };
        let Some(before) = block.iter().position(|one| address(*one) == address(first)) else {
            return;
        };
        let later: HashSet<_> = block[before..].iter().copied().map(address).collect();
        group.sort_by_key(|window| {
            let last = window.offsets.last().copied().unwrap_or(0);
            std::cmp::Reverse(last.trailing_zeros())
        });
        let mut together = Vec::new();
        let mut seen = HashSet::new();
        let all = group.iter().all(|window| {
            let needed = operands(window.load.0).into_iter();
            let found = needed.fold(true, |all, operand| {
                all & gather(operand, &later, &mut seen, &mut together)
            });
            together.push(window.load.0);
            found
        });
        if !all {
            return;
        }
        let number = self.together.len() as i64;
        for window in group {
            let mut of_load = vec![number];
            of_load.extend(window.offsets);
            self.groups.insert(key(window.load.result()), of_load);
        }
        self.moved.extend(together.iter().copied().map(address));
        self.together.insert(address(first), together);
    }

    /// The group of a load, if it is a window, and how far it begins from the others.
    pub fn group(&self, load: LoadView<'c>) -> Option<&[i64]> {
        self.groups.get(&key(load.result())).map(Vec::as_slice)
    }

    /// What has to be built here instead of the first load of a group.
    pub fn take(&mut self, operation: Operation<'c>) -> Option<Vec<Operation<'c>>> {
        self.together.remove(&address(operation))
    }

    /// Whether an operation may have been built before its place.
    pub fn is_moved(&self, operation: Operation<'c>) -> bool {
        self.moved.contains(&address(operation))
    }
}

/// Adds what computes a value among these operations, first what it needs; whether all of it may be moved.
fn gather<'c>(
    value: Value<'c>,
    later: &HashSet<usize>,
    seen: &mut HashSet<usize>,
    list: &mut Vec<Operation<'c>>,
) -> bool {
    let Some(operation) = defining_operation(value).filter(|of| later.contains(&address(*of)))
    else {
        return true;
    };
    if !seen.insert(address(operation)) {
        return true;
    }
    let is_large = TileType::of(value).is_some_and(|tile| tile.shape().len() > 1);
    if !is_pure(name(operation)) || operation.region_count() > 0 || is_large {
        return false;
    }
    let all = operands(operation).into_iter();
    let found = all.fold(true, |all, operand| {
        all & gather(operand, later, seen, list)
    });
    list.push(operation);
    found
}

/// A load, and how far it begins from a place that its group has in common.
struct Window<'c> {
    load: LoadView<'c>,
    offsets: Vec<i64>,
}

/// The loads that overlap.
fn groups<'c>(loads: impl Iterator<Item = LoadView<'c>>) -> Vec<Vec<Window<'c>>> {
    let mut groups: Vec<(Vec<Option<ValueKey>>, Vec<Window<'c>>)> = Vec::new();
    for load in loads {
        // What others may write meanwhile is read each time.
        if load.cache() == "cv" {
            continue;
        }
        let is_parameter = argument_owner(load.base()).is_some_and(|of| !is_loop(of));
        if !is_tile(load.result()) || !is_parameter || !has_axes(load) {
            continue;
        }
        let (mut same, offsets) = offsets(&load.starts(), &load.kinds());
        same.push(Some(key(load.base())));
        let others = load.sizes().into_iter().chain(load.strides());
        same.extend(others.chain(load.other()).map(|value| Some(key(value))));
        let window = Window { load, offsets };
        let found = groups.iter_mut().find(|(of, group)| {
            *of == same && group.first().is_some_and(|one| overlap(one, &window))
        });
        match found {
            Some((_, group)) => group.push(window),
            None => groups.push((same, vec![window])),
        }
    }
    let groups = groups.into_iter().map(|(_, group)| group);
    groups.filter(|group| group.len() > 1).collect()
}

/// Whether each range, or row of positions, is an axis of the tile. In a loop, which may load for several iterations, ranges say for which.
fn has_axes(load: LoadView<'_>) -> bool {
    let (starts, kinds) = (load.starts(), load.kinds());
    let each = starts.iter().zip(&kinds);
    each.into_iter().all(|(start, kind)| {
        *kind != kinds::POSITIONS || is_number_or_row(start) && !in_loop(load.0)
    })
}

/// Whether two loads with all else in common have elements in common, too.
fn overlap(one: &Window<'_>, other: &Window<'_>) -> bool {
    let [left, right] = [one, other].map(|window| window.load);
    let Some(shape) = TileType::of(left.result()).map(TileType::shape) else {
        return false;
    };
    let is_same_otherwise = left.result().r#type() == right.result().r#type()
        && left.kinds() == right.kinds()
        && left.checked() == right.checked()
        && (left.cache(), left.evict()) == (right.cache(), right.evict());
    let mut each = shape.iter().zip(one.offsets.iter().zip(&other.offsets));
    is_same_otherwise && each.all(|(size, (one, other))| one.abs_diff(*other) < *size)
}
