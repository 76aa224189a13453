//! Bit patterns that are worth testing.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::simulator::arithmetic::format::Format;

/// A source of bits, the same in every run.
pub struct Samples(ChaCha8Rng);

impl Samples {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit
    }

    /// An integer of so many bits: ends of ranges, small ones, powers of two and their
    /// neighbours, anything.
    pub fn integer(&mut self, bits: u32) -> u64 {
        let ones = u64::MAX >> (64 - bits);
        let value = match self.below(6) {
            0 => [0, 1, ones, ones >> 1, (ones >> 1) + 1, ones - 1][self.below(6) as usize],
            1 => self.below(70),
            2 => self.below(70).wrapping_neg(),
            3 => (1u64 << self.below(bits.into()))
                .wrapping_add(self.below(3))
                .wrapping_sub(1),
            _ => self.bits(),
        };
        value & ones
    }

    /// The bits of a float: special values, numbers of few bits and moderate size, whose sums
    /// cancel and whose products are ties, and anything.
    pub fn float(&mut self, format: &Format) -> u64 {
        let all = format.sign() | (format.sign() - 1);
        let sign = if self.below(2) == 0 { format.sign() } else { 0 };
        let magnitude = match self.below(8) {
            0 => {
                let normal = 1 << format.fraction;
                let one = (format.bias as u64) << format.fraction;
                let special = [
                    0,
                    1,
                    2,
                    normal - 1,
                    normal,
                    normal + 1,
                    one,
                    one - 1,
                    one + 1,
                    format.largest,
                    format.largest - 1,
                    format.largest + 1,
                    format.largest + 2,
                ];
                special[self.below(special.len() as u64) as usize]
            }
            1..4 => return self.bits() & all,
            range => {
                let exponents = if range < 6 {
                    8
                } else {
                    2 * format.fraction as u64 + 4
                };
                let bias = format.bias as u64;
                let lowest = bias.saturating_sub(exponents / 2).max(1);
                let exponent = (lowest + self.below(exponents)).min(2 * bias);
                let kept = self.below(u64::from(format.fraction) + 1) as u32;
                let fraction = self.bits() & ((1 << format.fraction) - 1);
                exponent << format.fraction | fraction >> kept << kept
            }
        };
        sign | magnitude
    }

    /// The bits of a float near those of another: same exponent or a few steps away.
    pub fn float_near(&mut self, format: &Format, other: u64) -> u64 {
        let steps = self.below(5).wrapping_sub(2) << format.fraction;
        let change = self.bits() >> (1 + self.below(63));
        let magnitude = other.wrapping_add(steps).wrapping_add(change) & (format.sign() - 1);
        let sign = if self.below(2) == 0 { format.sign() } else { 0 };
        sign | magnitude
    }
}
