//! How many lane instructions the simulator executes per second.
//!
//! `RAYON_NUM_THREADS=1 cargo run --release -p tile-runtime --example simulator_speed`

use std::sync::Arc;
use std::time::Instant;

use tile_runtime::backend::{Backend, DeviceError, RawLaunch};
use tile_runtime::simulator::device::Simulator;
use tile_runtime::simulator::machine::Options;

const THREADS: u32 = 128;

/// A kernel whose loop has `body` in it, and how often each warp runs that.
fn kernel(body: &str, rounds: u32) -> String {
    format!(
        ".version 8.3\n.target sm_90a\n.address_size 64\n\
         .shared .align 16 .b8 tile[4096];\n\
         .visible .entry loop(.param .u64 out)\n.reqntid {THREADS}\n{{\n\
         .reg .pred %p<3>; .reg .b32 %r<20>; .reg .f32 %f<12>; .reg .b64 %rd<6>;\n\
         mov.u32 %r1, %tid.x; mov.u32 %r2, 7; mov.u32 %r3, 3; mov.u32 %r15, 0;\n\
         mov.f32 %f0, 0f3F800000; mov.f32 %f7, 0f3F800001; mov.f32 %f8, 0f00000000;\n\
         ld.param.u64 %rd1, [out]; mov.u32 %r16, %ctaid.x;\n\
         mad.lo.s32 %r16, %r16, {THREADS}, %r1; mul.wide.u32 %rd2, %r16, 4;\n\
         add.s64 %rd3, %rd1, %rd2; shl.b32 %r17, %r1, 2; mov.u32 %r18, tile;\n\
         add.s32 %r17, %r17, %r18; st.shared.b32 [%r17], %r1; st.global.b32 [%rd3], %r1;\n\
         L:\n{body}\n\
         add.s32 %r15, %r15, 1; setp.lt.s32 %p1, %r15, {rounds}; @%p1 bra L;\n\
         st.global.b32 [%rd3], %r3;\n\
         ret;\n}}\n"
    )
}

fn main() -> Result<(), DeviceError> {
    let integers = "add.s32 %r3, %r3, %r1;\nxor.b32 %r3, %r3, %r2;\n".repeat(10);
    let floats = "fma.rn.f32 %f0, %f0, %f7, %f8;\nmul.rn.f32 %f1, %f0, %f7;\n".repeat(10);
    let mixed = "add.s32 %r3, %r3, %r1;\nfma.rn.f32 %f0, %f0, %f7, %f8;\n\
                 setp.gt.s32 %p2, %r3, 100;\nselp.b32 %r4, %r3, %r2, %p2;\nmov.b32 %r5, %r4;\n"
        .repeat(4);
    let global = "ld.global.b32 %r3, [%rd3];\nadd.s32 %r3, %r3, %r2;\n\
                  st.global.b32 [%rd3], %r3;\n"
        .repeat(6);
    let shared = "ld.shared.b32 %r3, [%r17];\nadd.s32 %r3, %r3, %r2;\n\
                  st.shared.b32 [%r17], %r3;\n"
        .repeat(6);
    println!("million lane instructions per second, all threads together");
    println!("{:<10} {:>11} {:>11}", "kernel", "checks off", "checks on");
    for (name, body, rounds) in [
        ("integers", &integers, 20_000),
        ("floats", &floats, 20_000),
        ("mixed", &mixed, 20_000),
        ("global", &global, 2_000),
        ("shared", &shared, 2_000),
    ] {
        let instructions = body.matches(';').count() as f64 + 3.0;
        let mut speeds = Vec::new();
        for checks in [false, true] {
            speeds.push(speed(
                &kernel(body, rounds),
                checks,
                instructions * f64::from(rounds),
            )?);
        }
        println!("{name:<10} {:>11.0} {:>11.0}", speeds[0], speeds[1]);
    }
    Ok(())
}

/// Millions of lane instructions per second, the best of three runs.
fn speed(ptx: &str, checks: bool, per_thread: f64) -> Result<f64, DeviceError> {
    const BLOCKS: u32 = 8;
    let options = Options {
        checks,
        ..Options::default()
    };
    let device = Simulator::new(options);
    let memory = device.allocate((BLOCKS * THREADS * 4) as usize)?;
    let function = device.load(ptx)?.function("loop", THREADS, 0)?;
    let launch = RawLaunch {
        offsets: Vec::new(),
        addresses: Vec::new(),
        grid: [BLOCKS, 1, 1],
        cluster: None,
        dependent: false,
        threads: THREADS,
        shared_blocks: None,
        shared_bytes: 0,
        parameters: memory.address().to_le_bytes().to_vec(),
    };
    let queue: Arc<_> = device.main_queue();
    let start = function.bind(&queue, launch)?;
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let before = Instant::now();
        start()?;
        best = best.min(before.elapsed().as_secs_f64());
    }
    Ok(per_thread * f64::from(BLOCKS * THREADS) / best / 1e6)
}
