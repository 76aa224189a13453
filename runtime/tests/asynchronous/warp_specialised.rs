//! A whole matrix product as fast kernels do it: a producer fetches tiles with TMA into a ring of
//! three stages, a warpgroup multiplies them, and the result leaves by TMA.

use tile_runtime::simulator::checks::Finding;
use tile_runtime::simulator::matrix::swizzle::Swizzle;
use tile_runtime::simulator::tensor_map::DataType;

use super::kernel::{Kernel, Map, halves, map_of, number, product, to_floats};

const M: usize = 64;
const N: usize = 32;
/// Not a multiple of what a stage has: the rest is filled with zeros.
const K: usize = 200;

/// Where the three full barriers are; the empty ones are 32 bytes behind.
const BARRIERS: u32 = 40960;

/// The kernel for rows of so many bytes, and the upper half of its descriptors.
fn kernel(swizzle: Swizzle) -> String {
    let row = swizzle.row_bytes();
    let upper = match swizzle {
        Swizzle::B128 => "0x40000040",
        Swizzle::B64 => "0x80000020",
        _ => "0xC0000010",
    };
    let (a, stage, columns) = (64 * row, 96 * row, row / 2);
    let steps = (K as u32).div_ceil(columns);
    let sums: Vec<String> = (0..16).map(|number| format!("%f{number}")).collect();
    let sums = sums.join(", ");
    let multiply: String = (0..columns / 16)
        .map(|step| {
            let scale = if step == 0 { "%p6" } else { "1" };
            format!(
                "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {{{sums}}}, %rd20, %rd21, {scale}, 1, 1, 0, 0;
                add.s64 %rd20, %rd20, 2;
                add.s64 %rd21, %rd21, 2;\n"
            )
        })
        .collect();
    let stage_out: String = (0..8)
        .map(|pair| {
            let place = pair % 2 * 8 * 128 + pair / 2 * 32;
            format!(
                "st.shared.v2.f32 [%r20+{place}], {{%f{}, %f{}}};\n",
                pair * 2,
                pair * 2 + 1
            )
        })
        .collect();
    format!(
        "
    mov.u32 %r0, %tid.x;
    mov.u32 %r2, smem;
    mov.u32 %r9, 0;
    mov.u32 %r3, 0;
    mov.u32 %r4, 0;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra READY;
    mbarrier.init.shared::cta.b64 [smem+{BARRIERS}], 1;
    mbarrier.init.shared::cta.b64 [smem+{BARRIERS}+8], 1;
    mbarrier.init.shared::cta.b64 [smem+{BARRIERS}+16], 1;
    mbarrier.init.shared::cta.b64 [smem+{BARRIERS}+32], 4;
    mbarrier.init.shared::cta.b64 [smem+{BARRIERS}+40], 4;
    mbarrier.init.shared::cta.b64 [smem+{BARRIERS}+48], 4;
    fence.mbarrier_init.release.cluster;
    READY:
    bar.sync 0;
    setp.gt.u32 %p1, %r0, 127;
    @%p1 bra CONSUMER;

    setmaxnreg.dec.sync.aligned.u32 40;
    @%p0 ret;
    mov.u32 %r5, 1;
    createpolicy.fractional.L2::evict_last.b64 %rd30;
    PRODUCE:
    shl.b32 %r6, %r4, 3;
    add.u32 %r6, %r6, %r2;
    EMPTY:
    mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r6+{BARRIERS}+32], %r5;
    @!%p3 bra EMPTY;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6+{BARRIERS}], {stage};
    mul.lo.u32 %r7, %r4, {stage};
    add.u32 %r7, %r7, %r2;
    mul.lo.u32 %r8, %r3, {columns};
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%r7], [%m0, {{%r8, %r9}}], [%r6+{BARRIERS}], %rd30;
    cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r7+{a}], [%m1, {{%r8, %r9}}], [%r6+{BARRIERS}];
    add.u32 %r4, %r4, 1;
    setp.eq.u32 %p4, %r4, 3;
    selp.b32 %r4, 0, %r4, %p4;
    selp.b32 %r10, 1, 0, %p4;
    xor.b32 %r5, %r5, %r10;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p5, %r3, {steps};
    @%p5 bra PRODUCE;
    ret;

    CONSUMER:
    setmaxnreg.inc.sync.aligned.u32 232;
    mov.u32 %r5, 0;
    and.b32 %r15, %r0, 31;
    elect.sync _|%p7, 0xffffffff;
    CONSUME:
    shl.b32 %r6, %r4, 3;
    add.u32 %r6, %r6, %r2;
    FULL:
    mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r6+{BARRIERS}], %r5;
    @!%p3 bra FULL;
    mul.lo.u32 %r7, %r4, {stage};
    add.u32 %r7, %r7, %r2;
    shr.u32 %r11, %r7, 4;
    or.b32 %r11, %r11, 0x10000;
    mov.b64 %rd20, {{%r11, {upper}}};
    add.u32 %r12, %r11, {a} / 16;
    mov.b64 %rd21, {{%r12, {upper}}};
    setp.ne.u32 %p6, %r3, 0;
    wgmma.fence.sync.aligned;
    {multiply}
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    @%p7 mbarrier.arrive.shared::cta.b64 _, [%r6+{BARRIERS}+32];
    add.u32 %r4, %r4, 1;
    setp.eq.u32 %p4, %r4, 3;
    selp.b32 %r4, 0, %r4, %p4;
    selp.b32 %r10, 1, 0, %p4;
    xor.b32 %r5, %r5, %r10;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p5, %r3, {steps};
    @%p5 bra CONSUME;

    // Row 16 w + l / 4 and 8 more, columns 2 (l % 4) and so on.
    bar.sync 1, 128;
    sub.u32 %r16, %r0, 128;
    shr.u32 %r17, %r16, 5;
    shl.b32 %r17, %r17, 4;
    shr.u32 %r18, %r15, 2;
    add.u32 %r17, %r17, %r18;
    shl.b32 %r17, %r17, 7;
    and.b32 %r18, %r15, 3;
    shl.b32 %r18, %r18, 3;
    add.u32 %r20, %r17, %r18;
    add.u32 %r20, %r20, %r2;
    {stage_out}
    fence.proxy.async.shared::cta;
    bar.sync 1, 128;
    setp.ne.u32 %p8, %r16, 0;
    @%p8 ret;
    cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%m2, {{%r9, %r9}}], [%r2];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group.read 0;
    ret;"
    )
}

