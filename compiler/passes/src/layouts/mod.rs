//! `layouts`: warps per program, a layout for every tile, conversions between them.
//!
//! Some operations anchor a layout: a load or store wants wide coalesced accesses, a dot wants
//! fragments, a reduction stays where its operand is. Each anchored value has a *home*. Arithmetic
//! takes the home of an operand, and what a loop carries that of what its body computes. What is cheap to
//! compute anywhere (constants, index arithmetic, broadcasts) has none: it is built again in whatever layout a
//! user of it wants, and so are rows and columns that are loaded for fragments ([`spread`]). What a product
//! multiplies from registers is loaded there ([`fragments`]). Where a value is wanted away from home, a
//! `tile.convert` brings it there.
//!
//! ```text
//! %x = tile.load %p : tensor<64x64xf32>                 home: 4 columns per thread
//! %m = tile.reduce %x axis 1 : tensor<64xf32>            home: slice of that
//! %b = tile.broadcast (expand %m) : tensor<64x64xf32>    no home: built in the layout of %x below
//! %d = arith.subf %x, %b                                 home of %x; no conversion
//! ```
//!
//! Comes in: tiles without encodings. Goes out: every tile type carries its layout, loads and stores
//! a `vector` width, the function `tile.warps`. Operands of a dot on tensor cores have fragment
//! layouts.

use std::collections::{HashMap, HashSet};

use melior::ir::operation::OperationLike;
use melior::ir::r#type::TypeLike;
use melior::ir::{Module, ValueLike};

use super::{
    PassContext, element_bits, element_bytes, function_name, is_of_iteration, is_tile, loop_around,
    rebuild_functions_with, spelled,
};
use crate::build::Builder;
use crate::diagnostic::remark::{RemarkKind, WarpsFor};
use crate::diagnostic::{Diagnostic, messages};
use crate::dialect::ops::{Gather, Load};
use crate::dialect::{TileOp, is_integer_division};
use crate::encoding::MOST_COPIES;
use crate::facts::{FactAnalysis, pointee_bytes};
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, TileType, Value, ValueKey, arguments, key, name, operands, operations, region_block,
    result, results, yielded,
};
use crate::layout::Layout;
use crate::layout::mma::WARPGROUP;
use crate::target::Target;

mod alone;
mod beside;
mod choose;
mod fragments;
mod rebuild;
pub mod spread;
mod widths;

pub(super) use alone::AT_ONCE;
pub(super) use fragments::Operand;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    rebuild_functions_with(cx, &module, |function| {
        let mut homes = Homes::new(cx, function);
        if let Some(body) = region_block(function, 0) {
            homes.check_registers(body)?;
            homes.block(body)?;
            homes.follow_users(function);
            let preferred = homes.reduced_elsewhere(function);
            if !preferred.is_empty() {
                homes.begin_anew(function, preferred);
                homes.block(body)?;
                homes.follow_users(function);
            }
        }
        let builder = Builder::new(
            cx.context,
            crate::ffi::block(module.body()),
            function.location(),
        );
        let warps = builder.int(i64::from(homes.warps));
        let mut attributes = vec![("tile.warps", warps)];
        if homes.cluster > 1 {
            attributes.push(("tile.cluster", builder.int(i64::from(homes.cluster))));
        }
        if let Some(programs) = homes.at_once {
            attributes.push((AT_ONCE, builder.int(programs as i64)));
        }
        Ok((homes.into_rewrite(), attributes))
    })
}

