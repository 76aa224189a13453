//! Which loads of a loop can be copied ahead, and what that takes.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use indexmap::IndexMap;

use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};

use super::boxes::{BoxCopy, Half, Map};
use super::computed::Computed;
use super::fragments::Fragments;
use super::masked::Masked;
use super::realigned::Realigned;
use super::waits::{has_loops, never_ahead};
use super::{is_same, stages};
use crate::diagnostic::remark::{ByTma, InFlight, Producer, RemarkKind, Wait};
use crate::dialect::ops::{Dot, Load, SharedAlloc};
use crate::dialect::{TileOp, is_pure};
use crate::encoding::{Encodings, buffer_layout, buffer_type, stage_bytes};
use crate::facts::FactAnalysis;
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{
    Block, Operation, Value, ValueKey, address, arguments, key, name, operands, operations,
    region_block,
};
use crate::layout::SharedLayout;
use crate::layout::copy::copies;
use crate::writes::{is_unwritten, parameter, written};
use crate::{
    PassContext, each_operation, element_bytes, function_name, is_positive_zero, is_tile, uses,
};

/// Elements for each thread from which on those that lie apart are not copied ahead: copies take as many instructions as loads, and the
/// tile's memory once for each stage. Where several threads need each of them there are fewer (H200, 64 scales of rows beside a product of 128 x 128: 297 to
/// 243 us, of 64 x 128 with 64 rows 47 to 36).
const MANY_PIECES: u64 = 16;

/// Registers of a thread that lists may take until their copies are started.
const REGISTERS_OF_PLACES: u64 = 32;

/// A load that becomes a copy.
#[derive(Clone)]
pub struct Copy<'c> {
    pub load: Load<'c>,
    /// The buffer that the loop stored it to; `None` where it is read back into registers.
    pub alloc: Option<Operation<'c>>,
    /// The type of a buffer for it.
    pub buffer: Type<'c>,
    /// Whether the buffer is that of the transposed tile, and what transposes it.
    pub transposed: Option<Operation<'c>>,
    /// What masks it in the buffer, if something does.
    pub masked: Option<Masked<'c>>,
    /// As the load's.
    pub vector: u64,
    pub bytes: u64,
    /// How TMA copies it, if it does.
    pub boxes: Option<BoxCopy<'c>>,
    /// How it comes as its rows lie in memory, if it does.
    pub realigned: Option<Realigned<'c>>,
    /// What a program of a pair copies of it, if both read it.
    pub half: Option<Half>,
    /// Whether products on `wgmma` are all that reads the buffer.
    pub is_for_warpgroups: bool,
    /// How the producer computes it, if it does: of several loads `load` is the first then.
    pub computed: Option<Computed<'c>>,
}

/// Loads that say where copies are from, and what computes their pointers and masks, in order.
#[derive(Clone, Default)]
pub struct Places<'c> {
    pub loads: Vec<Load<'c>>,
    pub slice: Vec<Operation<'c>>,
}

/// How a loop is pipelined.
#[derive(Clone)]
pub struct Plan<'c> {
    pub copies: Vec<Copy<'c>>,
    /// What computes pointers and masks, in order.
    pub slice: Vec<Operation<'c>>,
    /// The carried values that these need, by number.
    pub ahead: Vec<usize>,
    /// Lists among these that say where threads copy from, if they are loaded an iteration before that.
    pub places: Places<'c>,
    /// Whether a product's left operand is in registers.
    pub takes_registers: bool,
    /// Products in the loop.
    pub products: usize,
    /// Whether it loads a matrix that nothing copies ahead.
    pub waits: bool,
    /// Products that stay running from round to round.
    pub running: Vec<Running>,
    /// Those that could.
    pub can_run: Vec<Running>,
    /// Buffers that were asked for.
    pub asked: Option<u64>,
    /// Buffers for each copy.
    pub stages: u64,
    /// Iterations that copies are ahead.
    pub distance: u64,
    /// What an iteration reads for the next one, if it does.
    pub fragments: Option<Fragments<'c>>,
    /// The loop through whose ring its copies go, if that is another one's.
    pub ring_of: Option<usize>,
}

/// Who copies for a loop. If that may be a producer, shared memory for the stages is looked for later.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CopiedBy {
    Threads,
    PerhapsProducer,
}

/// A product that stays running from round to round.
#[derive(Clone, Copy)]
pub struct Running {
    /// The product.
    pub dot: usize,
    /// The number of the value that carries its sums.
    pub carried: usize,
}

