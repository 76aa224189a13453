//! Tensor-core instructions of one warp, and the moves of matrices between shared memory and
//! registers.

use super::global::Kind;
use super::poison::Source;
use super::step::{Checked, Flow, Machine};
use super::warp::{Wait, Warp};
use crate::simulator::matrix::movement::{LoadMatrix, MoveMatrix, Row};
use crate::simulator::program::Instruction;
use crate::simulator::program::allocate::Width;
use crate::simulator::program::op::{Access, Address, Op, Order, Scope, Space};
use crate::simulator::registers::{FULL, LANES, Lanes64, Mask, Slot};

/// A row of a matrix in shared memory.
const ROW: Access = Access {
    space: Space::Shared,
    offset: 0,
    wide_base: true,
    bytes: 8,
    count: 2,
    signed: false,
    wide_registers: false,
    narrow_registers: false,
    order: Order::Weak,
    scope: Scope::Device,
};

impl Machine<'_> {
    /// `mma`, `ldmatrix`, `stmatrix`, `movmatrix`: all lanes of the warp together.
    pub fn matrix(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        instruction: &Instruction,
        mask: Mask,
        active: Mask,
    ) -> Checked<Flow> {
        // Those whose guard does not hold go on without it.
        if mask != active {
            return Err(self.not_all_lanes(warp, pc, active));
        }
        let missing = warp.alive & !active;
        if missing != 0 {
            return Ok(Flow::Wait {
                wait: Wait::Lanes(missing),
                again: true,
            });
        }
        if active != FULL {
            return Err(self.not_all_lanes(warp, pc, active));
        }
        let slots = instruction.slots(self.launch.entry);
        match &instruction.op {
            Op::Mma(mma) => {
                let counts = [mma.d(), mma.a(), mma.b()].map(|operand| operand.count);
                let (d, rest) = slots.split_at(counts[0]);
                let (a, rest) = rest.split_at(counts[1]);
                let (b, c) = rest.split_at(counts[2]);
                mma.run(&mut warp.registers, d, a, b, c);
            }
            Op::MatrixLoad(load, address) => {
                let count = load.registers();
                let addresses = row_addresses(warp, slots[count], *address);
                let rows = mask_of(load.rows());
                let places = self.shared_places(warp, pc, &addresses, rows, 16, false)?;
                self.count_matrix(pc, &places, rows);
                self.before_shared(warp, pc, ROW, &places, &addresses, rows, Kind::Load, &[])?;
                let data: Vec<Row> = places[..load.rows()]
                    .iter()
                    .map(|&(block, at)| {
                        let memory = &self.cluster.blocks[block as usize].shared;
                        let mut row = Row::default();
                        row.copy_from_slice(&memory[at as usize..at as usize + 16]);
                        row
                    })
                    .collect();
                load.run(&data, &mut warp.registers, &slots[..count]);
                self.poison_matrix(warp, pc, load, &slots[..count], &places, &addresses);
            }
            Op::MatrixStore(store, address) => {
                let addresses = row_addresses(warp, slots[0], *address);
                let rows = mask_of(store.rows());
                let places = self.shared_places(warp, pc, &addresses, rows, 16, true)?;
                self.count_matrix(pc, &places, rows);
                let data = store.run(&warp.registers, &slots[1..]);
                let mut values = [[0; LANES]; 2];
                for (lane, row) in data.iter().enumerate() {
                    let row = u128::from_le_bytes(*row);
                    #[allow(clippy::cast_possible_truncation)] // the halves
                    let halves = [row as u64, (row >> 64) as u64];
                    [values[0][lane], values[1][lane]] = halves;
                }
                self.before_shared(
                    warp,
                    pc,
                    ROW,
                    &places,
                    &addresses,
                    rows,
                    Kind::Store,
                    &values,
                )?;
                for (&(block, at), row) in places.iter().zip(&data) {
                    let memory = &mut self.cluster.blocks[block as usize].shared;
                    memory[at as usize..at as usize + 16].copy_from_slice(row);
                }
                if let Some(poison) = &warp.poison {
                    let unknown = store.run(&poison.bits, &slots[1..]);
                    self.forget_rows(&places, &unknown);
                }
            }
            Op::MatrixMove => MoveMatrix.run(&mut warp.registers, slots[0], slots[1]),
            _ => {}
        }
        Ok(Flow::Next)
    }

    /// Marks what a matrix load read and nobody wrote.
    fn poison_matrix(
        &self,
        warp: &mut Warp,
        pc: u32,
        load: &LoadMatrix,
        destinations: &[Slot],
        places: &super::shared::Places,
        addresses: &Lanes64,
    ) {
        if !self.launch.options.checks {
            return;
        }
        let rows = &places[..load.rows()];
        let known = |&(block, at): &(u32, u32), byte: usize, bytes: usize| {
            self.cluster.blocks[block as usize]
                .initialised
                .has(at as usize + byte, bytes)
        };
        let first = rows.iter().position(|place| !known(place, 0, 16));
        let slots: Vec<_> = destinations
            .iter()
            .map(|&slot| (slot, Width::Row))
            .collect();
        let nothing = [[0; LANES]; super::memory::ELEMENTS];
        let source = first.map(|first| Source {
            pc,
            space: Space::Shared,
            address: addresses[first],
            bytes: 16,
            of: "the program".to_owned(),
        });
        self.poison(warp, &slots, FULL, &nothing, source);
        if let (Some(_), Some(poison)) = (first, &mut warp.poison) {
            let unknown: Vec<Row> = rows
                .iter()
                .map(|place| {
                    std::array::from_fn(|byte| if known(place, byte, 1) { 0 } else { 0xff })
                })
                .collect();
            load.run(&unknown, &mut poison.bits, destinations);
        }
    }

    /// What rows have just stored is not known where bits are set.
    fn forget_rows(&mut self, places: &super::shared::Places, unknown: &[Row]) {
        for (&(block, at), row) in places.iter().zip(unknown) {
            for (byte, _) in row.iter().enumerate().filter(|(_, bits)| **bits != 0) {
                self.cluster.blocks[block as usize]
                    .initialised
                    .unset(at as usize + byte);
            }
        }
    }

    /// Rows are fetched eight at a time: one matrix per pass.
    fn count_matrix(&mut self, pc: u32, places: &super::shared::Places, rows: Mask) {
        if self.launch.options.profile {
            let places = places.map(|(_, place)| place);
            self.counters.shared(pc, &places, rows, 16, true);
        }
    }
}

fn row_addresses(warp: &Warp, slot: Slot, address: Address) -> Lanes64 {
    let base = if address.wide {
        warp.registers.get64(slot)
    } else {
        warp.registers.get32(slot).map(u64::from)
    };
    base.map(|base| base.wrapping_add_signed(address.offset) & u64::from(u32::MAX))
}

/// The lanes below `count`, which is at most 32.
const fn mask_of(count: usize) -> Mask {
    match count {
        0 => 0,
        1..32 => (1 << count) - 1,
        _ => FULL,
    }
}
