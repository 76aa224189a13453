//! `wgmma`: a warpgroup multiplies matrices (PTX ISA, "Asynchronous Warpgroup Level Matrix
//! Instructions").

use std::ops::Range;

use crate::simulator::machine::global::Kind;
use crate::simulator::machine::order::asynchronous::Agent;
use crate::simulator::machine::poison::{Poison, Source};
use crate::simulator::machine::step::{Checked, Flow, Machine};
use crate::simulator::machine::warp::{Wait, Warp};
use crate::simulator::matrix::descriptor::{Descriptor, DescriptorError, Major, Tile};
use crate::simulator::matrix::wgmma::Left;
use crate::simulator::program::Instruction;
use crate::simulator::program::allocate::Width;
use crate::simulator::program::op::Space;
use crate::simulator::program::op::asynchronous::{Multiply, Queue, Wait as WaitGroup};
use crate::simulator::registers::{FULL, Mask, Registers, Slot};

use super::pointer::in_shared;
use super::warpgroup::WARPS;

/// Bytes of a chunk of a tile.
const CHUNK: u32 = 16;

/// Rows of A that a warp multiplies.
const ROWS: usize = 16;

/// For each warp: an address that its rows of A are read at and that was never written.
type Unwritten = [Option<u32>; WARPS];

/// What the operands of a wgmma say, the same in all threads.
struct Operands {
    a: Option<Tile>,
    b: Tile,
    accumulate: bool,
}

