//! Which part of a function a warp of its own can do: the copies, and what says where and how often.
//!
//! The function is partitioned by dependence. A *producer* has the copies of all pipelined loops, the
//! loops and branches around them, and what bounds, conditions, places of boxes, pointers and masks are
//! computed from, also by branches and loops of numbers (a search for the sequence of a program).
//! All else is the *consumers'*. The producer runs ahead of them, so what it needs must
//! not depend on what they load, compute or store: then the function stays as it is, and a remark says
//! what is in the way.

use std::collections::{BTreeSet, HashMap, HashSet};

use melior::ir::operation::OperationLike;

use super::epilogue_loads::EpilogueLoad;
use super::plan::{Plan, Plans};
use super::stationary::Stationary;
use crate::diagnostic::remark::NoProducer;
use crate::dialect::{TileOp, is_pure};
use crate::ffi::{argument_owner, defining_operation, result_number};
use crate::ir::{Operation, Value, address, name, operands, region_block, yielded};
use crate::writes::{is_unwritten, written};
use crate::{each_operation, is_tile, is_within};

/// What the producer does besides the copies.
#[derive(Default)]
pub struct Roles {
    /// What it computes.
    pub values: HashSet<usize>,
    /// The loops and branches around its loops, with the carried values or results that it needs of each.
    pub around: HashMap<usize, BTreeSet<usize>>,
    /// Whether it loads rows that say where to copy from.
    pub loads_rows: bool,
}

/// Branches and loops.
const CONTROL: [&str; 3] = ["scf.if", "scf.for", "scf.while"];

/// What is in the way of a producer.
pub struct Refusal<'c> {
    pub at: Operation<'c>,
    pub why: NoProducer,
}

/// The roles of a function whose loops have these plans.
pub fn find<'c>(
    function: Operation<'c>,
    plans: &Plans<'c>,
    epilogue_loads: &[EpilogueLoad<'c>],
) -> Result<Roles, Refusal<'c>> {
    let mut loops = Vec::new();
    each_operation(function, &mut |operation| {
        if plans.contains_key(&address(operation)) {
            loops.push(operation);
        }
    });
    let mut partition = Partition {
        plans,
        written: written(function),
        roles: Roles::default(),
    };
    for operation in &loops {
        partition.enclose(*operation)?;
    }
    for operation in loops {
        partition.copies(operation, &plans[&address(operation)])?;
    }
    for epilogue_load in epilogue_loads {
        for start in epilogue_load.load.starts() {
            partition.reach(start, epilogue_load.load.0)?;
        }
    }
    Ok(partition.roles)
}

/// Has the producer compute where it copies these from too, which is known early.
pub fn reach<'c>(
    function: Operation<'c>,
    plans: &Plans<'c>,
    roles: &mut Roles,
    stationary: &[Stationary<'c>],
) {
    let mut partition = Partition {
        plans,
        written: written(function),
        roles: std::mem::take(roles),
    };
    for one in stationary {
        for start in &one.boxes.starts {
            let reached = partition.reach(*start, one.load.0);
            debug_assert!(reached.is_ok(), "a place that is not known early");
        }
    }
    *roles = partition.roles;
}

struct Partition<'a, 'c> {
    plans: &'a Plans<'c>,
    /// The parameters that the function writes through; `None` if that is not known.
    written: Option<HashSet<usize>>,
    roles: Roles,
}

type Outcome<'c> = Result<(), Refusal<'c>>;

