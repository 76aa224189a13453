//! Stream-K: several blocks compute each of the programs that are left over for a last wave.
//!
//! ```text
//! the last wave has fewer programs than blocks
//!   ⇒  for the programs of that wave: sums of a part of the iterations
//!      part_store; last = part_arrive
//!      if last { sums = the parts, in their order; rest(sums) }
//! ```
//!
//! With P programs on B blocks L = P mod B are left for the last turn, in which B - L blocks would have nothing to
//! do. Where each could have several, it gets S blocks, which share the iterations of its loop of sums as evenly as they
//! go; block `j · L + i` of the turn has part `j` of program `i`, so that those that begin together read the same
//! operands. Each writes its sums to a workspace in global memory. The block that comes last adds all parts, in the
//! order of the iterations, so that results are the same in every run, and does what follows the loop. No block waits
//! for another, so it does not matter which of them run at once.
//!
//! How many blocks each could have the launch says, which knows how many there are; S is the most of them that pay,
//! by the number of iterations R: an iteration takes the clocks of its copies or of its products, whatever is more, and a part those of the
//! sums, written once and read once between the level-2 cache and a multiprocessor. `R / S` iterations and `S` parts take least where
//! `S² = R · iteration / part`, and it is worth it where what is saved is more than the parts and the waiting ([`FIXED_CLOCKS`]).
//!
//! In a persistent kernel these parts are blocks' last turns. Where a block has one program, as threads copy for
//! themselves, there are blocks more for them, which run when the others are done or as far as they find room.
//!
//! Done where that is right: programs may run in any order, the loop of sums that begin at zero stands in the kernel's own
//! block and is the only one whose loads are copied, how many rounds it has is the same for all programs, and nothing
//! before it or in it has effects.

use std::collections::HashSet;

use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};

use tile_runtime::manifest::COUNTERS_BYTES;

use super::Pipeline;
use super::pairs::is_paired;
use super::plan::{Plan, Plans};
use super::programs::{Part, Reciprocal, either};
use super::work::product_clocks;
use crate::accumulators::{has_effects, is_zero, only_accumulates};
use crate::build::{Builder, Rebuilder};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::{NoShare, RemarkKind};
use crate::dialect::SPLIT;
use crate::dialect::{TileOp, is_pure, predicates};
use crate::encoding::Encodings;
use crate::ffi::{argument_owner, defining_operation};
use crate::ir::{
    Block, Operation, Value, address, int_attribute, name, operands, operations, region_block,
    result, results,
};
use crate::{PassContext, each_operation, function_name, is_tile, uses};

/// The attribute of a function whose programs may be computed in parts: bytes of one.
pub const PART_BYTES: &str = "tile.part_bytes";

/// Clocks that it costs to share a program besides its parts: a fence, an atomic operation, and reading what other
/// multiprocessors wrote, each of which takes some hundreds.
const FIXED_CLOCKS: f64 = 1536.0;

/// Bytes in a clock between the level-2 cache and a multiprocessor.
const BYTES_PER_CLOCK: f64 = 64.0;

/// Parts that a program may have.
const PARTS: [u32; 7] = [2, 3, 4, 6, 8, 12, 16];

/// What the iterations of a loop that is shared are fewer than.
const MOST_ROUNDS: i64 = 1 << 31;

/// Bytes of a register of sums.
const REGISTER_BYTES: u64 = 4;

/// Bytes of a counter.
const COUNTER_BYTES: i64 = 4;

/// A loop whose iterations several blocks may share.
pub struct StreamK<'c> {
    pub of: Operation<'c>,
    /// What its range is computed from, in order: the same for all programs.
    uniform: Vec<Operation<'c>>,
    /// Clocks that an iteration takes.
    iteration_clocks: f64,
    /// Bytes of the parts of its results.
    parts: Vec<u64>,
}

