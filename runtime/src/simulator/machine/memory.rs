//! Loads, stores and atomics: from addresses to the memory they mean.

use super::communicate::each;
use super::poison::Source;
use super::step::{Checked, Machine};
use super::warp::Warp;
use crate::simulator::checks::Defect;
use crate::simulator::memory::{LOCAL, PARAMETERS, SHARED};
use crate::simulator::program::allocate::Width;
use crate::simulator::program::op::{Access, Direction, Space};
use crate::simulator::registers::{LANES, Lanes32, Lanes64, Mask, Slot};

/// Elements of a vector access: at most 8.
pub const ELEMENTS: usize = 8;

/// What lanes load or store, element by element.
pub type Values = [Lanes64; ELEMENTS];

/// Bits that lanes loaded and nobody wrote, and where.
pub type Unknown = Option<Box<(Values, Source)>>;

impl Machine<'_> {
    /// `ld`.
    pub fn load(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        slots: &[Slot],
        access: Access,
        active: Mask,
    ) -> Checked<()> {
        match access.count {
            1 => self.load_elements::<1>(warp, pc, slots, access, active),
            2 => self.load_elements::<2>(warp, pc, slots, access, active),
            4 => self.load_elements::<4>(warp, pc, slots, access, active),
            _ => self.load_elements::<ELEMENTS>(warp, pc, slots, access, active),
        }
    }

    fn load_elements<const N: usize>(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        slots: &[Slot],
        access: Access,
        active: Mask,
    ) -> Checked<()> {
        let addresses = addresses(warp, slots[N], access);
        let mut values = [[0; LANES]; N];
        let mut unknown = None;
        for (space, lanes) in self.spaces(access.space, &addresses, active) {
            let (values, unknown) = (&mut values[..], &mut unknown);
            match space {
                Space::Shared => {
                    self.load_shared(warp, pc, access, &addresses, lanes, values, unknown)?;
                }
                Space::Local => self.load_local(warp, pc, access, &addresses, lanes, values)?,
                Space::Parameter => {
                    self.load_parameter(warp, pc, access, &addresses, lanes, values)?;
                }
                Space::Global | Space::Generic => {
                    self.load_global(warp, pc, access, &addresses, lanes, values, unknown)?;
                }
            }
        }
        for (&slot, values) in slots.iter().zip(&values) {
            write_element(warp, slot, access, active, values);
        }
        if unknown.is_some() || warp.poison.is_some() {
            let width = if access.wide_registers {
                Width::Pair
            } else {
                Width::Row
            };
            let destinations: Vec<_> = slots[..N].iter().map(|&slot| (slot, width)).collect();
            let (bits, source) = match unknown {
                Some(unknown) => (unknown.0, Some(unknown.1)),
                None => ([[0; LANES]; ELEMENTS], None),
            };
            self.poison(warp, &destinations, active, &bits, source);
        }
        Ok(())
    }

    /// `st`.
    pub fn store(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        slots: &[Slot],
        access: Access,
        active: Mask,
    ) -> Checked<()> {
        match access.count {
            1 => self.store_elements::<1>(warp, pc, slots, access, active),
            2 => self.store_elements::<2>(warp, pc, slots, access, active),
            4 => self.store_elements::<4>(warp, pc, slots, access, active),
            _ => self.store_elements::<ELEMENTS>(warp, pc, slots, access, active),
        }
    }

    fn store_elements<const N: usize>(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        slots: &[Slot],
        access: Access,
        active: Mask,
    ) -> Checked<()> {
        let addresses = addresses(warp, slots[0], access);
        let mut values = [[0; LANES]; N];
        for (values, &slot) in values.iter_mut().zip(&slots[1..]) {
            *values = read_element(warp, slot, access);
        }
        let values = &values[..];
        let width = if access.wide_registers {
            Width::Pair
        } else {
            Width::Row
        };
        let sources: Vec<_> = match warp.poison {
            Some(_) => slots[1..].iter().map(|&slot| (slot, width)).collect(),
            None => Vec::new(),
        };
        for (space, lanes) in self.spaces(access.space, &addresses, active) {
            match space {
                Space::Shared => {
                    self.store_shared(warp, pc, access, &addresses, lanes, values)?;
                    if let Some(unknown) = self.unknown_stored(warp, pc, &sources, lanes, space)? {
                        self.forget_shared(&addresses, access, lanes, &unknown);
                    }
                }
                Space::Local => self.store_local(warp, pc, access, &addresses, lanes, values)?,
                Space::Parameter => {
                    let lane = lanes.trailing_zeros() as usize;
                    let what = "parameters of a kernel cannot be stored to".to_owned();
                    return Err(self.finding(warp, pc, lane, Defect::InvalidOperand { what }));
                }
                Space::Global | Space::Generic => {
                    self.unknown_stored(warp, pc, &sources, lanes, Space::Global)?;
                    self.store_global(warp, pc, access, &addresses, lanes, values)?;
                }
            }
        }
        Ok(())
    }

    /// The spaces that lanes mean. An address of a space is one, whatever it is; a generic one is
    /// told by its upper half.
    pub fn spaces(
        &self,
        space: Space,
        addresses: &Lanes64,
        active: Mask,
    ) -> impl Iterator<Item = (Space, Mask)> + use<> {
        let mut masks = [
            (Space::Global, 0),
            (Space::Shared, 0),
            (Space::Local, 0),
            (Space::Parameter, 0),
        ];
        if space == Space::Generic {
            for lane in each(active) {
                let index = match (addresses[lane] >> 32) as u32 {
                    SHARED => 1,
                    LOCAL => 2,
                    PARAMETERS => 3,
                    _ => 0,
                };
                masks[index].1 |= 1 << lane;
            }
        } else {
            masks[0] = (space, active);
        }
        masks.into_iter().filter(|(_, lanes)| *lanes != 0)
    }

    /// `cvta`.
    pub fn convert_address(
        &self,
        warp: &mut Warp,
        slots: &[Slot],
        space: Space,
        direction: Direction,
        active: Mask,
    ) {
        let window = u64::from(window(space)) << 32;
        let values = warp
            .registers
            .get64(slots[1])
            .map(|address| match direction {
                _ if window == 0 => address,
                Direction::ToGeneric => window | address & u64::from(u32::MAX),
                Direction::FromGeneric => address & u64::from(u32::MAX),
            });
        warp.registers.set64(slots[0], active, values);
    }

    /// `isspacep`.
    pub fn is_space(warp: &mut Warp, slots: &[Slot], space: Space, active: Mask) {
        let addresses = warp.registers.get64(slots[1]);
        let window = window(space);
        let is = |address: u64| match (address >> 32) as u32 {
            upper @ (SHARED | LOCAL | PARAMETERS) => upper == window,
            _ => window == 0,
        };
        let holds = each(active).filter(|&lane| is(addresses[lane]));
        let mask = holds.fold(0, |mask, lane| mask | 1 << lane);
        warp.registers.set_predicate(slots[0], active, mask);
    }

    fn load_local(
        &self,
        warp: &Warp,
        pc: u32,
        access: Access,
        addresses: &Lanes64,
        lanes: Mask,
        values: &mut [Lanes64],
    ) -> Checked<()> {
        for lane in each(lanes) {
            let at = self.local_place(warp, pc, access, addresses[lane], lane)?;
            for (element, values) in values.iter_mut().enumerate() {
                let bytes = access.bytes as usize;
                let at = at + element * bytes;
                values[lane] = little_endian(&warp.local[at..at + bytes]);
            }
        }
        Ok(())
    }

    fn store_local(
        &self,
        warp: &mut Warp,
        pc: u32,
        access: Access,
        addresses: &Lanes64,
        lanes: Mask,
        values: &[Lanes64],
    ) -> Checked<()> {
        for lane in each(lanes) {
            let at = self.local_place(warp, pc, access, addresses[lane], lane)?;
            for (element, values) in values.iter().enumerate() {
                let bytes = access.bytes as usize;
                let at = at + element * bytes;
                warp.local[at..at + bytes].copy_from_slice(&values[lane].to_le_bytes()[..bytes]);
            }
        }
        Ok(())
    }

    fn local_place(
        &self,
        warp: &Warp,
        pc: u32,
        access: Access,
        address: u64,
        lane: usize,
    ) -> Checked<usize> {
        let size = u64::from(self.launch.entry.local_bytes);
        let place = address & u64::from(u32::MAX);
        let bytes = access.bytes * access.count;
        if !place.is_multiple_of(u64::from(bytes)) {
            let defect = Defect::Misaligned {
                space: Space::Local,
                address,
                bytes,
            };
            return Err(self.finding(warp, pc, lane, defect));
        }
        if place + u64::from(bytes) > size {
            let defect = Defect::OutOfBounds {
                space: Space::Local,
                address,
                bytes,
                of: format!("outside local memory of {size} bytes per thread"),
                write: false,
                memory: None,
                element: None,
            };
            return Err(self.finding(warp, pc, lane, defect));
        }
        #[allow(clippy::cast_possible_truncation)] // both are less than 2^32
        Ok((lane as u64 * size + place) as usize)
    }

    fn load_parameter(
        &self,
        warp: &Warp,
        pc: u32,
        access: Access,
        addresses: &Lanes64,
        lanes: Mask,
        values: &mut [Lanes64],
    ) -> Checked<()> {
        let parameters = self.launch.parameters;
        for lane in each(lanes) {
            let address = addresses[lane];
            let place = (address & u64::from(u32::MAX)) as usize;
            for (element, values) in values.iter_mut().enumerate() {
                let at = place + element * access.bytes as usize;
                let Some(bytes) = parameters.get(at..at + access.bytes as usize) else {
                    let defect = Defect::OutOfBounds {
                        space: Space::Parameter,
                        address,
                        bytes: access.bytes * access.count,
                        of: format!("outside parameters of {} bytes", parameters.len()),
                        write: false,
                        memory: None,
                        element: None,
                    };
                    return Err(self.finding(warp, pc, lane, defect));
                };
                values[lane] = little_endian(bytes);
            }
        }
        Ok(())
    }
}