/// `running` of a product that does not wait for those before it.
pub const NO_WAIT: i64 = -1;

/// The longest row that TMA swizzles (PTX ISA, "Swizzling Modes").
const PANEL_BYTES: u64 = 128;

impl<'c> Copy<'c> {
    /// Whether an operation is the selection that masks it.
    pub fn is_masked_by(&self, operation: Operation<'c>) -> bool {
        self.masked
            .is_some_and(|masked| address(masked.select) == address(operation))
    }

    /// Whether threads copy it, each some pieces.
    pub const fn is_in_pieces(&self) -> bool {
        self.boxes.is_none() && self.computed.is_none()
    }
}

impl<'c> Plan<'c> {
    /// Whether a buffer of the loop is one that copies fill.
    pub fn is_copied(&self, buffer: Value<'c>) -> bool {
        self.copies
            .iter()
            .filter_map(|copy| copy.alloc)
            .any(|alloc| is_same(crate::ir::result(alloc, 0), buffer))
    }

    /// Whether its stages have the buffers of the other's, which the producer fills without computing. TMA may write over what threads
    /// copied if products on `wgmma` read that: then the threads made it known to the asynchronous proxy (PTX ISA, "Proxies").
    pub fn fills_as(&self, other: &Self) -> bool {
        let is_plain = |copy: &Copy<'c>| copy.computed.is_none() && copy.realigned.is_none();
        let pairs = || self.copies.iter().zip(&other.copies);
        self.asked == other.asked
            && self.copies.len() == other.copies.len()
            && pairs().all(|(one, other)| {
                is_plain(one)
                    && is_plain(other)
                    && one.buffer == other.buffer
                    && one.is_for_warpgroups == other.is_for_warpgroups
                    && (one.is_for_warpgroups || one.boxes.is_some() == other.boxes.is_some())
            })
    }

    /// Bytes that TMA copies in an iteration; `None` if it copies nothing.
    pub fn box_bytes(&self) -> Option<u64> {
        let boxes = self.copies.iter().filter_map(|copy| copy.boxes.as_ref());
        let bytes = boxes.map(|copy| copy.expected).sum();
        (bytes > 0).then_some(bytes)
    }

    /// Bytes that an iteration copies: by TMA, if that copies any.
    pub fn iteration_bytes(&self) -> u64 {
        let by_threads = || self.copies.iter().map(|copy| copy.bytes).sum();
        self.box_bytes().unwrap_or_else(by_threads)
    }

    /// How many groups a product leaves in flight when it is issued: those of its own iteration; `None` if it does not run
    /// on.
    pub fn in_flight(&self, dot: usize) -> Option<i64> {
        let index = self.running.iter().position(|one| one.dot == dot)?;
        let groups = self.running.len();
        let is_last = index + 1 == self.running.len();
        // The last one waits for those of the iteration before, the others for nothing.
        Some(match is_last {
            true => groups as i64,
            false => NO_WAIT,
        })
    }

    /// Whether a loop's products may have an order of their own: there are several, or one that reads what its iteration
    /// computes out of registers, and none stays in flight from one iteration to the next.
    pub fn may_be_scheduled(&self) -> bool {
        (self.products > 1 || self.takes_registers) && self.running.is_empty()
    }

    /// Whether rows are moved to where they are read.
    pub fn realigns(&self) -> bool {
        self.copies.iter().any(|copy| copy.realigned.is_some())
    }

    /// Bytes of the buffers that rows are moved to, one each.
    pub fn realigned_bytes(&self) -> u64 {
        let realigned = self
            .copies
            .iter()
            .filter_map(|copy| copy.realigned.as_ref());
        realigned.map(|realigned| realigned.bytes).sum()
    }

    /// How many buffers rows are moved to in turns: products that run on read another than that of the next iteration.
    pub fn realigned_stages(&self) -> u64 {
        if self.running.is_empty() { 1 } else { 2 }
    }

    /// Whether rows are moved to one of several buffers in turns.
    pub fn realigns_in_turns(&self) -> bool {
        self.realigns() && self.realigned_stages() > 1
    }

    /// Whether products read what threads copy where it is copied to.
    pub fn has_pieces_in_place(&self) -> bool {
        let mut copies = self.copies.iter();
        copies.any(|copy| copy.boxes.is_none() && copy.realigned.is_none())
    }

