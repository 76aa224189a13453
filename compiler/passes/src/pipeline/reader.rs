//! The iteration of a loop as a graph, as the scheduler takes it.
//!
//! Nodes are the operations that the consumers run; what copies have made needless is none. Products of warpgroups whose
//! operands lie still while they run are asynchronous.

use std::collections::{HashMap, HashSet};

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;

use super::plan::Plan;
use super::scheduled::Member;
use super::work::work;
use crate::dialect::ops::{Dot, SharedStore};
use crate::dialect::{TileOp, is_pure, shared_tile};
use crate::encoding::{Encodings, allocation};
use crate::ffi::defining_operation;
use crate::ir::{
    Block, Operation, Value, ValueKey, address, arguments, int_attribute, key, name, operand,
    operands, operations, result, results, yielded,
};
use crate::masks::constant;
use crate::schedule::{Edge, Graph, Node, Reason, Stage};
use crate::target::machine::Work;
use crate::{PassContext, each_operation, element_bytes, is_tile};

/// Bytes of a register.
const REGISTER_BYTES: u64 = 4;

/// Registers of a thread whose computation takes no time worth speaking of: those of a row, or of a few.
pub(super) const FEW: u64 = 8;

pub struct Reader<'a, 'b, 'c> {
    cx: &'a PassContext<'b, 'c>,
    plan: &'a Plan<'c>,
    encodings: &'a Encodings,
    /// The warpgroups that run it.
    warpgroups: usize,
    body: Block<'c>,
    /// The operations that are nodes, in order, and their numbers by their addresses.
    list: Vec<Operation<'c>>,
    places: HashMap<usize, usize>,
    /// Buffers that the loop stores to.
    stored: HashSet<ValueKey>,
    /// All operations of the loop.
    inside: HashSet<usize>,
}

impl<'a, 'b, 'c> Reader<'a, 'b, 'c> {
    pub fn new(
        cx: &'a PassContext<'b, 'c>,
        plan: &'a Plan<'c>,
        encodings: &'a Encodings,
        warpgroups: usize,
        (operation, body): (Operation<'c>, Block<'c>),
        unused: &HashSet<usize>,
    ) -> Self {
        let (mut stored, mut inside) = (HashSet::new(), HashSet::new());
        each_operation(operation, &mut |inner| {
            inside.insert(address(inner));
            // A product reads what else it is given, and so does all that is pure.
            if !is_pure(name(inner)) {
                stored.extend(
                    operands(inner)
                        .into_iter()
                        .map(|value| key(allocation(value))),
                );
            }
        });
        let mut list = operations(body);
        list.pop();
        list.retain(|operation| {
            !unused.contains(&address(*operation)) && !is_absorbed(plan, *operation)
        });
        let places = list.iter().enumerate();
        let places = places.map(|(number, of)| (address(*of), number)).collect();
        Self {
            cx,
            plan,
            encodings,
            warpgroups,
            body,
            list,
            places,
            stored,
            inside,
        }
    }

    /// The graph, and what its nodes are.
    pub fn graph(&self) -> (Graph, Vec<Member<'c>>) {
        let (mut graph, mut members) = (Graph::default(), Vec::new());
        let yields = yielded(self.body);
        let all = arguments(self.body);
        let mut ordered = None;
        for (number, operation) in self.list.iter().enumerate() {
            let node = self.node(*operation);
            let member = self.member(*operation);
            for value in &member.values {
                let carried = all
                    .iter()
                    .position(|argument| key(*argument) == key(*value));
                // Of the counter there is none before.
                let (of, distance) = match carried {
                    Some(0) => continue,
                    Some(index) => (yields[index - 1], 1),
                    None => (*value, 0),
                };
                let Some(from) = self.place(of) else {
                    continue;
                };
                let dot = Dot::of(*operation).filter(|_| node.is_asynchronous);
                let is_held = dot.is_some_and(|dot| key(dot.left()) == key(*value));
                graph.edges.push(Edge {
                    from,
                    to: number,
                    distance,
                    reason: match is_held {
                        true => Reason::Held,
                        false => Reason::Value,
                    },
                });
            }
            if node.is_ordered
                && let Some(from) = ordered.replace(number)
            {
                graph.edges.push(Edge {
                    from,
                    to: number,
                    distance: 0,
                    reason: Reason::Order,
                });
            }
            graph.nodes.push(node);
            members.push(member);
            if node.is_asynchronous
                && let Some(dot) = Dot::of(*operation)
            {
                self.hold_origin(&mut graph, number, dot.left());
            }
            if Dot::of(*operation).is_some() {
                self.follow_masks(&mut graph, number, &members[number]);
            }
        }
        self.chain(&mut graph);
        (graph, members)
    }

