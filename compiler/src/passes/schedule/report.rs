//! What was decided about the order of a loop, for people and for machines.

use serde_json::json;

use super::text::steps;
use super::{Edge, Graph, Reason, Schedule, Step};
use crate::diagnostic::Span;
use crate::source::SourceMap;

/// A loop whose order was looked at.
#[derive(Debug, Clone)]
pub struct LoopOrder {
    /// The function (variant) that it is in.
    pub function: String,
    /// The loop.
    pub span: Span,
    /// Its iteration; empty where it was not looked into.
    pub graph: Graph,
    /// What each node is and where it stands.
    pub operations: Vec<(String, Span)>,
    /// The order that was chosen; `None` where the loop keeps that of the source.
    pub schedule: Option<Schedule>,
    /// Registers of a thread that tiles may take.
    pub available: u64,
    /// Why it is no better.
    pub refused: Option<String>,
}

impl LoopOrder {
    /// The graph, and what runs when: a line for each node and each step.
    #[must_use]
    pub fn text(&self, sources: &SourceMap) -> String {
        let mut lines = vec![format!(
            "loop at {} in {}",
            sources.describe(self.span),
            self.function
        )];
        if !self.graph.nodes.is_empty() {
            let operations = self.operations.iter();
            let remarks: Vec<String> = operations
                .map(|(name, span)| format!("{name} at {}", self.place(*span, sources)))
                .collect();
            lines.push("  an iteration: node, kind, registers of a thread, what it comes after (' of the iteration before)".to_owned());
            let nodes = self.graph.lines(&remarks);
            lines.extend(nodes.iter().map(|line| format!("  {line}")));
        }
        if let Some(schedule) = &self.schedule {
            lines.push(format!(
                "  registers for tiles: {} of {}",
                schedule.registers, self.available
            ));
            if schedule.is_staggered() {
                lines.push(format!("  before the loop: {}", steps(&schedule.prologue)));
            }
            lines.push(
                "  the loop, without what is cheap; behind a bar what is in flight:".to_owned(),
            );
            lines.extend(self.timeline(&schedule.steps, sources));
            if schedule.is_staggered() {
                lines.push(format!("  behind the loop: {}", steps(&schedule.epilogue)));
            }
        }
        if let Some(refused) = &self.refused {
            lines.push(format!("  {refused}"));
        }
        lines.join("\n") + "\n"
    }

    /// `12:5` of the loop's own file, else with the file's name.
    fn place(&self, span: Span, sources: &SourceMap) -> String {
        let place = sources.describe(span);
        let file = sources.get(self.span.file).map(|file| &file.name);
        let own = file.and_then(|name| place.strip_prefix(name)?.strip_prefix(':'));
        own.map_or(place.clone(), str::to_owned)
    }

    /// A line for each step, with what is in flight then.
    fn timeline(&self, steps: &[Step], sources: &SourceMap) -> Vec<String> {
        let takes_time = |step: &&Step| match step {
            Step::Run { node, .. } => {
                let node = self.graph.nodes[*node];
                node.is_work || node.is_asynchronous
            }
            Step::Wait { .. } => true,
        };
        let mut in_flight: Vec<String> = Vec::new();
        let line = |step: &Step| {
            let what = match step {
                Step::Run { node, .. } => {
                    let operation = self.operations.get(*node);
                    let (name, place) = operation.map_or(("", String::new()), |(name, span)| {
                        (name.as_str(), self.place(*span, sources))
                    });
                    let verb = match self.graph.nodes[*node].is_asynchronous {
                        true => {
                            in_flight.push(step.to_string());
                            "start"
                        }
                        false => "run",
                    };
                    format!("{verb:<5} {:<4} {name} at {place}", step.to_string())
                }
                Step::Wait { done, .. } => {
                    let done: Vec<String> = in_flight.drain(..done.len()).collect();
                    format!("wait  {}", done.join(" "))
                }
            };
            let beside = match in_flight.is_empty() {
                true => String::new(),
                false => format!("| {}", in_flight.join(" ")),
            };
            (what, beside)
        };
        let lines: Vec<_> = steps.iter().filter(takes_time).map(line).collect();
        let width = lines.iter().map(|(what, _)| what.len()).max().unwrap_or(0);
        let lines = lines
            .iter()
            .map(|(what, beside)| format!("    {what:<width$}  {beside}"));
        lines.map(|line| line.trim_end().to_owned()).collect()
    }

    /// The same as an object.
    #[must_use]
    pub fn json(&self, sources: &SourceMap) -> serde_json::Value {
        let nodes = self.graph.nodes.iter().zip(&self.operations);
        let nodes: Vec<_> = nodes
            .enumerate()
            .map(|(number, (node, (name, span)))| {
                let edges = self.graph.edges.iter().filter(|edge| edge.to == number);
                let after: Vec<_> = edges.map(edge).collect();
                json!({
                    "operation": name, "place": sources.describe(*span), "asynchronous": node.is_asynchronous,
                    "ordered": node.is_ordered, "work": node.is_work, "conversion": node.is_conversion,
                    "registers": node.registers, "after": after,
                })
            })
            .collect();
        let schedule = self.schedule.as_ref().map(|schedule| {
            json!({
                "stages": schedule.stages, "registers": schedule.registers, "prologue": list(&schedule.prologue),
                "loop": list(&schedule.steps), "epilogue": list(&schedule.epilogue),
            })
        });
        json!({
            "function": self.function, "place": sources.describe(self.span), "nodes": nodes, "schedule": schedule,
            "available_registers": self.available, "refused": self.refused,
        })
    }
}

fn edge(edge: &Edge) -> serde_json::Value {
    let reason = match edge.reason {
        Reason::Value => "value",
        Reason::Held => "held",
        Reason::Order => "order",
    };
    json!({ "node": edge.from, "distance": edge.distance, "reason": reason })
}

fn list(steps: &[Step]) -> Vec<serde_json::Value> {
    let each = steps.iter().map(|step| match step {
        Step::Run { node, stage } => json!({ "run": node, "stage": stage }),
        Step::Wait { pending, done } => json!({ "wait": pending, "done": done }),
    });
    each.collect()
}