    /// What the producer computes.
    pub fn computed(&self) -> impl Iterator<Item = &Computed<'c>> {
        self.copies.iter().filter_map(|copy| copy.computed.as_ref())
    }

    /// Whether threads copy anything themselves.
    pub fn has_pieces(&self) -> bool {
        self.copies.iter().any(|copy| copy.boxes.is_none())
    }

    /// What there is to say about it, where this one copies.
    pub fn remark(&self, producer: Producer) -> RemarkKind {
        let by_tma = self.copies.iter().filter(|copy| copy.boxes.is_some());
        let of_computed: usize = self.computed().map(|computed| computed.loads.len()).sum();
        let copied = self.copies.iter().filter(|copy| copy.computed.is_none());
        RemarkKind::LoadsAhead {
            loads: copied.count() + of_computed,
            iterations: self.distance,
            tma: match by_tma.count() {
                0 => ByTma::None,
                all if all == self.copies.len() => ByTma::All,
                _ => ByTma::Some,
            },
            stages: self.stages,
            bytes: self.copies.iter().map(|copy| copy.bytes).sum(),
            asked: self.asked,
            realigns: self.realigns(),
            in_flight: match (self.takes_registers, self.running.is_empty()) {
                _ if self.fragments.is_some() => InFlight::FragmentsAhead,
                (true, _) => InFlight::EndInIteration,
                (false, true) => InFlight::Plain,
                (false, false) => InFlight::IntoNext,
            },
            producer,
            computed: self.computed().count(),
        }
    }
}

/// The plans of loops by the addresses of their operations, in the order of the program.
pub type Plans<'c> = IndexMap<usize, Plan<'c>>;

/// The plans of all loops of a function that can be pipelined.
pub fn find<'c>(
    cx: &PassContext<'_, 'c>,
    encodings: &Encodings,
    function: Operation<'c>,
    copied_by: CopiedBy,
) -> (Plans<'c>, Vec<Map>) {
    let users = uses(function);
    let written = written(function);
    let facts = FactAnalysis::new(function);
    let mut plans = Plans::new();
    let maps = RefCell::default();
    each_operation(function, &mut |operation| {
        if !crate::ir::is_loop(operation) || has_loops(operation) {
            return;
        }
        if let Some(kind) = never_ahead(operation) {
            let span = Some(cx.span(operation.location()));
            cx.remark(function_name(function), span, kind);
            return;
        }
        let Some(body) = region_block(operation, 0) else {
            return;
        };
        let search = Search {
            cx,
            encodings,
            function,
            users: &users,
            facts: &facts,
            maps: &maps,
            written: written.as_ref(),
            copied_by,
            operation,
            body,
        };
        if let Some(plan) = search.plan() {
            plans.insert(address(operation), plan);
        }
    });
    (plans, maps.into_inner())
}

pub(super) struct Search<'a, 'b, 'c> {
    pub(super) cx: &'a PassContext<'b, 'c>,
    pub(super) encodings: &'a Encodings,
    pub(super) function: Operation<'c>,
    pub(super) users: &'a HashMap<ValueKey, Vec<Operation<'c>>>,
    facts: &'a FactAnalysis<'c>,
    maps: &'a RefCell<Vec<Map>>,
    /// The parameters that the function writes through: places may be loaded through others.
    pub(super) written: Option<&'a HashSet<usize>>,
    pub(super) copied_by: CopiedBy,
    pub(super) operation: Operation<'c>,
    pub(super) body: Block<'c>,
}

/// Where a load goes.
struct Destination<'c> {
    alloc: Option<Operation<'c>>,
    transposed: Option<Operation<'c>>,
    masked: Option<Masked<'c>>,
    layout: SharedLayout,
}

impl Destination<'_> {
    /// The layout for the tile as it was before it is transposed.
    fn as_loaded(&self) -> SharedLayout {
        match self.transposed {
            Some(_) => self.layout.clone().transposed(),
            None => self.layout.clone(),
        }
    }
}

/// What the copies of some loads need.
#[derive(Default)]
pub(super) struct Slice {
    operations: HashSet<usize>,
    carried: BTreeSet<usize>,
}

