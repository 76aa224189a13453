//! `cp.async.bulk.tensor`: boxes of tensors, by the Tensor Memory Accelerator (PTX ISA, "Tensor
//! copy").
//!
//! A box is a number of rows along dimension 0. In shared memory they follow each other, chunks of 16
//! bytes moved as the swizzle says; in global memory the part that is in the tensor is touched.

use super::bulk::{Receiver, Receivers, combine, kind_of};
use super::pointer::{Wanted, addresses, in_global, in_shared};
use crate::simulator::checks::Defect;
use crate::simulator::machine::communicate::each;
use crate::simulator::machine::global::Kind;
use crate::simulator::machine::order::asynchronous::{Agent, SharedPlace};
use crate::simulator::machine::step::{Checked, Machine};
use crate::simulator::machine::warp::Warp;
use crate::simulator::matrix::swizzle::Swizzle;
use crate::simulator::memory::{LOCAL, PARAMETERS, SHARED, shared};
use crate::simulator::program::op::asynchronous::{Completion, Tensor, TensorDirection, reduction};
use crate::simulator::program::op::{Atomic, AtomicElement, AtomicOperation, Space};
use crate::simulator::registers::{Lanes32, Mask, Slot};
use crate::simulator::tensor_map::{self, DataType, Fill, RANK, TensorMap};

/// What the address of a box in shared memory is a multiple of.
const ALIGNMENT: u32 = 128;
/// What a swizzle moves.
const CHUNK: u32 = 16;

