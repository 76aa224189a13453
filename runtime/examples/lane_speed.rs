//! How long instructions of the simulator take, in nanoseconds per warp.
//!
//! `cargo run --release -p tile-runtime --example lane_speed [OPCODE…]`

use std::hint::black_box;
use std::time::Instant;

use tile_runtime::simulator::arithmetic::{Kind, find};
use tile_runtime::simulator::registers::{FULL, LANES, Registers, Slot};

/// The instructions that kernels have most of, with their numbers of operands.
const COMMON: &[(&str, usize, usize)] = &[
    ("add.s64", 1, 2),
    ("add.rn.f32", 1, 2),
    ("mov.b32", 1, 1),
    ("mov.b16", 1, 1),
    ("mov.b64", 2, 1),
    ("and.pred", 1, 2),
    ("selp.b32", 1, 3),
    ("selp.b64", 1, 3),
    ("mul.rn.f32", 1, 2),
    ("sub.rn.f32", 1, 2),
    ("add.s32", 1, 2),
    ("sub.s64", 1, 2),
    ("fma.rn.f32", 1, 3),
    ("fma.rn.ftz.f32", 1, 3),
    ("fma.rn.f64", 1, 3),
    ("setp.lt.u32", 1, 2),
    ("setp.eq.b32", 1, 2),
    ("setp.lt.f32", 1, 2),
    ("setp.ltu.f32", 1, 2),
    ("setp.lt.s64", 1, 2),
    ("setp.lt.f64", 1, 2),
    ("setp.lt.f16", 1, 2),
    ("cvt.u64.u32", 1, 1),
    ("cvt.s64.s32", 1, 1),
    ("cvt.u32.u64", 1, 1),
    ("cvt.u32.u16", 1, 1),
    ("cvt.s32.s8", 1, 1),
    ("max.f32", 1, 2),
    ("max.f16", 1, 2),
    ("max.f64", 1, 2),
    ("and.b32", 1, 2),
    ("shl.b32", 1, 2),
    ("shl.b64", 1, 2),
    ("shr.s32", 1, 2),
    ("bfe.u32", 1, 3),
    ("prmt.b32", 1, 3),
    ("lop3.b32", 1, 4),
    ("mul.lo.s32", 1, 2),
    ("mul.lo.s64", 1, 2),
    ("mul.wide.u32", 1, 2),
    ("mul.hi.u32", 1, 2),
    ("mul.hi.s64", 1, 2),
    ("mad.lo.s32", 1, 3),
    ("mad.lo.s64", 1, 3),
    ("min.s32", 1, 2),
    ("min.s64", 1, 2),
    ("div.s32", 1, 2),
    ("div.u64", 1, 2),
    ("neg.f32", 1, 1),
    ("abs.f32", 1, 1),
    ("copysign.f32", 1, 2),
    ("ex2.approx.f32", 1, 1),
    ("lg2.approx.f32", 1, 1),
    ("tanh.approx.f32", 1, 1),
    ("rsqrt.approx.f32", 1, 1),
    ("sin.approx.f32", 1, 1),
    ("div.rn.f32", 1, 2),
    ("sqrt.rn.f32", 1, 1),
    ("cvt.rn.f16.f32", 1, 1),
    ("cvt.f32.f16", 1, 1),
    ("cvt.rn.bf16.f32", 1, 1),
    ("cvt.f32.bf16", 1, 1),
    ("cvt.rn.f16x2.f32", 1, 2),
    ("cvt.rn.bf16x2.f32", 1, 2),
    ("cvt.rn.f32.s32", 1, 1),
    ("cvt.rn.f32.u32", 1, 1),
    ("cvt.rzi.s32.f32", 1, 1),
    ("cvt.rni.f32.f32", 1, 1),
    ("cvt.rn.f16.s32", 1, 1),
    ("cvt.rn.f16.f64", 1, 1),
    ("add.rn.f16", 1, 2),
    ("mul.rn.f16", 1, 2),
    ("add.rn.f16x2", 1, 2),
    ("add.rn.bf16", 1, 2),
    ("mul.rn.bf16", 1, 2),
    ("fma.rn.f16", 1, 3),
    ("fma.rn.bf16x2", 1, 3),
    ("add.rn.f64", 1, 2),
    ("add.rm.f32", 1, 2),
    ("div.rz.f64", 1, 2),
    ("cvt.rn.satfinite.e4m3x2.f32", 1, 2),
];

fn main() {
    let only: Vec<String> = std::env::args().skip(1).collect();
    for (opcode, destinations, sources) in COMMON {
        if only.is_empty() || only.iter().any(|word| opcode.contains(word.as_str())) {
            let [all, some] =
                [FULL, 0x0fff_ff0f].map(|mask| time(opcode, *destinations, *sources, mask));
            println!("{opcode:30} {all:6.1} ns   some lanes {some:6.1} ns");
        }
    }
}

/// Nanoseconds per warp.
fn time(opcode: &str, destinations: usize, sources: usize, mask: u32) -> f64 {
    const ROUNDS: u32 = 200_000;
    let parts: Vec<_> = opcode.split('.').collect();
    let Some(form) = find(&parts, destinations, sources) else {
        return f64::NAN;
    };
    let mut registers = Registers::new(64, 64);
    let mut slots = Vec::new();
    for (index, kind) in (0..).zip(form.destinations.iter().chain(&form.sources)) {
        let slot = Slot(4 * index);
        slots.push(slot);
        let lanes: [f32; LANES] = std::array::from_fn(|lane| 1.5 + (lane as f32) * 0.37);
        match kind {
            Kind::Predicate => registers.set_predicate(slot, FULL, 0x1234_5678),
            Kind::B64 | Kind::F64 => {
                registers.set64(slot, FULL, lanes.map(|lane| f64::from(lane).to_bits()));
            }
            Kind::B16 => registers.set32(slot, FULL, lanes.map(|lane| lane.to_bits() >> 16)),
            _ => registers.set32(slot, FULL, lanes.map(f32::to_bits)),
        }
    }
    (0..3)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..ROUNDS {
                (form.run)(&mut registers, black_box(&slots), black_box(mask));
            }
            start.elapsed().as_secs_f64() * 1e9 / f64::from(ROUNDS)
        })
        .fold(f64::INFINITY, f64::min)
}