/// What a launch says of the programs that are left over.
#[derive(Clone, Copy)]
pub struct Given<'c> {
    /// The number of the first of them, or of all programs if there is none.
    pub first: Value<'c>,
    /// The blocks that each may have.
    pub spare: Value<'c>,
    /// What divides by how many they are.
    left: Reciprocal<'c>,
    /// The address of the workspace, `i64`.
    pub workspace: Value<'c>,
}

impl<'c> Given<'c> {
    /// The types of the parameters that say it.
    pub fn types(word: Type<'c>, wide: Type<'c>) -> Vec<Type<'c>> {
        vec![word, word, word, word, wide]
    }

    /// From parameters, the first of these.
    pub fn receive(added: &mut impl Iterator<Item = Value<'c>>) -> Option<Self> {
        Some(Self {
            first: added.next()?,
            spare: added.next()?,
            left: Reciprocal::receive(added)?,
            workspace: added.next()?,
        })
    }
}

/// What a block knows of them.
#[derive(Clone, Copy)]
pub struct Sharing<'c> {
    given: Given<'c>,
    /// All programs.
    programs: Value<'c>,
    /// How many there are (1 if none).
    left: Value<'c>,
    /// Blocks for each.
    parts: Value<'c>,
    /// The iterations of a program.
    iterations: Value<'c>,
}

impl StreamK<'_> {
    /// Bytes of all that a block writes of a program.
    pub fn part_bytes(&self) -> u64 {
        self.parts.iter().sum()
    }

    /// Into how many parts a program may go, fewest first, each with the fewest iterations for which it pays.
    fn thresholds(&self) -> Vec<(i64, i64)> {
        let part = self.part_bytes() as f64 / BYTES_PER_CLOCK;
        let ratio = self.iteration_clocks / part;
        let fixed = FIXED_CLOCKS / part;
        let of = |parts: &u32| {
            let count = f64::from(*parts);
            // Further parts save more than they cost, and all of them together do.
            let least = count * count / ratio;
            let pays = count * (count + 1.0 + fixed) / (count - 1.0) / ratio;
            (i64::from(*parts), least.max(pays).ceil() as i64)
        };
        PARTS.iter().map(of).collect()
    }
}

/// The loop of a function whose iterations blocks may share, if there is one; a remark says so, or why not.
pub fn find<'c>(
    cx: &PassContext<'_, 'c>,
    encodings: &Encodings,
    function: Operation<'c>,
    plans: &Plans<'c>,
) -> Option<StreamK<'c>> {
    // `#[split(1)]` asks for sums that are the same on every GPU.
    if int_attribute(function, SPLIT).is_some() {
        return None;
    }
    let name = function_name(function);
    match stream_k(cx, encodings, function, plans) {
        Ok(found) => {
            let span = Some(cx.span(found.of.location()));
            cx.remark(name, span, RemarkKind::StreamK);
            Some(found)
        }
        Err(why) => {
            let span = Some(cx.span(function.location()));
            cx.remark(name, span, RemarkKind::NoStreamK { why });
            None
        }
    }
}

