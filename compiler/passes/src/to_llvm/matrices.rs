//! `ldmatrix`: fragments of operands from shared memory, four 8 x 8 matrices of 16 bits at a time.
//!
//! PTX ISA, "ldmatrix": each of the 32 lanes gives the address of one row of 16 bytes; lane `l` then
//! holds, of matrix `i`, the elements `2 (l % 4)` and the next of row `l / 4` in output `i`. That is
//! a fragment whose register pairs lie along a row; with `.trans`, along a column. To other elements than those of 16 bits
//! a row is 16 bytes as well, of which a lane has four.

use melior::ir::Type;

use super::ToLlvm;
use super::threads::{elements, unpack};
use crate::build::Builder;
use crate::ir::Value;
use crate::layout::{Layout, SharedAccess, SharedLayout, Swizzle};

/// Bytes of a row of a matrix, and of what a lane has of it.
const ROW_BYTES: u64 = 16;
const WORD_BYTES: u64 = 4;

/// Whether a layout is read from such a buffer by `ldmatrix`.
pub fn reads_matrices(layout: &Layout, shared: &SharedLayout) -> bool {
    Plan::of(layout, shared).is_some_and(|plan| {
        let access = plan.chunks.access(&plan.addresses);
        access.is_some_and(|access| access.vector == 1)
    })
}

/// The `ldmatrix` instructions that read a fragment.
pub(super) struct Matrices<'c> {
    plan: Plan,
    access: SharedAccess,
    terms: (Value<'c>, Value<'c>),
    offset: i64,
}

/// One instruction: which of the access's groups, and the first register of each matrix.
pub(super) struct Instruction {
    group: usize,
    pub firsts: Vec<usize>,
}

impl<'c> ToLlvm<'_, '_, 'c> {
    /// How to read a fragment layout by `ldmatrix`, `None` where it does not fit.
    pub(super) fn matrices(
        &self,
        builder: &mut Builder<'c>,
        layout: &Layout,
        shared: &SharedLayout,
        buffer: Value<'c>,
    ) -> Option<(Matrices<'c>, Vec<Instruction>)> {
        let plan = Plan::of(layout, shared)?;
        let access = plan.chunks.access(&plan.addresses)?;
        if access.vector != 1 {
            return None;
        }
        let instructions = access
            .groups
            .iter()
            .enumerate()
            .map(|(index, group)| {
                let corner = plan.addresses.register_coordinates(group.registers[0]);
                let firsts = (0..plan.matrices)
                    .map(|matrix| {
                        let mut coordinates = corner.clone();
                        for (bit, step) in plan.steps.iter().enumerate() {
                            if matrix >> bit & 1 == 1 {
                                coordinates[0] += step[0];
                                coordinates[1] += step[1];
                            }
                        }
                        coordinates[plan.contiguous] *= plan.row;
                        layout.register_with_coordinates(&coordinates)
                    })
                    .collect::<Option<Vec<_>>>()?;
                Some(Instruction {
                    group: index,
                    firsts,
                })
            })
            .collect::<Option<Vec<_>>>()?;
        let terms = self.buffer_terms(builder, &access, buffer);
        let offset = self.buffer_offset(buffer);
        Some((
            Matrices {
                plan,
                access,
                terms,
                offset,
            },
            instructions,
        ))
    }

    /// Emits one instruction; gives, for the first register of each matrix, the word that holds it and
    /// the next one.
    pub(super) fn load_matrices(
        &self,
        builder: &mut Builder<'c>,
        matrices: &Matrices<'c>,
        instruction: &Instruction,
    ) -> Vec<(usize, Value<'c>)> {
        let plan = &matrices.plan;
        let word = builder.int_type(32);
        let name = format!(
            "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x{}{}.b16",
            plan.matrices,
            if plan.transposed { ".trans" } else { "" }
        );
        let attributes = [
            ("intrin", builder.text(&name)),
            ("op_bundle_sizes", builder.ints32(&[])),
            ("operandSegmentSizes", builder.ints32(&[1, 0])),
        ];
        let members = vec!["i32"; plan.matrices];
        let ty = builder.parse_type(&format!("!llvm.struct<({})>", members.join(", ")));
        let group = &matrices.access.groups[instruction.group];
        let address = self.group_address(builder, matrices.terms, group, matrices.offset);
        let load = builder.insert("llvm.call_intrinsic", &[address], &attributes, &[ty]);
        let words = unpack(
            builder,
            crate::ir::result(load, 0),
            &vec![word; plan.matrices],
        );
        instruction.firsts.iter().copied().zip(words).collect()
    }

    /// The two elements in a word.
    pub(super) fn halves(
        &self,
        builder: &mut Builder<'c>,
        word: Value<'c>,
        element: Type<'c>,
    ) -> Vec<Value<'c>> {
        let pair = Type::vector(&[2], element);
        let cast = builder.value("llvm.bitcast", &[word], &[], pair);
        elements(builder, cast, 2, element)
    }
}

