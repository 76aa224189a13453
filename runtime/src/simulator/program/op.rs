//! What instructions do. Registers are in the instruction's operand list, destinations first; what
//! is here is all that is known when decoding.

pub mod asynchronous;

use asynchronous::{Asynchronous, Multiply};

use crate::simulator::arithmetic::Compute;
pub use crate::simulator::checks::Space;
use crate::simulator::matrix::mma::Mma;
use crate::simulator::matrix::movement::{LoadMatrix, StoreMatrix};

/// One operation.
#[derive(Debug)]
pub enum Op {
    /// Lane by lane from registers to registers.
    Compute(Compute),
    /// `bra`: to the instruction of that number.
    Branch(u32),
    /// `brx.idx`: operand 0 picks one of these.
    BranchTable(Vec<u32>),
    /// `ret`, `exit`.
    Exit,
    /// `trap`, and a failed assertion.
    Trap(&'static str),
    /// `griddepcontrol.wait`
    LaunchWait,
    /// Nothing that a simulation shows: prefetches, hints.
    Nothing,
    /// `nanosleep`: lets others run.
    Sleep,
    /// A special register whose value changes while the kernel runs. Operand: destination.
    Read(Special),
    /// `ld`. Operands: destinations, base address.
    Load(Access),
    /// `st`. Operands: base address, values.
    Store(Access),
    /// `atom`, `red`. Operands: [old value], base address, value, [value 2].
    Atomic(Atomic),
    /// `cvta`, `cvta.to`: operands: destination, source.
    ConvertAddress(Space, Direction),
    /// `isspacep`: operands: predicate, address.
    IsSpace(Space),
    /// `mapa`: the address of the same place in another block of the cluster. Operands:
    /// destination, address, rank.
    MapShared(ClusterAddress),
    /// `getctarank`: operands: destination, address.
    SharedRank(ClusterAddress),
    /// `shfl.sync`: operands: destination, value, lane, clamp and segment mask, member mask.
    /// If `true` a predicate follows the destination: whether the source lane was in range.
    Shuffle(Shuffle, bool),
    /// `vote.sync`: operands: destination, predicate, member mask.
    Vote(Vote),
    /// `match.sync`: operands: destination, \[predicate\], value, member mask.
    Match {
        /// `.all` instead of `.any`.
        all: bool,
        /// Values of 64 bits.
        wide: bool,
        /// Whether a predicate follows the destination.
        predicate: bool,
    },
    /// `redux.sync`: operands: destination, value, member mask.
    Reduce(Reduction),
    /// `activemask`: operand: destination.
    ActiveMask,
    /// `elect.sync`: operands: \[leader\], predicate, member mask.
    Elect(bool),
    /// `bar.warp.sync`: operand: member mask.
    WarpBarrier,
    /// `bar`, `barrier`. Operands: \[result\], barrier, \[threads\], \[predicate\].
    Barrier(Barrier),
    /// `barrier.cluster`.
    ClusterBarrier(ClusterBarrier),
    /// `membar`, `fence`.
    Fence(Fence),
    /// `mma.sync`. Operands: d, a, b, c registers.
    Mma(Box<Mma>),
    /// `ldmatrix`. Operands: destinations, address.
    MatrixLoad(Box<LoadMatrix>, Address),
    /// `stmatrix`. Operands: address, values.
    MatrixStore(Box<StoreMatrix>, Address),
    /// `movmatrix`: operands: destination, source.
    MatrixMove,
    /// An instruction of the asynchronous family.
    Asynchronous(Box<Asynchronous>),
    /// `vprintf` and the like: a call out of the kernel.
    Call(Call),
}

impl Op {
    /// The wgmma, whose registers are used after the instruction, until a wait.
    #[must_use]
    pub fn wgmma(&self) -> Option<&Multiply> {
        match self {
            Self::Asynchronous(operation) => match &**operation {
                Asynchronous::Multiply(multiply) => Some(multiply),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether lanes that a member mask names execute it together. Those that have exited need not
    /// (PTX ISA, "shfl.sync").
    #[must_use]
    pub const fn is_among_members(&self) -> bool {
        matches!(
            self,
            Self::Shuffle(..)
                | Self::Vote(_)
                | Self::Match { .. }
                | Self::Reduce(_)
                | Self::Elect(_)
                | Self::WarpBarrier
        )
    }

    /// Whether what it counts as traffic of global memory is written: stores, and atomics, which
    /// are carried out where the memory is.
    #[must_use]
    pub fn writes_global(&self) -> bool {
        match self {
            Self::Store(_) | Self::Atomic(_) => true,
            Self::Asynchronous(operation) => operation.writes_global(),
            _ => false,
        }
    }

    /// Multiplications and additions that the tensor cores do when a warp executes it.
    #[must_use]
    pub fn tensor_flops(&self) -> u64 {
        match self {
            Self::Mma(mma) => mma.flops(),
            other => other.wgmma().map_or(0, |multiply| multiply.wgmma.flops()),
        }
    }
}

/// What may be called: what CUDA's device runtime offers to every kernel. Arguments and result are
/// in local memory, at these places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// `vprintf(format, arguments)`.
    Print {
        /// The address of the text, and that of the values.
        arguments: [u32; 2],
        /// Where the number of values goes.
        result: Option<u32>,
    },
    /// `__assertfail(message, file, line, function, size)`.
    Assert {
        /// The address of the message, that of the file's name, the line, the address of the
        /// function's name.
        arguments: [u32; 4],
    },
}

/// Special registers (PTX ISA, chapter 10).
#[allow(missing_docs)] // the names are PTX's
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Special {
    Tid(u8),
    Ntid(u8),
    CtaId(u8),
    NctaId(u8),
    ClusterId(u8),
    NclusterId(u8),
    ClusterCtaId(u8),
    ClusterNctaId(u8),
    ClusterCtaRank,
    ClusterNctaRank,
    IsExplicitCluster,
    LaneId,
    WarpId,
    NwarpId,
    SmId,
    NsmId,
    GridId,
    LaneMaskEq,
    LaneMaskLe,
    LaneMaskLt,
    LaneMaskGe,
    LaneMaskGt,
    DynamicSharedBytes,
    TotalSharedBytes,
    /// Changes while the kernel runs.
    Clock,
    /// Changes while the kernel runs.
    GlobalTimer,
}

/// Which way an address is converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// `cvta.space`: from the space to generic.
    ToGeneric,
    /// `cvta.to.space`: from generic to the space.
    FromGeneric,
}

/// How an address is made of the register that is the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// Whether the base is a 64-bit register.
    pub wide: bool,
    /// Added to the base, in bytes.
    pub offset: i64,
}

/// A load or store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Where.
    pub space: Space,
    /// Added to the base, in bytes.
    pub offset: i64,
    /// Whether the base is a 64-bit register.
    pub wide_base: bool,
    /// Bytes of one element: 1, 2, 4 or 8.
    pub bytes: u32,
    /// Elements per lane.
    pub count: u32,
    /// Whether a load extends the sign.
    pub signed: bool,
    /// Whether the registers are of 64 bits.
    pub wide_registers: bool,
    /// Whether the registers are of 16 bits.
    pub narrow_registers: bool,
    /// How it is ordered.
    pub order: Order,
    /// For whom.
    pub scope: Scope,
}