fn stream_k<'c>(
    cx: &PassContext<'_, 'c>,
    encodings: &Encodings,
    function: Operation<'c>,
    plans: &Plans<'c>,
) -> Result<StreamK<'c>, NoShare> {
    let all = region_block(function, 0)
        .map(operations)
        .unwrap_or_default();
    let is_copied = |of: &Operation<'c>| plans.contains_key(&address(*of));
    if int_attribute(function, "tile.cluster").unwrap_or(1) > 1 {
        return Err(NoShare::OnCluster);
    }
    let users = uses(function);
    let place = all.iter().position(is_copied);
    let (before, of) = match place.map(|place| all.split_at(place)) {
        Some((before, [of, ..])) if plans.len() == 1 => (before, *of),
        Some(_) => return Err(NoShare::SeveralLoops),
        None => return Err(NoShare::InnerLoop),
    };
    let plan = &plans[&address(of)];
    if !only_accumulates(of, &users) {
        return Err(NoShare::CarriesMore);
    }
    let given = operands(of);
    if !given[3..].iter().all(|initial| is_zero(*initial)) {
        return Err(NoShare::NotZero);
    }
    if before.iter().any(|operation| has_effects(*operation)) || has_effects(of) {
        return Err(NoShare::Effects);
    }
    let mut uniform = Uniform::default();
    if !given[..3].iter().all(|value| uniform.reach(*value)) {
        return Err(NoShare::OwnLength);
    }
    let threads = 32 * int_attribute(function, "tile.warps").unwrap_or(1).max(1) as u64;
    let bytes = |sums: &Value<'c>| {
        let registers = encodings.layout(*sums).register_count() as u64;
        registers * threads * REGISTER_BYTES
    };
    Ok(StreamK {
        of,
        uniform: uniform.list,
        iteration_clocks: iteration_clocks(cx, of, plan),
        parts: results(of).iter().map(bytes).collect(),
    })
}

/// Clocks of an iteration: those of its copies, or of its products if these take longer.
fn iteration_clocks<'c>(cx: &PassContext<'_, 'c>, of: Operation<'c>, plan: &Plan<'c>) -> f64 {
    let mut products = 0.0;
    each_operation(of, &mut |operation| {
        if let Some(TileOp::Dot(dot)) = TileOp::of(operation) {
            products += product_clocks(cx, dot);
        }
    });
    products.max(plan.iteration_bytes() as f64 / BYTES_PER_CLOCK)
}

/// Scalars that are the same for all programs of a launch.
#[derive(Default)]
struct Uniform<'c> {
    list: Vec<Operation<'c>>,
    seen: HashSet<usize>,
}

impl<'c> Uniform<'c> {
    /// Whether a value is one; then all that it is computed from is in the list.
    fn reach(&mut self, value: Value<'c>) -> bool {
        let Some(operation) = defining_operation(value) else {
            return argument_owner(value).is_some_and(|owner| name(owner) == "func.func");
        };
        if self.seen.contains(&address(operation)) {
            return true;
        }
        let is_scalar = !is_tile(value) && operation.region_count() == 0;
        let is_program = matches!(TileOp::of(operation), Some(TileOp::ProgramId(_)));
        if !is_scalar || is_program || !is_pure(name(operation)) {
            return false;
        }
        let is_uniform = operands(operation)
            .into_iter()
            .all(|operand| self.reach(operand));
        self.seen.insert(address(operation));
        self.list.push(operation);
        is_uniform
    }
}

impl<'c> Sharing<'c> {
    /// One more than the last number that has something to do.
    pub fn end(self, builder: &mut Builder<'c>) -> Value<'c> {
        let one = builder.constant_int(1, self.parts.r#type());
        let is_shared = builder.compare_int(predicates::UGT, self.parts, one);
        let shared = builder.multiply(self.parts, self.left);
        let end = builder.add(self.given.first, shared);
        builder.select(is_shared, end, self.programs)
    }

    /// The program of a number, and which part of it.
    pub fn part(self, builder: &mut Builder<'c>, number: Value<'c>) -> (Value<'c>, Part<'c>) {
        let first = self.given.first;
        let is_left = builder.compare_int(predicates::UGE, number, first);
        let word = number.r#type();
        let of_left = |builder: &mut Builder<'c>| {
            let inside = builder.binary("arith.subi", number, first);
            let part = self.given.left.quotient(builder, inside);
            let before = builder.multiply(part, self.left);
            [
                builder.binary("arith.subi", number, before),
                part,
                self.parts,
            ]
        };
        let whole = |builder: &mut Builder<'c>| {
            let [zero, one] = [0, 1].map(|value| builder.constant_int(value, word));
            [number, zero, one]
        };
        let [program, part, count] = either(builder, is_left, of_left, whole);
        let part = Part {
            number: part,
            count,
            of: number,
        };
        (program, part)
    }
}

