//! `fma` rounded to nearest, the one operation that a CPU may lack.
//!
//! Compiled for every x86-64 CPU, `mul_add` is a call per lane, five times slower than the
//! instruction that nearly all of them have. So these loops are compiled for CPUs with it as
//! well, and the first call finds out which copy runs.

use multiversion::multiversion;

use super::element::Element;
use super::float::{finish, flushed};
use crate::simulator::registers::{LANES, Mask, Registers, Slot};

/// `fma.rn.f32`.
pub(super) fn fma32<const FTZ: bool, const SAT: bool>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
) {
    let [a, b, c] = [operands[1], operands[2], operands[3]].map(|slot| {
        let rows = f32::load(registers, slot);
        let mut lanes = [0.0; LANES];
        for (lane, value) in lanes.iter_mut().enumerate() {
            *value = flushed::<FTZ, f32>(f32::get(&rows, lane));
        }
        lanes
    });
    let mut sums = [0.0; LANES];
    sums32(&a, &b, &c, &mut sums);
    let mut rows = f32::EMPTY;
    for lane in 0..LANES {
        let sum = finish::<FTZ, SAT, f32, 3>(sums[lane], [a[lane], b[lane], c[lane]]);
        sum.put(&mut rows, lane);
    }
    f32::store(registers, operands[0], mask, rows);
}

/// `fma.rn.f64`.
pub(super) fn fma64(registers: &mut Registers, operands: &[Slot], mask: Mask) {
    let [a, b, c] = [operands[1], operands[2], operands[3]].map(|slot| {
        let rows = f64::load(registers, slot);
        let mut lanes = [0.0; LANES];
        for (lane, value) in lanes.iter_mut().enumerate() {
            *value = f64::get(&rows, lane);
        }
        lanes
    });
    let mut sums = [0.0; LANES];
    sums64(&a, &b, &c, &mut sums);
    let mut rows = f64::EMPTY;
    for lane in 0..LANES {
        let sum = finish::<false, false, f64, 3>(sums[lane], [a[lane], b[lane], c[lane]]);
        sum.put(&mut rows, lane);
    }
    f64::store(registers, operands[0], mask, rows);
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn sums32(a: &[f32; LANES], b: &[f32; LANES], c: &[f32; LANES], sums: &mut [f32; LANES]) {
    for lane in 0..LANES {
        sums[lane] = a[lane].mul_add(b[lane], c[lane]);
    }
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn sums64(a: &[f64; LANES], b: &[f64; LANES], c: &[f64; LANES], sums: &mut [f64; LANES]) {
    for lane in 0..LANES {
        sums[lane] = a[lane].mul_add(b[lane], c[lane]);
    }
}