impl Machine<'_> {
    /// `wgmma.fence`
    pub fn wgmma_fence(&mut self, warp: &mut Warp, pc: u32, active: Mask) -> Checked<Flow> {
        if let Some(wait) = self.whole_warp(warp, pc, active)? {
            return Ok(Flow::Wait { wait, again: true });
        }
        warp.wgmma.fence();
        Ok(Flow::Next)
    }

    /// `wgmma.commit_group`
    pub fn wgmma_commit(&mut self, warp: &mut Warp, pc: u32, active: Mask) -> Checked<Flow> {
        if let Some(wait) = self.whole_warp(warp, pc, active)? {
            return Ok(Flow::Wait { wait, again: true });
        }
        warp.wgmma.commit();
        self.order_commit(warp, active, Queue::Wgmma);
        Ok(Flow::Next)
    }

    /// `wgmma.wait_group`
    pub fn wgmma_wait(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        groups: WaitGroup,
        active: Mask,
    ) -> Checked<Flow> {
        if let Some(wait) = self.whole_warp(warp, pc, active)? {
            return Ok(Flow::Wait { wait, again: true });
        }
        warp.wgmma.wait(groups.pending.unwrap_or(0));
        self.order_wait(warp, active, groups);
        Ok(Flow::Next)
    }

    /// `wgmma.mma_async`
    pub fn multiply(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        instruction: &Instruction,
        multiply: &Multiply,
        active: Mask,
    ) -> Checked<Flow> {
        if let Some(wait) = self.whole_warp(warp, pc, active)? {
            return Ok(Flow::Wait { wait, again: true });
        }
        let warpgroup = self.warpgroup(warp, pc)?;
        let slots = instruction.slots(self.launch.entry);
        let &[.., scale] = slots else {
            return Ok(Flow::Next);
        };
        let accumulate = warp.registers.predicate(scale) & 1 == 1;
        if let Some(tracking) = &instruction.tracking {
            if self.launch.options.checks {
                if accumulate {
                    self.have_values(warp, pc, &tracking.accumulators, active)?;
                }
                self.issue_wgmma(warp, pc, tracking)?;
            }
            for &register in &tracking.accumulators {
                warp.initialised[register as usize] |= active;
            }
        }
        if !self.all_wait(warp, pc, &warpgroup) {
            let wait = Wait::Warpgroup;
            return Ok(Flow::Wait { wait, again: true });
        }
        let operands = self.operands(warp, pc, slots, multiply, &warpgroup)?;
        let unwritten = self.unwritten_rows(multiply, &operands);
        self.tell_of_tiles(warp, pc, &operands, unwritten)?;
        self.run_wgmma(warp, pc, slots, multiply, &warpgroup, &operands)?;
        let sums = &slots[..multiply.d_registers()];
        self.poison_sums(warp, pc, sums, &warpgroup, unwritten);
        self.release(warp, warpgroup);
        Ok(Flow::Next)
    }

    /// The operands that must be the same in all threads of the warpgroup.
    fn operands(
        &self,
        warp: &Warp,
        pc: u32,
        slots: &[Slot],
        multiply: &Multiply,
        warpgroup: &Range<usize>,
    ) -> Checked<Operands> {
        let a = slots[multiply.a_start()];
        let [.., b, scale] = *slots else {
            return Err(self.invalid(warp, pc, 0, "operands are missing"));
        };
        let a = (!multiply.a_in_registers).then_some(a);
        let wanted_a = a.map(|slot| warp.registers.get64(slot)[0]);
        let wanted_b = warp.registers.get64(b)[0];
        let accumulate = warp.registers.predicate(scale) & 1 == 1;
        let warps = &self.cluster.blocks[self.current].warps;
        for number in warpgroup.clone() {
            let other = if number == warp.number as usize {
                warp
            } else {
                &warps[number]
            };
            let descriptors = [("a", a, wanted_a), ("b", Some(b), Some(wanted_b))];
            for (name, slot, wanted) in descriptors {
                let (Some(slot), Some(wanted)) = (slot, wanted) else {
                    continue;
                };
                let found = other.registers.get64(slot);
                if let Some(lane) = found.iter().position(|&bits| bits != wanted) {
                    let what = format!(
                        "the descriptor of {name} must be the same in all threads of the \
                         warpgroup, but is {:#018x} here and {wanted:#018x} in warp {}",
                        found[lane], warp.number
                    );
                    return Err(self.invalid(other, pc, lane, what));
                }
            }
            let all = if accumulate { FULL } else { 0 };
            let differs = other.registers.predicate(scale) ^ all;
            if differs != 0 {
                let what = "scale-d must be the same in all threads of the warpgroup";
                let lane = differs.trailing_zeros() as usize;
                return Err(self.invalid(other, pc, lane, what));
            }
        }
        let refused = |error: DescriptorError| self.invalid(warp, pc, 0, error.to_string());
        let (wgmma, immediates) = (&multiply.wgmma, multiply.immediates);
        let a = match wanted_a {
            Some(bits) => {
                let descriptor = Descriptor::decode(bits).map_err(refused)?;
                Some(
                    wgmma
                        .tile_a(descriptor, immediates.major_a)
                        .map_err(refused)?,
                )
            }
            None => None,
        };
        let b = Descriptor::decode(wanted_b).map_err(refused)?;
        let b = wgmma.tile_b(b, immediates.major_b).map_err(refused)?;
        Ok(Operands { a, b, accumulate })
    }

    /// Where in shared memory each warp's rows of A were never written, if they were not: they may be padding, of which nothing comes.
    fn unwritten_rows(&self, multiply: &Multiply, operands: &Operands) -> Unwritten {
        let mut found = [None; WARPS];
        let Some(tile) = operands.a.as_ref().filter(|_| self.launch.options.checks) else {
            return found;
        };
        let block = &self.cluster.blocks[self.current];
        for (number, &chunk) in tile.chunks().iter().enumerate() {
            let Some(place) = block.place(chunk, CHUNK) else {
                continue;
            };
            if block.initialised.has(place, CHUNK as usize) {
                continue;
            }
            // As [`Tile::chunks`] says.
            let row = match multiply.immediates.major_a {
                Major::K => number / 2,
                Major::MN => number % (WARPS * ROWS / 8) * 8,
            };
            found[row / ROWS].get_or_insert(chunk);
        }
        found
    }

    /// Nothing is known of the sums of rows that were never written.
    fn poison_sums(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        sums: &[Slot],
        warpgroup: &Range<usize>,
        unwritten: Unwritten,
    ) {
        let sums: Vec<_> = sums.iter().map(|slot| (*slot, Width::Row)).collect();
        let entry = self.launch.entry;
        let block = &mut self.cluster.blocks[self.current];
        for (number, chunk) in warpgroup.clone().zip(unwritten) {
            let Some(chunk) = chunk else {
                continue;
            };
            let source = Source {
                pc,
                space: Space::Shared,
                address: u64::from(chunk),
                bytes: CHUNK,
                of: "the program".to_owned(),
            };
            match number == warp.number as usize {
                true => Poison::forget(warp, entry, &sums, source),
                false => Poison::forget(&mut block.warps[number], entry, &sums, source),
            }
        }
    }

    /// Checks that the tiles are in shared memory, and tells the checks that they are read.
    fn tell_of_tiles(
        &mut self,
        warp: &Warp,
        pc: u32,
        operands: &Operands,
        unwritten: Unwritten,
    ) -> Checked<()> {
        for (tile, may_be_unwritten) in operands
            .a
            .iter()
            .map(|tile| (tile, unwritten.iter().any(Option::is_some)))
            .chain([(&operands.b, false)])
        {
            let block = &self.cluster.blocks[self.current];
            for &chunk in tile.chunks() {
                if block.place(chunk, CHUNK).is_none() {
                    return Err(self.outside_shared(warp, pc, 0, chunk, CHUNK, false));
                }
            }
            if !self.launch.options.checks {
                continue;
            }
            let rank = block.rank;
            let mut chunks: Vec<u32> = tile
                .chunks()
                .iter()
                .filter_map(|&chunk| block.place(chunk, CHUNK))
                .filter(|place| !may_be_unwritten || block.initialised.has(*place, CHUNK as usize))
                .filter_map(|place| u32::try_from(place).ok())
                .collect();
            chunks.sort_unstable();
            chunks.dedup();
            for run in chunks.chunk_by(|a, b| a + CHUNK == *b) {
                #[allow(clippy::cast_possible_truncation)] // as much as shared memory has
                let region = in_shared((rank, run[0]), run.len() as u32 * CHUNK);
                self.before_asynchronous(warp, pc, 0, Agent::Wgmma, region, Kind::Load)?;
            }
        }
        Ok(())
    }

    /// Runs it on the registers of all four warps.
    fn run_wgmma(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        slots: &[Slot],
        multiply: &Multiply,
        warpgroup: &Range<usize>,
        operands: &Operands,
    ) -> Checked<()> {
        let own = warp.number as usize;
        let block = &mut self.cluster.blocks[self.current];
        let mut files: [Registers; WARPS] = std::array::from_fn(|place| {
            let number = warpgroup.start + place;
            let registers = if number == own {
                &mut warp.registers
            } else {
                &mut block.warps[number].registers
            };
            std::mem::replace(registers, Registers::new(0, 0))
        });
        let d = &slots[..multiply.d_registers()];
        let a = match &operands.a {
            Some(tile) => Left::Shared(tile),
            None => {
                let start = multiply.a_start();
                Left::Registers(&slots[start..start + multiply.a_registers()])
            }
        };
        let outcome = multiply.wgmma.run(
            files.each_mut(),
            multiply.immediates,
            operands.accumulate,
            (d, a, &operands.b),
            |address, bytes| {
                let place = block.place(address, CHUNK).ok_or(address)?;
                bytes.copy_from_slice(&block.shared[place..place + CHUNK as usize]);
                Ok(())
            },
        );
        for (number, file) in warpgroup.clone().zip(files) {
            if number == own {
                warp.registers = file;
            } else {
                block.warps[number].registers = file;
            }
        }
        outcome.map_err(|address: u32| self.outside_shared(warp, pc, 0, address, CHUNK, false))
    }
}
