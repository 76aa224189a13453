//! Accesses to shared memory, of the own block and of others of the cluster.

use super::communicate::each;
use super::global::Kind;
use super::memory::{Unknown, little_endian};
use super::step::{Checked, Machine};
use super::warp::Warp;
use crate::simulator::checks::Defect;
use crate::simulator::memory::{SHARED, shared};
use crate::simulator::program::op::{Access, ClusterAddress, Space};
use crate::simulator::registers::{LANES, Lanes64, Mask, Slot};

/// For each lane: the rank of the block, and the place in its shared memory.
pub type Places = [(u32, u32); LANES];

impl Machine<'_> {
    pub fn load_shared(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        access: Access,
        addresses: &Lanes64,
        lanes: Mask,
        values: &mut [Lanes64],
        unknown: &mut Unknown,
    ) -> Checked<()> {
        let bytes = access.bytes as usize;
        let places = self.shared_places(
            warp,
            pc,
            addresses,
            lanes,
            access.bytes * access.count,
            false,
        )?;
        self.count_shared(pc, &places, lanes, access.bytes * access.count);
        self.before_shared(warp, pc, access, &places, addresses, lanes, Kind::Load, &[])?;
        if self.launch.options.checks {
            let found = self.unknown_shared(pc, access, addresses, &places, lanes);
            *unknown = found.or(unknown.take());
        }
        if let ([values], 4) = (&mut *values, bytes) {
            for lane in each(lanes) {
                let (block, at) = places[lane];
                let memory = &self.cluster.blocks[block as usize].shared[at as usize..];
                if let Some(word) = memory.first_chunk() {
                    values[lane] = u64::from(u32::from_le_bytes(*word));
                }
            }
            return Ok(());
        }
        for lane in each(lanes) {
            let (block, at) = places[lane];
            let memory = &self.cluster.blocks[block as usize].shared[at as usize..];
            for (element, values) in memory.chunks_exact(bytes).zip(values.iter_mut()) {
                values[lane] = match *element {
                    [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
                    _ => little_endian(element),
                };
            }
        }
        Ok(())
    }

    pub fn store_shared(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        access: Access,
        addresses: &Lanes64,
        lanes: Mask,
        values: &[Lanes64],
    ) -> Checked<()> {
        let bytes = access.bytes as usize;
        let places = self.shared_places(
            warp,
            pc,
            addresses,
            lanes,
            access.bytes * access.count,
            true,
        )?;
        self.count_shared(pc, &places, lanes, access.bytes * access.count);
        self.before_shared(
            warp,
            pc,
            access,
            &places,
            addresses,
            lanes,
            Kind::Store,
            values,
        )?;
        for lane in each(lanes) {
            let (block, at) = places[lane];
            let memory = &mut self.cluster.blocks[block as usize].shared[at as usize..];
            for (element, values) in memory.chunks_exact_mut(bytes).zip(values) {
                element.copy_from_slice(&values[lane].to_le_bytes()[..bytes]);
            }
        }
        Ok(())
    }

    /// Where lanes' addresses are, checked for bounds and alignment.
    pub fn shared_places(
        &self,
        warp: &Warp,
        pc: u32,
        addresses: &Lanes64,
        lanes: Mask,
        bytes: u32,
        write: bool,
    ) -> Checked<Places> {
        let own = self.cluster.blocks[self.current].rank;
        // Of the own block, inside and aligned: that is nearly all there is.
        let size = u32::try_from(self.cluster.blocks[own as usize].shared.len()).unwrap_or(0);
        let mut places = [(own, 0); LANES];
        let mut simple = true;
        for (lane, (place, address)) in places.iter_mut().zip(addresses).enumerate() {
            #[allow(clippy::cast_possible_truncation)] // shared addresses have 32 bits
            let offset = (*address as u32).wrapping_sub(shared::START);
            let inside = offset < size && offset + bytes <= size && offset & (bytes - 1) == 0;
            simple &= inside | (lanes >> lane & 1 == 0);
            place.1 = if inside { offset } else { 0 };
        }
        if simple && bytes.is_power_of_two() && size < shared::of_rank(0, 0) {
            return Ok(places);
        }
        let mut places = [(0, 0); LANES];
        let blocks = self.cluster.blocks.len();
        for lane in each(lanes) {
            #[allow(clippy::cast_possible_truncation)] // shared addresses have 32 bits
            let address = addresses[lane] as u32;
            let rank = shared::rank(address).unwrap_or(own);
            if !address.is_multiple_of(bytes) {
                let address = u64::from(address);
                let defect = Defect::Misaligned {
                    space: Space::Shared,
                    address,
                    bytes,
                };
                return Err(self.finding(warp, pc, lane, defect));
            }
            if let Some(finding) = self.if_exited(warp, pc, lane, rank) {
                return Err(finding);
            }
            let place = (rank < blocks as u32)
                .then(|| self.cluster.blocks[rank as usize].place(address, bytes))
                .flatten();
            let Some(place) = place else {
                return Err(self.outside_shared(warp, pc, lane, address, bytes, write));
            };
            #[allow(clippy::cast_possible_truncation)] // shared memory has less than 2^24 bytes
            let place = place as u32;
            places[lane] = (rank, place);
        }
        Ok(places)
    }

    pub fn outside_shared(
        &self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        address: u32,
        bytes: u32,
        write: bool,
    ) -> Box<crate::simulator::checks::Finding> {
        let size = self.launch.shared_bytes();
        let defect = Defect::OutOfBounds {
            space: Space::Shared,
            address: u64::from(address),
            bytes,
            of: format!(
                "outside shared memory: {size} bytes from address {} on",
                shared::START
            ),
            write,
            memory: None,
            element: None,
        };
        self.finding(warp, pc, lane, defect)
    }

    pub fn count_shared(&mut self, pc: u32, places: &Places, lanes: Mask, bytes: u32) {
        if self.launch.options.profile {
            let places = places.map(|(_, place)| place);
            self.counters.shared(pc, &places, lanes, bytes, false);
        }
    }

    /// `mapa`.
    pub fn map_shared(
        &self,
        warp: &mut Warp,
        slots: &[Slot],
        address: ClusterAddress,
        active: Mask,
    ) {
        let ranks = warp.registers.get32(slots[2]);
        if address.is_wide {
            let window = if address.is_generic { SHARED } else { 0 };
            let mut values = warp.registers.get64(slots[1]);
            for (value, rank) in values.iter_mut().zip(ranks) {
                #[allow(clippy::cast_possible_truncation)] // the low half
                let low = shared::of_rank(*value as u32, rank & 0xf);
                *value = u64::from(window) << 32 | u64::from(low);
            }
            warp.registers.set64(slots[0], active, values);
        } else {
            let mut values = warp.registers.get32(slots[1]);
            for (value, rank) in values.iter_mut().zip(ranks) {
                *value = shared::of_rank(*value, rank & 0xf);
            }
            warp.registers.set32(slots[0], active, values);
        }
    }

    /// `getctarank`.
    pub fn shared_rank(
        &self,
        warp: &mut Warp,
        slots: &[Slot],
        address: ClusterAddress,
        active: Mask,
    ) {
        let own = self.cluster.blocks[self.current].rank;
        #[allow(clippy::cast_possible_truncation)] // the low half
        let addresses = if address.is_wide {
            warp.registers.get64(slots[1]).map(|address| address as u32)
        } else {
            warp.registers.get32(slots[1])
        };
        let ranks = addresses.map(|address| shared::rank(address).unwrap_or(own));
        warp.registers.set32(slots[0], active, ranks);
    }
}
