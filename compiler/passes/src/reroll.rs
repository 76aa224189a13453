//! `reroll`: products that follow each other, of tiles that begin a constant apart, become a loop.
//!
//! ```text
//! s1 = dot(load(x[i, j +: 64]), load(f[0, 0, …]), s0);  s2 = dot(load(x[i, j + 1 +: 64]), load(f[0, 1, …]), s1);  …
//!   ⇒  for t in 0..9 { s = dot(load(x[i + t / 3, j + t % 3 +: 64]), load(f[t / 3, t % 3, …]), s) }
//! ```
//!
//! The steps of a `static for` are written out. What they multiply would have to be in shared memory together, where a loop copies what its
//! next steps need while the tensor cores work. Those whose tiles have room for three rounds stay as they are.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use melior::ir::operation::OperationLike;
use melior::ir::{Module, ValueLike};

use super::{
    PassContext, each_operation, element_bits, function_name, functions, is_tile,
    rebuild_functions, uses,
};
use crate::build::{Builder, Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::remark::RemarkKind;
use crate::dialect::ops::{Dot, LoadView};
use crate::dialect::{TileOp, is_pure, kinds};
use crate::facts::{constant_number, sum_with_constant};
use crate::ffi::defining_operation;
use crate::ir::{
    Operation, TileType, Value, ValueKey, address, attributes, key, name, operand, operands,
    operations, region_block, result, results,
};
use crate::writes::{is_unwritten, written};

/// The fewest steps that become a loop.
const FEWEST: usize = 3;

/// Rounds of all steps for which shared memory should have room.
const ROUNDS: u64 = 3;

/// Runs the pass.
pub fn run<'c>(cx: &PassContext<'_, 'c>, module: Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let room = cx.target.shared_bytes_per_program / ROUNDS;
    let has_any = |function| !Chains::find(function, room).loops.is_empty();
    if !functions(&module).into_iter().any(has_any) {
        return Ok(module);
    }
    rebuild_functions(cx, &module, |function| {
        let chains = Chains::find(function, room);
        for chain in chains.loops.values() {
            let products = chain.offsets.first().map_or(0, Vec::len);
            let last = chain.step.operations.last();
            let span = last.map(|last| cx.span(last.location()));
            let kind = RemarkKind::WrittenOut { products };
            cx.remark(function_name(function), span, kind);
        }
        Ok(chains)
    })
}

/// A step: a product of loaded tiles that is added to the sum of the steps before.
struct Step<'c> {
    /// All that it computes, in order.
    operations: Vec<Operation<'c>>,
    /// What it adds to, and what it gives.
    before: Value<'c>,
    after: Value<'c>,
    adds: Adds,
    /// What it does, but for the constants in the starts of its loads; and these.
    shape: Vec<String>,
    constants: Vec<i64>,
    /// Bytes that it loads.
    bytes: u64,
}

/// How a step adds to a sum.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Adds {
    /// To nothing: the first one.
    Zero,
    /// The product does.
    Product,
    /// After the product.
    Sum,
}

/// Steps that become a loop.
struct Chain<'c> {
    /// What the first one adds to.
    before: Value<'c>,
    /// What all do.
    step: Step<'c>,
    /// How far each start of its loads is in each step from where it is in that one.
    offsets: Vec<Vec<i64>>,
    /// What the last one gives.
    after: Value<'c>,
}

#[derive(Default)]
struct Chains<'c> {
    /// By the last operation, in the order of the program.
    loops: IndexMap<usize, Chain<'c>>,
    /// All others.
    gone: HashSet<usize>,
}

