//! What a thread has in registers of loads that overlap.
//!
//! ```text
//! load(x[i, j +: 64]): x[4], x[5], x[6], x[7]    load(x[i, j - 1 +: 64]): x[3] is loaded, x[4], x[5] and x[6] are there
//! ```
//!
//! The loads of a group differ in their starts alone ([`views`](crate::views)), and nothing writes what they read. So two elements of two of them
//! are one where a start and the place in the tile make the same sum, for all threads.

use std::collections::HashMap;
use std::rc::Rc;

use melior::ir::operation::OperationLike;

use crate::dialect::ops::Load;
use crate::dialect::{WINDOW, kinds};
use crate::each_operation;
use crate::facts::sum_with_constant;
use crate::ir::{
    Operation, Value, ValueKey, int_attribute, ints_attribute, key, operations, region_block,
};
use crate::layout::Layout;

/// Where the registers of loads come from.
#[derive(Default)]
pub struct Overlaps<'c> {
    taken: HashMap<ValueKey, Taken<'c>>,
}

/// For each register of a load the load, and its register, from which it is taken, if it is not loaded.
pub type Taken<'c> = Rc<[Option<(Value<'c>, usize)>]>;

impl<'c> Overlaps<'c> {
    /// Finds what loads of a function have in common in the layouts that their tiles have.
    pub fn find(function: Operation<'c>, layout: impl Fn(Value<'c>) -> Option<Layout>) -> Self {
        let mut overlaps = Self::default();
        overlaps.block(function, &layout);
        each_operation(function, &mut |operation| {
            overlaps.block(operation, &layout)
        });
        overlaps
    }

    /// The same in each block of an operation.
    fn block(&mut self, operation: Operation<'c>, layout: &impl Fn(Value<'c>) -> Option<Layout>) {
        for index in 0..operation.region_count() {
            // By what loads have in common, and how far an element is from where all begin.
            let mut groups: HashMap<_, HashMap<Vec<i64>, (Value<'c>, usize)>> = HashMap::new();
            let inside = region_block(operation, index).map(operations);
            for load in inside.into_iter().flatten().filter_map(Load::of) {
                let Some(window) = Window::of(load) else {
                    continue;
                };
                let Some(layout) = layout(load.result()) else {
                    continue;
                };
                let Some(places) = window.places(&layout) else {
                    continue;
                };
                let width = int_attribute(load.0, "vector").unwrap_or(1).max(1) as usize;
                let known = groups
                    .entry((window.group, window.from, layout))
                    .or_default();
                let mut taken = Vec::with_capacity(places.len());
                for together in places.chunks(width) {
                    let there: Option<Vec<_>> = together
                        .iter()
                        .map(|place| known.get(place).copied())
                        .collect();
                    if there.is_none() {
                        for (register, place) in (taken.len()..).zip(together) {
                            known.insert(place.clone(), (load.result(), register));
                        }
                    }
                    match there {
                        Some(there) => taken.extend(there.into_iter().map(Some)),
                        None => taken.extend(together.iter().map(|_| None)),
                    }
                }
                if taken.iter().any(Option::is_some) {
                    self.taken.insert(key(load.result()), taken.into());
                }
            }
        }
    }

    /// Where the registers of a load come from, if not all are loaded.
    #[must_use]
    pub fn taken(&self, load: Load<'c>) -> Option<Taken<'c>> {
        self.taken.get(&key(load.result())).cloned()
    }
}

/// A load that may overlap others.
pub struct Window {
    /// The number of its group.
    pub group: i64,
    /// What all of the group begin from, a constant apart, where loads say where they begin: a loop may load for several iterations.
    from: Vec<Option<ValueKey>>,
    /// How far it begins from there, along each axis of its tile.
    pub offsets: Vec<i64>,
}

impl Window {
    /// What `views` says of a load.
    #[must_use]
    pub fn of(load: Load<'_>) -> Option<Self> {
        let window = ints_attribute(load.0, WINDOW)?;
        let (group, offsets) = window.split_first()?;
        let (from, offsets) = match ints_attribute(load.0, "kinds") {
            Some(kinds) => self::offsets(&load.starts(), &kinds),
            None => (Vec::new(), offsets.to_vec()),
        };
        Some(Self {
            group: *group,
            from,
            offsets,
        })
    }

    /// How far the elements of registers are from where all begin, besides what depends on the thread, if that is a constant.
    fn places(&self, layout: &Layout) -> Option<Vec<Vec<i64>>> {
        let mut registers = 0..layout.register_count();
        // What is beside a tile is in no register of others.
        let is_padded = registers
            .clone()
            .any(|register| layout.may_be_padding(register));
        let is_plain = !is_padded && layout.is_thread_coordinate_disjoint();
        let place = |register| {
            let coordinates = layout.register_coordinates(register);
            let each = coordinates.into_iter().zip(&self.offsets);
            each.map(|(at, offset)| at as i64 + offset).collect()
        };
        is_plain.then(|| registers.by_ref().map(place).collect())
    }
}

/// What the starts of a view are but for constants, and the constants, along each axis of its tile.
pub fn offsets(starts: &[Value<'_>], kinds: &[i64]) -> (Vec<Option<ValueKey>>, Vec<i64>) {
    let (mut from, mut offsets) = (Vec::new(), Vec::new());
    for (start, kind) in starts.iter().zip(kinds) {
        let (rest, offset) = match *kind {
            kinds::RANGE => sum_with_constant(*start),
            _ => (Some(*start), 0),
        };
        from.push(rest.map(key));
        offsets.extend((*kind != kinds::ONE).then_some(offset));
    }
    (from, offsets)
}
