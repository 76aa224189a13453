//! Barriers of the block and of the cluster.

use super::step::{Checked, Flow, Machine};
use super::warp::{Wait, Warp};
use crate::simulator::checks::Defect;
use crate::simulator::checks::clocks::Knowledge;
use crate::simulator::program::op::{Barrier, BarrierKind, ClusterBarrier, Vote};
use crate::simulator::registers::{LANES, Mask, Slot};

/// One of the 16 barriers of a block.
#[derive(Debug, Clone, Default)]
pub struct NamedBarrier {
    /// Phases that have ended.
    pub phase: u64,
    /// Threads that have arrived in this phase; whole warps count.
    pub arrived: u32,
    /// How many are expected, once somebody has said so.
    pub expected: Option<u32>,
    /// Of those that have arrived: how many had a true predicate.
    holds: u32,
    /// The result of the phase that ended last.
    result: (u32, u32),
    /// What has been passed on in this phase.
    pub passed: Knowledge,
    /// Warps that wait for its end.
    pub waiting: Vec<u32>,
}

impl Machine<'_> {
    /// `bar`, `barrier`: arrives and, unless told otherwise, waits.
    pub fn barrier(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        slots: &[Slot],
        barrier: Barrier,
        active: Mask,
    ) -> Checked<Flow> {
        let first = active.trailing_zeros() as usize;
        if warp.at_barrier.is_some() {
            self.barrier_result(warp, slots[0], barrier.kind, active);
            return Ok(Flow::Next);
        }
        let returns = matches!(barrier.kind, BarrierKind::Reduce(_) | BarrierKind::Count);
        let sources = &slots[usize::from(returns)..];
        let number = warp.registers.get32(sources[0])[first];
        let missing = warp.alive & !active;
        if missing != 0 {
            // The others may be on their way, in code that lies further down. If they never come,
            // that is found when nobody can go on. The hardware counts warps, so without
            // `.aligned` too the warp arrives when its last lane does.
            return Ok(Flow::Wait {
                wait: Wait::Lanes(missing),
                again: true,
            });
        }
        let threads = self.launch.block_threads().next_multiple_of(32);
        let (expected, whole) = if barrier.counted {
            (warp.registers.get32(sources[1])[first], false)
        } else {
            (threads, true)
        };
        let invalid = |what: &str| Defect::InvalidOperand {
            what: what.to_owned(),
        };
        if number >= 16 {
            let defect = invalid(&format!("barrier {number}: a block has barriers 0 to 15"));
            return Err(self.finding(warp, pc, first, defect));
        }
        if expected == 0 || expected % 32 != 0 || expected > threads {
            let defect = invalid(&format!(
                "barrier {number} is to wait for {expected} threads: the number must be a \
                 multiple of 32 from 32 to {threads}"
            ));
            return Err(self.finding(warp, pc, first, defect));
        }
        let holds = match barrier.kind {
            BarrierKind::Sync | BarrierKind::Arrive => 0,
            BarrierKind::Reduce(_) | BarrierKind::Count => {
                let predicate = sources[1 + usize::from(barrier.counted)];
                (warp.registers.predicate(predicate) & active).count_ones()
            }
        };
        let waits = barrier.kind != BarrierKind::Arrive;
        let state = &mut self.cluster.blocks[self.current].barriers[number as usize];
        let phase = state.phase;
        if let Some(before) = state.expected.filter(|&before| before != expected) {
            let defect = invalid(&format!(
                "barrier {number} waits for {before} threads, but this instruction says {expected}"
            ));
            return Err(self.finding(warp, pc, first, defect));
        }
        state.expected = Some(expected);
        state.arrived += 32;
        state.holds += holds;
        if state.arrived > expected {
            let arrived = state.arrived;
            let defect = invalid(&format!(
                "{arrived} threads arrived at barrier {number}, which waits for {expected}"
            ));
            return Err(self.finding(warp, pc, first, defect));
        }
        let over = state.arrived == expected;
        if over {
            let threads = if whole {
                self.launch.block_threads()
            } else {
                expected
            };
            state.result = (state.holds, threads);
            state.phase += 1;
            (state.arrived, state.expected, state.holds) = (0, None, 0);
        }
        self.order_barrier(warp, number, waits, over);
        if !waits {
            return Ok(Flow::Next);
        }
        if returns {
            warp.at_barrier = Some((number, phase));
        }
        let wait = Wait::Barrier {
            barrier: number,
            phase,
            expected,
        };
        Ok(Flow::Wait {
            wait,
            again: returns,
        })
    }

    /// What a barrier says of all threads' predicates.
    fn barrier_result(&self, warp: &mut Warp, slot: Slot, kind: BarrierKind, active: Mask) {
        let Some((number, _)) = warp.at_barrier.take() else {
            return;
        };
        let (holds, threads) = self.cluster.blocks[self.current].barriers[number as usize].result;
        let value = match kind {
            BarrierKind::Count => {
                warp.registers.set32(slot, active, [holds; LANES]);
                return;
            }
            BarrierKind::Reduce(Vote::All) => holds == threads,
            _ => holds > 0,
        };
        warp.registers
            .set_predicate(slot, active, if value { active } else { 0 });
    }

    /// Threads have ended. A barrier of the whole block would now wait for ever.
    pub fn exited(&mut self, warp: &Warp, pc: u32, mask: Mask) -> Checked<()> {
        let block = &mut self.cluster.blocks[self.current];
        block.alive -= mask.count_ones();
        if block.alive > 0 {
            return Ok(());
        }
        self.block_exited(warp, pc, mask.trailing_zeros() as usize % LANES)
    }

    /// `barrier.cluster`.
    pub fn cluster_barrier(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        kind: ClusterBarrier,
        active: Mask,
    ) -> Checked<Flow> {
        let lanes = active.count_ones();
        match kind {
            ClusterBarrier::Arrive { release } => {
                if warp.cluster_arrived & active != 0 {
                    let lane = (warp.cluster_arrived & active).trailing_zeros() as usize;
                    let what = "a thread arrives at the barrier of the cluster twice, without \
                                waiting between";
                    let defect = Defect::InvalidOperand {
                        what: what.to_owned(),
                    };
                    return Err(self.finding(warp, pc, lane, defect));
                }
                warp.cluster_arrived |= active;
                warp.cluster_phase = self.cluster.phase;
                self.cluster.arrived += lanes;
                let over = self.cluster.arrived
                    == self.launch.block_threads() * self.launch.cluster_blocks();
                if over {
                    self.cluster.arrived = 0;
                    self.cluster.phase += 1;
                }
                self.order_cluster_arrive(warp, release, over);
                Ok(Flow::Next)
            }
            ClusterBarrier::Wait => {
                if active & !warp.cluster_arrived != 0 {
                    let lane = (active & !warp.cluster_arrived).trailing_zeros() as usize;
                    let what = "a thread waits at the barrier of the cluster without having \
                                arrived";
                    let defect = Defect::InvalidOperand {
                        what: what.to_owned(),
                    };
                    return Err(self.finding(warp, pc, lane, defect));
                }
                if self.cluster.phase == warp.cluster_phase {
                    let phase = warp.cluster_phase;
                    return Ok(Flow::Wait {
                        wait: Wait::Cluster { phase },
                        again: true,
                    });
                }
                warp.cluster_arrived &= !active;
                self.order_cluster_wait(warp);
                Ok(Flow::Next)
            }
        }
    }
}
