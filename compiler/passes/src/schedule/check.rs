//! Whether a schedule keeps what its graph asks for: a dry run of the new loop, written apart from what chose the order.

use super::{Graph, Reason, Schedule, Stage, Step};

/// Iterations of the dry run: some have neighbours on both sides.
const ITERATIONS: usize = 4;

/// A node in an iteration of the loop.
type Instance = (usize, usize);

struct Run<'a> {
    graph: &'a Graph,
    /// Started, by node and iteration.
    started: Vec<Vec<bool>>,
    /// Started and not waited for, oldest first.
    in_flight: Vec<Instance>,
}

impl Schedule {
    /// What is wrong with it, if anything.
    ///
    /// # Errors
    /// The first dependence that is broken, or what runs never or twice.
    pub fn check(&self, graph: &Graph) -> Result<(), String> {
        let mut run = Run {
            graph,
            started: vec![vec![false; ITERATIONS]; graph.nodes.len()],
            in_flight: Vec::new(),
        };
        let mut first = 0;
        if self.is_staggered() {
            run.steps(&self.prologue, 0)?;
            first = 1;
        }
        for iteration in first..ITERATIONS {
            run.steps(&self.steps, iteration)?;
            if !run.in_flight.is_empty() {
                return Err(format!("in flight at the end of iteration {iteration}"));
            }
        }
        if self.is_staggered() {
            run.steps(&self.epilogue, ITERATIONS)?;
        }
        for (node, iterations) in run.started.iter().enumerate() {
            if let Some(missing) = iterations.iter().position(|is_started| !is_started) {
                return Err(format!("{node} does not run in iteration {missing}"));
            }
        }
        Ok(())
    }
}

impl Run<'_> {
    /// Some steps of the new loop's iteration with this number.
    fn steps(&mut self, steps: &[Step], iteration: usize) -> Result<(), String> {
        for step in steps {
            match step {
                Step::Run { node, stage } => {
                    self.start(Self::instance(*node, *stage, iteration)?)?
                }
                Step::Wait { pending, done } => {
                    let left = self.in_flight.len().checked_sub(done.len());
                    if left != Some(*pending) {
                        return Err(format!(
                            "a wait for all but {pending} leaves another number"
                        ));
                    }
                    for (node, stage) in done {
                        let oldest = self.in_flight.remove(0);
                        if oldest != Self::instance(*node, *stage, iteration)? {
                            return Err(format!("{node} is not the oldest in flight"));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn instance(node: usize, stage: Stage, iteration: usize) -> Result<Instance, String> {
        let own = iteration.checked_sub(stage);
        own.map(|iteration| (node, iteration))
            .ok_or_else(|| format!("{node} runs before its first iteration"))
    }

    fn start(&mut self, (node, iteration): Instance) -> Result<(), String> {
        let started = self.started[node].get_mut(iteration);
        match started {
            Some(is_started @ false) => *is_started = true,
            _ => {
                return Err(format!(
                    "{node} runs twice in iteration {iteration}, or too late"
                ));
            }
        }
        for edge in self.graph.edges.iter().filter(|edge| edge.to == node) {
            let Some(before) = iteration.checked_sub(edge.distance) else {
                continue;
            };
            let is_in_flight = self.in_flight.contains(&(edge.from, before));
            let goes_on = edge.reason == Reason::Chained && edge.distance == 0;
            let is_done = self.started[edge.from][before] && (!is_in_flight || goes_on);
            if !is_done {
                return Err(format!("{node} does not wait for {}", edge.from));
            }
        }
        // What is read out of registers until it is waited for must not be made anew before.
        let held = self
            .graph
            .edges
            .iter()
            .filter(|edge| edge.from == node && edge.reason == Reason::Held);
        for edge in held {
            if let Some((reader, of)) = self
                .in_flight
                .iter()
                .find(|(reader, of)| *reader == edge.to && of - edge.distance.min(*of) != iteration)
            {
                return Err(format!(
                    "{node} runs while {reader} of iteration {of} reads it"
                ));
            }
        }
        if self.graph.nodes[node].is_asynchronous {
            self.in_flight.push((node, iteration));
        }
        Ok(())
    }
}
