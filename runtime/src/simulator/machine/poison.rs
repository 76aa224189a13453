//! Values that were loaded from memory which nobody wrote, and moved out of such registers.
//!
//! Loading them is no defect: a tile may be larger than what was stored of it, as long as nothing
//! comes of the rest. Nor is moving: LLVM packs a byte with one that it leaves without a value, and
//! fills that in afterwards. So each bit that is not known is marked, in a second register file; marks go
//! where values go, and are a finding once they reach global memory, an address or the flow of
//! control. This is how valgrind's memcheck does it (Seward and Nethercote, "Using Valgrind to detect
//! undefined value errors with bit-precision", 2005). A warp has marks only after it has loaded
//! or moved something unknown, and costs nothing before.

use super::communicate::each;
use super::memory::Values;
use super::step::{Checked, Machine};
use super::warp::Warp;
use crate::simulator::checks::{Defect, Finding, Space};
use crate::simulator::program::allocate::Width;
use crate::simulator::program::op::Op;
use crate::simulator::program::{Entry, Instruction, Propagation};
use crate::simulator::registers::{FULL, LANES, Lanes32, Lanes64, Mask, Registers, Slot};

/// What is not known of the registers of a warp.
#[derive(Debug, Clone)]
pub struct Poison {
    /// Slot by slot as in the warp's registers: a bit is set if its value is not known.
    pub bits: Registers,
    /// What was read.
    sources: Vec<Origin>,
    /// For each row, then each predicate: which of the sources it comes from.
    of: Vec<u32>,
    rows: usize,
}

/// A read of memory that was never written.
#[derive(Debug, Clone)]
pub struct Source {
    /// The instruction.
    pub pc: u32,
    /// Where.
    pub space: Space,
    /// The first byte.
    pub address: u64,
    /// How many bytes.
    pub bytes: u32,
    /// The memory, in words.
    pub of: String,
}

/// Where something unknown comes from.
#[derive(Debug, Clone)]
enum Origin {
    Memory(Source),
    /// A register that was moved, by number, and the instruction that did.
    Register {
        pc: u32,
        register: u32,
    },
}

impl Origin {
    const fn pc(&self) -> u32 {
        match self {
            Self::Memory(source) => source.pc,
            Self::Register { pc, .. } => *pc,
        }
    }
}

impl Poison {
    /// The number of a source: one for each instruction that reads.
    fn number(&mut self, origin: Origin) -> u32 {
        let same = |other: &Origin| other.pc() == origin.pc();
        let number = self.sources.iter().position(same).unwrap_or_else(|| {
            self.sources.push(origin);
            self.sources.len() - 1
        });
        u32::try_from(number).unwrap_or(0)
    }

    fn new(entry: &Entry) -> Self {
        let (rows, predicates) = (entry.rows as usize, entry.predicates as usize);
        Self {
            bits: Registers::new(rows, predicates),
            sources: Vec::new(),
            of: vec![0; rows + predicates],
            rows,
        }
    }

    /// Lanes of which something is not known.
    fn lanes(&self, slot: Slot, width: Width) -> Mask {
        let any = |bits: &dyn Fn(usize) -> bool| {
            (0..LANES).fold(0, |mask, lane| mask | u32::from(bits(lane)) << lane)
        };
        match width {
            Width::Predicate => self.bits.predicate(slot),
            Width::Row => {
                let bits = self.bits.get32(slot);
                any(&|lane| bits[lane] != 0)
            }
            Width::Pair => {
                let bits = self.bits.get64(slot);
                any(&|lane| bits[lane] != 0)
            }
        }
    }

    fn index(&self, slot: Slot, width: Width) -> usize {
        let base = if width == Width::Predicate {
            self.rows
        } else {
            0
        };
        base + slot.0 as usize
    }

