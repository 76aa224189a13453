//! Sine, cosine and tangent. The argument is `j pi/2 + r` with `|r|` up to `pi/4`. Up to [`NEAR`] fused
//! multiply-adds take `j pi/2` away, the first one exactly. Beyond, `x = m 2^e` with an integer `m`, and the
//! product with `2/pi` is wanted modulo 4 only: 192 bits of `2/pi`, taken where they count (Payne and Hanek,
//! "Radian reduction for trigonometric functions", 1983), in a branch that is rarely taken.

use std::cell::RefCell;

use super::constants::{HALF_PI, TWO_OVER_PI};
use super::pair::Pair;
use super::real::{Real, Word};
use melior::ir::ValueLike;

use crate::build::Builder;
use crate::dialect::predicates as p;
use crate::ir::results;
use crate::to_llvm::threads::inline_asm;

/// The largest argument of the simple reduction.
const NEAR: f64 = 1e6;

/// `(-1)^n / (2 n + 1)!` for `n` from 8 to 1.
const SINE: [f64; 8] = [
    1.0 / 355_687_428_096_000.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 39_916_800.0,
    1.0 / 362_880.0,
    -1.0 / 5_040.0,
    1.0 / 120.0,
    -1.0 / 6.0,
];

/// `(-1)^n / (2 n)!` for `n` from 9 to 2.
const COSINE: [f64; 8] = [
    -1.0 / 6_402_373_705_728_000.0,
    1.0 / 20_922_789_888_000.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 479_001_600.0,
    -1.0 / 3_628_800.0,
    1.0 / 40_320.0,
    -1.0 / 720.0,
    1.0 / 24.0,
];

fn small_sine<'b, 'c>(r: Pair<'b, 'c>) -> Pair<'b, 'c> {
    let square = r.high * r.high;
    let low = (-0.5 * square).fma(r.low, r.low);
    let rest = square.polynomial(&SINE).fma(square * r.high, low);
    Pair::ordered(r.high, rest)
}

fn small_cosine<'b, 'c>(r: Pair<'b, 'c>) -> Pair<'b, 'c> {
    let square = Pair::product(r.high, r.high);
    let first = Pair::ordered(1.0, -0.5 * square.high);
    let rest = square.high * (square.high * square.high.polynomial(&COSINE));
    let rest = rest - r.high * r.low - 0.5 * square.low;
    Pair::ordered(first.high, first.low + rest)
}

fn near<'b, 'c>(x: Real<'b, 'c>) -> (Word<'b, 'c>, Pair<'b, 'c>) {
    let n = (x * std::f64::consts::FRAC_2_PI).nearest();
    let first = n.fma(-HALF_PI[0], x);
    let high = n.fma(-HALF_PI[1], first);
    let low = n.fma(-HALF_PI[1], first - high);
    let low = n.fma(-HALF_PI[2], low);
    (n.integer(), Pair { high, low })
}

fn high_product<'b, 'c>(a: Word<'b, 'c>, b: Word<'b, 'c>) -> Word<'b, 'c> {
    let mut builder = a.place.borrow_mut();
    let ty = a.value.r#type();
    let text = "mul.hi.u64 $0, $1, $2;";
    let inputs = [a.value, b.value];
    let value = inline_asm(&mut builder, text, "=l,l,l", &inputs, &[ty], false)[0];
    Word { value, ..a }
}

