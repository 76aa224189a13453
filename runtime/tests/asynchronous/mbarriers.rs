//! `mbarrier`.

use super::kernel::{Kernel, to_words};

/// Warp 0 hands ten numbers to warp 1 through two slots, each with a full and an empty barrier.
const RING: &str = "
    mov.u32 %r0, %tid.x;
    mov.u32 %r2, smem;
    and.b32 %r1, %r0, 31;
    shl.b32 %r1, %r1, 2;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra READY;
    mbarrier.init.shared::cta.b64 [smem+256], 32;
    mbarrier.init.shared::cta.b64 [smem+264], 32;
    mbarrier.init.shared::cta.b64 [smem+272], 32;
    mbarrier.init.shared::cta.b64 [smem+280], 32;
    fence.mbarrier_init.release.cluster;
    READY:
    bar.sync 0;
    setp.gt.u32 %p1, %r0, 31;
    mov.u32 %r3, 0;
    mov.u32 %r10, 0;
    LOOP:
    and.b32 %r4, %r3, 1;
    shl.b32 %r5, %r4, 3;
    add.u32 %r5, %r5, %r2;
    shl.b32 %r6, %r4, 7;
    add.u32 %r6, %r6, %r1;
    add.u32 %r6, %r6, %r2;
    shr.u32 %r7, %r3, 1;
    and.b32 %r7, %r7, 1;
    @%p1 bra CONSUME;
    xor.b32 %r7, %r7, 1;
    EMPTY:
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5+272], %r7, 1000;
    @!%p2 bra EMPTY;
    add.u32 %r8, %r3, %r0;
    st.shared.b32 [%r6], %r8;
    mbarrier.arrive.shared::cta.b64 %rd20, [%r5+256];
    bra NEXT;
    CONSUME:
    mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [%r5+256], %r7;
    @!%p2 bra CONSUME;
    ld.shared.b32 %r9, [%r6];
    mad.lo.u32 %r10, %r10, 3, %r9;
    mbarrier.arrive.release.cta.shared::cta.b64 _, [%r5+272];
    NEXT:
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p3, %r3, 10;
    @%p3 bra LOOP;
    @!%p1 ret;
    cvt.u64.u32 %rd8, %r1;
    add.u64 %rd8, %rd8, %rd0;
    st.global.b32 [%rd8], %r10;
    ret;";

#[test]
fn a_ring_hands_numbers_over_in_order() {
    let mut out = vec![0; 128];
    Kernel::new(64, 1024, RING)
        .run(&mut [&mut out])
        .expect("runs");
    let expected: Vec<u32> = (0..32)
        .map(|lane| (0..10).fold(0, |sum, number| sum * 3 + number + lane))
        .collect();
    assert_eq!(to_words(&out), expected);
}

#[test]
fn a_wait_for_the_wrong_phase_is_a_deadlock_that_says_who_waits() {
    // The producer does not flip the parity: on a new barrier it waits for a phase to come.
    let body = RING.replace("xor.b32 %r7, %r7, 1;", "");
    let finding = Kernel::new(64, 1024, &body).finding(&mut [&mut vec![0; 128]]);
    assert_eq!(finding.code(), "deadlock");
    let text = finding.to_string();
    for wanted in [
        "parity 0 of the mbarrier at 0x510: it is in phase 0, 0 of 32 arrivals have come, no bytes \
         are outstanding",
        "parity 0 of the mbarrier at 0x500",
        "warp 1: waits for the end of a phase",
    ] {
        assert!(text.contains(wanted), "{text}");
    }
}

#[test]
fn an_arrival_that_is_missing_is_a_deadlock() {
    let body = RING.replace("[smem+256], 32", "[smem+256], 33");
    let finding = Kernel::new(64, 1024, &body).finding(&mut [&mut vec![0; 128]]);
    let text = finding.to_string();
    assert!(text.contains("32 of 33 arrivals have come"), "{text}");
}

#[test]
fn too_many_arrivals_are_found() {
    let body = "
        mbarrier.init.shared::cta.b64 [smem], 33;
        mbarrier.arrive.shared::cta.b64 _, [smem], 30;
        mbarrier.arrive.shared::cta.b64 _, [smem], 4;
        ret;";
    let finding = Kernel::new(1, 1024, body).finding(&mut []);
    assert_eq!(finding.code(), "invalid-operand");
    assert!(
        finding.to_string().contains("waits for 3 of 33 arrivals"),
        "{finding}"
    );
}

