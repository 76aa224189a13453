//! `pipeline`: loops load what their next iterations need while they compute.
//!
//! ```text
//! for k { x = load(p(k)); buffer = x; … buffer … }
//!   ⇒  copy p(0) to stage 0, …, p(D - 1) to stage D - 1
//!      for k { wait for the copy to stage k % S; barrier
//!              copy p(k + D) to stage (k + D) % S
//!              … stage k % S … }
//! ```
//!
//! What a load needs (pointers and mask) is computed `D` iterations ahead of everything else. That is
//! possible where it depends on the loop's counter, on values from outside, and on carried values that
//! depend on nothing else in turn ([`plan`] proves it). Copies are asynchronous and go to shared memory
//! directly. A copy for an iteration that will not be is not started, so loops of any number of iterations
//! are right, and when the loop ends no copy is left.
//!
//! There is one barrier per iteration. It says that all threads' copies for this iteration have arrived, and
//! that all threads are done with the iteration before, whose stage the new copies overwrite. Products of
//! warpgroups that only add up may stay running for an iteration: then copies overwrite the stage of the
//! iteration before that.
//!
//! [`choice`] decides what is done with a function, [`rewrite`] says what becomes of each of its operations; a loop is
//! built by [`iterations`], and what it copies ahead started by [`copies`]. Some loops can only wait ([`waits`]).
//!
//! Products of warps whose operands threads copy read the fragments that an iteration begins with in the iteration before
//! ([`fragments`]).
//!
//! Where TMA can copy whole boxes of a tensor ([`boxes`]), one thread starts them, and an mbarrier per
//! stage says when they have arrived; the function gets a parameter for each tensor map. Other loads are
//! copied by all threads, in pieces of 4 to 16 bytes; rows that begin anywhere are moved to where they are read before each
//! iteration ([`realigned`]).
//!
//! Where TMA copies all that the products of warpgroups need, a warpgroup of its own does it: [`roles`] finds its
//! part, [`split`] builds both (loops of the others in [`consumers`]), [`rings`] says how they share memory and registers. Where
//! a loop has several products, [`schedule`](super::schedule) orders its iteration and [`scheduled`] builds it. Such a kernel is
//! persistent ([`programs`]), two programs may share copies ([`pairs`]), warpgroups that compute what they multiply do so in
//! turn, TMA stores what they computed ([`stores`]) while the next one's products run ([`late_stores`]), and what is added
//! to it comes as copies of the same ring ([`epilogue_loads`]). Where products wait for each other, it also computes what operands are made of
//! ([`computed`]). Operands that stay for a whole loop come before it ([`stationary`]).
//!
//! Several blocks share a program that is left over for some of them ([`stream_k`]), whoever copies.
//!
//! Loops that reduce load ahead into registers ([`registers`]). Kernels of long rows are persistent, and the next program's
//! row comes while this one is computed ([`persistent_rows`]); a counter says which one is next ([`tickets`]). Rows too long for
//! registers wait in shared memory ([`rows`]), and those that begin anywhere go through it ([`unaligned`]), as do the sums of
//! a product that are stored to such rows ([`row_stores`]) and what is added to them ([`row_loads`]).
//!
//! Blocks of a cluster tell each other results of reductions through mbarriers ([`exchanges`]).
//!
//! Comes in: buffers that are explicit but not placed. Goes out: the same, some with `stages`, whose
//! accesses are in order: `barriers` leaves them alone.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use melior::ir::Module;
use melior::ir::operation::OperationLike;

use super::{PassContext, function_name, rebuild_functions, rebuild_functions_with};
use crate::build::Builder;
use crate::diagnostic::Diagnostic;
use crate::ir::{Operation, Value, int_attribute, key};

mod balance;
mod boxes;
mod choice;
mod computed;
mod consumers;
mod copies;
mod epilogue_loads;
mod exchanges;
mod fragments;
mod iterations;
mod late_stores;
mod masked;
mod own_copies;
mod pairs;
mod persistent_rows;
mod plan;
mod programs;
mod raw_rows;
mod reader;
mod realigned;
mod registers;
mod rescaled;
mod rewrite;
mod ring;
mod rings;
mod roles;
mod row_loads;
mod row_stores;
mod rows;
mod scheduled;
mod segments;
mod split;
mod stages;
mod stationary;
mod stores;
mod stream_k;
mod tickets;
mod tile_scheduler;
mod unaligned;
mod waits;
mod work;