    /// Nothing is known of these registers of a warp any more, in all lanes.
    pub fn forget(warp: &mut Warp, entry: &Entry, registers: &[(Slot, Width)], source: Source) {
        let poison = warp
            .poison
            .get_or_insert_with(|| Box::new(Self::new(entry)));
        let number = poison.number(Origin::Memory(source));
        for &(slot, width) in registers {
            let index = poison.index(slot, width);
            poison.of[index] = number;
            poison.set(slot, width, FULL, FULL);
        }
    }

    /// Nothing is known of the lanes of `unknown`, all of the others of `active`.
    fn set(&mut self, slot: Slot, width: Width, active: Mask, unknown: Mask) {
        let lane = |lane: usize| unknown >> lane & 1 == 1;
        match width {
            Width::Predicate => self.bits.set_predicate(slot, active, unknown),
            Width::Row => {
                let bits: Lanes32 = std::array::from_fn(|l| if lane(l) { u32::MAX } else { 0 });
                self.bits.set32(slot, active, bits);
            }
            Width::Pair => {
                let bits: Lanes64 = std::array::from_fn(|l| if lane(l) { u64::MAX } else { 0 });
                self.bits.set64(slot, active, bits);
            }
        }
    }
}

/// Combines marks and values of two operands.
type Combine = fn(marks: [u64; 2], values: [u64; 2]) -> u64;

