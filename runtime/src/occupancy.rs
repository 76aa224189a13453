//! How many programs of a kernel a multiprocessor holds at once, and what allows no more.
//!
//! Four resources are handed out per program (thread block), and the scarcest decides. The rules are
//! those of the CUDA occupancy calculator, and what comes out is what
//! `cuOccupancyMaxActiveBlocksPerMultiprocessor` says (`tile-bench occupancy` compares them):
//!
//! - places for programs, and places for warps;
//! - registers: a warp takes 32 times those of a thread, rounded up to 256; it lives in one of four
//!   partitions, each of which has a quarter of the registers, so partitions hold whole warps only;
//! - shared memory: what the program asks for and 1 KiB that the system takes, rounded up to 128 bytes.
//!
//! ```text
//! 256 threads of 40 registers on sm_90: a warp takes 1280, a partition holds 16384 / 1280 = 12 warps,
//! four of them 48, which are 6 programs of 8 warps: 48 of 64 warps, limited by registers
//! ```

/// Threads of a warp.
const WARP: u32 = 32;

/// What a multiprocessor has (CUDA programming guide, "Compute Capabilities").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Multiprocessor {
    /// Most warps at once.
    pub warps: u32,
    /// Most programs at once.
    pub programs: u32,
    /// 32-bit registers.
    pub registers: u32,
    /// Bytes of shared memory, of all programs together.
    pub shared_bytes: u32,
    /// Bytes of it that each program has besides those it asks for.
    pub reserved_shared_bytes: u32,
    /// Most bytes that one program may ask for.
    pub shared_bytes_per_program: u32,
}

/// Registers are handed out to warps in multiples of this.
const REGISTERS_AT_ONCE: u32 = 256;

/// Parts of a multiprocessor, each with its own registers and scheduler.
const PARTITIONS: u32 = 4;

/// Shared memory is handed out to programs in multiples of this.
const SHARED_AT_ONCE: u32 = 128;

/// Most threads of a program.
const THREADS_PER_PROGRAM: u32 = 1024;

const AMPERE: Multiprocessor = Multiprocessor {
    warps: 64,
    programs: 32,
    registers: 65_536,
    shared_bytes: 164 << 10,
    reserved_shared_bytes: 1 << 10,
    shared_bytes_per_program: 163 << 10,
};

impl Multiprocessor {
    /// That of the GPUs of a compute capability: 89 for 8.9. `None` for one that is not known here.
    #[must_use]
    pub fn of_capability(capability: u32) -> Option<Self> {
        let with_shared = |warps, programs, kibibytes: u32| Self {
            warps,
            programs,
            shared_bytes: kibibytes << 10,
            shared_bytes_per_program: (kibibytes - 1) << 10,
            ..AMPERE
        };
        Some(match capability {
            80 => AMPERE,
            86 => with_shared(48, 16, 100),
            89 => with_shared(48, 24, 100),
            90 | 100 => with_shared(64, 32, 228),
            120 => with_shared(48, 24, 100),
            _ => return None,
        })
    }

    /// How many programs fit.
    #[must_use]
    pub fn occupancy(&self, program: ProgramUse) -> Occupancy {
        let together = program.per_block.max(1);
        let threads = program.threads * together;
        let warps = threads.div_ceil(WARP).max(1);
        let bytes = program.shared_bytes * together;
        let shared = bytes + self.reserved_shared_bytes;
        let by = [
            (Limit::Programs, self.programs),
            (Limit::Warps, self.warps / warps),
            (
                Limit::Registers,
                self.by_registers(warps, program.registers),
            ),
            (
                Limit::SharedMemory,
                if bytes > self.shared_bytes_per_program {
                    0
                } else {
                    self.shared_bytes / shared.next_multiple_of(SHARED_AT_ONCE)
                },
            ),
        ];
        let by = by.map(|(limit, blocks)| (limit, blocks * together));
        let fits = if threads > THREADS_PER_PROGRAM {
            0
        } else {
            by.iter().map(|(_, programs)| *programs).min().unwrap_or(0)
        };
        Occupancy {
            programs: fits,
            warps: fits / together * warps,
            of_warps: self.warps,
            limits: by,
        }
    }

    fn by_registers(&self, warps: u32, registers: u32) -> u32 {
        let per_warp = (registers * WARP).next_multiple_of(REGISTERS_AT_ONCE);
        if per_warp == 0 {
            return self.programs;
        }
        // Warps of a program are spread over the partitions evenly, and a launch reserves as if each
        // had the same number.
        if per_warp * warps.next_multiple_of(PARTITIONS) > self.registers {
            return 0;
        }
        let per_partition = self.registers / PARTITIONS / per_warp;
        per_partition * PARTITIONS / warps
    }
}

/// What a program uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramUse {
    /// Threads.
    pub threads: u32,
    /// 32-bit registers of each.
    pub registers: u32,
    /// Bytes of shared memory, static and dynamic.
    pub shared_bytes: u32,
    /// Programs that share a block, each of so many threads.
    pub per_block: u32,
}

/// A resource of a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Places for programs.
    Programs,
    /// Places for warps.
    Warps,
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
}

impl Limit {
    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Programs => "places for programs",
            Self::Warps => "places for warps",
            Self::Registers => "registers",
            Self::SharedMemory => "shared memory",
        }
    }
}

