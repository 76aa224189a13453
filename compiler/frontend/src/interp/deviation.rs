//! Runs that err as far as a target may, from which a comparison learns what to allow.
//!
//! The language leaves three things open: the last bits of functions, the order of sums, and the
//! order of programs. The interpreter chooses once and for all; a deviating run chooses otherwise:
//!
//! ```text
//! exp2(3.0)                  8.000000          8.000001        within its 2 units, by a hash of 3.0
//! sum([a, b, c, d])          (a + b) + (c + d)  ((a + b) + c) + d
//! total + sum(x)             rounded            rounded, and moved within the last place, where it is rounded at all
//! dot of f16, k = 32         in f64, rounded    8 products at a time, cut off to f32
//! float atomics              program 0, 1, 2    program 2, 1, 0
//! ```
//!
//! How far the results of such runs lie from the usual one is how far a right program may be off.
//! A program for which none of this changes a number has one result, and is compared bit for bit.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};
use std::sync::atomic::{AtomicBool, Ordering};

use tile_runtime::element::ElementType;
use tile_runtime::numeric::{self, Scalar};

use super::fault::Fault;
use super::value::Tile;
use crate::target::MOST_ADDED_UP;
use crate::typed::{BinaryOperation, Precision, UnaryOperation};

/// How many deviating runs there are; each goes another way.
pub const RUNS: u64 = 2;

/// The run after those, where the first ones rounded numbers to 16 bits or fewer that had changed: of these some fall to the
/// other side, which in the first ones may not have happened once.
pub const ROUNDED: u64 = RUNS;

/// Of how many numbers one falls to the other side there.
const ROUNDED_OTHERWISE: u64 = 16;

/// Products that a tensor core adds at once. (PTX fixes no number; of the sizes of `wgmma` and `mma`
/// it is the least, so that the most is cut off.)
const AT_ONCE: usize = 8;

/// Bits of the fraction of a sum that tensor cores keep.
const FRACTION_OF_F32: u32 = 23;

/// The same where the operands are 8-bit floats, on sm_90.
const FRACTION_OF_F8: u32 = 12;

fn hash(of: impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(of)
}

/// The distance to the next number of the type, away from zero.
pub(super) fn gap(element: ElementType, value: f64) -> f64 {
    let magnitude = value.abs();
    let bits = numeric::from_scalar(element, Scalar::Float(magnitude));
    let next = numeric::to_scalar(element, bits + 1).as_f64();
    if next.is_finite() {
        next - magnitude
    } else {
        // Of the largest number: as of the one before.
        magnitude - numeric::to_scalar(element, bits - 1).as_f64()
    }
}

/// What one run does otherwise.
#[derive(Debug)]
pub struct Deviation {
    number: u64,
    changed: AtomicBool,
    rounded: AtomicBool,
}

