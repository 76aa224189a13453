//! Every operation of the `tile` dialect, declared once.
//!
//! One entry of the table gives the operation's IRDL definition (so that MLIR knows and verifies
//! it), a typed view with named operands and attributes, and its variant of [`TileOp`], on which
//! passes match. The doc comment of an entry is its documentation.

use melior::ir::operation::OperationLike;

use super::view::{Arity, Effect, OpDefinition, OperandDefinition, segment};
use crate::ir::{Operation, Value, int_attribute, ints_attribute, result, text_attribute};

macro_rules! tile_ops {
    ($(
        $(#[doc = $doc:literal])+
        $Name:ident = $text:literal {
            operands: [$($operand:ident: $arity:ident),* $(,)?],
            attributes: [$($attribute:ident: $kind:ident),* $(,)?],
            results: $results:literal,
            regions: $regions:literal,
            effect: $effect:ident $(,)?
        }
    )*) => {
        /// All operations, in pipeline order.
        pub const OPERATIONS: &[OpDefinition] = &[$(
            OpDefinition {
                name: $text,
                docs: concat!($($doc, "\n"),+),
                operands: &[$(OperandDefinition { name: stringify!($operand), arity: Arity::$arity }),*],
                attributes: &[$(stringify!($attribute)),*],
                results: $results,
                regions: $regions,
                effect: Effect::$effect,
            }
        ),*];

        /// An operation of the dialect as a typed view.
        #[derive(Clone, Copy)]
        #[allow(missing_docs)]
        pub enum TileOp<'c> { $($Name($Name<'c>)),* }

        impl<'c> TileOp<'c> {
            /// The view of an operation, `None` if it is of another dialect.
            #[must_use]
            pub fn of(operation: Operation<'c>) -> Option<Self> {
                match crate::ir::name(operation) {
                    $(concat!("tile.", $text) => Some(Self::$Name($Name(operation))),)*
                    _ => None,
                }
            }
        }

        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy)]
            pub struct $Name<'c>(pub Operation<'c>);

            #[allow(dead_code, missing_docs)]
            impl<'c> $Name<'c> {
                /// The full name.
                pub const NAME: &'static str = concat!("tile.", $text);
                /// Names of the operands, for segments.
                const OPERANDS: &'static [OperandDefinition] =
                    &[$(OperandDefinition { name: stringify!($operand), arity: Arity::$arity }),*];

                /// The view of an operation, `None` if it is another one.
                #[must_use]
                pub fn of(operation: Operation<'c>) -> Option<Self> {
                    (crate::ir::name(operation) == Self::NAME).then_some(Self(operation))
                }

                /// The first result.
                #[must_use]
                pub fn result(self) -> Value<'c> {
                    result(self.0, 0)
                }

                $(tile_ops!(@operand $operand $arity);)*
                $(tile_ops!(@attribute $attribute $kind);)*
            }
        )*
    };
    (@operand $name:ident One) => {
        #[must_use]
        pub fn $name(self) -> Value<'c> {
            segment(self.0, Self::OPERANDS, stringify!($name))[0]
        }
    };
    (@operand $name:ident Optional) => {
        #[must_use]
        pub fn $name(self) -> Option<Value<'c>> {
            segment(self.0, Self::OPERANDS, stringify!($name)).first().copied()
        }
    };
    (@operand $name:ident $several:ident) => {
        #[must_use]
        pub fn $name(self) -> Vec<Value<'c>> {
            segment(self.0, Self::OPERANDS, stringify!($name))
        }
    };
    (@attribute $name:ident int) => {
        #[must_use]
        pub fn $name(self) -> i64 {
            int_attribute(self.0, stringify!($name)).unwrap_or_default()
        }
    };
    (@attribute $name:ident ints) => {
        #[must_use]
        pub fn $name(self) -> Vec<i64> {
            ints_attribute(self.0, stringify!($name)).unwrap_or_default()
        }
    };
    (@attribute $name:ident text) => {
        #[must_use]
        pub fn $name(self) -> &'c str {
            text_attribute(self.0, stringify!($name)).unwrap_or_default()
        }
    };
    (@attribute $name:ident any) => {
        #[must_use]
        pub fn $name(self) -> Option<melior::ir::Attribute<'c>> {
            self.0.attribute(stringify!($name)).ok()
        }
    };
}

