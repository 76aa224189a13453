//! What the first iteration alone adds to what a loop carries, before the loop.

use std::collections::{HashMap, HashSet};

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use crate::build::{Rebuilder, Rewrite};
use crate::diagnostic::Diagnostic;
use crate::dialect::{TileOp, is_pure, predicates};
use crate::facts::constant_of;
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{
    Block, Operation, Value, ValueKey, address, arguments, attributes, int_attribute, key, name,
    operand, operands, operations, region_block, results, yielded,
};
use crate::writes::is_unwritten;
use crate::{LOOP_RANGE, before_widened, each_operation};

pub struct First<'c> {
    users: HashMap<ValueKey, Vec<Operation<'c>>>,
    written: Option<HashSet<usize>>,
    /// By the address of conditions whose work was done: what they give in the loop.
    done: HashMap<usize, Vec<Value<'c>>>,
}

/// A condition of a loop's body that holds in its first iteration.
struct Once<'c> {
    condition: Operation<'c>,
    /// What it does then.
    block: Block<'c>,
    /// What it gives otherwise: what the loop carries, by its number there.
    carried: Vec<usize>,
    /// What the block needs of the iteration.
    needed: Vec<Operation<'c>>,
}

impl<'c> First<'c> {
    pub fn new(
        users: HashMap<ValueKey, Vec<Operation<'c>>>,
        written: Option<HashSet<usize>>,
    ) -> Self {
        Self {
            users,
            written,
            done: HashMap::new(),
        }
    }

    fn once(&self, of: Operation<'c>, condition: Operation<'c>) -> Option<Once<'c>> {
        if name(condition) != "scf.if" || results(condition).is_empty() {
            return None;
        }
        let (block, other) = match holds_first(of, operand(condition, 0))? {
            true => (region_block(condition, 0)?, region_block(condition, 1)?),
            false => (region_block(condition, 1)?, region_block(condition, 0)?),
        };
        if operations(other).len() != 1 {
            return None;
        }
        let carried = |value: Value<'c>| self.carried(of, condition, value);
        let carried: Vec<_> = yielded(other)
            .into_iter()
            .map(carried)
            .collect::<Option<_>>()?;
        let mut needed = Vec::new();
        let mut multiplies = false;
        for operation in operations(block) {
            multiplies |= matches!(TileOp::of(operation), Some(TileOp::Dot(_)));
            if !self.needs(of, operation, &mut needed) {
                return None;
            }
        }
        multiplies.then_some(Once {
            condition,
            block,
            carried,
            needed,
        })
    }

    /// Which of the values that a loop carries one is, if nothing but a condition reads it before the next iteration.
    fn carried(
        &self,
        of: Operation<'c>,
        condition: Operation<'c>,
        value: Value<'c>,
    ) -> Option<usize> {
        argument_owner(value).filter(|owner| address(*owner) == address(of))?;
        let mut inside = HashSet::from([address(condition)]);
        each_operation(condition, &mut |operation| {
            _ = inside.insert(address(operation))
        });
        let mut users = self.users.get(&key(value)).into_iter().flatten();
        let alone = users.all(|user| inside.contains(&address(*user)));
        alone.then(|| result_number(value).checked_sub(1)).flatten()
    }

    /// Whether an operation gives in the first iteration what it would give before the loop; `needed` gets what it needs of the
    /// iteration that is not in its block.
    fn needs(
        &self,
        of: Operation<'c>,
        operation: Operation<'c>,
        needed: &mut Vec<Operation<'c>>,
    ) -> bool {
        let mut all = vec![operation];
        each_operation(operation, &mut |inside| all.push(inside));
        all.into_iter().all(|one| {
            self.may_move(one)
                && operands(one).into_iter().all(|value| {
                    let Some(source) = defining_operation(value) else {
                        return true;
                    };
                    let body = region_block(of, 0);
                    let is_of_body = source.block().map(crate::ffi::block) == body;
                    let is_known = needed.iter().any(|one| address(*one) == address(source));
                    if !is_of_body || is_known {
                        return true;
                    }
                    let may = source.region_count() == 0 && self.needs(of, source, needed);
                    needed.push(source);
                    may
                })
        })
    }

    fn may_move(&self, operation: Operation<'c>) -> bool {
        let is_unwritten = |pointers| {
            let written = self.written.as_ref();
            written.is_some_and(|written| is_unwritten(pointers, written))
        };
        match TileOp::of(operation) {
            Some(TileOp::Load(load)) => is_unwritten(load.pointers()),
            Some(TileOp::LoadView(load)) => is_unwritten(load.base()),
            _ => {
                let is_structure = matches!(name(operation), "scf.for" | "scf.if" | "scf.yield");
                is_structure || is_pure(name(operation))
            }
        }
    }

    /// What a loop carries into its first iteration, with what that alone does.
    fn begin(
        &mut self,
        to: &mut Rebuilder<'c>,
        of: Operation<'c>,
        once: &[Once<'c>],
    ) -> Result<Vec<Value<'c>>, Diagnostic> {
        let outside: Vec<_> = operands(of)
            .into_iter()
            .map(|value| to.one(value))
            .collect();
        let mut begin = outside[LOOP_RANGE..].to_vec();
        let changed: Vec<_> = once.iter().flat_map(|one| one.carried.clone()).collect();
        let types: Vec<_> = changed
            .iter()
            .map(|number| begin[*number].r#type())
            .collect();
        let any = to
            .builder
            .compare_int(predicates::SLT, outside[0], outside[1]);
        let body = region_block(of, 0).expect("a loop has a body");
        let first = to.region(&[], |to, _| {
            let inside = [&outside[..1], &begin].concat();
            for (argument, value) in arguments(body).into_iter().zip(inside) {
                to.bind(argument, vec![value]);
            }
            let mut given = Vec::new();
            for one in once {
                for operation in &one.needed {
                    to.operation(self, *operation)?;
                }
                let inside = operations(one.block);
                let (_, inside) = inside.split_last().expect("a branch yields");
                for operation in inside {
                    to.operation(self, *operation)?;
                }
                given.extend(yielded(one.block).into_iter().map(|value| to.one(value)));
            }
            to.builder.insert("scf.yield", &given, &[], &[]);
            Ok(())
        })?;
        let other = to.region(&[], |to, _| {
            let given: Vec<_> = changed.iter().map(|number| begin[*number]).collect();
            to.builder.insert("scf.yield", &given, &[], &[]);
            Ok(())
        })?;
        let new = to
            .builder
            .insert_with_regions("scf.if", &[any], &[], &types, vec![first, other]);
        for (number, value) in changed.into_iter().zip(results(new)) {
            begin[number] = value;
        }
        Ok(begin)
    }
}

