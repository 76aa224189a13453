//! `cp.async`.

use super::kernel::{Kernel, halves, number, product, to_floats, to_words};

/// Thread t copies 16 bytes, of which it reads t % 17; then each thread reads what its neighbour
/// copied.
const COPY_SOME: &str = "
    mov.u32 %r0, %tid.x;
    shl.b32 %r1, %r0, 4;
    mov.u32 %r2, smem;
    add.u32 %r3, %r2, %r1;
    cvt.u64.u32 %rd8, %r1;
    add.u64 %rd9, %rd0, %rd8;
    rem.u32 %r4, %r0, 17;
    cp.async.cg.shared.global.L2::128B [%r3], [%rd9], 16, %r4;
    cp.async.commit_group;
    cp.async.wait_group 0;
    bar.sync 0;
    xor.b32 %r5, %r1, 16;
    add.u32 %r6, %r2, %r5;
    ld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [%r6];
    add.u64 %rd10, %rd1, %rd8;
    st.global.v4.b32 [%rd10], {%r10, %r11, %r12, %r13};
    ret;";

#[test]
fn what_a_copy_does_not_read_is_zero() {
    let mut from: Vec<u8> = (0..=255).cycle().take(1024).collect();
    let mut to = vec![0xee; 1024];
    let kernel = Kernel::new(64, 1024, COPY_SOME);
    kernel.run(&mut [&mut from, &mut to]).expect("runs");
    for (thread, chunk) in to.chunks(16).enumerate() {
        let neighbour = thread ^ 1;
        let mut expected = from[neighbour * 16..][..16].to_vec();
        expected[neighbour % 17..].fill(0);
        assert_eq!(chunk, expected, "thread {thread}");
    }
}

#[test]
fn an_ignored_source_need_not_be_memory() {
    let body = "
        mov.u32 %r0, %tid.x;
        setp.gt.u32 %p0, %r0, 3;
        selp.b64 %rd8, 0, %rd0, %p0;
        shl.b32 %r1, %r0, 2;
        cvt.u64.u32 %rd9, %r1;
        add.u64 %rd8, %rd8, %rd9;
        mov.u32 %r2, smem;
        add.u32 %r2, %r2, %r1;
        cp.async.ca.shared::cta.global [%r2], [%rd8], 4, %p0;
        cp.async.wait_all;
        ld.shared.b32 %r3, [%r2];
        add.u64 %rd10, %rd1, %rd9;
        st.global.b32 [%rd10], %r3;
        ret;";
    let mut from = vec![7; 16];
    let mut to = vec![0xee; 128];
    let kernel = Kernel::new(32, 128, body);
    kernel.run(&mut [&mut from, &mut to]).expect("runs");
    assert_eq!(to[..16], [7; 16]);
    assert_eq!(to[16..], [0; 112]);
}

#[test]
fn copies_arrive_at_an_mbarrier_when_they_are_done() {
    // Warp 0 copies, warp 1 waits.
    let body = "
        mov.u32 %r0, %tid.x;
        mov.u32 %r2, smem;
        setp.eq.u32 %p0, %r0, 0;
        @%p0 mbarrier.init.shared::cta.b64 [smem+512], 32;
        bar.sync 0;
        and.b32 %r1, %r0, 31;
        shl.b32 %r1, %r1, 4;
        add.u32 %r3, %r2, %r1;
        cvt.u64.u32 %rd8, %r1;
        setp.gt.u32 %p1, %r0, 31;
        @%p1 bra WAIT;
        add.u64 %rd9, %rd0, %rd8;
        cp.async.ca.shared.global [%r3], [%rd9], 16;
        cp.async.mbarrier.arrive.noinc.shared::cta.b64 [smem+512];
        ret;
        WAIT:
        mbarrier.try_wait.parity.shared::cta.b64 %p2, [smem+512], 0;
        @!%p2 bra WAIT;
        ld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [%r3];
        add.u64 %rd10, %rd1, %rd8;
        st.global.v4.b32 [%rd10], {%r10, %r11, %r12, %r13};
        ret;";
    let mut from: Vec<u8> = (0..=255).cycle().take(512).collect();
    let mut to = vec![0; 512];
    let kernel = Kernel::new(64, 1024, body);
    kernel.run(&mut [&mut from, &mut to]).expect("runs");
    assert_eq!(from, to);
}

#[test]
fn copies_may_bring_their_own_arrival() {
    // Without .noinc the count is what the others bring: here one.
    let body = "
        mbarrier.init.shared::cta.b64 [smem+512], 1;
        cp.async.ca.shared.global.L2::cache_hint [smem], [%rd0], 8, 5, %rd0;
        cp.async.mbarrier.arrive.shared::cta.b64 [smem+512];
        mbarrier.test_wait.parity.shared::cta.b64 %p0, [smem+512], 0;
        selp.u32 %r0, 1, 0, %p0;
        mbarrier.arrive.shared::cta.b64 _, [smem+512];
        mbarrier.test_wait.parity.shared::cta.b64 %p0, [smem+512], 0;
        selp.u32 %r1, 1, 0, %p0;
        ld.shared.v2.b32 {%r2, %r3}, [smem];
        st.global.v4.b32 [%rd1], {%r0, %r1, %r2, %r3};
        ret;";
    let mut to = vec![0; 16];
    let kernel = Kernel::new(1, 1024, body);
    kernel.run(&mut [&mut vec![3; 8], &mut to]).expect("runs");
    assert_eq!(to_words(&to), [0, 1, 0x0303_0303, 3]);
}