impl Machine<'_> {
    /// Lanes loaded what was never written: `unknown` has a bit set for each bit that is not known.
    pub fn poison(
        &self,
        warp: &mut Warp,
        destinations: &[(Slot, Width)],
        active: Mask,
        unknown: &Values,
        source: Option<Source>,
    ) {
        if source.is_none() && warp.poison.is_none() {
            return;
        }
        let poison = warp
            .poison
            .get_or_insert_with(|| Box::new(Poison::new(self.launch.entry)));
        let number = source.map(|source| poison.number(Origin::Memory(source)));
        for (&(slot, width), unknown) in destinations.iter().zip(unknown) {
            if let Some(number) = number {
                let index = poison.index(slot, width);
                poison.of[index] = number;
            }
            #[allow(clippy::cast_possible_truncation)] // narrow registers have the low bits
            match width {
                Width::Pair => poison.bits.set64(slot, active, *unknown),
                _ => poison
                    .bits
                    .set32(slot, active, unknown.map(|bits| bits as u32)),
            }
        }
    }

    /// Lanes move a register that was never written: nothing is known of what it holds.
    pub fn poison_register(
        &self,
        warp: &mut Warp,
        pc: u32,
        instruction: &Instruction,
        (register, place): (u32, u8),
        missing: Mask,
    ) {
        let entry = self.launch.entry;
        let place = instruction.destinations as usize + usize::from(place);
        let slot = instruction.slots(entry)[place];
        let width = instruction.widths(entry)[place];
        let poison = warp
            .poison
            .get_or_insert_with(|| Box::new(Poison::new(entry)));
        let number = poison.number(Origin::Register { pc, register });
        let index = poison.index(slot, width);
        poison.of[index] = number;
        poison.set(slot, width, missing, missing);
    }

    /// Marks go where values go. Comes before the instruction is executed.
    pub fn propagate(
        &self,
        warp: &mut Warp,
        pc: u32,
        instruction: &Instruction,
        mask: Mask,
        active: Mask,
    ) -> Checked<()> {
        let Some(mut poison) = warp.poison.take() else {
            return Ok(());
        };
        let result = self.spread(warp, &mut poison, pc, instruction, mask, active);
        warp.poison = Some(poison);
        result
    }

    fn spread(
        &self,
        warp: &mut Warp,
        poison: &mut Poison,
        pc: u32,
        instruction: &Instruction,
        mask: Mask,
        active: Mask,
    ) -> Checked<()> {
        let entry = self.launch.entry;
        let slots = instruction.slots(entry);
        let widths = instruction.widths(entry);
        let (results, operands) = slots.split_at(instruction.destinations as usize);
        let (result_widths, operand_widths) = widths.split_at(results.len());
        let operands: Vec<_> = operands
            .iter()
            .copied()
            .zip(operand_widths.iter().copied())
            .collect();
        let results: Vec<_> = results
            .iter()
            .copied()
            .zip(result_widths.iter().copied())
            .collect();
        let by_guard = instruction
            .guard
            .map_or(0, |guard| poison.lanes(guard.slot, Width::Predicate) & mask);
        let is_control = !matches!(instruction.op, Op::Compute(_));
        if by_guard != 0 && is_control {
            let guard = instruction.guard.map_or(Slot(0), |guard| guard.slot);
            let reaches = "decides whether this instruction is executed";
            return Err(self.reached(
                warp,
                poison,
                pc,
                by_guard,
                (guard, Width::Predicate),
                reaches,
            ));
        }
        // The first operand that is marked says where the result's marks come from.
        let first = operands
            .iter()
            .find(|(slot, width)| poison.lanes(*slot, *width) & active != 0);
        let first = first.copied();
        let from = first.map(|(slot, width)| poison.of[poison.index(slot, width)]);
        let of_operand = |poison: &Poison, number: usize| {
            operands
                .get(number)
                .map_or(0, |&(slot, width)| poison.lanes(slot, width) & active)
        };
        match &instruction.op {
            Op::Load(_) | Op::Atomic(_) | Op::MatrixLoad(..) if first.is_some() => {
                let reaches = match instruction.op {
                    Op::Atomic(_) => "goes into an atomic",
                    _ => "is used as an address",
                };
                let operand = first.unwrap_or((Slot(0), Width::Row));
                let lanes = poison.lanes(operand.0, operand.1) & active;
                return Err(self.reached(warp, poison, pc, lanes, operand, reaches));
            }
            Op::Store(_) | Op::MatrixStore(..) if of_operand(poison, 0) != 0 => {
                let lanes = of_operand(poison, 0);
                return Err(self.reached(
                    warp,
                    poison,
                    pc,
                    lanes,
                    operands[0],
                    "is used as an address",
                ));
            }
            Op::BranchTable(_) if first.is_some() => {
                let lanes = of_operand(poison, 0);
                return Err(self.reached(warp, poison, pc, lanes, operands[0], "decides a branch"));
            }
            // These mark what they load, move or store by themselves.
            Op::Load(_)
            | Op::Store(_)
            | Op::MatrixLoad(..)
            | Op::MatrixStore(..)
            | Op::Shuffle(..) => {
                if let (Op::Shuffle(..), Some(from)) = (&instruction.op, from) {
                    let index = poison.index(results[0].0, results[0].1);
                    poison.of[index] = from;
                }
                return Ok(());
            }
            Op::Compute(run) if first.is_some() => {
                let run = *run;
                let spread = |poison: &mut Poison| {
                    let unknown = operands
                        .iter()
                        .fold(0, |mask, &(slot, width)| mask | poison.lanes(slot, width));
                    for &(slot, width) in &results {
                        poison.set(slot, width, active, unknown & active);
                    }
                };
                match instruction.propagation {
                    Propagation::Move => run(&mut poison.bits, slots, active),
                    Propagation::Control(first)
                        if (usize::from(first)..operands.len()).all(|number| {
                            let moved = &operands[..usize::from(first)];
                            of_operand(poison, number) == 0 && !moved.contains(&operands[number])
                        }) =>
                    {
                        // What says how bits are moved has its values, all else its marks.
                        let controls = operands.get(first.into()..).unwrap_or_default();
                        let clone = |&(slot, width): &(Slot, Width)| {
                            let marks = poison.bits.clone_slot(slot, width, &warp.registers);
                            (slot, width, marks)
                        };
                        let marks: Vec<_> = controls.iter().map(clone).collect();
                        run(&mut poison.bits, slots, active);
                        for &(slot, width, marks) in marks.iter().rev() {
                            poison.bits.restore_slot(slot, width, marks, &results);
                        }
                    }
                    Propagation::And => {
                        poison.bitwise(&warp.registers, &operands, results[0], active, |m, v| {
                            m[0] & m[1] | m[0] & v[1] | m[1] & v[0]
                        })
                    }
                    Propagation::Or => {
                        poison.bitwise(&warp.registers, &operands, results[0], active, |m, v| {
                            m[0] & m[1] | m[0] & !v[1] | m[1] & !v[0]
                        })
                    }
                    Propagation::Bitwise => {
                        poison.bitwise(&warp.registers, &operands, results[0], active, |m, _| {
                            m[0] | m[1]
                        });
                    }
                    Propagation::Halves => poison.halves(&operands, &results, active),
                    Propagation::Pack if operands.len() == 2 => {
                        poison.pack(&operands, results[0], active)
                    }
                    Propagation::Pack | Propagation::Spread | Propagation::Control(_) => {
                        spread(poison)
                    }
                }
            }
            Op::Mma(mma) if first.is_some() => {
                let counts = [mma.d(), mma.a(), mma.b()].map(|operand| operand.count);
                let (d, rest) = slots.split_at(counts[0]);
                let (a, rest) = rest.split_at(counts[1]);
                let (b, c) = rest.split_at(counts[2]);
                mma.spread_unknown(&mut poison.bits, d, a, b, c);
            }
            _ => {
                // Lanes talk: what one does not know none does.
                let across = !matches!(instruction.op, Op::Compute(_));
                let unknown = if first.is_some() && across { active } else { 0 };
                for &(slot, width) in &results {
                    poison.set(slot, width, active, unknown);
                }
            }
        }
        for &(slot, width) in &results {
            if let Some(from) = from {
                let index = poison.index(slot, width);
                poison.of[index] = from;
            }
            if by_guard != 0 {
                poison.set(slot, width, by_guard, by_guard);
            }
        }
        Ok(())
    }

    /// What was never written reaches something that shows.
    fn reached(
        &self,
        warp: &Warp,
        poison: &Poison,
        pc: u32,
        lanes: Mask,
        (slot, width): (Slot, Width),
        reaches: &str,
    ) -> Box<Finding> {
        let number = poison.of[poison.index(slot, width)];
        let lane = lanes.trailing_zeros() as usize % LANES;
        let reaches = reaches.to_owned();
        let defect = match poison.sources.get(number as usize).cloned() {
            Some(Origin::Memory(source)) => Defect::UninitialisedMemory {
                space: source.space,
                address: source.address,
                bytes: source.bytes,
                of: source.of,
                read: self.site(source.pc),
                reaches,
            },
            Some(Origin::Register { pc, register }) => Defect::UninitialisedRegister {
                register: self.launch.entry.tracked[register as usize].clone(),
                moved: Some((self.site(pc), reaches)),
            },
            None => Defect::InvalidOperand {
                what: format!("a value that was never written {reaches}"),
            },
        };
        self.finding(warp, pc, lane, defect)
    }

    /// What is not known of the values that lanes store; a finding if they go to global memory.
    pub fn unknown_stored(
        &self,
        warp: &Warp,
        pc: u32,
        values: &[(Slot, Width)],
        lanes: Mask,
        to: Space,
    ) -> Checked<Option<Box<Values>>> {
        let Some(poison) = &warp.poison else {
            return Ok(None);
        };
        let mut unknown = [[0; LANES]; super::memory::ELEMENTS];
        for (unknown, &(slot, width)) in unknown.iter_mut().zip(values) {
            *unknown = match width {
                Width::Pair => poison.bits.get64(slot),
                _ => poison.bits.get32(slot).map(u64::from),
            };
            let marked = each(lanes).find(|&lane| unknown[lane] != 0);
            if let Some(lane) = marked.filter(|_| to == Space::Global) {
                let reaches = "is stored to global memory";
                return Err(self.reached(warp, poison, pc, 1 << lane, (slot, width), reaches));
            }
        }
        Ok(Some(Box::new(unknown)))
    }
}

