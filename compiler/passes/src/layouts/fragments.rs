//! Left operands of products on `wgmma` that are computed from what a loop loads.
//!
//! ```text
//! for k { acc = dot(load(a) as f16, load(b), acc) }
//! ```
//!
//! `wgmma` takes its left operand from registers, too (PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16").
//! Where the loads that it is computed from have the layout of these fragments from the start, each thread
//! computes what it multiplies: nothing goes back to shared memory, and no thread waits for another. The
//! loads themselves come by TMA, so that it does not matter that a fragment's neighbours are few. Where TMA cannot copy
//! their rows, threads do in pieces, as they like it best, and what was loaded is brought to the fragments before anything
//! is computed: that is when it is read from shared memory.
//!
//! Elements may be packed: `interleave(x & 15, x >> 4)` is computed where the fragments' pairs are, each from its own byte.
//!
//! That is done where all that the operand is computed from are such loads and what is cheap anywhere, and
//! nothing else uses them but reductions (squares that are added up for a norm); the other operand has to come as a copy, or else threads have to meet for it anyway.

use std::collections::{HashMap, HashSet};

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use super::spread::is_known_anywhere;
use super::{choose, shape_of};
use crate::dialect::ops::{Broadcast, Dot, Load};
use crate::dialect::{TileOp, is_pure};
use crate::facts::{self, FactAnalysis};
use crate::ffi::defining_operation;
use crate::ir::{
    Block, Operation, Value, ValueKey, address, arguments, ints_attribute, key, name, operands,
    operations, results, yielded,
};
use crate::layout::Layout;
use crate::layout::copy::NARROWEST_COPY;
use crate::target::Target;
use crate::writes::written;
use crate::{each_operation, element_bits, element_bytes, is_tile, uses};

/// Registers of a thread for sums, for what is loaded and for what is multiplied: `ptxas` needs the rest of
/// 240 for places and descriptors.
const MOST_REGISTERS: u64 = 200;

/// Bytes of what a thread reads from shared memory at a time at best, where its elements are no neighbours there.
const WORD_BYTES: u64 = 4;

/// Elements of an operand for each of a tile that threads load by themselves.
const MANY_FOR_EACH: u64 = 16;

/// Bytes of the rows that TMA swizzles; longer ones are whole numbers of the last (PTX ISA, "Swizzling Modes").
const ROW_BYTES: [u64; 3] = [32, 64, 128];

/// A tile that fragments are computed from: a load, or what is computed on the way.
#[derive(Clone)]
pub struct Loaded {
    /// Its layout where each thread has what its fragments need.
    pub layout: Layout,
    /// Whether threads copy it in pieces, whose layout is another.
    pub in_pieces: bool,
}

/// The tiles of a function that products' fragments are computed from.
pub fn find<'c>(
    function: Operation<'c>,
    facts: &FactAnalysis<'c>,
    target: &Target,
    warps: u32,
) -> HashMap<ValueKey, Loaded> {
    let mut found = HashMap::new();
    let users = uses(function);
    each_operation(function, &mut |operation| {
        let Some(TileOp::Dot(dot)) = TileOp::of(operation) else {
            return;
        };
        if dot.path() != "wgmma" {
            return;
        }
        let operand = Operand {
            dot,
            computed: dot.left(),
            other: dot.right(),
            is_right: false,
        };
        let loads = operand.loads(facts, &users, target, warps);
        found.extend(loads.into_iter().flatten());
    });
    found
}

/// An operand of a product that may be computed in fragments.
pub struct Operand<'c> {
    pub dot: Dot<'c>,
    pub computed: Value<'c>,
    pub other: Value<'c>,
    /// Whether it is the right operand, which would be the left one of the turned product.
    pub is_right: bool,
}

/// What an operand is computed from.
#[derive(Default)]
struct Sources {
    /// The loads of the loop, how the operand is made of them, and whether threads copy them.
    loads: Vec<(ValueKey, Way, bool)>,
    /// Loads of rows and columns before the loop that are spread over it.
    spread: Vec<(ValueKey, Way)>,
    /// What is computed on the way.
    between: Vec<(ValueKey, Way)>,
}

