//! The schedules that a loop could have, with what each would take or why it is none.

use super::Graph;
use super::model::{Estimate, Resident};
use crate::diagnostic::remark::NoOverlap;
use crate::target::machine::Machine;

/// Asynchronous operations of which all sets are tried: with more of them there are too many.
const MOST: usize = 5;

/// A choice of what runs an iteration later.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The asynchronous operations that do.
    pub late: Vec<usize>,
    /// What an iteration takes, or why it is no schedule.
    pub outcome: Result<Estimate, NoOverlap>,
}

impl Graph {
    /// All choices within so many registers of a thread: the fastest first, then what is none.
    #[must_use]
    pub fn candidates(
        &self,
        registers: u64,
        machine: &Machine,
        resident: Resident,
    ) -> Vec<Candidate> {
        let all = 0..self.nodes.len();
        let starts: Vec<usize> = all
            .filter(|node| self.nodes[*node].is_asynchronous)
            .collect();
        let sets: Vec<Vec<usize>> = match starts.len() <= MOST {
            true => (0..1_usize << starts.len())
                .map(|set| {
                    let chosen = starts.iter().enumerate();
                    let chosen = chosen.filter(|(bit, _)| set >> bit & 1 == 1);
                    chosen.map(|(_, node)| *node).collect()
                })
                .collect(),
            false => vec![Vec::new(), self.late_by_rule()],
        };
        let candidate = |late: Vec<usize>| {
            let schedule = match late.is_empty() {
                true => self.fitting(vec![0; self.nodes.len()], registers),
                false => self
                    .stages(&late)
                    .and_then(|stages| self.fitting(stages, registers)),
            };
            let outcome = match schedule {
                Ok(schedule) => Ok(self.estimate_of(&schedule, machine, resident)?),
                Err(refusal) => Err(refusal),
            };
            Some(Candidate { late, outcome })
        };
        let mut list: Vec<Candidate> = sets.into_iter().filter_map(candidate).collect();
        list.sort_by_key(|one| match &one.outcome {
            Ok(estimate) => (false, estimate.clocks),
            Err(_) => (true, 0),
        });
        list
    }
}
