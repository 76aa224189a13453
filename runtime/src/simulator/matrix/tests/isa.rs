//! The fragments of `mma.sync` as the PTX ISA writes them down, shape by shape: row and column of
//! element `i` (PTX ISA, "Matrix Fragments for mma.m8n8k4" to "mma.m16n8k256").

use crate::simulator::matrix::kind::Kind::{self, *};

/// Row or column `low` if the element is one of the first named, `low + step` otherwise.
fn first(condition: bool, low: usize, step: usize) -> usize {
    if condition { low } else { low + step }
}

/// `a_i` of a lane.
pub fn a(m: usize, k: usize, kind: Kind, lane: usize, i: usize) -> (usize, usize) {
    let (g, t) = (lane >> 2, lane % 4);
    match (m, k, kind) {
        (8, 4, F64) => (g, t),
        (8, 16, S8 | U8) => (g, t * 4 + i),
        (8, 32, S4 | U4) => (g, t * 8 + i),
        (8, 128, B1) => (g, t * 32 + i),
        (16, 4, Tf32 | F64) => (first(i == 0, g, 8), t),
        (16, 8, F16 | Bf16) => (first(i == 0 || i == 1, g, 8), t * 2 + (i & 1)),
        (16, 8, Tf32 | F64) => (first(i == 0 || i == 2, g, 8), first(i == 0 || i == 1, t, 4)),
        (16, 16, F16 | Bf16) => (
            first(i < 2 || (4..6).contains(&i), g, 8),
            first(i < 4, t * 2 + (i & 1), 8),
        ),
        (16, 16, F64) if i.is_multiple_of(2) => (g, i * 2 + t),
        (16, 16, F64) => (g + 8, i * 2 - 2 + t),
        (16, 16, S8 | U8 | E4m3 | E5m2) => (first(i < 4, g, 8), t * 4 + (i & 3)),
        (16, 32, S8 | U8 | E4m3 | E5m2) => (
            first(i < 4 || (8..12).contains(&i), g, 8),
            first(i < 8, t * 4 + (i & 3), 16),
        ),
        (16, 32, S4 | U4) => (first(i < 8, g, 8), t * 8 + (i & 7)),
        (16, 64, S4 | U4) => (
            first(i < 8 || (16..24).contains(&i), g, 8),
            first(i < 16, t * 8 + (i & 7), 32),
        ),
        (16, 128, B1) => (first(i < 32, g, 8), t * 32 + (i & 0x1f)),
        (16, 256, B1) => (
            first(i < 32 || (64..96).contains(&i), g, 8),
            first(i < 64, t * 32 + (i & 0x1f), 128),
        ),
        _ => panic!("m{m}n8k{k} of {kind:?} is not in the PTX ISA"),
    }
}

/// `b_i` of a lane.
pub fn b(m: usize, k: usize, kind: Kind, lane: usize, i: usize) -> (usize, usize) {
    let (g, t) = (lane >> 2, lane % 4);
    let row = match (m, k, kind) {
        (8, 4, F64) | (16, 4, Tf32 | F64) => t,
        (8 | 16, 16, S8 | U8) | (16, 16, E4m3 | E5m2) => t * 4 + i,
        (8 | 16, 32, S4 | U4) => t * 8 + i,
        (8 | 16, 128, B1) => t * 32 + i,
        (16, 8, F16 | Bf16) => t * 2 + i,
        (16, 8, Tf32 | F64) => first(i == 0, t, 4),
        (16, 16, F16 | Bf16) => first(i < 2, t * 2 + (i & 1), 8),
        (16, 16, F64) => t + i * 4,
        (16, 32, S8 | U8 | E4m3 | E5m2) => first(i < 4, t * 4 + (i & 3), 16),
        (16, 64, S4 | U4) => first(i < 8, t * 8 + (i & 7), 32),
        (16, 256, B1) => first(i < 32, t * 32 + (i & 0x1f), 128),
        _ => panic!("m{m}n8k{k} of {kind:?} is not in the PTX ISA"),
    };
    (row, g)
}

/// `c_i` and `d_i` of a lane.
pub fn c(m: usize, lane: usize, i: usize) -> (usize, usize) {
    let (g, t) = (lane >> 2, lane % 4);
    let row = if m == 8 { g } else { first(i < 2, g, 8) };
    (row, t * 2 + (i & 1))
}

/// `a_i` of a lane of the Volta `m8n8k4`, in the product of its quad pair.
pub fn volta_a(row_major: bool, lane: usize, i: usize) -> (usize, usize) {
    if row_major {
        (first(lane < 16, lane % 4, 4), i)
    } else {
        (first(lane < 16, i % 4, 4), lane % 4)
    }
}

/// `b_i` of a lane of the Volta `m8n8k4`.
pub fn volta_b(row_major: bool, lane: usize, i: usize) -> (usize, usize) {
    if row_major {
        (lane % 4, first(lane < 16, i, 4))
    } else {
        (i, first(lane < 16, lane % 4, 4))
    }
}

/// `c_i` and `d_i` of a lane of the Volta `m8n8k4`.
pub fn volta_c(kind: Kind, lane: usize, i: usize) -> (usize, usize) {
    if kind == F16 {
        return (first(lane < 16, lane % 4, 4), i);
    }
    let x = (lane & 0b1) + (i & 0b10);
    (
        first(lane < 16, x, 4),
        (i & 0b100) + (lane & 0b10) + (i & 0b1),
    )
}
