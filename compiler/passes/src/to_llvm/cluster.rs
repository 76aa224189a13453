//! Programs on a cluster of blocks (PTX ISA, "Cluster of cooperative thread arrays").
//!
//! The warps of all its blocks are the warps of the program, numbered through, so layouts, masks and
//! owners know nothing of clusters. What differs is how threads tell each other: every block has a copy
//! of each buffer in its own shared memory, a store goes to all copies, a load reads the nearest, and a
//! barrier is one of the cluster.
//!
//! Programs that a cluster's blocks share by the iterations of a loop (`split-k`) are another thing: each
//! block is as one of a program of its own, but for the program's number, and they meet where
//! `cluster_barrier` says.

use melior::ir::ValueLike;

use super::ToLlvm;
use super::threads::{self, int};
use crate::build::{Builder, Rebuilder};
use crate::dialect::TileOp;
use crate::dialect::ops::ClusterSum;
use crate::each_operation;
use crate::encoding::buffer_layout;
use crate::ir::{Operation, Value, name};

/// The function's attribute: blocks per program.
pub(super) const CLUSTER: &str = "tile.cluster";

/// The cluster that a program runs on.
pub(super) struct Cluster {
    /// Blocks over which the warps of a program are spread.
    pub(super) blocks: u32,
    /// Blocks that share the iterations of a program's loop.
    split: u32,
    state: State,
}

/// A block may store to another only when that has begun.
#[derive(PartialEq, Eq)]
enum State {
    Outside,
    /// This block has said that it has begun.
    Begun,
    /// All have.
    AllBegun,
}

impl Cluster {
    pub(super) const fn of(blocks: u32, split: u32) -> Self {
        let state = match blocks {
            1 => State::AllBegun,
            _ => State::Outside,
        };
        Self {
            blocks,
            split,
            state,
        }
    }

    /// The register with the number of the program.
    pub(super) const fn program_id(&self) -> &'static str {
        match self.blocks * self.split {
            1 => "ctaid",
            _ => "clusterid",
        }
    }

    /// The register with the number of programs.
    pub(super) const fn program_count(&self) -> &'static str {
        match self.blocks * self.split {
            1 => "nctaid",
            _ => "nclusterid",
        }
    }

    /// Called before each operation: says that the block has begun before the first, and waits for
    /// the others before the first that stores to them. Clusters are for straight code, so the
    /// operation is one of the function's own block.
    pub(super) fn enter<'c>(&mut self, to: &mut Rebuilder<'c>, operation: Operation<'c>) {
        // With its mbarriers, if it has any.
        let makes = matches!(
            TileOp::of(operation),
            Some(TileOp::SharedAlloc(_) | TileOp::MbarrierInit(_))
        );
        if self.state == State::Outside && !makes {
            // There is nothing yet that others must see, but for mbarriers, which have a fence of their own.
            let aligned = [("aligned", to.builder.unit())];
            to.builder
                .insert("nvvm.cluster.arrive.relaxed", &[], &aligned, &[]);
            self.state = State::Begun;
        }
        let tells = |operation| {
            matches!(
                TileOp::of(operation),
                Some(TileOp::SharedStore(_) | TileOp::ClusterStore(_))
            )
        };
        let mut stores = tells(operation);
        each_operation(operation, &mut |inner| stores |= tells(inner));
        // Who arrives also waits.
        let ends = name(operation) == "func.return";
        if (stores || ends) && self.state == State::Begun {
            wait(&mut to.builder);
            self.state = State::AllBegun;
        }
    }
}

/// All threads of the cluster wait for each other, and see what each other stored.
pub(super) fn barrier(builder: &mut Builder<'_>) {
    arrive(builder);
    wait(builder);
}

/// All threads of a cluster meet, also where those of a warp come one by one. Other blocks see nothing but mbarriers,
/// which have a fence of their own: `ptxas` makes of an arrival that releases a fence of the whole GPU in every thread.
pub(super) fn meet(builder: &mut Builder<'_>) {
    builder.insert("nvvm.cluster.arrive.relaxed", &[], &[], &[]);
    builder.insert("nvvm.cluster.wait", &[], &[], &[]);
}

