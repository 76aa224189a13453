//! Shared memory of a block is there until all its threads have exited. What other blocks of the
//! cluster do to it must come before (CUDA C++ Programming Guide, "Distributed Shared Memory").

use crate::simulator::checks::shadow::Record;
use crate::simulator::checks::{Defect, Finding};
use crate::simulator::machine::step::{Checked, Machine};
use crate::simulator::machine::warp::Warp;

/// The last access of an agent of another block, and whether it wrote.
pub type Remote = (Record, bool);

impl Machine<'_> {
    /// All threads of the block have exited. Its memory is there as long as its last warp: it is
    /// enough that some warp knew of each access.
    pub fn block_exited(&self, warp: &Warp, pc: u32, lane: usize) -> Checked<()> {
        if !self.launch.options.checks {
            return Ok(());
        }
        let block = &self.cluster.blocks[self.current];
        for (record, wrote) in block.remote.values() {
            let known = (0..self.launch.block_threads().div_ceil(32)).any(|number| {
                let clock = self.cluster.clocks.warp(block.rank, number);
                clock.knows(record.agent, record.clock())
            });
            if !known {
                let (_, earlier) = self.party(record, *wrote);
                let earlier = Some(earlier);
                let defect = Defect::ExitedProgram {
                    rank: block.rank,
                    earlier,
                };
                return Err(self.finding(warp, pc, lane, defect));
            }
        }
        Ok(())
    }

    /// A lane accesses shared memory of a block that has exited, if it has.
    pub fn if_exited(&self, warp: &Warp, pc: u32, lane: usize, rank: u32) -> Option<Box<Finding>> {
        let own = self.cluster.blocks[self.current].rank;
        let block = self.cluster.blocks.get(rank as usize)?;
        let defect = Defect::ExitedProgram {
            rank,
            earlier: None,
        };
        (rank != own && block.alive == 0).then(|| self.finding(warp, pc, lane, defect))
    }
}
