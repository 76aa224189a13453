//! `unroll`: loops over the few blocks of a row are written out, and blocks that several of them load stay in registers.
//!
//! ```text
//! for j in 0..n step 1024 { s += f(load(x[i, j +: 1024])) }  …  for j in 0..n step 1024 { store(y[i, j +: 1024], g(load(x[i, j +: 1024]))) }
//!   ⇒  v0 = load(x[i, 0 +: 1024]);  v1 = load(x[i, 1024 +: 1024]);  s += f(v0);  if 1024 < n { s += f(v1) }  …
//! ```
//!
//! A kernel whose tiles do not depend on how long rows are goes over a row once for its sum and once for its results. Where a
//! row is a few blocks long such loops wait for memory each time and have nothing to load ahead. There are variants for one block, for two, for up to four and
//! so on ([`Blocks`](crate::specialize::Blocks)), so that the blocks which not all launches have are few; loops of constants need none.
//!
//! The blocks that are kept are loaded at once, before the first loop: what is beside the row is not read. A parameter that the
//! kernel writes to is kept if each block is written in the iteration that has loaded it, of the last of those loops; others are loaded where they were.

use std::collections::{HashMap, HashSet};

use melior::ir::operation::OperationLike;
use melior::ir::{Module, ValueLike};

use super::{
    LOOP_RANGE, PassContext, before_widened, each_operation, function_name, functions, multiplies,
    rebuild_functions_with, variant,
};
use crate::access::Access;
use crate::build::{Builder, Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::RemarkKind;
use crate::dialect::ops::LoadView;
use crate::dialect::{KEPT, ROW, TileOp, is_pure, kinds, predicates};
use crate::facts::constant_of;
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, TileType, Value, address, arguments, attributes, key, name, operand, operands,
    operations, region_block, result, results,
};
use crate::polynomial::{Reader, Term};
use crate::specialize::Blocks;
use crate::writes::{is_unwritten, parameter, written};

/// The most iterations of a loop of constants that is written out.
const MOST_ITERATIONS: i64 = 8;

/// Operations at most that a loop becomes.
const LONGEST: u64 = 2048;

/// Elements of rows at most that are kept.
const MOST_KEPT: u64 = 32768;

/// Operations between a load's position and the loop's counter.
const DEPTH: u32 = 8;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let find = |function| {
        let blocks = variant(cx, function).and_then(|variant| variant.blocks.as_ref());
        Unroll::find(cx, function, blocks)
    };
    if functions(&module)
        .into_iter()
        .all(|function| find(function).loops.is_empty())
    {
        return Ok(module);
    }
    rebuild_functions_with(cx, &module, |function| {
        let unroll = find(function);
        for (of, iterations) in &unroll.loops {
            let loads = loads(*of).into_iter();
            let kept = loads.filter(|load| unroll.of_load.contains_key(&address(load.0)));
            let kind = RemarkKind::FewBlocks {
                fewest: iterations.fewest.unsigned_abs(),
                most: iterations.most.unsigned_abs(),
                kept: kept.count(),
            };
            cx.remark(function_name(function), Some(cx.span(of.location())), kind);
        }
        let top = crate::ffi::block(module.body());
        let builder = Builder::new(cx.context, top, function.location());
        let rows = unroll.loops.iter().map(|one| unroll.row_elements(one));
        let mut attributes = Vec::new();
        if let Some(row) = rows.max() {
            let kept = unroll.kept_elements().max(row);
            attributes.push((ROW, builder.int(row as i64)));
            attributes.push((KEPT, builder.int(kept as i64)));
        }
        Ok((unroll, attributes))
    })
}

/// How often a loop runs.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Iterations {
    fewest: i64,
    most: i64,
    step: i64,
}

/// A load that several loops have: of each iteration there is one.
struct Kept<'c> {
    load: LoadView<'c>,
    /// The first of the loops.
    of: Operation<'c>,
    /// What was loaded, once it is.
    values: Vec<Value<'c>>,
}

#[derive(Default)]
struct Unroll<'c> {
    loops: Vec<(Operation<'c>, Iterations)>,
    kept: Vec<Kept<'c>>,
    /// Which of these a load is, by its address.
    of_load: HashMap<usize, usize>,
}

