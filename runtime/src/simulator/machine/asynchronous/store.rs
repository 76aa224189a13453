//! `st.async`, `red.async`: registers to shared memory of the cluster, told to an mbarrier there (PTX
//! ISA, "st.async", "red.async").

use super::bulk::{Receivers, combine, kind_of};
use super::pointer::{Wanted, addresses, in_shared};
use crate::simulator::machine::communicate::each;
use crate::simulator::machine::order::asynchronous::Agent;
use crate::simulator::machine::step::{Checked, Machine};
use crate::simulator::machine::warp::Warp;
use crate::simulator::program::op::asynchronous::Store;
use crate::simulator::registers::{Lanes64, Mask, Slot};

impl Machine<'_> {
    pub fn store_asynchronously(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        slots: &[Slot],
        store: &Store,
        active: Mask,
    ) -> Checked<()> {
        let to = addresses(warp, slots[0], store.to);
        let mbarriers = addresses(warp, slots[1], store.mbarrier);
        let values: Vec<Lanes64> = slots[2..]
            .iter()
            .map(|&slot| match store.bytes {
                8 => warp.registers.get64(slot),
                _ => warp.registers.get32(slot).map(u64::from),
            })
            .collect();
        let width = store.bytes as usize;
        for lane in each(active) {
            let data: Vec<u8> = values
                .iter()
                .flat_map(|value| value[lane].to_le_bytes().into_iter().take(width))
                .collect();
            let bytes = u32::try_from(data.len()).unwrap_or(u32::MAX);
            let kind = kind_of(store.reduction);
            let receivers = Receivers {
                to: (store.to.space, to[lane]),
                wanted: Wanted {
                    bytes,
                    alignment: bytes,
                    kind,
                },
                mbarrier: (store.mbarrier.space, mbarriers[lane]),
                mask: None,
            };
            for receiver in self.receivers(warp, pc, lane, receivers)? {
                let agent = Agent::StoreOn(receiver.mbarrier);
                let region = in_shared(receiver.to, bytes);
                self.before_asynchronous(warp, pc, lane, agent, region, kind)?;
                let memory = self.shared_bytes_mut(receiver.to, bytes);
                match store.reduction {
                    None => memory.copy_from_slice(&data),
                    Some(atomic) => combine(atomic, memory, &data),
                }
                self.complete(warp, pc, lane, receiver.mbarrier, bytes)?;
            }
        }
        Ok(())
    }
}