    /// Products that go on in the registers of another one's result, which nothing else reads.
    fn chain(&self, graph: &mut Graph) {
        for index in 0..graph.edges.len() {
            let Edge {
                from, to, distance, ..
            } = graph.edges[index];
            let both = [from, to].map(|node| graph.nodes[node].is_asynchronous);
            let (Some(dot), Some(next)) = (Dot::of(self.list[from]), Dot::of(self.list[to])) else {
                continue;
            };
            let sums = key(dot.result());
            let is_last = yielded(self.body).iter().any(|value| key(*value) == sums);
            let is_read = graph.edges.iter().filter(|edge| edge.from == from).count() > 1;
            // What a wait holds is registers of its own product.
            let reads_registers = is_tile(dot.left());
            let goes_on = both == [true, true] && distance == 0 && key(next.accumulator()) == sums;
            if goes_on && !is_read && !is_last && !reads_registers {
                graph.edges[index].reason = Reason::Chained;
            }
        }
    }

    /// The number of the copy that an operation masks, if it does.
    fn masks_copy(&self, operation: Operation<'c>) -> Option<usize> {
        let mut copies = self.plan.copies.iter();
        copies.position(|copy| copy.is_masked_by(operation))
    }

    /// A product reads its copies as they are masked.
    fn follow_masks(&self, graph: &mut Graph, product: usize, member: &Member<'c>) {
        let copies = member.copies.iter().map(|copy| &self.plan.copies[*copy]);
        let masks = copies.filter_map(|copy| copy.masked);
        for from in masks.filter_map(|masked| self.places.get(&address(masked.select)).copied()) {
            graph.edges.push(Edge {
                from,
                to: product,
                distance: 0,
                reason: Reason::Order,
            });
        }
    }

    /// What is another view of registers has none of its own: who reads it holds those of what it is a view of.
    fn hold_origin(&self, graph: &mut Graph, reader: usize, held: Value<'c>) {
        let mut view = held;
        while let Some(number) = self.place(view)
            && is_view(&graph.nodes[number], self.list[number])
        {
            graph.nodes[number].registers = 0;
            view = operands(self.list[number])[0];
            if let Some(from) = self.place(view) {
                graph.edges.push(Edge {
                    from,
                    to: reader,
                    distance: 0,
                    reason: Reason::Held,
                });
            }
        }
    }

    /// The nodes of masks that hold in most iterations: those selections, and what only their conditions need.
    pub fn masks(&self, graph: &Graph, selections: &HashSet<usize>) -> Vec<usize> {
        let is_taken = |node: usize| selections.contains(&address(self.list[node]));
        let mut masks: Vec<usize> = (0..self.list.len())
            .filter(|node| is_taken(*node))
            .collect();
        for node in (0..self.list.len()).rev() {
            let mut edges = graph
                .edges
                .iter()
                .filter(|edge| edge.from == node)
                .peekable();
            let is_condition = |to: usize| {
                let condition = operands(self.list[to])
                    .first()
                    .and_then(|value| self.place(*value));
                !is_taken(to) || condition == Some(node)
            };
            if edges.peek().is_some()
                && edges.all(|edge| masks.contains(&edge.to) && is_condition(edge.to))
            {
                masks.push(node);
            }
        }
        masks
    }

    /// In which stage of its iteration a value is known; `None` if it is none of the iteration's.
    pub fn stage_of(&self, value: Value<'c>, stages: &[Stage]) -> Option<Stage> {
        let is_given = arguments(self.body)
            .iter()
            .any(|argument| key(*argument) == key(value));
        match is_given {
            true => Some(0),
            false => self.place(value).map(|node| stages[node]),
        }
    }

