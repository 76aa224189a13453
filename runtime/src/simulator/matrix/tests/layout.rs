//! How operands of `wgmma` lie in shared memory: the canonical layouts of the PTX ISA.

use crate::simulator::matrix::descriptor::{Descriptor, Major};
use crate::simulator::matrix::swizzle::Swizzle;

/// The byte of the element in row `r` (of A, or column of B) and number `k` along K, before the
/// swizzle and after the start address (PTX ISA, "Canonical Layouts", multiplied by the width).
pub fn canonical(descriptor: &Descriptor, major: Major, bytes: u32, r: u32, k: u32) -> u32 {
    let (leading, stride) = (descriptor.leading, descriptor.stride);
    let t = 16 / bytes;
    let (w, two) = (descriptor.swizzle.row_bytes(), bytes);
    match (major, descriptor.swizzle) {
        (Major::K, Swizzle::None) => {
            (r % 8) * 16 + (r / 8) * stride + (k / t) * leading + (k % t) * bytes
        }
        (Major::K, _) => (r % 8) * w + (r / 8) * stride + k * bytes,
        (Major::MN, Swizzle::None) => {
            (r % 8) * two + (r / 8) * stride + (k % 8) * 16 + (k / 8) * leading
        }
        (Major::MN, _) => {
            let panel = w / 2;
            (r % panel) * two + (r / panel) * leading + (k % 8) * w + (k / 8) * stride
        }
    }
}

/// The address of the element: bits 4.. are exclusive-ored with the number of the line in the
/// pattern, which starts where the base offset says.
pub fn address(descriptor: &Descriptor, major: Major, bytes: u32, r: u32, k: u32) -> u32 {
    let logical = descriptor.start + canonical(descriptor, major, bytes, r, k);
    let line = (logical >> 7).wrapping_sub(descriptor.base);
    let moved = match descriptor.swizzle {
        Swizzle::None => 0,
        Swizzle::B32 => line % 2,
        Swizzle::B64 => line % 4,
        Swizzle::B128 => line % 8,
    };
    logical ^ moved << 4
}

/// A tightly packed operand of so many rows at `start`, which is a multiple of 128.
pub fn packed(swizzle: Swizzle, major: Major, start: u32, rows: u32, k: u32) -> Descriptor {
    let w = swizzle.row_bytes();
    let (leading, stride) = match (major, swizzle) {
        (Major::K, Swizzle::None) => (rows * 16, 128),
        (Major::K, _) => (16, 8 * w),
        (Major::MN, Swizzle::None) => (rows * 16, 128),
        (Major::MN, _) => (k * w, 8 * w),
    };
    let line = (start % swizzle.pattern_bytes()) >> 7;
    Descriptor {
        start,
        leading,
        stride,
        base: if swizzle == Swizzle::None { 0 } else { line },
        swizzle,
    }
}
