//! Control flow, barriers, fences, and hints.

use super::super::Class;
use super::super::op::{Barrier, BarrierKind, Call, ClusterBarrier, Fence, Op, Scope, Vote};
use super::load_store::scope_of;
use super::{Decoder, Forms, Result};
use crate::simulator::arithmetic::Kind;
use crate::simulator::ptx::ast::Operand;
use crate::simulator::ptx::scope::Named;

pub const FORMS: &[Forms] = &[
    ("bra", &["bra{.uni} label"]),
    ("brx", &["brx.idx{.uni} index, targets"]),
    ("ret", &["ret{.uni}"]),
    ("exit", &["exit"]),
    ("trap", &["trap"]),
    ("brkpt", &["brkpt"]),
    (
        "call",
        &[
            "call{.uni} (result), vprintf, (format, arguments)",
            "call{.uni} __assertfail, (message, file, line, function, size)",
        ],
    ),
    (
        "bar",
        &[
            "bar{.cta}.sync a{, threads}",
            "bar{.cta}.arrive a, threads",
            "bar{.cta}.red.popc.u32 d, a{, threads}, {!}c",
            "bar{.cta}.red.{and,or}.pred p, a{, threads}, {!}c",
            "bar.warp.sync members",
        ],
    ),
    (
        "barrier",
        &[
            "barrier{.cta}.sync{.aligned} a{, threads}",
            "barrier{.cta}.arrive{.aligned} a, threads",
            "barrier{.cta}.red.popc{.aligned}.u32 d, a{, threads}, {!}c",
            "barrier{.cta}.red.{and,or}{.aligned}.pred p, a{, threads}, {!}c",
            "barrier.cluster.arrive{.release,.relaxed}{.aligned}",
            "barrier.cluster.wait{.acquire}{.aligned}",
        ],
    ),
    ("membar", &["membar.{cta,gl,sys}"]),
    (
        "fence",
        &[
            "fence{.sc,.acq_rel,.acquire,.release}.{cta,cluster,gpu,sys}",
            "fence.proxy.async{.global,.shared::{cta,cluster}}",
            "fence.proxy.{alias,tensormap::generic.…}",
            "fence.mbarrier_init.release.cluster",
        ],
    ),
    ("nanosleep", &["nanosleep.u32 a"]),
    (
        "prefetch",
        &[
            "prefetch{.global,.local}.{L1,L2} [a]",
            "prefetch{.param,.const}.tensormap [a]",
        ],
    ),
    ("prefetchu", &["prefetchu.L1 [a]"]),
    ("discard", &["discard{.global}.L2 [a], 128"]),
    (
        "applypriority",
        &["applypriority{.global}.L2::evict_normal [a], 128"],
    ),
    ("pmevent", &["pmevent{.mask} a"]),
];

impl<'a> Decoder<'a> {
    pub fn control(&mut self, opcode: &str) -> Result<()> {
        let at = self.at;
        let parts = &at.opcode[1..];
        let operands = at.operands.as_slice();
        match (opcode, parts, operands) {
            ("bra", [] | ["uni"], [Operand::Name(label)]) => {
                let target = self.label(label)?;
                self.emit(Op::Branch(target), &[], &[], Class::Control);
            }
            ("brx", ["idx"] | ["idx", "uni"], [index, Operand::Name(name)]) => {
                let Some(Named::BranchTargets(number)) = self.body.resolve(at.scope, name) else {
                    return Err(self.error(format!("`{name}` is no `.branchtargets`")));
                };
                let labels = &self.body.branch_targets[number];
                let targets: Result<Vec<u32>> =
                    labels.iter().map(|label| self.label(label)).collect();
                let index = self.source(index, Kind::B32)?;
                self.emit(Op::BranchTable(targets?), &[], &[index], Class::Control);
            }
            ("ret", [] | ["uni"], []) | ("exit", [], []) => {
                self.emit(Op::Exit, &[], &[], Class::Control);
            }
            ("trap", [], []) => self.emit(Op::Trap("trap"), &[], &[], Class::Control),
            ("brkpt", [], []) => self.emit(Op::Trap("brkpt"), &[], &[], Class::Control),
            ("call", [] | ["uni"], operands) => self.call(operands)?,
            ("nanosleep", ["u32"], [_]) => self.emit(Op::Sleep, &[], &[], Class::Control),
            ("prefetch" | "prefetchu" | "discard" | "applypriority" | "pmevent", ..) => {
                self.emit(Op::Nothing, &[], &[], Class::Memory);
            }
            ("membar", ["cta"], []) => self.fence(Fence::Memory(Scope::Block)),
            ("membar", ["gl" | "sys"], []) => self.fence(Fence::Memory(Scope::Device)),
            ("fence", [.., scope @ ("cta" | "cluster" | "gpu" | "sys")], [])
                if fences_memory(parts) =>
            {
                self.fence(Fence::Memory(scope_of(scope).unwrap_or_default()));
            }
            ("fence", ["mbarrier_init", "release", "cluster"], []) => {
                self.fence(Fence::BarrierInit)
            }
            ("fence", ["proxy", "async", ..], []) => self.fence(Fence::AsyncProxy),
            ("fence", ["proxy", kind, ..], _)
                if *kind == "alias" || kind.starts_with("tensormap") =>
            {
                self.fence(Fence::OtherProxy);
            }
            ("bar", ["warp", "sync"], [members]) => {
                let members = self.source(members, Kind::B32)?;
                self.emit(Op::WarpBarrier, &[], &[members], Class::Barrier);
            }
            ("barrier", ["cluster", "arrive", rest @ ..], []) => {
                let release = match rest {
                    [] | ["release"] | ["aligned"] | ["release", "aligned"] => true,
                    ["relaxed"] | ["relaxed", "aligned"] => false,
                    _ => return Err(self.unknown()),
                };
                let kind = ClusterBarrier::Arrive { release };
                self.emit(Op::ClusterBarrier(kind), &[], &[], Class::Barrier);
            }
            ("barrier", ["cluster", "wait", rest @ ..], []) => {
                if !matches!(
                    rest,
                    [] | ["acquire"] | ["aligned"] | ["acquire", "aligned"]
                ) {
                    return Err(self.unknown());
                }
                self.emit(
                    Op::ClusterBarrier(ClusterBarrier::Wait),
                    &[],
                    &[],
                    Class::Barrier,
                );
            }
            ("bar" | "barrier", ["cta", rest @ ..], _) => self.barrier(opcode, rest)?,
            ("bar" | "barrier", rest, _) => self.barrier(opcode, rest)?,
            _ => return Err(self.unknown()),
        }
        Ok(())
    }

