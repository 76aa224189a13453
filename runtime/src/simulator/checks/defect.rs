//! What may be wrong with a kernel, with a name and a sentence for each.

use std::fmt::{self, Display, Formatter};

use serde::Serialize;

use super::finding::{Party, Site, Waiting};
use crate::simulator::registers::Mask;

/// State spaces (PTX ISA, 5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Space {
    /// Any of the others, told apart by the address.
    Generic,
    /// Memory of the device; `.const` too.
    Global,
    /// Shared memory of the block or, by the address, of the cluster.
    Shared,
    /// Memory of the thread.
    Local,
    /// The entry point's parameters.
    Parameter,
}

impl Display for Space {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Generic => "memory",
            Self::Global => "global memory",
            Self::Shared => "shared memory",
            Self::Local => "local memory",
            Self::Parameter => "the parameters",
        })
    }
}

/// What goes on while the thread that issued it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asynchronous {
    /// `cp.async`, which `cp.async.wait_group`, `wait_all` or an mbarrier waits for.
    CpAsync,
    /// `cp.async.bulk` into shared memory, which an mbarrier waits for.
    BulkLoad,
    /// `cp.async.bulk` out of shared memory, which `cp.async.bulk.wait_group` waits for.
    BulkStore,
    /// `wgmma.mma_async`, which `wgmma.wait_group` waits for.
    Wgmma,
}

impl Asynchronous {
    /// Its name and what waits for it.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::CpAsync => ("a cp.async", "cp.async.wait_group"),
            Self::BulkLoad => ("a bulk copy", "the mbarrier that it completes on"),
            Self::BulkStore => ("a bulk store", "cp.async.bulk.wait_group"),
            Self::Wgmma => ("a wgmma", "wgmma.wait_group"),
        }
    }
}