/// Of a number above [`NEAR`] in size.
fn far<'b, 'c>(x: Real<'b, 'c>) -> (Word<'b, 'c>, Pair<'b, 'c>) {
    let bits = x.abs().bits();
    let mantissa = (bits & 0x000f_ffff_ffff_ffff) + 0x0010_0000_0000_0000;
    // x = m 2^(exponent - 1075); bits of 2/pi from place exponent - 1077 on count, and 64 zeros stand before.
    let start = (bits >> 52) + (64 - 1077);
    let first = start >> 6;
    let shift = start & 63;
    let words: Vec<Word<'b, 'c>> = (0..4_usize)
        .map(|offset| {
            // NEAR and the largest number bound the first word: 0 to 16.
            (0..17_usize).fold(bits.constant(0), |word, from| {
                let index = (from + offset).checked_sub(1);
                let bits_there = index.and_then(|index| TWO_OVER_PI.get(index));
                let there = bits.constant(bits_there.copied().unwrap_or(0) as i64);
                first.compare(p::EQ, from as i64).choose_word(there, word)
            })
        })
        .collect();
    let window = |number: usize| {
        let (upper, lower) = (words[number], words[number + 1]);
        let upper = upper.with("arith.shli", shift);
        // A shift by 64 would be poison: by one and the rest.
        let rest = (lower >> 1).with("arith.shrui", shift.constant(63) - shift);
        upper.with("arith.ori", rest)
    };
    let [w0, w1, w2] = [window(0), window(1), window(2)];
    let middle = mantissa * w1;
    let lower = middle + high_product(mantissa, w2);
    let carry = lower.compare_word(p::ULT, middle);
    let one = carry.choose_word(bits.constant(1), bits.constant(0));
    let upper = mantissa * w0 + high_product(mantissa, w1) + one;
    // Two bits of the quarter, 126 of the fraction; to the nearest quarter.
    let quarter = (upper + (1 << 61)) >> 62;
    let fraction = upper - (quarter << 62);
    let mask = 0xffff_ffff;
    let top = fraction
        .with("arith.shrsi", fraction.constant(32))
        .to_real()
        * 2f64.powi(96);
    let next = (fraction & mask).to_real() * 2f64.powi(64);
    let rest = (lower >> 32).to_real() * 2f64.powi(32) + (lower & mask).to_real();
    let sum = Pair::ordered(top, next);
    let fraction = Pair::ordered(sum.high, sum.low + rest).scaled(x.constant(2f64.powi(-126)));
    let half_pi = Pair::constant(x, [HALF_PI[0], HALF_PI[1]]);
    let r = fraction.times(half_pi);
    // sin(-x) = -sin(x): quarter and rest change signs together.
    let is_negative = x.is_negative();
    let quarter = is_negative.choose_word(quarter.constant(0) - quarter, quarter);
    let opposite = Pair {
        high: -r.high,
        low: -r.low,
    };
    (quarter, Pair::choose(is_negative, opposite, r))
}

/// `j` and `r`.
fn reduced<'b, 'c>(x: Real<'b, 'c>) -> (Word<'b, 'c>, Pair<'b, 'c>) {
    let magnitude = x.abs();
    let is_far = magnitude.above(NEAR) & magnitude.below(f64::INFINITY);
    let value = x.value;
    let mut builder = x.place.borrow_mut();
    let branch = |builder: &mut Builder<'c>, is_far: bool| {
        let (region, ()) = builder.region(&[], |builder, _| {
            let place = RefCell::new(builder);
            let x = Real {
                value,
                place: &place,
            };
            let (j, r) = if is_far { far(x) } else { near(x) };
            let results = [j.value, r.high.value, r.low.value];
            place.borrow_mut().insert("scf.yield", &results, &[], &[]);
        });
        region
    };
    let regions = vec![branch(&mut builder, true), branch(&mut builder, false)];
    let (word, float) = (builder.int_type(64), value.r#type());
    let types = [word, float, float];
    let branch = builder.insert_with_regions("scf.if", &[is_far.value], &[], &types, regions);
    drop(builder);
    let list = results(branch);
    let place = x.place;
    let real = |index: usize| Real {
        value: list[index],
        place,
    };
    let j = Word {
        value: list[0],
        place,
    };
    let r = Pair {
        high: real(1),
        low: real(2),
    };
    (j, r)
}

/// `sin(x + quarters pi/2)`.
pub(super) fn sine<'b, 'c>(x: Real<'b, 'c>, quarters: i64) -> Real<'b, 'c> {
    let (j, r) = reduced(x);
    let j = j + quarters;
    let (sine, cosine) = (small_sine(r).high, small_cosine(r).high);
    let value = (j & 1).compare(p::NE, 0).choose(cosine, sine);
    let value = (j & 2).compare(p::NE, 0).choose(-value, value);
    let magnitude = x.abs();
    let value = if quarters == 0 {
        magnitude.below(1e-8).choose(x, value)
    } else {
        value
    };
    magnitude
        .below(f64::INFINITY)
        .choose(value, x.constant(f64::NAN))
}

pub(super) fn tangent<'b, 'c>(x: Real<'b, 'c>) -> Real<'b, 'c> {
    let (j, r) = reduced(x);
    let (sine, cosine) = (small_sine(r), small_cosine(r));
    let is_odd = (j & 1).compare(p::NE, 0);
    let above = Pair::choose(is_odd, cosine, sine);
    let below = Pair::choose(is_odd, sine, cosine);
    let quotient = above.over(below).rounded();
    let value = is_odd.choose(-quotient, quotient);
    let magnitude = x.abs();
    let value = magnitude.below(1e-8).choose(x, value);
    magnitude
        .below(f64::INFINITY)
        .choose(value, x.constant(f64::NAN))
}
