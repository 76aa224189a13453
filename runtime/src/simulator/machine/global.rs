//! Accesses to global memory.

use super::communicate::each;
use super::memory::{Unknown, addresses as addresses_of, little_endian};
use super::step::{Checked, Machine};
use super::warp::Warp;
use crate::simulator::checks::Defect;
use crate::simulator::memory::Allocation;
use crate::simulator::program::op::{Access, Atomic, Order, Space};
use crate::simulator::registers::{FULL, LANES, Lanes64, Mask, Slot};

/// What an access does, for the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes at once.
    Atomic,
}

impl Machine<'_> {
    pub fn load_global(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        access: Access,
        addresses: &Lanes64,
        lanes: Mask,
        values: &mut [Lanes64],
        unknown: &mut Unknown,
    ) -> Checked<()> {
        self.each_allocation(
            warp,
            pc,
            access,
            addresses,
            lanes,
            Kind::Load,
            |machine, warp, memory, lanes| {
                machine.before_global(
                    warp,
                    pc,
                    access,
                    memory,
                    addresses,
                    lanes,
                    Kind::Load,
                    &[],
                )?;
                let base = memory.address();
                machine.asked |= access.order != Order::Weak;
                if machine.launch.options.checks && !memory.initialised().all() {
                    let found = machine.unknown_global(pc, memory, access, addresses, lanes);
                    *unknown = found.or(unknown.take());
                }
                if lanes == FULL && access.bytes == 4 {
                    for (element, values) in values.iter_mut().enumerate() {
                        let step = element * 4;
                        for (value, address) in values.iter_mut().zip(addresses) {
                            *value = u64::from(memory.load32(offset(*address, base) + step));
                        }
                    }
                    return Ok(());
                }
                for lane in each(lanes) {
                    let mut at = offset(addresses[lane], base);
                    for values in values.iter_mut() {
                        values[lane] = memory.load(at, access.bytes);
                        at += access.bytes as usize;
                    }
                }
                Ok(())
            },
        )
    }

    pub fn store_global(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        access: Access,
        addresses: &Lanes64,
        lanes: Mask,
        values: &[Lanes64],
    ) -> Checked<()> {
        self.each_allocation(
            warp,
            pc,
            access,
            addresses,
            lanes,
            Kind::Store,
            |machine, warp, memory, lanes| {
                machine.before_global(
                    warp,
                    pc,
                    access,
                    memory,
                    addresses,
                    lanes,
                    Kind::Store,
                    values,
                )?;
                let base = memory.address();
                for lane in each(lanes) {
                    let mut at = offset(addresses[lane], base);
                    for values in values {
                        if machine.launch.entry.communicates && !machine.changed {
                            let narrow = u64::MAX >> (64 - 8 * access.bytes);
                            machine.changed =
                                memory.load(at, access.bytes) != values[lane] & narrow;
                        }
                        memory.store(at, access.bytes, values[lane]);
                        at += access.bytes as usize;
                    }
                }
                Ok(())
            },
        )
    }

    /// Finds the memory that lanes mean, checks that they are inside and aligned, counts, and acts
    /// on each allocation.
    fn each_allocation(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        access: Access,
        addresses: &Lanes64,
        lanes: Mask,
        kind: Kind,
        mut act: impl FnMut(&mut Self, &mut Warp, &Allocation, Mask) -> Checked<()>,
    ) -> Checked<()> {
        let bytes = access.bytes * access.count;
        if self.launch.options.profile {
            self.counters.global(pc, addresses, lanes, bytes);
        }
        let launch = self.launch;
        let mut rest = lanes;
        while rest != 0 {
            let first = rest.trailing_zeros() as usize;
            let piece = addresses[first] >> 32;
            let memory = launch.memory.find(addresses[first]);
            let (mut same, mut bits, mut highest) = (0, 0, 0);
            for (lane, &address) in addresses.iter().enumerate() {
                let here = u32::from(address >> 32 == piece) << lane & rest;
                same |= here;
                if here != 0 {
                    bits |= address;
                    highest = highest.max(address);
                }
            }
            let Some(memory) = memory else {
                return Err(self.outside(warp, pc, first, addresses[first], bytes, kind));
            };
            if bits % u64::from(bytes) != 0 {
                let misaligned = |lane: &usize| !addresses[*lane].is_multiple_of(u64::from(bytes));
                let lane = each(same).find(misaligned).unwrap_or(first);
                let address = addresses[lane];
                let defect = Defect::Misaligned {
                    space: Space::Global,
                    address,
                    bytes,
                };
                return Err(self.finding(warp, pc, lane, defect));
            }
            let end = memory.address() + memory.bytes() as u64;
            if highest + u64::from(bytes) > end {
                let outside = |lane: &usize| addresses[*lane] + u64::from(bytes) > end;
                let lane = each(same).find(outside).unwrap_or(first);
                return Err(self.outside(warp, pc, lane, addresses[lane], bytes, kind));
            }
            if warp.waits_for_launch {
                let address = addresses[first];
                return Err(self.finding(warp, pc, first, Defect::NoLaunchWait { address }));
            }
            if kind != Kind::Load && launch.unwritten.contains(&memory.address()) {
                let what = format!(
                    "{} is not `mut`, and is written",
                    self.name_of(memory.address())
                );
                return Err(self.finding(warp, pc, first, Defect::InvalidOperand { what }));
            }
            if memory.constant && kind != Kind::Load {
                let what = "constant memory cannot be written by a kernel".to_owned();
                return Err(self.finding(warp, pc, first, Defect::InvalidOperand { what }));
            }
            if kind != Kind::Load && launch.options.watch.is_some() {
                self.watch(warp, pc, addresses, same, bytes);
            }
            act(self, warp, memory, same)?;
            rest &= !same;
        }
        Ok(())
    }

    /// `atom`, `red`, on any memory.
    pub fn atomic(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        slots: &[Slot],
        atomic: &Atomic,
        active: Mask,
    ) -> Checked<()> {
        let access = atomic.access;
        let count = access.count as usize;
        let results = if atomic.returns { count } else { 0 };
        let addresses = addresses_of(warp, slots[results], access);
        let operands = &slots[results + 1..];
        let read = |slot: Slot| -> Lanes64 {
            if access.wide_registers {
                warp.registers.get64(slot)
            } else {
                warp.registers.get32(slot).map(u64::from)
            }
        };
        let values: Vec<Lanes64> = operands.iter().map(|&slot| read(slot)).collect();
        let second = |lane: usize| values.get(count).map_or(0, |values| values[lane]);
        let mut old = vec![[0; LANES]; count];
        for (space, lanes) in self.spaces(access.space, &addresses, active) {
            match space {
                Space::Global | Space::Generic => {
                    self.each_allocation(
                        warp,
                        pc,
                        access,
                        &addresses,
                        lanes,
                        Kind::Atomic,
                        |machine, warp, memory, lanes| {
                            machine.before_global(
                                warp,
                                pc,
                                access,
                                memory,
                                &addresses,
                                lanes,
                                Kind::Atomic,
                                &[],
                            )?;
                            // Who is not told anything waits for nothing.
                            machine.asked |= atomic.returns;
                            // Lanes act one after the other.
                            for lane in each(lanes) {
                                let mut at = offset(addresses[lane], memory.address());
                                for (element, old) in old.iter_mut().enumerate() {
                                    let before = memory.load(at, access.bytes);
                                    let after =
                                        atomic.apply(before, values[element][lane], second(lane));
                                    memory.store(at, access.bytes, after);
                                    machine.changed |= before != memory.load(at, access.bytes);
                                    old[lane] = before;
                                    at += access.bytes as usize;
                                }
                            }
                            Ok(())
                        },
                    )?;
                }
                Space::Shared => {
                    let places = self.shared_places(
                        warp,
                        pc,
                        &addresses,
                        lanes,
                        access.bytes * access.count,
                        true,
                    )?;
                    self.before_shared(
                        warp,
                        pc,
                        access,
                        &places,
                        &addresses,
                        lanes,
                        Kind::Atomic,
                        &[],
                    )?;
                    for lane in each(lanes) {
                        let (block, at) = places[lane];
                        for (element, old) in old.iter_mut().enumerate() {
                            let bytes = access.bytes as usize;
                            let at = at as usize + element * bytes;
                            let memory =
                                &mut self.cluster.blocks[block as usize].shared[at..at + bytes];
                            let before = little_endian(memory);
                            let after = atomic.apply(before, values[element][lane], second(lane));
                            memory.copy_from_slice(&after.to_le_bytes()[..bytes]);
                            old[lane] = before;
                        }
                    }
                }
                Space::Local | Space::Parameter => {
                    let lane = lanes.trailing_zeros() as usize;
                    let what = "atomics act on global and shared memory alone".to_owned();
                    return Err(self.finding(warp, pc, lane, Defect::InvalidOperand { what }));
                }
            }
        }
        if atomic.returns {
            for (&slot, old) in slots.iter().zip(&old) {
                if access.wide_registers {
                    warp.registers.set64(slot, active, *old);
                } else {
                    #[allow(clippy::cast_possible_truncation)] // 32 bits at most
                    warp.registers
                        .set32(slot, active, old.map(|value| value as u32));
                }
            }
        }
        Ok(())
    }
}

/// The place of an address in the allocation that starts at `base`.
#[inline]
#[allow(clippy::cast_possible_truncation)] // inside memory of the host
pub const fn offset(address: u64, base: u64) -> usize {
    (address - base) as usize
}