/// How full a multiprocessor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Programs at once; 0 if not even one fits.
    pub programs: u32,
    /// Their warps.
    pub warps: u32,
    /// Of so many.
    pub of_warps: u32,
    /// How many programs each resource would allow.
    pub limits: [(Limit, u32); 4],
}

impl Occupancy {
    /// The resources that allow no more programs than there are.
    #[must_use]
    pub fn limited_by(&self) -> Vec<Limit> {
        let tight = self
            .limits
            .iter()
            .filter(|(_, allowed)| *allowed == self.programs);
        tight.map(|(limit, _)| *limit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Programs that fit, and what allows no more.
    fn fits(capability: u32, threads: u32, registers: u32, shared: u32) -> (u32, Vec<Limit>) {
        let multiprocessor = Multiprocessor::of_capability(capability).expect("a known one");
        let occupancy = multiprocessor.occupancy(ProgramUse {
            threads,
            registers,
            shared_bytes: shared,
            per_block: 1,
        });
        (occupancy.programs, occupancy.limited_by())
    }

    #[test]
    fn small_programs_run_out_of_places() {
        use Limit::{Programs, Warps};
        assert_eq!(fits(90, 32, 16, 0), (32, vec![Programs]));
        assert_eq!(fits(89, 32, 16, 0), (24, vec![Programs]));
        // 2 warps of 24 programs fill all 48 places.
        assert_eq!(fits(89, 64, 16, 0), (24, vec![Programs, Warps]));
        // 64 / 3 = 21.3: the last place stays empty.
        assert_eq!(fits(80, 96, 16, 0), (21, vec![Warps]));
        assert_eq!(fits(90, 1024, 32, 0), (2, vec![Warps, Limit::Registers]));
        assert_eq!(fits(89, 1024, 32, 0).0, 1);
    }

    #[test]
    fn programs_that_share_a_block_have_a_place_together() {
        let multiprocessor = Multiprocessor::of_capability(90).expect("a known one");
        let occupancy = |registers, shared_bytes| {
            multiprocessor.occupancy(ProgramUse {
                threads: 32,
                registers,
                shared_bytes,
                per_block: 8,
            })
        };
        let some = occupancy(16, 1000);
        assert_eq!((some.programs, some.warps), (64, 64));
        assert_eq!(some.limited_by(), [Limit::Warps]);
        // 8 blocks have places for 64 warps, 4 of them registers.
        assert_eq!(occupancy(64, 0).programs, 32);
        // 8192 + 1024 bytes of each block.
        assert_eq!(occupancy(16, 1 << 12).limited_by(), [Limit::SharedMemory]);
    }

    #[test]
    fn registers_are_rounded_up_per_warp_and_shared_out_by_partition() {
        // 32 * 40 = 1280; 16384 / 1280 = 12 warps in a partition, 48 in all, 6 programs of 8.
        assert_eq!(fits(90, 256, 40, 0), (6, vec![Limit::Registers]));
        // 33 registers are rounded up to 40: 1056 -> 1280.
        assert_eq!(fits(90, 256, 33, 0), (6, vec![Limit::Registers]));
        // 255: 8160 -> 8192, 2 warps in a partition, 8 in all.
        assert_eq!(fits(90, 256, 255, 0), (1, vec![Limit::Registers]));
        assert_eq!(fits(90, 128, 255, 0), (2, vec![Limit::Registers]));
        // 168: 5376, 3 warps in a partition (not 65536 / 5376 = 12.19 in all, but 12 it is).
        assert_eq!(fits(90, 384, 168, 0), (1, vec![Limit::Registers]));
        // 9 warps reserve as 12 do: 12 * 7168 = 86016 is more than there is, 9 * 7168 is not.
        assert_eq!(fits(90, 288, 224, 0).0, 0);
        // 96: 3072, 5 warps in a partition: 20, of which 18 are two programs of 9.
        assert_eq!(fits(90, 288, 96, 0), (2, vec![Limit::Registers]));
    }

    #[test]
    fn shared_memory_has_a_reserve_and_a_grain() {
        // 32768 + 1024 = 33792; 233472 / 33792 = 6.9, and 167936 / 33792 = 4.97.
        assert_eq!(fits(90, 128, 32, 32_768), (6, vec![Limit::SharedMemory]));
        assert_eq!(fits(80, 128, 32, 32_768), (4, vec![Limit::SharedMemory]));
        // 102400 / 33792 = 3.03.
        assert_eq!(fits(89, 128, 32, 32_768), (3, vec![Limit::SharedMemory]));
        // 233472 / 8 = 29184 = 28160 + 1024: exactly 8 programs, and one byte more rounds up.
        assert_eq!(fits(90, 128, 32, 28_160).0, 8);
        assert_eq!(fits(90, 128, 32, 28_161).0, 7);
        // All of it, and a byte too much.
        assert_eq!(fits(90, 128, 32, 227 << 10).0, 1);
        assert_eq!(fits(90, 128, 32, (227 << 10) + 1).0, 0);
    }

    #[test]
    fn what_cannot_be_launched_has_no_place() {
        assert_eq!(fits(90, 1056, 16, 0).0, 0);
        assert_eq!(fits(90, 1024, 128, 0).0, 0);
        assert_eq!(fits(90, 1024, 64, 0).0, 1);
    }
}
