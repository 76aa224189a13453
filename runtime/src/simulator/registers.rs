//! The register file of one warp.
//!
//! PTX registers are virtual and typed loosely: only their width counts (PTX ISA, 5.2.1). Each gets
//! a [`Slot`] in rows of 32 lanes; a 64-bit register takes two rows. Values narrower than 32 bits
//! lie in the low bits of a row and **the bits above are zero**: whoever writes keeps to that, so
//! that whoever reads may rely on it. Predicates are masks, one bit per lane, in a file of their
//! own.

/// Threads of a warp.
pub const LANES: usize = 32;

/// One bit per lane; lane 0 is the lowest.
pub type Mask = u32;

/// All lanes.
pub const FULL: Mask = u32::MAX;

/// The bit of each lane in a mask.
pub const BIT: Lanes32 = {
    let mut bits = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// A register of up to 32 bits, all lanes.
pub type Lanes32 = [u32; LANES];

/// A register of 64 bits, all lanes.
pub type Lanes64 = [u64; LANES];

/// Where a register lies: the number of its first row, or of its mask if it is a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Row(Lanes32);

/// The registers of a warp.
#[derive(Debug, Clone)]
pub struct Registers {
    rows: Vec<Row>,
    predicates: Vec<Mask>,
}

impl Registers {
    /// So many rows and predicates, all zero.
    #[must_use]
    pub fn new(rows: usize, predicates: usize) -> Self {
        Self {
            rows: vec![Row([0; LANES]); rows],
            predicates: vec![0; predicates],
        }
    }

    /// The lanes of a register of up to 32 bits, in place.
    #[inline]
    #[must_use]
    pub fn row(&self, slot: Slot) -> &Lanes32 {
        &self.rows[slot.0 as usize].0
    }

    /// The lanes of a register of up to 32 bits.
    #[inline]
    #[must_use]
    pub fn get32(&self, slot: Slot) -> Lanes32 {
        self.rows[slot.0 as usize].0
    }

    /// Writes the lanes of the mask; the others keep what they have.
    #[inline]
    pub fn set32(&mut self, slot: Slot, mask: Mask, values: Lanes32) {
        let row = &mut self.rows[slot.0 as usize].0;
        if mask == FULL {
            *row = values;
        } else {
            merge(row, mask, &values);
        }
    }

    /// The lanes of a 64-bit register.
    #[inline]
    #[must_use]
    pub fn get64(&self, slot: Slot) -> Lanes64 {
        let [low, high] = [slot.0 as usize, slot.0 as usize + 1].map(|row| &self.rows[row].0);
        let mut lanes = [0; LANES];
        for (lane, (low, high)) in lanes.iter_mut().zip(low.iter().zip(high)) {
            *lane = u64::from(*high) << 32 | u64::from(*low);
        }
        lanes
    }

    /// Writes the lanes of the mask; the others keep what they have.
    #[inline]
    pub fn set64(&mut self, slot: Slot, mask: Mask, values: Lanes64) {
        let (mut low, mut high) = ([0; LANES], [0; LANES]);
        for (lane, value) in values.into_iter().enumerate() {
            low[lane] = value as u32;
            high[lane] = (value >> 32) as u32;
        }
        self.set32(slot, mask, low);
        self.set32(Slot(slot.0 + 1), mask, high);
    }

    /// The lanes for which a predicate is true.
    #[inline]
    #[must_use]
    pub fn predicate(&self, slot: Slot) -> Mask {
        self.predicates[slot.0 as usize]
    }

    /// Writes the lanes of the mask; the others keep what they have.
    #[inline]
    pub fn set_predicate(&mut self, slot: Slot, mask: Mask, value: Mask) {
        let old = &mut self.predicates[slot.0 as usize];
        *old = *old & !mask | value & mask;
    }
}

/// Takes the lanes of the mask from elsewhere.
#[inline(never)] // where it is inlined, values that are in registers are taken apart
fn merge(row: &mut Lanes32, mask: Mask, values: &Lanes32) {
    for ((old, new), bit) in row.iter_mut().zip(values).zip(BIT) {
        *old = if mask & bit == 0 { *old } else { *new };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_outside_the_mask_keep_their_value() {
        let mut registers = Registers::new(3, 1);
        registers.set64(Slot(1), FULL, [u64::MAX; LANES]);
        registers.set64(Slot(1), 0b100, [0x1_0000_0002; LANES]);
        let lanes = registers.get64(Slot(1));
        assert_eq!(lanes[1..4], [u64::MAX, 0x1_0000_0002, u64::MAX]);
        registers.set_predicate(Slot(0), 0b110, 0b011);
        assert_eq!(registers.predicate(Slot(0)), 0b010);
        assert_eq!(registers.get32(Slot(0)), [0; LANES]);
    }
}
