//! `setmaxnreg`: warpgroups give registers back, and take those that others gave back (PTX ISA,
//! "setmaxnreg").

use crate::simulator::machine::block::Block;
use crate::simulator::machine::step::{Checked, Flow, Machine};
use crate::simulator::machine::warp::{Wait, Warp};
use crate::simulator::program::op::asynchronous::SetRegisters;
use crate::simulator::registers::{LANES, Mask};

use super::warpgroup::WARPS;

/// Threads of a warpgroup.
#[allow(clippy::cast_possible_truncation)] // 128
const THREADS: u32 = (WARPS * LANES) as u32;

impl Machine<'_> {
    pub fn set_registers(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        set: SetRegisters,
        active: Mask,
    ) -> Checked<Flow> {
        if let Some(wait) = self.whole_warp(warp, pc, active)? {
            return Ok(Flow::Wait { wait, again: true });
        }
        let warpgroup = self.warpgroup(warp, pc)?;
        let (count, has) = (set.count, warp.register_count);
        // Only `.maxnreg` says for certain how many registers a thread starts with.
        let wrong_way = if set.increases {
            count < has
        } else {
            count > has
        };
        if wrong_way && self.launch.entry.max_registers.is_some() {
            let (name, than) = if set.increases {
                ("inc", "fewer than")
            } else {
                ("dec", "more than")
            };
            let what = format!(
                "setmaxnreg.{name} asks for {count} registers, {than} the {has} that a thread has"
            );
            return Err(self.invalid(warp, pc, 0, what));
        }
        let most = self.launch.register_count() * self.launch.block_threads() / THREADS;
        if count > most {
            let what = format!(
                "setmaxnreg asks for {count} registers of each thread, but the block has only \
                 {most} for each thread of one warpgroup"
            );
            return Err(self.invalid(warp, pc, 0, what));
        }
        if !self.all_wait(warp, pc, &warpgroup) {
            let wait = Wait::Warpgroup;
            return Ok(Flow::Wait { wait, again: true });
        }
        if set.increases && self.free_registers(self.current) < count.saturating_sub(has) * THREADS
        {
            let count = count.saturating_sub(has);
            let wait = Wait::Registers { count };
            return Ok(Flow::Wait { wait, again: true });
        }
        warp.register_count = count;
        let warps = &mut self.cluster.blocks[self.current].warps;
        for other in warpgroup.clone() {
            warps[other].register_count = count;
        }
        // What other warpgroups may take.
        let block = &mut self.cluster.blocks[self.current];
        let given = i64::from(has) - i64::from(count);
        block.free_registers = block
            .free_registers
            .saturating_add_signed(i32::try_from(given * i64::from(THREADS)).unwrap_or(0));
        self.release(warp, warpgroup);
        Ok(Flow::Next)
    }

    fn free_registers(&self, block: usize) -> u32 {
        self.cluster.blocks[block].free_registers
    }

    /// Whether each thread of a warpgroup could have so many registers more.
    pub fn has_registers(&self, count: u32) -> bool {
        self.free_registers(self.current) >= count * THREADS
    }

    /// What a `setmaxnreg.inc` waits for.
    pub fn describe_registers(&self, block: &Block, count: u32) -> String {
        format!(
            "{count} more registers for each of its threads: the block has {} left for each \
             thread of a warpgroup",
            block.free_registers / THREADS
        )
    }
}