/// The upper half of generic addresses of a space; 0 for global memory.
const fn window(space: Space) -> u32 {
    match space {
        Space::Shared => SHARED,
        Space::Local => LOCAL,
        Space::Parameter => PARAMETERS,
        Space::Global | Space::Generic => 0,
    }
}

/// The address of each lane.
pub fn addresses(warp: &Warp, base: Slot, access: Access) -> Lanes64 {
    let base = if access.wide_base {
        warp.registers.get64(base)
    } else {
        warp.registers.get32(base).map(u64::from)
    };
    base.map(|base| base.wrapping_add_signed(access.offset))
}

/// A number of up to 8 bytes.
pub fn little_endian(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// Writes loaded bytes to a register, which may be wider than they are.
#[allow(clippy::cast_possible_truncation)] // narrow registers hold the low bits
fn write_element(warp: &mut Warp, slot: Slot, access: Access, mask: Mask, values: &Lanes64) {
    let extend = |value: u64| match (access.signed, access.bytes) {
        (true, 1) => value as u8 as i8 as i64 as u64,
        (true, 2) => value as u16 as i16 as i64 as u64,
        (true, 4) => value as u32 as i32 as i64 as u64,
        _ => value,
    };
    if access.wide_registers {
        warp.registers.set64(slot, mask, values.map(extend));
    } else if access.signed {
        let mut low = values.map(|value| extend(value) as u32);
        if access.narrow_registers {
            low = low.map(|value| value & 0xffff);
        }
        warp.registers.set32(slot, mask, low);
    } else {
        warp.registers
            .set32(slot, mask, values.map(|value| value as u32));
    }
}

/// Reads a register that is stored.
fn read_element(warp: &Warp, slot: Slot, access: Access) -> Lanes64 {
    if access.wide_registers {
        warp.registers.get64(slot)
    } else {
        let values: Lanes32 = warp.registers.get32(slot);
        values.map(u64::from)
    }
}