impl Sources {
    /// How the operand is made of a tile of the loop, or in which layout one beside it is computed.
    fn way(&self, of: Value<'_>) -> Option<Way> {
        let loads = self.loads.iter().map(|(value, way, _)| (value, way));
        let between = self.between.iter().map(|(value, way)| (value, way));
        let mut both = loads.chain(between);
        both.find(|(value, _)| **value == key(of))
            .map(|(_, way)| way.clone())
    }
}

/// From an operand back to a tile that it is computed from: what becomes of its layout on the way.
#[derive(Clone, Default)]
struct Way(Vec<Step>);

#[derive(Clone)]
enum Step {
    /// It is the transposed tile.
    Turn,
    /// It has the elements of a tile of this shape, in their order.
    Reshape(Vec<u64>),
    /// It repeats the tile along this axis.
    Repeat(usize),
}

impl Way {
    fn then(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        match (steps.last(), &step) {
            (Some(Step::Turn), Step::Turn) => _ = steps.pop(),
            _ => steps.push(step),
        }
        Self(steps)
    }

    /// Whether it ends with the transposed tile, whose neighbours along K are not neighbours in memory.
    fn is_turned(&self) -> bool {
        matches!(self.0.last(), Some(Step::Turn))
    }

    /// The layout of the tile, if there is one.
    fn back(&self, operand: &Layout) -> Option<Layout> {
        self.0
            .iter()
            .try_fold(operand.clone(), |layout, step| match step {
                Step::Turn => Some(layout.permute(&[1, 0])),
                Step::Reshape(shape) => layout.reshape(shape),
                Step::Repeat(axis) => Some(layout.project(*axis).remove_dimension(*axis)),
            })
    }
}