impl Deviation {
    /// The run of this number, from 0 to [`RUNS`].
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self {
            number,
            changed: AtomicBool::new(false),
            rounded: AtomicBool::new(false),
        }
    }

    /// Whether any number became another than in the usual run. That may not show in the results,
    /// where they are rounded to less.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.changed.load(Ordering::Relaxed)
    }

    /// Notes that a number is another than in the usual run.
    pub(super) fn changes(&self) {
        self.changed.store(true, Ordering::Relaxed);
    }

    /// Whether numbers were rounded to 16 bits or fewer after others had changed.
    #[must_use]
    pub fn has_rounded(&self) -> bool {
        self.rounded.load(Ordering::Relaxed)
    }

    /// Notes a conversion between floats, and gives what it gives.
    pub(super) fn converted(&self, from: ElementType, to: Tile) -> Result<Tile, Fault> {
        let (element, _) = to.as_numbers()?;
        let narrows = from.is_float()
            && element.is_float()
            && element.bits() <= 16
            && element.bits() < from.bits();
        if !narrows || !self.has_changed() {
            return Ok(to);
        }
        self.rounded.store(true, Ordering::Relaxed);
        if self.number != ROUNDED {
            return Ok(to);
        }
        let values = to.floats()?.into_iter().enumerate();
        let values = values.map(|(place, value)| {
            let hashed = hash((place, value.to_bits()));
            match value.is_finite() && hashed % ROUNDED_OTHERWISE == 0 {
                true => value + gap(element, value).copysign(value),
                false => value,
            }
        });
        Ok(Tile::from_floats(element, &to.shape, values))
    }

    /// Whether the sums of this run begin at the other end.
    pub(super) const fn is_backward(&self) -> bool {
        self.number % 2 == 1
    }

    /// Notes whether results differ from the usual ones, and gives them.
    pub(super) fn instead_of<T: PartialEq>(&self, usual: &[T], other: Vec<T>) -> Vec<T> {
        if usual != other {
            self.changes();
        }
        other
    }

    /// A result moved within its error, the same way wherever the operands are the same.
    fn moved(&self, value: f64, by: f64, salt: impl Hash) -> f64 {
        if by == 0.0 || !value.is_finite() {
            return value;
        }
        self.changes();
        let hashed = hash((self.number, salt));
        // From -1 to 1.
        let part = (hashed >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        value + part * by
    }

    /// The result of a function of one number.
    pub(super) fn unary(
        &self,
        operation: UnaryOperation,
        element: ElementType,
        operand: f64,
        value: f64,
    ) -> f64 {
        let by = error(operation, element, operand, value);
        self.moved(value, by, (operation, operand.to_bits()))
    }

    /// The result of a function of two numbers.
    pub(super) fn binary(
        &self,
        operation: BinaryOperation,
        element: ElementType,
        [left, right]: [f64; 2],
        value: f64,
    ) -> f64 {
        use BinaryOperation as B;
        let units = match operation {
            B::Power | B::Atan2 | B::Hypot if element == ElementType::F64 => 2.0,
            B::Power | B::Atan2 | B::Hypot => 1.0,
            _ => return value,
        };
        let by = units * unit(element, value);
        self.moved(value, by, (operation, left.to_bits(), right.to_bits()))
    }

    /// Sums of what reductions give: a loop may add up the elements of all of them in another order, unless nothing is rounded.
    pub(super) fn added(&self, operands: [&Tile; 2], sums: Tile) -> Result<Tile, Fault> {
        let (element, _) = sums.as_numbers()?;
        if !element.is_float() {
            return Ok(sums);
        }
        let [left, right] = operands.map(Tile::floats);
        let pairs = left?.into_iter().zip(right?);
        let values = sums.floats()?.into_iter().zip(pairs);
        let values: Vec<_> = values
            .map(|(sum, (left, right))| {
                let is_exact = sum - left == right && sum - right == left;
                let by = if is_exact { 0.0 } else { gap(element, sum) };
                self.moved(sum, by, (left.to_bits(), right.to_bits()))
            })
            .collect();
        Ok(Tile::from_floats(element, &sums.shape, values.into_iter()))
    }

    /// A reduction of floats from one end to the other.
    pub(super) fn fold(&self, column: &[f64], combine: fn(f64, f64) -> f64) -> Option<f64> {
        if self.is_backward() {
            let backward = column.iter().rev().copied();
            backward.reduce(|sum, value| combine(value, sum))
        } else {
            column.iter().copied().reduce(combine)
        }
    }

    /// Notes that an atomic addition of these bits happens: another order gives another sum, unless
    /// nothing is rounded.
    pub(super) fn sums_atomically(&self, element: ElementType, operands: [u64; 2]) {
        let [left, right] = operands.map(|bits| numeric::to_scalar(element, bits).as_f64());
        let sum = left + right;
        let rounded = numeric::from_scalar(element, Scalar::Float(sum));
        let exact = element != ElementType::F64 || sum - left == right && sum - right == left;
        if !exact || numeric::to_scalar(element, rounded).as_f64() != sum {
            self.changes();
        }
    }

    /// One element of a dot: `sum` and the products of a row and a column, in the way of this run.
    pub(super) fn dot(&self, way: Products, sum: f64, products: &mut [f64]) -> f64 {
        if self.is_backward() {
            products.reverse();
        }
        let at_once = |sum: f64, products: &[f64], fraction| {
            let all = products.iter().map(|product| product.abs());
            let largest = all.fold(sum.abs(), f64::max);
            cut_off(sum + products.iter().sum::<f64>(), largest, fraction)
        };
        match way {
            Products::Double => products.iter().fold(sum, |sum, product| sum + product),
            Products::Threads => {
                let add = |sum: f64, product: &f64| f64::from((sum + product) as f32);
                products.iter().fold(sum, add)
            }
            Products::TensorCores => {
                let add = |sum, products: &[f64]| at_once(sum, products, FRACTION_OF_F32);
                products.chunks(AT_ONCE).fold(sum, add)
            }
            Products::Blocks => {
                let add = |sum, products: &[f64]| at_once(sum, products, FRACTION_OF_F32);
                let blocks = products.chunks(MOST_ADDED_UP as usize);
                let blocks = blocks.map(|block| block.chunks(AT_ONCE).fold(0.0, add));
                blocks.fold(sum, |sum, block| f64::from((sum + block) as f32))
            }
            Products::TensorCoresOfF8 => {
                let add = |sum, products: &[f64]| at_once(sum, products, FRACTION_OF_F8);
                products.chunks(4 * AT_ONCE).fold(sum, add)
            }
        }
    }
}