impl<'c> Pipeline<'_, '_, 'c> {
    /// Computes once for a block what it must know of the programs that are left over.
    pub(super) fn share(&mut self, to: &mut Rebuilder<'c>) -> Result<(), Diagnostic> {
        let (Some(stream_k), Some(counts), Some(given)) = (&self.stream_k, self.counts, self.given)
        else {
            return Ok(());
        };
        let thresholds = stream_k.thresholds();
        let range = operands(stream_k.of);
        for operation in stream_k.uniform.clone() {
            to.operation(self, operation)?;
        }
        let range: Vec<_> = range[..3].iter().map(|old| to.one(*old)).collect();
        let programs = counts.range(&mut to.builder)[1];
        self.sharing = Some(sharing(
            &mut to.builder,
            programs,
            given,
            &range,
            &thresholds,
        ));
        Ok(())
    }

    /// The range of a loop: a part's, if it is the one whose iterations are shared.
    pub(super) fn range_of(
        &self,
        to: &mut Rebuilder<'c>,
        of: Operation<'c>,
        given: &mut [Value<'c>],
    ) {
        let is_shared = self
            .stream_k
            .as_ref()
            .is_some_and(|stream_k| address(stream_k.of) == address(of));
        let (Some(sharing), Some(part)) = (self.sharing, self.place.and_then(|place| place.part))
        else {
            return;
        };
        if !is_shared {
            return;
        }
        let word = to.builder.int_type(32);
        let one = to.builder.constant_int(1, word);
        let several = to.builder.compare_int(predicates::UGT, part.count, one);
        let (from, end, step) = (given[0], given[1], given[2]);
        let of_part = |builder: &mut Builder<'c>| {
            // Parts with one more iteration than others come first.
            let each = builder.binary("arith.divui", sharing.iterations, part.count);
            let before = builder.multiply(each, part.count);
            let longer = builder.binary("arith.subi", sharing.iterations, before);
            let next = builder.add(part.number, one);
            let [first, last] = [part.number, next].map(|number| {
                let more = builder.binary("arith.minui", number, longer);
                let iteration = builder.multiply(number, each);
                let iteration = builder.add(iteration, more);
                let iteration = builder.int_cast(iteration, 64, false);
                let moved = builder.multiply(iteration, step);
                builder.add(from, moved)
            });
            let is_last = builder.compare_int(predicates::UGE, next, part.count);
            [first, builder.select(is_last, end, last)]
        };
        let range = either(&mut to.builder, several, of_part, |_| [from, end]);
        given[..2].copy_from_slice(&range);
    }

    /// The whole body of a function without roles: a block has one program, or one part of one.
    pub(super) fn share_programs(
        &mut self,
        to: &mut Rebuilder<'c>,
        body: Block<'c>,
    ) -> Result<(), Diagnostic> {
        self.share(to)?;
        let (Some(counts), Some(sharing)) = (self.counts, self.sharing) else {
            return Ok(());
        };
        let number = to.builder.special_register("ctaid.x");
        let end = sharing.end(&mut to.builder);
        let place = counts.shared_place(&mut to.builder, Some(sharing), number);
        self.place = Some(place);
        let exists = to.builder.compare_int(predicates::ULT, number, end);
        to.only_if(exists, |to| self.compute(to, &operations(body)))
    }

