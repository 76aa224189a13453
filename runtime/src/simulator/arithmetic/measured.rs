//! Approximations that err as far as a GPU's.
//!
//! The largest errors of the special function unit, over all inputs of `f32` with normal results, on an H100:
//!
//! | instruction | largest error | the PTX ISA allows |
//! |---|---|---|
//! | `ex2.approx` | 2^-22.7 of the result | 2^-22.5 |
//! | `lg2.approx` | 2^-22.1 for inputs from 0.5 to 2, else 2^-22.6 of the result | 2^-22 |
//! | `rsqrt.approx` | 2^-22.9 of the result | 2^-22.9 |
//! | `rcp.approx` | 2^-23.2 of the result | 2^-23 |
//! | `sqrt.approx` | 2^-23.2 of the result | 2^-23 |
//! | `sin.approx`, `cos.approx` | 2^-21.4 and 2^-21.2 up to π, beyond it as many times more as π goes into the input | 2^-20.5 up to π |
//! | `tanh.approx` | 2^-16.4 of the result | 2^-11 |
//!
//! How far within its bound a result is off is decided by a hash of the input: the same input gives
//! the same bits, as on a GPU, but not the GPU's.

use super::float::{finish, flushed};
use super::pattern::Row;
use super::special;
use super::table::table;

pub(super) const ROWS: &[Row] = table! {
    Special 1 seldom "ex2.approx{.ftz}.f32" "T = T" [FTZ "ftz"]
        |a: f32| moved::<FTZ>(a, special::exp2, |_, result| result * 1.46e-7);
    Special 1 seldom "lg2.approx{.ftz}.f32" "T = T" [FTZ "ftz"]
        |a: f32| moved::<FTZ>(a, special::log2, logarithm);
    Special 1 seldom "sin.approx{.ftz}.f32" "T = T" [FTZ "ftz"]
        |a: f32| moved::<FTZ>(a, libm::sin, |a, _| 3.47e-7 * turns(a));
    Special 1 seldom "cos.approx{.ftz}.f32" "T = T" [FTZ "ftz"]
        |a: f32| moved::<FTZ>(a, libm::cos, |a, _| 4.04e-7 * turns(a));
    Special 1 seldom "tanh.approx.f32" "T = T"
        |a: f32| moved::<false>(a, special::tanh, |_, result| result * 1.11e-5);
    Special 1 seldom "rsqrt.approx{.ftz}.f32" "T = T" [FTZ "ftz"]
        |a: f32| moved::<FTZ>(a, |a| 1.0 / a.sqrt(), |_, result| result * 1.25e-7);
    Special 1 seldom "rcp.approx{.ftz}.f32" "T = T" [FTZ "ftz"]
        |a: f32| moved::<FTZ>(a, |a| 1.0 / a, |_, result| result * 9.83e-8);
    Special 1 seldom "sqrt.approx{.ftz}.f32" "T = T" [FTZ "ftz"]
        |a: f32| moved::<FTZ>(a, f64::sqrt, |_, result| result * 1.0e-7);
};

/// A function whose result is off by as much as `error` of the operand and the result.
fn moved<const FTZ: bool>(a: f32, of: impl Fn(f64) -> f64, error: impl Fn(f64, f64) -> f64) -> f32 {
    let a = flushed::<FTZ, f32>(a);
    let exact = of(a.into());
    // Powers of two have exact reciprocals and roots, and zero an exact exponential.
    let is_exact = f64::from(exact as f32) == exact;
    let result = match exact.is_finite() && !is_exact {
        true => exact + error(a.into(), exact) * part(a),
        false => exact,
    };
    finish::<FTZ, false, f32, 1>(result as f32, [a])
}

fn logarithm(a: f64, result: f64) -> f64 {
    if (0.5..2.0).contains(&a) {
        2.16e-7
    } else {
        result * 1.53e-7
    }
}

/// How often π goes into an angle, at least once.
fn turns(angle: f64) -> f64 {
    (angle.abs() / std::f64::consts::PI).max(1.0)
}

/// From -1 to 1, by the bits of the operand (the finaliser of MurmurHash3).
fn part(a: f32) -> f64 {
    let mut hash = a.to_bits();
    for factor in [0x85eb_ca6b, 0xc2b2_ae35] {
        hash = (hash ^ (hash >> 16)).wrapping_mul(factor);
    }
    f64::from((hash ^ (hash >> 16)).cast_signed()) / f64::from(1u32 << 31)
}

#[cfg(test)]
mod tests {
    use crate::simulator::arithmetic::{Functions, find, find_with};
    use crate::simulator::registers::{FULL, Registers, Slot};

    fn results(opcode: &str, functions: Functions, operands: [f32; 32]) -> [f32; 32] {
        let parts: Vec<_> = opcode.split('.').collect();
        let form = find_with(&parts, 1, 1, functions).expect("known");
        let mut registers = Registers::new(2, 0);
        registers.set32(Slot(1), FULL, operands.map(f32::to_bits));
        (form.run)(&mut registers, &[Slot(0), Slot(1)], FULL);
        registers.get32(Slot(0)).map(f32::from_bits)
    }

    #[test]
    fn results_are_off_by_a_few_units_and_never_more() {
        let some: [f32; 32] = std::array::from_fn(|at| 0.37 * (at as f32 + 1.3));
        for (opcode, most) in [
            ("ex2.approx.ftz.f32", 2),
            ("rsqrt.approx.f32", 2),
            ("rcp.approx.f32", 1),
            ("tanh.approx.f32", 200),
        ] {
            let exact = results(opcode, Functions::Exact, some);
            let measured = results(opcode, Functions::Measured, some);
            assert_ne!(exact, measured, "{opcode}");
            for (exact, measured) in exact.iter().zip(measured) {
                let units = exact.to_bits().abs_diff(measured.to_bits());
                assert!(units <= most, "{opcode}: {exact} became {measured}");
            }
            assert_eq!(measured, results(opcode, Functions::Measured, some));
        }
    }

    #[test]
    fn special_values_and_exact_results_stay() {
        let mut operands = [0.0; 32];
        operands[1..5].copy_from_slice(&[f32::INFINITY, f32::NEG_INFINITY, 3.0, -150.0]);
        let measured = results("ex2.approx.ftz.f32", Functions::Measured, operands);
        assert_eq!(measured[..5], [1.0, f32::INFINITY, 0.0, 8.0, 0.0]);
        let measured = results("rcp.approx.f32", Functions::Measured, operands);
        assert_eq!(measured[..3], [f32::INFINITY, 0.0, -0.0]);
    }

    #[test]
    fn all_else_is_as_ever() {
        let parts = ["add", "rn", "f32"];
        let form = find_with(&parts, 1, 2, Functions::Measured).expect("known");
        assert_eq!(form.sources, find(&parts, 1, 2).expect("known").sources);
    }
}
