//! The order of a loop's iteration: what starts when, what is waited for where, and what runs an iteration later.
//!
//! ```text
//! for j { s = start a(j); wait s; p = f(s); t = start b(p); wait t; x = g(x, t) }
//!   ⇒  s = start a(0); wait s; p = f(s)
//!      for j = 1, … { s = start a(j); t = start b(p); wait s; q = f(s); wait t; x = g(x, t); p = q }
//!      t = start b(p); wait t; x = g(x, t)
//! ```
//!
//! An iteration is a [`Graph`]: its nodes are operations, of which some are *asynchronous* (they run on a unit of their own from
//! their start until a wait), its edges say whose results a node needs, of this iteration or of the one before. A [`Schedule`]
//! gives each node a *stage* (in how many iterations after its own it runs: modulo scheduling, Rau 1994) and all of them an
//! order. Operations of stage 1 are asynchronous ones that need what their iteration computes, and what depends on them:
//! so they run beside what the next iteration computes.
//!
//! Nothing stays in flight from one iteration of the new loop to the next, so registers that asynchronous operations read or
//! write have one use at a time.

use std::collections::BTreeSet;

use crate::diagnostic::remark::NoOverlap;
use crate::target::machine::Work;

pub mod candidates;
mod check;
pub mod model;
mod order;
mod registers;
pub mod report;
pub mod text;

#[cfg(test)]
mod tests;

/// A loop's iteration.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Graph {
    /// In the order of the program.
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

/// An operation.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// Runs from its start until it is waited for.
    pub is_asynchronous: bool,
    /// Accesses memory in the order of the program, so it stays in its iteration.
    pub is_ordered: bool,
    /// Takes time: something can run beside it.
    pub is_work: bool,
    /// Only spells its operand in another way; better late than early if that takes registers.
    pub is_conversion: bool,
    /// Belongs to those who need it: it runs in the stage of the first of them.
    pub is_deferred: bool,
    /// Registers of a thread that its results take.
    pub registers: u64,
    /// What it takes of the units of a multiprocessor.
    pub work: Work,
}

/// That a node needs another one's results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    /// Of how many iterations before: 0 or 1.
    pub distance: usize,
    pub reason: Reason,
}

/// Why a node runs after another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It takes its result.
    Value,
    /// The same, and it reads that until it is waited for, out of registers that must stay as they are.
    Held,
    /// It goes on in the registers of its result, and both are asynchronous: the unit runs them in order, so nobody waits between them.
    Chained,
    /// Both access memory.
    Order,
}

/// How many iterations after its own a node runs.
pub type Stage = usize;

/// What a loop does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Runs an operation, or starts it if it is asynchronous.
    Run { node: usize, stage: Stage },
    /// Waits until no more than `pending` operations are in flight: those named are done then.
    Wait {
        pending: usize,
        done: Vec<(usize, Stage)>,
    },
}

/// The order of a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// By node.
    pub stages: Vec<Stage>,
    /// An iteration of the new loop.
    pub steps: Vec<Step>,
    /// What the first iteration needs before it: stage 0 alone; and what the last one leaves: stage 1 alone.
    pub prologue: Vec<Step>,
    pub epilogue: Vec<Step>,
    /// Registers of a thread that are live at once, at most.
    pub registers: u64,
}

impl Schedule {
    /// Whether some of an iteration runs in the next.
    #[must_use]
    pub fn is_staggered(&self) -> bool {
        self.stages.contains(&1)
    }

    /// How many asynchronous operations run beside each other, or work of their loop that is more than conversions.
    #[must_use]
    pub fn overlapping(&self, graph: &Graph) -> usize {
        let mut in_flight: Vec<usize> = Vec::new();
        let mut beside: BTreeSet<usize> = BTreeSet::new();
        for step in &self.steps {
            match step {
                Step::Run { node, .. } if graph.nodes[*node].is_asynchronous => {
                    in_flight.push(*node);
                    if in_flight.len() > 1 {
                        beside.extend(&in_flight);
                    }
                }
                Step::Run { node, .. } => {
                    let node = graph.nodes[*node];
                    if node.is_work && !node.is_conversion {
                        beside.extend(&in_flight);
                    }
                }
                Step::Wait { done, .. } => {
                    in_flight.retain(|node| !done.iter().any(|(other, _)| other == node));
                }
            }
        }
        beside.len()
    }
}