impl Poison {
    fn read(registers: &Registers, slot: Slot, width: Width) -> Lanes64 {
        match width {
            Width::Predicate => {
                let mask = registers.predicate(slot);
                std::array::from_fn(|lane| u64::from(mask >> lane & 1))
            }
            Width::Row => registers.get32(slot).map(u64::from),
            Width::Pair => registers.get64(slot),
        }
    }

    #[allow(clippy::cast_possible_truncation)] // as wide as the slot
    fn write(&mut self, slot: Slot, width: Width, active: Mask, bits: Lanes64) {
        match width {
            Width::Predicate => {
                let mask =
                    (0..LANES).fold(0, |mask, lane| mask | ((bits[lane] & 1) as u32) << lane);
                self.bits.set_predicate(slot, active, mask);
            }
            Width::Row => self.bits.set32(slot, active, bits.map(|bits| bits as u32)),
            Width::Pair => self.bits.set64(slot, active, bits),
        }
    }

    /// Each bit of the result comes from the same bits of the operands.
    fn bitwise(
        &mut self,
        values: &Registers,
        operands: &[(Slot, Width)],
        (slot, width): (Slot, Width),
        active: Mask,
        combine: Combine,
    ) {
        let mut result: Option<(Lanes64, Lanes64)> = None;
        for &(slot, width) in operands {
            let marks = Self::read(&self.bits, slot, width);
            let values = Self::read(values, slot, width);
            result = Some(match result {
                None => (marks, values),
                Some((before, known)) => (
                    std::array::from_fn(|lane| {
                        combine([before[lane], marks[lane]], [known[lane], values[lane]])
                    }),
                    known,
                ),
            });
        }
        if let Some((marks, _)) = result {
            self.write(slot, width, active, marks);
        }
    }

