//! `cp.async`: from global to shared memory, 4, 8 or 16 bytes per lane (PTX ISA, "cp.async").

use super::pointer::{Wanted, addresses, in_global, in_shared};
use crate::simulator::machine::communicate::each;
use crate::simulator::machine::global::Kind;
use crate::simulator::machine::order::asynchronous::Agent;
use crate::simulator::machine::step::{Checked, Machine};
use crate::simulator::machine::warp::Warp;
use crate::simulator::program::op::asynchronous::{Copy, Pointer, Reads};
use crate::simulator::registers::{LANES, Mask, Slot};

impl Machine<'_> {
    pub fn copy(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        slots: &[Slot],
        copy: &Copy,
        active: Mask,
    ) -> Checked<()> {
        let to = addresses(warp, slots[0], copy.to);
        let from = addresses(warp, slots[1], copy.from);
        let reads = match copy.reads {
            Reads::All => [copy.bytes; LANES],
            Reads::Counted => warp.registers.get32(slots[2]),
            Reads::Unless => {
                let ignored = warp.registers.predicate(slots[2]);
                std::array::from_fn(|lane| (1 - (ignored >> lane & 1)) * copy.bytes)
            }
        };
        self.count_copy(pc, &to, &from, &reads, copy.bytes, active);
        for lane in each(active) {
            let bytes = reads[lane];
            if bytes > copy.bytes {
                let what = format!(
                    "a cp.async of {} bytes is to read {bytes} bytes",
                    copy.bytes
                );
                return Err(self.invalid(warp, pc, lane, what));
            }
            let wanted = |bytes, kind| Wanted {
                bytes,
                alignment: copy.bytes,
                kind,
            };
            let place = (copy.to.space, to[lane]);
            let place = self.shared_at(warp, pc, lane, place, wanted(copy.bytes, Kind::Store))?;
            let mut data = [0; 16];
            // What is not read need not be there (PTX ISA, "cp.async", src-size).
            if bytes > 0 {
                let source = wanted(bytes, Kind::Load);
                let (memory, at) = self.global_at(warp, pc, lane, from[lane], source)?;
                let region = in_global(from[lane], bytes);
                self.before_asynchronous(warp, pc, lane, Agent::Copy, region, Kind::Load)?;
                memory.read(at, &mut data[..bytes as usize]);
            }
            let region = in_shared(place, copy.bytes);
            self.before_asynchronous(warp, pc, lane, Agent::Copy, region, Kind::Store)?;
            self.shared_bytes_mut(place, copy.bytes)
                .copy_from_slice(&data[..copy.bytes as usize]);
        }
        Ok(())
    }

    /// Counts as a load of global memory and a store to shared memory.
    fn count_copy(
        &mut self,
        pc: u32,
        to: &[u64; LANES],
        from: &[u64; LANES],
        reads: &[u32; LANES],
        bytes: u32,
        active: Mask,
    ) {
        if !self.launch.options.profile {
            return;
        }
        let reading = each(active).filter(|&lane| reads[lane] > 0);
        let reading = reading.fold(0, |mask, lane| mask | 1 << lane);
        if reading != 0 {
            self.counters.global(pc, from, reading, bytes);
        }
        #[allow(clippy::cast_possible_truncation)] // shared addresses have 32 bits
        let to = to.map(|address| address as u32);
        self.counters.shared(pc, &to, active, bytes, false);
    }

    /// `cp.async.mbarrier.arrive`: the copies that a lane has issued arrive when they are done,
    /// which is now. Without `.noinc` the phase waits for one arrival more.
    pub fn copies_arrive(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        slot: Slot,
        at: Pointer,
        no_increment: bool,
        active: Mask,
    ) -> Checked<()> {
        let addresses = addresses(warp, slot, at);
        for lane in each(active) {
            let place = self.mbarrier_place(warp, pc, lane, (at.space, addresses[lane]), true)?;
            self.order_copies_arrive(warp, lane, place);
            self.change_mbarrier(warp, pc, lane, place, |object| {
                if !no_increment {
                    object.expect_arrival()?;
                }
                object.arrive(1)
            })?;
        }
        Ok(())
    }
}
