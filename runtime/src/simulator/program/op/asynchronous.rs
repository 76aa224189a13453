//! Instructions whose work goes on after them, and those that wait for it. Registers are in the
//! instruction's operand list, as is said at each; destinations first.

use super::{Access, Address, Atomic, AtomicElement, AtomicOperation, Order, Scope, Space};
use crate::simulator::matrix::wgmma::{Immediates, Wgmma};

/// One of them.
#[derive(Debug)]
pub enum Asynchronous {
    /// `cp.async`. Operands: destination, source, [source bytes or ignore-source].
    Copy(Copy),
    /// `cp.async.mbarrier.arrive`; whether with `.noinc`. Operand: mbarrier.
    CopiesArrive(Pointer, bool),
    /// `cp.async.commit_group`, `cp.async.bulk.commit_group`, `wgmma.commit_group`.
    Commit(Queue),
    /// `cp.async.wait_group`, `cp.async.wait_all`, `cp.async.bulk.wait_group`,
    /// `wgmma.wait_group`.
    Wait(Wait),
    /// An operation on an mbarrier.
    Mbarrier(Mbarrier),
    /// `cp.async.bulk`, `cp.reduce.async.bulk`. Operands: destination, source, bytes, \[mbarrier\],
    /// \[mask of blocks\].
    Bulk(Bulk),
    /// `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`. Operands: map, shared memory,
    /// coordinates, \[mbarrier\], \[mask of blocks\].
    Tensor(Tensor),
    /// `st.async`, `red.async`. Operands: destination, mbarrier, values.
    Store(Store),
    /// `wgmma.fence`
    WgmmaFence,
    /// `wgmma.mma_async`. Operands: d, \[d\], a, b, scale-d.
    Multiply(Multiply),
    /// `setmaxnreg`
    SetRegisters(SetRegisters),
}

impl Asynchronous {
    /// Whether it is a copy to global memory. Those tell their end to a group.
    #[must_use]
    pub const fn writes_global(&self) -> bool {
        match self {
            Self::Bulk(bulk) => matches!(bulk.completion, Completion::Group),
            Self::Tensor(tensor) => !matches!(tensor.direction, TensorDirection::Load(_)),
            _ => false,
        }
    }
}

/// A bulk copy of bytes in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bulk {
    /// Where to.
    pub to: Pointer,
    /// Where from.
    pub from: Pointer,
    /// How its end is told.
    pub completion: Completion,
    /// Whether each element is combined with what is there.
    pub reduction: Option<Atomic>,
}

/// How the end of a bulk copy is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// To the group of its thread.
    Group,
    /// To an mbarrier.
    Mbarrier {
        /// Where it is.
        at: Pointer,
        /// Whether several blocks of the cluster get the bytes, each at the same place.
        multicast: bool,
    },
}

/// A copy of a box of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tensor {
    /// Where the map is.
    pub map: Pointer,
    /// Where the box is in shared memory.
    pub shared: Pointer,
    /// Coordinates.
    pub rank: usize,
    /// Which way it goes.
    pub direction: TensorDirection,
}

/// Which way a box goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TensorDirection {
    /// To shared memory, and how its end is told: to an mbarrier.
    Load(Completion),
    /// To global memory.
    Store,
    /// To global memory, combined with what is there.
    Reduce(AtomicOperation),
}

/// `st.async`, `red.async`: to shared memory of the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Store {
    /// Where to.
    pub to: Pointer,
    /// The mbarrier that its end is told to.
    pub mbarrier: Pointer,
    /// Bytes of an element.
    pub bytes: u32,
    /// Whether each element is combined with what is there.
    pub reduction: Option<Atomic>,
}

/// What is done to elements of so many bytes one by one.
#[must_use]
pub const fn reduction(operation: AtomicOperation, element: AtomicElement, bytes: u32) -> Atomic {
    Atomic {
        access: Access {
            space: Space::Generic,
            offset: 0,
            wide_base: true,
            bytes,
            count: 1,
            signed: false,
            wide_registers: bytes == 8,
            narrow_registers: bytes == 2,
            order: Order::Relaxed,
            scope: Scope::Device,
        },
        operation,
        element,
        returns: false,
    }
}

