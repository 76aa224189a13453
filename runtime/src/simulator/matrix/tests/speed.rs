//! How long instructions take. Run with `--release -- --ignored --nocapture speed`.

use std::time::{Duration, Instant};

use crate::simulator::matrix::descriptor::{Descriptor, Major};
use crate::simulator::matrix::mma::Mma;
use crate::simulator::matrix::movement::LoadMatrix;
use crate::simulator::matrix::swizzle::Swizzle;
use crate::simulator::matrix::wgmma::{Left, Wgmma};
use crate::simulator::registers::{FULL, Registers, Slot};

fn slots(first: u32, count: usize) -> Vec<Slot> {
    (first..).take(count).map(Slot).collect()
}

/// The least of a few times, so that a busy machine does not matter.
fn least(mut work: impl FnMut(), times: u32) -> Duration {
    let mut least = Duration::MAX;
    for _ in 0..10 {
        let start = Instant::now();
        for _ in 0..times {
            work();
        }
        least = least.min(start.elapsed() / times);
    }
    least
}

fn mma(opcode: &str) -> Duration {
    let parts: Vec<_> = opcode.split('.').collect();
    let mma = Mma::find(&parts).expect("a known opcode");
    let mut registers = Registers::new(64, 0);
    for row in 0..64 {
        registers.set32(
            Slot(row),
            FULL,
            std::array::from_fn(|lane| 0x3c00_3c00 + lane as u32),
        );
    }
    let (d, a, b) = (slots(0, 8), slots(8, 8), slots(16, 8));
    let [d, a, b] =
        [(&d, mma.d()), (&a, mma.a()), (&b, mma.b())].map(|(all, operand)| &all[..operand.count]);
    least(|| mma.run(&mut registers, d, a, b, d), 1000)
}

#[test]
#[ignore = "measures time"]
fn speed() {
    for opcode in [
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32",
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc",
    ] {
        println!("{:>12?} {opcode}", mma(opcode));
    }
    for opcode in [
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
    ] {
        let parts: Vec<_> = opcode.split('.').collect();
        let load = LoadMatrix::find(&parts).expect("a known opcode");
        let mut registers = Registers::new(4, 0);
        let rows = [[7; 16]; 32];
        println!(
            "{:>12?} {opcode}",
            least(|| load.run(&rows, &mut registers, &slots(0, 4)), 1000)
        );
    }
    for opcode in [
        "m64n256k16.f32.f16.f16",
        "m64n256k32.f32.e4m3.e4m3",
        "m64n256k32.s32.s8.s8",
    ] {
        let opcode = format!("wgmma.mma_async.sync.aligned.{opcode}");
        let parts: Vec<_> = opcode.split('.').collect();
        let wgmma = Wgmma::find(&parts).expect("a known opcode");
        let descriptor = Descriptor {
            start: 0,
            leading: 0,
            stride: 1024,
            base: 0,
            swizzle: Swizzle::B128,
        };
        let a = wgmma.tile_a(descriptor, Major::K).expect("fits");
        let b = wgmma.tile_b(descriptor, Major::K).expect("fits");
        let immediates = wgmma
            .decode(false, &[1, 1, 0, 0][..wgmma.immediates(false).len()])
            .expect("known values");
        let mut warps = [0; 4].map(|_| Registers::new(wgmma.d().count, 0));
        let d = slots(0, wgmma.d().count);
        let memory = vec![0x3c_u8; 1 << 16];
        let time = least(
            || {
                let result: Result<(), ()> = wgmma.run(
                    warps.each_mut(),
                    immediates,
                    true,
                    (&d, Left::Shared(&a), &b),
                    |address, bytes| {
                        bytes.copy_from_slice(&memory[address as usize..address as usize + 16]);
                        Ok(())
                    },
                );
                assert_eq!(result, Ok(()));
            },
            100,
        );
        println!("{time:>12?} {opcode}");
    }
}