#[test]
fn states_tell_phases_and_counts() {
    let body = "
        mbarrier.init.shared.b64 [smem], 3;
        mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %rd8, [smem], 2;
        mbarrier.test_wait.shared.b64 %p0, [smem], %rd8;
        selp.u32 %r0, 1, 0, %p0;
        mbarrier.arrive_drop.shared::cta.b64 %rd9, [smem];
        mbarrier.test_wait.shared.b64 %p0, [smem], %rd9;
        selp.u32 %r1, 1, 0, %p0;
        mbarrier.pending_count.b64 %r2, %rd8;
        mbarrier.pending_count.b64 %r3, %rd9;
        mbarrier.arrive.shared.b64 %rd10, [smem], 1;
        mbarrier.pending_count.b64 %r4, %rd10;
        mov.u32 %r9, smem;
        cvt.u64.u32 %rd11, %r9;
        cvta.shared.u64 %rd11, %rd11;
        mbarrier.arrive.expect_tx.b64 %rd12, [%rd11], 48;
        mbarrier.test_wait.parity.b64 %p0, [%rd11], 1;
        selp.u32 %r5, 1, 0, %p0;
        mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [smem], 48;
        mbarrier.test_wait.parity.b64 %p0, [%rd11], 1;
        selp.u32 %r6, 1, 0, %p0;
        mbarrier.inval.shared.b64 [smem];
        ld.shared.b64 %rd13, [smem];
        mbarrier.init.shared.b64 [smem], 1;
        st.global.v4.b32 [%rd0], {%r0, %r1, %r2, %r3};
        st.global.v2.b32 [%rd0+16], {%r4, %r5};
        st.global.b32 [%rd0+24], %r6;
        ret;";
    let mut out = vec![0; 28];
    // Reading a barrier that is no more is no use of memory that was never written.
    let body = body.replace("ld.shared.b64 %rd13, [smem];", "");
    Kernel::new(1, 1024, &body)
        .run(&mut [&mut out])
        .expect("runs");
    // Three arrivals, then two: 1 + 1, where the second brings bytes.
    assert_eq!(to_words(&out), [0, 1, 3, 1, 2, 0, 1]);
}

#[test]
fn what_is_no_mbarrier_cannot_be_used_as_one() {
    let used = "mbarrier.arrive.shared.b64 %rd8, [smem+8]; ret;";
    let finding = Kernel::new(1, 1024, used).finding(&mut []);
    assert!(
        finding
            .to_string()
            .contains("at 0x408 is used, but it was not initialised"),
        "{finding}"
    );
    let twice = "
        mbarrier.init.shared.b64 [smem], 3;
        mbarrier.init.shared.b64 [smem], 3;
        ret;";
    let finding = Kernel::new(1, 1024, twice).finding(&mut []);
    assert!(
        finding.to_string().contains("lacks mbarrier.inval"),
        "{finding}"
    );
    let overwritten = "
        mbarrier.init.shared.b64 [smem], 3;
        st.shared.b32 [smem+4], 9;
        mbarrier.arrive.shared.b64 %rd8, [smem];
        ret;";
    let finding = Kernel::new(1, 1024, overwritten).finding(&mut []);
    assert!(
        finding
            .to_string()
            .contains("something has written over it"),
        "{finding}"
    );
    let misaligned = "mbarrier.init.shared.b64 [smem+4], 3; ret;";
    let finding = Kernel::new(1, 1024, misaligned).finding(&mut []);
    assert_eq!(finding.code(), "misaligned");
}

/// Block 1 arrives at the barrier of block 0, which waits for both.
const REMOTE: &str = "
    mov.u32 %r0, %cluster_ctarank;
    mov.u32 %r2, smem;
    mbarrier.init.shared::cta.b64 [smem], 2;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.relaxed.aligned;
    barrier.cluster.wait.acquire.aligned;
    setp.eq.u32 %p0, %r0, 0;
    mapa.shared::cluster.u32 %r3, %r2, 0;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3];
    @!%p0 bra END;
    WAIT:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [smem], 0;
    @!%p1 bra WAIT;
    mov.u32 %r5, 17;
    st.global.b32 [%rd0], %r5;
    END:
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ret;";

#[test]
fn a_barrier_of_another_block_can_be_arrived_at() {
    let mut out = vec![0; 4];
    let kernel = Kernel::new(1, 1024, REMOTE).cluster(2);
    kernel.run(&mut [&mut out]).expect("runs");
    assert_eq!(to_words(&out), [17]);
}

#[test]
fn lanes_of_a_warp_may_wait_for_each_other() {
    // Lane 0 waits for lane 1, which has waited at the same instruction for lane 2.
    let body = "
        mov.u32 %r0, %tid.x;
        mov.u32 %r2, smem;
        shl.b32 %r1, %r0, 3;
        add.u32 %r1, %r1, %r2;
        mbarrier.init.shared::cta.b64 [%r1], 1;
        bar.sync 0;
        setp.eq.u32 %p0, %r0, 31;
        @%p0 bra ARRIVE;
        WAIT:
        mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1+8], 0;
        @!%p1 bra WAIT;
        ARRIVE:
        mbarrier.arrive.shared::cta.b64 _, [%r1];
        ret;";
    Kernel::new(32, 1024, body).run(&mut []).expect("runs");
}
