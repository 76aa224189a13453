//! How long an iteration takes: a schedule played on one multiprocessor.
//!
//! Warpgroups run the steps in order, each its own. Tensor cores take instructions in the order in which they are issued, from
//! all warpgroups; the other units are shared by what runs at the same time, in proportion, and reach a part of their peaks
//! ([`Machine::reached`]). What a warpgroup computes between two waits takes the units at once, as `ptxas` mixes it, up to
//! where lanes exchange values. Copies are taken to be there: what they cost is another bound.

use std::collections::VecDeque;
use std::fmt;

use serde_json::json;

use super::{Graph, Node, Schedule, Step};
use crate::target::machine::{Machine, Unit, Work};

/// Iterations that are played, and of those the ones before the steady state.
const ITERATIONS: usize = 24;
const WARM_UP: usize = 12;

/// Changes that are played at most: a schedule that comes to no end has no estimate.
const MOST_CHANGES: usize = 200_000;

/// Where the busiest unit takes less than this of the time, warps wait for results of their own instructions. On an H100
/// a loop of 0.49 gains by fewer of them, loops of 0.61 to 0.84 do not.
const SATURATED: f64 = 0.5;

/// A unit that takes less than this of what the busiest one takes does not hold it up.
const SMALL: f64 = 0.05;

/// Iterations that a producer is ahead.
const STAGES: usize = 2;

/// Parts of a clock that count as none.
const NOTHING: f64 = 1e-6;

/// What runs a loop on a multiprocessor at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resident {
    pub programs: usize,
    /// Of each of them.
    pub warpgroups: usize,
    /// What another warpgroup of each computes for them in an iteration, if it does.
    pub producer: Work,
}

impl Resident {
    /// One program of so many warpgroups.
    #[must_use]
    pub const fn alone(warpgroups: usize) -> Self {
        Self {
            programs: 1,
            warpgroups,
            producer: Work::NONE,
        }
    }

    /// The warpgroups of all programs that run the loop.
    #[must_use]
    pub const fn count(self) -> usize {
        self.programs * self.warpgroups
    }

    /// Those that compute for them.
    #[must_use]
    pub fn producers(self) -> usize {
        match self.producer == Work::NONE {
            true => 0,
            false => self.programs,
        }
    }
}

impl fmt::Display for Resident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.programs {
            1 => {}
            several => write!(f, "{several} programs of ")?,
        }
        match self.warpgroups {
            1 => f.write_str("a warpgroup"),
            several => write!(f, "{several} warpgroups"),
        }?;
        match self.producers() {
            0 => Ok(()),
            _ => f.write_str(" with a producer that computes"),
        }
    }
}

/// What an iteration takes, once the loop runs steadily.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Clocks in which each warpgroup runs an iteration.
    pub clocks: u32,
    /// The warpgroups: those of the first program, then those of the second.
    pub resident: Resident,
    /// Clocks in that time that they need of each unit, all together; in the order of [`Unit::ALL`].
    pub busy: [u32; Unit::ALL.len()],
    /// What happens in that time, from its begin on.
    pub spans: Vec<Span>,
}

/// What is busy with what, from one clock to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    pub warpgroup: usize,
    pub activity: Activity,
    pub begin: f64,
    pub end: f64,
}

/// What a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// Tensor cores run this node.
    Tensor(usize),
    /// The warpgroup issues it.
    Start(usize),
    /// It waits.
    Wait,
    /// It computes.
    Work,
}

impl Activity {
    /// Its name in JSON, and its node.
    #[must_use]
    pub const fn named(self) -> (&'static str, Option<usize>) {
        match self {
            Self::Tensor(node) => ("tensor", Some(node)),
            Self::Start(node) => ("start", Some(node)),
            Self::Wait => ("wait", None),
            Self::Work => ("work", None),
        }
    }
}

impl Estimate {
    /// Whether no unit is busy for so large a part of the time that fewer instructions of another would change nothing.
    #[must_use]
    pub fn waits_for_instructions(&self) -> bool {
        let [(_, longest), _] = self.bound();
        f64::from(longest) < SATURATED * f64::from(self.clocks)
    }