/// The homes of the values of one function.
struct Homes<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    function: String,
    facts: FactAnalysis<'c>,
    warps: u32,
    /// Blocks that these warps are spread over.
    cluster: u32,
    /// Programs that should fit on a multiprocessor.
    at_once: Option<u64>,
    homes: HashMap<ValueKey, Layout>,
    /// The layout in which an operation without a result of its own home works: reductions.
    working: HashMap<ValueKey, Layout>,
    /// Values computed from anchored ones, though they have no home: worth computing once.
    derived: HashSet<ValueKey>,
    /// Homes that come from a dot or an exchange, which would be slow in others: they win over others,
    /// and around a loop.
    strong: HashSet<ValueKey>,
    /// Rows and columns that are loaded where they are wanted.
    spread: HashSet<ValueKey>,
    /// Rows that say where tiles lie: the axis that they are spread along, and the first load of such a tile.
    places: HashMap<ValueKey, (usize, Load<'c>)>,
    /// Rows that loops with products load.
    looped: HashSet<ValueKey>,
    /// Tiles that loops with products load, from where any thread has any part of them.
    at_hand: HashSet<ValueKey>,
    /// Rows that loops compute from rows that they load: they have no home.
    computed: HashSet<ValueKey>,
    /// Whether stored rows stay with the threads that have their tiles: two warpgroups multiply what they computed from other products, and
    /// would wait for each other to share a row out.
    rows_stay: bool,
    /// What the fragments of a product are computed from.
    fragments: HashMap<ValueKey, fragments::Loaded>,
    /// Tiles that are computed from repeated rows and columns alone, or from tiles at hand, and so could be anywhere.
    movable: HashSet<ValueKey>,
    /// Where some of them are, whatever they are computed from.
    preferred: HashMap<ValueKey, Layout>,
    /// Which elements threads have of tiles that several accesses go to.
    widths: widths::Widths,
}

/// The number of warps that a program will have.
pub(super) fn warps<'c>(function: Operation<'c>, facts: &FactAnalysis<'c>, target: &Target) -> u32 {
    choose::warps(function, facts, target).warps
}

/// The permutation that undoes another.
fn inverse(permutation: &[i64]) -> Vec<usize> {
    let mut inverse = vec![0; permutation.len()];
    for (position, axis) in permutation.iter().enumerate() {
        inverse[*axis as usize] = position;
    }
    inverse
}

fn shape_of(value: Value<'_>) -> Vec<u64> {
    TileType::of(value).map(TileType::shape).unwrap_or_default()
}

impl<'a, 'b, 'c> Homes<'a, 'b, 'c> {
    fn new(cx: &'a PassContext<'b, 'c>, function: Operation<'c>) -> Self {
        let facts = FactAnalysis::new(function);
        let choose::Warps {
            warps,
            cluster,
            at_once,
            why,
        } = choose::warps(function, &facts, cx.target);
        let fragments = fragments::find(function, &facts, cx.target, warps);
        // Of those that are counted as `Chained` two programs share a multiprocessor, and one goes on while the other waits.
        let rows_stay = matches!(why, WarpsFor::Product { .. })
            && warps == 2 * WARPGROUP
            && crate::has_warpgroup_products(function)
            && choose::has_chain(function);
        let function_name = function_name(function).to_owned();
        cx.remark(
            &function_name,
            Some(cx.span(function.location())),
            RemarkKind::Warps {
                warps,
                cluster,
                why,
            },
        );
        let widths = widths::find(function, &facts);
        // Elements that lie apart are as near to any thread.
        let movable = spread::scattered(function, &facts);
        Self {
            cx,
            function: function_name,
            facts,
            warps,
            cluster,
            at_once,
            homes: HashMap::new(),
            working: HashMap::new(),
            derived: HashSet::new(),
            strong: HashSet::new(),
            spread: spread::find(function),
            places: spread::places(function),
            looped: spread::looped(function),
            at_hand: spread::at_hand(function),
            computed: spread::computed(function),
            rows_stay,
            fragments,
            movable,
            preferred: HashMap::new(),
            widths,
        }
    }

    /// Forgets what was found, but for the place of some tiles.
    fn begin_anew(&mut self, function: Operation<'c>, preferred: HashMap<ValueKey, Layout>) {
        self.homes.clear();
        self.working.clear();
        self.derived.clear();
        self.strong.clear();
        self.movable = spread::scattered(function, &self.facts);
        self.preferred = preferred;
    }