/// Among whose threads an access or a fence orders (PTX ISA, 8.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Scope {
    /// `.cta`
    Block,
    /// `.cluster`
    Cluster,
    /// `.gpu` and `.sys`
    #[default]
    Device,
}

/// Memory orders and what they imply here (PTX ISA, 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// An ordinary access.
    Weak,
    /// `.relaxed`, `.volatile`, `.mmio`: may race with others of its kind.
    Relaxed,
    /// `.acquire`
    Acquire,
    /// `.release`
    Release,
    /// `.acq_rel`
    AcquireRelease,
}

/// An atomic operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Atomic {
    /// Where, and the width of one element. `count` is that of vector forms.
    pub access: Access,
    /// What is done.
    pub operation: AtomicOperation,
    /// Of which type: decides arithmetic and comparison.
    pub element: AtomicElement,
    /// Whether the old value is wanted: `atom`, not `red`.
    pub returns: bool,
}

/// What an atomic does to memory.
#[allow(missing_docs)] // the names are PTX's
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtomicOperation {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exchange,
    CompareAndSwap,
    Increment,
    Decrement,
}

/// The type of an atomic.
#[allow(missing_docs)] // the names are PTX's
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtomicElement {
    Unsigned,
    Signed,
    Bits,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    F32,
    F64,
}

/// Where a lane of a shuffle reads.
#[allow(missing_docs)] // the names are PTX's
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

/// What a vote gives.
#[allow(missing_docs)] // the names are PTX's
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vote {
    All,
    Any,
    Uniform,
    Ballot,
}

/// What `redux.sync` computes.
#[allow(missing_docs)] // the names are PTX's
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    Add,
    MinUnsigned,
    MaxUnsigned,
    MinSigned,
    MaxSigned,
    And,
    Or,
    Xor,
    /// f32, with the options `.abs` and `.NaN`.
    MinFloat {
        abs: bool,
        nan: bool,
    },
    /// f32, with the options `.abs` and `.NaN`.
    MaxFloat {
        abs: bool,
        nan: bool,
    },
}

/// A barrier of the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Barrier {
    /// What it does.
    pub kind: BarrierKind,
    /// All threads of the warp come to it together: `bar`, `barrier.….aligned`.
    pub aligned: bool,
    /// Whether a number of threads is given.
    pub counted: bool,
}

/// What a barrier instruction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarrierKind {
    /// Arrives and waits.
    Sync,
    /// Arrives alone.
    Arrive,
    /// Arrives, waits and combines a predicate of all threads.
    Reduce(Vote),
    /// Arrives, waits and counts the threads whose predicate is true.
    Count,
}

/// `barrier.cluster`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClusterBarrier {
    /// Arrives; whether with release.
    Arrive {
        /// Whether what was written before is to be seen by who waits.
        release: bool,
    },
    /// Waits.
    Wait,
}

/// A fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fence {
    /// `membar`, `fence.sc`, `fence.acq_rel`.
    Memory(Scope),
    /// `fence.proxy.async`: generic and asynchronous accesses see each other.
    AsyncProxy,
    /// `fence.mbarrier_init`.
    BarrierInit,
    /// `fence.proxy.tensormap`, `fence.proxy.alias`.
    OtherProxy,
}

/// How an instruction spells an address in the shared memory of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClusterAddress {
    /// As a generic address, rather than one of `.shared::cluster`.
    pub is_generic: bool,
    /// In 64 bits.
    pub is_wide: bool,
}