use balance::Longest;
pub use boxes::Map;
use choice::Choice;
use epilogue_loads::EpilogueLoad;
use fragments::Begun;
use late_stores::Late;
pub use pairs::{PAIR, PAIR_MAPS, is_paired};
use plan::{Plan, Plans, Running};
use programs::Turns;
pub use programs::{Counts, NUMBERS_GROUP, Place, TURNS};
use ring::Ring;
use rings::Share;
use roles::Roles;
use scheduled::Scheduled;
use segments::Bounds;
pub use split::{COPYING_WARPS, EACH_PROGRAM, PROGRAMS};
use stationary::{Slot, Stationary};
pub use stores::BUFFERS;
use stores::BoxStore;
pub use stream_k::PART_BYTES;
use stream_k::{Given, Sharing, StreamK};
pub use tickets::TICKETS;
use tile_scheduler::TileScheduler;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let encodings = super::encoding::Encodings::default();
    let module = rebuild_functions_with(cx, &module, |function| {
        let choice = Choice::find(cx, &encodings, function);
        let top = crate::ffi::block(module.body());
        let attributes = choice.attributes(&Builder::new(cx.context, top, function.location()));
        Ok((Pipeline::new(cx, function, choice), attributes))
    })?;
    // Where copies are from is not computed where they were loads.
    let module = crate::unused::without_unused(cx, &module)?;
    let module = rebuild_functions(cx, &module, |function| {
        Ok(registers::Ahead::find(cx, &encodings, function))
    })?;
    let module = rebuild_functions_with(cx, &module, |function| {
        let rows = persistent_rows::PersistentRows::find(cx, &encodings, function);
        let attributes = rows.attributes(&module);
        Ok((rows, attributes))
    })?;
    let module = rebuild_functions(cx, &module, |function| {
        Ok(rows::Rows::find(cx, &encodings, function))
    })?;
    let module = rebuild_functions(cx, &module, |function| {
        Ok(unaligned::Unaligned::find(cx, &encodings, function))
    })?;
    let module = rebuild_functions(cx, &module, |function| {
        Ok(row_loads::RowLoads::find(cx, &encodings, function))
    })?;
    let module = rebuild_functions(cx, &module, |function| {
        Ok(row_stores::RowStores::find(cx, &encodings, function))
    })?;
    rebuild_functions(cx, &module, |function| {
        Ok(exchanges::Exchanges::find(cx, &encodings, function))
    })
}