/// What is wrong with registers of a wgmma.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WgmmaProblem {
    /// Read before the wgmma that writes it was waited for.
    Read,
    /// Written before the wgmma that uses it was waited for.
    Written,
    /// Changed since the last `wgmma.fence`, then used by a wgmma.
    NoFence,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Defect {
    /// An access to what is no memory of the kernel.
    OutOfBounds {
        /// Where.
        space: Space,
        /// The first byte.
        address: u64,
        /// How many bytes.
        bytes: u32,
        /// The memory that is missed, in words.
        of: String,
        /// Whether it was to be written.
        write: bool,
        /// The address and the bytes of the allocation that is missed.
        #[serde(skip_serializing_if = "Option::is_none")]
        memory: Option<[u64; 2]>,
        /// The element that is missed, where it is known what lies in the allocation.
        #[serde(skip_serializing_if = "Option::is_none")]
        element: Option<String>,
    },
    /// An address that is no multiple of what is accessed.
    Misaligned {
        /// Where.
        space: Space,
        /// The address.
        address: u64,
        /// What it should be a multiple of.
        bytes: u32,
    },
    /// A register was read that was never written.
    UninitialisedRegister {
        /// Its name in the PTX.
        register: String,
        /// Where, and what comes of it in words, if there it was only moved.
        moved: Option<(Site, String)>,
    },
    /// Memory was read that was never written.
    UninitialisedMemory {
        /// Where.
        space: Space,
        /// The first byte of the access.
        address: u64,
        /// How many bytes.
        bytes: u32,
        /// The memory, in words.
        of: String,
        /// The instruction that read them.
        read: Site,
        /// What comes of it, in words.
        reaches: String,
    },
    /// Two accesses to the same bytes that nothing orders; at least one writes.
    Race {
        /// The other access.
        earlier: Party,
        /// Whether this one writes.
        write: bool,
        /// Whether this one is atomic.
        atomic: bool,
        /// Where.
        space: Space,
        /// The first byte of this access.
        address: u64,
        /// How many bytes.
        bytes: u32,
    },
    /// Ordered, but an asynchronous access need not see what threads did, without
    /// `fence.proxy.async` (PTX ISA, 8.6 "proxies").
    MissingProxyFence {
        /// The other access.
        earlier: Party,
        /// Whether this one writes.
        write: bool,
        /// Where.
        space: Space,
        /// The first byte of this access.
        address: u64,
        /// How many bytes.
        bytes: u32,
    },
    /// An access to what an asynchronous operation still reads or writes.
    AsyncNotWaited {
        /// The operation.
        what: Asynchronous,
        /// Where it was issued.
        earlier: Party,
        /// Whether this access writes.
        write: bool,
        /// Where.
        space: Space,
        /// The first byte of this access.
        address: u64,
        /// How many bytes.
        bytes: u32,
    },
    /// A barrier for whole warps, reached by some lanes alone.
    BarrierDivergence {
        /// Its number.
        barrier: u32,
        /// The lanes that are there.
        lanes: Mask,
        /// Those that are not.
        missing: Mask,
    },
    /// All wait, for nothing that will happen.
    Deadlock {
        /// Who waits for what.
        waits: Vec<Waiting>,
    },
    /// A register of a wgmma was touched at a wrong time.
    WgmmaRegisters {
        /// Its name in the PTX.
        register: String,
        /// What happened to it.
        problem: WgmmaProblem,
        /// The wgmma, or the instruction that changed the register.
        other: Site,
    },
    /// More shared memory than a block can have.
    SharedLimit {
        /// How many bytes it wants.
        bytes: u32,
        /// How many it can have.
        limit: u32,
    },
    /// A program that does not end.
    StepLimit {
        /// Instructions of warps that it was allowed.
        limit: u64,
    },
    /// A launch that does not end.
    RunLimit {
        /// Instructions of warps that all programs together were allowed.
        limit: u64,
    },
    /// All programs that run wait for one that cannot start before one of them ends.
    NotResident {
        /// How many run at once.
        most: usize,
        /// The first that cannot start.
        program: [u32; 3],
    },
    /// Global memory is accessed while the kernel in front of this one may still run.
    NoLaunchWait {
        /// The first byte of the access.
        address: u64,
    },
    /// The kernel gave up.
    Trap {
        /// Why, in words.
        what: String,
    },
    /// Lanes of one instruction disagree on who takes part, or leave themselves out.
    MemberMask {
        /// What this lane says.
        mask: Mask,
        /// What the first lane says.
        others: Mask,
    },
    /// A shuffle reads a lane that does not take part.
    ShuffleSource {
        /// The lane.
        from: u32,
    },
    /// An index past the end of a table of branches.
    BranchTable {
        /// The index.
        index: u32,
        /// Entries of the table.
        targets: usize,
    },
    /// Shared memory of a block of the cluster is accessed that need not be there any more.
    ExitedProgram {
        /// The rank of the block.
        rank: u32,
        /// The access, if the block exits now; `None` if it has exited and this is the access.
        earlier: Option<Party>,
    },
    /// An operand that the instruction does not allow.
    InvalidOperand {
        /// What is wrong with it, in words.
        what: String,
    },
}

impl Defect {
    /// A short, stable name.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::OutOfBounds { .. } => "out-of-bounds",
            Self::Misaligned { .. } => "misaligned",
            Self::UninitialisedRegister { .. } => "uninitialised-register",
            Self::UninitialisedMemory { .. } => "uninitialised-memory",
            Self::Race { .. } => "race",
            Self::MissingProxyFence { .. } => "missing-proxy-fence",
            Self::AsyncNotWaited { .. } => "async-not-waited",
            Self::BarrierDivergence { .. } => "barrier-divergence",
            Self::Deadlock { .. } => "deadlock",
            Self::WgmmaRegisters { .. } => "wgmma-registers",
            Self::SharedLimit { .. } => "shared-limit",
            Self::StepLimit { .. } => "step-limit",
            Self::RunLimit { .. } => "run-limit",
            Self::NotResident { .. } => "not-resident",
            Self::NoLaunchWait { .. } => "no-launch-wait",
            Self::Trap { .. } => "trap",
            Self::MemberMask { .. } => "member-mask",
            Self::ShuffleSource { .. } => "shuffle-source",
            Self::BranchTable { .. } => "branch-table",
            Self::ExitedProgram { .. } => "exited-program",
            Self::InvalidOperand { .. } => "invalid-operand",
        }
    }

    /// The access that this one conflicts with.
    #[must_use]
    pub const fn earlier(&self) -> Option<&Party> {
        match self {
            Self::Race { earlier, .. }
            | Self::MissingProxyFence { earlier, .. }
            | Self::AsyncNotWaited { earlier, .. } => Some(earlier),
            Self::ExitedProgram { earlier, .. } => earlier.as_ref(),
            _ => None,
        }
    }
}