impl<'c> Unroll<'c> {
    fn find(cx: &PassContext<'_, 'c>, function: Operation<'c>, blocks: Option<&Blocks>) -> Self {
        let mut found = Self::default();
        let body = region_block(function, 0);
        let (Some(body), false) = (body, multiplies(function)) else {
            return found;
        };
        let row = blocks.and_then(|blocks| {
            let mut names = variant(cx, function)?.names.iter();
            let number = names.position(|name| name.as_ref() == Some(&blocks.name))?;
            Some((*arguments(body).get(number)?, blocks))
        });
        each_operation(function, &mut |operation| {
            let iterations = Iterations::of(operation, row);
            found.loops.extend(iterations.map(|of| (operation, of)));
        });
        // Loops in these are run as they are, and so are those that would become very long.
        let inner: HashSet<_> = found.loops.iter().flat_map(|(of, _)| inside(*of)).collect();
        found.loops.retain(|(of, iterations)| {
            let length = inside(*of).len() as u64 * iterations.most.unsigned_abs();
            !inner.contains(&address(*of)) && length <= LONGEST
        });
        found.find_kept(function);
        // Loops of constants are written out for what they keep.
        let keeping: HashSet<_> = found.of_load.keys().copied().collect();
        let keeps = |of: Operation<'c>| {
            let mut loads = loads(of).into_iter();
            loads.any(|load| keeping.contains(&address(load.0)))
        };
        let is_of_row = |of: Operation<'c>| constant_of(operand(of, 1)).is_none();
        found.loops.retain(|(of, _)| is_of_row(*of) || keeps(*of));
        match found.kept_elements() > MOST_KEPT {
            true => Self::default(),
            false => found,
        }
    }

    /// The loads that at least two loops have, the same in each iteration.
    fn find_kept(&mut self, function: Operation<'c>) {
        let Some(written) = written(function) else {
            return;
        };
        let in_place = self.in_place(function, &written);
        let mut groups: Vec<Vec<(LoadView<'c>, Operation<'c>)>> = Vec::new();
        for (number, (of, iterations)) in self.loops.iter().enumerate() {
            let block = of.block().map(crate::ffi::block);
            for load in loads(*of) {
                let is_plain = load.cache().is_empty() && load.evict().is_empty();
                let last = parameter(load.base()).and_then(|own| in_place.get(&own));
                let is_there = is_unwritten(load.base(), &written)
                    || last.is_some_and(|writes| writes.is_before(number, load, *of));
                if !is_plain || !is_there || !is_of_counter(load, *of) {
                    continue;
                }
                let own = groups.iter_mut().find(|group| {
                    let (first, in_first) = group[0];
                    self.iterations(in_first) == Some(*iterations)
                        && in_first.block().map(crate::ffi::block) == block
                        && is_same((first.0, in_first), (load.0, *of))
                });
                match own {
                    Some(group) => group.push((load, *of)),
                    None => groups.push(vec![(load, *of)]),
                }
            }
        }
        let is_shared = |group: &Vec<(LoadView<'c>, Operation<'c>)>| {
            let first = address(group[0].1);
            group.iter().any(|(_, of)| address(*of) != first)
        };
        for group in groups.into_iter().filter(is_shared) {
            let number = self.kept.len();
            let loads = group.iter().map(|(load, _)| (address(load.0), number));
            self.of_load.extend(loads);
            let (load, of) = group[0];
            let values = Vec::new();
            self.kept.push(Kept { load, of, values });
        }
    }

    /// The parameters of which each block is written in one loop alone, in the iteration of that block.
    fn in_place(
        &self,
        function: Operation<'c>,
        written: &HashSet<usize>,
    ) -> HashMap<usize, Writes<'c>> {
        let all = written.iter().filter_map(|number| {
            let writes = Writes::of(function, *number, &self.loops)?;
            Some((*number, writes))
        });
        all.collect()
    }

    fn iterations(&self, of: Operation<'c>) -> Option<Iterations> {
        let mut loops = self.loops.iter();
        loops
            .find(|(own, _)| address(*own) == address(of))
            .map(|(_, iterations)| *iterations)
    }

    /// Elements of a row that are kept.
    fn kept_elements(&self) -> u64 {
        let of = |kept: &Kept<'c>| {
            let tile = TileType::of(kept.load.result());
            let elements: u64 = tile.map_or(1, |tile| tile.shape().iter().product());
            let iterations = self.iterations(kept.of).map_or(0, |of| of.most);
            elements * iterations.unsigned_abs()
        };
        self.kept.iter().map(of).sum()
    }

    /// Elements of all blocks that a loop loads of its largest row.
    fn row_elements(&self, (of, iterations): &(Operation<'c>, Iterations)) -> u64 {
        let tiles = loads(*of).into_iter();
        let tiles = tiles.filter_map(|load| TileType::of(load.result()));
        let most = tiles.map(|tile| tile.shape().iter().product::<u64>()).max();
        most.unwrap_or(0) * iterations.most.unsigned_abs()
    }

    /// Loads all that is kept from a loop on.
    fn load(&mut self, to: &mut Rebuilder<'c>, from: Operation<'c>) -> Result<(), Diagnostic> {
        for number in 0..self.kept.len() {
            let (load, of) = (self.kept[number].load, self.kept[number].of);
            let iterations = self.iterations(of);
            let Some(iterations) = iterations.filter(|_| address(of) == address(from)) else {
                continue;
            };
            for round in 0..iterations.most {
                bind_counter(to, of, round * iterations.step);
                let mut sources = Vec::new();
                sources_of(load.0, of, &mut sources);
                for source in sources {
                    to.copy(&mut Nothing, source)?;
                }
                to.copy(&mut Nothing, load.0)?;
                let value = to.one(load.result());
                self.kept[number].values.push(value);
            }
        }
        Ok(())
    }

    /// Builds an iteration and gives what the next one carries.
    fn iteration(
        &mut self,
        to: &mut Rebuilder<'c>,
        (of, round): (Operation<'c>, i64),
        step: i64,
        carried: &[Value<'c>],
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let body = region_block(of, 0).expect("a loop has a body");
        bind_counter(to, of, round * step);
        for (old, new) in arguments(body).into_iter().skip(1).zip(carried) {
            to.bind(old, vec![*new]);
        }
        let inside = operations(body);
        let (last, inside) = inside.split_last().expect("a loop yields");
        for operation in inside {
            match self.of_load.get(&address(*operation)) {
                Some(number) => {
                    let value = self.kept[*number].values[round.unsigned_abs() as usize];
                    to.bind(result(*operation, 0), vec![value]);
                }
                None => to.operation(self, *operation)?,
            }
        }
        Ok(operands(*last).into_iter().map(|old| to.one(old)).collect())
    }
}

/// The stores to a parameter, all of which are in one loop, in which each iteration stores to another block.
struct Writes<'c> {
    /// Which of the loops it is.
    number: usize,
    stores: Vec<Access<'c>>,
}

impl<'c> Writes<'c> {
    fn of(
        function: Operation<'c>,
        wanted: usize,
        loops: &[(Operation<'c>, Iterations)],
    ) -> Option<Self> {
        let mut all = Vec::new();
        each_operation(function, &mut |operation| {
            let writes = match TileOp::of(operation) {
                Some(TileOp::Store(store)) => parameter(store.pointers()),
                Some(TileOp::StoreView(store)) => parameter(store.base()),
                Some(TileOp::RowsStore(store)) => parameter(store.origin()),
                Some(TileOp::Atomic(atomic)) => parameter(atomic.pointers()),
                _ => None,
            };
            if writes == Some(wanted) {
                all.push(operation);
            }
        });
        let stores: Option<Vec<_>> = all.iter().map(|of| Access::of(*of)).collect();
        let stores = stores.filter(|stores| !stores.is_empty())?;
        let number = loops.iter().position(|(of, iterations)| {
            let body = region_block(*of, 0);
            stores.iter().all(|store| {
                store.operation.block().map(crate::ffi::block) == body
                    && moves_by_blocks(store, *of, *iterations)
            })
        })?;
        Some(Self { number, stores })
    }

    /// Whether what a load of a loop reads has not been written yet, where blocks are loaded before all of the loops.
    fn is_before(&self, number: usize, load: LoadView<'c>, of: Operation<'c>) -> bool {
        if number != self.number {
            return number < self.number;
        }
        let Some(own) = Access::of(load.0) else {
            return false;
        };
        let keys = |list: &[Value<'c>]| -> Vec<_> { list.iter().copied().map(key).collect() };
        let body = region_block(of, 0).map(operations).unwrap_or_default();
        let place = |of: Operation<'c>| body.iter().position(|own| address(*own) == address(of));
        self.stores.iter().all(|store| {
            let is_same = [
                (&store.starts, &own.starts),
                (&store.sizes, &own.sizes),
                (&store.strides, &own.strides),
            ];
            let is_block = is_same
                .into_iter()
                .all(|(one, other)| keys(one) == keys(other))
                && key(store.base) == key(own.base)
                && store.kinds == own.kinds
                && TileType::of(store.tile).map(TileType::shape)
                    == TileType::of(own.tile).map(TileType::shape);
            is_block && place(load.0) < place(store.operation)
        })
    }
}

/// Whether an access moves by no less than its tile is long, from one iteration to the next.
fn moves_by_blocks<'c>(access: &Access<'c>, of: Operation<'c>, iterations: Iterations) -> bool {
    let counter = region_block(of, 0).map(|body| key(arguments(body)[0]));
    let shape = TileType::of(access.tile).map(TileType::shape);
    let mut lengths = shape.unwrap_or_default().into_iter();
    let mut all = access.starts.iter().zip(&access.kinds);
    all.any(|(start, kind)| {
        let length = match *kind {
            kinds::ONE => Some(1),
            kinds::RANGE => lengths.next(),
            _ => {
                lengths.next();
                None
            }
        };
        let start = Reader::default().read(*start, &[]);
        let (Some(length), Some(start)) = (length, start) else {
            return false;
        };
        let is_counter = |term: &Term<'c>| term.numbers.iter().any(|of| Some(key(*of)) == counter);
        let mut moving = start.terms.iter().filter(|term| is_counter(term));
        let by = moving
            .next()
            .filter(|term| term.numbers.len() == 1 && moving.next().is_none());
        by.is_some_and(|term| term.times.saturating_mul(iterations.step) >= length as i64)
    })
}

impl Iterations {
    /// Those of a loop, if they are few: of constants, or of the blocks of a row.
    fn of<'c>(operation: Operation<'c>, row: Option<(Value<'c>, &Blocks)>) -> Option<Self> {
        if name(operation) != "scf.for" {
            return None;
        }
        let [begin, end, step] = [0, 1, 2].map(|number| operand(operation, number));
        let step = constant_of(step).filter(|step| *step > 0)?;
        if constant_of(begin) != Some(0) {
            return None;
        }
        if let Some(end) = constant_of(end) {
            let most = (end.max(0) as u64).div_ceil(step as u64) as i64;
            return (1..=MOST_ITERATIONS).contains(&most).then_some(Self {
                fewest: most,
                most,
                step,
            });
        }
        let (row, blocks) = row?;
        let end = before_widened(end);
        let is_of_row = match step {
            1 => defining_operation(end).is_some_and(|of| {
                name(of) == "arith.ceildivsi"
                    && key(before_widened(operand(of, 0))) == key(row)
                    && constant_of(operand(of, 1)) == Some(blocks.elements)
            }),
            _ => step == blocks.elements && key(end) == key(row),
        };
        is_of_row.then_some(Self {
            fewest: blocks.fewest,
            most: blocks.most,
            step,
        })
    }
}

/// The operations in a loop, by their addresses.
fn inside(of: Operation<'_>) -> Vec<usize> {
    let mut list = Vec::new();
    each_operation(of, &mut |operation| list.push(address(operation)));
    list.retain(|operation| *operation != address(of));
    list
}

/// The loads of a loop's body, but for those under conditions and in other loops.
fn loads<'c>(of: Operation<'c>) -> Vec<LoadView<'c>> {
    let body = region_block(of, 0).map(operations).unwrap_or_default();
    let loads = body.into_iter().filter_map(LoadView::of);
    loads
        .filter(|load| TileType::of(load.result()).is_some())
        .collect()
}

/// Whether a load depends on the counter of its loop, and on nothing else in it.
fn is_of_counter<'c>(load: LoadView<'c>, of: Operation<'c>) -> bool {
    let counter = region_block(of, 0).map(|body| key(arguments(body)[0]));
    let mut depends = false;
    let mut open: Vec<(Value<'c>, u32)> =
        operands(load.0).into_iter().map(|of| (of, DEPTH)).collect();
    while let Some((value, depth)) = open.pop() {
        match source(value, of) {
            Source::Outside => {}
            Source::Argument => {
                if Some(key(value)) != counter {
                    return false;
                }
                depends = true;
            }
            Source::Inside(source) => {
                if depth == 0 || !is_pure(name(source)) || source.region_count() > 0 {
                    return false;
                }
                open.extend(operands(source).into_iter().map(|of| (of, depth - 1)));
            }
        }
    }
    depends
}

/// Where a value comes from, as seen from a loop.
enum Source<'c> {
    Outside,
    Argument,
    Inside(Operation<'c>),
}

fn source<'c>(value: Value<'c>, of: Operation<'c>) -> Source<'c> {
    let body = region_block(of, 0).expect("a loop has a body");
    match defining_operation(value) {
        Some(source) if source.block().map(crate::ffi::block) == Some(body) => {
            Source::Inside(source)
        }
        Some(_) => Source::Outside,
        None if arguments(body)
            .into_iter()
            .any(|own| key(own) == key(value)) =>
        {
            Source::Argument
        }
        None => Source::Outside,
    }
}

/// What an operation of a loop's body is computed from in it, first things first.
fn sources_of<'c>(operation: Operation<'c>, of: Operation<'c>, list: &mut Vec<Operation<'c>>) {
    for operand in operands(operation) {
        if let Source::Inside(source) = source(operand, of) {
            sources_of(source, of, list);
            if list.iter().all(|own| address(*own) != address(source)) {
                list.push(source);
            }
        }
    }
}

