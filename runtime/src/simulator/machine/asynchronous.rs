//! Instructions whose work goes on after them, and those that wait for it.
//!
//! The work is done at once; that it may happen as late as at the wait for it is what
//! [`order`](super::order) tells the checks. What waits really waits: an mbarrier's phase ends when
//! all arrivals and bytes are there, which may be when another warp has run.

mod bulk;
mod copy;
pub mod mbarrier;
pub mod mbarrier_object;
mod pointer;
mod register_count;
mod store;
mod tensor;
mod warpgroup;
pub mod watch;
mod wgmma;

use super::step::{Checked, Flow, Machine};
use super::warp::Warp;
use crate::simulator::program::Instruction;
use crate::simulator::program::op::asynchronous::{Asynchronous, Queue};
use crate::simulator::registers::Mask;

impl Machine<'_> {
    pub fn asynchronous(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        instruction: &Instruction,
        operation: &Asynchronous,
        active: Mask,
    ) -> Checked<Flow> {
        let slots = instruction.slots(self.launch.entry);
        match operation {
            Asynchronous::Copy(copy) => self.copy(warp, pc, slots, copy, active)?,
            Asynchronous::CopiesArrive(at, no_increment) => {
                self.copies_arrive(warp, pc, slots[0], *at, *no_increment, active)?;
            }
            Asynchronous::Commit(Queue::Wgmma) => return self.wgmma_commit(warp, pc, active),
            Asynchronous::Commit(queue) => self.order_commit(warp, active, *queue),
            Asynchronous::Wait(wait) if wait.queue == Queue::Wgmma => {
                return self.wgmma_wait(warp, pc, *wait, active);
            }
            Asynchronous::Wait(wait) => self.order_wait(warp, active, *wait),
            Asynchronous::Bulk(bulk) => self.bulk(warp, pc, slots, bulk, active)?,
            Asynchronous::Tensor(tensor) => self.tensor(warp, pc, slots, tensor, active)?,
            Asynchronous::Store(store) => {
                self.store_asynchronously(warp, pc, slots, store, active)?
            }
            Asynchronous::WgmmaFence => return self.wgmma_fence(warp, pc, active),
            Asynchronous::Multiply(multiply) => {
                return self.multiply(warp, pc, instruction, multiply, active);
            }
            Asynchronous::SetRegisters(set) => {
                return self.set_registers(warp, pc, *set, active);
            }
            Asynchronous::Mbarrier(operation) => {
                return self.mbarrier(warp, pc, slots, operation, active);
            }
        }
        Ok(Flow::Next)
    }
}
