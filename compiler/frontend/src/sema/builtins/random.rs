//! Random numbers: Philox 4x32 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011),
//! the stream that Triton's functions of these names give for the same seed and offset.
//!
//! Numbers depend on seed and offset alone, so each element of a tile of offsets gets its own, and a
//! program computes them again instead of keeping them.

use tile_runtime::element::ElementType::{self, F32, I1, I32, U32, U64};

use super::Call;
use crate::diagnostic::{Span, messages};
use crate::sema::build;
use crate::sema::elaborator::Elaborator;
use crate::sema::operand::{Operand, tile};
use crate::typed::{BinaryOperation as B, CompareOperation, Constant, Expr, UnaryOperation};

/// What the key grows by from round to round.
const KEYS: [i128; 2] = [0x9E37_79B9, 0xBB67_AE85];
/// The factors of a round.
const FACTORS: [i128; 2] = [0xD251_1F53, 0xCD9E_8D57];
/// Rounds, unless the call says otherwise.
const ROUNDS: i128 = 10;
/// The most rounds that make sense.
const MOST_ROUNDS: i128 = 64;

/// `randint(seed, offset)`: 32 random bits, `u32`.
pub(super) fn randint<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    match philox(this, call) {
        Some([first, ..]) => Operand::value(first),
        None => Operand::Error,
    }
}

/// `randint4x(seed, offset)`: all four words of the generator.
pub(super) fn randint4x<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    match philox(this, call) {
        Some(words) => Operand::Tuple(words.map(Operand::value).to_vec()),
        None => Operand::Error,
    }
}

/// `rand(seed, offset)`: `f32` from 0 to below 1.
pub(super) fn rand<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    let span = call.span;
    match philox(this, call) {
        Some([first, ..]) => Operand::value(uniform(this, first, span)),
        None => Operand::Error,
    }
}

/// `rand4x(seed, offset)`: four of them.
pub(super) fn rand4x<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    let span = call.span;
    match philox(this, call) {
        Some(words) => {
            let numbers = words.map(|word| Operand::value(uniform(this, word, span)));
            Operand::Tuple(numbers.to_vec())
        }
        None => Operand::Error,
    }
}

/// `randn(seed, offset)`: `f32` of the standard normal distribution.
pub(super) fn randn<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    let span = call.span;
    let Some([first, second, ..]) = philox(this, call) else {
        return Operand::Error;
    };
    let (radius, angle) = polar(this, [first, second], span);
    let cosine = build::unary(UnaryOperation::Cos, angle, span);
    Operand::value(build::binary(B::Multiply, radius, cosine, span))
}

/// `randn4x(seed, offset)`: four of them, two of each pair of words.
pub(super) fn randn4x<'a>(this: &mut Elaborator<'a>, call: Call<'a>) -> Operand<'a> {
    let span = call.span;
    let Some([first, second, third, fourth]) = philox(this, call) else {
        return Operand::Error;
    };
    let mut numbers = Vec::new();
    for pair in [[first, second], [third, fourth]] {
        let (radius, angle) = polar(this, pair, span);
        let [radius, angle] = [radius, angle].map(|value| this.once(value, None));
        for circular in [UnaryOperation::Cos, UnaryOperation::Sin] {
            let side = build::unary(circular, angle.clone(), span);
            let number = build::binary(B::Multiply, radius.clone(), side, span);
            numbers.push(Operand::value(number));
        }
    }
    Operand::Tuple(numbers)
}

/// Radius and angle of a point whose coordinates are normal (Box and Muller).
fn polar(this: &mut Elaborator<'_>, [first, second]: [Expr; 2], span: Span) -> (Expr, Expr) {
    let (u, v) = (uniform(this, first, span), uniform(this, second, span));
    let number =
        |value: f64| build::constant(Constant::Float(value), tile(F32, u.ty.shape.clone()), span);
    let (least, turn, factor) = (number(1.0e-7), number(std::f64::consts::TAU), number(-2.0));
    let u = build::binary(B::Maximum, least, u, span);
    let angle = build::binary(B::Multiply, turn, v, span);
    let log = build::unary(UnaryOperation::Log, u, span);
    let square = build::binary(B::Multiply, factor, log, span);
    (build::unary(UnaryOperation::Sqrt, square, span), angle)
}

