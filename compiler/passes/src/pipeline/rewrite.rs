//! What becomes of each operation of a function that is pipelined.
//!
//! Comes in: the old body, operation by operation, and the parameters that were added. Goes out: loops with a plan are
//! built anew ([`iterations`](super::iterations)), and whole functions where warps have roles ([`split`](super::split)) or blocks
//! share programs ([`stream_k`](super::stream_k)); in an iteration, loads read their stage, and what copies have made needless
//! is left out. All else is copied.

use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};

use super::plan::NO_WAIT;
use super::programs::Counts;
use super::stream_k::Given;
use super::{Pipeline, Progress};
use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::TileOp;
use crate::encoding::{PASSES_TURN, WAITS_FOR_TURN};
use crate::ir::{Operation, Value, address, attributes, name, region_block, results};
use crate::is_tile;

impl<'c> Rewrite<'c> for Pipeline<'_, '_, 'c> {
    fn added(&self) -> Vec<Type<'c>> {
        let [word, wide, pointer] =
            ["i32", "i64", "!llvm.ptr"].map(|text| Type::parse(self.cx.context, text));
        let mut list = Vec::new();
        if let (true, Some(word), Some(wide)) = (self.is_numbered, word, wide) {
            list.extend(Counts::types(word));
            if self.stream_k.is_some() {
                list.extend(Given::types(word, wide));
            }
            list.extend(self.takes_tickets.then_some(wide));
        }
        list.extend(
            pointer
                .into_iter()
                .flat_map(|pointer| vec![pointer; self.map_count]),
        );
        list
    }

    fn receive(&mut self, added: Vec<Value<'c>>) {
        let mut added = added.into_iter();
        if self.is_numbered {
            self.counts = Counts::receive(&mut added, self.pair, self.group);
            if self.stream_k.is_some() {
                self.given = Given::receive(&mut added);
            }
            if self.takes_tickets {
                self.counter = added.next();
            }
        }
        self.maps = added.collect();
    }

    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if let (Some(body), true) = (region_block(self.function, 0), self.is_built_whole()) {
            let is_top = operation.block().map(crate::ffi::block) == Some(body);
            if self.progress == Progress::Untouched {
                // With the first operation.
                self.progress = Progress::UnderWay;
                match self.roles.is_some() {
                    true => self.split(to, body)?,
                    false => self.share_programs(to, body)?,
                }
                self.progress = Progress::Done;
            }
            if self.progress == Progress::Done && is_top {
                return Ok(name(operation) != "func.return");
            }
        }
        if self.number(to, operation) {
            return Ok(true);
        }
        if let Some(plan) = self.plans.shift_remove(&address(operation)) {
            self.say(operation, &plan);
            self.pipelined(to, operation, plan)?;
            return Ok(true);
        }
        if self.consumes {
            self.release_stationary(to, operation, false);
            if self.take_stationary(to, operation)? {
                return Ok(true);
            }
        }
        if self.consumes && self.unused.contains(&address(operation)) {
            return Ok(true);
        }
        if self.mask_in_place(to, operation)? {
            return Ok(true);
        }
        if let Some(taken) = self.taken.get(&address(operation)) {
            to.bind(results(operation)[0], vec![to.one(*taken)]);
            return Ok(true);
        }
        if self.consumes
            && (self.box_store(to, operation) || self.read_epilogue_load(to, operation))
        {
            return Ok(true);
        }
        if self.consumes
            && let Some(ring) = self.rings.get(&address(operation)).cloned()
        {
            self.consumed(to, operation, &ring)?;
            return Ok(true);
        }
        if self.in_iteration(to, operation)? {
            return Ok(true);
        }
        // Which elements of a tile a thread has, and which are padding, depends on the warp that it stands for.
        let gives_tile =
            operation.region_count() == 0 && results(operation).into_iter().any(is_tile);
        let Some(pass) = self.pass.filter(|_| gives_tile) else {
            return Ok(false);
        };
        let mut list = attributes(operation);
        list.push(("pass", to.builder.int(pass)));
        to.copy_with_attributes(self, operation, &list)?;
        Ok(true)
    }
}

impl<'c> Pipeline<'_, '_, 'c> {
    /// Whether the function is not built operation by operation.
    const fn is_built_whole(&self) -> bool {
        self.roles.is_some() || self.stream_k.is_some()
    }

    /// A program's number or how many there are, where these are no longer the hardware's.
    fn number(&self, to: &mut Rebuilder<'c>, operation: Operation<'c>) -> bool {
        match (TileOp::of(operation), self.place, self.counts) {
            (Some(TileOp::ProgramId(query)), Some(place), _) => {
                if let Some(number) = place.numbers.get(query.axis() as usize) {
                    let attributes = attributes(operation);
                    let ty = query.result().r#type();
                    let id = to
                        .builder
                        .insert("tile.program_id", &[*number], &attributes, &[ty]);
                    to.bind(query.result(), results(id));
                }
                true
            }
            (Some(TileOp::NumPrograms(query)), _, Some(counts)) => {
                if let Some(number) = counts.counts.get(query.axis() as usize) {
                    to.bind(query.result(), vec![*number]);
                }
                true
            }
            _ => false,
        }
    }

    /// What belongs to the iteration of a loop with a plan.
    fn in_iteration(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let Some(now) = &self.now else {
            return Ok(false);
        };
        match TileOp::of(operation) {
            Some(TileOp::Load(load)) if is_tile(load.result()) => {
                let position = now
                    .plan
                    .copies
                    .iter()
                    .position(|copy| address(copy.load.0) == address(operation));
                let Some(position) = position else {
                    return Ok(false);
                };
                if now.plan.copies[position].alloc.is_none() {
                    let (list, ty) = ([now.stages[position]], load.result().r#type());
                    let read = to.builder.insert("tile.shared_load", &list, &[], &[ty]);
                    to.bind(load.result(), results(read));
                }
                Ok(true)
            }
            Some(TileOp::Permute(_)) => Ok(now
                .plan
                .copies
                .iter()
                .any(|copy| copy.transposed.map(address) == Some(address(operation)))),
            Some(TileOp::SharedStore(store)) => Ok(now.plan.is_copied(store.buffer())),
            Some(TileOp::SharedAlloc(alloc)) => Ok(now.plan.is_copied(alloc.result())),
            Some(TileOp::Dot(dot)) if now.begun.is_some() => Ok(self.begun_product(to, dot)),
            Some(TileOp::Dot(_)) => {
                let mut list = attributes(operation);
                if let Some(running) = now.plan.in_flight(address(operation)) {
                    list.push(("running", to.builder.int(running)));
                } else if self.multiplies_in_turn(&now.plan) {
                    list.push(("in_turn", to.builder.int(WAITS_FOR_TURN | PASSES_TURN)));
                } else if now.beside.iter().any(|one| one.dot == address(operation)) {
                    list.push(("running", to.builder.int(NO_WAIT)));
                } else {
                    return Ok(false);
                }
                to.copy_with_attributes(self, operation, &list)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}