impl<'c> Search<'_, '_, 'c> {
    fn plan(&self) -> Option<Plan<'c>> {
        let written = written(self.operation)?;
        let inside = operations(self.body);
        // In loops without products, loads of other iterations and programs are in flight anyway.
        if self.products() == 0 {
            return None;
        }
        let mut slice = Slice::default();
        let mut found = Vec::new();
        let mut waiting = Vec::new();
        let computed = self.computed();
        let is_loaded_for = |load: Load<'c>| {
            let computed = computed
                .iter()
                .filter_map(|(copy, _)| copy.computed.as_ref());
            let mut loads = computed.flat_map(|computed| &computed.loads);
            loads.any(|other| other.0 == load.0)
        };
        for operation in &inside {
            let Some(TileOp::Load(load)) = TileOp::of(*operation) else {
                continue;
            };
            if !is_tile(load.result()) || is_loaded_for(load) {
                continue;
            }
            match self.copy(load, &written, &mut slice) {
                Ok(copy) => found.push(copy),
                Err(why) => waiting.push((load, why)),
            }
        }
        found.retain(|copy| !self.is_index(copy.load, &slice));
        let mut waits = false;
        for (load, why) in waiting {
            if !self.is_index(load, &slice) {
                waits |= crate::ir::TileType::of(load.result())
                    .is_some_and(|tile| tile.shape().len() > 1);
                let span = Some(self.cx.span(load.0.location()));
                let kind = RemarkKind::LoadWaits { why };
                self.cx.remark(function_name(self.function), span, kind);
            }
        }
        for (copy, more) in computed {
            slice.operations.extend(more.operations);
            slice.carried.extend(more.carried);
            found.push(copy);
        }
        if found.is_empty() {
            return None;
        }
        let needed: Vec<_> = inside
            .iter()
            .filter(|operation| slice.operations.contains(&address(**operation)))
            .copied()
            .collect();
        let mut plan = Plan {
            slice: needed,
            ahead: slice.carried.into_iter().collect(),
            places: Places::default(),
            copies: found,
            takes_registers: inside
                .iter()
                .filter_map(|operation| Dot::of(*operation))
                .any(|dot| dot.path() == "wgmma" && is_tile(dot.left())),
            products: self.products(),
            waits,
            running: Vec::new(),
            can_run: Vec::new(),
            asked: stages::asked(self.function, self.operation),
            stages: 0,
            distance: 0,
            fragments: None,
            ring_of: None,
        };
        if plan.asked == Some(1) {
            self.cx.remark(
                function_name(self.function),
                Some(self.cx.span(self.operation.location())),
                RemarkKind::OneStage,
            );
            return None;
        }
        plan.can_run = self.running(&plan, &inside);
        let has_chain = self.has_chain();
        let room = stages::room(self.cx, self.function, self.operation, &plan, has_chain);
        let iterations = stages::known_iterations(self.operation);
        stages::choose(&mut plan, &room, iterations);
        if plan.distance == 0 && self.copied_by == CopiedBy::Threads {
            self.cx.remark(
                function_name(self.function),
                Some(self.cx.span(self.operation.location())),
                RemarkKind::NoRoomForStages,
            );
            return None;
        }
        if plan.has_pieces() {
            plan.places = self.places(&plan.slice);
        }
        plan.fragments = Fragments::find(self.cx, self.function, self.users, self.operation, &plan);
        if plan.fragments.is_some() {
            plan.distance = plan.stages;
        }
        Some(plan)
    }

    fn copy(
        &self,
        load: Load<'c>,
        written: &HashSet<usize>,
        slice: &mut Slice,
    ) -> Result<Copy<'c>, Wait> {
        if !(load.cache().is_empty() && load.evict().is_empty()) {
            return Err(Wait::CacheHints);
        }
        if self
            .users
            .get(&key(load.result()))
            .is_none_or(Vec::is_empty)
        {
            return Err(Wait::Unused);
        }
        match parameter(load.pointers()) {
            Some(number) if !written.contains(&number) => {}
            None if written.is_empty() => {}
            _ => return Err(Wait::Written),
        }
        if load.other().is_some_and(|other| !is_positive_zero(other)) {
            return Err(Wait::OtherThanZero);
        }
        let element = crate::ir::element_type(load.result().r#type());
        let spelled = element.to_string();
        if spelled == "i1" || spelled.starts_with("!tile.ptr") {
            return Err(Wait::NoNumbers);
        }
        let vector = crate::ir::int_attribute(load.0, "vector").unwrap_or(1) as u64;
        let own = self.encodings.layout(load.pointers());
        let fits = |destination: Destination<'c>| {
            let from = destination.as_loaded();
            let boxes = BoxCopy::find(self.cx, self.function, self.facts, load, &from, self.maps);
            let fits = boxes.is_some() || copies(&own, &from, vector).is_some();
            fits.then_some((destination, boxes))
        };
        // Where threads read down the columns of a row-major matrix, single elements could be copied to where these lie side by
        // side: boxes come without threads.
        let in_boxes = |found: &(_, Option<BoxCopy<'c>>)| found.1.is_some();
        let apart = || fits(self.apart(load, false));
        let stored = || self.stored(load).and_then(fits);
        // A row that threads were to store in another order than it has in memory comes as a box to a buffer of its own.
        let lies_as_it_is =
            |(to, _): &(Destination<'c>, _)| to.layout.shape().len() > 1 || to.layout.is_in_a_row();
        let found = stored()
            .filter(lies_as_it_is)
            .or_else(|| apart().filter(in_boxes))
            .or_else(stored)
            .or_else(|| fits(self.apart(load, true)).filter(in_boxes))
            .or_else(apart);
        let (destination, boxes) = match found {
            Some(found) => found,
            None => return self.realigned(load, slice),
        };
        let Destination {
            alloc,
            transposed,
            masked,
            layout,
        } = destination;
        if boxes.is_none() && alloc.is_none() && self.is_scattered(load) {
            return Err(Wait::Scattered);
        }
        let mut more = Slice::default();
        if boxes.is_some() {
            for start in load.starts() {
                self.reach(start, &mut more)?;
            }
        } else {
            self.reach(load.pointers(), &mut more)?;
            if let Some(mask) = load.mask() {
                self.reach(mask, &mut more)?;
            }
        }
        slice.operations.extend(more.operations);
        slice.carried.extend(more.carried);
        Ok(Copy {
            load,
            is_for_warpgroups: alloc.is_some_and(|alloc| self.is_for_warpgroups(alloc)),
            half: None,
            alloc,
            buffer: buffer_type(self.cx.context, element, &layout),
            transposed,
            masked,
            vector,
            bytes: stage_bytes(&layout),
            boxes,
            realigned: None,
            computed: None,
        })
    }

    /// Whether each element of a tile that warpgroups work on, beside their products, lies somewhere else.
    fn is_scattered(&self, load: Load<'c>) -> bool {
        let mut products = operations(self.body).into_iter().filter_map(Dot::of);
        // What many threads have a copy of is few pieces for each.
        let layout = self.encodings.layout(load.result());
        let elements: u64 = layout.covered().iter().product();
        let warps = crate::ir::int_attribute(self.function, "tile.warps").unwrap_or(1) as u64;
        let pieces = (elements / (32 * warps)).min(layout.register_count() as u64);
        let is_scattered = self.facts.of(load.pointers()).is_scattered();
        is_scattered && pieces >= MANY_PIECES && products.any(|dot| dot.path() == "wgmma")
    }

    /// Whether products on `wgmma` are all that reads a buffer.
    pub(super) fn is_for_warpgroups(&self, alloc: Operation<'c>) -> bool {
        let users = self.users.get(&key(crate::ir::result(alloc, 0)));
        users
            .into_iter()
            .flatten()
            .all(|user| match TileOp::of(*user) {
                Some(TileOp::Dot(dot)) => dot.path() == "wgmma",
                Some(TileOp::SharedStore(_)) => true,
                _ => false,
            })
    }

    /// A copy of rows as they lie in memory, which are moved in their iteration.
    fn realigned(&self, load: Load<'c>, slice: &mut Slice) -> Result<Copy<'c>, Wait> {
        let warps = crate::ir::int_attribute(self.function, "tile.warps").unwrap_or(1) as u32;
        let element = crate::ir::element_type(load.result().r#type());
        let fits = |destination: Destination<'c>| {
            let ty = buffer_type(self.cx.context, element, &destination.layout);
            let found = Realigned::find(load, warps, ty, &destination.as_loaded())?;
            Some((destination, found))
        };
        let (destination, realigned) = self
            .stored(load)
            .filter(|destination| destination.masked.is_none())
            .and_then(fits)
            .or_else(|| fits(self.apart(load, true)))
            .ok_or(Wait::SmallChunks)?;
        let mut more = Slice::default();
        for value in realigned.rows.needs() {
            self.reach(value, &mut more)?;
        }
        slice.operations.extend(more.operations);
        slice.carried.extend(more.carried);
        let (buffer, bytes) = realigned.rows.buffer(self.cx);
        Ok(Copy {
            load,
            is_for_warpgroups: destination
                .alloc
                .is_some_and(|alloc| self.is_for_warpgroups(alloc)),
            half: None,
            alloc: destination.alloc,
            buffer,
            transposed: destination.transposed,
            masked: None,
            vector: 1,
            bytes,
            boxes: None,
            realigned: Some(realigned),
            computed: None,
        })
    }

    /// A buffer of its own, from which a load is read where it was loaded: in rows of what a thread's
    /// registers have side by side, or as it lies in memory.
    fn apart(&self, load: Load<'c>, as_in_memory: bool) -> Destination<'c> {
        let own = self.encodings.layout(load.result());
        let mut order: Vec<usize> = (0..own.rank()).rev().collect();
        if !as_in_memory {
            order.sort_by_key(|axis| Reverse(own.vector_register_bits(*axis).len()));
        }
        let bytes = element_bytes(load.result().r#type());
        let covered = own.covered();
        // Rows longer than what TMA swizzles lie in panels.
        let layout = match (covered.as_slice(), order.as_slice()) {
            ([rows, columns], [1, 0])
                if columns * bytes > PANEL_BYTES
                    && (columns * bytes).is_multiple_of(PANEL_BYTES) =>
            {
                SharedLayout::panels([*rows, *columns], [1, 0], bytes, PANEL_BYTES)
            }
            _ => SharedLayout::for_ldmatrix(&covered, &order, bytes),
        };
        Destination {
            alloc: None,
            transposed: None,
            masked: None,
            layout,
        }
    }

    /// The buffer that a load is stored to in every iteration, perhaps transposed, if that is all it is for.
    fn stored(&self, load: Load<'c>) -> Option<Destination<'c>> {
        let only = |value| {
            let users = self.users.get(&key(value))?;
            let [user] = users.as_slice() else {
                return None;
            };
            Some(*user)
        };
        let masking = self.masking(load);
        let mut user = match masking {
            Some(select) => only(crate::ir::result(select, 0))?,
            None => only(load.result())?,
        };
        let mut transposed = None;
        if let Some(TileOp::Permute(permute)) = TileOp::of(user)
            && permute.permutation() == [1, 0]
        {
            transposed = Some(user);
            user = only(permute.result())?;
        }
        let Some(TileOp::SharedStore(store)) = TileOp::of(user) else {
            return None;
        };
        let alloc = defining_operation(store.buffer()).and_then(SharedAlloc::of)?;
        // In each iteration, perhaps under a condition: where that does not hold, nothing reads the copy.
        let here = |operation: Operation<'c>| self.is_inside(operation);
        if !here(alloc.0) || !here(user) || !transposed.is_none_or(here) {
            return None;
        }
        // Under a condition not all threads would meet behind the mask; and only products of warpgroups read no iteration ahead.
        let is_here =
            |operation: Operation<'c>| operation.block().map(crate::ffi::block) == Some(self.body);
        if masking.is_some_and(|select| !is_here(select) || !self.is_for_warpgroups(alloc.0)) {
            return None;
        }
        let (_, layout) = buffer_layout(self.cx.context, store.buffer());
        Some(Destination {
            alloc: Some(alloc.0),
            transposed,
            masked: masking.map(|select| Masked {
                select,
                loaded: load.result(),
                transposed,
            }),
            layout,
        })
    }

    /// Everything in the loop that a value is computed from.
    pub(super) fn reach(&self, value: Value<'c>, slice: &mut Slice) -> Result<(), Wait> {
        let Some(operation) = defining_operation(value) else {
            let number = result_number(value);
            let owner = argument_owner(value);
            if owner.map(address) != Some(address(self.operation)) || number == 0 {
                return Ok(());
            }
            // Carried: what the iteration before computed it from, too.
            if slice.carried.insert(number - 1) {
                let next = crate::ir::yielded(self.body).get(number - 1).copied();
                return self.reach(next.ok_or(Wait::Computed)?, slice);
            }
            return Ok(());
        };
        if operation.block().map(crate::ffi::block) != Some(self.body) {
            return match self.is_inside(operation) {
                true => Err(Wait::InBranch),
                false => Ok(()),
            };
        }
        let is_computed = is_pure(name(operation)) && operation.region_count() == 0;
        if !is_computed && !self.loads_place(operation) {
            return Err(Wait::ComputedPlace);
        }
        if slice.operations.insert(address(operation)) {
            for operand in operands(operation) {
                self.reach(operand, slice)?;
            }
        }
        Ok(())
    }

    /// Whether an operation loads what the function never writes: the number of a page, or a row of them.
    fn loads_place(&self, operation: Operation<'c>) -> bool {
        let load = Load::of(operation);
        load.zip(self.written)
            .is_some_and(|(load, written)| is_unwritten(load.pointers(), written))
    }

    /// The lists of a slice whose places nothing but the loop's counter says, if threads have registers for them. Of numbers there are many in a line of the level-1 cache.
    fn places(&self, slice: &[Operation<'c>]) -> Places<'c> {
        let mut found = Places::default();
        let (mut needed, mut registers) = (HashSet::new(), 0);
        let lists = slice.iter().filter_map(|operation| Load::of(*operation));
        for load in lists.filter(|load| is_tile(load.result())) {
            let mut own = Slice::default();
            let mut all = operands(load.0).into_iter();
            let is_reached = all.all(|operand| self.reach(operand, &mut own).is_ok());
            let is_load = |of: &&Operation<'c>| Load::of(**of).is_some();
            let mut before = slice.iter().filter(is_load).map(|of| address(*of));
            let waits = before.any(|load| own.operations.contains(&load));
            if is_reached && own.carried.is_empty() && !waits {
                registers += self.encodings.loaded_registers(load);
                needed.extend(own.operations);
                found.loads.push(load);
            }
        }
        if registers > REGISTERS_OF_PLACES {
            return Places::default();
        }
        let needed = slice.iter().filter(|of| needed.contains(&address(**of)));
        found.slice.extend(needed.copied());
        found
    }

    /// Whether a load is for nothing but to say where the copies of a slice are from.
    fn is_index(&self, load: Load<'c>, slice: &Slice) -> bool {
        let is_in_slice =
            |operation: &Operation<'c>| slice.operations.contains(&address(*operation));
        let users = self.users.get(&key(load.result()));
        is_in_slice(&load.0) && users.is_some_and(|users| users.iter().all(is_in_slice))
    }

    fn is_inside(&self, operation: Operation<'c>) -> bool {
        let mut found = false;
        each_operation(self.operation, &mut |inner| {
            found |= address(inner) == address(operation);
        });
        found
    }

    /// How many products are in the loop.
    fn products(&self) -> usize {
        let mut products = 0;
        each_operation(self.operation, &mut |inner| {
            products += usize::from(matches!(TileOp::of(inner), Some(TileOp::Dot(_))));
        });
        products
    }

    /// The products of warpgroups that may stay running: all of the loop's, if each does nothing but add
    /// to a carried sum, and its operands lie still in shared memory while it runs. Registers do not: with more than one
    /// group in flight, an H200 was seen to multiply registers that were written for a later one, though
    /// `wgmma.wait_group` had said that the earlier one was done.
    fn running(&self, plan: &Plan<'c>, inside: &[Operation<'c>]) -> Vec<Running> {
        let mut list = Vec::new();
        let carried = arguments(self.body);
        let Some(last) = inside.last() else {
            return list;
        };
        let yielded = operands(*last);
        let still = |buffer: Value<'c>| {
            let alloc = defining_operation(buffer).and_then(SharedAlloc::of);
            alloc.is_some_and(|alloc| plan.is_copied(buffer) || !self.is_inside(alloc.0))
        };
        for operation in inside {
            let Some(TileOp::Dot(dot)) = TileOp::of(*operation) else {
                continue;
            };
            let number = carried
                .iter()
                .skip(1)
                .position(|argument| is_same(*argument, dot.accumulator()));
            let once = |value: Value<'c>| self.users.get(&key(value)).is_some_and(|u| u.len() == 1);
            let Some(number) = number.filter(|number| {
                yielded
                    .get(*number)
                    .is_some_and(|value| is_same(*value, dot.result()))
            }) else {
                continue;
            };
            // Sums that are made apart are added in the iteration that makes them.
            let apart = crate::ir::int_attribute(dot.0, "apart").is_some();
            if dot.path() == "wgmma"
                && !apart
                && once(dot.accumulator())
                && once(dot.result())
                && still(dot.left())
                && still(dot.right())
            {
                list.push(Running {
                    dot: address(*operation),
                    carried: number,
                });
            }
        }
        if list.len() == plan.products {
            list
        } else {
            Vec::new()
        }
    }
}