/// Whether operations of two loops compute the same of their counters.
fn is_same<'c>(
    (one, of): (Operation<'c>, Operation<'c>),
    (other, in_other): (Operation<'c>, Operation<'c>),
) -> bool {
    let all = |of: Operation<'c>| -> Vec<_> {
        let texts = attributes(of).into_iter();
        let texts = texts.map(|(name, value)| format!("{name} {value}"));
        let types = results(of)
            .into_iter()
            .map(|value| value.r#type().to_string());
        texts.chain(types).collect()
    };
    let number = |value| constant_of(value).is_some_and(|_| TileType::of(value).is_none());
    let (left, right) = (operands(one), operands(other));
    name(one) == name(other)
        && left.len() == right.len()
        && all(one) == all(other)
        && left.into_iter().zip(right).all(|(left, right)| {
            match (source(left, of), source(right, in_other)) {
                (Source::Argument, Source::Argument) => true,
                (Source::Inside(left), Source::Inside(right)) => {
                    is_same((left, of), (right, in_other))
                }
                (Source::Outside, Source::Outside) if key(left) == key(right) => true,
                _ => number(left) && number(right) && constant_of(left) == constant_of(right),
            }
        })
}

/// Binds a loop's counter to a number.
fn bind_counter<'c>(to: &mut Rebuilder<'c>, of: Operation<'c>, value: i64) {
    let counter = arguments(region_block(of, 0).expect("a loop has a body"))[0];
    let number = to.builder.constant_int(value, counter.r#type());
    to.bind(counter, vec![number]);
}