/// Who adds the products of a dot of floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Products {
    /// Threads or tensor cores, in f64.
    Double,
    /// Threads, with one fused multiply-add of f32 after the other.
    Threads,
    /// Tensor cores, several at once, to an f32.
    TensorCores,
    /// The same for blocks of products, which threads add.
    Blocks,
    /// The same for 8-bit floats, of which they keep less.
    TensorCoresOfF8,
}

impl Products {
    /// Those of operands and an accumulator of these types. Factors that have only values of 16 bits may have come from there: a target may
    /// multiply those instead.
    pub fn of(
        operand: ElementType,
        accumulator: ElementType,
        precision: Precision,
        factors: [&[f64]; 2],
    ) -> Self {
        let are_narrow = || factors.into_iter().all(has_16_bits);
        match (operand, accumulator) {
            (_, ElementType::F64) => Self::Double,
            (ElementType::F32, _) if precision != Precision::Tf32 && are_narrow() => Self::Blocks,
            (ElementType::F32, _) if precision != Precision::Tf32 => Self::Threads,
            (ElementType::F8E4M3 | ElementType::F8E5M2, _) => Self::TensorCoresOfF8,
            _ => Self::TensorCores,
        }
    }
}

/// Whether a type of 16 bits has all of these values.
fn has_16_bits(values: &[f64]) -> bool {
    let has = |element: ElementType, value: f64| {
        let bits = numeric::from_scalar(element, Scalar::Float(value));
        numeric::to_scalar(element, bits).as_f64() == value || value.is_nan()
    };
    let mut types = [ElementType::F16, ElementType::BF16].into_iter();
    types.any(|element| values.iter().all(|value| has(element, *value)))
}

/// The number without what lies below so many bits of the largest, toward zero.
fn cut_off(value: f64, largest: f64, bits: u32) -> f64 {
    if !value.is_finite() || largest == 0.0 {
        return value;
    }
    let unit = power_of_two(largest) * 0.5f64.powi(bits.cast_signed());
    (value / unit).trunc() * unit
}

/// The largest power of two that is not above a positive number.
fn power_of_two(value: f64) -> f64 {
    f64::from_bits(value.to_bits() & (0x7ff << 52))
}

/// The distance between the number and the next of its type; narrow types are computed in f32.
fn unit(element: ElementType, value: f64) -> f64 {
    let magnitude = value.abs();
    match element {
        ElementType::F64 => power_of_two(magnitude.max(f64::MIN_POSITIVE)) * f64::EPSILON,
        _ => {
            let magnitude = magnitude.max(f64::from(f32::MIN_POSITIVE));
            power_of_two(magnitude) * f64::from(f32::EPSILON)
        }
    }
}