    /// The unit that is busiest, with its clocks, and the next one.
    #[must_use]
    pub fn bound(&self) -> [(Unit, u32); 2] {
        let mut units: Vec<(Unit, u32)> = Unit::ALL.into_iter().zip(self.busy).collect();
        units.sort_by_key(|(_, clocks)| std::cmp::Reverse(*clocks));
        [units[0], units[1]]
    }

    /// As an object: clocks by unit, and what happens from which clock to which.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        let busy = Unit::ALL.into_iter().zip(self.busy);
        let busy = busy.map(|(unit, clocks)| (unit.name().to_owned(), clocks.into()));
        let spans = self.spans.iter().map(|span| {
            let (what, node) = span.activity.named();
            json!({
                "warpgroup": span.warpgroup, "what": what, "node": node,
                "begin": span.begin.round(), "end": span.end.round(),
            })
        });
        json!({
            "clocks": self.clocks, "programs": self.resident.programs, "warpgroups": self.resident.count(), "producers": self.resident.producers(),
            "busy": serde_json::Map::from_iter(busy), "spans": spans.collect::<Vec<_>>(),
        })
    }
}

impl Graph {
    /// How long an iteration of a schedule takes there: several warpgroups of a program start in turn where something runs an iteration
    /// later.
    pub fn estimate_of(
        &self,
        schedule: &Schedule,
        machine: &Machine,
        resident: Resident,
    ) -> Option<Estimate> {
        let in_turn = resident.warpgroups > 1 && schedule.is_staggered();
        self.estimate(&schedule.steps, machine, resident, in_turn)
    }

    /// How long an iteration of these steps takes there if the warpgroups of a program start in turn, or as they come.
    pub fn estimate(
        &self,
        steps: &[Step],
        machine: &Machine,
        resident: Resident,
        in_turn: bool,
    ) -> Option<Estimate> {
        let phases = self.phases(steps);
        let count = resident.count();
        if phases.is_empty() || count == 0 {
            return None;
        }
        let busy = Unit::ALL.map(|unit| {
            let each = self.nodes.iter().map(|node| node.work.of(unit));
            let all = each.fold(0, u32::saturating_add);
            let of_producers = resident.producer.of(unit);
            all.saturating_mul(count as u32)
                .saturating_add(of_producers.saturating_mul(resident.programs as u32))
        });
        let produced = [Phase::Work {
            work: resident.producer,
        }];
        let mut game = Game {
            machine,
            phases: [&phases, &produced],
            in_turn,
            now: 0.0,
            tensor_free: 0.0,
            turns: vec![0; resident.programs],
            resident,
            warpgroups: (0..count + resident.producers())
                .map(Warpgroup::new)
                .collect(),
            spans: Vec::new(),
        };
        game.play()?;
        let clocks = game.warpgroups[..count].iter().map(Warpgroup::clocks);
        let clocks = clocks.fold(0.0, |all, one| all + one) / count as f64;
        let begin = game.warpgroups[0].done[WARM_UP];
        let inside = |span: &Span| span.end > begin && span.begin < begin + clocks;
        let spans = game.spans.into_iter().filter(inside);
        let spans = spans.map(|span| Span {
            begin: (span.begin - begin).max(0.0),
            end: (span.end - begin).min(clocks),
            ..span
        });
        Some(Estimate {
            clocks: clocks.round() as u32,
            resident,
            busy,
            spans: spans.collect(),
        })
    }

    /// What a warpgroup does in an iteration.
    fn phases(&self, steps: &[Step]) -> Vec<Phase> {
        let mut phases: Vec<Phase> = Vec::new();
        let mut in_flight = 0;
        for step in steps {
            match step {
                Step::Wait { pending, .. } => {
                    // The last start before a wait ends the turn.
                    if let Some(Phase::Start { is_last, .. }) = phases
                        .iter_mut()
                        .rev()
                        .find(|phase| matches!(phase, Phase::Start { .. }))
                    {
                        *is_last = true;
                    }
                    phases.push(Phase::Wait {
                        count: in_flight - pending,
                    });
                    in_flight = *pending;
                }
                Step::Run { node: number, .. } => {
                    let node = &self.nodes[*number];
                    if node.is_asynchronous {
                        let mut before = phases.iter().rev();
                        let before = before.find(|phase| !matches!(phase, Phase::Work { .. }));
                        phases.push(Phase::Start {
                            node: *number,
                            work: node.work,
                            is_first: !matches!(before, Some(Phase::Start { .. })),
                            is_last: false,
                        });
                        in_flight += 1;
                    } else if node.work != Work::default() {
                        add(&mut phases, node);
                    }
                }
            }
        }
        phases
    }
}

