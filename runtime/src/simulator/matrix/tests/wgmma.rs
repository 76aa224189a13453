//! `wgmma` against the canonical layouts of the PTX ISA and exact sums.

use std::collections::HashSet;

use super::layout::{address, packed};
use super::matrix::{Asked, Matrix, collect, matrix, product, random, slots, spread};
use crate::simulator::matrix::descriptor::{Descriptor, Major, Tile};
use crate::simulator::matrix::kind::Kind;
use crate::simulator::matrix::swizzle::Swizzle;
use crate::simulator::matrix::wgmma::{Immediate, Left, Wgmma};
use crate::simulator::registers::Registers;

const SWIZZLES: [Swizzle; 4] = [Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128];

fn find(opcode: &str) -> Wgmma {
    let opcode = format!("wgmma.mma_async.sync.aligned.{opcode}");
    Wgmma::find(&opcode.split('.').collect::<Vec<_>>()).unwrap_or_else(|| panic!("{opcode}"))
}

/// What an opcode says, read without the code under test: N, K, and the types.
fn read(opcode: &str) -> (usize, usize, Asked) {
    let parts: Vec<_> = opcode.split('.').collect();
    let sizes: Vec<usize> = parts[0]
        .split(|letter: char| letter.is_alphabetic())
        .filter_map(|size| size.parse().ok())
        .collect();
    let kinds: Vec<_> = parts.iter().filter_map(|part| Kind::find(part)).collect();
    let asked = Asked {
        d: kinds[0],
        c: kinds[0],
        a: kinds[1],
        b: kinds[2],
        saturate: parts.contains(&"satfinite"),
        xor: false,
    };
    (sizes[1], sizes[2], asked)
}

/// Row and column of element `i` of D of a lane of a warp (the ISA's figures, as formulas).
fn place_d(warp: usize, lane: usize, i: usize) -> (usize, usize) {
    (
        16 * warp + lane / 4 + 8 * (i / 2 % 2),
        8 * (i / 4) + 2 * (lane % 4) + i % 2,
    )
}

/// Row and column of element `i` of A in registers.
fn place_a(kind: Kind, warp: usize, lane: usize, i: usize) -> (usize, usize) {
    let (row, quarter) = (16 * warp + lane / 4, lane % 4);
    match kind.bits() {
        32 => (row + 8 * (i % 2), quarter + 4 * (i / 2)),
        16 => (row + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * quarter + i % 2),
        8 => (row + 8 * (i / 4 % 2), 16 * (i / 8) + 4 * quarter + i % 4),
        _ => (
            row + 8 * (i / 32 % 2),
            128 * (i / 64) + 32 * quarter + i % 32,
        ),
    }
}

/// Shared memory, and the chunks that were read.
struct Shared {
    bytes: Vec<u8>,
    read: HashSet<u32>,
}

impl Shared {
    fn new() -> Self {
        Self {
            bytes: vec![0xee; 1 << 18],
            read: HashSet::new(),
        }
    }

    /// Writes a matrix, rows of A or columns of B first. Elements of less than 8 bits are packed.
    fn write(&mut self, descriptor: &Descriptor, major: Major, kind: Kind, rows: &Matrix) {
        for (r, row) in rows.iter().enumerate() {
            let elements = row.chunks(8_usize.div_ceil(kind.bits()));
            for (k, elements) in elements.enumerate() {
                let bits = elements
                    .iter()
                    .rev()
                    .fold(0, |all, bits| all << (kind.bits() % 8) | bits);
                let bytes = kind.bits().div_ceil(8);
                let at = address(descriptor, major, bytes as u32, r as u32, k as u32) as usize;
                self.bytes[at..at + bytes].copy_from_slice(&bits.to_le_bytes()[..bytes]);
            }
        }
    }

    fn fetch(&mut self, address: u32, bytes: &mut [u8; 16]) -> Result<(), String> {
        assert_eq!(address % 16, 0);
        assert!(self.read.insert(address), "{address:#x} is read twice");
        bytes.copy_from_slice(&self.bytes[address as usize..][..16]);
        Ok(())
    }
}

fn transposed(matrix: &Matrix) -> Matrix {
    let columns = 0..matrix[0].len();
    columns
        .map(|column| matrix.iter().map(|row| row[column]).collect())
        .collect()
}

/// One instruction and everything it works on.
struct Case {
    wgmma: Wgmma,
    asked: Asked,
    a: Matrix,
    b: Matrix,
    c: Matrix,
    memory: Shared,
    warps: [Registers; 4],
    majors: [Major; 2],
    tiles: [Tile; 2],
    immediates: Vec<i64>,
}