fn arrive(builder: &mut Builder<'_>) {
    let aligned = [("aligned", builder.unit())];
    builder.insert("nvvm.cluster.arrive", &[], &aligned, &[]);
}

fn wait(builder: &mut Builder<'_>) {
    let aligned = [("aligned", builder.unit())];
    builder.insert("nvvm.cluster.wait", &[], &aligned, &[]);
}

impl<'c> ToLlvm<'_, '_, 'c> {
    /// All threads of the program wait for each other, and see what each other stored; with `is_whole`
    /// warps that only copy, too.
    pub(super) fn barrier(&self, builder: &mut Builder<'c>, is_whole: bool) {
        if self.has_copying_warps && !is_whole {
            // Barrier 0 is the whole block's (PTX ISA, "bar").
            let [number, threads] =
                [1, i64::from(32 * self.warps)].map(|value| int(builder, value));
            let attributes = [
                (
                    "intrin",
                    builder.text("llvm.nvvm.barrier.cta.sync.aligned.count"),
                ),
                ("op_bundle_sizes", builder.ints32(&[])),
                ("operandSegmentSizes", builder.ints32(&[2, 0])),
            ];
            builder.insert("llvm.call_intrinsic", &[number, threads], &attributes, &[]);
        } else if self.bytes_in_block.is_some() {
            threads::warp_sync(builder);
        } else if self.cluster.blocks == 1 {
            builder.insert("nvvm.barrier0", &[], &[], &[]);
        } else {
            arrive(builder);
            wait(builder);
        }
    }

    /// This block's registers plus what the same threads of the other blocks have put, block by block.
    pub(super) fn cluster_sum(&mut self, to: &mut Rebuilder<'c>, sum: ClusterSum<'c>) {
        let layout = self.encodings.layout(sum.value());
        let values = to.many(sum.value()).to_vec();
        let element = values[0].r#type();
        let add = match element.to_string().as_str() {
            "i32" => "arith.addi",
            _ => "arith.addf",
        };
        let (_, shared) = buffer_layout(self.cx.context, sum.buffer());
        let strides = shared.strides_bytes();
        let offset = self.buffer_offset(sum.buffer());
        let builder = &mut to.builder;
        let column = self.column(builder, strides[1], 0);
        let own = self.shared_address(builder, column, offset);
        let pointer = builder.parse_type("!llvm.ptr<7>");
        let others: Vec<_> = (1..sum.blocks())
            .map(|rank| {
                let rank = int(builder, rank);
                builder.value("nvvm.mapa", &[own, rank], &[], pointer)
            })
            .collect();
        let byte = builder.int_type(8);
        let registers = self.per_register(&layout, |register| {
            let builder = &mut to.builder;
            let row = int(builder, (register as u64 * strides[0]) as i64);
            let mut total = values[register];
            for other in &others {
                let place = [
                    ("elem_type", builder.type_attribute(byte)),
                    ("rawConstantIndices", builder.ints32(&[i32::MIN])),
                ];
                let address = builder.value("llvm.getelementptr", &[*other, row], &place, pointer);
                let alignment = [("alignment", builder.int(shared.element_bytes() as i64))];
                let load = builder.insert("llvm.load", &[address], &alignment, &[element]);
                total = builder.binary(add, total, crate::ir::result(load, 0));
            }
            total
        });
        to.bind(sum.result(), registers);
    }

    /// The number of the block in its cluster, `i32`.
    pub(super) fn block_rank(&self, builder: &mut Builder<'c>) -> Value<'c> {
        builder.special_register("cluster.ctarank")
    }

    /// An address in shared memory, as it is in every block that has a copy of what lies there.
    pub(super) fn copies(&self, builder: &mut Builder<'c>, address: Value<'c>) -> Vec<Value<'c>> {
        if self.cluster.blocks == 1 {
            return vec![address];
        }
        let ty = builder.parse_type("!llvm.ptr<7>");
        debug_assert_eq!(address.r#type().to_string(), "!llvm.ptr<3>");
        (0..self.cluster.blocks)
            .map(|rank| {
                let rank = int(builder, i64::from(rank));
                builder.value("nvvm.mapa", &[address, rank], &[], ty)
            })
            .collect()
    }
}