impl<'c> Chains<'c> {
    fn find(function: Operation<'c>, room: u64) -> Self {
        let mut chains = Self::default();
        let Some(written) = written(function) else {
            return chains;
        };
        let search = Search {
            users: uses(function),
            written,
        };
        let mut add = |operation: Operation<'c>| {
            for index in 0..operation.region_count() {
                let body = region_block(operation, index).map(operations);
                chains.block(&search, &body.unwrap_or_default(), room);
            }
        };
        add(function);
        each_operation(function, &mut add);
        chains
    }

    fn block(&mut self, search: &Search<'c>, block: &[Operation<'c>], room: u64) {
        let here: HashSet<usize> = block.iter().copied().map(address).collect();
        let all = block.iter();
        let mut steps: Vec<_> = all
            .filter_map(|operation| search.step(*operation, &here))
            .collect();
        // The products of sums are in their steps.
        let sums = steps.iter().filter(|step| step.adds == Adds::Sum);
        let inside: HashSet<_> = sums
            .flat_map(|step| &step.operations)
            .copied()
            .map(address)
            .collect();
        let is_inside = |value: Value<'c>| {
            defining_operation(value).is_some_and(|of| inside.contains(&address(of)))
        };
        steps.retain(|step| step.adds == Adds::Sum || !is_inside(step.after));
        steps.reverse();
        while let Some(first) = steps.pop() {
            let mut all = vec![first];
            while let (Some(next), Some(last)) = (steps.last(), all.last()) {
                let is_same = next.shape == last.shape
                    && next.adds != Adds::Zero
                    && (next.adds == last.adds || last.adds == Adds::Zero);
                let follows = key(next.before) == key(last.after);
                if !is_same || !follows || !search.is_used_once(last.after) {
                    break;
                }
                all.extend(steps.pop());
            }
            self.add(all, room);
        }
    }

    fn add(&mut self, mut all: Vec<Step<'c>>, room: u64) {
        let bytes: u64 = all.iter().map(|step| step.bytes).sum();
        if all.len() < FEWEST || bytes <= room {
            return;
        }
        // The first one may have no sum.
        let offsets: Vec<Vec<i64>> = (0..all[1].constants.len())
            .map(|index| {
                let of = |step: &Step<'c>| step.constants[index];
                all.iter().map(|step| of(step) - of(&all[1])).collect()
            })
            .collect();
        let after = all.last().map(|last| last.after);
        let last = after.and_then(defining_operation).map(address);
        let (Some(after), Some(last)) = (after, last) else {
            return;
        };
        if offsets.iter().any(|offsets| Digits::of(offsets).is_none()) {
            return;
        }
        let every = all.iter().flat_map(|step| &step.operations);
        self.gone.extend(every.copied().map(address));
        let before = all[0].before;
        let chain = Chain {
            before,
            step: all.swap_remove(1),
            offsets,
            after,
        };
        self.loops.insert(last, chain);
    }
}

struct Search<'c> {
    users: HashMap<ValueKey, Vec<Operation<'c>>>,
    written: HashSet<usize>,
}

impl<'c> Search<'c> {
    fn is_used_once(&self, value: Value<'c>) -> bool {
        self.users
            .get(&key(value))
            .is_some_and(|all| all.len() == 1)
    }

    /// The step that ends with an operation.
    fn step(&self, last: Operation<'c>, here: &HashSet<usize>) -> Option<Step<'c>> {
        let (dot, before, adds) = match (TileOp::of(last), name(last)) {
            (Some(TileOp::Dot(dot)), _) => match is_zero(dot.accumulator()) {
                true => (dot, dot.accumulator(), Adds::Zero),
                false => (dot, dot.accumulator(), Adds::Product),
            },
            (None, "arith.addf" | "arith.addi") => {
                let sides = [0, 1].map(|number| operand(last, number));
                let product = |side: Value<'c>| {
                    let dot = defining_operation(side).and_then(Dot::of)?;
                    (is_zero(dot.accumulator()) && self.is_used_once(side)).then_some(dot)
                };
                match sides.map(product) {
                    [Some(dot), None] => (dot, sides[1], Adds::Sum),
                    [None, Some(dot)] => (dot, sides[0], Adds::Sum),
                    _ => return None,
                }
            }
            _ => return None,
        };
        let mut step = Step {
            operations: Vec::new(),
            before,
            after: result(last, 0),
            adds,
            shape: Vec::new(),
            constants: Vec::new(),
            bytes: 0,
        };
        if !here.contains(&address(dot.0)) {
            return None;
        }
        self.gather(dot.left(), here, &mut step)?;
        self.gather(dot.right(), here, &mut step)?;
        if step.bytes == 0 {
            return None;
        }
        self.describe(dot.0, &mut step);
        if adds == Adds::Sum {
            step.operations.push(last);
        }
        Some(step)
    }