impl<'c> Partition<'_, 'c> {
    /// Notes what is around a loop.
    fn enclose(&mut self, of: Operation<'c>) -> Outcome<'c> {
        let mut inner = of;
        while let Some(parent) = inner.parent_operation() {
            let parent = crate::ffi::operation(parent);
            match name(parent) {
                "func.func" => return Ok(()),
                "scf.for" | "scf.if" => {
                    self.roles.around.entry(address(parent)).or_default();
                }
                _ => {
                    return Err(Refusal {
                        at: parent,
                        why: NoProducer::OpenEndAround,
                    });
                }
            }
            inner = parent;
        }
        Ok(())
    }

    /// What the copies of a loop need.
    fn copies(&mut self, of: Operation<'c>, plan: &Plan<'c>) -> Outcome<'c> {
        let mut inner = of;
        while let Some(parent) = inner.parent_operation() {
            let parent = crate::ffi::operation(parent);
            let controls = match name(parent) {
                "scf.for" => 3,
                "scf.if" => 1,
                _ => break,
            };
            for value in operands(parent).into_iter().take(controls) {
                self.reach(value, parent)?;
            }
            inner = parent;
        }
        let given = operands(of);
        for value in given.iter().take(3) {
            self.reach(*value, of)?;
        }
        for index in &plan.ahead {
            // It would have to be carried once for each warp that a warp copies for.
            if is_tile(given[3 + index]) {
                return Err(Refusal {
                    at: of,
                    why: NoProducer::CarriedPointers,
                });
            }
            self.reach(given[3 + index], of)?;
        }
        for operation in &plan.slice {
            for value in operands(*operation) {
                self.reach(value, of)?;
            }
        }
        for copy in &plan.copies {
            let refuse = |why| Refusal {
                at: copy.load.0,
                why,
            };
            if copy.realigned.is_some() {
                return Err(refuse(NoProducer::Realigned));
            }
            if !self.is_unwritten(copy.load.pointers()) {
                return Err(refuse(NoProducer::MayBeWritten));
            }
            let needs = match (&copy.boxes, &copy.computed) {
                (Some(boxes), _) => boxes.starts.clone(),
                (None, Some(computed)) => computed.needs(),
                (None, None) => copy
                    .load
                    .mask()
                    .into_iter()
                    .chain([copy.load.pointers()])
                    .collect(),
            };
            for value in needs {
                self.reach(value, copy.load.0)?;
            }
        }
        Ok(())
    }

    /// Has the producer compute a value, which `user` needs.
    fn reach(&mut self, value: Value<'c>, user: Operation<'c>) -> Outcome<'c> {
        let Some(operation) = defining_operation(value) else {
            let Some(owner) = argument_owner(value) else {
                return Ok(());
            };
            let number = result_number(value);
            // Arguments of a pipelined loop are its plan's business, and counters are always there.
            return match name(owner) {
                "func.func" => Ok(()),
                "scf.for" if self.plans.contains_key(&address(owner)) || number == 0 => Ok(()),
                "scf.for" if self.roles.around.contains_key(&address(owner)) => {
                    self.kept(owner, number - 1, user)
                }
                _ => Err(Refusal {
                    at: user,
                    why: NoProducer::PlaceFromLoop,
                }),
            };
        };
        let at = address(operation);
        if self.roles.around.contains_key(&at) {
            return self.kept(operation, result_number(value), user);
        }
        let constant = match TileOp::of(operation) {
            Some(TileOp::Load(load)) => {
                self.roles.loads_rows |= is_tile(value);
                self.is_unwritten(load.pointers())
            }
            Some(TileOp::Dot(_)) => false,
            _ if CONTROL.contains(&name(operation)) => {
                let written = self.written.as_ref();
                !is_tile(value) && written.is_some_and(|written| only_computes(operation, written))
            }
            _ => is_pure(name(operation)) && operation.region_count() == 0,
        };
        if !constant {
            return Err(Refusal {
                at: user,
                why: NoProducer::PlaceFromKernel,
            });
        }
        if self.roles.values.insert(at) {
            for value in needs(operation) {
                self.reach(value, user)?;
            }
        }
        Ok(())
    }

    /// Whether the function never writes through the parameter that pointers come from.
    fn is_unwritten(&self, pointers: Value<'c>) -> bool {
        let written = self.written.as_ref();
        written.is_some_and(|written| is_unwritten(pointers, written))
    }

    /// Has the producer carry a value through a loop, or take it out of a branch.
    fn kept(&mut self, of: Operation<'c>, index: usize, user: Operation<'c>) -> Outcome<'c> {
        if crate::ir::results(of)
            .get(index)
            .is_some_and(|value| is_tile(*value))
        {
            return Err(Refusal {
                at: user,
                why: NoProducer::PlaceFromTile,
            });
        }
        let list = self.roles.around.entry(address(of)).or_default();
        if !list.insert(index) {
            return Ok(());
        }
        if name(of) == "scf.for"
            && let Some(initial) = operands(of).get(3 + index)
        {
            self.reach(*initial, user)?;
        }
        for region in 0..of.region_count() {
            let given = region_block(of, region).map(yielded).unwrap_or_default();
            if let Some(value) = given.get(index) {
                self.reach(*value, user)?;
            }
        }
        Ok(())
    }
}

/// What an operation and those inside it are computed from.
pub fn needs<'c>(operation: Operation<'c>) -> Vec<Value<'c>> {
    let mut all = operands(operation);
    each_operation(operation, &mut |inner| {
        let is_outside = |value: &Value<'c>| {
            let from = defining_operation(*value).or_else(|| argument_owner(*value));
            from.is_none_or(|from| from != operation && !is_within(from, operation))
        };
        all.extend(operands(inner).into_iter().filter(is_outside));
    });
    all
}

/// Whether branches and loops compute of what is never written alone, as a search for the sequence of a program does.
pub fn only_computes(operation: Operation<'_>, written: &HashSet<usize>) -> bool {
    let mut all = CONTROL.contains(&name(operation));
    each_operation(operation, &mut |inner| {
        all &= match TileOp::of(inner) {
            Some(TileOp::Load(load)) => {
                !is_tile(load.result()) && is_unwritten(load.pointers(), written)
            }
            _ => {
                let is_end = ["scf.yield", "scf.condition"].contains(&name(inner));
                is_end || CONTROL.contains(&name(inner)) || is_pure(name(inner))
            }
        };
    });
    all
}