/// `wgmma.mma_async`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Multiply {
    /// What is multiplied.
    pub wgmma: Wgmma,
    /// What the immediates say.
    pub immediates: Immediates,
    /// Whether A is in four registers, not where a descriptor says.
    pub a_in_registers: bool,
    /// Whether D is among the sources: not if scale-d is the literal false.
    pub reads_d: bool,
}

impl Multiply {
    /// Registers of D.
    #[must_use]
    pub fn d_registers(&self) -> usize {
        self.wgmma.d().count
    }

    /// Registers of A; 0 if a descriptor says where it is.
    #[must_use]
    pub fn a_registers(&self) -> usize {
        if self.a_in_registers {
            self.wgmma.a().count
        } else {
            0
        }
    }

    /// Where A starts among the operands: behind D, once or twice.
    #[must_use]
    pub fn a_start(&self) -> usize {
        self.d_registers() * (1 + usize::from(self.reads_d))
    }
}

/// `setmaxnreg`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetRegisters {
    /// `.inc`, which waits until there are enough.
    pub increases: bool,
    /// Registers of each thread from now on.
    pub count: u32,
}

/// An operand that is an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    /// Where it points to: generic, shared or global memory.
    pub space: Space,
    /// How it is made of its register.
    pub address: Address,
}

/// `cp.async`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copy {
    /// Where to, in shared memory.
    pub to: Pointer,
    /// Where from, in global memory.
    pub from: Pointer,
    /// Bytes that are written: 4, 8 or 16.
    pub bytes: u32,
    /// How many of them are read.
    pub reads: Reads,
}

/// How many bytes a `cp.async` reads; the others that it writes are zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// All.
    All,
    /// As many as the third operand says.
    Counted,
    /// None where the third operand, a predicate, is true.
    Unless,
}

/// The queues of asynchronous work of a thread: each has its groups, and its waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    /// `cp.async`
    Copies,
    /// `cp.async.bulk` that are told by `.bulk_group`.
    Bulk,
    /// `wgmma.mma_async`, of a whole warp.
    Wgmma,
}

/// A wait for groups of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// Of which queue.
    pub queue: Queue,
    /// How many of the groups that were committed last may go on; `None` if what was not committed
    /// is waited for too.
    pub pending: Option<u32>,
    /// Whether writes may go on, as long as all has been read: `.read`.
    pub reads_only: bool,
}

/// An operation on an mbarrier (PTX ISA, "Parallel Synchronization and Communication
/// Instructions: mbarrier").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mbarrier {
    /// What it does.
    pub kind: MbarrierKind,
    /// Where the object is; without meaning for `PendingCount`.
    pub at: Pointer,
    /// Whether it releases, or acquires, what was written: not `.relaxed`.
    pub orders: bool,
}

/// What an operation on an mbarrier does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MbarrierKind {
    /// `init`. Operands: address, count.
    Initialise,
    /// `inval`. Operand: address.
    Invalidate,
    /// `arrive`, `arrive_drop`. Operands: state, address, [count or bytes].
    Arrive(Arrive),
    /// `expect_tx`. Operands: address, bytes.
    Expect,
    /// `complete_tx`. Operands: address, bytes.
    Complete,
    /// `test_wait`, `try_wait`. Operands: predicate, address, state or parity.
    Test {
        /// Whether the third operand is a parity of 32 bits, not a state of 64.
        parity: bool,
        /// Whether it may wait: `try_wait`.
        blocks: bool,
    },
    /// `pending_count`. Operands: count, state.
    PendingCount,
}

/// How a thread arrives at an mbarrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrive {
    /// What the last operand is.
    pub with: ArriveWith,
    /// `arrive_drop`: also fewer arrivals are expected from the next phase on.
    pub drops: bool,
    /// `.noComplete`: must not end the phase.
    pub no_complete: bool,
}

/// What an arrival says beside the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArriveWith {
    /// Nothing: one arrival.
    Nothing,
    /// How many arrivals.
    Count,
    /// `.expect_tx`: how many bytes more are expected.
    Bytes,
}
