//! Registers of wgmmas that are in flight: who touches them, and whether a fence came between (PTX
//! ISA, "wgmma.fence", "wgmma.mma_async", "wgmma.wait_group").
//!
//! Only instructions that name a register which some wgmma uses come here.

use crate::simulator::checks::{Defect, WgmmaProblem};
use crate::simulator::machine::step::{Checked, Machine};
use crate::simulator::machine::warp::Warp;
use crate::simulator::program::Tracking;

/// What wgmmas do to the registers of a warp.
#[derive(Debug, Clone, Default)]
pub struct WgmmaRegisters {
    /// The number of the group that is open, less 1.
    committed: u64,
    /// The last group that was waited for. Groups are counted from 1.
    waited: u64,
    /// Fences so far.
    fences: u64,
    /// By number of [`Entry::wgmma_registers`](crate::simulator::program::Entry::wgmma_registers).
    registers: Vec<Register>,
}

/// What happened last to a register. All times are 0 if nothing did.
#[derive(Debug, Clone, Copy, Default)]
struct Register {
    /// The group of the last wgmma that wrote it, and the instruction.
    accumulates: (u64, u32),
    /// The group of the last wgmma that read it as A, and the instruction.
    feeds: (u64, u32),
    /// The fences, and one more, before another instruction wrote it; and that instruction.
    changed: (u64, u32),
}

impl WgmmaRegisters {
    /// So many registers, that nothing happened to.
    pub fn new(count: usize) -> Self {
        Self {
            registers: vec![Register::default(); count],
            ..Self::default()
        }
    }

    /// `wgmma.fence`
    pub const fn fence(&mut self) {
        self.fences += 1;
    }

    /// `wgmma.commit_group`
    pub const fn commit(&mut self) {
        self.committed += 1;
    }

    /// `wgmma.wait_group`: all but so many groups, those committed last, are done.
    pub fn wait(&mut self, pending: u32) {
        let over = self.committed.saturating_sub(u64::from(pending));
        self.waited = self.waited.max(over);
    }
}

impl Machine<'_> {
    /// An instruction, that is no wgmma, is about to use registers of wgmmas.
    pub fn watch_wgmma(&self, warp: &mut Warp, pc: u32, tracking: &Tracking) -> Checked<()> {
        let waited = warp.wgmma.waited;
        for &number in &tracking.wgmma_reads {
            let (group, other) = warp.wgmma.registers[number as usize].accumulates;
            if group > waited {
                return Err(self.touched(warp, pc, number, WgmmaProblem::Read, other));
            }
        }
        let now = warp.wgmma.fences + 1;
        for &number in &tracking.wgmma_writes {
            let register = &mut warp.wgmma.registers[number as usize];
            for (group, other) in [register.accumulates, register.feeds] {
                if group > waited {
                    return Err(self.touched(warp, pc, number, WgmmaProblem::Written, other));
                }
            }
            register.changed = (now, pc);
        }
        Ok(())
    }

    /// A wgmma is issued: its registers are its own until it is waited for.
    pub fn issue_wgmma(&self, warp: &mut Warp, pc: u32, tracking: &Tracking) -> Checked<()> {
        if warp.wgmma.fences == 0 {
            let what = "there is no wgmma.fence before the first wgmma of the warp";
            return Err(self.invalid(warp, pc, 0, what));
        }
        let group = warp.wgmma.committed + 1;
        let now = warp.wgmma.fences + 1;
        let waited = warp.wgmma.waited;
        for &number in &tracking.wgmma_reads {
            let register = &mut warp.wgmma.registers[number as usize];
            let problem = match *register {
                Register {
                    accumulates: (group, other),
                    ..
                } if group > waited => Some((WgmmaProblem::Read, other)),
                Register {
                    changed: (fences, other),
                    ..
                } if fences == now => Some((WgmmaProblem::NoFence, other)),
                _ => None,
            };
            register.feeds = (group, pc);
            if let Some((problem, other)) = problem {
                return Err(self.touched(warp, pc, number, problem, other));
            }
        }
        for &number in &tracking.wgmma_writes {
            let register = &mut warp.wgmma.registers[number as usize];
            let problem = match *register {
                Register {
                    changed: (fences, other),
                    ..
                } if fences == now => Some((WgmmaProblem::NoFence, other)),
                // Those of one shape may follow each other.
                Register {
                    accumulates: (group, other),
                    ..
                } if group > waited && !self.same_shape(pc, other) => {
                    Some((WgmmaProblem::Written, other))
                }
                Register {
                    feeds: (group, other),
                    ..
                } if group > waited => Some((WgmmaProblem::Written, other)),
                _ => None,
            };
            register.accumulates = (group, pc);
            if let Some((problem, other)) = problem {
                return Err(self.touched(warp, pc, number, problem, other));
            }
        }
        Ok(())
    }

    fn same_shape(&self, a: u32, b: u32) -> bool {
        let shape = |pc: u32| {
            let instruction = self.launch.entry.code.get(pc as usize)?;
            instruction
                .op
                .wgmma()
                .map(|multiply| multiply.wgmma.shape())
        };
        a == b || shape(a) == shape(b)
    }

    fn touched(
        &self,
        warp: &Warp,
        pc: u32,
        number: u32,
        problem: WgmmaProblem,
        other: u32,
    ) -> Box<crate::simulator::checks::Finding> {
        let defect = Defect::WgmmaRegisters {
            register: self.launch.entry.wgmma_registers[number as usize].clone(),
            problem,
            other: self.site(other),
        };
        self.finding(warp, pc, 0, defect)
    }
}
