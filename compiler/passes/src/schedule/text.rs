//! Graphs and schedules as text: what tests are written in, and what `--emit schedule` shows.
//!
//! A graph has a line for each node, in the order of the program:
//!
//! ```text
//! 0  asynchronous  64
//! 1  work          64  after 0
//! 2  work           2  after 1, 2'
//! 3  conversion    32  after 1
//! 4  work          64  after 2, 5'
//! 5  asynchronous  64  after 3 held, 4   // what stands here is for people
//! ```
//!
//! The number behind a node's kinds counts registers of a thread. `2'` is node 2 of the iteration before. Between the two may
//! stand what it takes: `tensor 512 instructions 8`, `xu 512 issue 64`, `alu 128 issue 64 latency 12`, in clocks of a unit.

use std::fmt;
use std::str::FromStr;

use super::{Edge, Graph, Node, Reason, Schedule, Step};
use crate::target::machine::{Unit, Work};

/// What a node is that takes no time, and that nothing waits for.
const CHEAP: &str = "cheap";

/// The kinds of a node, and how to see and set them.
type Kind = (&'static str, fn(&Node) -> bool, fn(&mut Node));

const KINDS: [Kind; 5] = [
    (
        "asynchronous",
        |node| node.is_asynchronous,
        |node| node.is_asynchronous = true,
    ),
    (
        "ordered",
        |node| node.is_ordered,
        |node| node.is_ordered = true,
    ),
    ("work", |node| node.is_work, |node| node.is_work = true),
    (
        "conversion",
        |node| node.is_conversion,
        |node| node.is_conversion = true,
    ),
    (
        "deferred",
        |node| node.is_deferred,
        |node| node.is_deferred = true,
    ),
];

/// The amounts of a node's work that are not of a unit.
const LATENCY: &str = "latency";
const INSTRUCTIONS: &str = "instructions";

/// The marks of edges that are not of values.
const REASONS: [(&str, Reason); 3] = [
    ("held", Reason::Held),
    ("chained", Reason::Chained),
    ("order", Reason::Order),
];

impl Node {
    /// `work conversion`
    #[must_use]
    pub fn kinds(&self) -> String {
        let kinds = KINDS.iter().filter(|(_, is, _)| is(self));
        let kinds: Vec<&str> = kinds.map(|(name, ..)| *name).collect();
        match kinds.is_empty() {
            true => CHEAP.to_owned(),
            false => kinds.join(" "),
        }
    }
}

impl Graph {
    /// `1, 2' held`: what a node comes after.
    #[must_use]
    pub fn needs(&self, node: usize) -> String {
        let edges = self.edges.iter().filter(|edge| edge.to == node);
        let each = edges.map(|edge| {
            let mark = REASONS.iter().find(|(_, reason)| *reason == edge.reason);
            let mark = mark.map(|(name, _)| format!(" {name}"));
            format!(
                "{}{}{}",
                edge.from,
                "'".repeat(edge.distance),
                mark.unwrap_or_default()
            )
        });
        each.collect::<Vec<_>>().join(", ")
    }

    /// A line for each node, with these remarks behind them.
    #[must_use]
    pub fn lines(&self, remarks: &[String]) -> Vec<String> {
        let kinds: Vec<String> = self.nodes.iter().map(Node::kinds).collect();
        let works: Vec<String> = self.nodes.iter().map(|node| work(node.work)).collect();
        let needs: Vec<String> = (0..self.nodes.len())
            .map(|node| match self.needs(node) {
                none if none.is_empty() => none,
                list => format!("after {list}"),
            })
            .collect();
        let width = |texts: &[String]| texts.iter().map(String::len).max().unwrap_or(0);
        let (of_kinds, of_works, of_needs) = (width(&kinds), width(&works), width(&needs));
        let line = |node: usize| {
            let (kinds, work, needs) = (&kinds[node], &works[node], &needs[node]);
            let registers = self.nodes[node].registers;
            let remark = remarks.get(node).map(|text| format!("// {text}"));
            let work = match of_works {
                0 => String::new(),
                _ => format!("  {work:<of_works$}"),
            };
            let text = format!(
                "{node:>3}  {kinds:<of_kinds$}  {registers:>3}{work}  {needs:<of_needs$}  {}",
                remark.unwrap_or_default()
            );
            text.trim_end().to_owned()
        };
        (0..self.nodes.len()).map(line).collect()
    }
}

impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines(&[]).join("\n"))
    }
}

