//! Instructions whose work goes on after them, and those that wait for it.

use super::step::{Checked, Flow, Machine};
use super::warp::Warp;
use crate::simulator::program::op::Asynchronous;
use crate::simulator::registers::{Mask, Slot};

impl Machine<'_> {
    pub fn asynchronous(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        slots: &[Slot],
        operation: &Asynchronous,
        mask: Mask,
        active: Mask,
    ) -> Checked<Flow> {
        let _ = (warp, pc, slots, mask, active);
        match *operation {}
    }

    /// Whether a phase of an mbarrier has ended.
    pub fn phase_is_over(&self, place: (u32, u32), parity: bool) -> bool {
        let _ = (place, parity);
        true
    }

    /// Lets asynchronous work go on. Gives whether any did.
    pub fn advance_asynchronous(&mut self) -> bool {
        false
    }

    /// What waits for an mbarrier wait for.
    pub fn describe_mbarrier(&self, place: (u32, u32), parity: bool) -> String {
        format!(
            "phase {} of the mbarrier at {:#x}",
            u8::from(parity),
            place.1
        )
    }
}
