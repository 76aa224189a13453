//! How many registers of a thread are live at once in a loop.

use super::{Edge, Graph, Reason, Stage, Step};

impl Graph {
    /// The most registers between two steps of an iteration of the new loop.
    pub(super) fn live(&self, order: &[usize], stages: &[Stage], steps: &[Step]) -> u64 {
        let count = steps.len();
        let place = |node: usize| {
            let is_it = |step: &Step| matches!(step, Step::Run { node: of, .. } if *of == node);
            steps.iter().position(is_it).unwrap_or(0)
        };
        let done = |node: usize| {
            let is_it = |step: &Step| matches!(step, Step::Wait { done, .. } if done.iter().any(|(of, _)| *of == node));
            steps.iter().position(is_it)
        };
        // By step: what is live after it.
        let mut live = vec![0; count];
        for node in order {
            let registers = self.nodes[*node].registers;
            if registers == 0 {
                continue;
            }
            let start = place(*node);
            let mut ends = Vec::new();
            let takes = |edge: &&Edge| edge.from == *node && edge.reason != Reason::Order;
            for edge in self.edges.iter().filter(takes) {
                let mut end = place(edge.to);
                if edge.reason == Reason::Held {
                    end = done(edge.to).unwrap_or(end);
                }
                // In which iteration of the new loop after the one that makes it.
                let iterations = stages[edge.to] + edge.distance - stages[*node];
                ends.push(end + iterations * count);
            }
            let end = ends.into_iter().max().unwrap_or(start).max(start + 1);
            for at in start..end {
                live[at % count] += registers;
            }
        }
        live.into_iter().max().unwrap_or(0)
    }
}
