//! Matrix descriptors.

use super::layout::{address, packed};
use crate::simulator::matrix::descriptor::{Descriptor, DescriptorError, Major};
use crate::simulator::matrix::swizzle::Swizzle;

const SWIZZLES: [Swizzle; 4] = [Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128];

#[test]
fn fields_are_taken_apart() {
    // A K-major operand with a 128-byte swizzle, as a kernel writes it.
    let bits = 0x4000_0040_0001_0000 | 0x1_2340 >> 4;
    let descriptor = Descriptor {
        start: 0x1_2340,
        leading: 16,
        stride: 1024,
        base: 0,
        swizzle: Swizzle::B128,
    };
    assert_eq!(Descriptor::decode(bits), Ok(descriptor));
    assert_eq!(descriptor.encode(), bits);
    let last = Descriptor::decode(0xc00e_3fff_3fff_3fff).expect("all fields");
    assert_eq!(
        (last.start, last.leading, last.stride),
        (0x3fff0, 0x3fff0, 0x3fff0)
    );
    assert_eq!((last.base, last.swizzle), (7, Swizzle::B32));
    assert_eq!(last.encode(), 0xc00e_3fff_3fff_3fff);
    assert_eq!(
        Descriptor::decode(1 << 63).map(|found| found.swizzle),
        Ok(Swizzle::B64)
    );
}

#[test]
fn every_other_bit_is_reserved() {
    for bit in [14, 15, 30, 31, 46, 47, 48, 52, 53, 61] {
        let descriptor = 1 << bit | 1 << 62;
        let error = DescriptorError::Reserved {
            descriptor,
            bits: 1 << bit,
        };
        assert_eq!(Descriptor::decode(descriptor), Err(error));
    }
    let base = Descriptor::decode(3 << 49);
    assert_eq!(base, Err(DescriptorError::BaseWithoutSwizzle { base: 3 }));
}

/// The worked examples of the PTX ISA: an offset in elements for each chunk of 16 bytes, before
/// the swizzle. For each: the swizzle, the offsets in bytes, and the strides of the layout.
#[test]
fn the_worked_examples_of_the_isa() {
    let tile = |swizzle, leading, stride, rows, major| {
        let descriptor = Descriptor {
            start: 0,
            leading,
            stride,
            base: 0,
            swizzle,
        };
        let tile = descriptor.tile(rows, major).expect("fits");
        let chunks = tile.chunks().iter().map(|address| swizzle.apply(*address));
        chunks.collect::<Vec<_>>()
    };
    // K-major, tf32: ((8,2),(4,4)):((4,32),(1,64)), and with 32 bytes ((8,2),(4,4)):((8,64),(1,4)).
    let expected = |strides: [u32; 3]| {
        let rows = (0..16).flat_map(|row| [0, 1].map(|chunk| (row, chunk)));
        let offset = |(row, chunk): (u32, u32)| {
            row % 8 * strides[0] + row / 8 * strides[1] + chunk * strides[2]
        };
        rows.map(|place| 4 * offset(place)).collect::<Vec<_>>()
    };
    assert_eq!(
        tile(Swizzle::None, 64 * 4, 32 * 4, 16, Major::K),
        expected([4, 32, 64])
    );
    assert_eq!(
        tile(Swizzle::B32, 16, 64 * 4, 16, Major::K),
        expected([8, 64, 4])
    );
    // MN-major, bf16: ((8,p,2),(8,2)):((1,8,s0),(s1,s2)).
    let expected = |pieces: u32, [panel, row, group]: [u32; 3]| {
        let places = (0..16).flat_map(|k| (0..2 * pieces).map(move |piece| (k, piece)));
        let offset = |(k, piece): (u32, u32)| {
            piece % pieces * 8 + piece / pieces * panel + k % 8 * row + k / 8 * group
        };
        places.map(|place| 2 * offset(place)).collect::<Vec<_>>()
    };
    let interleaved = tile(Swizzle::None, 128 * 2, 64 * 2, 16, Major::MN);
    assert_eq!(interleaved, expected(1, [64, 8, 128]));
    let of_32 = tile(Swizzle::B32, 128 * 2, 256 * 2, 32, Major::MN);
    assert_eq!(of_32, expected(2, [128, 16, 256]));
    let of_64 = tile(Swizzle::B64, 256 * 2, 512 * 2, 64, Major::MN);
    assert_eq!(of_64, expected(4, [256, 32, 512]));
}

