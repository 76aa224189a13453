//! `cp.async` and the waits for it (PTX ISA, "Non-bulk copy").

use crate::simulator::arithmetic::Kind;
use crate::simulator::program::decode::{Decoder, Forms, Result};
use crate::simulator::program::op::Space;
use crate::simulator::program::op::asynchronous::{Asynchronous, Copy, Queue, Reads, Wait};
use crate::simulator::ptx::ast::Operand;

pub const FORMS: &[Forms] = &[(
    "cp",
    &[
        "cp.async.ca.shared{::cta}.global{.L2::cache_hint}{.L2::…} [dst], [src], {4,8,16}{, src-size | , ignore-src}{, policy}",
        "cp.async.cg.shared{::cta}.global{.L2::cache_hint}{.L2::…} [dst], [src], 16{, src-size | , ignore-src}{, policy}",
        "cp.async.commit_group",
        "cp.async.wait_group n",
        "cp.async.wait_all",
        "cp.async.mbarrier.arrive{.noinc}{.shared{::cta}}.b64 [mbarrier]",
    ],
)];

impl<'a> Decoder<'a> {
    pub fn copy(&mut self, parts: &[&str]) -> Result<()> {
        let at = self.at;
        let wait = |queue, pending| {
            Asynchronous::Wait(Wait {
                queue,
                pending,
                reads_only: false,
            })
        };
        match (parts, at.operands.as_slice()) {
            (["commit_group"], []) => {
                self.emit_asynchronous(Asynchronous::Commit(Queue::Copies), &[], &[]);
            }
            (["wait_all"], []) => self.emit_asynchronous(wait(Queue::Copies, None), &[], &[]),
            (["wait_group"], [count]) => {
                let count = self.count(count)?;
                self.emit_asynchronous(wait(Queue::Copies, Some(count)), &[], &[]);
            }
            (["mbarrier", "arrive", rest @ .., "b64"], [a]) => {
                let (no_increment, rest) = match rest {
                    ["noinc", rest @ ..] => (true, rest),
                    rest => (false, rest),
                };
                let space = match rest {
                    [] => Space::Generic,
                    ["shared" | "shared::cta"] => Space::Shared,
                    _ => return Err(self.unknown()),
                };
                let (slot, at) = self.pointer(a, space)?;
                let operation = Asynchronous::CopiesArrive(at, no_increment);
                self.emit_asynchronous(operation, &[], &[slot]);
            }
            (
                [
                    cache @ ("ca" | "cg"),
                    "shared" | "shared::cta",
                    "global",
                    hints @ ..,
                ],
                [to, from, Operand::Integer(bytes), rest @ ..],
            ) if hints.iter().all(|hint| hint.starts_with("L2::")) => {
                let bytes = match (*cache, *bytes) {
                    (_, 16) => 16,
                    ("ca", 4) => 4,
                    ("ca", 8) => 8,
                    _ => return Err(self.error("cp.async.ca copies 4, 8 or 16 bytes, .cg 16")),
                };
                let policy = usize::from(hints.contains(&"L2::cache_hint"));
                let (to_slot, to) = self.pointer(to, Space::Shared)?;
                let (from_slot, from) = self.pointer(from, Space::Global)?;
                let mut sources = vec![to_slot, from_slot];
                let reads = match &rest[..rest.len().saturating_sub(policy)] {
                    [] => Reads::All,
                    [ignored] if self.is_predicate(ignored) => {
                        sources.push(self.source(ignored, Kind::Predicate)?);
                        Reads::Unless
                    }
                    [counted] => {
                        sources.push(self.source(counted, Kind::B32)?);
                        Reads::Counted
                    }
                    _ => return Err(self.unknown()),
                };
                let copy = Copy {
                    to,
                    from,
                    bytes,
                    reads,
                };
                self.emit_asynchronous(Asynchronous::Copy(copy), &[], &sources);
            }
            _ => return Err(self.unknown()),
        }
        Ok(())
    }

    /// How many groups may go on: a literal.
    pub fn count(&self, operand: &Operand<'a>) -> Result<u32> {
        match operand {
            Operand::Integer(count) => u32::try_from(*count).map_err(|_| self.unknown()),
            _ => Err(self.error("the number of groups must be a literal")),
        }
    }
}