tile_ops! {
    /// Which program this is along an axis (0 to 2): `i32`. With `number` it is that, which is not negative; else it is the
    /// hardware's.
    ProgramId = "program_id" {
        operands: [number: Optional], attributes: [axis: int], results: 1, regions: 0, effect: Pure,
    }
    /// How many programs there are along an axis: `i32`.
    NumPrograms = "num_programs" {
        operands: [], attributes: [axis: int], results: 1, regions: 0, effect: Pure,
    }
    /// `lo, lo + 1, …`: a tile of rank 1 of `i32`. With `pass` = N, in threads that only copy, it is what the Nth of the
    /// warpgroups has that they copy for, as with all operations that give tiles.
    Arange = "arange" {
        operands: [], attributes: [lo: int], results: 1, regions: 0, effect: Pure,
    }
    /// A scalar in every element of a tile.
    Splat = "splat" {
        operands: [scalar: One], attributes: [], results: 1, regions: 0, effect: Pure,
    }
    /// A new dimension of size 1 at `axis` of the result.
    Expand = "expand" {
        operands: [operand: One], attributes: [axis: int], results: 1, regions: 0, effect: Pure,
    }
    /// Dimensions of size 1 repeated to the result's sizes (same rank).
    Broadcast = "broadcast" {
        operands: [operand: One], attributes: [], results: 1, regions: 0, effect: Pure,
    }
    /// Same elements in row-major order, other shape.
    Reshape = "reshape" {
        operands: [operand: One], attributes: [], results: 1, regions: 0, effect: Pure,
    }
    /// Result dimension `i` is operand dimension `permutation[i]`.
    Permute = "permute" {
        operands: [operand: One], attributes: [permutation: ints], results: 1, regions: 0, effect: Pure,
    }
    /// The part of a tile that begins at `starts`, in the threads that have it.
    Part = "part" {
        operands: [operand: One], attributes: [starts: ints], results: 1, regions: 0, effect: Pure,
    }
    /// Pointers moved by `offset` elements (`i32` or `i64`, sign-extended), scalar or tile.
    PointerOffset = "pointer_offset" {
        operands: [pointer: One, offset: One], attributes: [], results: 1, regions: 0, effect: Pure,
    }
    /// Pointers as `i64`, `i64` as pointers, or pointers to another type: the address stays.
    PointerCast = "pointer_cast" {
        operands: [operand: One], attributes: [], results: 1, regions: 0, effect: Pure,
    }
    /// Reads through pointers where `mask` holds, else gives `other` (0 if absent).
    /// `cache` is a PTX cache operator or empty; `evict` is `first`, `last` or empty. What was a box of
    /// a tensor parameter in memory still has its `starts` (`i32`) and `kinds`, as `load_view` has, and the
    /// `pitch` of its rows in elements if that is known; the sizes of a `box` whose dimensions but the last are one of the tile. Where rows may begin anywhere it has `extents` (`i64`), too: the
    /// size of the tensor along each dimension, and the pitch of its rows in elements.
    Load = "load" {
        operands: [pointers: One, mask: Optional, other: Optional, starts: Many, extents: Many],
        attributes: [cache: text, evict: text], results: 1, regions: 0, effect: Reads,
    }
    /// Writes through pointers where `mask` holds. What was a box of a tensor parameter still has its
    /// `starts` and `kinds`, as that of a load, and `extents`.
    Store = "store" {
        operands: [pointers: One, value: One, mask: Optional, starts: Many, extents: Many],
        attributes: [cache: text, evict: text], results: 0, regions: 0, effect: Writes,
    }
    /// Reads a view of a tensor: along dimension `d` of the tensor the positions `starts[d]` (an
    /// integer scalar for `kinds[d]` = 0 or 1, a tile for 2, all of whose dimensions the view has). Kind 0 drops the dimension,
    /// 1 takes a range as long as the result's dimension, 2 gathers. `sizes` are `i32`, `strides`
    /// `i64` in elements. Elements out of bounds are `other` (0 if absent), unless `checked` is 0.
    LoadView = "load_view" {
        operands: [base: One, starts: Mixed, sizes: Many, strides: Many, other: Optional],
        attributes: [kinds: ints, checked: int, cache: text, evict: text],
        results: 1, regions: 0, effect: Reads,
    }
    /// Writes a view of a tensor, where `mask` holds; see `load_view`.
    StoreView = "store_view" {
        operands: [base: One, value: One, starts: Mixed, sizes: Many, strides: Many, mask: Optional],
        attributes: [kinds: ints, checked: int, cache: text, evict: text],
        results: 0, regions: 0, effect: Writes,
    }
    /// Matrix product `[m, k] x [k, n]` plus accumulator. `precision` is `usual`, `full` or `tf32`; `path` is
    /// empty until `tensor-cores` chose `wgmma`, `mma` or `fma`. After `conversions` operands may be buffers in
    /// shared memory; `left_layout` and `right_layout` then say in which layout they are read,
    /// and `depth` is K, since a buffer covers padding as well. A buffer holds the transposed operand where
    /// `left_turned` or `right_turned` is there. With `apart` = N sums of at most N
    /// products are made in registers of their own and then added to the rest. With `negated` = 1 the product is subtracted
    /// from the accumulator; only `wgmma` does that.
    Dot = "dot" {
        operands: [left: One, right: One, accumulator: One],
        attributes: [precision: text, path: text], results: 1, regions: 0, effect: Pure,
    }
    /// Reads the fragments of one step along K of an operand of `mma.sync` from a buffer: all that the thread's products
    /// of that step take, as machine words. `fragment` is the layout of the operand, `shape` its sizes, and `axis` that
    /// of K.
    FragmentLoad = "fragment_load" {
        operands: [buffer: One], attributes: [fragment: any, shape: ints, axis: int, step: int], results: 1, regions: 0,
        effect: ReadsShared,
    }
    /// One step along K of a product by `mma.sync`, of fragments that `fragment_load` read of elements of type `element`.
    /// With `copies` = 1 pieces of an `async_copy` that wait for a place are started between its instructions.
    DotStep = "dot_step" {
        operands: [left: One, right: One, accumulator: One], attributes: [element: text, copies: int], results: 1, regions: 0,
        effect: Pure,
    }
    /// Reduces tiles of one shape together along `axis`. The region combines two partial results
    /// (left ones, then right ones) and gives the new ones to `gpu.yield` (an operation defined through
    /// IRDL cannot be a terminator). `identity` holds one scalar per operand
    /// that changes nothing, for elements that are padding. With `partial` = [`WARPS_APART`](super::WARPS_APART)
    /// the warps' results stay apart: the axis keeps one element per warp along it. With [`THREADS_APART`](super::THREADS_APART)
    /// those of lanes do as well.
    Reduce = "reduce" {
        operands: [operands: Several], attributes: [axis: int, identity: any, partial: int],
        results: -1, regions: 1, effect: Pure,
    }
    /// Combines every element of tiles of one shape with those before it along `axis`, or with `reverse` = 1 with those behind it,
    /// the last one first; the region is as in `reduce`. With `carry` (one tile per operand, which holds one element per warp along the
    /// axis in every thread) the elements of the warps before come first.
    Scan = "scan" {
        operands: [operands: Several, carry: Mixed], attributes: [axis: int, reverse: int],
        results: -1, regions: 1, effect: Pure,
    }
    /// Result element `i` is the operand's element at `indices[0][i], indices[1][i], …`: tiles of `i32`
    /// of the result's shape, one per dimension of the operand.
    Gather = "gather" {
        operands: [operand: One, indices: Mixed], attributes: [], results: 1, regions: 0, effect: Pure,
    }
    /// Gives every element of tiles of one shape to the region, which takes a scalar per operand and
    /// gives one per result to `gpu.yield`. It may have control flow and no effects. Results for
    /// padding mean nothing.
    Map = "map" {
        operands: [operands: Several], attributes: [], results: -1, regions: 1, effect: Pure,
    }
    /// How many elements of `operand`, a tile of `i32`, are 0, 1, … where `mask` holds; there all of
    /// them are less than the size of the result.
    Histogram = "histogram" {
        operands: [operand: One, mask: One], attributes: [], results: 1, regions: 0, effect: Pure,
    }
    /// Adds 1 to the element of a buffer of `i32` at each position of `operand` where `mask` holds.
    SharedCount = "shared_count" {
        operands: [operand: One, mask: One, buffer: One], attributes: [], results: 0, regions: 0,
        effect: WritesShared,
    }
    /// Result element `i` is the operand's element whose coordinate along `axis`, a dimension whose
    /// size is a power of two, differs by XOR with `mask`.
    Exchange = "exchange" {
        operands: [operand: One], attributes: [axis: int, mask: int],
        results: 1, regions: 0, effect: Pure,
    }
    /// Writes a tile to a buffer in shared memory that has a row per register and a column per
    /// thread.
    SharedPut = "shared_put" {
        operands: [value: One, buffer: One], attributes: [], results: 0, regions: 0, effect: WritesShared,
    }
    /// `exchange` of what `shared_put` wrote.
    SharedExchange = "shared_exchange" {
        operands: [buffer: One], attributes: [axis: int, mask: int],
        results: 1, regions: 0, effect: ReadsShared,
    }
    /// `gather` from a buffer in shared memory.
    SharedGather = "shared_gather" {
        operands: [buffer: One, indices: Mixed], attributes: [], results: 1, regions: 0, effect: ReadsShared,
    }
    /// Reads, combines and writes back through pointers where `mask` holds; gives what was there
    /// before, or 0. `operation`, `order` and `scope` are PTX's words; `signed` says how integers
    /// compare. After `layouts`, `vector` is how many neighbours one instruction may take; after
    /// `conversions`, `returns` is 0 where nothing uses the result.
    Atomic = "atomic" {
        operands: [pointers: One, value: One, compare: Optional, mask: Optional],
        attributes: [operation: text, order: text, scope: text, signed: int],
        results: 1, regions: 0, effect: Writes,
    }
    /// A promise about a scalar `i1`.
    Assume = "assume" {
        operands: [condition: One], attributes: [], results: 0, regions: 0, effect: Writes,
    }
    /// Stops the kernel where an element of `condition` (a scalar or a tile of `i1`) is false.
    Assert = "assert" {
        operands: [condition: One],
        attributes: [message: text, file: text, line: int, function: text],
        results: 0, regions: 0, effect: Writes,
    }
    /// Prints a line per element of tiles of one shape, or one of scalars, with C's `printf`. `format`
    /// takes the program's numbers along the axes, the position in the tile, and the values: `i32`, `i64` or `f64`.
    Print = "print" {
        operands: [x: One, y: One, z: One, values: Free], attributes: [format: text], results: 0, regions: 0, effect: Writes,
    }
    /// Inline PTX for each element of tiles of one shape, or for scalars. `text` has the results as `$0`, …,
    /// then the arguments; the types are names of the language, which tell signed from unsigned; `pack`
    /// elements share a register. With `effects` = 1 it is done once per element, by one thread.
    Asm = "asm" {
        operands: [arguments: Free],
        attributes: [text: text, argument_types: text, result_types: text, pack: int, effects: int],
        results: -1, regions: 0, effect: Writes,
    }
    /// Asks for what lies at the pointers to be brought to the cache `level`, where `mask` holds.
    Prefetch = "prefetch" {
        operands: [pointers: One, mask: Optional], attributes: [level: text],
        results: 0, regions: 0, effect: Writes,
    }
    /// The same tile in another layout.
    Convert = "convert" {
        operands: [operand: One], attributes: [], results: 1, regions: 0, effect: Pure,
    }
    /// The same tile of 8-bit elements in another layout of the same warps, to which lanes bring pairs of neighbours.
    ExchangePairs = "exchange_pairs" {
        operands: [operand: One], attributes: [], results: 1, regions: 0, effect: Pure,
    }
    /// A buffer in shared memory for one tile; `offset` is -1 until `shared-memory` placed it (bytes).
    /// With `stages` = S it is S of them in a row, which `shared_stage` tells apart.
    SharedAlloc = "shared_alloc" {
        operands: [], attributes: [offset: int], results: 1, regions: 0, effect: Allocates,
    }
    /// One of the buffers that were allocated together, by its number (`i32`).
    SharedStage = "shared_stage" {
        operands: [buffer: One, stage: One], attributes: [], results: 1, regions: 0, effect: Pure,
    }
    /// Starts copying what lies at the pointers to a buffer in shared memory; `other` (0 if absent) where
    /// `mask` does not hold; nothing at all where the scalar `condition` does not. `vector` is as for loads. With
    /// `transposed` = 1 the buffer is that of the transposed tile; with `own` each thread has slots in it for what it
    /// copies itself, `own` elements each. With `beside` = 1 pieces wait for a `dot_step` with `copies` to be started
    /// between its instructions, or for `async_commit`. `pass` as for `arange`. With
    /// `close` = 1 pointers and masks are computed where pieces are started, in few registers.
    AsyncCopy = "async_copy" {
        operands: [pointers: One, buffer: One, mask: Optional, other: Optional, condition: Optional],
        attributes: [vector: int],
        results: 0, regions: 0, effect: WritesShared,
    }
    /// Starts copying the tile of a tensor that begins at `origin` to a buffer in shared memory, in chunks of 16 bytes as
    /// they lie in memory: each row as many bytes behind the beginning of its row of the buffer as it lies behind a multiple
    /// of 16. `starts`, `kinds` and `extents` as those of the load that this was. What is out of bounds becomes 0, but for what
    /// comes before a row's first element. Starts nothing if `condition` does not hold. With `before` = 1 the first column
    /// may be less than 0. For `realign` and `rows_read`.
    RowsCopy = "rows_copy" {
        operands: [origin: One, buffer: One, starts: Many, extents: Many, condition: One],
        attributes: [before: int, kinds: ints, shape: ints],
        results: 0, regions: 0, effect: WritesShared,
    }
    /// Moves a tile that `rows_copy` brought, from `origin` on, to a buffer where each row begins as its layout says.
    /// With `transposed` = 1 the buffer is that of the transposed tile.
    Realign = "realign" {
        operands: [from: One, to: One, origin: One, pitch: One], attributes: [shape: ints], results: 0, regions: 0,
        effect: WritesShared,
    }
    /// Reads a tile that `rows_copy` brought, from `origin` on.
    RowsRead = "rows_read" {
        operands: [buffer: One, origin: One, pitch: One], attributes: [], results: 1, regions: 0, effect: ReadsShared,
    }
    /// Writes a tile to a buffer as `rows_store` takes it; `vector` neighbours are aligned together.
    RowsWrite = "rows_write" {
        operands: [value: One, buffer: One, origin: One, pitch: One], attributes: [vector: int], results: 0, regions: 0,
        effect: WritesShared,
    }
    /// Stores the tile of a tensor that begins at `origin`, in chunks of 16 bytes and the ends of rows element by element.
    /// Each row lies as many bytes behind the beginning of its row of the buffer as it lies behind a multiple of 16.
    /// `starts`, `kinds` and `extents` as those of the store that this was.
    RowsStore = "rows_store" {
        operands: [origin: One, buffer: One, starts: Many, extents: Many], attributes: [kinds: ints, shape: ints],
        results: 0, regions: 0, effect: Writes,
    }
    /// Starts copying `count` (`i32`) elements that begin at a pointer, wherever that is, to a buffer in shared memory; what
    /// follows there to the end of the tile is the scalar `other`. They lie as many bytes behind the beginning of the
    /// buffer as the pointer lies behind a multiple of 16. The result is for `row_edge`. With `cached` = 1 what is copied
    /// stays in the level-1 cache.
    RowCopy = "row_copy" {
        operands: [pointer: One, count: One, buffer: One, other: One], attributes: [], results: 1, regions: 0,
        effect: WritesShared,
    }
    /// Writes what `row_copy` loaded for the ends of a row, which are no whole pieces, to the buffer.
    RowEdge = "row_edge" {
        operands: [edge: One, buffer: One], attributes: [], results: 0, regions: 0, effect: WritesShared,
    }
    /// Reads the tile that `row_copy` brought from that pointer.
    RowRead = "row_read" {
        operands: [buffer: One, pointer: One], attributes: [], results: 1, regions: 0, effect: ReadsShared,
    }
    /// Writes a tile to a buffer in shared memory, as many bytes behind its beginning as a pointer lies behind a multiple
    /// of 16.
    RowWrite = "row_write" {
        operands: [value: One, buffer: One, pointer: One], attributes: [], results: 0, regions: 0, effect: WritesShared,
    }
    /// Stores `count` (`i32`) elements that `row_write` wrote for that pointer to where it points.
    RowStore = "row_store" {
        operands: [pointer: One, count: One, buffer: One], attributes: [], results: 0, regions: 0, effect: Writes,
    }
    /// Makes a group of the copies that this thread started since the last one.
    AsyncCommit = "async_commit" {
        operands: [], attributes: [], results: 0, regions: 0, effect: Writes,
    }
    /// Arrives at the mbarrier with this number when the copies that this thread has started are done.
    AsyncArrive = "async_arrive" {
        operands: [buffer: One, number: One], attributes: [], results: 0, regions: 0, effect: WritesShared,
    }
    /// From here on tensor cores see what threads have written to shared memory that this one sees.
    ProxyFence = "proxy_fence" {
        operands: [], attributes: [], results: 0, regions: 0, effect: Writes,
    }
    /// Waits until at most `pending` groups of copies of this thread are not done.
    AsyncWait = "async_wait" {
        operands: [], attributes: [pending: int], results: 0, regions: 0, effect: Writes,
    }
    /// Whether this is the thread of its program that does what only one has to do: `i1`, not the same in
    /// all threads.
    FirstThread = "first_thread" {
        operands: [], attributes: [], results: 1, regions: 0, effect: Pure,
    }
    /// Whether a thread is one of the first warpgroup of those that compute: `i1`.
    FirstWarpgroup = "first_warpgroup" {
        operands: [], attributes: [], results: 1, regions: 0, effect: Pure,
    }
    /// What the first lane of its warp has, in each thread: of a scalar that only those lanes loaded (`alone` of a load).
    FirstLane = "first_lane" {
        operands: [value: One], attributes: [], results: 1, regions: 0, effect: Pure,
    }
    /// Whether this is a thread of the warp that only copies; with `alone` = 1, whether it is the one that
    /// does the work: `i1`, not the same in all threads.
    Producer = "producer" {
        operands: [], attributes: [alone: int], results: 1, regions: 0, effect: Pure,
    }
    /// From here on the warpgroup's threads have `count` registers each: with `takes` = 1 more than before,
    /// else fewer.
    Registers = "registers" {
        operands: [], attributes: [count: int, takes: int], results: 0, regions: 0, effect: Writes,
    }
    /// Makes `count` mbarriers of 64 bits in a buffer, for `arrivals` per phase (1 if absent), with which
    /// copies of whole boxes say that they have arrived, and warps that they have read them. With `pairs` it is so many
    /// for each block of the cluster, of one or two.
    MbarrierInit = "mbarrier_init" {
        operands: [buffer: One], attributes: [count: int], results: 0, regions: 0, effect: WritesShared,
    }
    /// Arrives at the mbarrier with this number, once for each warp, where `condition` holds. With
    /// `meets` = 1 the threads of the warp wait for each other before; with `pairs` it arrives at that of
    /// each block of the cluster, of one or two.
    MbarrierArrive = "mbarrier_arrive" {
        operands: [buffer: One, number: One, condition: Optional], attributes: [meets: int],
        results: 0, regions: 0, effect: WritesShared,
    }
    /// Arrives, for one thread, at the mbarrier with this number, whose phase then lasts until `bytes` were copied.
    MbarrierExpect = "mbarrier_expect" {
        operands: [buffer: One, number: One], attributes: [bytes: int], results: 0, regions: 0,
        effect: WritesShared,
    }
    /// Waits for the end of the phase of this parity (`i32`) of an mbarrier.
    MbarrierWait = "mbarrier_wait" {
        operands: [buffer: One, number: One, parity: One], attributes: [], results: 0, regions: 0,
        effect: WritesShared,
    }
    /// Stores a tile of which each warp has one element, the same in all lanes, to the copies of a buffer in all blocks of
    /// the cluster, and tells the mbarriers with this number there.
    ClusterStore = "cluster_store" {
        operands: [value: One, buffer: One, mbarriers: One, number: One], attributes: [], results: 0, regions: 0,
        effect: WritesShared,
    }
    /// Ends `count` mbarriers: their memory is free.
    MbarrierEnd = "mbarrier_end" {
        operands: [buffer: One], attributes: [count: int], results: 0, regions: 0, effect: WritesShared,
    }
    /// Asks, in the thread that copies, for tensor maps to be brought to where TMA reads them.
    TensorPrefetch = "tensor_prefetch" {
        operands: [maps: Many], attributes: [], results: 0, regions: 0, effect: Writes,
    }
    /// Starts, in one thread, copying a box of a tensor, of which `map` is a tensor map, to a buffer in panels of the
    /// map's swizzle: `panels` instructions, `panel` elements and `bytes` bytes in memory apart. `starts`
    /// is where the box begins, the outermost dimension first. With `half` it goes to both blocks of a
    /// cluster, so many bytes further on from the second.
    TensorCopy = "tensor_copy" {
        operands: [map: One, buffer: One, barriers: One, number: One, starts: Many],
        attributes: [panels: int, panel: int, bytes: int], results: 0, regions: 0, effect: WritesShared,
    }
    /// Stores a fragment to a box of a tensor, of which `map` is a tensor map for the boxes of a warp; `buffer`
    /// has some of these for every warp. `starts` and `kinds` are as a load has them. Nothing is stored where
    /// `condition` does not hold.
    BoxStore = "box_store" {
        operands: [value: One, buffer: One, map: One, condition: Optional, starts: Many],
        attributes: [kinds: ints],
        results: 0, regions: 0, effect: Writes,
    }
    /// The fragment that lies in panels of 128 bytes of `rows` rows, `panels` in each buffer.
    BoxLoad = "box_load" {
        operands: [buffers: Many], attributes: [rows: int, panels: int], results: 1, regions: 0,
        effect: ReadsShared,
    }
    /// Writes what a thread has of a tile to a variable of its own, in words of 32 bits.
    Keep = "keep" {
        operands: [value: One, variable: One], attributes: [], results: 0, regions: 0, effect: Writes,
    }
    /// A tile that has been computed when what follows begins: LLVM moves what is used later alone behind that.
    Settle = "settle" {
        operands: [value: One], attributes: [], results: 1, regions: 0, effect: Writes,
    }
    /// The tile that `keep` wrote to a variable.
    Kept = "kept" {
        operands: [variable: One], attributes: [], results: 1, regions: 0, effect: Reads,
    }
    /// Waits until what this thread stored with `box_store` was read from its buffers.
    BoxStoresDone = "box_stores_done" {
        operands: [], attributes: [], results: 0, regions: 0, effect: Writes,
    }
    /// The sums of a product that was left running (`running` of `dot`), once no more than `pending` products after it
    /// are in flight: none if absent, and -1 where the `dot_wait` before has waited for it. `held` is what it reads out of
    /// registers, which nothing else may have until here. With `moved` = 1 they are in other registers from here on.
    DotWait = "dot_wait" {
        operands: [sums: One, held: Optional], attributes: [], results: 1, regions: 0, effect: ReadsShared,
    }
    /// From here on warpgroups issue products in turn, the first one first: `in_turn` of a `dot` says that it waits for the turn
    /// (1), passes it on (2), or both (3).
    DotTurns = "dot_turns" {
        operands: [], attributes: [], results: 0, regions: 0, effect: Writes,
    }
    /// The threads of each warp wait for each other, and see what they have written (PTX ISA, "bar.warp.sync").
    WarpSync = "warp_sync" {
        operands: [], attributes: [], results: 0, regions: 0, effect: Writes,
    }
    /// The number of the block among those of the cluster that share a program's loop, `i32`.
    BlockRank = "block_rank" {
        operands: [], attributes: [], results: 1, regions: 0, effect: Pure,
    }
    /// Waits until all threads of all blocks of the cluster are here and sees what they wrote.
    ClusterBarrier = "cluster_barrier" {
        operands: [], attributes: [], results: 0, regions: 0, effect: Writes,
    }
    /// A tile of this block plus those that `blocks` - 1 others put into the same buffer of theirs with
    /// `shared_put`, in the order of the blocks, of which this is the first.
    ClusterSum = "cluster_sum" {
        operands: [value: One, buffer: One], attributes: [blocks: int], results: 1, regions: 0,
        effect: ReadsShared,
    }
    /// Writes a block's part of a program's sums to global memory at an address (`i64`), register by register.
    PartStore = "part_store" {
        operands: [value: One, address: One], attributes: [], results: 0, regions: 0, effect: Writes,
    }
    /// The sum of `count` (`i32`) parts that `part_store` wrote, in their order: the first at an address, each next one
    /// `between` bytes further on (`i64`).
    PartSum = "part_sum" {
        operands: [first: One, between: One, count: One], attributes: [], results: 1, regions: 0, effect: Reads,
    }
    /// Whether this block is the last of `count` (`i32`) to come here with its part of a program, by a counter at
    /// an address (`i64`): `i1`. The last sees what the others wrote before, and leaves the counter at 0.
    PartArrive = "part_arrive" {
        operands: [counter: One, count: One], attributes: [], results: 1, regions: 0, effect: Writes,
    }
    /// The next number (`i32`) of a counter at an address (`i64`): 0, 1, … to `last` (`i32`), then 0 again. One thread
    /// takes it (see `first_thread`), the only one that is here with `alone`; the others have 0.
    Ticket = "ticket" {
        operands: [counter: One, last: One], attributes: [], results: 1, regions: 0, effect: Writes,
    }
    /// Writes the first thread's four scalars (`i32`), or those of the only one that is here with `alone`, to a buffer in shared memory.
    TicketShow = "ticket_show" {
        operands: [buffer: One, values: Many], attributes: [], results: 0, regions: 0, effect: WritesShared,
    }
    /// Reads what `ticket_show` wrote: the same in all threads.
    TicketRead = "ticket_read" {
        operands: [buffer: One], attributes: [], results: 4, regions: 0, effect: ReadsShared,
    }
    /// Writes a tile to a buffer in shared memory.
    SharedStore = "shared_store" {
        operands: [value: One, buffer: One], attributes: [], results: 0, regions: 0, effect: WritesShared,
    }
    /// Writes those elements of a tile to a buffer in shared memory for which `mask` is `holds` (0 or 1).
    SharedFill = "shared_fill" {
        operands: [value: One, mask: One, buffer: One], attributes: [holds: int], results: 0, regions: 0,
        effect: WritesShared,
    }
    /// Reads a tile from a buffer in shared memory; with `own` each thread what it copied itself, with `late` of a buffer
    /// that does not change any more.
    SharedLoad = "shared_load" {
        operands: [buffer: One], attributes: [], results: 1, regions: 0, effect: ReadsShared,
    }
    /// Waits until all threads of the program are here and sees what they wrote to shared memory. With
    /// `proxy` = 1 tensor cores and TMA see it as well. Warps that only copy take no part, but for `block` = 1; with
    /// `cluster` = 1 it is a barrier of all threads of the cluster.
    Barrier = "barrier" {
        operands: [], attributes: [], results: 0, regions: 0, effect: Writes,
    }
}