impl Machine<'_> {
    pub fn tensor(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        slots: &[Slot],
        tensor: &Tensor,
        active: Mask,
    ) -> Checked<()> {
        let maps = addresses(warp, slots[0], tensor.map);
        let places = addresses(warp, slots[1], tensor.shared);
        let (coordinates, rest) = slots[2..].split_at(tensor.rank);
        let coordinates: Vec<Lanes32> = coordinates
            .iter()
            .map(|&slot| warp.registers.get32(slot))
            .collect();
        for lane in each(active) {
            let map = self.tensor_map(warp, pc, lane, maps[lane])?;
            if map.rank != tensor.rank {
                let what = format!(
                    "the tensor map has {} dimensions, the instruction {}",
                    map.rank, tensor.rank
                );
                return Err(self.invalid(warp, pc, lane, what));
            }
            let mut at = [0; RANK];
            for (at, lanes) in at.iter_mut().zip(&coordinates) {
                *at = lanes[lane].cast_signed();
            }
            self.check_start(warp, pc, lane, &map, (at[0], tensor.direction))?;
            let address = (tensor.shared.space, places[lane]);
            let wanted = |kind| Wanted {
                bytes: map.rows() * map.row_pitch(),
                alignment: ALIGNMENT,
                kind,
            };
            if warp.waits_for_launch {
                let address = map.address;
                return Err(self.finding(warp, pc, lane, Defect::NoLaunchWait { address }));
            }
            match tensor.direction {
                TensorDirection::Load(completion) => {
                    let Completion::Mbarrier {
                        at: mbarrier,
                        multicast,
                    } = completion
                    else {
                        continue;
                    };
                    let receivers = Receivers {
                        to: address,
                        wanted: wanted(Kind::Store),
                        mbarrier: (mbarrier.space, addresses(warp, rest[0], mbarrier)[lane]),
                        mask: multicast.then(|| warp.registers.get32(rest[1])[lane]),
                    };
                    let receivers = self.receivers(warp, pc, lane, receivers)?;
                    self.load_box(warp, pc, lane, &map, &at, &receivers)?;
                }
                TensorDirection::Store => {
                    let place = self.shared_at(warp, pc, lane, address, wanted(Kind::Load))?;
                    self.store_box(warp, pc, lane, &map, &at, (place, None))?;
                }
                TensorDirection::Reduce(operation) => {
                    let place = self.shared_at(warp, pc, lane, address, wanted(Kind::Load))?;
                    let Some(atomic) = reduction_of(map.data_type, operation) else {
                        let what = format!(
                            "{:?} cannot be done to elements of {:?}",
                            operation, map.data_type
                        );
                        return Err(self.invalid(warp, pc, lane, what));
                    };
                    self.store_box(warp, pc, lane, &map, &at, (place, Some(atomic)))?;
                }
            }
        }
        Ok(())
    }

    /// Where a box that is swizzled may begin along dimension 0. The manual does not say it: an H200 says that the
    /// instruction is illegal. (Boxes that are not swizzled were not tried.)
    fn check_start(
        &self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        map: &TensorMap,
        (start, direction): (i32, TensorDirection),
    ) -> Checked<()> {
        if map.swizzle == Swizzle::None {
            return Ok(());
        }
        let bytes = i64::from(start) * i64::from(map.data_type.bytes());
        let is_store = !matches!(direction, TensorDirection::Load(_));
        let what = match bytes % i64::from(CHUNK) {
            0 if is_store && start < 0 => format!(
                "a box that is stored begins {} elements before its tensor along dimension 0",
                start.unsigned_abs()
            ),
            0 => return Ok(()),
            _ => format!(
                "a box begins at element {start} of dimension 0, that is {bytes} bytes, which is no multiple of {CHUNK}"
            ),
        };
        Err(self.invalid(warp, pc, lane, what))
    }

    /// The map at a generic address: in global memory, or among the parameters.
    fn tensor_map(&self, warp: &Warp, pc: u32, lane: usize, address: u64) -> Checked<TensorMap> {
        let mut bytes = [0; tensor_map::BYTES];
        let half = (address >> 32) as u32;
        if !address.is_multiple_of(u64::from(tensor_map::ALIGNMENT)) {
            let defect = Defect::Misaligned {
                space: Space::Generic,
                address,
                bytes: tensor_map::ALIGNMENT,
            };
            return Err(self.finding(warp, pc, lane, defect));
        }
        match half {
            PARAMETERS => {
                let start = (address & u64::from(u32::MAX)) as usize;
                let parameters = self.launch.parameters;
                let Some(found) = parameters.get(start..start + tensor_map::BYTES) else {
                    let what =
                        format!("the tensor map at {address:#x} is not all in the parameters");
                    return Err(self.invalid(warp, pc, lane, what));
                };
                bytes.copy_from_slice(found);
            }
            SHARED | LOCAL => {
                let what = "a tensor map must be in global or constant memory, or a parameter";
                return Err(self.invalid(warp, pc, lane, what));
            }
            _ => {
                let wanted = Wanted {
                    bytes: tensor_map::BYTES as u32,
                    alignment: tensor_map::ALIGNMENT,
                    kind: Kind::Load,
                };
                let (memory, at) = self.global_at(warp, pc, lane, address, wanted)?;
                memory.read(at, &mut bytes);
            }
        }
        TensorMap::decode(&bytes).map_err(|error| {
            let what = format!("the tensor map at {address:#x} cannot be used: {error}");
            self.invalid(warp, pc, lane, what)
        })
    }

    fn load_box(
        &mut self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        map: &TensorMap,
        at: &[i32; RANK],
        receivers: &[Receiver],
    ) -> Checked<()> {
        let Some(first) = receivers.first() else {
            return Ok(());
        };
        let room = map.rows() * map.row_pitch();
        for receiver in receivers {
            let agent = Agent::BulkOn(receiver.mbarrier);
            let region = in_shared(receiver.to, room);
            self.before_asynchronous(warp, pc, lane, agent, region, Kind::Store)?;
        }
        let element = map.data_type.bytes();
        let outside = match map.fill {
            Fill::Zeros => 0,
            Fill::Nan => map.data_type.nan().unwrap_or(0),
        };
        let inside = map.row_inside(at);
        let mut data = vec![0; map.row_bytes() as usize];
        for row in 0..map.rows() {
            for part in data.chunks_exact_mut(element as usize) {
                part.copy_from_slice(&outside.to_le_bytes()[..element as usize]);
            }
            if let Some(address) = map.row_address(at, row).filter(|_| !inside.is_empty()) {
                let address = part_address(map, at, address, inside.start);
                let wanted = Wanted {
                    bytes: inside.len() as u32 * element,
                    alignment: 1,
                    kind: Kind::Load,
                };
                let (memory, place) = self.global_at(warp, pc, lane, address, wanted)?;
                let agent = Agent::BulkOn(first.mbarrier);
                let region = in_global(address, wanted.bytes);
                self.before_asynchronous(warp, pc, lane, agent, region, Kind::Load)?;
                self.transfer(warp, pc, lane, address, wanted.bytes, Kind::Load);
                let start = (inside.start * element) as usize;
                memory.read(place, &mut data[start..start + wanted.bytes as usize]);
            }
            for receiver in receivers {
                for (chunk, number) in data.chunks(CHUNK as usize).zip(0..) {
                    let place = swizzled(map, receiver.to, row, number);
                    self.shared_bytes_mut(place, CHUNK).copy_from_slice(chunk);
                }
            }
        }
        for receiver in receivers {
            self.complete(warp, pc, lane, receiver.mbarrier, map.box_bytes())?;
        }
        Ok(())
    }

    fn store_box(
        &mut self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        map: &TensorMap,
        at: &[i32; RANK],
        (from, atomic): (SharedPlace, Option<Atomic>),
    ) -> Checked<()> {
        let room = map.rows() * map.row_pitch();
        let agent = Agent::BulkGroup;
        self.before_asynchronous(warp, pc, lane, agent, in_shared(from, room), Kind::Load)?;
        let element = map.data_type.bytes();
        let inside = map.row_inside(at);
        if inside.is_empty() {
            return Ok(());
        }
        let mut data = vec![0; map.row_bytes() as usize];
        for row in 0..map.rows() {
            let Some(address) = map.row_address(at, row) else {
                continue;
            };
            for (chunk, number) in data.chunks_mut(CHUNK as usize).zip(0..) {
                let place = swizzled(map, from, row, number);
                chunk.copy_from_slice(self.shared_bytes(place, CHUNK));
            }
            let address = part_address(map, at, address, inside.start);
            let bytes = inside.len() as u32 * element;
            let kind = kind_of(atomic);
            let wanted = Wanted {
                bytes,
                alignment: 1,
                kind,
            };
            let (memory, place) = self.global_at(warp, pc, lane, address, wanted)?;
            let region = in_global(address, bytes);
            self.before_asynchronous(warp, pc, lane, agent, region, kind)?;
            self.transfer(warp, pc, lane, address, bytes, kind);
            let start = (inside.start * element) as usize;
            let part = &data[start..start + bytes as usize];
            match atomic {
                None => memory.write(place, part),
                Some(atomic) => {
                    let mut old = vec![0; part.len()];
                    memory.read(place, &mut old);
                    combine(atomic, &mut old, part);
                    memory.write(place, &old);
                }
            }
        }
        Ok(())
    }
}