    /// The node that computes a value.
    fn place(&self, value: Value<'c>) -> Option<usize> {
        let operation = defining_operation(value)?;
        self.places.get(&address(operation)).copied()
    }

    fn member(&self, operation: Operation<'c>) -> Member<'c> {
        let mut values: Vec<Value<'c>> = Vec::new();
        let mut add = |of: Operation<'c>| {
            for value in operands(of) {
                if !values.iter().any(|known| key(*known) == key(value)) {
                    values.push(value);
                }
            }
        };
        add(operation);
        each_operation(operation, &mut add);
        let copies = self.plan.copies.iter().enumerate();
        let copies = copies.filter(|(_, copy)| match copy.alloc {
            Some(alloc) => values
                .iter()
                .any(|value| key(*value) == key(result(alloc, 0))),
            None => address(copy.load.0) == address(operation),
        });
        let mut copies: Vec<_> = copies.map(|(number, _)| number).collect();
        let masks = self.masks_copy(operation);
        let mut recomputed = None;
        if let Some(copy) = masks {
            copies.push(copy);
            let loaded = key(self.plan.copies[copy].load.result());
            values.retain(|value| key(*value) != loaded);
            // A mask that follows from the counter is made where it is needed: no registers are for it before.
            recomputed = self.of_counter(&values);
            if recomputed.is_some() {
                values = arguments(self.body)[..1].to_vec();
            }
        }
        Member {
            operation,
            masks,
            recomputed,
            // What copies read is the producer's business.
            values: match is_load(self.plan, operation) {
                true => Vec::new(),
                false => values,
            },
            copies,
        }
    }

