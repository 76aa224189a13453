//! Cache policies and dependent launches: what a simulation does not show.

use crate::simulator::arithmetic::{self, Kind};
use crate::simulator::program::decode::{Decoder, Forms, Result};
use crate::simulator::program::op::Op;
use crate::simulator::program::{Class, Constant};

pub const FORMS: &[Forms] = &[
    (
        "createpolicy",
        &[
            "createpolicy.fractional.L2::…{.L2::…}.b64 policy{, fraction}",
            "createpolicy.range{.global}.L2::…{.L2::…}.b64 policy, [a], size, size",
            "createpolicy.cvt.L2.b64 policy, a",
        ],
    ),
    (
        "griddepcontrol",
        &["griddepcontrol.{launch_dependents,wait}"],
    ),
];

/// Some number: nothing looks at policies.
const POLICY: u64 = 0x1000_0000_0000_0000;

impl Decoder<'_> {
    pub fn policy(&mut self) -> Result<()> {
        let Some((policy, _)) = self.at.operands.split_first() else {
            return Err(self.unknown());
        };
        let known = arithmetic::find(&["mov", "b64"], 1, 1).ok_or_else(|| self.unknown())?;
        let (policy, _) = self.destination(policy, Kind::B64)?;
        let value = self.constant(Constant::Bits64(POLICY));
        self.emit(Op::Compute(known.run), &[policy], &[value], Class::Move);
        Ok(())
    }

    pub fn dependents(&mut self, what: &str) -> Result<()> {
        let op = match what {
            "launch_dependents" => Op::Nothing,
            "wait" => Op::LaunchWait,
            _ => return Err(self.unknown()),
        };
        self.emit(op, &[], &[], Class::Control);
        Ok(())
    }
}
