//! Boxes of transposed fragments: a warp's 16 rows of the transposed tile are 16 columns, in rows of 32 or 64 bytes
//! (PTX ISA, "stmatrix", "Swizzling Modes").
//!
//! A lane has two neighbours along the rows of the fragment, which are now in two rows. Elements of 16 bits are
//! transposed by `stmatrix` on their way, others are stored one by one.

use melior::ir::ValueLike;

use super::threads::{inline_asm, int, pack};
use crate::build::Builder;
use crate::ir::Value;
use crate::layout::warp_boxes::BOX_ROWS;

/// Bits of a number from `first` on, as many as `mask` has.
fn field<'c>(builder: &mut Builder<'c>, of: Value<'c>, first: i64, mask: i64) -> Value<'c> {
    let first = int(builder, first);
    let field = builder.binary("arith.shrui", of, first);
    let mask = int(builder, mask);
    builder.and(field, mask)
}

fn sum_of<'c>(builder: &mut Builder<'c>, terms: &[(Value<'c>, u64)]) -> Value<'c> {
    let mut sum = int(builder, 0);
    for (value, factor) in terms {
        let factor = int(builder, *factor as i64);
        let term = builder.multiply(*value, factor);
        sum = builder.add(sum, term);
    }
    sum
}

/// Where a lane writes in a box, before the row: the XOR of 16-byte pieces with the row is in it.
pub(super) fn lane_place<'c>(
    builder: &mut Builder<'c>,
    lane: Value<'c>,
    element_bytes: u64,
) -> Value<'c> {
    let row_bytes = BOX_ROWS * element_bytes;
    if element_bytes == 2 {
        // `stmatrix`: eight lanes give the addresses of eight rows of a matrix; two matrices are side by side.
        let (inside, piece, lower) = (
            field(builder, lane, 0, 7),
            field(builder, lane, 3, 1),
            field(builder, lane, 4, 1),
        );
        let turn = field(builder, inside, 2, 1);
        let piece = builder.binary("arith.xori", piece, turn);
        return sum_of(
            builder,
            &[(inside, row_bytes), (lower, 8 * row_bytes), (piece, 16)],
        );
    }
    // Column `lane / 4`, and two rows of each of four lanes.
    let (rows, inside, piece) = (
        field(builder, lane, 0, 3),
        field(builder, lane, 2, 3),
        field(builder, lane, 4, 1),
    );
    let piece = builder.binary("arith.xori", piece, rows);
    sum_of(builder, &[(rows, 2 * row_bytes), (inside, 4), (piece, 16)])
}

/// A box of 64 rows of 16-bit elements: `stmatrix` of 16 rows at a time.
pub(super) fn matrices<'c>(
    builder: &mut Builder<'c>,
    address: Value<'c>,
    register: &impl Fn(u64, u64) -> Value<'c>,
) {
    let word = builder.int_type(32);
    for step in 0..4 {
        let words = [(0, 0), (0, 8), (8, 0), (8, 8)].map(|(row, column)| {
            let pair = [0, 1].map(|odd| register(16 * step + row + odd, column));
            let pair = pack(builder, &pair, pair[0].r#type());
            builder.value("llvm.bitcast", &[pair], &[], word)
        });
        let mut inputs = vec![address];
        inputs.extend(words);
        let at = step * 16 * BOX_ROWS * 2;
        let text = format!(
            "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [$0+{at}], {{$1, $2, $3, $4}};"
        );
        inline_asm(builder, &text, "r,r,r,r,r,~{memory}", &inputs, &[], true);
    }
}

/// A box of 32 rows of 32-bit elements.
pub(super) fn numbers<'c>(
    builder: &mut Builder<'c>,
    address: Value<'c>,
    register: &impl Fn(u64, u64) -> Value<'c>,
) {
    let word = builder.int_type(32);
    for column in [0, 8] {
        // The two pieces of the other columns: their bit of the address is the swizzle's, too.
        let flip = int(builder, 4 * column as i64);
        let address = builder.binary("arith.xori", address, flip);
        for step in 0..4 {
            for odd in [0, 1] {
                let value = register(8 * step + odd, column);
                let value = match value.r#type() == word {
                    true => value,
                    false => builder.value("llvm.bitcast", &[value], &[], word),
                };
                let at = (8 * step + odd) * BOX_ROWS * 4;
                let text = format!("st.shared.b32 [$0+{at}], $1;");
                inline_asm(
                    builder,
                    &text,
                    "r,r,~{memory}",
                    &[address, value],
                    &[],
                    true,
                );
            }
        }
    }
}
