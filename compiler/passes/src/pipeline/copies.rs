//! Starting copies, for a loop that every thread copies for and for a warp that only copies.
//!
//! Comes in: what a plan says of its loads. Goes out: `tile.async_copy` for pieces and `tile.rows_copy` for rows that begin
//! anywhere, which all threads start, and `tile.tensor_copy` for boxes, which one thread does.

use melior::ir::ValueLike;

use super::Pipeline;
use super::boxes::{BoxCopy, Half};
use super::iterations::Frame;
use super::plan::Copy;
use crate::build::Rebuilder;
use crate::diagnostic::Diagnostic;
use crate::dialect::ops::Load;
use crate::dialect::predicates;
use crate::ir::{Operation, Value, address};
use crate::load_if::load_if;

impl<'c> Pipeline<'_, '_, 'c> {
    /// Starts the copies of the iteration `distance` after the one that begins at `counter`, if there is
    /// one; with `beside`, pieces between the products that follow. `ahead` are the values that are carried for it, and the lists that say where it reads;
    /// gives those of the iteration after it.
    pub(super) fn copy_ahead(
        &mut self,
        to: &mut Rebuilder<'c>,
        frame: &Frame<'c>,
        (counter, distance): (Value<'c>, u64),
        ahead: &[Value<'c>],
        stage: Value<'c>,
        beside: bool,
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let plan = &frame.plan;
        let exists = begin_ahead(to, frame, (counter, distance), ahead);
        let (_, lists) = ahead.split_at(plan.ahead.len());
        for (load, list) in plan.places.loads.iter().zip(lists) {
            to.bind(load.result(), vec![*list]);
        }
        let is_there = |of: &Operation<'c>| {
            let mut lists = plan.places.loads.iter();
            lists.any(|load| address(load.0) == address(*of))
        };
        for operation in plan.slice.iter().filter(|of| !is_there(of)) {
            match Load::of(*operation) {
                // Where to read, such as the number of a page. The next such numbers lie next to this one: the level-1 cache has them.
                Some(load) => {
                    let place = load_if(to, load, exists, &[]);
                    to.bind(load.result(), vec![place]);
                }
                None => to.operation(self, *operation)?,
            }
        }
        let sources: Vec<_> = plan
            .copies
            .iter()
            .map(|copy| Source::of(to, copy))
            .collect();
        let each = || plan.copies.iter().zip(&sources).zip(&frame.buffers);
        for ((copy, source), buffers) in each() {
            match (source, &copy.realigned) {
                (Source::Pieces(pointers, mask), _) => {
                    let buffer = stage_of(to, *buffers, stage, copy);
                    let when = match beside {
                        true => Start::Beside(exists),
                        false => Start::If(exists),
                    };
                    start_pieces(to, copy, (*pointers, *mask), buffer, when);
                }
                (Source::Rows, Some(realigned)) => {
                    let buffer = stage_of(to, *buffers, stage, copy);
                    realigned.rows.copy(to, buffer, exists);
                }
                _ => {}
            }
        }
        if let (Some(mbarriers), Some(bytes)) = (frame.mbarriers, plan.box_bytes()) {
            to.only_if(exists, |to| {
                let truth = to.builder.int_type(1);
                let first = to.builder.value("tile.first_thread", &[], &[], truth);
                to.only_if(first, |to| {
                    let bytes = [("bytes", to.builder.int(bytes as i64))];
                    let list = [mbarriers, stage];
                    to.builder
                        .insert("tile.mbarrier_expect", &list, &bytes, &[]);
                    for ((copy, source), buffers) in each() {
                        if let (Source::Boxes(starts), Some(boxes)) = (source, &copy.boxes) {
                            let buffer = stage_of(to, *buffers, stage, copy);
                            let list = [self.maps[boxes.map], buffer, mbarriers, stage];
                            start_boxes(to, boxes, &list, starts, None);
                        }
                    }
                    Ok(())
                })
            })?;
        }
        // Those that wait for products are a group after these.
        if plan.has_pieces() && !beside {
            to.builder.insert("tile.async_commit", &[], &[], &[]);
        }
        let next = plan.ahead.iter().map(|index| frame.yielded[*index]);
        Ok(next.map(|value| to.one(value)).collect())
    }

    /// Loads the lists that say where the iteration `distance` after the one that begins at `counter` reads, if there is one: an iteration before its copies are
    /// started, which would wait for them, and all threads with them. H200, 64 sequences of 3650 keys that a list names: decoding with four queries for each head of keys, 281 to 265 us, latent
    /// decoding in tiles of 16 heads 794 to 711, prefill in tiles of 64 x 64 1243 to 1179.
    pub(super) fn load_places(
        &mut self,
        to: &mut Rebuilder<'c>,
        frame: &Frame<'c>,
        (counter, distance): (Value<'c>, u64),
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let places = &frame.plan.places;
        if places.loads.is_empty() {
            return Ok(Vec::new());
        }
        let exists = begin_ahead(to, frame, (counter, distance), &[]);
        for operation in &places.slice {
            to.operation(self, *operation)?;
        }
        let lists = places.loads.iter();
        Ok(lists.map(|load| load_if(to, *load, exists, &[])).collect())
    }
}

/// Makes the counter and the carried values those of the iteration `distance` after the one that begins at `counter`; gives whether there is one.
fn begin_ahead<'c>(
    to: &mut Rebuilder<'c>,
    frame: &Frame<'c>,
    (counter, distance): (Value<'c>, u64),
    ahead: &[Value<'c>],
) -> Value<'c> {
    let (position, exists) = position(to, counter, frame.end, frame.step, distance as i64);
    to.bind(frame.counter, vec![position]);
    for (index, value) in frame.plan.ahead.iter().zip(ahead) {
        to.bind(frame.carried[*index], vec![*value]);
    }
    exists
}

/// What a copy reads, in the new function.
pub enum Source<'c> {
    Pieces(Value<'c>, Option<Value<'c>>),
    Boxes(Vec<Value<'c>>),
    /// As they lie in memory.
    Rows,
}

impl<'c> Source<'c> {
    pub fn of(to: &Rebuilder<'c>, copy: &Copy<'c>) -> Self {
        match (&copy.boxes, &copy.realigned) {
            (Some(boxes), _) => {
                Self::Boxes(boxes.starts.iter().map(|start| to.one(*start)).collect())
            }
            (None, Some(_)) => Self::Rows,
            (None, None) => {
                let mask = copy.load.mask().map(|mask| to.one(mask));
                Self::Pieces(to.one(copy.load.pointers()), mask)
            }
        }
    }
}

/// Where the counter of a loop is `distance` iterations after the one that begins at `counter`, and whether there is
/// such an iteration.
pub fn position<'c>(
    to: &mut Rebuilder<'c>,
    counter: Value<'c>,
    end: Value<'c>,
    step: Value<'c>,
    distance: i64,
) -> (Value<'c>, Value<'c>) {
    // In 64 bits, where nothing overflows.
    let narrow = counter.r#type();
    let bits = |to: &mut Rebuilder<'c>, value| match narrow.to_string().as_str() {
        "index" => {
            let wide = to.builder.int_type(64);
            to.builder.value("arith.index_cast", &[value], &[], wide)
        }
        _ => to.builder.int_cast(value, 64, true),
    };
    let (from, end, step) = (bits(to, counter), bits(to, end), bits(to, step));
    let wide = to.builder.int_type(64);
    let iterations = to.builder.constant_int(distance, wide);
    let moved = to.builder.multiply(iterations, step);
    let position = to.builder.add(from, moved);
    let exists = to.builder.compare_int(predicates::SLT, position, end);
    let position = match narrow.to_string().as_str() {
        "index" => to
            .builder
            .value("arith.index_cast", &[position], &[], narrow),
        _ if narrow == wide => position,
        _ => to.builder.value("arith.trunci", &[position], &[], narrow),
    };
    (position, exists)
}

