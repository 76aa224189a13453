//! From what went wrong to a finding that names the kernel's line, the program and the thread.

use super::block::Block;
use super::global::Kind;
use super::step::Machine;
use super::warp::{Wait, Warp};
use crate::simulator::checks::{Defect, Finding, Site, Space, Thread, Waiting};
use crate::simulator::memory::Allocation;
use crate::simulator::program::op::Op;
use crate::simulator::registers::Mask;

impl Machine<'_> {
    /// A finding of a lane of the warp that executes.
    pub fn finding(&self, warp: &Warp, pc: u32, lane: usize, defect: Defect) -> Box<Finding> {
        let block = &self.cluster.blocks[self.current];
        Box::new(Finding {
            defect,
            site: self.site(pc),
            program: block.id,
            #[allow(clippy::cast_possible_truncation)] // less than 32
            thread: self.thread(warp.number, lane as u32),
        })
    }

    /// Where an instruction comes from.
    pub fn site(&self, pc: u32) -> Site {
        let program = self.launch.program;
        let Some(instruction) = self.launch.entry.code.get(pc as usize) else {
            return Site::default();
        };
        let text = program
            .text
            .get(instruction.line as usize - usize::from(instruction.line > 0));
        let (file, line, column) = instruction.location.unwrap_or_default();
        let file = program
            .files
            .iter()
            .find(|(number, _)| *number == file && line != 0);
        Site {
            file: file.map(|(_, name)| name.clone()),
            line,
            column,
            ptx_line: instruction.line,
            instruction: text.map(|text| text.trim().to_owned()).unwrap_or_default(),
        }
    }

    /// A thread of a block.
    pub fn thread(&self, warp: u32, lane: u32) -> Thread {
        let linear = warp * 32 + lane;
        let [x, y, _] = self.launch.threads;
        Thread {
            linear,
            id: [linear % x, linear / x % y, linear / x / y],
            warp,
            lane,
        }
    }

    /// An address that is in no memory.
    pub fn outside(
        &self,
        warp: &Warp,
        pc: u32,
        lane: usize,
        address: u64,
        bytes: u32,
        kind: Kind,
    ) -> Box<Finding> {
        let (of, memory) = self.what_is_missed(address);
        let defect = Defect::OutOfBounds {
            space: Space::Global,
            address,
            bytes,
            of,
            write: kind != Kind::Load,
            memory,
            element: None,
        };
        self.finding(warp, pc, lane, defect)
    }

    /// The memory that an address is in, behind or before, in words, and its address and bytes.
    fn what_is_missed(&self, address: u64) -> (String, Option<[u64; 2]>) {
        /// How far an address may miss memory that it was meant for.
        const NEAR: u64 = 1 << 31;
        let distance = |memory: &Allocation| {
            let start = memory.address();
            let end = start + memory.bytes() as u64;
            start
                .saturating_sub(address)
                .max(address.saturating_sub(end))
        };
        let nearest = self
            .launch
            .memory
            .all()
            .min_by_key(|memory| distance(memory));
        let Some(memory) = nearest.filter(|memory| distance(memory) < NEAR) else {
            let why = match address {
                ..NEAR => "the pointer is null, or next to it",
                _ => "it was never allocated, or is freed",
            };
            return (format!("where no memory is: {why}"), None);
        };
        let name = self.name_of(memory.address());
        let size = memory.bytes() as u64;
        let where_it_is = match address.checked_sub(memory.address()) {
            None => format!("{} bytes before its start", memory.address() - address),
            Some(start) if start < size => "it runs over its end".to_owned(),
            Some(start) if start == size => "right behind its end".to_owned(),
            Some(start) => format!("{} bytes past its end", start - size),
        };
        let of = format!("outside {name} of {size} bytes: {where_it_is}");
        (of, Some([memory.address(), size]))
    }

    /// What an allocation is to the kernel: the parameter that points into it, or a variable.
    pub fn name_of(&self, address: u64) -> String {
        let launch = self.launch;
        let globals = launch.globals.iter().zip(&launch.program.globals);
        if let Some((_, variable)) = globals
            .into_iter()
            .find(|(memory, _)| memory.address() == address)
        {
            return format!("the variable `{}`", variable.name);
        }
        for parameter in launch
            .entry
            .parameters
            .iter()
            .filter(|parameter| parameter.bytes == 8)
        {
            let start = parameter.offset as usize;
            let bytes = launch.parameters.get(start..start + 8);
            let value = bytes.map_or(0, super::memory::little_endian);
            if launch
                .memory
                .find(value)
                .is_some_and(|memory| memory.address() == address)
            {
                return format!("the memory of parameter `{}`", parameter.name);
            }
        }
        "an allocation".to_owned()
    }

    /// Not all lanes came to an instruction that the whole warp must execute.
    pub fn not_all_lanes(&self, warp: &Warp, pc: u32, active: Mask) -> Box<Finding> {
        let what = format!(
            "the instruction needs all 32 lanes of the warp, but only {} execute it",
            active.count_ones()
        );
        self.finding(
            warp,
            pc,
            active.trailing_zeros() as usize,
            Defect::InvalidOperand { what },
        )
    }

    /// Nobody can go on: who waits for what.
    pub fn deadlock(&self) -> Box<Finding> {
        if let Some(finding) = self.divergence() {
            return finding;
        }
        let mut waits = Vec::new();
        let mut first = None;
        for block in &self.cluster.blocks {
            for warp in &block.warps {
                for group in &warp.groups {
                    first.get_or_insert((block.id, warp.number, group.mask, group.pc));
                    let what = group
                        .wait
                        .as_ref()
                        .map_or_else(String::new, |wait| self.waits_for(block, wait));
                    waits.push(Waiting {
                        program: block.id,
                        warp: warp.number,
                        lanes: group.mask,
                        site: self.site(self.waiting_at(group.pc, group.wait.as_ref())),
                        what,
                    });
                }
            }
        }
        let (program, warp, mask, pc) = first.unwrap_or_default();
        let wait = self
            .cluster
            .blocks
            .iter()
            .flat_map(|block| &block.warps)
            .flat_map(|warp| &warp.groups)
            .next();
        let pc = self.waiting_at(pc, wait.and_then(|group| group.wait.as_ref()));
        Box::new(Finding {
            defect: Defect::Deadlock { waits },
            site: self.site(pc),
            program,
            thread: self.thread(warp, mask.trailing_zeros() % 32),
        })
    }

    /// Lanes at a barrier that others of their warp are not coming to.
    /// Programs wait for one that cannot start: the device holds so many clusters, and this is the next.
    pub fn not_resident(&self, most: usize, next: u32) -> Box<Finding> {
        let first = self.cluster.blocks.iter().find_map(|block| {
            let warp = block.warps.iter().find(|warp| warp.alive != 0)?;
            Some((block, warp, warp.groups.first()?))
        });
        let (program, thread, pc) = first.map_or_else(Default::default, |(block, warp, group)| {
            let lane = group.mask.trailing_zeros() % 32;
            (block.id, self.thread(warp.number, lane), group.pc)
        });
        Box::new(Finding {
            defect: Defect::NotResident {
                most: most * self.cluster.blocks.len(),
                program: self.launch.block_of(next, 0),
            },
            site: self.site(pc),
            program,
            thread,
        })
    }

    fn divergence(&self) -> Option<Box<Finding>> {
        for block in &self.cluster.blocks {
            for warp in &block.warps {
                for group in &warp.groups {
                    let instruction = &self.launch.entry.code[group.pc as usize];
                    let (Some(Wait::Lanes(missing)), Op::Barrier(_)) =
                        (&group.wait, &instruction.op)
                    else {
                        continue;
                    };
                    let first = group.mask.trailing_zeros();
                    let number =
                        instruction.slots(self.launch.entry)[instruction.destinations as usize];
                    return Some(Box::new(Finding {
                        defect: Defect::BarrierDivergence {
                            barrier: warp.registers.get32(number)[first as usize],
                            lanes: group.mask,
                            missing: *missing,
                        },
                        site: self.site(group.pc),
                        program: block.id,
                        thread: self.thread(warp.number, first),
                    }));
                }
            }
        }
        None
    }

    /// The instruction that waits: those that are not executed again are the one before.
    fn waiting_at(&self, pc: u32, wait: Option<&Wait>) -> u32 {
        match wait {
            Some(Wait::Barrier { .. } | Wait::Mbarriers(_)) => pc.saturating_sub(1),
            _ => pc,
        }
    }

    fn waits_for(&self, block: &Block, wait: &Wait) -> String {
        match wait {
            Wait::Lanes(missing) => {
                format!("lanes {missing:#010x} of its warp to come to the same instruction")
            }
            Wait::Barrier {
                barrier, expected, ..
            } => {
                let arrived = block.barriers[*barrier as usize].arrived;
                let gone = self.launch.block_threads() - block.alive;
                let ended = if gone == 0 {
                    String::new()
                } else {
                    format!(", and {gone} threads of the program have ended")
                };
                format!("barrier {barrier}: {arrived} of {expected} threads have arrived{ended}")
            }
            Wait::Cluster { .. } => {
                let threads = self.launch.block_threads() * self.launch.cluster_blocks();
                let arrived = self.cluster.arrived;
                format!("the barrier of the cluster: {arrived} of {threads} threads have arrived")
            }
            Wait::Warpgroup => {
                "the other warps of its warpgroup to come to the same instruction".to_owned()
            }
            Wait::Registers { count } => self.describe_registers(block, *count),
            Wait::Mbarriers(waits) => self.describe_mbarriers(waits),
        }
    }
}
