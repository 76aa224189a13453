//! What the compiler knows about each GPU architecture, in one table.
//!
//! Numbers are from the CUDA programming guide (compute capabilities) and the PTX ISA. What a
//! multiprocessor holds at once is in [`tile_runtime::occupancy`]; what a card can do per second, for
//! one card of each architecture, in [`card`]; what instructions take, in [`machine`].

use tile_runtime::occupancy::Multiprocessor;

pub mod card;
pub mod machine;

/// Bytes of the widest access of a thread (PTX ISA, "ld": `.v4.b32`): rows begin at multiples of them if accesses can be that wide.
pub const WIDEST_ACCESS: u64 = 16;

/// Products that tensor cores add up before f32 does, where its accuracy is asked for: as many of fp8 as share a scale where there are any. Of
/// 16 bits they cut each sum off (sums of 4096 positive products on an H200 are 4.3e-6 off on average; added in blocks 9e-8, as fused multiply-adds 4e-7).
pub const MOST_ADDED_UP: u64 = 128;

/// A GPU architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Its name, as in `--target` and `.target`.
    pub name: &'static str,
    /// The GPUs that have it.
    pub summary: &'static str,
    /// PTX version asked of LLVM: the oldest that has what we emit for it.
    pub ptx_feature: &'static str,
    /// Most bytes of shared memory that one program may have (dynamic, opted in).
    pub shared_bytes_per_program: u64,
    /// Shared memory of a multiprocessor, in bytes.
    pub shared_bytes_per_multiprocessor: u64,
    /// 32-bit registers of a multiprocessor, and the most for one program.
    pub registers_per_program: u64,
    /// Most 32-bit registers of a thread.
    pub registers_per_thread: u64,
    /// Most warps of one program.
    pub warps_per_program: u32,
    /// Threads that a multiprocessor holds.
    pub threads_per_multiprocessor: u32,
    /// Bytes of the widest load or store of a thread.
    pub vector_bytes: u64,
    /// Whether warpgroups multiply matrices together (`wgmma`): `sm_90a` alone.
    pub has_warpgroup_products: bool,
    /// Most blocks of a cluster that every GPU of the architecture can run; 1 where there are none.
    pub blocks_per_cluster: u32,
    /// Whether boxes of tensors are copied by TMA where that can be.
    pub has_tensor_copies: bool,
    /// Whether a kernel may begin before the one in front of it has ended (`griddepcontrol`): from `sm_90` on.
    pub has_dependent_launches: bool,
}

const AMPERE: Target = Target {
    name: "sm_80",
    summary: "A100",
    ptx_feature: "+ptx75",
    shared_bytes_per_program: 166_912,
    shared_bytes_per_multiprocessor: 167_936,
    registers_per_program: 65_536,
    registers_per_thread: 255,
    warps_per_program: 32,
    threads_per_multiprocessor: 2048,
    vector_bytes: 16,
    has_warpgroup_products: false,
    blocks_per_cluster: 1,
    has_tensor_copies: false,
    has_dependent_launches: false,
};

/// All targets, oldest first.
pub const TARGETS: &[Target] = &[
    AMPERE,
    Target {
        name: "sm_86",
        summary: "A10, A40, RTX 30",
        shared_bytes_per_program: 101_376,
        shared_bytes_per_multiprocessor: 102_400,
        threads_per_multiprocessor: 1536,
        ..AMPERE
    },
    Target {
        name: "sm_89",
        summary: "L4, L40, RTX 40",
        // PTX 7.8 has the target; its conversions of fp8 came with 8.1.
        ptx_feature: "+ptx81",
        shared_bytes_per_program: 101_376,
        shared_bytes_per_multiprocessor: 102_400,
        threads_per_multiprocessor: 1536,
        ..AMPERE
    },
    Target {
        name: "sm_90a",
        summary: "H100, H200",
        // PTX 8.0 has the target; its atomic additions of vectors came with 8.1.
        ptx_feature: "+ptx81",
        shared_bytes_per_program: 232_448,
        shared_bytes_per_multiprocessor: 233_472,
        has_warpgroup_products: true,
        blocks_per_cluster: 8,
        has_tensor_copies: true,
        has_dependent_launches: true,
        ..AMPERE
    },
    Target {
        name: "sm_100a",
        summary: "B200",
        ptx_feature: "+ptx86",
        has_dependent_launches: true,
        shared_bytes_per_program: 232_448,
        shared_bytes_per_multiprocessor: 233_472,
        ..AMPERE
    },
    Target {
        name: "sm_120",
        summary: "RTX 50",
        ptx_feature: "+ptx87",
        has_dependent_launches: true,
        shared_bytes_per_program: 101_376,
        shared_bytes_per_multiprocessor: 102_400,
        threads_per_multiprocessor: 1536,
        ..AMPERE
    },
];

/// The target when none is named.
pub const DEFAULT: &str = "sm_90a";

impl Target {
    /// Its compute capability: 90 for `sm_90a`.
    #[must_use]
    pub fn capability(&self) -> u32 {
        let digits = self.name.trim_start_matches("sm_");
        let digits = digits.trim_end_matches(char::is_alphabetic);
        digits.parse().unwrap_or(0)
    }

    /// What a multiprocessor of it has; `None` where that is not known.
    #[must_use]
    pub fn multiprocessor(&self) -> Option<Multiprocessor> {
        Multiprocessor::of_capability(self.capability())
    }

    /// The target of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// The target that an architecture runs: its own, or the newest that it is compatible with;
    /// `None` if it is older than all of them.
    #[must_use]
    pub fn of_architecture(architecture: &str) -> Option<&'static Self> {
        let number = |name: &str| {
            name.strip_prefix("sm_")
                .and_then(|digits| digits.parse::<u32>().ok())
        };
        let own = TARGETS
            .iter()
            .find(|target| target.name.trim_end_matches('a') == architecture);
        own.or_else(|| {
            // `sm_90a` runs on nothing else, and so has no number.
            let older = |target: &&Self| {
                number(target.name).is_some_and(|of| Some(of) <= number(architecture))
            };
            TARGETS
                .iter()
                .filter(older)
                .max_by_key(|target| number(target.name))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_of_targets_and_of_multiprocessors_agree() {
        for target in TARGETS {
            let whole = target.multiprocessor().expect(target.name);
            let numbers = [
                (
                    whole.shared_bytes_per_program.into(),
                    target.shared_bytes_per_program,
                ),
                (
                    whole.shared_bytes.into(),
                    target.shared_bytes_per_multiprocessor,
                ),
                (whole.registers.into(), target.registers_per_program),
                (
                    (32 * whole.warps).into(),
                    target.threads_per_multiprocessor.into(),
                ),
            ];
            for (here, there) in numbers {
                let here: u64 = here;
                assert_eq!(here, there, "{}", target.name);
            }
        }
    }
}
