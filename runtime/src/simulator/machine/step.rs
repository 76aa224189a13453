//! Steps of a warp, and turns of the warps of a cluster.

use super::block::Cluster;
use super::delays::Delays;
use super::grid::{Launch, RUN};
use super::warp::{Group, Wait, Warp};
use crate::simulator::checks::{Defect, Finding};
use crate::simulator::counters::Counters;
use crate::simulator::program::op::{Op, Special};
use crate::simulator::program::{Guard, Instruction, Tracking};
use crate::simulator::registers::{LANES, Mask};

/// Warp instructions until the next warp has its turn.
const TURN: u64 = 10_000;
/// The same while all that run wait for others: enough to ask once more.
const SHORT_TURN: u64 = 500;
/// Turns in a row of one cluster, where several take turns.
pub const TURNS: u32 = 64;
/// Times that a group jumps back while others of its warp wait, until it gives way.
const PATIENCE: u32 = 256;

/// A cluster that executes.
pub struct Machine<'a> {
    pub launch: &'a Launch<'a>,
    pub cluster: Cluster,
    pub counters: &'a mut Counters,
    /// The block whose warp executes.
    pub current: usize,
    /// Whether it has asked other clusters for something: read a word of global memory that is ordered.
    pub asked: bool,
    /// Whether it has changed global memory.
    pub changed: bool,
    /// Whether its turns are short, since others have asked in vain.
    pub hurried: bool,
}

/// How far a cluster, or a warp, has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It has ended.
    Done,
    /// There is more to do.
    Unfinished,
    /// It has more to do but waits for others.
    Blocked,
}

/// What an instruction does to the flow of its lanes.
pub enum Flow {
    /// To the next instruction.
    Next,
    /// The lanes wait; the instruction is executed again if `again`, else it is done.
    Wait { wait: Wait, again: bool },
    /// Others have their turn; then the next instruction.
    Yield,
}

/// The outcome of anything that may find a defect.
pub type Checked<T> = Result<T, Box<Finding>>;

impl<'a> Machine<'a> {
    /// A machine for a cluster.
    pub fn new(launch: &'a Launch<'a>, cluster: Cluster, counters: &'a mut Counters) -> Self {
        Self {
            launch,
            cluster,
            counters,
            current: 0,
            asked: false,
            changed: false,
            hurried: false,
        }
    }

    /// Gives the cluster back.
    pub fn into_cluster(self) -> Cluster {
        self.cluster
    }

    /// Runs the cluster until all its warps have ended.
    pub fn run_to_end(&mut self) -> Checked<()> {
        while self.turn()? != Progress::Done {}
        self.at_end()
    }

    /// Whether it has done nothing for others, and waits for what they do.
    pub const fn asked_in_vain(&self) -> bool {
        self.asked && !self.changed
    }

    /// Runs the cluster until it ends, or has had so many turns.
    pub fn run_for_a_while(&mut self, turns: u32) -> Checked<Progress> {
        for _ in 0..turns {
            if self.turn()? == Progress::Done {
                self.at_end()?;
                return Ok(Progress::Done);
            }
            // Who waits for others lets them go on.
            if self.asked_in_vain() {
                break;
            }
        }
        Ok(Progress::Unfinished)
    }

    /// Gives each warp of the cluster its turn.
    fn turn(&mut self) -> Checked<Progress> {
        let mut progress = Progress::Done;
        let mut moved = false;
        let delayed = self.cluster.delays.as_mut().map(|delays| {
            let warps = self
                .cluster
                .blocks
                .first()
                .map_or(0, |block| block.warps.len());
            delays.turn(self.cluster.blocks.len(), warps)
        });
        for block in 0..self.cluster.blocks.len() {
            self.current = block;
            for number in 0..self.cluster.blocks[block].warps.len() {
                let slot = &mut self.cluster.blocks[block].warps[number];
                if slot.alive == 0 {
                    continue;
                }
                if delayed.is_some_and(|delayed| delayed.is(block, number)) {
                    progress = Progress::Unfinished;
                    continue;
                }
                // While it executes the machine is free to change all others.
                let mut warp = std::mem::take(slot);
                let before = self.cluster.blocks[block].steps;
                let outcome = self.run_warp(&mut warp);
                moved |= self.cluster.blocks[block].steps != before;
                self.cluster.blocks[block].warps[number] = warp;
                if outcome? != Progress::Done {
                    progress = Progress::Unfinished;
                }
            }
        }
        if progress != Progress::Done && !moved {
            // Nobody else can go on: a delay that hides that is over.
            if self.cluster.delays.as_mut().is_some_and(Delays::end) {
                return Ok(progress);
            }
            return Err(self.deadlock());
        }
        Ok(progress)
    }