impl<'c> Operand<'c> {
    /// Whether all that the operand is computed from, but what is little beside it, has elements of words.
    pub fn is_read_in_words(
        &self,
        facts: &FactAnalysis<'c>,
        users: &HashMap<ValueKey, Vec<Operation<'c>>>,
    ) -> bool {
        let search = Search {
            operand: self,
            facts,
            users,
        };
        let Some(sources) = search.sources() else {
            return false;
        };
        let body = self.dot.0.block().map(crate::ffi::block);
        let inside = body.map(operations).unwrap_or_default();
        let loads = inside.into_iter().filter_map(Load::of);
        let mut read = loads.filter(|load| {
            let mut all = sources.loads.iter();
            all.any(|(value, ..)| *value == key(load.result()))
        });
        read.all(|load| {
            element_bytes(load.result().r#type()) >= WORD_BYTES || search.is_small(load)
        })
    }

    /// What the operand of a product on `wgmma` is computed from, with the homes of all that; `None` if it is not computed in fragments.
    pub fn loads(
        &self,
        facts: &FactAnalysis<'c>,
        users: &HashMap<ValueKey, Vec<Operation<'c>>>,
        target: &Target,
        warps: u32,
    ) -> Option<Vec<(ValueKey, Loaded)>> {
        if !target.has_tensor_copies {
            return None;
        }
        let sources = Search {
            operand: self,
            facts,
            users,
        }
        .sources()?;
        let (mut own, mut other) = (shape_of(self.computed), shape_of(self.other));
        if self.is_right {
            own.reverse();
            other.reverse();
        }
        let bits = element_bits(self.computed.r#type()) as u32;
        let layout = Layout::wgmma_operand_a([own[0], own[1]], other[1], warps, bits);
        let sums = own[0] * other[1] / u64::from(32 * warps);
        let elements = layout.register_count() as u64;
        let mut loaded = 0;
        for (_, way, _) in &sources.loads {
            let registers = way.back(&layout)?.register_count() as u64;
            // Neighbours along K come together.
            loaded += match way.is_turned() {
                true => registers,
                false => registers.div_ceil(2),
            };
        }
        let multiplied = elements * u64::from(bits) / 32;
        if sums + loaded + multiplied > MOST_REGISTERS {
            return None;
        }
        let loads = sources.loads.into_iter();
        let others = sources.spread.into_iter().chain(sources.between);
        loads
            .chain(others.map(|(value, way)| (value, way, false)))
            .map(|(load, way, in_pieces)| {
                let layout = way.back(&layout)?;
                Some((load, Loaded { layout, in_pieces }))
            })
            .collect()
    }
}

struct Search<'a, 'c> {
    operand: &'a Operand<'c>,
    facts: &'a FactAnalysis<'c>,
    users: &'a HashMap<ValueKey, Vec<Operation<'c>>>,
}

impl<'c> Search<'_, 'c> {
    fn sources(&self) -> Option<Sources> {
        let Operand { dot, computed, .. } = *self.operand;
        let body = dot.0.block().map(crate::ffi::block)?;
        let around = dot.0.parent_operation().map(crate::ffi::operation)?;
        let writes_nothing = || written(around).is_some_and(|written| written.is_empty());
        if name(around) != "scf.for" || !writes_nothing() {
            return None;
        }
        // A load alone is multiplied from the buffer that it is copied to.
        if !self.is_copied(self.operand.other, body) || self.is_copied(computed, body) {
            return None;
        }
        let mut sources = Sources::default();
        let mut all = Vec::new();
        let mut inside = HashSet::from([address(dot.0)]);
        let first = match self.operand.is_right {
            true => Way::default().then(Step::Turn),
            false => Way::default(),
        };
        let mut rest = vec![(computed, first)];
        while let Some((value, way)) = rest.pop() {
            let operation = defining_operation(value)?;
            // What follows from where elements are has no layout of its own, and may be used elsewhere, too.
            if is_known_anywhere(value) || !inside.insert(address(operation)) {
                continue;
            }
            let is_here = operation.block().map(crate::ffi::block) == Some(body);
            match TileOp::of(operation) {
                Some(TileOp::Load(load)) if is_here && self.comes_in_boxes(load) => {
                    sources.loads.push((key(value), way, false));
                    all.push(value);
                }
                Some(TileOp::Load(load)) if is_here && self.comes_in_pieces(load) => {
                    sources.loads.push((key(value), way, true));
                    all.push(value);
                }
                Some(TileOp::Load(load)) if is_here && self.is_small(load) => {
                    sources.loads.push((key(value), way, false));
                    all.push(value);
                }
                Some(TileOp::Load(load)) if is_here && self.looks_up(load, body) => {
                    sources.loads.push((key(value), way.clone(), false));
                    let from = [Some(load.pointers()), load.mask(), load.other()];
                    let from = from.into_iter().flatten();
                    rest.extend(from.map(|value| (value, way.clone())));
                    all.push(value);
                }
                Some(TileOp::PointerOffset(_)) if is_here => {
                    let tiles = operands(operation).into_iter();
                    rest.extend(tiles.map(|value| (value, way.clone())));
                    sources.between.push((key(value), way));
                    all.push(value);
                }
                Some(TileOp::Permute(permute)) if is_here => {
                    sources.between.push((key(value), way.clone()));
                    let way = match permute.permutation().as_slice() {
                        [1, 0] => way.then(Step::Turn),
                        [0, 1] => way,
                        _ => return None,
                    };
                    rest.push((permute.operand(), way));
                    all.push(value);
                }
                Some(TileOp::Reshape(reshape)) if is_here => {
                    let from = shape_of(reshape.operand());
                    sources.between.push((key(value), way.clone()));
                    rest.push((reshape.operand(), way.then(Step::Reshape(from))));
                    all.push(value);
                }
                Some(TileOp::Splat(_)) => {}
                Some(TileOp::Broadcast(broadcast)) => {
                    if let Some((expanded, operand, axis)) = self.repeated(broadcast, body) {
                        inside.insert(address(expanded));
                        sources.between.push((key(value), way.clone()));
                        rest.push((operand, way.then(Step::Repeat(axis))));
                        all.extend([value, broadcast.operand()]);
                    } else if let Some((load, axis)) = self.before(broadcast, body) {
                        sources.spread.push((load, way.then(Step::Repeat(axis))));
                    }
                }
                Some(_) => return None,
                None if name(operation) == "arith.constant" => {}
                None => {
                    if !is_here || !is_pure(name(operation)) || operation.region_count() > 0 {
                        return None;
                    }
                    let tiles = operands(operation).into_iter();
                    rest.extend(
                        tiles
                            .filter(|value| is_tile(*value))
                            .map(|value| (value, way.clone())),
                    );
                    sources.between.push((key(value), way));
                    all.push(value);
                }
            }
        }
        self.reduced_beside(&mut sources, &mut all, &mut inside, body)?;
        let once = operands(dot.0)
            .into_iter()
            .filter(|operand| all.iter().any(|value| key(*value) == key(*operand)))
            .count();
        (once == 1 && !sources.loads.is_empty()).then_some(sources)
    }

    /// Adds what else is computed from `all`, if that is reductions, which take any layout, and arithmetic for them.
    fn reduced_beside(
        &self,
        sources: &mut Sources,
        all: &mut Vec<Value<'c>>,
        inside: &mut HashSet<usize>,
        body: Block<'c>,
    ) -> Option<()> {
        let (mut at, mut carried) = (0, HashSet::new());
        while let Some(value) = all.get(at).copied() {
            at += 1;
            for user in self.users.get(&key(value)).into_iter().flatten() {
                if inside.contains(&address(*user)) {
                    continue;
                }
                let is_here = user.block().map(crate::ffi::block) == Some(body);
                match TileOp::of(*user) {
                    Some(TileOp::Reduce(_)) if is_here => {}
                    Some(TileOp::Dot(dot)) if is_here && self.is_like(dot) => {}
                    None if carried.contains(&key(value)) => continue,
                    None if is_here && is_pure(name(*user)) && user.region_count() == 0 => {
                        let result = *results(*user).first()?;
                        let is_sum = |operand| self.is_carried_sum(operand, result, body);
                        let known = |operand: &Value<'c>| {
                            !is_tile(*operand)
                                || facts::constant_number(*operand).is_some()
                                || all.iter().any(|value| key(*value) == key(*operand))
                                || is_sum(*operand)
                        };
                        if operands(*user).into_iter().any(is_sum) {
                            carried.insert(key(result));
                        }
                        let way = sources.way(value)?;
                        if !is_tile(result) || !operands(*user).iter().all(known) {
                            return None;
                        }
                        sources.between.push((key(result), way));
                        all.push(result);
                    }
                    _ => return None,
                }
                inside.insert(address(*user));
            }
        }
        Some(())
    }