    /// A single value that fills more than all registers of a program can never be held.
    fn check_registers(&self, body: crate::ir::Block<'c>) -> Result<(), Diagnostic> {
        let target = self.cx.target;
        let available = (4 * target.registers_per_thread * 32 * u64::from(self.warps))
            .min(4 * target.registers_per_program * u64::from(self.cluster));
        let mut outcome = Ok(());
        let mut check = |operation: Operation<'c>| {
            for value in results(operation) {
                let anchored = matches!(
                    TileOp::of(operation),
                    Some(
                        TileOp::Load(_)
                            | TileOp::Dot(_)
                            | TileOp::Reduce(_)
                            | TileOp::Scan(_)
                            | TileOp::Gather(_)
                            | TileOp::Exchange(_)
                            | TileOp::Atomic(_)
                            | TileOp::Asm(_)
                    )
                ) || operation.region_count() > 0;
                let bytes =
                    shape_of(value).iter().product::<u64>() * element_bits(value.r#type()) / 8;
                if outcome.is_ok() && anchored && is_tile(value) && bytes > available {
                    let span = self.cx.span(operation.location());
                    let tile = spelled(value.r#type());
                    outcome = Err(messages::lowering::too_many_registers(
                        &tile,
                        bytes,
                        available,
                        target.name,
                        span,
                    ));
                }
            }
        };
        for operation in operations(body) {
            check(operation);
            super::each_operation(operation, &mut check);
        }
        outcome
    }

    fn into_rewrite(self) -> rebuild::Place<'a, 'b, 'c> {
        rebuild::Place::new(self)
    }

    fn home(&self, value: Value<'c>) -> Option<&Layout> {
        self.homes.get(&key(value))
    }

    /// Where what is computed from a value is: at its home, but for what fragments are computed from.
    fn wanted(&self, value: Value<'c>) -> Option<&Layout> {
        match self.fragments.get(&key(value)) {
            Some(loaded) => Some(&loaded.layout),
            None => self.home(value),
        }
    }

    fn set_home(&mut self, value: Value<'c>, layout: Layout) {
        self.homes.insert(key(value), layout);
    }

