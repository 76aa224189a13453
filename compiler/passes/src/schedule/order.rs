//! The order of a loop's nodes, given their stages, and the waits.

use super::{Edge, Graph, Reason, Schedule, Stage, Step};

/// The nodes in the order in which they run.
type Order = Vec<usize>;

impl Graph {
    /// The schedule of these stages.
    pub(super) fn ordered(&self, stages: Vec<Stage>) -> Schedule {
        let order = self.order(&stages);
        let of = |stage| -> Order {
            let all = order.iter().copied();
            all.filter(|node| stages[*node] == stage).collect()
        };
        let steps = self.with_waits(&order, &stages);
        let prologue = self.with_waits(&of(0), &stages);
        let epilogue = self.with_waits(&of(1), &stages);
        let registers = self.live(&order, &stages, &steps);
        Schedule {
            stages,
            steps,
            prologue,
            epilogue,
            registers,
        }
    }

    /// All nodes: each asynchronous one starts as soon as it can, first those of this iteration; what needs no wait runs
    /// before what does.
    fn order(&self, stages: &[Stage]) -> Order {
        let needs: Vec<Vec<usize>> = (0..self.nodes.len())
            .map(|node| self.reached(node, stages))
            .collect();
        let late = self.late(stages);
        let mut placing = Placing {
            graph: self,
            needs: &needs,
            order: Vec::new(),
            is_placed: vec![false; self.nodes.len()],
            in_flight: Vec::new(),
        };
        let mut starts: Vec<usize> = (0..self.nodes.len())
            .filter(|node| self.nodes[*node].is_asynchronous)
            .collect();
        starts.sort_by_key(|node| stages[*node]);
        loop {
            let next = starts.iter().copied();
            if let Some(start) = next.clone().find(|node| placing.is_free(*node)) {
                placing.with_needs(start);
                continue;
            }
            // What depends on no start is placed with what needs it, but for what memory is waited for.
            let has_place = |node: usize| {
                self.nodes[node].is_ordered
                    || needs[node].iter().any(|of| self.nodes[*of].is_asynchronous)
            };
            let ready = (0..self.nodes.len()).find(|node| {
                let is_start = self.nodes[*node].is_asynchronous;
                !is_start && !late[*node] && has_place(*node) && placing.is_free(*node)
            });
            if let Some(ready) = ready {
                placing.with_needs(ready);
            } else if placing.in_flight.is_empty() {
                break;
            } else {
                placing.in_flight.remove(0);
            }
        }
        for node in 0..self.nodes.len() {
            placing.with_needs(node);
        }
        let mut order = placing.order;
        self.raise_deferred(&mut order, &needs);
        order
    }

    /// What is deferred runs before starts that follow each other, not between them: there those that start in turn would wait for one more.
    fn raise_deferred(&self, order: &mut Order, needs: &[Vec<usize>]) {
        for place in 0..order.len() {
            let node = order[place];
            let mut to = place;
            let passes = |before: usize| {
                self.nodes[before].is_asynchronous && !needs[node].contains(&before)
            };
            while self.nodes[node].is_deferred && to > 0 && passes(order[to - 1]) {
                order.swap(to - 1, to);
                to -= 1;
            }
        }
    }

    /// Conversions for starts of the next iteration: their registers are free when those of this iteration are done.
    fn late(&self, stages: &[Stage]) -> Vec<bool> {
        let mut late = vec![false; self.nodes.len()];
        for node in (0..self.nodes.len()).rev() {
            let mut users = self
                .edges
                .iter()
                .filter(|edge| edge.from == node)
                .peekable();
            late[node] = self.nodes[node].is_conversion
                && stages[node] == 0
                && users.peek().is_some()
                && users.all(|edge| {
                    edge.distance == 0
                        && (late[edge.to] || (edge.reason == Reason::Held && stages[edge.to] == 1))
                });
        }
        late
    }

    /// The steps of nodes that run in this order: what a node needs is waited for before it, and all at the end.
    fn with_waits(&self, order: &[usize], stages: &[Stage]) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut in_flight: Vec<usize> = Vec::new();
        let wait = |in_flight: &mut Vec<usize>, count: usize, steps: &mut Vec<Step>| {
            let done = in_flight.drain(..count);
            let done = done.map(|node| (node, stages[node])).collect();
            let pending = in_flight.len();
            steps.push(Step::Wait { pending, done });
        };
        for node in order {
            let needed = self
                .edges
                .iter()
                .filter(|edge| edge.to == *node && Self::is_inside(edge, stages))
                .filter(|edge| edge.reason != Reason::Chained)
                .map(|edge| edge.from);
            // What is in flight may read what the node made an iteration before: it must be done before the node makes it anew.
            let held = self
                .edges
                .iter()
                .filter(|edge| {
                    edge.from == *node
                        && edge.reason == Reason::Held
                        && stages[*node] != stages[edge.to] + edge.distance
                })
                .map(|edge| edge.to);
            let places = needed
                .chain(held)
                .filter_map(|of| in_flight.iter().position(|other| *other == of));
            if let Some(last) = places.max() {
                wait(&mut in_flight, last + 1, &mut steps);
            }
            let stage = stages[*node];
            steps.push(Step::Run { node: *node, stage });
            if self.nodes[*node].is_asynchronous {
                in_flight.push(*node);
            }
        }
        if !in_flight.is_empty() {
            let count = in_flight.len();
            wait(&mut in_flight, count, &mut steps);
        }
        steps
    }
}

/// An order under way.
struct Placing<'a> {
    graph: &'a Graph,
    /// By node: all that it needs of the same iteration of the new loop.
    needs: &'a [Vec<usize>],
    order: Order,
    is_placed: Vec<bool>,
    /// Started and not waited for.
    in_flight: Vec<usize>,
}

impl Placing<'_> {
    /// Whether all that a node needs is there without a wait, or can be computed.
    fn is_free(&self, node: usize) -> bool {
        !self.is_placed[node]
            && self.needs[node]
                .iter()
                .all(|of| match self.graph.nodes[*of].is_asynchronous {
                    true => self.is_placed[*of] && !self.waits_for(node, *of),
                    false => true,
                })
    }

    /// Whether a node that needs another one has to wait for it.
    fn waits_for(&self, node: usize, of: usize) -> bool {
        let is_chained = |edge: &Edge| {
            (edge.from, edge.to, edge.reason) == (of, node, Reason::Chained) && edge.distance == 0
        };
        self.in_flight.contains(&of) && !self.graph.edges.iter().any(is_chained)
    }

    /// Places a node after all that it needs.
    fn with_needs(&mut self, node: usize) {
        let mut all = self.needs[node].clone();
        all.push(node);
        all.sort_unstable();
        // A node needs others of lower numbers in its iteration, but later ones of the iteration before: those come first.
        while let Some(next) = all.iter().copied().find(|of| {
            !self.is_placed[*of] && self.needs[*of].iter().all(|need| self.is_placed[*need])
        }) {
            self.is_placed[next] = true;
            self.order.push(next);
            if self.graph.nodes[next].is_asynchronous {
                self.in_flight.push(next);
            }
        }
    }
}