impl Case {
    /// Random operands: A from 4 KiB on, B from 64 KiB on, both in the same way; A also in
    /// registers.
    fn new(opcode: &str, swizzle: Swizzle, majors: [Major; 2]) -> Self {
        let mut random = random();
        let (n, k, asked) = read(opcode);
        let wgmma = find(opcode);
        let a = matrix(&mut random, asked.a, 64, k);
        let b = matrix(&mut random, asked.b, k, n);
        let c = matrix(&mut random, asked.c, 64, n);
        // B is three lines into a pattern, so that its base offset is 3.
        let descriptors = [
            packed(swizzle, majors[0], 4096, 64, 16),
            packed(swizzle, majors[1], 0x1_0180, n as u32, 16),
        ];
        let mut memory = Shared::new();
        memory.write(&descriptors[0], majors[0], asked.a, &a);
        memory.write(&descriptors[1], majors[1], asked.b, &transposed(&b));
        let decoded = descriptors
            .map(|descriptor| Descriptor::decode(descriptor.encode()).expect("well formed"));
        let tiles = [
            wgmma.tile_a(decoded[0], majors[0]).expect("fits"),
            wgmma.tile_b(decoded[1], majors[1]).expect("fits"),
        ];
        let mut warps = [0; 4].map(|_| Registers::new(200, 0));
        for (warp, registers) in warps.iter_mut().enumerate() {
            let slots_d = slots(0, wgmma.d().count, 32);
            spread(registers, (&slots_d, 32), asked.d, &c, |lane, i| {
                place_d(warp, lane, i)
            });
            let slots_a = slots(190, wgmma.a().count, 32);
            let place = |lane, i| place_a(asked.a, warp, lane, i);
            spread(registers, (&slots_a, 32), asked.a, &a, place);
        }
        let major = |major| i64::from(major == Major::MN);
        let values = wgmma
            .immediates(false)
            .iter()
            .map(|immediate| match immediate {
                Immediate::ScaleA | Immediate::ScaleB => 1,
                Immediate::TransA => major(majors[0]),
                Immediate::TransB => major(majors[1]),
            });
        let immediates = values.collect();
        Self {
            wgmma,
            asked,
            a,
            b,
            c,
            memory,
            warps,
            majors,
            tiles,
            immediates,
        }
    }

    /// D afterwards.
    fn run(&mut self, a_in_registers: bool, accumulate: bool) -> Matrix {
        let wgmma = self.wgmma;
        let slots_d = slots(0, wgmma.d().count, 32);
        let slots_a = slots(190, wgmma.a().count, 32);
        let immediates = wgmma.decode(a_in_registers, &self.immediates);
        let left = if a_in_registers {
            Left::Registers(&slots_a)
        } else {
            Left::Shared(&self.tiles[0])
        };
        let memory = &mut self.memory;
        memory.read.clear();
        let result = wgmma.run(
            self.warps.each_mut(),
            immediates.expect("allowed"),
            accumulate,
            (&slots_d, left, &self.tiles[1]),
            |address, bytes| memory.fetch(address, bytes),
        );
        assert_eq!(result, Ok(()));
        let n = self.c[0].len();
        let mut d = Vec::new();
        for (warp, registers) in self.warps.iter().enumerate() {
            let place = |lane, i| {
                let (row, column) = place_d(warp, lane, i);
                (row - 16 * warp, column)
            };
            d.extend(collect(
                registers,
                (&slots_d, 32),
                self.asked.d,
                (16, n),
                place,
            ));
        }
        d
    }

    fn expected(&self) -> Matrix {
        product(self.asked, &self.a, &self.b, &self.c)
    }
}

#[test]
fn every_swizzle_and_major_of_16_bit_operands() {
    for swizzle in SWIZZLES {
        for major_a in [Major::K, Major::MN] {
            for major_b in [Major::K, Major::MN] {
                let mut case = Case::new("m64n32k16.f32.f16.f16", swizzle, [major_a, major_b]);
                assert_eq!(
                    case.run(false, true),
                    case.expected(),
                    "{swizzle:?} {:?}",
                    case.majors
                );
                let chunks: HashSet<u32> =
                    case.tiles.iter().flat_map(Tile::chunks).copied().collect();
                assert_eq!(case.memory.read, chunks);
            }
        }
    }
}

#[test]
fn every_type_from_shared_memory_and_from_registers() {
    for opcode in [
        "m64n16k16.f16.f16.f16",
        "m64n24k16.f32.bf16.bf16",
        "m64n8k8.f32.tf32.tf32",
        "m64n40k32.f32.e4m3.e5m2",
        "m64n16k32.f16.e5m2.e4m3",
        "m64n48k32.s32.s8.u8",
        "m64n32k32.satfinite.s32.u8.s8",
        "m64n16k256.s32.b1.b1.and.popc",
    ] {
        for swizzle in SWIZZLES {
            for a_in_registers in [false, true] {
                let mut case = Case::new(opcode, swizzle, [Major::K; 2]);
                if a_in_registers && case.immediates.len() == 4 {
                    case.immediates.pop();
                }
                let d = case.run(a_in_registers, true);
                assert_eq!(d, case.expected(), "{opcode} {swizzle:?} {a_in_registers}");
            }
        }
    }
}

