//! Operations on mbarriers (PTX ISA, "mbarrier").
//!
//! `try_wait` waits until a phase has ended for some of its lanes. If it had to wait it gives false,
//! as the hardware does when its time limit is over just before: who does not look at the answer and
//! ask again has not waited. `test_wait` gives its answer at once and lets others run.

use super::mbarrier_object::{MbarrierObject, State};
use super::pointer::{Wanted, addresses};
use crate::simulator::checks::Space;
use crate::simulator::checks::shadow::Mode;
use crate::simulator::machine::communicate::each;
use crate::simulator::machine::global::Kind;
use crate::simulator::machine::memory::little_endian;
use crate::simulator::machine::order::asynchronous::SharedPlace;
use crate::simulator::machine::step::{Checked, Flow, Machine};
use crate::simulator::machine::warp::{Wait, Warp};
use crate::simulator::memory::shared;
use crate::simulator::program::op::Scope;
use crate::simulator::program::op::asynchronous::{
    Arrive, ArriveWith, Mbarrier, MbarrierKind as Operation,
};
use crate::simulator::registers::{LANES, Lanes64, Mask, Slot};

/// Bytes of an mbarrier, and what its address is a multiple of.
pub const BYTES: u32 = 8;

impl Machine<'_> {
    pub fn mbarrier(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        slots: &[Slot],
        operation: &Mbarrier,
        active: Mask,
    ) -> Checked<Flow> {
        let space = operation.at.space;
        let at = |warp: &Warp, slot| addresses(warp, slot, operation.at);
        match operation.kind {
            Operation::Initialise => {
                let at = at(warp, slots[0]);
                let counts = warp.registers.get32(slots[1]);
                for lane in each(active) {
                    self.initialise_mbarrier(warp, pc, lane, (space, at[lane]), counts[lane])?;
                }
            }
            Operation::Invalidate => {
                let at = at(warp, slots[0]);
                for lane in each(active) {
                    let place = self.mbarrier_place(warp, pc, lane, (space, at[lane]), true)?;
                    self.live_mbarrier(warp, pc, lane, place)?;
                    self.before_mbarrier(warp, pc, lane, place, Mode::Generic)?;
                    self.order_mbarrier(place);
                    let block = &mut self.cluster.blocks[place.0 as usize];
                    block.mbarriers.remove(&place.1);
                    self.shared_bytes_mut(place, BYTES).fill(0);
                }
            }
            Operation::Arrive(arrive) => {
                let at = at(warp, slots[1]);
                let numbers = slots.get(2).map(|&slot| warp.registers.get32(slot));
                let numbers = numbers.unwrap_or([1; LANES]);
                let mut states = [0; LANES];
                for lane in each(active) {
                    let place = self.mbarrier_place(warp, pc, lane, (space, at[lane]), false)?;
                    states[lane] = self.live_mbarrier(warp, pc, lane, place)?.encode();
                    self.before_mbarrier(warp, pc, lane, place, Mode::Atomic(Scope::Device))?;
                    self.order_arrive(warp, lane, place, operation.orders);
                    self.arrive(warp, pc, lane, place, arrive, numbers[lane])?;
                }
                warp.registers.set64(slots[0], active, states);
            }
            Operation::Expect | Operation::Complete => {
                let at = at(warp, slots[0]);
                let bytes = warp.registers.get32(slots[1]);
                for lane in each(active) {
                    let place = self.mbarrier_place(warp, pc, lane, (space, at[lane]), false)?;
                    self.before_mbarrier(warp, pc, lane, place, Mode::Atomic(Scope::Device))?;
                    let bytes = i64::from(bytes[lane]);
                    let bytes = match operation.kind {
                        Operation::Expect => bytes,
                        _ => -bytes,
                    };
                    self.change_mbarrier(warp, pc, lane, place, |object| object.transact(bytes))?;
                }
            }
            Operation::Test { parity, blocks } => {
                let at = at(warp, slots[1]);
                let parities = self.parities(warp, pc, slots[2], parity, active)?;
                return self.test(
                    warp,
                    pc,
                    (operation, slots[0], &at),
                    parities,
                    blocks,
                    active,
                );
            }
            Operation::PendingCount => {
                let states = warp.registers.get64(slots[1]);
                let mut counts = [0; LANES];
                for lane in each(active) {
                    counts[lane] = self.state(warp, pc, lane, states[lane])?.pending;
                }
                warp.registers.set32(slots[0], active, counts);
            }
        }
        Ok(Flow::Next)
    }

    fn initialise_mbarrier(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        lane: usize,
        address: (Space, u64),
        count: u32,
    ) -> Checked<()> {
        let place = self.mbarrier_place(warp, pc, lane, address, true)?;
        if let Some(object) = self.mbarrier_at(place) {
            let what = format!(
                "{} is initialised, but it is an mbarrier already, in phase {}: it lacks \
                 mbarrier.inval",
                self.name_of_mbarrier(place),
                object.phase
            );
            return Err(self.invalid(warp, pc, lane, what));
        }
        let object = match MbarrierObject::new(count) {
            Ok(object) => object,
            Err(what) => return Err(self.refused(warp, pc, lane, place, &what)),
        };
        self.before_mbarrier(warp, pc, lane, place, Mode::Generic)?;
        self.order_mbarrier(place);
        self.keep_mbarrier(place, object);
        Ok(())
    }

    fn arrive(
        &mut self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        place: SharedPlace,
        arrive: Arrive,
        number: u32,
    ) -> Checked<()> {
        let (count, bytes) = match arrive.with {
            ArriveWith::Nothing => (1, 0),
            ArriveWith::Count => (number, 0),
            ArriveWith::Bytes => (1, number),
        };
        let over = self.change_mbarrier(warp, pc, lane, place, |object| {
            if arrive.drops {
                object.drop_out(count)?;
            }
            // The arrival that follows is still outstanding, so that no phase ends here.
            object.transact(i64::from(bytes))?;
            object.arrive(count)
        })?;
        if over && arrive.no_complete {
            let what = "ends its phase by an arrival that says .noComplete";
            return Err(self.refused(warp, pc, lane, place, what));
        }
        Ok(())
    }

    /// `test_wait`, `try_wait`.
    fn test(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        (operation, result, at): (&Mbarrier, Slot, &Lanes64),
        parities: Mask,
        blocks: bool,
        active: Mask,
    ) -> Checked<Flow> {
        let mut over = 0;
        let mut waits = Vec::new();
        for lane in each(active) {
            let address = (operation.at.space, at[lane]);
            let place = self.mbarrier_place(warp, pc, lane, address, true)?;
            let object = self.live_mbarrier(warp, pc, lane, place)?;
            self.before_mbarrier(warp, pc, lane, place, Mode::Atomic(Scope::Device))?;
            let parity = parities >> lane & 1 == 1;
            if object.parity() != parity {
                over |= 1 << lane;
                // Of a barrier that is new the phase before the first counts as over.
                if let Some(phase) = object.phase.checked_sub(1) {
                    self.order_mbarrier_wait(warp, lane, place, phase, operation.orders);
                }
            } else if !waits.contains(&(place, parity)) {
                waits.push((place, parity));
            }
        }
        warp.registers.set_predicate(result, active, over);
        if over == 0 && blocks {
            let wait = Wait::Mbarriers(waits);
            return Ok(Flow::Wait { wait, again: false });
        }
        Ok(if over == active {
            Flow::Next
        } else {
            Flow::Yield
        })
    }

    /// For each lane the parity of the phase that it asks for.
    fn parities(
        &self,
        warp: &Warp,
        pc: u32,
        slot: Slot,
        given: bool,
        active: Mask,
    ) -> Checked<Mask> {
        let mut parities = 0;
        for lane in each(active) {
            let parity = if given {
                let parity = warp.registers.get32(slot)[lane];
                if parity > 1 {
                    let what = format!("the parity of a phase is 0 or 1, not {parity}");
                    return Err(self.invalid(warp, pc, lane, what));
                }
                parity == 1
            } else {
                let bits = warp.registers.get64(slot)[lane];
                self.state(warp, pc, lane, bits)?.parity
            };
            parities |= u32::from(parity) << lane;
        }
        Ok(parities)
    }

    fn state(&self, warp: &Warp, pc: u32, lane: usize, bits: u64) -> Checked<State> {
        State::decode(bits).ok_or_else(|| {
            let what = format!("{bits:#x} is no state that an arrival at an mbarrier gave");
            self.invalid(warp, pc, lane, what)
        })
    }

    /// The place of an mbarrier; whether it must be of the own block.
    pub fn mbarrier_place(
        &self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        address: (Space, u64),
        own: bool,
    ) -> Checked<SharedPlace> {
        let wanted = Wanted {
            bytes: BYTES,
            alignment: BYTES,
            kind: Kind::Atomic,
        };
        let place = self.shared_at(warp, pc, lane, address, wanted)?;
        if own && place.0 != self.cluster.blocks[self.current].rank {
            let what = format!(
                "{} is of another block; this instruction acts on those of the own block",
                self.name_of_mbarrier(place)
            );
            return Err(self.invalid(warp, pc, lane, what));
        }
        Ok(place)
    }

    /// Changes an mbarrier, which ends its phase if nothing is outstanding then. Gives whether it
    /// did.
    pub fn change_mbarrier(
        &mut self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        place: SharedPlace,
        change: impl FnOnce(&mut MbarrierObject) -> Result<bool, String>,
    ) -> Checked<bool> {
        let mut object = self.live_mbarrier(warp, pc, lane, place)?;
        let phase = object.phase;
        match change(&mut object) {
            Ok(over) => {
                self.keep_mbarrier(place, object);
                if over {
                    self.order_phase_end(place, phase);
                }
                Ok(over)
            }
            Err(what) => Err(self.refused(warp, pc, lane, place, &what)),
        }
    }

    /// Bytes of a copy have come: the phase that waits for them waits for fewer.
    pub fn complete(
        &mut self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        place: SharedPlace,
        bytes: u32,
    ) -> Checked<()> {
        self.change_mbarrier(warp, pc, lane, place, |object| {
            object.transact(-i64::from(bytes))
        })?;
        Ok(())
    }

    fn keep_mbarrier(&mut self, place: SharedPlace, object: MbarrierObject) {
        let block = &mut self.cluster.blocks[place.0 as usize];
        block.mbarriers.insert(place.1, object);
        self.shared_bytes_mut(place, BYTES)
            .copy_from_slice(&object.encode().to_le_bytes());
    }

    /// The mbarrier at a place, if there is one and its bytes are as it left them.
    fn mbarrier_at(&self, place: SharedPlace) -> Option<MbarrierObject> {
        let object = *self.cluster.blocks[place.0 as usize]
            .mbarriers
            .get(&place.1)?;
        let bytes = little_endian(self.shared_bytes(place, BYTES));
        (bytes == object.encode()).then_some(object)
    }

    fn live_mbarrier(
        &self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        place: SharedPlace,
    ) -> Checked<MbarrierObject> {
        self.mbarrier_at(place).ok_or_else(|| {
            let block = &self.cluster.blocks[place.0 as usize];
            let was = if block.mbarriers.contains_key(&place.1) {
                "something has written over it"
            } else {
                "it was not initialised, or was invalidated"
            };
            let what = format!("{} is used, but {was}", self.name_of_mbarrier(place));
            self.invalid(warp, pc, lane, what)
        })
    }

    fn refused(
        &self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        place: SharedPlace,
        what: &str,
    ) -> Box<crate::simulator::checks::Finding> {
        let what = format!("{} {what}", self.name_of_mbarrier(place));
        self.invalid(warp, pc, lane, what)
    }

    fn name_of_mbarrier(&self, (rank, place): SharedPlace) -> String {
        let address = shared::START + place;
        if self.cluster.blocks.len() == 1 {
            format!("the mbarrier at {address:#x}")
        } else {
            format!("the mbarrier at {address:#x} of block {rank} of the cluster")
        }
    }

    /// Whether one of these phases has ended.
    pub fn phase_is_over(&self, waits: &[(SharedPlace, bool)]) -> bool {
        let over = |&(place, parity): &(SharedPlace, bool)| {
            // What is no mbarrier any more lets its waiters go on, and find that out.
            self.mbarrier_at(place)
                .is_none_or(|object| object.parity() != parity)
        };
        waits.iter().any(over)
    }

    /// What waits for mbarriers wait for.
    pub fn describe_mbarriers(&self, waits: &[(SharedPlace, bool)]) -> String {
        let describe = |&(place, parity): &(SharedPlace, bool)| {
            let name = self.name_of_mbarrier(place);
            let Some(object) = self.mbarrier_at(place) else {
                return name;
            };
            let MbarrierObject {
                expected,
                pending,
                bytes,
                phase,
            } = object;
            let arrived = i64::from(expected) - i64::from(pending);
            let bytes = match bytes {
                0 => "no bytes are outstanding".to_owned(),
                1.. => format!("{bytes} bytes are outstanding"),
                _ => format!("{} bytes more have come than were expected", -bytes),
            };
            format!(
                "the end of a phase of parity {} of {name}: it is in phase {phase}, \
                 {arrived} of {expected} arrivals have come, {bytes}",
                u8::from(parity)
            )
        };
        let described: Vec<String> = waits.iter().map(describe).collect();
        described.join("; or ")
    }
}