impl Graph {
    /// The schedule with two stages if it is possible within so many registers of a thread, else with one; why not two then.
    #[must_use]
    pub fn schedule(&self, registers: u64) -> (Schedule, Option<NoOverlap>) {
        let (schedule, refusal) = match self.staggered(&self.late_by_rule(), registers) {
            Ok(schedule) => (schedule, None),
            Err(refusal) => (self.ordered(vec![0; self.nodes.len()]), Some(refusal)),
        };
        debug_assert_eq!(schedule.check(self), Ok(()));
        (schedule, refusal)
    }

    /// The schedule with these an iteration later, if something runs beside an asynchronous operation then.
    fn staggered(&self, late: &[usize], registers: u64) -> Result<Schedule, NoOverlap> {
        let schedule = self.fitting(self.stages(late)?, registers)?;
        match schedule.overlapping(self) {
            0 => Err(NoOverlap::NothingToStagger),
            _ => Ok(schedule),
        }
    }

    /// What runs an iteration later: asynchronous operations that need what their own iteration computes.
    fn late_by_rule(&self) -> Vec<usize> {
        // Edges of distance 0 go forward: the order of the program is one of the graph.
        let mut needs_work = vec![false; self.nodes.len()];
        for index in 0..self.nodes.len() {
            let needs = |edge: &Edge| {
                let is_chained = edge.reason == Reason::Chained;
                needs_work[edge.from] || (self.nodes[edge.from].is_work && !is_chained)
            };
            needs_work[index] = self.of_iteration(index).any(needs);
        }
        let all = 0..self.nodes.len();
        all.filter(|node| self.nodes[*node].is_asynchronous && needs_work[*node])
            .collect()
    }

    /// The schedule of these stages, if it is one within so many registers.
    fn fitting(&self, stages: Vec<Stage>, registers: u64) -> Result<Schedule, NoOverlap> {
        let schedule = self.ordered(stages);
        if schedule.registers > registers {
            return Err(NoOverlap::Registers {
                needed: schedule.registers,
                available: registers,
            });
        }
        match schedule.check(self) {
            Ok(()) => Ok(schedule),
            Err(_) => Err(NoOverlap::Held),
        }
    }

    /// The stages of all nodes if these are late.
    fn stages(&self, late: &[usize]) -> Result<Vec<Stage>, NoOverlap> {
        let mut stages = vec![0; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            let is_late = |edge: &Edge| stages[edge.from] == 1;
            if late.contains(&index) || self.of_iteration(index).any(is_late) {
                stages[index] = 1;
            }
            if node.is_ordered && stages[index] > 0 {
                return Err(NoOverlap::Order);
            }
        }
        for index in (0..self.nodes.len())
            .rev()
            .filter(|index| self.nodes[*index].is_deferred)
        {
            let users = self
                .edges
                .iter()
                .filter(|edge| edge.from == index && edge.distance == 0);
            let first = users.map(|edge| stages[edge.to]).min();
            stages[index] = stages[index].max(first.unwrap_or(0));
        }
        let is_early = |index: &usize| self.nodes[*index].is_asynchronous && stages[*index] == 0;
        let is_late = |index: usize| self.nodes[index].is_asynchronous && stages[index] == 1;
        if !(0..self.nodes.len()).any(is_late) {
            return Err(NoOverlap::NothingToStagger);
        }
        for early in (0..self.nodes.len()).filter(is_early) {
            if self.reached(early, &stages).into_iter().any(is_late) {
                return Err(NoOverlap::Recurrence);
            }
        }
        Ok(stages)
    }

    /// What a node needs of its own iteration.
    fn of_iteration(&self, index: usize) -> impl Iterator<Item = &Edge> {
        let edges = self.edges.iter();
        edges.filter(move |edge| edge.to == index && edge.distance == 0)
    }

    /// Whether an edge is between nodes that run in the same iteration of the new loop.
    fn is_inside(edge: &Edge, stages: &[Stage]) -> bool {
        stages[edge.from] == stages[edge.to] + edge.distance
    }

    /// All nodes of the same iteration of the new loop that a node needs, those that they need, and so on.
    fn reached(&self, of: usize, stages: &[Stage]) -> Vec<usize> {
        let mut found = Vec::new();
        let mut left = vec![of];
        while let Some(next) = left.pop() {
            for edge in self.edges.iter().filter(|edge| edge.to == next) {
                if Self::is_inside(edge, stages) && !found.contains(&edge.from) {
                    found.push(edge.from);
                    left.push(edge.from);
                }
            }
        }
        found
    }
}