/// The bits as a signed number, negative ones complemented, over 2^31.
fn uniform(this: &mut Elaborator<'_>, bits: Expr, span: Span) -> Expr {
    let shape = bits.ty.shape.clone();
    let signed = this.once(build::bitcast(bits, I32), None);
    let zero = build::full(0, I32, &shape, span);
    let ones = build::full(-1, I32, &shape, span);
    let negative = build::compare(CompareOperation::Less, signed.clone(), zero, span);
    let complement = build::binary(B::Xor, signed.clone(), ones, span);
    let positive = build::select(negative, complement, signed, span);
    let scale = Constant::Float(4.656_612_7e-10);
    let scale = build::constant(scale, tile(F32, shape), span);
    build::binary(B::Multiply, build::cast(positive, F32), scale, span)
}

/// The words of Philox for the counter `(offset, 0, 0, 0)`; an offset of 64 bits is the
/// lower two words of it.
fn philox<'a>(this: &mut Elaborator<'a>, mut call: Call<'a>) -> Option<[Expr; 4]> {
    let span = call.span;
    let (seed, offset) = (call.take("seed")?, call.take("offset")?);
    if matches!(seed.operand, Operand::List(_)) {
        this.report(messages::host::array_in_kernel(call.name, span));
        return None;
    }
    let rounds = match call.take("rounds") {
        Some(rounds) => this.known_integer(&rounds, "the number of rounds")?,
        None => ROUNDS,
    };
    let mut integer = |operand| -> Option<(Expr, ElementType)> {
        let (value, element) = this.number_value(operand)?;
        if element.is_float() || element == I1 {
            this.report(messages::types::expected(operand, "an integer"));
            return None;
        }
        Some((value, element))
    };
    let (seed_value, _) = integer(&seed)?;
    let (offset_value, offset_element) = integer(&offset)?;
    if !seed_value.ty.shape.is_empty() {
        this.report(messages::types::expected(&seed, "one integer"));
        return None;
    }
    let shape = offset_value.ty.shape.clone();
    let places = |shape: &[u64]| build::full(32, U64, shape, span);
    let halves = |this: &mut Elaborator<'a>, value: Expr| {
        let wide = this.once(build::cast(value, U64), None);
        let upper = places(&wide.ty.shape);
        let upper = build::binary(B::ShiftRight, wide.clone(), upper, span);
        [build::cast(wide, U32), build::cast(upper, U32)]
    };
    let seed = build::cast(seed_value, U64);
    let mut keys = halves(this, seed).map(|half| this.once(half, None));
    let zero = || build::full(0, U32, &shape, span);
    let [low, high] = if offset_element.bits() > 32 {
        halves(this, offset_value)
    } else {
        [build::cast(offset_value, U32), zero()]
    };
    let mut words = [low, high, zero(), zero()].map(|word| this.once(word, None));
    for _ in 0..rounds.clamp(1, MOST_ROUNDS) {
        let factor = |value: i128| build::full(value, U32, &shape, span);
        let [a, b, c, d] = words;
        let key = |key: &Expr| build::broadcast(key.clone(), &shape);
        let mixed = |factor_value: i128, by: &Expr, with: Expr, key: Expr| {
            let high = build::binary(B::MultiplyHigh, factor(factor_value), by.clone(), span);
            let high = build::binary(B::Xor, high, with, span);
            build::binary(B::Xor, high, key, span)
        };
        let first = mixed(FACTORS[1], &c, b, key(&keys[0]));
        let third = mixed(FACTORS[0], &a, d, key(&keys[1]));
        let second = build::binary(B::Multiply, factor(FACTORS[1]), c, span);
        let fourth = build::binary(B::Multiply, factor(FACTORS[0]), a, span);
        words = [first, second, third, fourth].map(|word| this.once(word, None));
        for (key, step) in keys.iter_mut().zip(KEYS) {
            let step = build::integer(step, U32, span);
            *key = build::binary(B::Add, key.clone(), step, span);
            *key = this.once(key.clone(), None);
        }
    }
    Some(words)
}