    /// The home, or where a value without one would live.
    fn home_or_neutral(&self, value: Value<'c>) -> Layout {
        self.home(value).cloned().unwrap_or_else(|| {
            choose::neutral(&shape_of(value), element_bytes(value.r#type()), self.warps)
        })
    }

    fn block(&mut self, block: crate::ir::Block<'c>) -> Result<(), Diagnostic> {
        for operation in operations(block) {
            self.operation(operation)?;
        }
        Ok(())
    }

    fn operation(&mut self, operation: Operation<'c>) -> Result<(), Diagnostic> {
        if self.is_in_fragments(operation) {
            return Ok(());
        }
        match TileOp::of(operation) {
            Some(TileOp::Load(load)) if self.spread.contains(&key(load.result())) => {}
            Some(TileOp::Load(load)) if is_tile(load.result()) => {
                let layout = match self.fragments.get(&key(load.result())) {
                    Some(loaded) if !loaded.in_pieces => loaded.layout.clone(),
                    _ => self
                        .at_access(load)
                        .or_else(|| self.copied_ahead(load))
                        .unwrap_or_else(|| self.access(load.pointers(), load.mask())),
                };
                self.set_home(load.result(), layout);
            }
            Some(TileOp::Dot(dot)) => {
                let shape = shape_of(dot.result());
                let shape = [shape[0], shape[1]];
                let layout = match dot.path() {
                    "wgmma" => {
                        let grid = Layout::warpgroup_grid(shape, self.warps);
                        Layout::wgmma_accumulator(shape, grid)
                    }
                    "mma" => Layout::mma_accumulator(shape, choose::warp_grid(shape, self.warps)),
                    _ => {
                        Layout::of_warps(self.warps, |warps| Layout::fma_accumulator(shape, warps))
                    }
                };
                let layout = layout.with_copies(self.warps);
                self.set_home(dot.result(), layout);
                self.strong.insert(key(dot.result()));
            }
            Some(TileOp::Reduce(reduce)) => {
                let first = reduce.operands()[0];
                let layout = reduce
                    .operands()
                    .into_iter()
                    .find_map(|operand| self.home(operand).cloned())
                    .unwrap_or_else(|| self.home_or_neutral(first));
                let axis = reduce.axis() as usize;
                // Fragments of a product have padding where a tile of 2 or 4 columns has none. A function
                // of the program's own has no identity to put there.
                let shape = shape_of(first);
                let pads = layout.covered()[axis] != shape[axis];
                let is_short = pads && shape[axis].is_power_of_two();
                let layout = if is_short || layout.lacks_warps_along(axis) {
                    choose::neutral(&shape, element_bytes(first.r#type()), self.warps)
                } else {
                    layout
                };
                for value in results(operation) {
                    if is_tile(value) {
                        self.set_home(value, layout.remove_dimension(axis));
                    }
                }
                self.working.insert(key(result(operation, 0)), layout);
            }
            Some(TileOp::Scan(scan)) => {
                let shape = shape_of(scan.result());
                let axis = scan.axis() as usize;
                // What products give stays in their layout where neighbours are found in it, and so do rows where they were loaded. A tile
                // of one dimension is as fast by way of shared memory.
                let leading = self.leading(&scan.operands(), operation);
                let is_strong = leading.is_some_and(|value| self.strong.contains(&key(value)));
                let own = leading.and_then(|value| self.home(value).cloned());
                let own = own.filter(|layout| {
                    // In reverse, what is beside a tile would come before it.
                    let is_whole = scan.reverse() == 0 || layout.covered()[axis] == shape[axis];
                    (is_strong || shape.len() > 1)
                        && is_whole
                        && choose::can_be_scanned(layout, axis)
                });
                let is_strong = is_strong && own.is_some();
                let layout = own.unwrap_or_else(|| choose::scanned(&shape, axis, self.warps));
                for value in results(operation) {
                    self.set_home(value, layout.clone());
                    if is_strong {
                        self.strong.insert(key(value));
                    }
                }
                self.working.insert(key(scan.result()), layout);
            }
            Some(TileOp::Map(map)) => {
                let list = map.operands();
                let leading = self.leading(&list, operation).unwrap_or(list[0]);
                let layout = self.home_or_neutral(leading);
                for value in results(operation) {
                    self.set_home(value, layout.clone());
                    if self.strong.contains(&key(leading)) {
                        self.strong.insert(key(value));
                    }
                }
                self.working.insert(key(map.result()), layout);
            }
            Some(TileOp::Histogram(histogram)) => {
                let layout = self.home_or_neutral(histogram.result());
                self.set_home(histogram.result(), layout);
            }
            Some(TileOp::Exchange(exchange)) => {
                let shape = shape_of(exchange.result());
                let layout = choose::exchanged(&shape, exchange.axis() as usize, self.warps);
                self.set_home(exchange.result(), layout);
                self.strong.insert(key(exchange.result()));
            }
            Some(TileOp::Gather(gather)) => {
                let part = self.part(gather).map(|(_, layout)| layout);
                if part.is_some() && self.strong.contains(&key(gather.operand())) {
                    self.strong.insert(key(gather.result()));
                }
                let mut indices = gather.indices().into_iter();
                let home = part.or_else(|| indices.find_map(|index| self.home(index).cloned()));
                let layout = home.unwrap_or_else(|| self.home_or_neutral(gather.result()));
                self.set_home(gather.result(), layout);
            }
            Some(TileOp::Atomic(atomic)) => {
                let distinct = self
                    .home(atomic.value())
                    .filter(|home| home.owners().are_all_threads());
                // One element per thread and instruction: neighbours in a warp, no vectors. Where a thread has
                // more neighbours than one instruction takes, each would touch parts of twice the sectors: the
                // tile moves, which costs less than accesses of the level-2 cache, that all programs share.
                let wanted = self.access(atomic.pointers(), atomic.mask());
                let widest =
                    |layout: &Layout| (0..layout.rank()).map(|axis| layout.contiguous(axis)).max();
                let is_coarse =
                    |home: &Layout| widest(&wanted) > Some(1) && widest(home) > widest(&wanted);
                let layout = match distinct {
                    Some(home) if is_coarse(home) => wanted,
                    Some(home) => home.clone(),
                    None => choose::neutral(&shape_of(atomic.value()), 16, self.warps),
                };
                self.set_home(atomic.result(), layout);
            }
            Some(TileOp::Asm(asm)) if is_tile(asm.result()) => {
                let arguments = asm.arguments().into_iter();
                let at_home = arguments
                    .filter_map(|argument| Some((argument, self.home(argument)?)))
                    .filter(|(_, home)| asm.effects() == 0 || home.owners().are_all_threads())
                    .max_by_key(|(argument, _)| element_bits(argument.r#type()))
                    .map(|(_, home)| home.clone());
                let shape = shape_of(asm.result());
                let bytes = match asm.effects() {
                    0 => element_bytes(asm.result().r#type()),
                    // One element per thread, so that no other has it as well.
                    _ => 16,
                };
                let layout = at_home.unwrap_or_else(|| choose::neutral(&shape, bytes, self.warps));
                for value in results(operation) {
                    self.set_home(value, layout.clone());
                }
            }
            Some(TileOp::Permute(permute)) => {
                if let Some(home) = self.wanted(permute.operand()).cloned() {
                    let list: Vec<_> = permute.permutation().iter().map(|d| *d as usize).collect();
                    self.set_home(permute.result(), home.permute(&list));
                }
                self.moves_with(permute.result(), permute.operand());
                self.derive(operation);
            }
            Some(TileOp::Reshape(reshape)) => {
                let shape = shape_of(reshape.result());
                let home = self
                    .home(reshape.operand())
                    .and_then(|home| home.reshape(&shape));
                if let Some(home) = home {
                    self.set_home(reshape.result(), home);
                    self.moves_with(reshape.result(), reshape.operand());
                }
                self.derive(operation);
            }
            Some(
                TileOp::Splat(_) | TileOp::Arange(_) | TileOp::Expand(_) | TileOp::Broadcast(_),
            ) => {
                self.derive(operation);
            }
            Some(TileOp::PointerOffset(_) | TileOp::PointerCast(_)) => self.elementwise(operation),
            Some(_) => {}
            None => match name(operation) {
                "scf.for" => self.counted_loop(operation)?,
                "scf.if" => self.conditional(operation)?,
                "scf.while" => self.while_loop(operation)?,
                other if other.starts_with("arith.") || other.starts_with("math.") => {
                    self.elementwise(operation)
                }
                _ => {}
            },
        }
        Ok(())
    }

    /// Whether an operation is of what a product's fragments are computed from; then its result is where they are.
    fn is_in_fragments(&mut self, operation: Operation<'c>) -> bool {
        let list = results(operation);
        let [value] = list.as_slice() else {
            return false;
        };
        let Some(found) = self.fragments.get(&key(*value)) else {
            return false;
        };
        if matches!(TileOp::of(operation), Some(TileOp::Load(_))) {
            return false;
        }
        let layout = found.layout.clone();
        self.set_home(*value, layout);
        true
    }

    /// The layout an access through these pointers wants.
    fn access(&self, pointers: Value<'c>, mask: Option<Value<'c>>) -> Layout {
        let shape = shape_of(pointers);
        let mask = mask.map(|mask| self.facts.of(mask));
        choose::coalesced(
            &shape,
            (pointee_bytes(pointers), self.widths.of(&shape, pointers)),
            &self.facts.of(pointers),
            mask.as_ref(),
            self.warps,
        )
    }

    /// The layout of a row that a loop with products loads.
    fn copied_ahead(&self, load: Load<'c>) -> Option<Layout> {
        if !self.looped.contains(&key(load.result())) {
            return None;
        }
        let mask = load.mask().map(|mask| self.facts.of(mask));
        Some(choose::copied_ahead(
            shape_of(load.result())[0],
            pointee_bytes(load.pointers()),
            &self.facts.of(load.pointers()),
            mask.as_ref(),
            self.warps,
        ))
    }

    fn derive(&mut self, operation: Operation<'c>) {
        let anchored = operands(operation).iter().any(|operand| {
            self.homes.contains_key(&key(*operand)) || self.derived.contains(&key(*operand))
        });
        if anchored {
            for value in results(operation) {
                self.derived.insert(key(value));
            }
        }
    }

    /// The operand whose home the others come to: a strong one, or that of the widest elements. What a loop computes or carries is not brought in each iteration to
    /// where something from before it is.
    fn leading(&self, list: &[Value<'c>], operation: Operation<'c>) -> Option<Value<'c>> {
        let around = loop_around(operation);
        let strong = list
            .iter()
            .find(|operand| self.strong.contains(&key(**operand)))
            .copied();
        strong.or_else(|| {
            list.iter()
                .copied()
                .filter(|operand| self.home(*operand).is_some())
                .max_by_key(|operand| {
                    let is_inside = around.is_none_or(|around| is_of_iteration(*operand, around));
                    (element_bits(operand.r#type()), is_inside)
                })
        })
    }

    fn elementwise(&mut self, operation: Operation<'c>) {
        let Some(value) = results(operation)
            .first()
            .copied()
            .filter(|value| is_tile(*value))
        else {
            return;
        };
        if self.computed.contains(&key(value)) {
            self.derive(operation);
            return;
        }
        if let Some(layout) = self.preferred.get(&key(value)).cloned() {
            self.set_home(value, layout);
            self.movable.insert(key(value));
            return;
        }
        let list = operands(operation);
        if let Some(operand) = self.leading(&list, operation) {
            self.inherit(value, operand);
            // What is computed from what could be anywhere could be, too, and so could what a loop computes from what was before it, which
            // is brought elsewhere once.
            let around = loop_around(operation).filter(|around| name(*around) == "scf.for");
            let is_before = |operand: Value<'c>| {
                !self.strong.contains(&key(operand))
                    && around.is_some_and(|around| !is_of_iteration(operand, around))
            };
            let moves = |operand: &Value<'c>| {
                self.movable.contains(&key(*operand))
                    || self.at_hand.contains(&key(*operand))
                    || !is_tile(*operand)
                    || self.home(*operand).is_none()
                    || is_before(*operand)
            };
            if list.iter().all(moves) {
                self.movable.insert(key(value));
            }
            return;
        }
        // Computed from loaded data by broadcasting only: once, in a neutral place, but for what is cheap.
        if list
            .iter()
            .any(|operand| self.derived.contains(&key(*operand)))
        {
            // What would move is the tile that is repeated.
            if let Some(layout) = list.iter().find_map(|operand| self.multiplied(*operand)) {
                self.set_home(value, layout);
                self.movable.insert(key(value));
                return;
            }
            let is_cheap_row = is_row(value) && spread::CHEAP.contains(&name(operation));
            if is_cheap_row || is_address_arithmetic(operation, value) {
                self.derived.insert(key(value));
                return;
            }
            let layout = self.home_or_neutral(value);
            self.set_home(value, layout);
            self.movable.insert(key(value));
        }
    }

    /// Moves tiles that could be anywhere to where all of their users are: rows and columns are what is brought there
    /// then, and not whole tiles.
    fn follow_users(&mut self, function: Operation<'c>) {
        if self.movable.is_empty() {
            return;
        }
        let users = super::uses(function);
        let mut all = Vec::new();
        super::each_operation(function, &mut |operation| all.extend(results(operation)));
        // The last first: one may have to follow another.
        for value in all.into_iter().rev() {
            if !self.movable.contains(&key(value)) {
                continue;
            }
            let list = users.get(&key(value)).map_or(&[][..], Vec::as_slice);
            let homes: Option<Vec<Layout>> = list.iter().map(|user| self.works_in(*user)).collect();
            if let Some([first, rest @ ..]) = homes.as_deref()
                && rest.iter().all(|other| other == first)
            {
                self.set_home(value, first.clone());
            }
        }
    }

    /// Tiles that could be anywhere, of which rows or columns are reduced where nothing else that uses the tile is; and where the others
    /// are. A reduction can be there, too, and the rows that it gives are then where products have theirs.
    fn reduced_elsewhere(&self, function: Operation<'c>) -> HashMap<ValueKey, Layout> {
        let users = super::uses(function);
        let mut found = HashMap::new();
        for value in &self.movable {
            let list = users.get(value).map_or(&[][..], Vec::as_slice);
            let (reductions, others): (Vec<Operation<'c>>, Vec<_>) = list
                .iter()
                .copied()
                .partition(|user| matches!(TileOp::of(*user), Some(TileOp::Reduce(_))));
            let homes: Option<Vec<Layout>> =
                others.iter().map(|user| self.works_in(*user)).collect();
            if let (Some([first, rest @ ..]), false) = (homes.as_deref(), reductions.is_empty())
                && rest.iter().all(|other| other == first)
                && self.homes.get(value) != Some(first)
            {
                found.insert(*value, first.clone());
            }
        }
        found
    }

    /// The same elements in another order or shape could be where they could.
    fn moves_with(&mut self, value: Value<'c>, operand: Value<'c>) {
        if self.movable.contains(&key(operand)) {
            self.movable.insert(key(value));
        }
    }

    /// Where what is computed with tiles has its operands if it has no choice, as the fragments of a product are there, or has followed its users.
    fn works_in(&self, operation: Operation<'c>) -> Option<Layout> {
        let value = *results(operation).first()?;
        let is_settled = self.strong.contains(&key(value)) || self.movable.contains(&key(value));
        let home = self.home(value).filter(|_| is_settled)?;
        match TileOp::of(operation) {
            Some(TileOp::Permute(permute)) => Some(home.permute(&inverse(&permute.permutation()))),
            Some(TileOp::Reshape(reshape)) => home.reshape(&shape_of(reshape.operand())),
            _ => {
                let is_arithmetic =
                    name(operation).starts_with("arith.") || name(operation).starts_with("math.");
                is_arithmetic.then(|| home.clone())
            }
        }
    }

    /// Where a value is if it is a tile that was given one more axis, along which it is repeated a few times: where the tile
    /// is, so that nothing moves.
    fn multiplied(&self, value: Value<'c>) -> Option<Layout> {
        let TileOp::Broadcast(broadcast) = defining_operation(value).and_then(TileOp::of)? else {
            return None;
        };
        let source = broadcast.operand();
        let TileOp::Expand(expand) = defining_operation(source).and_then(TileOp::of)? else {
            return None;
        };
        let axis = expand.axis() as usize;
        let is_shared_out = |home: &&Layout| home.rank() > 1 || home.owners().are_all_threads();
        let home = self.home(expand.operand()).filter(is_shared_out)?;
        let (from, shape) = (shape_of(source), shape_of(value));
        let is_only = (0..shape.len()).all(|other| other == axis || from[other] == shape[other]);
        if !is_only || shape[axis] > MOST_COPIES {
            return None;
        }
        let home = home.insert_dimension(axis);
        home.broadcast_in_place(axis, shape[axis])
    }

    /// The layout that the first access wants whose places are computed from a row, if the row is for nothing but that: each
    /// thread loads those elements of the row that it needs.
    fn at_access(&self, load: Load<'c>) -> Option<Layout> {
        let (axis, access) = self.places.get(&key(load.result()))?;
        let layout = self.access(access.pointers(), access.mask());
        Some(layout.remove_dimension(*axis))
    }

    /// Where a gather that takes a part of a tile begins, and the layout of what it takes, if each thread has its elements of the part: all
    /// that is beside it lies in other registers of the thread.
    fn part(&self, gather: Gather<'c>) -> Option<(Vec<i64>, Layout)> {
        let (from, shape) = (shape_of(gather.operand()), shape_of(gather.result()));
        let mut layout = self.home(gather.operand())?.clone();
        let mut starts = Vec::new();
        for (axis, index) in gather.indices().into_iter().enumerate() {
            let facts = self.facts.of(index);
            let (least, most) = self.facts.range(index)?;
            let counts = |other: usize| match other == axis {
                true => facts.contiguity[other] == shape[other],
                false => facts.constancy[other] == shape[other],
            };
            let size = i128::from(shape[axis]);
            let is_chunk = most - least == size - 1
                && least % size == 0
                && (0..i128::from(from[axis])).contains(&most)
                && from[axis].is_multiple_of(shape[axis]);
            if !is_chunk || !(0..shape.len()).all(counts) {
                return None;
            }
            starts.push(i64::try_from(least).ok()?);
        }
        for axis in (0..shape.len()).rev() {
            if shape[axis] == from[axis] {
                continue;
            }
            let mut apart = layout.shape().to_vec();
            apart[axis] = from[axis] / shape[axis];
            apart.insert(axis + 1, shape[axis]);
            layout = layout.reshape(&apart)?;
            if layout.thread_bases().any(|basis| basis[axis] != 0) {
                return None;
            }
            layout = layout.remove_dimension(axis);
        }
        Some((starts, layout))
    }

    /// Sets the homes of what a loop carries: those of the first values, unless the body computes
    /// them somewhere better.
    fn counted_loop(&mut self, operation: Operation<'c>) -> Result<(), Diagnostic> {
        let Some(body) = region_block(operation, 0) else {
            return Ok(());
        };
        let carried: Vec<_> = arguments(body).into_iter().skip(1).collect();
        let initial: Vec<_> = operands(operation).into_iter().skip(3).collect();
        self.settle(&carried, &initial, &yielded(body), |homes| {
            homes.block(body)
        })?;
        for (value, argument) in results(operation).into_iter().zip(&carried) {
            self.inherit(value, *argument);
        }
        Ok(())
    }

    /// The same for a loop whose condition decides, and passes on what its body and what follows it get.
    fn while_loop(&mut self, operation: Operation<'c>) -> Result<(), Diagnostic> {
        let (Some(before), Some(after)) = (region_block(operation, 0), region_block(operation, 1))
        else {
            return Ok(());
        };
        let passed: Vec<_> = yielded(before).into_iter().skip(1).collect();
        let walk = |homes: &mut Self| {
            homes.block(before)?;
            let got = results(operation).into_iter().zip(arguments(after));
            for (value, (result, argument)) in passed.iter().zip(got) {
                homes.inherit(result, *value);
                homes.inherit(argument, *value);
            }
            homes.block(after)
        };
        let (carried, initial) = (arguments(before), operands(operation));
        self.settle(&carried, &initial, &yielded(after), walk)?;
        // What the condition alone computes, and nothing anchors.
        let mut late = false;
        for value in &passed {
            if is_tile(*value) && self.home(*value).is_none() {
                self.set_home(*value, self.home_or_neutral(*value));
                late = true;
            }
        }
        if late { walk(self) } else { Ok(()) }
    }

    /// Finds homes for `carried` that a loop keeps, which `walk` goes through and which gives `yielded` to its next iteration.
    fn settle(
        &mut self,
        carried: &[Value<'c>],
        initial: &[Value<'c>],
        yielded: &[Value<'c>],
        walk: impl Fn(&mut Self) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        for (argument, initial) in carried.iter().zip(initial) {
            if is_tile(*argument) && self.home(*initial).is_some() {
                self.inherit(*argument, *initial);
            }
        }
        for round in 0..3 {
            walk(self)?;
            let mut changed = false;
            for (argument, yielded) in carried.iter().zip(yielded) {
                if !is_tile(*argument) {
                    continue;
                }
                let [from, to] = [*yielded, *argument].map(|value| self.home(value));
                // What comes from before the loop moves once. Not in the last round, after which the body is not gone over again.
                let moves = from != to && round < 2;
                let is_strong = self.strong.contains(&key(*yielded));
                let better = from.is_some()
                    && (to.is_none() || is_strong || moves)
                    && !self.strong.contains(&key(*argument));
                if better {
                    self.inherit(*argument, *yielded);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let mut late = false;
        for argument in carried {
            if is_tile(*argument) && self.home(*argument).is_none() {
                let is_pointer = element_bits(argument.r#type()) == 64
                    && crate::ir::element_type(argument.r#type())
                        .to_string()
                        .starts_with("!tile.ptr");
                let layout = if is_pointer {
                    self.access(*argument, None)
                } else {
                    self.home_or_neutral(*argument)
                };
                self.set_home(*argument, layout);
                late = true;
            }
        }
        if late {
            walk(self)?;
        }
        Ok(())
    }

    fn inherit(&mut self, value: Value<'c>, from: Value<'c>) {
        if let Some(layout) = self.wanted(from).cloned() {
            self.set_home(value, layout);
        }
        if self.strong.contains(&key(from)) {
            self.strong.insert(key(value));
        }
    }

    fn conditional(&mut self, operation: Operation<'c>) -> Result<(), Diagnostic> {
        let mut yields = Vec::new();
        for index in 0..operation.region_count() {
            let Some(block) = region_block(operation, index) else {
                continue;
            };
            self.block(block)?;
            yields.push(yielded(block));
        }
        for (number, value) in results(operation).into_iter().enumerate() {
            if !is_tile(value) {
                continue;
            }
            let list: Vec<_> = yields
                .iter()
                .filter_map(|list| list.get(number))
                .copied()
                .collect();
            let strong = list.iter().find(|one| self.strong.contains(&key(**one)));
            match strong.or_else(|| list.iter().find(|one| self.home(**one).is_some())) {
                Some(from) => self.inherit(value, *from),
                None => {
                    let layout = self.home_or_neutral(value);
                    self.set_home(value, layout);
                }
            }
        }
        Ok(())
    }
}

/// Whether a tile has elements along one axis alone.
fn is_row(value: Value<'_>) -> bool {
    let shape = shape_of(value);
    shape.len() > 1 && shape.iter().filter(|size| **size > 1).count() < 2
}

/// Whether an operation computes an address or a mask, and is so cheap that it may be done in several layouts.
fn is_address_arithmetic(operation: Operation<'_>, value: Value<'_>) -> bool {
    let element = crate::ir::element_type(value.r#type());
    let is_cheap = !is_integer_division(name(operation)) || !crate::in_loop(operation);
    is_cheap && (element.is_integer() || element.to_string().starts_with("!tile.ptr"))
}
