//! Operations on mbarriers (PTX ISA, "mbarrier").

use crate::simulator::arithmetic::Kind;
use crate::simulator::program::decode::{Decoder, Forms, Result};
use crate::simulator::program::op::Address;
use crate::simulator::program::op::Space;
use crate::simulator::program::op::asynchronous::{
    Arrive, ArriveWith, Asynchronous, Mbarrier, MbarrierKind as Operation, Pointer,
};
use crate::simulator::ptx::ast::Operand;
use crate::simulator::registers::Slot;

pub const FORMS: &[Forms] = &[(
    "mbarrier",
    &[
        "mbarrier.init{.shared{::cta}}.b64 [a], count",
        "mbarrier.inval{.shared{::cta}}.b64 [a]",
        "mbarrier.{arrive,arrive_drop}{.release,.relaxed}{.cta,.cluster}{.shared{::cta,::cluster}}.b64 state, [a]{, count}",
        "mbarrier.{arrive,arrive_drop}.expect_tx{.release,.relaxed}{.cta,.cluster}{.shared{::cta,::cluster}}.b64 state, [a], bytes",
        "mbarrier.{arrive,arrive_drop}.noComplete{.release}{.cta}{.shared{::cta}}.b64 state, [a], count",
        "mbarrier.{expect_tx,complete_tx}{.relaxed}{.cta,.cluster}{.shared{::cta,::cluster}}.b64 [a], bytes",
        "mbarrier.test_wait{.parity}{.acquire,.relaxed}{.cta,.cluster}{.shared{::cta}}.b64 p, [a], {state,parity}",
        "mbarrier.try_wait{.parity}{.acquire,.relaxed}{.cta,.cluster}{.shared{::cta}}.b64 p, [a], {state,parity}{, time}",
        "mbarrier.pending_count.b64 count, state",
    ],
)];

/// What stands between the operation's name and `.b64`.
#[derive(Default)]
struct Parts {
    space: Option<Space>,
    parity: bool,
    expects: bool,
    no_complete: bool,
    relaxed: bool,
}

impl<'a> Decoder<'a> {
    pub fn mbarrier(&mut self, operation: &str, parts: &[&str]) -> Result<()> {
        let at = self.at;
        let parts = self.mbarrier_parts(operation, parts)?;
        let space = parts.space.unwrap_or(Space::Generic);
        let mut destinations = Vec::new();
        let mut sources = Vec::new();
        let (kind, place) = match (operation, at.operands.as_slice()) {
            ("init", [a, count]) => {
                let place = self.mbarrier_at(a, space, &mut sources)?;
                sources.push(self.source(count, Kind::B32)?);
                (Operation::Initialise, place)
            }
            ("inval", [a]) => {
                let place = self.mbarrier_at(a, space, &mut sources)?;
                (Operation::Invalidate, place)
            }
            ("arrive" | "arrive_drop", [state, a, rest @ ..]) => {
                destinations.push(self.destination(state, Kind::B64)?.0);
                let place = self.mbarrier_at(a, space, &mut sources)?;
                let with = match (rest, parts.expects, parts.no_complete) {
                    ([], false, false) => ArriveWith::Nothing,
                    ([_], false, _) => ArriveWith::Count,
                    ([_], true, false) => ArriveWith::Bytes,
                    _ => return Err(self.unknown()),
                };
                for number in rest {
                    sources.push(self.source(number, Kind::B32)?);
                }
                let arrive = Arrive {
                    with,
                    drops: operation == "arrive_drop",
                    no_complete: parts.no_complete,
                };
                (Operation::Arrive(arrive), place)
            }
            ("expect_tx" | "complete_tx", [a, bytes]) => {
                let place = self.mbarrier_at(a, space, &mut sources)?;
                sources.push(self.source(bytes, Kind::B32)?);
                let kind = match operation {
                    "expect_tx" => Operation::Expect,
                    _ => Operation::Complete,
                };
                (kind, place)
            }
            ("test_wait" | "try_wait", [done, a, phase, rest @ ..]) => {
                let blocks = operation == "try_wait";
                if rest.len() > usize::from(blocks) {
                    return Err(self.unknown());
                }
                let place = self.mbarrier_at(a, space, &mut sources)?;
                let kind = if parts.parity { Kind::B32 } else { Kind::B64 };
                sources.push(self.source(phase, kind)?);
                for time in rest {
                    sources.push(self.source(time, Kind::B32)?);
                }
                destinations.push(self.destination(done, Kind::Predicate)?.0);
                let parity = parts.parity;
                (Operation::Test { parity, blocks }, place)
            }
            ("pending_count", [count, state]) => {
                sources.push(self.source(state, Kind::B64)?);
                destinations.push(self.destination(count, Kind::B32)?.0);
                let address = Address {
                    wide: true,
                    offset: 0,
                };
                (Operation::PendingCount, Pointer { space, address })
            }
            _ => return Err(self.unknown()),
        };
        let mbarrier = Mbarrier {
            kind,
            at: place,
            orders: !parts.relaxed,
        };
        self.emit_asynchronous(Asynchronous::Mbarrier(mbarrier), &destinations, &sources);
        Ok(())
    }

    fn mbarrier_at(
        &mut self,
        operand: &Operand<'a>,
        space: Space,
        sources: &mut Vec<Slot>,
    ) -> Result<Pointer> {
        let (slot, at) = self.pointer(operand, space)?;
        sources.push(slot);
        Ok(at)
    }

    fn mbarrier_parts(&self, operation: &str, parts: &[&str]) -> Result<Parts> {
        let Some((&"b64", parts)) = parts.split_last() else {
            return Err(self.unknown());
        };
        let arrives = matches!(operation, "arrive" | "arrive_drop");
        let waits = matches!(operation, "test_wait" | "try_wait");
        let counts = matches!(operation, "expect_tx" | "complete_tx");
        let mut found = Parts::default();
        for &part in parts {
            match part {
                "shared" | "shared::cta" if operation != "pending_count" => {
                    found.space = Some(Space::Shared);
                }
                "shared::cluster" if arrives || counts => found.space = Some(Space::Shared),
                "parity" if waits => found.parity = true,
                "expect_tx" if arrives => found.expects = true,
                "noComplete" if arrives => found.no_complete = true,
                "release" if arrives => {}
                "acquire" if waits => {}
                "relaxed" if arrives || waits || counts => found.relaxed = true,
                "cta" | "cluster" if arrives || waits || counts => {}
                _ => return Err(self.unknown()),
            }
        }
        Ok(found)
    }
}