impl FromStr for Graph {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let lines = text.lines().map(|line| match line.split_once("//") {
            Some((line, _)) => line.trim(),
            None => line.trim(),
        });
        let mut graph = Self::default();
        for (number, line) in lines.enumerate().filter(|(_, line)| !line.is_empty()) {
            graph
                .add(line)
                .map_err(|problem| format!("line {}: {problem}", number + 1))?;
        }
        let known = graph.nodes.len();
        match graph.edges.iter().find(|edge| edge.from >= known) {
            Some(edge) => Err(format!("there is no node {}", edge.from)),
            None => Ok(graph),
        }
    }
}

impl Graph {
    /// Adds what a line says.
    fn add(&mut self, line: &str) -> Result<(), String> {
        let (head, needs) = match line.split_once(" after ") {
            Some((head, needs)) => (head, needs),
            None => (line, ""),
        };
        let to = self.nodes.len();
        let mut words = head.split_whitespace();
        let first = words.next().unwrap_or_default();
        if first.parse() != Ok(to) {
            return Err(format!("node {to} is expected, found `{first}`"));
        }
        let mut node = Node::default();
        while let Some(word) = words.next() {
            if let Some(set) = amount(word) {
                let count = words.next().and_then(|count| count.parse().ok());
                let count = count.ok_or_else(|| format!("`{word}` needs a number"))?;
                set(&mut node.work, count);
            } else if let Ok(registers) = word.parse() {
                node.registers = registers;
            } else if let Some((.., set)) = KINDS.iter().find(|(name, ..)| *name == word) {
                set(&mut node);
            } else if word != CHEAP {
                return Err(format!("`{word}` is no kind of node"));
            }
        }
        self.nodes.push(node);
        for need in needs.split(',').filter(|need| !need.trim().is_empty()) {
            self.edges.push(edge(need.trim(), to)?);
        }
        Ok(())
    }
}

/// `fma 64 alu 128 issue 128`: what a node takes, in clocks.
#[must_use]
fn work(work: Work) -> String {
    let units = Unit::ALL
        .into_iter()
        .map(|unit| (unit.name(), work.of(unit)));
    let others = [
        (LATENCY, work.latency),
        (INSTRUCTIONS, work.tensor_instructions),
    ];
    let all = units.chain(others).filter(|(_, count)| *count > 0);
    let all: Vec<String> = all.map(|(name, count)| format!("{name} {count}")).collect();
    all.join(" ")
}

/// How to set the amount of this name.
fn amount(word: &str) -> Option<impl Fn(&mut Work, u32)> {
    let unit = Unit::named(word);
    if unit.is_none() && ![LATENCY, INSTRUCTIONS].contains(&word) {
        return None;
    }
    let is_latency = word == LATENCY;
    Some(move |work: &mut Work, count| match unit {
        Some(unit) => *work = work.with(unit, count),
        None if is_latency => work.latency = count,
        None => work.tensor_instructions = count,
    })
}

/// `3`, `3'`, `3 held`
fn edge(text: &str, to: usize) -> Result<Edge, String> {
    let mut words = text.split_whitespace();
    let of = words.next().unwrap_or_default();
    let (from, distance) = match of.strip_suffix('\'') {
        Some(from) => (from, 1),
        None => (of, 0),
    };
    let from = from
        .parse()
        .map_err(|_| format!("`{of}` is no number of a node"))?;
    let reason = match words.next() {
        None => Reason::Value,
        Some(word) => {
            let known = REASONS.iter().find(|(name, _)| *name == word);
            known
                .map(|(_, reason)| *reason)
                .ok_or_else(|| format!("`{word}` is no reason to come later"))?
        }
    };
    if distance == 0 && from >= to {
        return Err(format!("node {to} cannot come after {from}"));
    }
    Ok(Edge {
        from,
        to,
        distance,
        reason,
    })
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run { node, stage } => write!(f, "{node}{}", "'".repeat(*stage)),
            Self::Wait { pending, .. } => write!(f, "wait {pending}"),
        }
    }
}

/// `0, 5', wait 1, 1`
#[must_use]
pub fn steps(steps: &[Step]) -> String {
    let each: Vec<String> = steps.iter().map(Step::to_string).collect();
    each.join(", ")
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_staggered() {
            writeln!(f, "prologue: {}", steps(&self.prologue))?;
        }
        write!(f, "loop: {}", steps(&self.steps))?;
        if self.is_staggered() {
            write!(f, "\nepilogue: {}", steps(&self.epilogue))?;
        }
        Ok(())
    }
}