struct Case {
    a: Vec<f32>,
    b: Vec<f32>,
}

impl Case {
    fn new() -> Self {
        Self {
            a: (0..M * K).map(number).collect(),
            b: (0..N * K).map(|index| number(index + 4)).collect(),
        }
    }

    fn kernel(swizzle: Swizzle, body: &str) -> Kernel {
        let columns = swizzle.row_bytes() / 2;
        let operand = |rows: usize| {
            let sizes = [K as u64, rows as u64];
            map_of(DataType::Float16, &sizes, &[columns, rows as u32], swizzle)
        };
        let out = map_of(
            DataType::Float32,
            &[N as u64, M as u64],
            &[32, 64],
            Swizzle::None,
        );
        Kernel::new(256, BARRIERS + 64, body).maps(vec![
            Map(0, operand(M)),
            Map(1, operand(N)),
            Map(2, out),
        ])
    }

    fn run(&self, swizzle: Swizzle, body: &str) -> Vec<f32> {
        let (mut a, mut b) = (halves(self.a.clone()), halves(self.b.clone()));
        let mut out = vec![0; M * N * 4];
        let kernel = Self::kernel(swizzle, body);
        kernel.run(&mut [&mut a, &mut b, &mut out]).expect("runs");
        to_floats(&out)
    }

    fn finding(&self, body: &str) -> Finding {
        let (mut a, mut b) = (halves(self.a.clone()), halves(self.b.clone()));
        let mut out = vec![0; M * N * 4];
        Self::kernel(Swizzle::B128, body).finding(&mut [&mut a, &mut b, &mut out])
    }
}

#[test]
fn each_swizzle_gives_the_product() {
    let case = Case::new();
    let expected = product(&case.a, &case.b, K);
    for swizzle in [Swizzle::B32, Swizzle::B64, Swizzle::B128] {
        assert_eq!(case.run(swizzle, &kernel(swizzle)), expected, "{swizzle:?}");
    }
}

#[test]
fn a_stage_that_is_not_given_back_is_a_deadlock() {
    let body = kernel(Swizzle::B128).replace(
        "@%p7 mbarrier.arrive.shared::cta.b64 _, [%r6+40960+32];",
        "",
    );
    let finding = Case::new().finding(&body);
    assert_eq!(finding.code(), "deadlock");
    let text = finding.to_string();
    for wanted in [
        "warp 0, lane 0: waits for the end of a phase of parity 0 of the mbarrier at 0xa420: it is \
         in phase 0, 0 of 4 arrivals have come",
        "warp 4: waits for the end of a phase of parity 1",
    ] {
        assert!(text.contains(wanted), "{text}");
    }
}