impl Display for Defect {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.code())?;
        match self {
            Self::OutOfBounds {
                space,
                address,
                bytes,
                of,
                write,
                element,
                ..
            } => {
                let verb = verb(*write, false);
                let (count, are) = count(*bytes);
                match element {
                    Some(element) => write!(
                        f,
                        "{element}, is {verb}: {count} of {space} at {address:#x}"
                    ),
                    None => write!(f, "{count} of {space} at {address:#x} {are} {verb}, {of}"),
                }
            }
            Self::Misaligned {
                space,
                address,
                bytes,
            } => write!(
                f,
                "address {address:#x} in {space} is not a multiple of {bytes}, as it must be"
            ),
            Self::UninitialisedRegister { register, moved } => match moved {
                None => write!(f, "register {register} is read but was never written"),
                Some((read, reaches)) => write!(
                    f,
                    "register {register} is moved at {read} but was never written, and what was moved {reaches}"
                ),
            },
            Self::UninitialisedMemory {
                space,
                address,
                bytes,
                of,
                read,
                reaches,
            } => {
                let (count, are) = count(*bytes);
                write!(
                    f,
                    "{count} of {space} at {address:#x}, of {of}, {are} read at {read} but were not all written before, and what was read {reaches}"
                )
            }
            Self::Race {
                earlier,
                write,
                atomic,
                space,
                address,
                bytes,
            } => {
                let (count, are) = count(*bytes);
                let (now, then) = (verb(*write, *atomic), present(earlier));
                let who = other(earlier);
                write!(
                    f,
                    "{count} of {space} at {address:#x} {are} {now} while {who} may still {then} them: nothing orders the two"
                )
            }
            Self::MissingProxyFence {
                earlier,
                write,
                space,
                address,
                bytes,
            } => {
                let (count, are) = count(*bytes);
                let (now, then) = (verb(*write, false), verb(earlier.write, earlier.atomic));
                write!(
                    f,
                    "{count} of {space} at {address:#x} {are} {now} asynchronously, but were {then} by ordinary instructions with no fence.proxy.async since"
                )
            }
            Self::AsyncNotWaited {
                what,
                write,
                space,
                address,
                bytes,
                earlier,
            } => {
                let (count, are) = count(*bytes);
                let now = verb(*write, false);
                let then = present(earlier);
                let (name, wait) = what.words();
                write!(
                    f,
                    "{count} of {space} at {address:#x} {are} {now} while {name} may still {then} them; wait with {wait} first"
                )
            }
            Self::BarrierDivergence {
                barrier,
                lanes: there,
                missing,
            } => {
                let (there, missing) = (lanes(*there), lanes(*missing));
                write!(
                    f,
                    "{there} of a warp are at barrier {barrier} without {missing}; it must be reached by all together"
                )
            }
            Self::NoLaunchWait { address } => write!(
                f,
                "global memory at {address:#x} is accessed while the kernel before this one may still run: the launch need not wait for it, so griddepcontrol.wait must"
            ),
            Self::Deadlock { .. } => {
                f.write_str("all threads wait for something that never happens")
            }
            Self::WgmmaRegisters {
                register,
                problem,
                other,
            } => {
                let line = other.ptx_line;
                match problem {
                    WgmmaProblem::Read => write!(
                        f,
                        "register {register} is read before wgmma.wait_group waited for the wgmma in PTX line {line} that writes it"
                    ),
                    WgmmaProblem::Written => write!(
                        f,
                        "register {register} is written before wgmma.wait_group waited for the wgmma in PTX line {line} that uses it"
                    ),
                    WgmmaProblem::NoFence => write!(
                        f,
                        "register {register} was written in PTX line {line} and is used by a wgmma with no wgmma.fence in between"
                    ),
                }
            }
            Self::SharedLimit { bytes, limit } => {
                write!(
                    f,
                    "{bytes} bytes of shared memory are asked for; a program can have {limit}"
                )
            }
            Self::StepLimit { limit } => {
                write!(
                    f,
                    "the program has executed {limit} instructions and has not ended"
                )
            }
            Self::RunLimit { limit } => write!(
                f,
                "all programs together have executed {limit} instructions and have not ended"
            ),
            Self::NotResident {
                most,
                program: [x, y, z],
            } => write!(
                f,
                "the {most} programs that the device holds at once wait for others, and program ({x}, {y}, {z}) cannot start \
                 before one of them has ended"
            ),
            Self::Trap { what } => f.write_str(what),
            Self::MemberMask { mask, others } => write!(
                f,
                "the member mask {mask:#010x} of this lane must name the lane, and be the mask \
                 {others:#010x} of the other lanes"
            ),
            Self::ShuffleSource { from } => {
                write!(
                    f,
                    "a shuffle reads lane {from}, which does not take part in it"
                )
            }
            Self::BranchTable { index, targets } => {
                write!(f, "a branch wants entry {index} of a table of {targets}")
            }
            Self::ExitedProgram { rank, earlier } => match earlier {
                Some(earlier) => write!(
                    f,
                    "program {rank} of the cluster ends while another one may still {} its shared memory; it must wait, with barrier.cluster, until all are done",
                    present(earlier)
                ),
                None => write!(
                    f,
                    "shared memory of program {rank} of the cluster is accessed, but all its threads have ended"
                ),
            },
            Self::InvalidOperand { what } => f.write_str(what),
        }
    }
}