    /// Each half of a row comes from the same halves of the operands; predicates from all of them.
    fn halves(&mut self, operands: &[(Slot, Width)], results: &[(Slot, Width)], active: Mask) {
        let mut marks = [0; LANES];
        for &(slot, width) in operands {
            for (marks, bits) in marks.iter_mut().zip(Self::read(&self.bits, slot, width)) {
                for half in [0xffff, 0xffff_0000] {
                    if bits & half != 0 {
                        *marks |= half;
                    }
                }
            }
        }
        for &(slot, width) in results {
            let marks = match width {
                Width::Predicate => marks.map(|marks| u64::from(marks != 0)),
                _ => marks,
            };
            self.write(slot, width, active, marks);
        }
    }

    /// The first operand becomes the upper half, the second the lower one.
    fn pack(&mut self, operands: &[(Slot, Width)], (slot, width): (Slot, Width), active: Mask) {
        let [high, low] = [0, 1].map(|number: usize| {
            let (slot, width) = operands[number];
            Self::read(&self.bits, slot, width)
        });
        let marks = std::array::from_fn(|lane| {
            (u64::from(high[lane] != 0) * 0xffff_0000) | (u64::from(low[lane] != 0) * 0xffff)
        });
        self.write(slot, width, active, marks);
    }
}

impl Registers {
    /// Puts the values of `from` into a slot; gives what was there.
    fn clone_slot(&mut self, slot: Slot, width: Width, from: &Self) -> Lanes64 {
        let before = Poison::read(self, slot, width);
        let all = u32::MAX;
        match width {
            Width::Predicate => self.set_predicate(slot, all, from.predicate(slot)),
            Width::Row => self.set32(slot, all, from.get32(slot)),
            Width::Pair => self.set64(slot, all, from.get64(slot)),
        }
        before
    }

    /// Puts back what was in a slot, unless it is one of the results.
    #[allow(clippy::cast_possible_truncation)] // as wide as the slot
    fn restore_slot(
        &mut self,
        slot: Slot,
        width: Width,
        before: Lanes64,
        results: &[(Slot, Width)],
    ) {
        if results.contains(&(slot, width)) {
            return;
        }
        let all = u32::MAX;
        match width {
            Width::Predicate => {
                let mask =
                    (0..LANES).fold(0, |mask, lane| mask | ((before[lane] & 1) as u32) << lane);
                self.set_predicate(slot, all, mask);
            }
            Width::Row => self.set32(slot, all, before.map(|bits| bits as u32)),
            Width::Pair => self.set64(slot, all, before),
        }
    }
}
