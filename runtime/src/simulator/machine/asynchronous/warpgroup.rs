//! Warpgroups: four warps that follow each other, the first a multiple of four, execute an
//! instruction together. Those that come early wait; the last executes it for all and lets them go
//! on.

use std::ops::Range;

use crate::simulator::machine::step::{Checked, Machine};
use crate::simulator::machine::warp::{Wait, Warp};
use crate::simulator::registers::{FULL, Mask};

/// Warps of a warpgroup.
pub const WARPS: usize = 4;

impl Machine<'_> {
    /// What the lanes must wait for before all of the warp execute an instruction.
    pub fn whole_warp(&self, warp: &Warp, pc: u32, active: Mask) -> Checked<Option<Wait>> {
        let missing = warp.alive & !active;
        if missing != 0 {
            return Ok(Some(Wait::Lanes(missing)));
        }
        if active != FULL {
            return Err(self.not_all_lanes(warp, pc, active));
        }
        Ok(None)
    }

    /// The numbers of the warps of a warp's warpgroup.
    pub fn warpgroup(&self, warp: &Warp, pc: u32) -> Checked<Range<usize>> {
        let first = warp.number as usize / WARPS * WARPS;
        let warps = self.cluster.blocks[self.current].warps.len();
        if first + WARPS > warps {
            let what = format!(
                "the instruction needs a warpgroup, warps {first} to {}, but the block has {warps} \
                 warps",
                first + WARPS - 1
            );
            return Err(self.invalid(warp, pc, 0, what));
        }
        Ok(first..first + WARPS)
    }

    /// Whether all other warps of a warpgroup wait at an instruction.
    pub fn all_wait(&self, warp: &Warp, pc: u32, warpgroup: &Range<usize>) -> bool {
        let warps = &self.cluster.blocks[self.current].warps;
        let mut others = warpgroup
            .clone()
            .filter(|&other| other != warp.number as usize);
        others.all(|other| match warps[other].groups.as_slice() {
            [group] => group.pc == pc && group.wait == Some(Wait::Warpgroup),
            _ => false,
        })
    }

    /// Lets the other warps of a warpgroup go on behind the instruction.
    pub fn release(&mut self, warp: &Warp, warpgroup: Range<usize>) {
        let warps = &mut self.cluster.blocks[self.current].warps;
        for other in warpgroup.filter(|&other| other != warp.number as usize) {
            if let [group] = warps[other].groups.as_mut_slice() {
                group.pc += 1;
                group.wait = None;
            }
        }
    }
}