const fn verb(write: bool, atomic: bool) -> &'static str {
    match (atomic, write) {
        (true, _) => "updated atomically",
        (false, true) => "written",
        (false, false) => "read",
    }
}

const fn present(party: &Party) -> &'static str {
    match (party.atomic, party.write) {
        (true, _) => "update",
        (false, true) => "write",
        (false, false) => "read",
    }
}

fn other(party: &Party) -> &'static str {
    party
        .asynchronous
        .map_or("another thread", |what| what.words().0)
}

fn count(bytes: u32) -> (String, &'static str) {
    if bytes == 1 {
        ("1 byte".to_owned(), "is")
    } else {
        (format!("{bytes} bytes"), "are")
    }
}

/// Lanes in words: `lane 3`, `lanes 0-15, 20`.
pub(super) fn lanes(mask: Mask) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for lane in (0..Mask::BITS).filter(|lane| mask >> lane & 1 == 1) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            _ => runs.push((lane, lane)),
        }
    }
    let words = runs.iter().map(|&(first, last)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    });
    let words: Vec<_> = words.collect();
    let plural = if mask.count_ones() == 1 { "" } else { "s" };
    format!("lane{plural} {}", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_is_what_json_says() {
        let defects = [
            Defect::UninitialisedRegister {
                register: "%r1".to_owned(),
                moved: None,
            },
            Defect::SharedLimit {
                bytes: 300_000,
                limit: 232_448,
            },
            Defect::StepLimit { limit: 1 },
            Defect::RunLimit { limit: 1 },
            Defect::NotResident {
                most: 1,
                program: [1, 0, 0],
            },
            Defect::MemberMask { mask: 1, others: 2 },
            Defect::BranchTable {
                index: 4,
                targets: 2,
            },
            Defect::Deadlock { waits: Vec::new() },
        ];
        for defect in defects {
            let json = serde_json::to_value(&defect).expect("serialises");
            assert_eq!(json["code"], defect.code());
        }
    }

    #[test]
    fn lanes_are_listed_in_runs() {
        assert_eq!(lanes(0b1000), "lane 3");
        assert_eq!(lanes(0x0010_ffff), "lanes 0-15, 20");
    }
}
