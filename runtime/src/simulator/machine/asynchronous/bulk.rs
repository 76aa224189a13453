//! `cp.async.bulk`, `cp.reduce.async.bulk`: bytes in a row, between global and shared memory, or to
//! shared memory of another block (PTX ISA, "Bulk copy").

use super::pointer::{Wanted, addresses, in_global, in_shared};
use crate::simulator::checks::Space;
use crate::simulator::machine::communicate::each;
use crate::simulator::machine::global::Kind;
use crate::simulator::machine::memory::little_endian;
use crate::simulator::machine::order::asynchronous::{Agent, SharedPlace};
use crate::simulator::machine::step::{Checked, Machine};
use crate::simulator::machine::warp::Warp;
use crate::simulator::memory::shared;
use crate::simulator::program::op::Atomic;
use crate::simulator::program::op::asynchronous::{Bulk, Completion, Pointer};
use crate::simulator::registers::{Mask, Slot};

/// What addresses and sizes are multiples of.
const UNIT: u32 = 16;

/// A block that gets bytes: where, and the mbarrier that is told.
#[derive(Debug, Clone, Copy)]
pub struct Receiver {
    /// The first byte.
    pub to: SharedPlace,
    /// The mbarrier.
    pub mbarrier: SharedPlace,
}

/// Who gets the bytes of a copy to shared memory: the addresses of the bytes and of the mbarrier, and
/// the blocks of a multicast.
#[derive(Debug, Clone, Copy)]
pub struct Receivers {
    /// Where the bytes go.
    pub to: (Space, u64),
    /// How many there are room for, and what their address is a multiple of.
    pub wanted: Wanted,
    /// Where the mbarrier is.
    pub mbarrier: (Space, u64),
    /// One bit per block.
    pub mask: Option<u32>,
}

