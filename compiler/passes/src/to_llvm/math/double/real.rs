//! Numbers of the thread that is being built, with operators: `x * x + 1.0` builds the code that computes
//! it. Constants are `f64`s.

use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Shl, Shr, Sub};

use melior::ir::ValueLike;

use crate::build::Builder;
use crate::dialect::predicates as p;
use crate::ir::Value;

/// Where code goes.
pub(super) type Place<'b, 'c> = RefCell<&'b mut Builder<'c>>;

/// An `f64`.
#[derive(Clone, Copy)]
pub(super) struct Real<'b, 'c> {
    pub value: Value<'c>,
    pub place: &'b Place<'b, 'c>,
}

/// An `i64`.
#[derive(Clone, Copy)]
pub(super) struct Word<'b, 'c> {
    pub value: Value<'c>,
    pub place: &'b Place<'b, 'c>,
}

/// An `i1`.
#[derive(Clone, Copy)]
pub(super) struct Flag<'b, 'c> {
    pub value: Value<'c>,
    pub place: &'b Place<'b, 'c>,
}

/// A number or a constant.
pub(super) trait Operand<'b, 'c> {
    fn real(self, like: Real<'b, 'c>) -> Real<'b, 'c>;
}

impl<'b, 'c> Operand<'b, 'c> for Real<'b, 'c> {
    fn real(self, _: Real<'b, 'c>) -> Real<'b, 'c> {
        self
    }
}

impl<'b, 'c> Operand<'b, 'c> for f64 {
    fn real(self, like: Real<'b, 'c>) -> Real<'b, 'c> {
        like.constant(self)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $name:literal;)*) => {
        $(
            impl<'b, 'c, O: Operand<'b, 'c>> $trait<O> for Real<'b, 'c> {
                type Output = Self;
                fn $method(self, other: O) -> Self {
                    let other = other.real(self);
                    self.with($name, &[other])
                }
            }

            impl<'b, 'c> $trait<Real<'b, 'c>> for f64 {
                type Output = Real<'b, 'c>;
                fn $method(self, other: Real<'b, 'c>) -> Real<'b, 'c> {
                    other.constant(self).with($name, &[other])
                }
            }
        )*
    };
}

operators! {
    Add add "arith.addf";
    Sub sub "arith.subf";
    Mul mul "arith.mulf";
    Div div "arith.divf";
}

impl Neg for Real<'_, '_> {
    type Output = Self;
    fn neg(self) -> Self {
        self.with("arith.negf", &[])
    }
}

impl<'b, 'c> Real<'b, 'c> {
    pub fn constant(self, value: f64) -> Self {
        let ty = self.value.r#type();
        let value = self.place.borrow_mut().constant_float(value, ty);
        Self { value, ..self }
    }

    fn with(self, name: &'static str, others: &[Self]) -> Self {
        let mut list = vec![self.value];
        list.extend(others.iter().map(|other| other.value));
        let ty = self.value.r#type();
        let value = self.place.borrow_mut().value(name, &list, &[], ty);
        Self { value, ..self }
    }

    /// `self * factor + addend`, rounded once.
    pub fn fma(self, factor: impl Operand<'b, 'c>, addend: impl Operand<'b, 'c>) -> Self {
        let (factor, addend) = (factor.real(self), addend.real(self));
        self.with("math.fma", &[factor, addend])
    }

    pub fn sqrt(self) -> Self {
        self.with("math.sqrt", &[])
    }

    pub fn abs(self) -> Self {
        self.with("math.absf", &[])
    }

    pub fn trunc(self) -> Self {
        self.with("math.trunc", &[])
    }

    /// To the nearest integer, ties to even.
    pub fn nearest(self) -> Self {
        self.with("math.roundeven", &[])
    }

    pub fn copysign(self, sign: Self) -> Self {
        self.with("math.copysign", &[sign])
    }

    /// The polynomial with these coefficients, highest first.
    pub fn polynomial(self, coefficients: &[f64]) -> Self {
        let mut sum = self.constant(coefficients.first().copied().unwrap_or_default());
        for coefficient in coefficients.iter().skip(1) {
            sum = sum.fma(self, *coefficient);
        }
        sum
    }

    fn compare(self, predicate: i64, other: impl Operand<'b, 'c>) -> Flag<'b, 'c> {
        let other = other.real(self);
        let value = self
            .place
            .borrow_mut()
            .compare_floats(predicate, self.value, other.value);
        let place = self.place;
        Flag { value, place }
    }

    pub fn below(self, other: impl Operand<'b, 'c>) -> Flag<'b, 'c> {
        self.compare(p::OLT, other)
    }

    pub fn at_most(self, other: impl Operand<'b, 'c>) -> Flag<'b, 'c> {
        self.compare(p::OLE, other)
    }

    pub fn above(self, other: impl Operand<'b, 'c>) -> Flag<'b, 'c> {
        self.compare(p::OGT, other)
    }

    pub fn equals(self, other: impl Operand<'b, 'c>) -> Flag<'b, 'c> {
        self.compare(p::OEQ, other)
    }

