//! `mma.sync` against the PTX ISA's fragments and exact sums.

use super::isa;
use super::matrix::{Asked, collect, element, matrix, product, random, slots, spread};
use crate::simulator::matrix::fragment::Position;
use crate::simulator::matrix::kind::Kind;
use crate::simulator::matrix::mma::Mma;
use crate::simulator::registers::{FULL, LANES, Registers, Slot};

/// What an opcode says, read without the code under test.
struct Form {
    m: usize,
    k: usize,
    asked: Asked,
    /// `row`, not `col`.
    layouts: [bool; 2],
}

fn read(opcode: &str) -> Form {
    let parts: Vec<_> = opcode.split('.').collect();
    let sizes: Vec<usize> = parts[3]
        .split(|letter: char| letter.is_alphabetic())
        .filter_map(|size| size.parse().ok())
        .collect();
    let kinds: Vec<_> = parts.iter().filter_map(|part| Kind::find(part)).collect();
    Form {
        m: sizes[0],
        k: sizes[2],
        asked: Asked {
            d: kinds[0],
            a: kinds[1],
            b: kinds[2],
            c: kinds[3],
            saturate: parts.contains(&"satfinite"),
            xor: parts.contains(&"xor"),
        },
        layouts: [parts[4], parts[5]].map(|layout| layout == "row"),
    }
}

fn find(opcode: &str) -> Mma {
    Mma::find(&opcode.split('.').collect::<Vec<_>>()).unwrap_or_else(|| panic!("{opcode}"))
}

fn is_volta(opcode: &str) -> bool {
    opcode.contains("m8n8k4") && opcode.contains("f16")
}

#[test]
fn every_form_but_voltas_has_the_fragments_of_the_isa() {
    for opcode in Mma::forms().iter().filter(|opcode| !is_volta(opcode)) {
        let Form { m, k, asked, .. } = read(opcode);
        let mma = find(opcode);
        let fragments = [mma.fragment_a(), mma.fragment_b(), mma.fragment_d()];
        let [a, b, d] = fragments.map(|fragment| fragment.expect("one product"));
        // Single bits are counted by words.
        let word = if asked.a == Kind::B1 { 32 } else { 1 };
        for lane in 0..LANES {
            for i in (0..m * k / LANES).step_by(word) {
                let Position { row, column } = a.position(lane, i / word);
                let expected = isa::a(m, k, asked.a, lane, i);
                assert_eq!(
                    (row, column * word),
                    expected,
                    "{opcode} a{i} of lane {lane}"
                );
            }
            for i in (0..8 * k / LANES).step_by(word) {
                let Position { row, column } = b.position(lane, i / word);
                let expected = isa::b(m, k, asked.b, lane, i);
                assert_eq!(
                    (row * word, column),
                    expected,
                    "{opcode} b{i} of lane {lane}"
                );
            }
            for i in 0..8 * m / LANES {
                let Position { row, column } = d.position(lane, i);
                assert_eq!(
                    (row, column),
                    isa::c(m, lane, i),
                    "{opcode} d{i} of lane {lane}"
                );
            }
        }
    }
}