    /// The operations of the iteration that values are computed from, in order, if that is the counter and what is there before the loop.
    fn of_counter(&self, values: &[Value<'c>]) -> Option<Vec<Operation<'c>>> {
        let (mut found, mut left) = (HashSet::new(), values.to_vec());
        while let Some(value) = left.pop() {
            let number = arguments(self.body)
                .iter()
                .position(|argument| key(*argument) == key(value));
            let Some(place) = self.place(value) else {
                let is_inside = defining_operation(value)
                    .is_some_and(|operation| self.inside.contains(&address(operation)));
                match number {
                    None if is_inside => return None,
                    None | Some(0) => continue,
                    Some(_) => return None,
                }
            };
            let operation = self.list[place];
            if !is_pure(name(operation)) || operation.region_count() > 0 {
                return None;
            }
            if found.insert(place) {
                left.extend(operands(operation));
            }
        }
        let mut places: Vec<_> = found.into_iter().collect();
        places.sort_unstable();
        Some(places.into_iter().map(|place| self.list[place]).collect())
    }

    fn node(&self, operation: Operation<'c>) -> Node {
        // Most iterations do not mask what lies in shared memory, and the others go through few registers at a time.
        if self.masks_copy(operation).is_some() {
            return Node {
                is_deferred: true,
                ..Node::default()
            };
        }
        let registers = results(operation)
            .into_iter()
            .map(|value| self.registers(value))
            .sum();
        let is_asynchronous = Dot::of(operation).is_some_and(|dot| self.may_run_on(dot));
        let is_conversion = matches!(
            name(operation),
            "arith.extf" | "arith.truncf" | "tile.convert" | "tile.exchange_pairs"
        );
        let work = work(self.cx, self.encodings, self.warpgroups, operation);
        let is_computed = work != Work::default() && !is_read(operation);
        Node {
            is_asynchronous,
            is_ordered: !is_asynchronous && self.is_ordered(operation),
            is_work: registers >= FEW && is_computed || is_product_or_reduction(operation),
            is_conversion,
            is_deferred: false,
            registers,
            work,
        }
    }

    /// Whether nothing writes to a product's operands while it runs.
    fn may_run_on(&self, dot: Dot<'c>) -> bool {
        let lies_still = |operand: Value<'c>| is_tile(operand) || self.lies_still(operand);
        dot.path() == "wgmma"
            && int_attribute(dot.0, "apart").is_none()
            && lies_still(dot.left())
            && lies_still(dot.right())
    }

    /// Whether nothing in the loop writes to a buffer, but for copies that wait until it is released.
    fn lies_still(&self, buffer: Value<'c>) -> bool {
        let is_outside = || {
            let operation = defining_operation(buffer);
            operation.is_some_and(|of| !self.inside.contains(&address(of)))
        };
        self.plan.is_copied(buffer)
            || (is_outside() && !self.stored.contains(&key(allocation(buffer))))
    }

    /// Whether an operation accesses memory that others write, or is there for its effect.
    fn is_ordered(&self, operation: Operation<'c>) -> bool {
        if is_load(self.plan, operation) {
            return false;
        }
        let is_shared = |value: &Value<'c>| shared_tile(self.cx.context, value.r#type()).is_some();
        let moves = |value: &Value<'c>| is_shared(value) && !self.lies_still(*value);
        let mut is_ordered = !is_computed(operation) || operands(operation).iter().any(moves);
        each_operation(operation, &mut |inner| {
            is_ordered |= !is_computed(inner) || operands(inner).iter().any(moves);
        });
        is_ordered
    }

    /// Registers of a thread that a value takes, besides those of what it is made of.
    fn registers(&self, value: Value<'c>) -> u64 {
        let of = defining_operation(value).map(name).unwrap_or_default();
        let repeats = matches!(
            of,
            "tile.splat" | "tile.expand" | "tile.broadcast" | "tile.arange" | "arith.constant"
        );
        // Of two constants one is taken where it is needed.
        let is_choice = defining_operation(value).is_some_and(|select| {
            of == "arith.select"
                && [1, 2]
                    .into_iter()
                    .all(|side| constant(operand(select, side)))
        });
        // Predicates have registers of their own.
        let ty = value.r#type();
        let is_predicate = crate::ir::element_type(ty).to_string() == "i1";
        if repeats || is_choice || !is_tile(value) || is_predicate {
            return 0;
        }
        let bytes = self.encodings.layout(value).register_count() as u64 * element_bytes(ty);
        bytes.div_ceil(REGISTER_BYTES)
    }
}

/// Whether an operation's results are registers of its operand.
fn is_view(node: &Node, operation: Operation<'_>) -> bool {
    let is_one = matches!(
        name(operation),
        "tile.permute" | "tile.reshape" | "tile.convert"
    );
    is_one && !node.is_ordered && node.work == Work::default()
}

/// Whether an operation is there for its results alone.
fn is_computed(operation: Operation<'_>) -> bool {
    is_pure(name(operation))
        || matches!(
            TileOp::of(operation),
            Some(TileOp::Reduce(_) | TileOp::Scan(_))
        )
        || matches!(
            name(operation),
            "gpu.yield" | "scf.yield" | "scf.if" | "scf.for"
        )
}

/// Whether an operation only reads memory.
fn is_read(operation: Operation<'_>) -> bool {
    matches!(
        TileOp::of(operation),
        Some(TileOp::Load(_) | TileOp::SharedLoad(_))
    )
}

fn is_product_or_reduction(operation: Operation<'_>) -> bool {
    matches!(
        TileOp::of(operation),
        Some(TileOp::Dot(_) | TileOp::Reduce(_) | TileOp::Scan(_))
    )
}

/// Whether an operation is a load that becomes a copy, and is read where it stands.
fn is_load(plan: &Plan<'_>, operation: Operation<'_>) -> bool {
    plan.copies
        .iter()
        .any(|copy| copy.alloc.is_none() && address(copy.load.0) == address(operation))
}

/// Whether an operation of the iteration is done by its copies.
fn is_absorbed(plan: &Plan<'_>, operation: Operation<'_>) -> bool {
    let is_one = |of: Operation<'_>| address(of) == address(operation);
    plan.copies.iter().any(|copy| {
        let stored = SharedStore::of(operation).map(SharedStore::buffer);
        let stores = copy
            .alloc
            .is_some_and(|alloc| stored.is_some_and(|buffer| key(buffer) == key(result(alloc, 0))));
        let loads = copy.alloc.is_some() && is_one(copy.load.0);
        stores || loads || copy.alloc.is_some_and(is_one) || copy.transposed.is_some_and(is_one)
    })
}