    fn fence(&mut self, fence: Fence) {
        self.emit(Op::Fence(fence), &[], &[], Class::Barrier);
    }

    fn barrier(&mut self, opcode: &str, parts: &[&str]) -> Result<()> {
        let at = self.at;
        let aligned = opcode == "bar" || parts.contains(&"aligned");
        let parts: Vec<&str> = parts
            .iter()
            .copied()
            .filter(|part| *part != "aligned")
            .collect();
        let kind = match parts.as_slice() {
            ["sync"] => BarrierKind::Sync,
            ["arrive"] => BarrierKind::Arrive,
            ["red", "popc", "u32"] => BarrierKind::Count,
            ["red", "and", "pred"] => BarrierKind::Reduce(Vote::All),
            ["red", "or", "pred"] => BarrierKind::Reduce(Vote::Any),
            _ => return Err(self.unknown()),
        };
        let (returns, result) = match kind {
            BarrierKind::Count => (1, Kind::B32),
            BarrierKind::Reduce(_) => (1, Kind::Predicate),
            BarrierKind::Sync | BarrierKind::Arrive => (0, Kind::B32),
        };
        let Some((results, sources)) = at.operands.split_at_checked(returns) else {
            return Err(self.unknown());
        };
        let numbers = sources
            .len()
            .checked_sub(returns)
            .ok_or_else(|| self.unknown())?;
        let counted = match (kind, numbers) {
            (BarrierKind::Arrive, 2) => true,
            (BarrierKind::Arrive, _) => return Err(self.unknown()),
            (_, 1) => false,
            (_, 2) => true,
            _ => return Err(self.unknown()),
        };
        let mut slots = Vec::new();
        for number in &sources[..numbers] {
            slots.push(self.source(number, Kind::B32)?);
        }
        for predicate in &sources[numbers..] {
            slots.push(self.source(predicate, Kind::Predicate)?);
        }
        let mut destinations = Vec::new();
        for operand in results {
            destinations.push(self.destination(operand, result)?.0);
        }
        let barrier = Barrier {
            kind,
            aligned,
            counted,
        };
        self.emit(Op::Barrier(barrier), &destinations, &slots, Class::Barrier);
        Ok(())
    }

    /// The instruction of the tree that a label stands at; branches are linked to code later.
    fn label(&self, name: &str) -> Result<u32> {
        match self.body.resolve(self.at.scope, name) {
            Some(Named::Label(target)) => Ok(u32::try_from(target).unwrap_or(u32::MAX)),
            _ => Err(self.error(format!("the label `{name}` is nowhere in this function"))),
        }
    }

    /// Calls of what CUDA gives to every kernel; other functions must be inlined.
    fn call(&mut self, operands: &'a [Operand<'a>]) -> Result<()> {
        let (result, name, arguments) = match operands {
            [
                Operand::List(results),
                Operand::Name(name),
                Operand::List(arguments),
            ] => (results.first(), *name, arguments.as_slice()),
            [Operand::Name(name), Operand::List(arguments)] => (None, *name, arguments.as_slice()),
            _ => return Err(self.unknown()),
        };
        let mut places = Vec::new();
        for argument in arguments.iter().chain(result) {
            places.push(self.argument(argument)?);
        }
        let call = match (name, places.as_slice()) {
            ("vprintf", [format, values, rest @ ..]) => {
                self.prints = true;
                Call::Print {
                    arguments: [*format, *values],
                    result: rest.first().copied(),
                }
            }
            ("__assertfail", [message, file, line, function, ..]) => Call::Assert {
                arguments: [*message, *file, *line, *function],
            },
            _ => {
                let mut error = self.error(format!("the function `{name}` cannot be called here"));
                error.help = super::forms("call");
                return Err(error);
            }
        };
        self.emit(Op::Call(call), &[], &[], Class::Control);
        Ok(())
    }

    /// Where in local memory an argument is.
    fn argument(&self, operand: &Operand<'a>) -> Result<u32> {
        let place = match operand {
            Operand::Name(name) => match self.body.resolve(self.at.scope, name) {
                Some(Named::Variable(number)) => self.variables.local.get(&number).copied(),
                _ => None,
            },
            _ => None,
        };
        place.ok_or_else(|| self.error("arguments of a call must be variables of `.param`"))
    }
}

/// `fence.sc.gpu`, `fence.acq_rel.cta`, `fence.gpu`, …
fn fences_memory(parts: &[&str]) -> bool {
    matches!(parts, [_] | ["sc" | "acq_rel" | "acquire" | "release", _])
}
