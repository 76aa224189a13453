//! Conversions of addresses.

use super::super::Class;
use super::super::op::{ClusterAddress, Direction, Op, Space};
use super::{Decoder, Forms, Result};
use crate::simulator::arithmetic::Kind;

pub const FORMS: &[Forms] = &[
    (
        "cvta",
        &["cvta{.to}.{global,shared{::cta,::cluster},local,const,param{::entry}}.u64 d, a"],
    ),
    (
        "isspacep",
        &["isspacep.{global,shared{::cta,::cluster},local,const,param{::entry}} p, a"],
    ),
    ("mapa", &["mapa{.shared::cluster}.{u32,u64} d, a, rank"]),
    (
        "getctarank",
        &["getctarank{.shared::cluster}.{u32,u64} d, a"],
    ),
];

/// The state space that a part of an opcode names.
pub fn space(part: &str) -> Option<Space> {
    Some(match part {
        "global" | "const" => Space::Global,
        "shared" | "shared::cta" | "shared::cluster" => Space::Shared,
        "local" => Space::Local,
        "param" | "param::entry" | "param::func" => Space::Parameter,
        _ => return None,
    })
}

impl Decoder<'_> {
    pub fn address(&mut self, opcode: &str) -> Result<()> {
        let at = self.at;
        let parts = &at.opcode[1..];
        match (opcode, parts, at.operands.as_slice()) {
            ("cvta", [middle @ .., "u64"], [d, a]) => {
                let (direction, name) = match middle {
                    ["to", name] => (Direction::FromGeneric, name),
                    [name] => (Direction::ToGeneric, name),
                    _ => return Err(self.unknown()),
                };
                let space = space(name).ok_or_else(|| self.unknown())?;
                let a = self.source(a, Kind::B64)?;
                let (d, _) = self.destination(d, Kind::B64)?;
                self.emit(
                    Op::ConvertAddress(space, direction),
                    &[d],
                    &[a],
                    Class::Integer,
                );
            }
            ("isspacep", [name], [p, a]) => {
                let space = space(name).ok_or_else(|| self.unknown())?;
                let a = self.source(a, Kind::B64)?;
                let (p, _) = self.destination(p, Kind::Predicate)?;
                self.emit(Op::IsSpace(space), &[p], &[a], Class::Predicate);
            }
            ("mapa" | "getctarank", [middle @ .., width @ ("u32" | "u64")], [d, a, rest @ ..]) => {
                let address = ClusterAddress {
                    is_generic: match middle {
                        [] => true,
                        ["shared::cluster"] => false,
                        _ => return Err(self.unknown()),
                    },
                    is_wide: *width == "u64",
                };
                if address.is_generic && !address.is_wide {
                    return Err(self.error("generic addresses have 64 bits"));
                }
                let kind = if address.is_wide {
                    Kind::B64
                } else {
                    Kind::B32
                };
                let a = self.source(a, kind)?;
                match (opcode, rest) {
                    ("mapa", [rank]) => {
                        let rank = self.source(rank, Kind::B32)?;
                        let (d, _) = self.destination(d, kind)?;
                        self.emit(Op::MapShared(address), &[d], &[a, rank], Class::Integer);
                    }
                    ("getctarank", []) => {
                        let (d, _) = self.destination(d, Kind::B32)?;
                        self.emit(Op::SharedRank(address), &[d], &[a], Class::Integer);
                    }
                    _ => return Err(self.unknown()),
                }
            }
            _ => return Err(self.unknown()),
        }
        Ok(())
    }
}