/// One of the buffers of a copy.
pub fn stage_of<'c>(
    to: &mut Rebuilder<'c>,
    buffers: Value<'c>,
    stage: Value<'c>,
    copy: &Copy<'c>,
) -> Value<'c> {
    to.builder
        .value("tile.shared_stage", &[buffers, stage], &[], copy.buffer)
}

/// Which pieces are started, and when.
#[derive(Clone, Copy)]
pub enum Start<'c> {
    /// All, if this holds.
    If(Value<'c>),
    /// The same, between the products that follow.
    Beside(Value<'c>),
    /// Those that the warps of this pass would, by threads that only copy.
    By(i64),
}

/// Starts the copies of a load's pieces.
pub fn start_pieces<'c>(
    to: &mut Rebuilder<'c>,
    copy: &Copy<'c>,
    (pointers, mask): (Value<'c>, Option<Value<'c>>),
    buffer: Value<'c>,
    when: Start<'c>,
) {
    let exists = match when {
        Start::If(exists) | Start::Beside(exists) => Some(exists),
        Start::By(_) => None,
    };
    let mut list = vec![pointers, buffer];
    list.extend(mask);
    list.extend(exists);
    let segments = [
        1,
        1,
        i32::from(mask.is_some()),
        0,
        i32::from(exists.is_some()),
    ];
    let mut attributes = vec![
        ("vector", to.builder.int(copy.vector as i64)),
        ("operandSegmentSizes", to.builder.ints32(&segments)),
    ];
    let is_close = copy.is_for_warpgroups || !matches!(when, Start::If(_));
    if is_close {
        attributes.push(("close", to.builder.int(1)));
    }
    match when {
        Start::If(_) => {}
        Start::Beside(_) => attributes.push(("beside", to.builder.int(1))),
        Start::By(pass) => attributes.push(("pass", to.builder.int(pass))),
    }
    if copy.transposed.is_some() {
        attributes.push(("transposed", to.builder.int(1)));
    }
    to.builder
        .insert("tile.async_copy", &list, &attributes, &[]);
}

/// Starts the copies of a load's boxes: `list` are the map, the buffer, the mbarriers and the number.
pub fn start_boxes<'c>(
    to: &mut Rebuilder<'c>,
    boxes: &BoxCopy<'c>,
    list: &[Value<'c>],
    starts: &[Value<'c>],
    half: Option<Half>,
) {
    let number = |number: u64| to.builder.int(number as i64);
    let panels = half.map_or(boxes.panels, |half| half.panels);
    let mut attributes = vec![
        ("panels", number(panels)),
        ("panel", number(boxes.panel)),
        ("bytes", number(boxes.bytes)),
    ];
    if let Some(half) = half {
        attributes.push(("half", number(half.bytes)));
    }
    let mut list = list.to_vec();
    list.extend(starts);
    to.builder
        .insert("tile.tensor_copy", &list, &attributes, &[]);
}
