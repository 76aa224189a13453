//! Instructions by which lanes of a warp talk (PTX ISA, 9.7.9.6 and 9.7.13).

use super::super::Class;
use super::super::op::{Op, Reduction, Shuffle, Vote};
use super::operand::flat;
use super::{Decoder, Forms, Result};
use crate::simulator::arithmetic::Kind;
use crate::simulator::ptx::ast::Operand;
use crate::simulator::registers::Slot;

pub const FORMS: &[Forms] = &[
    (
        "shfl",
        &["shfl.sync.{up,down,bfly,idx}.b32 d{|p}, a, b, c, members"],
    ),
    (
        "vote",
        &[
            "vote.sync.{all,any,uni}.pred d, {!}a, members",
            "vote.sync.ballot.b32 d, {!}a, members",
        ],
    ),
    (
        "match",
        &[
            "match.any.sync.{b32,b64} d, a, members",
            "match.all.sync.{b32,b64} d{|p}, a, members",
        ],
    ),
    (
        "redux",
        &[
            "redux.sync.{add,min,max}.{u32,s32} d, a, members",
            "redux.sync.{and,or,xor}.b32 d, a, members",
            "redux.sync.{min,max}{.abs}{.NaN}.f32 d, a, members",
        ],
    ),
    ("activemask", &["activemask.b32 d"]),
    ("elect", &["elect.sync d|p, members"]),
];

impl<'a> Decoder<'a> {
    pub fn warp(&mut self, opcode: &str) -> Result<()> {
        let at = self.at;
        let parts = &at.opcode[1..];
        match (opcode, parts, at.operands.as_slice()) {
            ("shfl", ["sync", mode, "b32"], [d, a, b, c, members]) => {
                let mode = match *mode {
                    "up" => Shuffle::Up,
                    "down" => Shuffle::Down,
                    "bfly" => Shuffle::Butterfly,
                    "idx" => Shuffle::Index,
                    _ => return Err(self.unknown()),
                };
                let sources = self.sources(&[a, b, c, members], Kind::B32)?;
                let (d, predicate) = self.with_predicate(d)?;
                self.emit(Op::Shuffle(mode, predicate), &d, &sources, Class::Warp);
            }
            ("vote", ["sync", mode, ty], [d, a, members]) => {
                let vote = match (*mode, *ty) {
                    ("all", "pred") => Vote::All,
                    ("any", "pred") => Vote::Any,
                    ("uni", "pred") => Vote::Uniform,
                    ("ballot", "b32") => Vote::Ballot,
                    _ => return Err(self.unknown()),
                };
                let sources = [
                    self.source(a, Kind::Predicate)?,
                    self.source(members, Kind::B32)?,
                ];
                let kind = if vote == Vote::Ballot {
                    Kind::B32
                } else {
                    Kind::Predicate
                };
                let (d, _) = self.destination(d, kind)?;
                self.emit(Op::Vote(vote), &[d], &sources, Class::Warp);
            }
            ("match", [mode @ ("any" | "all"), "sync", ty @ ("b32" | "b64")], [d, a, members]) => {
                let wide = *ty == "b64";
                let value = self.source(a, if wide { Kind::B64 } else { Kind::B32 })?;
                let members = self.source(members, Kind::B32)?;
                let (d, predicate) = self.with_predicate(d)?;
                let op = Op::Match {
                    all: *mode == "all",
                    wide,
                    predicate,
                };
                self.emit(op, &d, &[value, members], Class::Warp);
            }
            ("redux", ["sync", middle @ .., ty], [d, a, members]) => {
                let reduction = reduction(middle, ty).ok_or_else(|| self.unknown())?;
                let sources = self.sources(&[a, members], Kind::B32)?;
                let (d, _) = self.destination(d, Kind::B32)?;
                self.emit(Op::Reduce(reduction), &[d], &sources, Class::Warp);
            }
            ("activemask", ["b32"], [d]) => {
                let (d, _) = self.destination(d, Kind::B32)?;
                self.emit(Op::ActiveMask, &[d], &[], Class::Warp);
            }
            ("elect", ["sync"], [d, members]) => {
                let members = self.source(members, Kind::B32)?;
                let (d, predicate) = self.with_predicate(d)?;
                if !predicate {
                    return Err(self.unknown());
                }
                self.emit(Op::Elect(true), &d, &[members], Class::Warp);
            }
            _ => return Err(self.unknown()),
        }
        Ok(())
    }

    pub fn sources(&mut self, operands: &[&'a Operand<'a>], kind: Kind) -> Result<Vec<Slot>> {
        operands
            .iter()
            .map(|operand| self.source(operand, kind))
            .collect()
    }

    /// `d` or `d|p`.
    fn with_predicate(&mut self, operand: &'a Operand<'a>) -> Result<(Vec<Slot>, bool)> {
        match flat(operand).as_slice() {
            [d] => Ok((vec![self.destination(d, Kind::B32)?.0], false)),
            [d, p] => {
                let d = self.destination(d, Kind::B32)?.0;
                Ok((vec![d, self.destination(p, Kind::Predicate)?.0], true))
            }
            _ => Err(self.unknown()),
        }
    }
}

fn reduction(middle: &[&str], ty: &str) -> Option<Reduction> {
    let (name, options) = middle.split_first()?;
    Some(match (*name, ty, options) {
        ("add", "u32" | "s32", []) => Reduction::Add,
        ("min", "u32", []) => Reduction::MinUnsigned,
        ("max", "u32", []) => Reduction::MaxUnsigned,
        ("min", "s32", []) => Reduction::MinSigned,
        ("max", "s32", []) => Reduction::MaxSigned,
        ("and", "b32", []) => Reduction::And,
        ("or", "b32", []) => Reduction::Or,
        ("xor", "b32", []) => Reduction::Xor,
        ("min" | "max", "f32", [] | ["abs"] | ["NaN"] | ["abs", "NaN"]) => {
            let (abs, nan) = (options.contains(&"abs"), options.contains(&"NaN"));
            match *name {
                "min" => Reduction::MinFloat { abs, nan },
                _ => Reduction::MaxFloat { abs, nan },
            }
        }
        _ => return None,
    })
}
