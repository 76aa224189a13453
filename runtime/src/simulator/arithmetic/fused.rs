//! `fma` rounded to nearest, the one operation that a CPU may lack.
//!
//! Compiled for every x86-64 CPU, `mul_add` is a call per lane, five times slower than the
//! instruction that nearly all of them have. So these loops are compiled for CPUs with it as
//! well, and the first call finds out which copy runs.

use multiversion::multiversion;

use super::element::Element;
use super::float::{Float, finish, saturated};
use crate::simulator::registers::{LANES, Lanes32, Mask, Registers, Slot};

/// `fma.rn.f32`.
pub(super) fn fma32<const FTZ: bool, const SAT: bool>(
    registers: &mut Registers,
    operands: &[Slot],
    mask: Mask,
) {
    let mut sums = [0; LANES];
    let rows = [operands[1], operands[2], operands[3]].map(|slot| registers.row(slot));
    if FTZ {
        let flushed = rows.map(|row| {
            let mut row = *row;
            flush(&mut row);
            row
        });
        sums32(flushed.each_ref(), &mut sums);
        flush(&mut sums);
    } else {
        sums32(rows, &mut sums);
    }
    if SAT {
        for sum in &mut sums {
            *sum = saturated(f32::from_bits(*sum)).to_bits();
        }
    }
    f32::store(registers, operands[0], mask, &[sums]);
}

/// `fma.rn.f64`.
pub(super) fn fma64(registers: &mut Registers, operands: &[Slot], mask: Mask) {
    let rows = [operands[1], operands[2], operands[3]].map(|slot| f64::view(registers, slot));
    let mut sums = f64::EMPTY;
    sums64(rows, &mut sums);
    f64::store(registers, operands[0], mask, &sums);
}

fn flush(row: &mut Lanes32) {
    for value in row {
        *value = f32::from_bits(*value).flush().to_bits();
    }
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn sums32([a, b, c]: [&Lanes32; 3], sums: &mut Lanes32) {
    for lane in 0..LANES {
        let [a, b, c] = [a[lane], b[lane], c[lane]].map(f32::from_bits);
        sums[lane] = finish::<false, false, f32, 0>(a.mul_add(b, c), []).to_bits();
    }
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn sums64([a, b, c]: [[&Lanes32; 2]; 3], sums: &mut [Lanes32; 2]) {
    for lane in 0..LANES {
        let [a, b, c] = [a, b, c].map(|view| f64::get(view, lane));
        finish::<false, false, f64, 3>(a.mul_add(b, c), [a, b, c]).put(sums, lane);
    }
}
