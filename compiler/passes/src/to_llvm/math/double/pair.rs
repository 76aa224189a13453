//! Unevaluated sums of two numbers, the second one below half a unit in the last place of the first: twice
//! the precision, where one rounding would be one too many (Dekker, "A floating-point technique for extending
//! the available precision", 1971).

use super::real::{Flag, Operand, Real};

/// `high + low`.
#[derive(Clone, Copy)]
pub(super) struct Pair<'b, 'c> {
    pub high: Real<'b, 'c>,
    pub low: Real<'b, 'c>,
}

impl<'b, 'c> Pair<'b, 'c> {
    /// A number without a second part.
    pub fn exact(high: Real<'b, 'c>) -> Self {
        let low = high.constant(0.0);
        Self { high, low }
    }

    /// A constant.
    pub fn constant(like: Real<'b, 'c>, [high, low]: [f64; 2]) -> Self {
        let (high, low) = (like.constant(high), like.constant(low));
        Self { high, low }
    }

    /// `larger + smaller`, exactly; `larger` is not smaller in magnitude.
    pub fn ordered(larger: impl Operand<'b, 'c>, smaller: Real<'b, 'c>) -> Self {
        let larger = larger.real(smaller);
        let high = larger + smaller;
        let low = smaller - (high - larger);
        Self { high, low }
    }

    /// `a + b`, exactly, whichever is larger (Knuth).
    pub fn sum(a: Real<'b, 'c>, b: impl Operand<'b, 'c>) -> Self {
        let b = b.real(a);
        let high = a + b;
        let of_b = high - a;
        let low = (a - (high - of_b)) + (b - of_b);
        Self { high, low }
    }

    /// `a * b`, exactly.
    pub fn product(a: Real<'b, 'c>, b: impl Operand<'b, 'c>) -> Self {
        let b = b.real(a);
        let high = a * b;
        let low = a.fma(b, -high);
        Self { high, low }
    }

    /// The same with a little more, put in order.
    pub fn plus(self, more: Real<'b, 'c>) -> Self {
        Self::ordered(self.high, self.low + more)
    }

    pub fn times(self, other: Self) -> Self {
        let product = Self::product(self.high, other.high);
        product.plus(self.high * other.low + self.low * other.high)
    }

    /// Not put in order: the parts may overlap a little.
    pub fn over(self, other: Self) -> Self {
        let high = self.high / other.high;
        let rest = (-high).fma(other.high, self.high) + self.low;
        let low = (rest - high * other.low) / other.high;
        Self { high, low }
    }

    /// The root, 0 of 0: one step of Newton from that of the first part.
    pub fn sqrt(self) -> Self {
        let high = self.high.sqrt();
        let low = ((-high).fma(high, self.high) + self.low) / (2.0 * high);
        let low = high.above(0.0).choose(low, high.constant(0.0));
        Self { high, low }
    }

    /// Times a power of two.
    pub fn scaled(self, factor: Real<'b, 'c>) -> Self {
        Self {
            high: self.high * factor,
            low: self.low * factor,
        }
    }

    pub fn choose(condition: Flag<'b, 'c>, then: Self, otherwise: Self) -> Self {
        Self {
            high: condition.choose(then.high, otherwise.high),
            low: condition.choose(then.low, otherwise.low),
        }
    }

    pub fn rounded(self) -> Real<'b, 'c> {
        self.high + self.low
    }
}