    /// Runs a warp until it ends, waits, or its turn is over.
    fn run_warp(&mut self, warp: &mut Warp) -> Checked<Progress> {
        let mut left = if self.hurried || self.asked_in_vain() {
            SHORT_TURN
        } else {
            TURN
        };
        let mut patience = PATIENCE;
        loop {
            let Some(index) = self.next_group(warp, patience == 0) else {
                return Ok(if warp.alive == 0 {
                    Progress::Done
                } else {
                    Progress::Blocked
                });
            };
            if patience == 0 {
                patience = PATIENCE;
            }
            let group = warp.groups.swap_remove(index);
            let yielded = self.run_group(warp, group, &mut left, &mut patience)?;
            if yielded || left == 0 {
                return Ok(if warp.alive == 0 {
                    Progress::Done
                } else {
                    Progress::Unfinished
                });
            }
        }
    }

    /// The group to run: the lowest that waits for nothing, or if it spins the one after it.
    fn next_group(&self, warp: &mut Warp, spins: bool) -> Option<usize> {
        for number in 0..warp.groups.len() {
            let Group { pc, wait, .. } = &warp.groups[number];
            let over = match wait {
                None => true,
                Some(Wait::Lanes(missing)) => {
                    let op = &self.launch.entry.code[*pc as usize].op;
                    missing & warp.alive == 0 && op.is_among_members()
                }
                Some(wait) => self.is_over(wait),
            };
            if over {
                warp.groups[number].wait = None;
            }
        }
        warp.merge();
        let mut ready = warp
            .groups
            .iter()
            .enumerate()
            .filter(|(_, group)| group.wait.is_none());
        let first = ready.next();
        let chosen = if spins {
            ready.next_back().or(first)
        } else {
            first
        };
        chosen.map(|(index, _)| index)
    }

    /// Whether what is waited for has happened.
    fn is_over(&self, wait: &Wait) -> bool {
        match wait {
            // Whoever is missing comes to the same instruction and merges.
            Wait::Lanes(_) | Wait::Warpgroup => false,
            Wait::Barrier { barrier, phase, .. } => {
                self.cluster.blocks[self.current].barriers[*barrier as usize].phase != *phase
            }
            Wait::Cluster { phase } => self.cluster.phase != *phase,
            Wait::Registers { count } => self.has_registers(*count),
            Wait::Mbarriers(waits) => self.phase_is_over(waits),
        }
    }