/// Some places in the figures of the PTX ISA for `m16n8k16` and 16-bit types.
#[test]
fn the_figures_of_m16n8k16() {
    let mma = find("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
    let at = |fragment: Option<crate::simulator::matrix::fragment::Fragment>, lane, i| {
        let Position { row, column } = fragment.expect("one product").position(lane, i);
        [row, column]
    };
    let a = |lane, i| at(mma.fragment_a(), lane, i);
    assert_eq!(
        [a(0, 0), a(0, 1), a(0, 2), a(0, 4)],
        [[0, 0], [0, 1], [8, 0], [0, 8]]
    );
    assert_eq!([a(5, 0), a(31, 7)], [[1, 2], [15, 15]]);
    let b = |lane, i| at(mma.fragment_b(), lane, i);
    assert_eq!(
        [b(0, 1), b(0, 2), b(4, 0), b(31, 3)],
        [[1, 0], [8, 0], [0, 1], [15, 7]]
    );
    let d = |lane, i| at(mma.fragment_d(), lane, i);
    assert_eq!(
        [d(0, 1), d(0, 2), d(6, 0), d(31, 3)],
        [[0, 1], [8, 0], [1, 4], [15, 7]]
    );
}

#[test]
fn operands_take_the_registers_of_the_isa() {
    let counts = |opcode: &str| {
        let mma = find(opcode);
        [mma.d(), mma.a(), mma.b(), mma.c()].map(|operand| (operand.count, operand.bits))
    };
    let of_32 = |counts: [usize; 4]| counts.map(|count| (count, 32));
    let of_64 = |counts: [usize; 4]| counts.map(|count| (count, 64));
    for (opcode, expected) in [
        ("m16n8k16.row.col.f32.f16.f16.f32", of_32([4, 4, 2, 4])),
        ("m16n8k16.row.col.f16.f16.f16.f16", of_32([2, 4, 2, 2])),
        ("m16n8k8.row.col.f32.bf16.bf16.f32", of_32([4, 2, 1, 4])),
        ("m16n8k8.row.col.f32.tf32.tf32.f32", of_32([4, 4, 2, 4])),
        ("m16n8k4.row.col.f32.tf32.tf32.f32", of_32([4, 2, 1, 4])),
        ("m8n8k4.row.col.f64.f64.f64.f64", of_64([2, 1, 1, 2])),
        ("m16n8k16.row.col.f64.f64.f64.f64", of_64([4, 8, 4, 4])),
        ("m8n8k16.row.col.s32.s8.u8.s32", of_32([2, 1, 1, 2])),
        ("m16n8k32.row.col.s32.s8.u8.s32", of_32([4, 4, 2, 4])),
        ("m16n8k64.row.col.s32.s4.u4.s32", of_32([4, 4, 2, 4])),
        (
            "m16n8k256.row.col.s32.b1.b1.s32.xor.popc",
            of_32([4, 4, 2, 4]),
        ),
        ("m16n8k16.row.col.f32.e4m3.e5m2.f32", of_32([4, 2, 1, 4])),
        ("m8n8k4.col.row.f32.f16.f16.f16", of_32([8, 2, 2, 4])),
    ] {
        assert_eq!(
            counts(&format!("mma.sync.aligned.{opcode}")),
            expected,
            "{opcode}"
        );
    }
}

#[test]
fn every_form_but_voltas_gives_the_exact_sum_rounded_once() {
    let mut random = random();
    for opcode in Mma::forms().iter().filter(|opcode| !is_volta(opcode)) {
        let Form { m, k, asked, .. } = read(opcode);
        let mma = find(opcode);
        let a = matrix(&mut random, asked.a, m, k);
        let b = matrix(&mut random, asked.b, k, 8);
        let c = matrix(&mut random, asked.c, m, 8);
        let mut registers = Registers::new(64, 0);
        let bits = mma.d().bits;
        let at = [0, 16, 32, 48].into_iter();
        let operands = [mma.d(), mma.a(), mma.b(), mma.c()];
        let mut all = at
            .zip(operands)
            .map(|(at, operand)| slots(at, operand.count, bits));
        let [slots_d, slots_a, slots_b, slots_c] =
            std::array::from_fn(|_| all.next().unwrap_or_default());
        let bits = bits as usize;
        let place = |lane, i| isa::a(m, k, asked.a, lane, i);
        spread(&mut registers, (&slots_a, bits), asked.a, &a, place);
        let place = |lane, i| isa::b(m, k, asked.b, lane, i);
        spread(&mut registers, (&slots_b, bits), asked.b, &b, place);
        let place = |lane, i| isa::c(m, lane, i);
        spread(&mut registers, (&slots_c, bits), asked.c, &c, place);

        mma.run(&mut registers, &slots_d, &slots_a, &slots_b, &slots_c);
        let d = collect(&registers, (&slots_d, bits), asked.d, (m, 8), place);
        assert_eq!(d, product(asked, &a, &b, &c), "{opcode}");

        // The accumulator may be overwritten.
        mma.run(&mut registers, &slots_c, &slots_a, &slots_b, &slots_c);
        let again = collect(&registers, (&slots_c, bits), asked.d, (m, 8), place);
        assert_eq!(again, d, "{opcode}");
    }
}

#[test]
fn voltas_four_products_are_those_of_the_isa() {
    let mut random = random();
    for opcode in Mma::forms().iter().filter(|opcode| is_volta(opcode)) {
        let Form { asked, layouts, .. } = read(opcode);
        let mma = find(opcode);
        let mut registers = Registers::new(64, 0);
        let slots_of = |at, count| slots(at, count, 32);
        let (slots_d, slots_c) = (slots_of(0, mma.d().count), slots_of(16, mma.c().count));
        let (slots_a, slots_b) = (slots_of(32, 2), slots_of(48, 2));
        // One matrix below the other; a lane's quad pair says which is its own.
        let pair = |lane: usize| lane / 4 % 4;
        let below = |lane, step, (row, column): (usize, usize)| (pair(lane) * step + row, column);
        let a = matrix(&mut random, asked.a, 32, 4);
        let b = matrix(&mut random, asked.b, 16, 8);
        let c = matrix(&mut random, asked.c, 32, 8);
        let place = |lane, i| below(lane, 8, isa::volta_a(layouts[0], lane, i));
        spread(&mut registers, (&slots_a, 32), asked.a, &a, place);
        let place = |lane, i| below(lane, 4, isa::volta_b(layouts[1], lane, i));
        spread(&mut registers, (&slots_b, 32), asked.b, &b, place);
        let place = |lane, i| below(lane, 8, isa::volta_c(asked.c, lane, i));
        spread(&mut registers, (&slots_c, 32), asked.c, &c, place);

        mma.run(&mut registers, &slots_d, &slots_a, &slots_b, &slots_c);
        let place = |lane, i| below(lane, 8, isa::volta_c(asked.d, lane, i));
        let d = collect(&registers, (&slots_d, 32), asked.d, (32, 8), place);
        for pair in 0..4 {
            let part = |all: &Vec<Vec<u64>>, rows: usize| all[pair * rows..][..rows].to_vec();
            let expected = product(asked, &part(&a, 8), &part(&b, 4), &part(&c, 8));
            assert_eq!(part(&d, 8), expected, "{opcode}");
        }
    }
}

/// A has one 1, in (row, k), and B one 1, in (k, column): so has D, in (row, column). The lanes and
/// registers are those of the figures: nothing here depends on the maps under test.
#[test]
fn a_single_one_lands_in_its_row_and_column() {
    let mma = find("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
    let one = |k: usize| 0x3c00_u32 << (16 * (k % 2));
    let (d, a, b) = (slots(0, 4, 32), slots(4, 4, 32), slots(8, 2, 32));
    for (row, k, column) in (0..16 * 16 * 8).map(|i| (i / 128, i / 8 % 16, i % 8)) {
        let mut registers = Registers::new(16, 0);
        let lane = row % 8 * 4 + k % 8 / 2;
        registers.set32(a[row / 8 + k / 8 * 2], 1 << lane, [one(k); LANES]);
        let lane = column * 4 + k % 8 / 2;
        registers.set32(b[k / 8], 1 << lane, [one(k); LANES]);
        mma.run(&mut registers, &d, &a, &b, &slots(12, 4, 32));
        for (register, slot) in d.iter().enumerate() {
            let mut expected = [0; LANES];
            if register == row / 8 * 2 + column % 2 {
                expected[row % 8 * 4 + column / 2] = 1_f32.to_bits();
            }
            assert_eq!(
                registers.get32(*slot),
                expected,
                "({row}, {k}, {column}) d{register}"
            );
        }
    }
}

/// One instruction of f16 with the same number everywhere in A, in B and in C.
fn uniform(a: u16, b: u16, c: f32) -> u32 {
    let mma = find("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
    let mut registers = Registers::new(16, 0);
    let twice = |half: u16| [u32::from(half) * 0x1_0001; LANES];
    for slot in 0..4 {
        registers.set32(Slot(slot), FULL, twice(a));
        registers.set32(Slot(4 + slot), FULL, twice(b));
        registers.set32(Slot(8 + slot), FULL, [c.to_bits(); LANES]);
    }
    let c = slots(8, 4, 32);
    mma.run(&mut registers, &c, &slots(0, 4, 32), &slots(4, 2, 32), &c);
    let lanes = registers.get32(c[0]);
    assert_eq!(lanes, [lanes[0]; LANES]);
    lanes[0]
}

#[test]
fn special_numbers() {
    let of = |value: f32| value.to_bits();
    let (one, infinity, nan, smallest, zero) = (0x3c00, 0x7c00, 0x7e01, 1, 0);
    assert_eq!(uniform(infinity, one, 1.0), of(f32::INFINITY));
    assert_eq!(uniform(infinity, one, f32::NEG_INFINITY), 0x7fff_ffff);
    assert_eq!(uniform(infinity, zero, 1.0), 0x7fff_ffff);
    assert_eq!(
        uniform(nan, one, 1.0),
        0x7fff_ffff,
        "NaNs lose their payload"
    );
    assert_eq!(uniform(smallest, smallest, 0.0), of(16.0 * 2_f32.powi(-48)));
    assert_eq!(
        uniform(one, one, f32::MAX),
        of(f32::MAX),
        "less than half of the last place"
    );
    // 2^24 + 16 products of 2^-5: each alone would be lost in f32, together they are half of the
    // last place and a tie goes to even; a little more and it goes up.
    assert_eq!(uniform(0x2800, one, 16_777_218.0), of(16_777_218.0));
    assert_eq!(uniform(0x2c00, one, 16_777_218.0), of(16_777_220.0));
}

#[test]
fn an_f16_accumulator_overflows_and_an_integer_one_wraps_or_saturates() {
    let run = |opcode: &str, operand: u32, c: u32| {
        let mma = find(opcode);
        let mut registers = Registers::new(16, 0);
        for slot in 0..8 {
            registers.set32(Slot(slot), FULL, [operand; LANES]);
            registers.set32(Slot(8 + slot), FULL, [c; LANES]);
        }
        let c = slots(8, mma.c().count, 32);
        let (a, b) = (slots(0, mma.a().count, 32), slots(4, mma.b().count, 32));
        mma.run(&mut registers, &c, &a, &b, &c);
        registers.get32(c[0])[31]
    };
    let f16 = "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16";
    // Sixteen quarters, on top of 0 and of the largest number.
    assert_eq!(run(f16, 0x3800_3800, 0x7bff_0000), 0x7bff_4400);
    assert_eq!(
        run(f16, 0x3c00_3c00, 0x7bff_0000),
        0x7c00_4c00,
        "the tie goes to infinity"
    );
    assert_eq!(run(f16, 0x4000_4000, 0x7bff_7bff), 0x7c00_7c00);
    assert_eq!(run(f16, 0x7fff_3c00, 0), 0x7fff_7fff);
    let s32 = "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32";
    let satfinite = "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32";
    assert_eq!(run(s32, 0x0101_0101, 0x7fff_fff0), 0x8000_0010);
    assert_eq!(run(satfinite, 0x0101_0101, 0x7fff_fff0), 0x7fff_ffff);
    let mixed = "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32";
    assert_eq!(
        run(mixed, 0xffff_ffff, 0x8000_0001),
        0x8000_0000,
        "-1 times 255"
    );
}

/// Numbers of any size: the sum is within an error of 2^-53 of the largest term, before rounding.
#[test]
fn any_finite_f16_is_summed_within_the_documented_error() {
    let mut random = random();
    let mma = find("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
    for _ in 0..50 {
        let mut any = |rows: usize, columns: usize| {
            let mut any =
                || (element(&mut random, Kind::U8) << 8 | element(&mut random, Kind::U8)) & 0xfbff;
            (0..rows)
                .map(|_| (0..columns).map(|_| any()).collect())
                .collect::<Vec<Vec<u64>>>()
        };
        let (a, b) = (any(16, 16), any(16, 8));
        let c = matrix(&mut random, Kind::F32, 16, 8);
        let mut registers = Registers::new(16, 0);
        let (d, sa, sb) = (slots(0, 4, 32), slots(4, 4, 32), slots(8, 2, 32));
        spread(&mut registers, (&sa, 32), Kind::F16, &a, |lane, i| {
            isa::a(16, 16, Kind::F16, lane, i)
        });
        spread(&mut registers, (&sb, 32), Kind::F16, &b, |lane, i| {
            isa::b(16, 16, Kind::F16, lane, i)
        });
        spread(&mut registers, (&d, 32), Kind::F32, &c, |lane, i| {
            isa::c(16, lane, i)
        });
        mma.run(&mut registers, &d, &sa, &sb, &d);
        let result = collect(&registers, (&d, 32), Kind::F32, (16, 8), |lane, i| {
            isa::c(16, lane, i)
        });
        for (row, column) in (0..128).map(|i| (i / 8, i % 8)) {
            let exact = |value: f64| (value * 2_f64.powi(60)) as i128;
            let half = |bits: u64| half::f16::from_bits(bits as u16).to_f64();
            let terms = (0..16).map(|k| half(a[row][k]) * half(b[k][column]));
            let terms: Vec<f64> = terms
                .chain([f64::from(f32::from_bits(c[row][column] as u32))])
                .collect();
            let sum = terms.iter().map(|term| exact(*term)).sum::<i128>() as f64 * 2_f64.powi(-60);
            let largest = terms
                .iter()
                .fold(0.0, |largest: f64, term| largest.max(term.abs()));
            let result = f64::from(f32::from_bits(result[row][column] as u32));
            let allowed = sum.abs() * 2_f64.powi(-24) + 17.0 * 17.0 * largest * 2_f64.powi(-53);
            assert!((result - sum).abs() <= allowed, "{result} for {sum}");
        }
    }
}

#[test]
fn qualifiers_come_in_any_order_but_types_and_layouts_do_not() {
    let find = |opcode: &str| Mma::find(&opcode.split('.').collect::<Vec<_>>());
    let usual = find("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32");
    assert!(usual.is_some());
    assert_eq!(
        find("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32.satfinite"),
        usual
    );
    assert_ne!(
        find("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32"),
        usual
    );
    for opcode in [
        "mma.sync.aligned.m16n8k32.col.row.satfinite.s32.s8.u8.s32",
        "mma.sync.m16n8k16.row.col.f32.f16.f16.f32",
        "wmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16",
        "mma.sync.aligned.m16n8k16.row.col.bf16.bf16.bf16.bf16",
        "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m16n16k16.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32",
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32",
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and",
        "mma.sync.aligned.m16n8k256.row.col.satfinite.s32.b1.b1.s32.and.popc",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.f32",
    ] {
        assert_eq!(find(opcode), None, "{opcode}");
    }
    assert_eq!(find(""), None);
}
