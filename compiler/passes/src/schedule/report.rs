//! What was decided about the order of a loop, for people and for machines.

use serde_json::json;

use super::candidates::Candidate;
use super::model::{Activity, Estimate, Resident};
use super::text::steps;
use super::{Edge, Graph, Reason, Schedule, Step};
use crate::diagnostic::Span;
use crate::diagnostic::remark::RemarkKind;
use crate::source::SourceMap;
use crate::target::machine::Machine;

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
    /// The warpgroups that run it.
    pub resident: Resident,
    /// What they run on; `None` where nobody measured the target.
    pub machine: Option<&'static Machine>,
    /// Why it is no better.
    pub refused: Option<RemarkKind>,
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
        let candidates = self.candidates();
        if let Some(estimate) = self.chosen(&candidates) {
            lines.push(format!("  {}", summary(estimate)));
            let others = self.others(&candidates, sources);
            lines.extend(others.iter().map(|other| format!("  {other}")));
            lines.extend(drawing(estimate).iter().map(|line| format!("  {line}")));
        }
        lines.join("\n") + "\n"
    }

    /// What the order could be, with what an iteration takes then.
    #[must_use]
    pub fn candidates(&self) -> Vec<Candidate> {
        let machine = self.machine.filter(|_| self.schedule.is_some());
        machine.map_or_else(Vec::new, |machine| {
            self.graph
                .candidates(self.available, machine, self.resident)
        })
    }

    /// What an iteration takes in the order that was chosen.
    #[must_use]
    pub fn chosen<'a>(&self, candidates: &'a [Candidate]) -> Option<&'a Estimate> {
        let stages = &self.schedule.as_ref()?.stages;
        let none = vec![0; stages.len()];
        let is_same = |one: &&Candidate| match one.late.is_empty() {
            true => *stages == none,
            false => self.graph.stages(&one.late).as_ref() == Ok(stages),
        };
        let mut same = candidates.iter().filter(is_same);
        same.find_map(|one| one.outcome.as_ref().ok())
    }

    /// What it could have been: the best of those, and what was not possible.
    #[must_use]
    pub fn others(&self, candidates: &[Candidate], sources: &SourceMap) -> Vec<String> {
        let Some(chosen) = self.chosen(candidates) else {
            return Vec::new();
        };
        let names = |late: &[usize]| {
            let each = late.iter().map(|node| match self.operations.get(*node) {
                Some((name, span)) => format!("{name} at {}", self.place(*span, sources)),
                None => node.to_string(),
            });
            let each: Vec<String> = each.collect();
            match each.is_empty() {
                true => "nothing an iteration later".to_owned(),
                false => format!("{} an iteration later", each.join(" and ")),
            }
        };
        let mut others = candidates.iter().filter_map(|one| {
            let estimate = one.outcome.as_ref().ok()?;
            (estimate != chosen).then(|| {
                let factor = f64::from(estimate.clocks) / f64::from(chosen.clocks.max(1));
                format!(
                    "next best: {} clocks with {}, {factor:.2} of that",
                    estimate.clocks,
                    names(&one.late)
                )
            })
        });
        let best = others.next();
        let refused = candidates.iter().filter_map(|one| {
            let refusal = one.outcome.as_ref().err()?;
            Some(format!(
                "not possible: {}, as {}",
                names(&one.late),
                refusal
            ))
        });
        best.into_iter().chain(refused).collect()
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
        let candidates = self.candidates();
        json!({
            "function": self.function, "place": sources.describe(self.span), "nodes": nodes, "schedule": schedule,
            "available_registers": self.available, "refused": self.refused.as_ref().map(ToString::to_string),
            "estimate": self.chosen(&candidates).map(Estimate::json),
            "others": self.others(&candidates, sources),
        })
    }
}

/// Letters of a line.
const LETTERS: usize = 64;

/// What an iteration takes, the bound and what is next.
#[must_use]
pub fn summary(estimate: &Estimate) -> String {
    let [(unit, clocks), (next, other)] = estimate.bound();
    let part = 100 * clocks / estimate.clocks.max(1);
    format!(
        "an iteration takes about {} clocks on {}; the bound is `{}`, busy for {clocks} of them ({part} %), then `{}`, for {other}",
        estimate.clocks,
        estimate.resident,
        unit.name(),
        next.name()
    )
}

/// A heading, a line for tensor cores and one for each warpgroup.
#[must_use]
pub fn drawing(estimate: &Estimate) -> Vec<String> {
    let letter = f64::from(estimate.clocks.max(1)) / LETTERS as f64;
    let resident = estimate.resident;
    let mut lines = vec![vec![b'.'; LETTERS]; 1 + resident.count() + resident.producers()];
    for span in &estimate.spans {
        let (line, sign) = match span.activity {
            Activity::Tensor(_) => (0, b'0' + (span.warpgroup % 10) as u8),
            Activity::Start(_) => (1 + span.warpgroup, b's'),
            Activity::Wait => (1 + span.warpgroup, b'.'),
            Activity::Work => (1 + span.warpgroup, b'#'),
        };
        // A letter is what its middle is.
        let place = |clock: f64| ((clock / letter - 0.5).ceil().max(0.0) as usize).min(LETTERS);
        lines[line][place(span.begin)..place(span.end).max(place(span.begin))].fill(sign);
    }
    let heading = format!(
        "in these clocks, {letter:.0} to a letter (a number: tensor cores work for that warpgroup, s: it starts, #: it computes, .: waits):"
    );
    let each = lines.into_iter().enumerate().map(|(number, line)| {
        let name = match number {
            0 => "tensor cores".to_owned(),
            number if number > resident.count() => "producer".to_owned(),
            number => format!("warpgroup {}", number - 1),
        };
        format!("  {name:<12}  {}", String::from_utf8_lossy(&line))
    });
    std::iter::once(heading).chain(each).collect()
}

fn edge(edge: &Edge) -> serde_json::Value {
    let reason = match edge.reason {
        Reason::Value => "value",
        Reason::Held => "held",
        Reason::Chained => "chained",
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