/// How the matrices of a fragment lie in a buffer, in chunks of 16 bytes.
struct Plan {
    /// Matrices per instruction: 2 or 4.
    matrices: usize,
    /// Whether register pairs lie along the columns of what is stored.
    transposed: bool,
    /// The buffer's dimension along which elements are neighbours.
    contiguous: usize,
    /// Elements in a row of a matrix.
    row: u64,
    /// The buffer as 16-byte chunks.
    chunks: SharedLayout,
    /// Which chunk's address each lane gives, one register per instruction.
    addresses: Layout,
    /// Where the second matrix lies from the first, and the third (in chunks).
    steps: Vec<[u64; 2]>,
}

impl Plan {
    fn of(layout: &Layout, shared: &SharedLayout) -> Option<Self> {
        let bytes = shared.element_bytes();
        if !matches!(bytes, 1 | 2 | 4) {
            return None;
        }
        let (row, packed) = (ROW_BYTES / bytes, (WORD_BYTES / bytes) as u32);
        if layout.rank() != 2 || shared.swizzle().max_phase > 1 && shared.swizzle().vector != row {
            return None;
        }
        // Along `pairs` lie the elements of a word and lanes 0 to 3; along `rows` lanes 4 to 31.
        let pairs = (0..2).find(|axis| layout.lane_bases()[0][*axis] == packed)?;
        let rows = 1 - pairs;
        let basis = |axis: usize, step: u32| {
            let mut basis = vec![0; 2];
            basis[axis] = step;
            basis
        };
        let lanes = [
            basis(pairs, packed),
            basis(pairs, 2 * packed),
            basis(rows, 1),
            basis(rows, 2),
            basis(rows, 4),
        ];
        let in_words = packed.ilog2() as usize;
        let is_word = |(bit, found): (usize, &Vec<u32>)| *found == basis(pairs, 1 << bit);
        let mut words = layout.register_bases().iter().take(in_words).enumerate();
        if layout.lane_bases() != lanes
            || layout.register_bases().len() < in_words
            || !words.all(is_word)
        {
            return None;
        }
        let contiguous = *shared.order().first()?;
        let transposed = contiguous == rows;
        if transposed && bytes != 2 {
            return None;
        }
        let in_chunks = |vector: &[u64]| {
            let mut chunks = [vector[0], vector[1]];
            chunks[contiguous] /= row;
            chunks
        };
        let covered = layout.covered();
        if !covered[contiguous].is_multiple_of(row)
            || !shared.row_pitch().is_multiple_of(row)
            || !shared.shape()[contiguous].is_multiple_of(row)
        {
            return None;
        }
        // Other register bits of the block number its matrices; then repetitions along one axis.
        let mut steps: Vec<[u64; 2]> = layout.register_bases()[in_words..]
            .iter()
            .map(|basis| in_chunks(&[u64::from(basis[0]), u64::from(basis[1])]))
            .collect();
        let block = layout.block();
        let mut doubled = None;
        if steps.len() == 1 {
            doubled = (0..2)
                .rev()
                .find(|axis| layout.repeat()[*axis].is_multiple_of(2));
            if let Some(axis) = doubled {
                let mut step = [0, 0];
                step[axis] = block[axis];
                steps.push(in_chunks(&step));
            }
        }
        if steps.is_empty() || steps.len() > 2 {
            return None;
        }
        // Lanes 0 to 7 give the rows of the first matrix, which run along what is not contiguous.
        let across = 1 - contiguous;
        let mut address_lanes = vec![basis(across, 1), basis(across, 2), basis(across, 4)];
        for bit in 0..2 {
            address_lanes.push(
                steps
                    .get(bit)
                    .map_or_else(|| vec![0, 0], |step| vec![step[0] as u32, step[1] as u32]),
            );
        }
        let warps = layout
            .warp_bases()
            .iter()
            .map(|basis| {
                let step = in_chunks(&[u64::from(basis[0]), u64::from(basis[1])]);
                vec![step[0] as u32, step[1] as u32]
            })
            .collect();
        let addresses = Layout::new(
            in_chunks(&covered).to_vec(),
            Vec::new(),
            address_lanes,
            warps,
        )
        .ok()?;
        // The chunks of an instruction tile the operand exactly, or it is not one for `ldmatrix`.
        let mut tile = in_chunks(&block);
        if let Some(axis) = doubled {
            tile[axis] *= 2;
        }
        if addresses.block() != tile {
            return None;
        }
        let stored = in_chunks(shared.shape());
        let swizzle = Swizzle {
            vector: 1,
            ..shared.swizzle()
        };
        let swizzle = if shared.swizzle().max_phase > 1 {
            swizzle
        } else {
            Swizzle::NONE
        };
        let chunks = SharedLayout::new(&stored, shared.order(), ROW_BYTES, swizzle);
        let pitch = shared.row_pitch() / row;
        let chunks = match pitch.checked_sub(chunks.row_pitch()) {
            Some(0) => chunks,
            Some(more) => chunks.with_row_padding(more),
            None => return None,
        };
        Some(Self {
            matrices: 1 << steps.len(),
            transposed,
            contiguous,
            row,
            chunks,
            addresses,
            steps,
        })
    }
}