/// How far a function may be off: as `to_llvm/math.rs` has it for those the
/// compiler builds, and as the PTX ISA (9.7.3) has it for those that are one instruction.
fn error(operation: UnaryOperation, element: ElementType, operand: f64, value: f64) -> f64 {
    use UnaryOperation as U;
    let exact = matches!(
        operation,
        U::Negate | U::Not | U::Abs | U::Sqrt | U::Floor | U::Ceil | U::Round | U::Trunc
    );
    if exact {
        return 0.0;
    }
    if element == ElementType::F64 {
        return 2.0 * unit(element, value);
    }
    let power = |exponent: i32| 2f64.powi(exponent);
    let units = |count: f64| count * unit(element, value);
    // Of a logarithm: absolute where it is near zero, relative elsewhere.
    let of_logarithm = || value.abs().max(1.0) * power(-22);
    // Of a sine: the reduction to one turn loses what the angle has above one.
    let of_sine = || (operand.abs() / std::f64::consts::PI).max(1.0) * power(-20);
    match operation {
        // Subnormal numbers may become zero.
        U::FastExp2 | U::FastExp if value.abs() < f64::from(f32::MIN_POSITIVE) => value,
        U::FastExp2 => value * power(-22),
        // Its product with log2(e) is rounded before.
        U::FastExp => value * (power(-22) + operand.abs() * power(-24)),
        U::FastLog2 | U::FastLog => of_logarithm(),
        U::FastSin | U::FastCos => of_sine(),
        U::FastTanh => value.abs() * power(-11),
        U::FastReciprocal if value.abs() < f64::from(f32::MIN_POSITIVE) => value,
        // Of a subnormal number, which may become zero.
        U::FastReciprocal if value.abs() > power(126) => f64::INFINITY,
        U::FastReciprocal => value * power(-22),
        U::Exp | U::Exp2 | U::Log | U::Log2 | U::Rsqrt | U::Sin | U::Cos => units(2.0),
        U::Erf | U::Tanh | U::Sigmoid => units(3.0),
        _ => units(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_below_the_largest_is_cut_off_toward_zero() {
        assert_eq!(cut_off(1.75, 1.0, 1), 1.5);
        assert_eq!(cut_off(-1.75, 1.0, 1), -1.5);
        assert_eq!(cut_off(1.75, 7.0, 1), 0.0, "4 has a unit of 2");
        assert_eq!(cut_off(0.0, 0.0, 1), 0.0);
    }

    #[test]
    fn factors_of_16_bits_may_be_multiplied_in_blocks_by_tensor_cores() {
        let of = |factors: [&[f64]; 2]| {
            Products::of(
                ElementType::F32,
                ElementType::F32,
                Precision::Usual,
                factors,
            )
        };
        let third = f64::from(1.0_f32 / 3.0);
        assert_eq!(of([&[1.0, -0.5], &[256.5]]), Products::Blocks);
        assert_eq!(of([&[1.0, third], &[256.5]]), Products::Threads);
        assert_eq!(of([&[1e-30], &[f64::NAN]]), Products::Threads);
        // What is added to a block is not cut off as its products are.
        let mut products = vec![0.0; 2 * MOST_ADDED_UP as usize];
        products[0] = 2f64.powi(30);
        products[1] = 1.0;
        products[MOST_ADDED_UP as usize] = 3.0;
        let run = Deviation::new(0);
        assert_eq!(
            run.dot(Products::Blocks, -(2f64.powi(30)), &mut products),
            3.0
        );
    }

    #[test]
    fn functions_stay_within_their_error_and_do_not_depend_on_where_they_are() {
        let run = Deviation::new(0);
        for (operation, operand) in [(UnaryOperation::Exp, 3.25), (UnaryOperation::Erf, 0.5)] {
            let value = 1.5;
            let moved = run.unary(operation, ElementType::F32, operand, value);
            assert!((moved - value).abs() <= 3.0 * f64::from(f32::EPSILON));
            assert_eq!(
                moved,
                run.unary(operation, ElementType::F32, operand, value)
            );
        }
        assert!(run.has_changed());
        let run = Deviation::new(1);
        let value = run.unary(UnaryOperation::Sqrt, ElementType::F32, 4.0, 2.0);
        assert_eq!(value, 2.0);
        assert!(!run.has_changed());
    }

    #[test]
    fn sums_of_small_numbers_beside_a_large_one_are_lost_one_after_the_other() {
        let run = Deviation::new(0);
        let unit = f64::from(f32::EPSILON);
        let sum = |unit: f64, way| run.dot(way, 1.0, &mut [unit; 64]);
        assert_eq!(sum(unit / 16.0, Products::TensorCores), 1.0);
        assert_eq!(sum(unit / 4.0, Products::TensorCores), 1.0 + 16.0 * unit);
        assert_eq!(sum(unit / 4.0, Products::Threads), 1.0);
        assert_eq!(sum(unit / 4.0, Products::Double), 1.0 + 16.0 * unit);
    }
}