/// A function while it is rebuilt.
struct Pipeline<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    function: Operation<'c>,
    name: String,
    /// Those that compute.
    warps: i64,
    plans: Plans<'c>,
    /// Whether barriers order accesses of tensor cores.
    proxy: bool,
    /// The function's tensor maps.
    map_count: usize,
    maps: Vec<Value<'c>>,
    /// The loop whose body is being rebuilt.
    now: Option<Iteration<'c>>,
    /// What a warp that only copies does, if there is one; the buffers of each loop then, and whether it
    /// is the consumers' part that is being rebuilt.
    roles: Option<Roles>,
    share: Option<Share>,
    rings: IndexMap<usize, Ring<'c>>,
    /// The order of those loops whose iterations have one.
    scheduled: HashMap<usize, Scheduled<'c>>,
    /// What TMA stores for the consumers, through buffers of each warp, and what is not computed then.
    stores: Vec<BoxStore<'c>>,
    /// What the ring of a loop brings after its iterations.
    epilogue_loads: Vec<EpilogueLoad<'c>>,
    /// Operands that stay for a loop and are copied before it, and where to.
    stationary: Vec<Stationary<'c>>,
    slots: Vec<Slot<'c>>,
    staging: Option<Value<'c>>,
    /// Which of these stores wait for the next program.
    late: Vec<Late<'c>>,
    unused: HashSet<usize>,
    consumes: bool,
    /// Whether a thread is the one that does what only one does, where all of the producer's threads copy.
    alone: Option<Value<'c>>,
    /// Whose part of the copies these threads do now: those of as many warps in turn as copy.
    pass: Option<i64>,
    /// What the producer has hoisted out of its loops, by the address of the operation: a value for each pass.
    hoisted: HashMap<usize, Vec<Value<'c>>>,
    /// How far the function is that is built as a whole.
    progress: Progress,
    /// Whether its blocks are in a row, and find the place of their programs by numbers.
    is_numbered: bool,
    /// How programs run in groups.
    group: Option<crate::order::Group>,
    /// The axis along which programs that may share copies lie next to each other.
    pair: Option<u32>,
    /// The loop whose iterations blocks share for programs that are left over, what the launch says of these, and
    /// how many blocks each has.
    stream_k: Option<StreamK<'c>>,
    given: Option<Given<'c>>,
    sharing: Option<Sharing<'c>>,
    /// In a persistent kernel: how many programs there are, and which one it is now.
    counts: Option<Counts<'c>>,
    turns: Option<Turns<'c>>,
    /// Where programs differ in length: which are the longest, if that is known.
    longest: Option<Longest>,
    /// Whether blocks take the numbers of their programs from a counter: its address, and how all threads learn them.
    takes_tickets: bool,
    counter: Option<Value<'c>>,
    tile_scheduler: Option<TileScheduler<'c>>,
    /// What selections take in the loop that is being rebuilt, where their masks are known to hold.
    taken: HashMap<usize, Value<'c>>,
    /// Where the masks of its operands hold, if it asks for that in each iteration.
    mask_bounds: Option<Bounds<'c>>,
    /// Whether the first warpgroup masks them for the others, which wait for their turn behind it.
    masks_before_turn: bool,
    place: Option<Place<'c>>,
}

impl<'a, 'b, 'c> Pipeline<'a, 'b, 'c> {
    fn new(cx: &'a PassContext<'b, 'c>, function: Operation<'c>, choice: Choice<'c>) -> Self {
        let is_numbered = choice.is_numbered();
        let (roles, share) = choice.split.unzip();
        Self {
            cx,
            function,
            name: function_name(function).to_owned(),
            warps: int_attribute(function, "tile.warps").unwrap_or(1),
            plans: choice.plans,
            proxy: super::has_warpgroup_products(function),
            map_count: choice.maps.len(),
            maps: Vec::new(),
            now: None,
            roles,
            share,
            rings: IndexMap::new(),
            scheduled: HashMap::new(),
            stores: choice.stores,
            epilogue_loads: choice.epilogue_loads,
            stationary: choice.stationary,
            slots: Vec::new(),
            staging: None,
            late: Vec::new(),
            unused: HashSet::new(),
            consumes: false,
            alone: None,
            pass: None,
            hoisted: HashMap::new(),
            progress: Progress::Untouched,
            is_numbered,
            group: choice.group,
            pair: choice.pair.map(|pair| pair.axis),
            stream_k: choice.stream_k,
            given: None,
            sharing: None,
            counts: None,
            turns: None,
            longest: choice.longest,
            takes_tickets: choice.takes_tickets,
            counter: None,
            tile_scheduler: None,
            taken: HashMap::new(),
            mask_bounds: None,
            masks_before_turn: false,
            place: None,
        }
    }
}

/// How far a function is that is built as a whole, and not operation by operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Untouched,
    UnderWay,
    Done,
}

/// An iteration of the loop that is being rebuilt.
struct Iteration<'c> {
    plan: Plan<'c>,
    /// The buffer of each copy for this iteration.
    stages: Vec<Value<'c>>,
    /// What the iteration before has read for it, if that reads ahead.
    begun: Option<Begun<'c>>,
    /// Products that run while its copies are started.
    beside: Vec<Running>,
}

/// Warps of a warpgroup.
const WARPGROUP: i64 = 4;

/// Whether a value is this one.
fn is_same(a: Value<'_>, b: Value<'_>) -> bool {
    key(a) == key(b)
}