impl Machine<'_> {
    pub fn bulk(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        slots: &[Slot],
        bulk: &Bulk,
        active: Mask,
    ) -> Checked<()> {
        let to = addresses(warp, slots[0], bulk.to);
        let from = addresses(warp, slots[1], bulk.from);
        let sizes = warp.registers.get32(slots[2]);
        for lane in each(active) {
            let bytes = sizes[lane];
            if !bytes.is_multiple_of(UNIT) {
                let what =
                    format!("a bulk copy of {bytes} bytes: the size must be a multiple of 16");
                return Err(self.invalid(warp, pc, lane, what));
            }
            let wanted = |kind| Wanted {
                bytes,
                alignment: UNIT,
                kind,
            };
            let from = (bulk.from, from[lane]);
            match bulk.completion {
                Completion::Group => {
                    let agent = Agent::BulkGroup;
                    let data = self.read_bulk(warp, pc, lane, from, wanted(Kind::Load), agent)?;
                    self.write_global(warp, pc, lane, to[lane], &data, bulk.reduction)?;
                }
                Completion::Mbarrier { at, multicast } => {
                    let receivers = Receivers {
                        to: (bulk.to.space, to[lane]),
                        wanted: wanted(Kind::Store),
                        mbarrier: (at.space, addresses(warp, slots[3], at)[lane]),
                        mask: multicast.then(|| warp.registers.get32(slots[4])[lane]),
                    };
                    let receivers = self.receivers(warp, pc, lane, receivers)?;
                    let Some(first) = receivers.first() else {
                        continue;
                    };
                    let agent = Agent::BulkOn(first.mbarrier);
                    let data = self.read_bulk(warp, pc, lane, from, wanted(Kind::Load), agent)?;
                    for receiver in receivers {
                        self.write_bulk(warp, pc, lane, receiver, &data, bulk.reduction)?;
                        self.complete(warp, pc, lane, receiver.mbarrier, bytes)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn read_bulk(
        &mut self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        (from, address): (Pointer, u64),
        wanted: Wanted,
        agent: Agent,
    ) -> Checked<Vec<u8>> {
        let bytes = wanted.bytes;
        if from.space == Space::Shared {
            let place = self.shared_at(warp, pc, lane, (from.space, address), wanted)?;
            let region = in_shared(place, bytes);
            self.before_asynchronous(warp, pc, lane, agent, region, Kind::Load)?;
            return Ok(self.shared_bytes(place, bytes).to_vec());
        }
        let (memory, at) = self.global_at(warp, pc, lane, address, wanted)?;
        let region = in_global(address, bytes);
        self.before_asynchronous(warp, pc, lane, agent, region, Kind::Load)?;
        self.transfer(warp, pc, lane, address, bytes, Kind::Load);
        let mut data = vec![0; bytes as usize];
        memory.read(at, &mut data);
        Ok(data)
    }

    /// To global memory.
    fn write_global(
        &mut self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        address: u64,
        data: &[u8],
        reduction: Option<Atomic>,
    ) -> Checked<()> {
        let kind = kind_of(reduction);
        let wanted = Wanted {
            bytes: u32::try_from(data.len()).unwrap_or(u32::MAX),
            alignment: UNIT,
            kind,
        };
        let (memory, at) = self.global_at(warp, pc, lane, address, wanted)?;
        let region = in_global(address, wanted.bytes);
        self.before_asynchronous(warp, pc, lane, Agent::BulkGroup, region, kind)?;
        self.transfer(warp, pc, lane, address, wanted.bytes, kind);
        match reduction {
            None => memory.write(at, data),
            Some(atomic) => {
                let bytes = atomic.access.bytes;
                for (element, at) in data
                    .chunks_exact(bytes as usize)
                    .zip((at..).step_by(bytes as usize))
                {
                    let before = memory.load(at, bytes);
                    memory.store(at, bytes, atomic.apply(before, little_endian(element), 0));
                }
            }
        }
        Ok(())
    }

    /// To shared memory of one block.
    fn write_bulk(
        &mut self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        receiver: Receiver,
        data: &[u8],
        reduction: Option<Atomic>,
    ) -> Checked<()> {
        let bytes = u32::try_from(data.len()).unwrap_or(u32::MAX);
        let agent = Agent::BulkOn(receiver.mbarrier);
        let region = in_shared(receiver.to, bytes);
        self.before_asynchronous(warp, pc, lane, agent, region, kind_of(reduction))?;
        let memory = self.shared_bytes_mut(receiver.to, bytes);
        match reduction {
            None => memory.copy_from_slice(data),
            Some(atomic) => combine(atomic, memory, data),
        }
        Ok(())
    }

    /// The blocks that get the bytes of a copy to shared memory.
    pub fn receivers(
        &self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        receivers: Receivers,
    ) -> Checked<Vec<Receiver>> {
        let to = self.shared_at(warp, pc, lane, receivers.to, receivers.wanted)?;
        let mbarrier = self.mbarrier_place(warp, pc, lane, receivers.mbarrier, false)?;
        if to.0 != mbarrier.0 {
            let what = format!(
                "bytes go to block {} of the cluster, but the mbarrier is that of block {}",
                to.0, mbarrier.0
            );
            return Err(self.invalid(warp, pc, lane, what));
        }
        let Some(mask) = receivers.mask else {
            return Ok(vec![Receiver { to, mbarrier }]);
        };
        let blocks = u32::try_from(self.cluster.blocks.len()).unwrap_or(u32::MAX);
        let mask = mask & 0xffff;
        if mask >> blocks.min(31) != 0 {
            let what = format!(
                "the mask {mask:#06x} of a multicast names blocks that the cluster of {blocks} \
                 does not have"
            );
            return Err(self.invalid(warp, pc, lane, what));
        }
        let mut all = Vec::new();
        for rank in (0..blocks).filter(|rank| mask >> rank & 1 == 1) {
            let address = shared::of_rank(shared::START + to.1, rank);
            let place = (Space::Shared, u64::from(address));
            let to = self.shared_at(warp, pc, lane, place, receivers.wanted)?;
            all.push(Receiver {
                to,
                mbarrier: (rank, mbarrier.1),
            });
        }
        Ok(all)
    }
}

/// What a copy does to what is there.
pub const fn kind_of(reduction: Option<Atomic>) -> Kind {
    match reduction {
        None => Kind::Store,
        Some(_) => Kind::Atomic,
    }
}

/// Combines elements with those that are there.
pub fn combine(atomic: Atomic, memory: &mut [u8], data: &[u8]) {
    let bytes = atomic.access.bytes as usize;
    for (old, new) in memory.chunks_exact_mut(bytes).zip(data.chunks_exact(bytes)) {
        let value = atomic.apply(little_endian(old), little_endian(new), 0);
        old.copy_from_slice(&value.to_le_bytes()[..bytes]);
    }
}