#[test]
fn every_n() {
    for n in (8..=256).step_by(8) {
        let opcode = format!("m64n{n}k16.f32.bf16.bf16");
        let mut case = Case::new(&opcode, Swizzle::B128, [Major::K, Major::MN]);
        assert_eq!(case.run(false, true), case.expected(), "{opcode}");
    }
}

#[test]
fn without_scale_d_the_old_d_is_not_read() {
    let mut case = Case::new("m64n16k16.f32.f16.f16", Swizzle::B128, [Major::K; 2]);
    let d = case.run(false, false);
    case.c.iter_mut().for_each(|row| row.fill(0));
    assert_eq!(d, case.expected());
}

#[test]
fn scales_negate() {
    let negated = |matrix: &mut Matrix| {
        let elements = matrix.iter_mut().flatten();
        elements.for_each(|bits| *bits ^= 0x8000);
    };
    for (scales, a, b) in [
        ([-1, 1], true, false),
        ([1, -1], false, true),
        ([-1, -1], true, true),
    ] {
        let mut case = Case::new("m64n16k16.f32.f16.f16", Swizzle::B64, [Major::K; 2]);
        case.immediates[..2].copy_from_slice(&scales);
        let d = case.run(false, true);
        if a {
            negated(&mut case.a);
        }
        if b {
            negated(&mut case.b);
        }
        assert_eq!(d, case.expected(), "{scales:?}");
    }
}

#[test]
fn an_error_of_the_memory_leaves_the_registers_alone() {
    let mut case = Case::new("m64n16k16.f32.f16.f16", Swizzle::B32, [Major::K; 2]);
    let before = case.warps.clone();
    let immediates = case.wgmma.decode(false, &case.immediates).expect("allowed");
    let last = case.tiles[1].chunks()[31];
    let result = case.wgmma.run(
        case.warps.each_mut(),
        immediates,
        true,
        (
            &slots(0, 8, 32),
            Left::Shared(&case.tiles[0]),
            &case.tiles[1],
        ),
        |address, _| {
            if address == last {
                Err(address)
            } else {
                Ok(())
            }
        },
    );
    assert_eq!(result, Err(last));
    for (before, after) in before.iter().zip(&case.warps) {
        let rows = slots(0, 200, 32);
        assert!(
            rows.iter()
                .all(|slot| before.get32(*slot) == after.get32(*slot))
        );
    }
}

#[test]
fn operands_and_immediates_are_those_of_the_isa() {
    use Immediate::{ScaleA, ScaleB, TransA, TransB};
    let f16 = find("m64n256k16.f16.f16.f16");
    assert_eq!((f16.d().count, f16.a().count, f16.n()), (64, 4, 256));
    assert_eq!(find("m64n256k16.f32.f16.f16").d().count, 128);
    assert_eq!(f16.immediates(false), [ScaleA, ScaleB, TransA, TransB]);
    assert_eq!(f16.immediates(true), [ScaleA, ScaleB, TransB]);
    assert_eq!(
        find("m64n8k8.f32.tf32.tf32").immediates(false),
        [ScaleA, ScaleB]
    );
    assert_eq!(find("m64n8k32.s32.s8.s8").immediates(true), []);

    let decoded = f16.decode(true, &[1, -1, 1]).expect("allowed");
    assert_eq!((decoded.negate_a, decoded.negate_b), (false, true));
    assert_eq!((decoded.major_a, decoded.major_b), (Major::K, Major::MN));
    let wrong: [&[i64]; 5] = [&[1, 1, 0, 0], &[1, 1], &[0, 1, 0], &[1, 2, 0], &[1, 1, -1]];
    for values in wrong {
        assert_eq!(f16.decode(true, values), None, "{values:?}");
    }
}

#[test]
fn opcodes_are_those_that_the_assembler_takes() {
    let forms = Wgmma::forms();
    for form in &forms {
        assert!(
            Wgmma::find(&form.split('.').collect::<Vec<_>>()).is_some(),
            "{form}"
        );
    }
    // f16 and bf16, tf32, 8-bit floats; bytes with and without saturation, bits.
    assert_eq!(forms.len(), 32 * (2 + 1 + 1 + 8) + 18 * (8 + 1));
    for wrong in [
        "m64n16k16.f32.f16.bf16",
        "m64n16k16.f16.bf16.bf16",
        "m64n16k8.f32.f16.f16",
        "m64n12k16.f32.f16.f16",
        "m64n264k16.f32.f16.f16",
        "m64n0k16.f32.f16.f16",
        "m64n40k32.s32.s8.s8",
        "m64n16k64.s32.s4.s4",
        "m64n16k16.satfinite.f32.f16.f16",
        "m64n16k256.s32.b1.b1",
        "m64n16k256.s32.b1.b1.xor.popc",
        "m16n16k16.f32.f16.f16",
    ] {
        let opcode = format!("wgmma.mma_async.sync.aligned.{wrong}");
        assert_eq!(
            Wgmma::find(&opcode.split('.').collect::<Vec<_>>()),
            None,
            "{wrong}"
        );
    }
}