    /// Adds what a tile is computed from, if that is for nothing else; the rest is the same for all steps.
    fn gather(&self, value: Value<'c>, here: &HashSet<usize>, step: &mut Step<'c>) -> Option<()> {
        let Some(operation) = defining_operation(value) else {
            return Some(());
        };
        let is_here = here.contains(&address(operation));
        if !is_here || !is_tile(value) || !self.is_used_once(value) {
            return Some(());
        }
        if let Some(load) = LoadView::of(operation) {
            let is_still = is_unwritten(load.base(), &self.written) && load.cache() != "cv";
            let are_numbers = load.kinds().iter().all(|kind| *kind != kinds::POSITIONS);
            if !is_still || !are_numbers {
                return None;
            }
            let tile = TileType::of(value)?;
            let elements = tile.shape().iter().product::<u64>();
            step.bytes += elements * element_bits(value.r#type()) / 8;
        } else {
            if !is_pure(name(operation)) || operation.region_count() > 0 {
                return None;
            }
            for operand in operands(operation) {
                self.gather(operand, here, step)?;
            }
        }
        self.describe(operation, step);
        Some(())
    }

    fn describe(&self, operation: Operation<'c>, step: &mut Step<'c>) {
        let load = LoadView::of(operation);
        let starts = load.map_or(0..0, |load| 1..1 + load.starts().len());
        let sum = Dot::of(operation).map(|_| 2);
        let mut text = name(operation).to_owned();
        for (number, value) in operands(operation).into_iter().enumerate() {
            let own = step.operations.iter().position(|of| {
                let mut given = results(*of).into_iter();
                given.any(|given| key(given) == key(value))
            });
            text += &match own {
                Some(own) => format!(" step {own}"),
                None if sum == Some(number) => " sum".to_owned(),
                None if starts.contains(&number) => {
                    let (rest, constant) = sum_with_constant(value);
                    step.constants.push(constant);
                    format!(" {:?} + constant", rest.map(key))
                }
                None => format!(" {:?}", key(value)),
            };
        }
        for (name, value) in attributes(operation) {
            text += &format!(" {name}={value}");
        }
        for value in results(operation) {
            text += &format!(" {}", value.r#type());
        }
        step.shape.push(text);
        step.operations.push(operation);
    }
}

/// Whether a sum begins with nothing.
fn is_zero(value: Value<'_>) -> bool {
    constant_number(value) == Some(0.0)
}

/// Numbers `first + step * (t / period % radix)` for t from 0 on: a digit of t in a mixed radix.
struct Digits {
    first: i64,
    step: i64,
    period: usize,
    radix: usize,
}

impl Digits {
    fn of(numbers: &[i64]) -> Option<Self> {
        let first = *numbers.first()?;
        let Some(period) = numbers.iter().position(|number| *number != first) else {
            return Some(Self {
                first,
                step: 0,
                period: 1,
                radix: 1,
            });
        };
        let again = numbers[period..].iter().position(|number| *number == first);
        let digits = Self {
            first,
            step: numbers[period] - first,
            period,
            radix: again.map_or(numbers.len(), |again| (period + again) / period),
        };
        let is_it = (0..)
            .zip(numbers)
            .all(|(t, number)| digits.at(t) == *number);
        is_it.then_some(digits)
    }

    fn at(&self, t: usize) -> i64 {
        self.first + self.step * (t / self.period % self.radix) as i64
    }

    /// The number for a step.
    fn build<'c>(&self, builder: &mut Builder<'c>, t: Value<'c>, steps: usize) -> Value<'c> {
        let ty = t.r#type();
        let mut digit = t;
        for (operation, by, is_needed) in [
            ("arith.divui", self.period, self.period > 1),
            ("arith.remui", self.radix, self.period * self.radix < steps),
        ] {
            if is_needed {
                let by = builder.constant_int(by as i64, ty);
                digit = builder.binary(operation, digit, by);
            }
        }
        let [step, first] = [self.step, self.first].map(|number| builder.constant_int(number, ty));
        let far = builder.multiply(digit, step);
        builder.add(far, first)
    }
}

impl<'c> Rewrite<'c> for Chains<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        let Some(chain) = self.loops.get(&address(operation)) else {
            return Ok(self.gone.contains(&address(operation)));
        };
        let steps = chain.offsets.first().map_or(0, Vec::len);
        let wide = to.builder.int_type(64);
        let narrow = to.builder.int_type(32);
        let before = to.one(chain.before);
        let range = [0, steps as i64, 1].map(|number| to.builder.constant_int(number, wide));
        let list = [range[0], range[1], range[2], before];
        let region = to.region(&[wide, before.r#type()], |to, given| {
            let t = to.builder.value("arith.trunci", &[given[0]], &[], narrow);
            to.bind(chain.step.before, vec![given[1]]);
            let mut offsets = chain.offsets.iter();
            for operation in &chain.step.operations {
                let mut list: Vec<_> = operands(*operation)
                    .into_iter()
                    .map(|old| to.one(old))
                    .collect();
                let starts = LoadView::of(*operation).map_or(0, |load| load.starts().len());
                for start in list.iter_mut().skip(1).take(starts) {
                    let digits = offsets.next().and_then(|all| Digits::of(all));
                    if let Some(digits) = digits.filter(|digits| digits.step != 0) {
                        let further = digits.build(&mut to.builder, t, steps);
                        *start = to.builder.add(*start, further);
                    }
                }
                let types: Vec<_> = results(*operation).iter().map(ValueLike::r#type).collect();
                let all = attributes(*operation);
                to.builder.set_location(operation.location());
                let new = to.builder.insert(name(*operation), &list, &all, &types);
                to.bind_results(*operation, new);
            }
            let after = to.one(chain.step.after);
            to.builder.insert("scf.yield", &[after], &[], &[]);
            Ok(())
        })?;
        let types = [before.r#type()];
        let new = to
            .builder
            .insert_with_regions("scf.for", &list, &[], &types, vec![region]);
        to.bind(chain.after, vec![result(new, 0)]);
        Ok(true)
    }
}