    /// What those that compute do for a program.
    pub(super) fn compute(
        &mut self,
        to: &mut Rebuilder<'c>,
        all: &[Operation<'c>],
    ) -> Result<(), Diagnostic> {
        let inside: Vec<_> = all
            .iter()
            .copied()
            .filter(|of| name(*of) != "func.return")
            .collect();
        let of = self.stream_k.as_ref().map(|stream_k| stream_k.of);
        let place = of.and_then(|of| inside.iter().position(|at| address(*at) == address(of)));
        let part = self.place.and_then(|place| place.part);
        let (Some(of), Some(place), Some(part)) = (of, place, part) else {
            for operation in inside {
                to.operation(self, operation)?;
                self.release_stationary(to, operation, true);
            }
            return Ok(());
        };
        let (sums, rest) = inside.split_at(place + 1);
        for operation in sums {
            to.operation(self, *operation)?;
            self.release_stationary(to, *operation, true);
        }
        self.add_parts(to, of, part, rest)
    }

    /// What follows the loop, for the block whose part comes last.
    fn add_parts(
        &mut self,
        to: &mut Rebuilder<'c>,
        of: Operation<'c>,
        part: Part<'c>,
        rest: &[Operation<'c>],
    ) -> Result<(), Diagnostic> {
        let Some(places) = self.places(to, part) else {
            return Ok(());
        };
        let own: Vec<_> = results(of).into_iter().map(|old| to.one(old)).collect();
        let types: Vec<_> = own.iter().map(ValueLike::r#type).collect();
        let (word, truth) = (to.builder.int_type(32), to.builder.int_type(1));
        let one = to.builder.constant_int(1, word);
        let in_parts = to.builder.compare_int(predicates::UGT, part.count, one);
        let arrive = to.region(&[], |to, _| {
            for (sums, at) in own.iter().zip(&places.own) {
                to.builder
                    .insert("tile.part_store", &[*sums, *at], &[], &[]);
            }
            let list = [places.counter, part.count];
            let last = to.builder.insert("tile.part_arrive", &list, &[], &[truth]);
            to.builder.insert("scf.yield", &results(last), &[], &[]);
            Ok(())
        })?;
        let alone = to.region(&[], |to, _| {
            let last = to.builder.constant_int(1, truth);
            to.builder.insert("scf.yield", &[last], &[], &[]);
            Ok(())
        })?;
        let is_last = to.builder.insert_with_regions(
            "scf.if",
            &[in_parts],
            &[],
            &[truth],
            vec![arrive, alone],
        );
        let is_last = result(is_last, 0);
        let last = to.region(&[], |to, _| {
            let add = to.region(&[], |to, _| {
                let mut sums = Vec::new();
                for (first, ty) in places.first.iter().zip(&types) {
                    let list = [*first, places.between, part.count];
                    let sum = to.builder.insert("tile.part_sum", &list, &[], &[*ty]);
                    sums.push(result(sum, 0));
                }
                to.builder.insert("scf.yield", &sums, &[], &[]);
                Ok(())
            })?;
            let keep = to.region(&[], |to, _| {
                to.builder.insert("scf.yield", &own, &[], &[]);
                Ok(())
            })?;
            let sums =
                to.builder
                    .insert_with_regions("scf.if", &[in_parts], &[], &types, vec![add, keep]);
            to.bind_results(of, sums);
            for operation in rest {
                to.operation(self, *operation)?;
            }
            to.builder.insert("scf.yield", &[], &[], &[]);
            Ok(())
        })?;
        // What was copied for it was copied for all parts.
        let others = to.region(&[], |to, _| {
            self.drop_epilogue_loads(to, of);
            to.builder.insert("scf.yield", &[], &[], &[]);
            Ok(())
        })?;
        let regions = vec![last, others];
        to.builder
            .insert_with_regions("scf.if", &[is_last], &[], &[], regions);
        Ok(())
    }

    /// Where parts and counter of a program lie: a counter for each program that is left over, then their first parts,
    /// their second ones, and so on.
    fn places(&self, to: &mut Rebuilder<'c>, part: Part<'c>) -> Option<Places<'c>> {
        let (stream_k, sharing) = (self.stream_k.as_ref()?, self.sharing?);
        let workspace = sharing.given.workspace;
        let builder = &mut to.builder;
        // The program's number among those that are left over; of a pair, the pair's.
        let inside = builder.binary("arith.subi", part.of, sharing.given.first);
        let before = builder.multiply(part.number, sharing.left);
        let mut index = builder.binary("arith.subi", inside, before);
        let mut between = sharing.left;
        if self.pair.is_some() {
            let paired = is_paired(builder);
            let rank = super::programs::rank(builder);
            index = builder.binary("arith.shli", index, paired);
            index = builder.add(index, rank);
            between = builder.binary("arith.shli", between, paired);
        }
        let at = |builder: &mut Builder<'c>, start: Value<'c>, number: Value<'c>, bytes: i64| {
            let wide = builder.int_cast(number, 64, false);
            let bytes = builder.constant_int(bytes, wide.r#type());
            let moved = builder.multiply(wide, bytes);
            builder.add(start, moved)
        };
        let counter = at(builder, workspace, index, COUNTER_BYTES);
        let before = builder.multiply(part.number, between);
        let own_index = builder.add(index, before);
        let counters = builder.constant_int(COUNTERS_BYTES as i64, workspace.r#type());
        let mut start = builder.add(workspace, counters);
        let bytes = stream_k.part_bytes() as i64;
        let (mut own, mut first) = (Vec::new(), Vec::new());
        for part in &stream_k.parts {
            own.push(at(builder, start, own_index, bytes));
            first.push(at(builder, start, index, bytes));
            let size = builder.constant_int(*part as i64, start.r#type());
            start = builder.add(start, size);
        }
        let between = builder.int_cast(between, 64, false);
        let bytes = builder.constant_int(bytes, between.r#type());
        Some(Places {
            counter,
            own,
            first,
            between: builder.multiply(between, bytes),
        })
    }
}

/// Addresses in the workspace.
struct Places<'c> {
    counter: Value<'c>,
    /// Of what this block writes, one for each of the loop's sums.
    own: Vec<Value<'c>>,
    /// Of the first part of the program.
    first: Vec<Value<'c>>,
    /// Bytes from one part to the next.
    between: Value<'c>,
}

/// How programs that are left over are shared; `range` is the loop's.
fn sharing<'c>(
    builder: &mut Builder<'c>,
    programs: Value<'c>,
    given: Given<'c>,
    range: &[Value<'c>],
    thresholds: &[(i64, i64)],
) -> Sharing<'c> {
    let (word, wide) = (builder.int_type(32), builder.int_type(64));
    let one = builder.constant_int(1, word);
    let left = builder.binary("arith.subi", programs, given.first);
    let left = builder.binary("arith.maxui", left, one);
    let [from, end, step] = [0, 1, 2].map(|index| range[index]);
    let [none, single] = [0, 1].map(|value| builder.constant_int(value, wide));
    let span = builder.binary("arith.subi", end, from);
    let span = builder.binary("arith.maxsi", span, none);
    let before = builder.binary("arith.subi", step, single);
    let span = builder.add(span, before);
    let iterations = builder.binary("arith.divui", span, step);
    // Mostly there is one for each.
    let may_share = builder.compare_int(predicates::UGT, given.spare, one);
    let several = |builder: &mut Builder<'c>| {
        let mut parts = one;
        for (count, fewest) in thresholds {
            let fewest = builder.constant_int(*fewest, wide);
            let pays = builder.compare_int(predicates::UGE, iterations, fewest);
            let count = builder.constant_int(*count, word);
            let can = builder.compare_int(predicates::UGE, given.spare, count);
            let does = builder.and(pays, can);
            parts = builder.select(does, count, parts);
        }
        // Else they do not fit the word that they are shared out in.
        let limit = builder.constant_int(MOST_ROUNDS, wide);
        let is_short = builder.compare_int(predicates::ULT, iterations, limit);
        [builder.select(is_short, parts, one)]
    };
    let [parts] = either(builder, may_share, several, |_| [one]);
    Sharing {
        given,
        programs,
        left,
        parts,
        iterations: builder.int_cast(iterations, 32, false),
    }
}