/// Adds a node to what is computed at once, or after that.
fn add(phases: &mut Vec<Phase>, node: &Node) {
    match phases.last_mut() {
        Some(Phase::Work { work }) if work.latency == 0 => *work = work.and(node.work),
        _ => phases.push(Phase::Work { work: node.work }),
    }
}

/// What a warpgroup does before it does something else.
enum Phase {
    Start {
        node: usize,
        work: Work,
        /// Behind a wait, and before one.
        is_first: bool,
        is_last: bool,
    },
    /// For so many, the oldest in flight.
    Wait {
        count: usize,
    },
    Work {
        work: Work,
    },
}

struct Game<'a> {
    machine: &'a Machine,
    /// Of those that run the loop, and of those that compute for them.
    phases: [&'a [Phase]; 2],
    in_turn: bool,
    now: f64,
    /// When tensor cores have done all that was issued.
    tensor_free: f64,
    /// By program, which of its warpgroups has its turn.
    turns: Vec<usize>,
    resident: Resident,
    warpgroups: Vec<Warpgroup>,
    spans: Vec<Span>,
}

struct Warpgroup {
    number: usize,
    /// The phase that it is in, and since when.
    phase: usize,
    since: f64,
    doing: Doing,
    /// Instructions of a start that were issued; when the last of them is done.
    issued: Option<u32>,
    last: f64,
    /// When what is in flight is done, oldest first.
    in_flight: VecDeque<f64>,
    /// When its iterations were done.
    done: Vec<f64>,
}

#[derive(Clone, Copy, PartialEq)]
enum Doing {
    /// What comes next.
    Next,
    /// Nothing until it is its turn.
    Nothing,
    /// Something that takes until then.
    Until(f64),
    /// Arithmetic, of which this part is left.
    Arithmetic(f64),
    /// What follows the arithmetic until its results are known.
    Known(f64),
}

impl Warpgroup {
    fn new(number: usize) -> Self {
        Self {
            number,
            phase: 0,
            since: 0.0,
            // They do not begin at the same time: what gets ahead stays ahead.
            doing: Doing::Until(200.0 * number as f64),
            issued: None,
            last: 0.0,
            in_flight: VecDeque::new(),
            done: Vec::new(),
        }
    }

    /// Clocks of an iteration, of those after the warm-up.
    fn clocks(&self) -> f64 {
        let counted = ITERATIONS - 1 - WARM_UP;
        (self.done[ITERATIONS - 1] - self.done[WARM_UP]) / counted as f64
    }
}

/// Clocks of arithmetic at the peak of the unit that it takes longest.
fn longest(work: Work) -> f64 {
    let units = Unit::ALL.into_iter().filter(|unit| *unit != Unit::Tensor);
    units.map(|unit| work.of(unit)).max().unwrap_or(0).into()
}

impl<'a> Game<'a> {
    /// Plays all iterations of all warpgroups; `None` if they come to no end.
    fn play(&mut self) -> Option<()> {
        for _ in 0..MOST_CHANGES {
            if self
                .warpgroups
                .iter()
                .all(|one| one.done.len() >= ITERATIONS)
            {
                return Some(());
            }
            // One that gives its turn away lets another one go on.
            let mut any = true;
            while any {
                any = false;
                for number in 0..self.warpgroups.len() {
                    any |= self.go_on(number);
                }
            }
            self.pass_time()?;
        }
        None
    }