/// A rewrite that copies.
struct Nothing;

impl<'c> Rewrite<'c> for Nothing {
    fn rewrite(&mut self, _: &mut Rebuilder<'c>, _: Operation<'c>) -> Result<bool, Diagnostic> {
        Ok(false)
    }
}

impl<'c> Rewrite<'c> for Unroll<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let Some(Iterations { fewest, most, step }) = self.iterations(operation) else {
            return Ok(false);
        };
        self.load(to, operation)?;
        let all: Vec<_> = operands(operation)
            .into_iter()
            .map(|old| to.one(old))
            .collect();
        let mut carried = all[LOOP_RANGE..].to_vec();
        for round in 0..most {
            if round < fewest {
                carried = self.iteration(to, (operation, round), step, &carried)?;
                continue;
            }
            let begin = to.builder.constant_int(round * step, all[1].r#type());
            let runs = to.builder.compare_int(predicates::SLT, begin, all[1]);
            let types: Vec<_> = carried.iter().map(ValueLike::r#type).collect();
            let then = to.region(&[], |to, _| {
                let next = self.iteration(to, (operation, round), step, &carried)?;
                to.builder.insert("scf.yield", &next, &[], &[]);
                Ok(())
            })?;
            let otherwise = to.region(&[], |to, _| {
                to.builder.insert("scf.yield", &carried, &[], &[]);
                Ok(())
            })?;
            let branch = to.builder.insert_with_regions(
                "scf.if",
                &[runs],
                &[],
                &types,
                vec![then, otherwise],
            );
            carried = results(branch);
        }
        for (old, new) in results(operation).into_iter().zip(carried) {
            to.bind(old, vec![new]);
        }
        Ok(true)
    }
}