    /// Runs lanes that are at the same place until they wait, split, meet others or end. Gives
    /// whether the warp's turn is over.
    #[allow(clippy::too_many_lines)] // the loop that all else is for
    fn run_group(
        &mut self,
        warp: &mut Warp,
        group: Group,
        left: &mut u64,
        patience: &mut u32,
    ) -> Checked<bool> {
        let entry = self.launch.entry;
        let code = &entry.code[..];
        let profile = self.launch.options.profile;
        let Group {
            mut pc, mut mask, ..
        } = group;
        let mut meet = meeting_place(warp, pc);
        let start = *left;
        loop {
            if pc >= meet || *left == 0 {
                self.count_steps(warp, pc, start - *left)?;
                let wait = None;
                warp.groups.push(Group { pc, mask, wait });
                return Ok(false);
            }
            *left -= 1;
            let instruction = &code[pc as usize];
            let active = match instruction.guard {
                None => mask,
                Some(Guard {
                    slot,
                    negated: false,
                }) => mask & warp.registers.predicate(slot),
                Some(Guard {
                    slot,
                    negated: true,
                }) => mask & !warp.registers.predicate(slot),
            };
            if profile {
                self.counters.executed(pc, mask, active);
            }
            if let Some(tracking) = &instruction.tracking {
                self.track(warp, pc, instruction, tracking, active)?;
            }
            if warp.poison.is_some() {
                self.propagate(warp, pc, instruction, mask, active)?;
            }
            if let Op::Compute(run) = instruction.op {
                if active != 0 {
                    run(&mut warp.registers, instruction.slots(entry), active);
                }
                pc += 1;
                continue;
            }
            match &instruction.op {
                Op::Branch(target) => {
                    if active == mask {
                        if *target <= pc && !warp.groups.is_empty() {
                            *patience = patience.saturating_sub(1);
                            if *patience == 0 {
                                warp.groups.push(Group {
                                    pc: *target,
                                    mask,
                                    wait: None,
                                });
                                self.count_steps(warp, pc, start - *left)?;
                                return Ok(false);
                            }
                        }
                        // Forward, whoever is passed has its turn first.
                        if *target <= pc {
                            meet = meeting_place(warp, *target);
                        }
                        pc = *target;
                    } else if active == 0 {
                        pc += 1;
                    } else {
                        if profile {
                            self.counters.diverged(pc);
                        }
                        for (pc, mask) in [(*target, active), (pc + 1, mask & !active)] {
                            warp.groups.push(Group {
                                pc,
                                mask,
                                wait: None,
                            });
                        }
                        self.count_steps(warp, pc, start - *left)?;
                        return Ok(false);
                    }
                }
                Op::BranchTable(targets) => {
                    let index = warp.registers.get32(instruction.slots(entry)[0]);
                    if active != mask {
                        warp.groups.push(Group {
                            pc: pc + 1,
                            mask: mask & !active,
                            wait: None,
                        });
                    }
                    for lane in (0..LANES).filter(|lane| active >> lane & 1 == 1) {
                        let Some(&pc) = targets.get(index[lane] as usize) else {
                            let index = index[lane];
                            let defect = Defect::BranchTable {
                                index,
                                targets: targets.len(),
                            };
                            return Err(self.finding(warp, pc, lane, defect));
                        };
                        warp.groups.push(Group {
                            pc,
                            mask: 1 << lane,
                            wait: None,
                        });
                    }
                    self.count_steps(warp, pc, start - *left)?;
                    return Ok(false);
                }
                Op::Exit => {
                    warp.exit(active);
                    self.exited(warp, pc, active)?;
                    mask &= !active;
                    pc += 1;
                    if mask == 0 {
                        self.count_steps(warp, pc - 1, start - *left)?;
                        return Ok(false);
                    }
                }
                _ => match self.execute(warp, pc, instruction, mask, active)? {
                    Flow::Next => pc += 1,
                    Flow::Yield => {
                        warp.groups.push(Group {
                            pc: pc + 1,
                            mask,
                            wait: None,
                        });
                        self.count_steps(warp, pc, start - *left)?;
                        return Ok(true);
                    }
                    Flow::Wait { wait, again } => {
                        if profile && again {
                            self.counters.executes_again(pc, mask, active);
                        }
                        let pc = if again { pc } else { pc + 1 };
                        warp.groups.push(Group {
                            pc,
                            mask,
                            wait: Some(wait),
                        });
                        self.count_steps(warp, pc, start - *left)?;
                        return Ok(false);
                    }
                },
            }
        }
    }