    /// Lets a warpgroup begin what comes next, if it does nothing; whether it did.
    fn go_on(&mut self, number: usize) -> bool {
        let mut one = std::mem::replace(&mut self.warpgroups[number], Warpgroup::new(number));
        let before = (one.phase, one.done.len(), one.doing);
        while matches!(one.doing, Doing::Next | Doing::Nothing) {
            one.doing = Doing::Next;
            if !self.step(&mut one) {
                break;
            }
        }
        let has_moved = before != (one.phase, one.done.len(), one.doing);
        self.warpgroups[number] = one;
        has_moved
    }

    /// Begins or ends a part of the phase; whether there may be more to do at once.
    fn step(&mut self, one: &mut Warpgroup) -> bool {
        if one.phase == 0 && one.issued.is_none() && self.waits_for_others(one) {
            one.doing = Doing::Nothing;
            return false;
        }
        match &self.phases_of(one)[one.phase] {
            Phase::Start {
                node,
                work,
                is_first,
                is_last,
            } => {
                let Some(issued) = one.issued else {
                    let (program, place) = self.place(one);
                    if self.in_turn && *is_first && self.turns[program] != place {
                        one.doing = Doing::Nothing;
                        return false;
                    }
                    one.issued = Some(0);
                    if *is_first {
                        let turn = if self.in_turn { self.machine.turn } else { 0.0 };
                        one.doing = Doing::Until(self.now + self.machine.channel + turn);
                    }
                    return true;
                };
                let count = work.tensor_instructions.max(1);
                if issued < count {
                    let clocks = f64::from(work.of(Unit::Tensor)) / f64::from(count);
                    let room = self.tensor_free - self.machine.queue * clocks;
                    if room > self.now + NOTHING {
                        one.doing = Doing::Until(room);
                        return false;
                    }
                    let begin = self.tensor_free.max(self.now);
                    self.tensor_free = begin + clocks;
                    one.last = self.tensor_free;
                    self.span(one.number, Activity::Tensor(*node), begin, one.last);
                    one.issued = Some(issued + 1);
                    one.doing = Doing::Until(self.now + self.machine.start);
                    return false;
                }
                one.issued = None;
                one.in_flight.push_back(one.last);
                self.span(one.number, Activity::Start(*node), one.since, self.now);
                if self.in_turn && *is_last {
                    let (program, place) = self.place(one);
                    self.turns[program] = (place + 1) % self.resident.warpgroups;
                }
                self.next(one);
            }
            Phase::Wait { count } => {
                let done = one.in_flight.drain(..*count).next_back();
                let end = done.map_or(self.now, |done| done + self.machine.wait);
                self.span(one.number, Activity::Wait, one.since, end);
                let now = self.now;
                self.now = now.max(end);
                self.next(one);
                self.now = now;
                if end > self.now + NOTHING {
                    one.doing = Doing::Until(end);
                    return false;
                }
            }
            Phase::Work { work } => match one.issued {
                None => {
                    one.issued = Some(0);
                    one.doing = Doing::Arithmetic(1.0);
                    return false;
                }
                Some(0) => {
                    one.issued = Some(1);
                    one.doing = Doing::Known(self.now + f64::from(work.latency));
                    return false;
                }
                Some(_) => {
                    one.issued = None;
                    self.span(one.number, Activity::Work, one.since, self.now);
                    self.next(one);
                }
            },
        }
        true
    }

    /// The program of a warpgroup, and its place in there.
    const fn place(&self, one: &Warpgroup) -> (usize, usize) {
        let of_each = self.resident.warpgroups;
        (one.number / of_each, one.number % of_each)
    }

