//! From an operand that is an address to the memory it means, lane by lane.

use crate::simulator::checks::{Defect, Space};
use crate::simulator::machine::global::{Kind, offset};
use crate::simulator::machine::order::asynchronous::{Region, SharedPlace};
use crate::simulator::machine::step::{Checked, Machine};
use crate::simulator::machine::warp::Warp;
use crate::simulator::memory::{Allocation, SHARED, shared};
use crate::simulator::program::op::asynchronous::Pointer;
use crate::simulator::registers::{Lanes64, Slot};

/// What is asked of the bytes at an address.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// How many.
    pub bytes: u32,
    /// What the address must be a multiple of.
    pub alignment: u32,
    /// What is done to them.
    pub kind: Kind,
}

/// The address of each lane.
pub fn addresses(warp: &Warp, slot: Slot, pointer: Pointer) -> Lanes64 {
    let base = if pointer.address.wide {
        warp.registers.get64(slot)
    } else {
        warp.registers.get32(slot).map(u64::from)
    };
    base.map(|base| base.wrapping_add_signed(pointer.address.offset))
}

impl<'a> Machine<'a> {
    /// An operand that the instruction does not allow, in words.
    pub fn invalid(
        &self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        what: impl Into<String>,
    ) -> Box<crate::simulator::checks::Finding> {
        let what = what.into();
        self.finding(warp, pc, lane, Defect::InvalidOperand { what })
    }

    /// The place of an address in shared memory, of the own block or of another of the cluster.
    pub fn shared_at(
        &self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        (space, address): (Space, u64),
        wanted: Wanted,
    ) -> Checked<SharedPlace> {
        if space == Space::Generic && (address >> 32) as u32 != SHARED {
            let what = format!("the generic address {address:#x} is not in shared memory");
            return Err(self.invalid(warp, pc, lane, what));
        }
        #[allow(clippy::cast_possible_truncation)] // shared addresses have 32 bits
        let address = address as u32;
        if !address.is_multiple_of(wanted.alignment) {
            let defect = Defect::Misaligned {
                space: Space::Shared,
                address: u64::from(address),
                bytes: wanted.alignment,
            };
            return Err(self.finding(warp, pc, lane, defect));
        }
        let own = self.cluster.blocks[self.current].rank;
        let rank = shared::rank(address).unwrap_or(own);
        if let Some(finding) = self.if_exited(warp, pc, lane, rank) {
            return Err(finding);
        }
        let block = self.cluster.blocks.get(rank as usize);
        let Some(place) = block.and_then(|block| block.place(address, wanted.bytes)) else {
            let write = wanted.kind != Kind::Load;
            return Err(self.outside_shared(warp, pc, lane, address, wanted.bytes, write));
        };
        #[allow(clippy::cast_possible_truncation)] // shared memory has less than 2^24 bytes
        Ok((rank, place as u32))
    }

    /// Bytes of shared memory.
    pub fn shared_bytes(&self, (rank, place): SharedPlace, bytes: u32) -> &[u8] {
        let place = place as usize;
        &self.cluster.blocks[rank as usize].shared[place..place + bytes as usize]
    }

    /// Bytes of shared memory, to change.
    pub fn shared_bytes_mut(&mut self, (rank, place): SharedPlace, bytes: u32) -> &mut [u8] {
        let place = place as usize;
        &mut self.cluster.blocks[rank as usize].shared[place..place + bytes as usize]
    }

    /// The memory that has so many bytes at an address, and the place in it.
    pub fn global_at(
        &self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        address: u64,
        wanted: Wanted,
    ) -> Checked<(&'a Allocation, usize)> {
        if !address.is_multiple_of(u64::from(wanted.alignment)) {
            let defect = Defect::Misaligned {
                space: Space::Global,
                address,
                bytes: wanted.alignment,
            };
            return Err(self.finding(warp, pc, lane, defect));
        }
        let launch = self.launch;
        let memory = launch.memory.find(address);
        let end = |memory: &Allocation| memory.address() + memory.bytes() as u64;
        let memory = memory.filter(|memory| address + u64::from(wanted.bytes) <= end(memory));
        let Some(memory) = memory else {
            return Err(self.outside(warp, pc, lane, address, wanted.bytes, wanted.kind));
        };
        if warp.waits_for_launch {
            return Err(self.finding(warp, pc, lane, Defect::NoLaunchWait { address }));
        }
        if memory.constant && wanted.kind != Kind::Load {
            let what = "constant memory cannot be written by a kernel";
            return Err(self.invalid(warp, pc, lane, what));
        }
        Ok((memory, offset(address, memory.address())))
    }
}

/// Bytes of shared memory, for the checks.
pub const fn in_shared(place: SharedPlace, bytes: u32) -> Region {
    Region::Shared { place, bytes }
}

/// Bytes of global memory, for the checks.
pub const fn in_global(address: u64, bytes: u32) -> Region {
    Region::Global { address, bytes }
}