/// The address of the first element of a row that is both in the box and in the tensor.
fn part_address(map: &TensorMap, at: &[i32; RANK], row: u64, first: u32) -> u64 {
    let element = i64::from(at[0]) + i64::from(first);
    row.wrapping_add_signed(element * i64::from(map.data_type.bytes()))
}

/// Where a chunk of a row of the box lies: the swizzle goes by the address in shared memory.
fn swizzled(map: &TensorMap, (rank, start): SharedPlace, row: u32, chunk: u32) -> SharedPlace {
    let address = shared::START + start + row * map.row_pitch() + chunk * CHUNK;
    (rank, map.swizzle.apply(address) - shared::START)
}

/// What a reduction does to elements of a type; `None` if it cannot be done to them (PTX ISA,
/// "cp.reduce.async.bulk.tensor").
fn reduction_of(data_type: DataType, operation: AtomicOperation) -> Option<Atomic> {
    use AtomicOperation as O;
    use DataType as T;
    let element = match data_type {
        T::Uint32 | T::Uint64 => AtomicElement::Unsigned,
        T::Int32 | T::Int64 => AtomicElement::Signed,
        T::Float16 => AtomicElement::F16,
        T::Bfloat16 => AtomicElement::Bf16,
        T::Float32 | T::Float32Ftz => AtomicElement::F32,
        _ => return None,
    };
    let whole = matches!(element, AtomicElement::Unsigned | AtomicElement::Signed);
    let known = match operation {
        O::Add => data_type != T::Int64,
        O::Min | O::Max => element != AtomicElement::F32,
        O::Increment | O::Decrement => data_type == T::Uint32,
        O::And | O::Or | O::Xor => whole,
        O::Exchange | O::CompareAndSwap => false,
    };
    known.then(|| reduction(operation, element, data_type.bytes()))
}