    pub fn is_nan(self) -> Flag<'b, 'c> {
        self.compare(p::UNO, self)
    }

    /// Not below; NaN stays.
    pub fn at_least_or_nan(self, least: f64) -> Self {
        self.below(least).choose(self.constant(least), self)
    }

    /// Not above; NaN stays.
    pub fn at_most_or_nan(self, most: f64) -> Self {
        self.above(most).choose(self.constant(most), self)
    }

    pub fn bits(self) -> Word<'b, 'c> {
        self.word("arith.bitcast")
    }

    /// As an integer, toward zero; out of range anything.
    pub fn integer(self) -> Word<'b, 'c> {
        self.word("arith.fptosi")
    }

    fn word(self, name: &'static str) -> Word<'b, 'c> {
        let mut builder = self.place.borrow_mut();
        let ty = builder.int_type(64);
        let value = builder.value(name, &[self.value], &[], ty);
        Word {
            value,
            place: self.place,
        }
    }

    /// Whether the sign bit is set.
    pub fn is_negative(self) -> Flag<'b, 'c> {
        self.bits().compare(p::SLT, 0)
    }
}

impl<'b, 'c> Word<'b, 'c> {
    pub fn constant(self, value: i64) -> Self {
        let ty = self.value.r#type();
        let value = self.place.borrow_mut().constant_int(value, ty);
        Self { value, ..self }
    }

    pub fn with(self, name: &'static str, other: Self) -> Self {
        let value = self
            .place
            .borrow_mut()
            .binary(name, self.value, other.value);
        Self { value, ..self }
    }

    pub fn compare(self, predicate: i64, other: i64) -> Flag<'b, 'c> {
        let other = self.constant(other);
        self.compare_word(predicate, other)
    }

    pub fn compare_word(self, predicate: i64, other: Self) -> Flag<'b, 'c> {
        let value = self
            .place
            .borrow_mut()
            .compare_int(predicate, self.value, other.value);
        let place = self.place;
        Flag { value, place }
    }

    /// The `f64` with these bits.
    pub fn as_bits(self) -> Real<'b, 'c> {
        self.real("arith.bitcast")
    }

    /// The nearest `f64`.
    pub fn to_real(self) -> Real<'b, 'c> {
        self.real("arith.sitofp")
    }

    fn real(self, name: &'static str) -> Real<'b, 'c> {
        let mut builder = self.place.borrow_mut();
        let ty = builder.parse_type("f64");
        let value = builder.value(name, &[self.value], &[], ty);
        Real {
            value,
            place: self.place,
        }
    }

    /// Two to the power of this; from -1022 to 1023.
    pub fn power_of_two(self) -> Real<'b, 'c> {
        ((self + 1023) << 52).as_bits()
    }
}

impl Add for Word<'_, '_> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.with("arith.addi", other)
    }
}

impl Add<i64> for Word<'_, '_> {
    type Output = Self;
    fn add(self, other: i64) -> Self {
        self + self.constant(other)
    }
}

impl Sub for Word<'_, '_> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.with("arith.subi", other)
    }
}

impl Mul for Word<'_, '_> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.with("arith.muli", other)
    }
}

impl Shl<i64> for Word<'_, '_> {
    type Output = Self;
    fn shl(self, places: i64) -> Self {
        self.with("arith.shli", self.constant(places))
    }
}

/// Without sign.
impl Shr<i64> for Word<'_, '_> {
    type Output = Self;
    fn shr(self, places: i64) -> Self {
        self.with("arith.shrui", self.constant(places))
    }
}

impl BitAnd<i64> for Word<'_, '_> {
    type Output = Self;
    fn bitand(self, mask: i64) -> Self {
        self.with("arith.andi", self.constant(mask))
    }
}

impl<'b, 'c> Flag<'b, 'c> {
    /// `then` where it holds.
    pub fn choose(self, then: impl Operand<'b, 'c>, otherwise: Real<'b, 'c>) -> Real<'b, 'c> {
        let then = then.real(otherwise);
        let value = self
            .place
            .borrow_mut()
            .select(self.value, then.value, otherwise.value);
        Real { value, ..then }
    }

    pub fn choose_word(self, then: Word<'b, 'c>, otherwise: Word<'b, 'c>) -> Word<'b, 'c> {
        let value = self
            .place
            .borrow_mut()
            .select(self.value, then.value, otherwise.value);
        Word { value, ..then }
    }

    fn with(self, name: &'static str, other: Self) -> Self {
        let value = self
            .place
            .borrow_mut()
            .binary(name, self.value, other.value);
        Self { value, ..self }
    }
}

impl BitAnd for Flag<'_, '_> {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        self.with("arith.andi", other)
    }
}

impl BitOr for Flag<'_, '_> {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.with("arith.ori", other)
    }
}

impl Not for Flag<'_, '_> {
    type Output = Self;
    fn not(self) -> Self {
        let mut builder = self.place.borrow_mut();
        let ty = self.value.r#type();
        let yes = builder.constant_int(-1, ty);
        let value = builder.binary("arith.xori", self.value, yes);
        Self {
            value,
            place: self.place,
        }
    }
}