    fn phases_of(&self, one: &Warpgroup) -> &'a [Phase] {
        self.phases[usize::from(one.number >= self.resident.count())]
    }

    /// Whether a warpgroup's next iteration is not there yet, or for a producer, whether there is no stage for it.
    fn waits_for_others(&self, one: &Warpgroup) -> bool {
        let (of_each, count) = (self.resident.warpgroups, self.resident.count());
        if self.resident.producers() == 0 {
            return false;
        }
        match one.number.checked_sub(count) {
            None => {
                let producer = &self.warpgroups[count + one.number / of_each];
                producer.done.len() <= one.done.len()
            }
            Some(program) => {
                let own = &self.warpgroups[program * of_each..][..of_each];
                let read = own.iter().map(|one| one.done.len()).min();
                one.done.len() >= read.unwrap_or(0) + STAGES
            }
        }
    }

    /// Goes to the next phase.
    fn next(&self, one: &mut Warpgroup) {
        one.since = self.now;
        one.phase += 1;
        if one.phase == self.phases_of(one).len() {
            one.phase = 0;
            one.done.push(self.now);
        }
    }

    fn span(&mut self, warpgroup: usize, activity: Activity, begin: f64, end: f64) {
        // Instructions of one start that follow each other are one span.
        let last = self.spans.iter_mut().rev().find(|span| {
            let is_tensor = |activity| matches!(activity, Activity::Tensor(_));
            is_tensor(span.activity) == is_tensor(activity)
        });
        match last {
            Some(last)
                if last.activity == activity
                    && last.warpgroup == warpgroup
                    && (begin - last.end).abs() < NOTHING
                    && activity != Activity::Work =>
            {
                last.end = end;
            }
            _ => self.spans.push(Span {
                warpgroup,
                activity,
                begin,
                end,
            }),
        }
    }

    /// The work of a warpgroup that computes.
    fn work(&self, one: &Warpgroup) -> Option<Work> {
        match (one.doing, &self.phases_of(one)[one.phase]) {
            (Doing::Arithmetic(_), Phase::Work { work }) => Some(*work),
            _ => None,
        }
    }

    /// Lets time pass until something is done; `None` if nothing ever is.
    fn pass_time(&mut self) -> Option<()> {
        let is_multiplying = self.tensor_free > self.now + NOTHING;
        let reached = match is_multiplying {
            true => self.machine.reached_beside_tensor,
            false => self.machine.reached,
        };
        // Each would take its busiest unit whole; what they ask for together is shared.
        let asked = Unit::ALL.map(|unit| {
            let works = self.warpgroups.iter().filter_map(|one| self.work(one));
            let parts = works.map(|work| f64::from(work.of(unit)) / longest(work).max(NOTHING));
            parts.fold(0.0, |all, part| all + part)
        });
        let speed = |work: Work| {
            let units = Unit::ALL.into_iter().zip(asked);
            let limits = units.filter(|(unit, asked)| {
                let part = f64::from(work.of(*unit)) / longest(work).max(NOTHING);
                *unit != Unit::Tensor && part > SMALL && *asked > reached.of(*unit)
            });
            limits.fold(1.0, |least: f64, (unit, asked)| {
                least.min(reached.of(unit) / asked)
            })
        };
        let left = |one: &Warpgroup| match one.doing {
            Doing::Until(end) | Doing::Known(end) => Some((end - self.now).max(0.0)),
            Doing::Arithmetic(left) => {
                let work = self.work(one)?;
                Some(left * longest(work) / speed(work))
            }
            Doing::Next | Doing::Nothing => None,
        };
        let next = self.warpgroups.iter().filter_map(left);
        let multiplying = is_multiplying.then_some(self.tensor_free - self.now);
        let has_next = self.warpgroups.iter().any(|one| left(one).is_some());
        let passed = next.chain(multiplying).min_by(f64::total_cmp)?;
        if !has_next {
            return None;
        }
        let now = self.now + passed;
        let changed: Vec<Doing> = self
            .warpgroups
            .iter()
            .map(|one| match (one.doing, self.work(one)) {
                (Doing::Until(end) | Doing::Known(end), _) if end <= now + NOTHING => Doing::Next,
                (Doing::Arithmetic(left), Some(work)) => {
                    let left = left - passed * speed(work) / longest(work).max(NOTHING);
                    if left <= NOTHING {
                        Doing::Next
                    } else {
                        Doing::Arithmetic(left)
                    }
                }
                (doing, _) => doing,
            })
            .collect();
        for (one, doing) in self.warpgroups.iter_mut().zip(changed) {
            one.doing = doing;
        }
        self.now = now;
        Some(())
    }
}