#[test]
fn chunks_are_where_the_canonical_layouts_have_them() {
    for swizzle in SWIZZLES {
        for start in [0, 1024, 128 * 13] {
            for rows in [8, 24, 64, 256] {
                let descriptor = packed(swizzle, Major::K, start, rows, 16);
                let tile = descriptor.tile(rows as usize, Major::K).expect("fits");
                let expected = (0..rows)
                    .flat_map(|row| [0, 8].map(|k| address(&descriptor, Major::K, 2, row, k)));
                assert_eq!(
                    tile.chunks(),
                    expected.collect::<Vec<_>>(),
                    "{descriptor:?}"
                );

                let descriptor = packed(swizzle, Major::MN, start, rows, 16);
                let tile = descriptor.tile(rows as usize, Major::MN).expect("fits");
                let expected = (0..16).flat_map(|k| {
                    let pieces = (0..rows).step_by(8);
                    pieces.map(move |row| address(&descriptor, Major::MN, 2, row, k))
                });
                assert_eq!(
                    tile.chunks(),
                    expected.collect::<Vec<_>>(),
                    "{descriptor:?}"
                );
            }
        }
    }
}

#[test]
fn a_packed_tile_has_every_chunk_once() {
    for swizzle in SWIZZLES {
        for major in [Major::K, Major::MN] {
            // As many rows as fill whole patterns; 64 bytes along K are two instructions.
            let descriptor = packed(swizzle, major, 2048, 64, 16);
            let mut chunks = descriptor.tile(64, major).expect("fits").chunks().to_vec();
            if major == Major::K && swizzle.row_bytes() > 32 {
                for step in 1..swizzle.row_bytes() / 32 {
                    let next = Descriptor {
                        start: descriptor.start + 32 * step,
                        ..descriptor
                    };
                    chunks.extend(next.tile(64, major).expect("fits").chunks());
                }
            }
            chunks.sort_unstable();
            let all = (2048..).step_by(16).take(chunks.len());
            assert_eq!(chunks, all.collect::<Vec<u32>>(), "{swizzle:?} {major:?}");
        }
    }
}

#[test]
fn a_start_that_the_swizzle_does_not_allow_is_an_error() {
    let descriptor = |start, base, swizzle: Swizzle| Descriptor {
        start,
        leading: 16,
        stride: 8 * swizzle.row_bytes(),
        base,
        swizzle,
    };
    let error = |start, base, swizzle| {
        Err(DescriptorError::Start {
            start,
            base,
            swizzle,
        })
    };
    for (start, base, swizzle, good) in [
        (1024, 0, Swizzle::B128, true),
        (1024 + 96, 0, Swizzle::B128, true),
        (1024 + 128, 0, Swizzle::B128, false),
        (1024 + 128, 1, Swizzle::B128, true),
        (1024, 1, Swizzle::B128, false),
        (512, 0, Swizzle::B64, true),
        (512 + 64, 0, Swizzle::B64, false),
        (512 + 256, 6, Swizzle::B64, true),
        (256 + 32, 0, Swizzle::B32, false),
        (128, 0, Swizzle::B32, false),
        (128, 1, Swizzle::B32, true),
        (48, 0, Swizzle::None, true),
    ] {
        let found = descriptor(start, base, swizzle)
            .tile(64, Major::K)
            .map(|_| ());
        let expected = if good {
            Ok(())
        } else {
            error(start, base, swizzle)
        };
        assert_eq!(found, expected, "{start} {base} {swizzle:?}");
    }
    let message = error(1152, 0, Swizzle::B128).map(|()| String::new());
    let message = message.map_err(|error| error.to_string());
    assert_eq!(
        message,
        Err(
            "the matrix starts at 0x480, not in the first row of a 128-byte swizzle pattern: with \
             the base offset 0 patterns start 0 bytes after multiples of 1024 bytes"
                .to_owned()
        )
    );
}

#[test]
fn a_row_that_runs_over_the_end_of_the_pattern_is_an_error() {
    let descriptor = |start, swizzle| Descriptor {
        start,
        leading: 4096,
        stride: 1024,
        base: 0,
        swizzle,
    };
    for (start, swizzle, rows, major, good) in [
        (96, Swizzle::B128, 64, Major::K, true),
        (112, Swizzle::B128, 64, Major::K, false),
        (48, Swizzle::B64, 64, Major::K, false),
        (16, Swizzle::B32, 64, Major::K, false),
        (64, Swizzle::B128, 32, Major::MN, true),
        (80, Swizzle::B128, 32, Major::MN, false),
        (0, Swizzle::B128, 128, Major::MN, true),
        (16, Swizzle::B128, 128, Major::MN, false),
        (16, Swizzle::B32, 8, Major::MN, true),
        (16, Swizzle::B32, 16, Major::MN, false),
    ] {
        let found = descriptor(start, swizzle).tile(rows, major);
        assert_eq!(found.is_ok(), good, "{start} {swizzle:?} {rows} {major:?}");
    }
}