    /// All that is neither arithmetic nor control flow. `mask` are the lanes at the instruction,
    /// `active` those whose guard holds.
    fn execute(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        instruction: &Instruction,
        mask: Mask,
        active: Mask,
    ) -> Checked<Flow> {
        let slots = instruction.slots(self.launch.entry);
        if active == 0 {
            return Ok(Flow::Next);
        }
        match &instruction.op {
            Op::Compute(_) | Op::Branch(_) | Op::BranchTable(_) | Op::Exit | Op::Nothing => {}
            Op::LaunchWait => warp.waits_for_launch = false,
            Op::Trap(what) => {
                let lane = active.trailing_zeros() as usize;
                return Err(self.finding(
                    warp,
                    pc,
                    lane,
                    Defect::Trap {
                        what: (*what).to_owned(),
                    },
                ));
            }
            Op::Sleep => return Ok(Flow::Yield),
            Op::Read(special) => self.read_special(warp, slots[0], *special, active),
            Op::Load(access) => self.load(warp, pc, slots, *access, active)?,
            Op::Store(access) => self.store(warp, pc, slots, *access, active)?,
            Op::Atomic(atomic) => self.atomic(warp, pc, slots, atomic, active)?,
            Op::ConvertAddress(space, direction) => {
                self.convert_address(warp, slots, *space, *direction, active);
            }
            Op::IsSpace(space) => Self::is_space(warp, slots, *space, active),
            Op::MapShared(address) => self.map_shared(warp, slots, *address, active),
            Op::SharedRank(address) => self.shared_rank(warp, slots, *address, active),
            Op::Shuffle(..)
            | Op::Vote(_)
            | Op::Match { .. }
            | Op::Reduce(_)
            | Op::ActiveMask
            | Op::Elect(_)
            | Op::WarpBarrier => return self.communicate(warp, pc, instruction, mask, active),
            Op::Barrier(barrier) => return self.barrier(warp, pc, slots, *barrier, active),
            Op::ClusterBarrier(kind) => return self.cluster_barrier(warp, pc, *kind, active),
            Op::Fence(fence) => self.fence(warp, *fence),
            Op::Mma(_) | Op::MatrixLoad(..) | Op::MatrixStore(..) | Op::MatrixMove => {
                return self.matrix(warp, pc, instruction, mask, active);
            }
            Op::Asynchronous(operation) => {
                return self.asynchronous(warp, pc, instruction, operation, active);
            }
            Op::Call(call) => self.call(warp, pc, call, active)?,
        }
        Ok(Flow::Next)
    }

    /// Registers that may have no value: those that are read must have one, what is only moved is marked
    /// as unknown, those that are written have one from now on.
    fn track(
        &self,
        warp: &mut Warp,
        pc: u32,
        instruction: &Instruction,
        tracking: &Tracking,
        active: Mask,
    ) -> Checked<()> {
        if self.launch.options.checks {
            self.have_values(warp, pc, &tracking.reads, active)?;
            for &(register, place) in &tracking.moves {
                let missing = active & !warp.initialised[register as usize];
                if missing != 0 {
                    self.poison_register(warp, pc, instruction, (register, place), missing);
                }
            }
            if active != 0 && instruction.op.wgmma().is_none() {
                self.watch_wgmma(warp, pc, tracking)?;
            }
        }
        for &register in &tracking.writes {
            warp.initialised[register as usize] |= active;
        }
        Ok(())
    }

    /// Registers that are read must have a value.
    pub fn have_values(
        &self,
        warp: &Warp,
        pc: u32,
        registers: &[u32],
        active: Mask,
    ) -> Checked<()> {
        for &register in registers {
            let missing = active & !warp.initialised[register as usize];
            if missing != 0 {
                let register = self.launch.entry.tracked[register as usize].clone();
                let lane = missing.trailing_zeros() as usize;
                let moved = None;
                let defect = Defect::UninitialisedRegister { register, moved };
                return Err(self.finding(warp, pc, lane, defect));
            }
        }
        Ok(())
    }

    /// Bounds how long a block, and the launch, may run.
    fn count_steps(&mut self, warp: &Warp, pc: u32, steps: u64) -> Checked<()> {
        let limit = self.launch.options.steps;
        let run_is_over = self.launch.has_executed(steps);
        let block = &mut self.cluster.blocks[self.current];
        block.steps += steps;
        if run_is_over {
            let lane = warp.alive.trailing_zeros() as usize % LANES;
            let limit = limit.saturating_mul(RUN);
            return Err(self.finding(warp, pc, lane, Defect::RunLimit { limit }));
        }
        if block.steps > limit {
            let lane = warp.alive.trailing_zeros() as usize % LANES;
            return Err(self.finding(warp, pc, lane, Defect::StepLimit { limit }));
        }
        Ok(())
    }

    fn read_special(
        &self,
        warp: &mut Warp,
        slot: crate::simulator::registers::Slot,
        special: Special,
        active: Mask,
    ) {
        // One warp instruction takes one cycle and one nanosecond here.
        let _ = special;
        let now = self.cluster.blocks[self.current].steps;
        warp.registers.set64(slot, active, [now; LANES]);
    }
}

/// The lowest instruction, above `pc`, where other lanes of the warp go on or wait for these.
fn meeting_place(warp: &Warp, pc: u32) -> u32 {
    let others = warp
        .groups
        .iter()
        .filter(|group| group.pc > pc && matches!(group.wait, None | Some(Wait::Lanes(_))));
    others.map(|group| group.pc).min().unwrap_or(u32::MAX)
}