/// Whether a condition holds in the first iteration of a loop and in no other, or the other way round.
fn holds_first(of: Operation<'_>, condition: Value<'_>) -> Option<bool> {
    let comparison = defining_operation(condition).filter(|of| name(*of) == "arith.cmpi")?;
    // The counter as the source has it: of the loop's 64 bits those that are left of 32 tell its iterations apart.
    let [first, end] = [0, 1].map(|number| operand(of, number));
    let are_words = [first, end].into_iter().all(is_word);
    let is_counter = |value| {
        let counter = match defining_operation(value) {
            Some(cast) if name(cast) == "arith.trunci" && are_words => operand(cast, 0),
            _ => value,
        };
        argument_owner(counter).is_some_and(|owner| address(owner) == address(of))
            && result_number(counter) == 0
    };
    let is_first = |value| {
        let same = constant_of(value).zip(constant_of(first));
        let is_same = [first, before_widened(first)]
            .iter()
            .any(|first| key(*first) == key(value));
        is_same || same.is_some_and(|(one, other)| one == other)
    };
    let [left, right] = [0, 1].map(|number| operand(comparison, number));
    let compares = is_counter(left) && is_first(right) || is_counter(right) && is_first(left);
    // A loop counts up, so that no later iteration has the first counter.
    match int_attribute(comparison, "predicate").filter(|_| compares)? {
        predicates::EQ => Some(true),
        predicates::NE => Some(false),
        _ => None,
    }
}

/// Whether an integer fits 32 bits with a sign.
fn is_word(value: Value<'_>) -> bool {
    let is_small = |number| i32::try_from(number).is_ok();
    let is_extended =
        |of| name(of) == "arith.extsi" && operand(of, 0).r#type().to_string() == "i32";
    constant_of(value).is_some_and(is_small) || defining_operation(value).is_some_and(is_extended)
}

impl<'c> Rewrite<'c> for First<'c> {
    fn rewrite(
        &mut self,
        to: &mut Rebuilder<'c>,
        operation: Operation<'c>,
    ) -> Result<bool, Diagnostic> {
        if let Some(carried) = self.done.get(&address(operation)) {
            for (old, value) in results(operation).into_iter().zip(carried) {
                let value = to.one(*value);
                to.bind(old, vec![value]);
            }
            return Ok(true);
        }
        let Some(body) = region_block(operation, 0).filter(|_| name(operation) == "scf.for") else {
            return Ok(false);
        };
        let conditions = operations(body).into_iter();
        let once: Vec<_> = conditions
            .filter_map(|condition| self.once(operation, condition))
            .collect();
        if once.is_empty() {
            return Ok(false);
        }
        let begin = self.begin(to, operation, &once)?;
        for one in once {
            let carried = one.carried.iter().map(|number| arguments(body)[number + 1]);
            self.done.insert(address(one.condition), carried.collect());
        }
        to.builder.set_location(operation.location());
        let range = operands(operation).into_iter().take(LOOP_RANGE);
        let mut all: Vec<_> = range.map(|value| to.one(value)).collect();
        all.extend(begin);
        let region = to.region_of(self, body)?;
        let types: Vec<_> = all[LOOP_RANGE..].iter().map(ValueLike::r#type).collect();
        let new = to.builder.insert_with_regions(
            "scf.for",
            &all,
            &attributes(operation),
            &types,
            vec![region],
        );
        to.bind_results(operation, new);
        Ok(true)
    }
}