#[test]
fn copies_must_be_aligned_and_inside() {
    let misaligned = COPY_SOME.replace("[%rd9], 16", "[%rd9+8], 16");
    let mut buffers = [vec![0; 2048], vec![0; 1024]];
    let [from, to] = &mut buffers;
    let finding = Kernel::new(64, 1024, &misaligned).finding(&mut [from, to]);
    assert_eq!(finding.code(), "misaligned");
    let outside = COPY_SOME.replace("[%r3],", "[%r3+16],");
    let [from, to] = &mut buffers;
    let finding = Kernel::new(64, 1024, &outside).finding(&mut [from, to]);
    assert_eq!(finding.code(), "out-of-bounds");
    let too_many = COPY_SOME.replace("rem.u32 %r4, %r0, 17", "add.u32 %r4, %r0, 0");
    let [from, to] = &mut buffers;
    let finding = Kernel::new(64, 1024, &too_many).finding(&mut [from, to]);
    assert_eq!(finding.code(), "invalid-operand");
    assert_eq!(finding.thread.linear, 17);
}

/// One warp multiplies A (16 x K) and B (8 x K), three stages of 16 columns in flight.
const MULTISTAGE: &str = "
    mov.u32 %r0, %tid.x;
    mov.u32 %r2, smem;
    // Lane l copies half l % 2 of row l / 2: of A always, of B if that is a row of it.
    shr.u32 %r3, %r0, 1;
    and.b32 %r4, %r0, 1;
    shl.b32 %r5, %r0, 4;
    mul.lo.u32 %r6, %r3, 256;
    shl.b32 %r7, %r4, 4;
    add.u32 %r6, %r6, %r7;
    cvt.u64.u32 %rd8, %r6;
    add.u64 %rd9, %rd0, %rd8;
    add.u64 %rd10, %rd1, %rd8;
    setp.lt.u32 %p0, %r0, 16;
    // Rows for ldmatrix.
    and.b32 %r8, %r0, 15;
    shr.u32 %r9, %r0, 4;
    shl.b32 %r8, %r8, 5;
    shl.b32 %r9, %r9, 4;
    add.u32 %r8, %r8, %r9;
    and.b32 %r10, %r0, 7;
    shr.u32 %r11, %r0, 3;
    and.b32 %r11, %r11, 1;
    shl.b32 %r10, %r10, 5;
    shl.b32 %r11, %r11, 4;
    add.u32 %r10, %r10, %r11;
    mov.f32 %f0, 0f00000000;
    mov.f32 %f1, 0f00000000;
    mov.f32 %f2, 0f00000000;
    mov.f32 %f3, 0f00000000;
    mov.u32 %r20, 0;
    FILL:
    mul.lo.u32 %r21, %r20, 768;
    add.u32 %r21, %r21, %r2;
    add.u32 %r22, %r21, %r5;
    cp.async.cg.shared.global [%r22], [%rd9], 16;
    @%p0 cp.async.cg.shared.global [%r22+512], [%rd10], 16;
    cp.async.commit_group;
    add.u64 %rd9, %rd9, 32;
    add.u64 %rd10, %rd10, 32;
    add.u32 %r20, %r20, 1;
    setp.lt.u32 %p1, %r20, 2;
    @%p1 bra FILL;
    mov.u32 %r23, 0;
    LOOP:
    cp.async.wait_group 1;
    bar.sync 0;
    setp.ge.u32 %p2, %r20, 8;
    @%p2 bra COMPUTE;
    rem.u32 %r21, %r20, 3;
    mul.lo.u32 %r21, %r21, 768;
    add.u32 %r21, %r21, %r2;
    add.u32 %r22, %r21, %r5;
    cp.async.cg.shared.global [%r22], [%rd9], 16;
    @%p0 cp.async.cg.shared.global [%r22+512], [%rd10], 16;
    add.u64 %rd9, %rd9, 32;
    add.u64 %rd10, %rd10, 32;
    COMPUTE:
    cp.async.commit_group;
    add.u32 %r20, %r20, 1;
    rem.u32 %r21, %r23, 3;
    mul.lo.u32 %r21, %r21, 768;
    add.u32 %r21, %r21, %r2;
    add.u32 %r22, %r21, %r8;
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r30, %r31, %r32, %r33}, [%r22];
    add.u32 %r22, %r21, %r10;
    ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r34, %r35}, [%r22+512];
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3},
        {%r30, %r31, %r32, %r33}, {%r34, %r35}, {%f0, %f1, %f2, %f3};
    add.u32 %r23, %r23, 1;
    setp.lt.u32 %p3, %r23, 8;
    @%p3 bra LOOP;
    // Row l / 4, and 8 more; columns 2 (l % 4) and the next.
    shr.u32 %r40, %r0, 2;
    and.b32 %r41, %r0, 3;
    shl.b32 %r40, %r40, 5;
    shl.b32 %r41, %r41, 3;
    add.u32 %r40, %r40, %r41;
    cvt.u64.u32 %rd11, %r40;
    add.u64 %rd11, %rd11, %rd2;
    st.global.v2.f32 [%rd11], {%f0, %f1};
    st.global.v2.f32 [%rd11+256], {%f2, %f3};
    ret;";

#[test]
fn a_multistage_loop_multiplies() {
    let a: Vec<f32> = (0..16 * 128).map(number).collect();
    let b: Vec<f32> = (0..8 * 128).map(|index| number(index + 3)).collect();
    let mut out = vec![0; 16 * 8 * 4];
    let kernel = Kernel::new(32, 3 * 768, MULTISTAGE);
    let (mut a_bytes, mut b_bytes) = (halves(a.clone()), halves(b.clone()));
    kernel
        .run(&mut [&mut a_bytes, &mut b_bytes, &mut out])
        .expect("runs");
    assert_eq!(to_floats(&out), product(&a, &b, 128));
}
