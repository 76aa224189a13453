//! Dense matrices of bits, and what instructions should make of them.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::element::ElementType;
use crate::numeric::{Scalar, from_scalar, to_scalar};
use crate::simulator::matrix::kind::Kind;
use crate::simulator::registers::{FULL, LANES, Registers, Slot};

/// The bits of each element, row by row.
pub type Matrix = Vec<Vec<u64>>;

/// Random numbers, the same each time.
pub fn random() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(20)
}

/// A float of moderate size with a full mantissa, or any integer. Sums of products of these have
/// less than 53 bits, so that the only rounding is that of the result.
pub fn element(random: &mut ChaCha8Rng, kind: Kind) -> u64 {
    let bits = random.next_u64();
    let float = |mantissa: u32, bias: u64, width: u32| {
        let exponent = bias - 5 + bits % 11;
        let sign = (bits >> 63) << (width - 1);
        sign | exponent << mantissa | (bits >> 8) & ((1 << mantissa) - 1)
    };
    match kind {
        Kind::F16 => float(10, 15, 16),
        Kind::Bf16 => float(7, 127, 16),
        // The hardware ignores the lower bits, so they may be anything.
        Kind::Tf32 | Kind::F32 => float(23, 127, 32),
        Kind::F64 => float(52, 1023, 64),
        Kind::E4m3 => float(3, 7, 8),
        Kind::E5m2 => float(2, 15, 8),
        Kind::S8 | Kind::U8 => bits & 0xff,
        Kind::S4 | Kind::U4 => bits & 0xf,
        Kind::B1 => bits & 1,
        Kind::S32 => bits & 0xffff_ffff,
    }
}

pub fn matrix(random: &mut ChaCha8Rng, kind: Kind, rows: usize, columns: usize) -> Matrix {
    let mut row = || (0..columns).map(|_| element(random, kind)).collect();
    (0..rows).map(|_| row()).collect()
}

/// The number of an element, from its bits.
pub fn number(kind: Kind, bits: u64) -> f64 {
    let float = |element| to_scalar(element, bits).as_f64();
    match kind {
        Kind::F16 => float(ElementType::F16),
        Kind::Bf16 => float(ElementType::BF16),
        Kind::Tf32 => f64::from(f32::from_bits(bits as u32 >> 13 << 13)),
        Kind::F32 => float(ElementType::F32),
        Kind::F64 => float(ElementType::F64),
        Kind::E4m3 => float(ElementType::F8E4M3),
        Kind::E5m2 => float(ElementType::F8E5M2),
        Kind::S8 => float(ElementType::I8),
        Kind::S32 => float(ElementType::I32),
        Kind::U8 | Kind::U4 | Kind::B1 => bits as f64,
        Kind::S4 => bits as f64 - if bits >= 8 { 16.0 } else { 0.0 },
    }
}

/// What is asked of a product, apart from its operands.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    pub a: Kind,
    pub b: Kind,
    pub c: Kind,
    pub d: Kind,
    pub saturate: bool,
    pub xor: bool,
}

/// The bits of an element of D: the exact sum, in units of 2^-60, rounded once.
fn sum(asked: Asked, pairs: impl Iterator<Item = (u64, u64)>, c: u64) -> u64 {
    const UNIT: f64 = (1u64 << 60) as f64;
    let exact = |value: f64| {
        let scaled = value * UNIT;
        assert_eq!(
            scaled as i128 as f64, scaled,
            "{value} has bits below 2^-60"
        );
        scaled as i128
    };
    if asked.a == Kind::F64 {
        let pairs = pairs.map(|(a, b)| (f64::from_bits(a), f64::from_bits(b)));
        let chain = pairs.fold(f64::from_bits(c), |sum, (a, b)| a.mul_add(b, sum));
        return chain.to_bits();
    }
    let product = |(a, b): (u64, u64)| match asked.a {
        Kind::B1 if asked.xor => (a ^ b) as f64,
        Kind::B1 => (a & b) as f64,
        _ => number(asked.a, a) * number(asked.b, b),
    };
    let total: i128 = pairs.map(|pair| exact(product(pair))).sum();
    let total = total + exact(number(asked.c, c));
    let rounded = |element| {
        // Exact, or the reference would round twice.
        let value = total as f64;
        assert_eq!(value as i128, total);
        from_scalar(element, Scalar::Float(value / UNIT))
    };
    match asked.d {
        Kind::F16 => rounded(ElementType::F16),
        Kind::F32 => rounded(ElementType::F32),
        _ => {
            let value = total >> 60;
            let value = if asked.saturate {
                value.clamp(i32::MIN.into(), i32::MAX.into())
            } else {
                value
            };
            u64::from(value as u32)
        }
    }
}

/// D = A B + C.
pub fn product(asked: Asked, a: &Matrix, b: &Matrix, c: &Matrix) -> Matrix {
    let element = |row: usize, column: usize| {
        let pairs = a[row].iter().zip(b).map(|(a, b)| (*a, b[column]));
        sum(asked, pairs, c[row][column])
    };
    let columns = |row: usize| {
        (0..c[row].len())
            .map(|column| element(row, column))
            .collect()
    };
    (0..a.len()).map(columns).collect()
}

/// So many slots from one on, so far apart.
pub fn slots(first: u32, count: usize, bits: u32) -> Vec<Slot> {
    (0..count as u32)
        .map(|register| Slot(first + register * bits / 32))
        .collect()
}

/// Spreads a matrix over registers: element `i` of a lane is `matrix[place(lane, i)]`.
pub fn spread(
    registers: &mut Registers,
    (slots, register_bits): (&[Slot], usize),
    kind: Kind,
    matrix: &Matrix,
    place: impl Fn(usize, usize) -> (usize, usize),
) {
    let packed = register_bits / kind.bits();
    for (register, slot) in slots.iter().enumerate() {
        let lanes: [u64; LANES] = std::array::from_fn(|lane| {
            (0..packed).fold(0, |word, part| {
                let (row, column) = place(lane, register * packed + part);
                word | matrix[row][column] << (part * kind.bits())
            })
        });
        if register_bits == 64 {
            registers.set64(*slot, FULL, lanes);
        } else {
            registers.set32(*slot, FULL, lanes.map(|lane| lane as u32));
        }
    }
}

/// The other way round: every element of the matrix must be somewhere.
pub fn collect(
    registers: &Registers,
    (slots, register_bits): (&[Slot], usize),
    kind: Kind,
    (rows, columns): (usize, usize),
    place: impl Fn(usize, usize) -> (usize, usize),
) -> Matrix {
    let packed = register_bits / kind.bits();
    let mut matrix = vec![vec![None; columns]; rows];
    for (register, slot) in slots.iter().enumerate() {
        let lanes = if register_bits == 64 {
            registers.get64(*slot)
        } else {
            registers.get32(*slot).map(u64::from)
        };
        for (lane, word) in lanes.into_iter().enumerate() {
            for part in 0..packed {
                let (row, column) = place(lane, register * packed + part);
                let mask = u64::MAX >> (64 - kind.bits());
                matrix[row][column] = Some(word >> (part * kind.bits()) & mask);
            }
        }
    }
    let whole = |row: Vec<Option<u64>>| row.into_iter().map(|bits| bits.expect("covered"));
    matrix.into_iter().map(|row| whole(row).collect()).collect()
}