    /// Whether another product multiplies the same left operand, in the same fragments.
    fn is_like(&self, other: Dot<'c>) -> bool {
        let Operand { dot, is_right, .. } = *self.operand;
        !is_right
            && other.path() == dot.path()
            && key(other.left()) == key(dot.left())
            && shape_of(other.right()) == shape_of(dot.right())
    }

    /// Whether a loop carries a tile, and what it has become to the next iteration, for nothing else.
    fn is_carried_sum(&self, tile: Value<'c>, next: Value<'c>, body: Block<'c>) -> bool {
        let place = arguments(body)
            .iter()
            .position(|one| key(*one) == key(tile));
        let yielded = place.and_then(|place| yielded(body).get(place.checked_sub(1)?).copied());
        let once = |value| {
            self.users
                .get(&key(value))
                .is_some_and(|users| users.len() == 1)
        };
        yielded.is_some_and(|yielded| key(yielded) == key(next)) && once(tile) && once(next)
    }

    /// Whether a load has whole rows that are boxes of TMA's.
    fn comes_in_boxes(&self, load: Load<'c>) -> bool {
        let shape = shape_of(load.result());
        let (2, Some(columns)) = (shape.len(), shape.last()) else {
            return false;
        };
        let bytes = element_bytes(load.result().r#type());
        let row = columns * bytes;
        let fits = ROW_BYTES.contains(&row) || row.is_multiple_of(ROW_BYTES[2]);
        let kinds = ints_attribute(load.0, "kinds").unwrap_or_default();
        let plain = load.other().is_none() && load.cache().is_empty() && load.evict().is_empty();
        fits && plain
            && matches!(bytes, 1 | 2 | 4)
            && !kinds.is_empty()
            && choose::widest_along(load, self.facts) == Some(1)
    }

    /// Whether threads copy a load asynchronously, in pieces of rows.
    fn comes_in_pieces(&self, load: Load<'c>) -> bool {
        let shape = shape_of(load.result());
        let bytes = element_bytes(load.result().r#type());
        let plain = load.other().is_none() && load.cache().is_empty() && load.evict().is_empty();
        let in_rows = || choose::wide_along(load, self.facts, NARROWEST_COPY) == Some(1);
        plain && shape.len() == 2 && matches!(bytes, 1 | 2 | 4) && in_rows()
    }

    /// Whether an operand is a load, perhaps transposed, which products read where it is copied to.
    fn is_copied(&self, operand: Value<'c>, body: Block<'c>) -> bool {
        let mut defined = defining_operation(operand).and_then(TileOp::of);
        if let Some(TileOp::Permute(permute)) = defined {
            defined = defining_operation(permute.operand()).and_then(TileOp::of);
        }
        matches!(defined, Some(TileOp::Load(load))
            if load.0.block().map(crate::ffi::block) == Some(body) && !self.looks_up(load, body))
    }

    /// Whether a load has few elements, as scales of groups are: threads load what each of them needs, from the level-1 cache.
    fn is_small(&self, load: Load<'c>) -> bool {
        let elements = |value| shape_of(value).iter().product::<u64>();
        elements(load.result()) * MANY_FOR_EACH <= elements(self.operand.computed)
    }

    /// Whether a load has for each element a place that is computed from what the loop loads: numbers from a table.
    fn looks_up(&self, load: Load<'c>, body: Block<'c>) -> bool {
        let mut rest = vec![load.pointers()];
        let mut seen = HashSet::new();
        while let Some(value) = rest.pop() {
            let Some(operation) = defining_operation(value) else {
                continue;
            };
            if operation.block().map(crate::ffi::block) != Some(body)
                || !seen.insert(address(operation))
            {
                continue;
            }
            match TileOp::of(operation) {
                Some(TileOp::Load(load)) if shape_of(load.result()).len() > 1 => return true,
                Some(TileOp::PointerOffset(_) | TileOp::Reshape(_)) => {
                    rest.extend(operands(operation));
                }
                None if is_pure(name(operation)) => rest.extend(operands(operation)),
                _ => {}
            }
        }
        false
    }

    /// What the loop repeats along a new axis, if that is a tile or a row that it loads: what expands it, itself, and the axis.
    fn repeated(
        &self,
        broadcast: Broadcast<'c>,
        body: Block<'c>,
    ) -> Option<(Operation<'c>, Value<'c>, usize)> {
        let expanded = defining_operation(broadcast.operand())?;
        let Some(TileOp::Expand(expand)) = TileOp::of(expanded) else {
            return None;
        };
        let is_here =
            |operation: Operation<'c>| operation.block().map(crate::ffi::block) == Some(body);
        let axis = expand.axis() as usize;
        let (from, to) = (shape_of(broadcast.operand()), shape_of(broadcast.result()));
        let is_only = (0..to.len()).all(|other| other == axis || from[other] == to[other]);
        let is_here =
            is_here(expanded) && defining_operation(expand.operand()).is_some_and(is_here);
        (is_only && is_here).then(|| (expanded, expand.operand(), axis))
    }

    /// The load of a row or a column that is spread, if it is before the loop and used for nothing else.
    fn before(&self, broadcast: Broadcast<'c>, body: Block<'c>) -> Option<(ValueKey, usize)> {
        let once = |value: Value<'c>| {
            let users = self.users.get(&key(value));
            users.is_some_and(|users| users.len() == 1)
        };
        let expanded = broadcast.operand();
        let Some(TileOp::Expand(expand)) = defining_operation(expanded).and_then(TileOp::of) else {
            return None;
        };
        let mut is_alone = once(expanded);
        let mut value = expand.operand();
        loop {
            is_alone &= once(value);
            let operation = defining_operation(value)?;
            if operation.block().map(crate::ffi::block) == Some(body) || !is_alone {
                return None;
            }
            match TileOp::of(operation) {
                Some(TileOp::Load(_)) => return Some((key(value), expand.axis() as usize)),
                None if is_pure(name(operation)) && operands(operation).len() == 1 => {
                    value = operands(operation)[0];
                }
                _ => return None,
            }
        }
    }
}
