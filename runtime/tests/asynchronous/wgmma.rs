//! `wgmma`, and the registers of warpgroups.

use super::kernel::{Kernel, halves, number, product, to_floats};

/// A (64 x 16) and B (8 x 16) of f16 are put into shared memory, K-major and not swizzled: chunks of
/// 8 rows by 16 bytes, first those of the lower half of K. 128 threads; A goes to smem, B to
/// smem+2048.
const FILL: &str = "
    mov.u32 %r0, %tid.x;
    mov.u32 %r2, smem;
    // Thread t moves half t % 2 of row t / 2 of A.
    shr.u32 %r3, %r0, 1;
    and.b32 %r4, %r0, 1;
    shl.b32 %r5, %r0, 4;
    cvt.u64.u32 %rd8, %r5;
    add.u64 %rd9, %rd0, %rd8;
    ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd9];
    shl.b32 %r6, %r3, 4;
    shl.b32 %r7, %r4, 10;
    add.u32 %r6, %r6, %r7;
    add.u32 %r6, %r6, %r2;
    st.shared.v4.b32 [%r6], {%r10, %r11, %r12, %r13};
    setp.gt.u32 %p0, %r0, 15;
    @%p0 bra FILLED;
    add.u64 %rd9, %rd1, %rd8;
    ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd9];
    shl.b32 %r6, %r3, 4;
    shl.b32 %r7, %r4, 7;
    add.u32 %r6, %r6, %r7;
    add.u32 %r6, %r6, %r2;
    st.shared.v4.b32 [%r6+2048], {%r10, %r11, %r12, %r13};
    FILLED:
    fence.proxy.async.shared::cta;
    bar.sync 0;
    // LBO 1024, SBO 128 for A; LBO 128 for B.
    shr.u32 %r20, %r2, 4;
    or.b32 %r21, %r20, 0x00400000;
    mov.b64 %rd20, {%r21, 8};
    add.u32 %r22, %r20, 128;
    or.b32 %r22, %r22, 0x00080000;
    mov.b64 %rd21, {%r22, 8};
";

/// Twice the product, added up.
const TWICE: &str = "
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd20, %rd21, 0, 1, 1, 0, 0;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd20, %rd21, 1, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
";

const STORE: &str = "
    shr.u32 %r40, %r0, 5;
    shl.b32 %r40, %r40, 4;
    and.b32 %r41, %r0, 31;
    shr.u32 %r42, %r41, 2;
    add.u32 %r40, %r40, %r42;
    and.b32 %r41, %r0, 3;
    shl.b32 %r40, %r40, 5;
    shl.b32 %r41, %r41, 3;
    add.u32 %r40, %r40, %r41;
    cvt.u64.u32 %rd11, %r40;
    add.u64 %rd11, %rd11, %rd2;
    st.global.v2.f32 [%rd11], {%f0, %f1};
    st.global.v2.f32 [%rd11+256], {%f2, %f3};
    ret;";

struct Case {
    a: Vec<f32>,
    b: Vec<f32>,
}

impl Case {
    fn new() -> Self {
        Self {
            a: (0..64 * 16).map(number).collect(),
            b: (0..8 * 16).map(|index| number(index + 2)).collect(),
        }
    }

    fn kernel(body: &str) -> Kernel {
        Kernel::new(128, 4096, &format!("{FILL}{body}{STORE}"))
    }

    fn run(&self, body: &str) -> Vec<f32> {
        let (mut a, mut b) = (halves(self.a.clone()), halves(self.b.clone()));
        let mut out = vec![0; 64 * 8 * 4];
        Self::kernel(body)
            .run(&mut [&mut a, &mut b, &mut out])
            .expect("runs");
        to_floats(&out)
    }

    fn finding(&self, body: &str) -> String {
        let (mut a, mut b) = (halves(self.a.clone()), halves(self.b.clone()));
        let mut out = vec![0; 64 * 8 * 4];
        let finding = Self::kernel(body).finding(&mut [&mut a, &mut b, &mut out]);
        finding.to_string()
    }
}

#[test]
fn a_warpgroup_multiplies() {
    let case = Case::new();
    let expected: Vec<f32> = product(&case.a, &case.b, 16)
        .iter()
        .map(|sum| sum * 2.0)
        .collect();
    assert_eq!(case.run(TWICE), expected);
}

#[test]
fn rows_that_were_never_written_may_be_multiplied_but_not_stored() {
    let case = Case::new();
    // Half of the rows of A, which are those of two warps.
    let fill = FILL.replace(
        "st.shared.v4.b32 [%r6], ",
        "setp.lt.u32 %p1, %r0, 64;\n@%p1 st.shared.v4.b32 [%r6], ",
    );
    let run = |store: &str| {
        let kernel = Kernel::new(128, 4096, &format!("{fill}{TWICE}{store}"));
        let (mut a, mut b) = (halves(case.a.clone()), halves(case.b.clone()));
        let mut out = vec![0; 64 * 8 * 4];
        let outcome = kernel.run(&mut [&mut a, &mut b, &mut out]);
        outcome.map(|_| to_floats(&out))
    };
    let error = run(STORE).expect_err("they are stored").to_string();
    assert!(error.contains("shared memory"), "{error}");
    assert!(error.contains("were not all written before"), "{error}");
    let some = STORE.replace("st.global", "@%p1 st.global");
    let expected: Vec<f32> = product(&case.a, &case.b, 16)
        .iter()
        .map(|sum| sum * 2.0)
        .collect();
    let found = run(&some).expect("the others are not stored");
    assert_eq!(found[..256], expected[..256]);
}

#[test]
fn a_from_registers_gives_the_same() {
    // The fragment of A: rows l / 4 and 8 more of 16 per warp, columns 2 (l % 4) and 8 more.
    let body = "
        shr.u32 %r30, %r0, 5;
        shl.b32 %r30, %r30, 4;
        and.b32 %r31, %r0, 31;
        shr.u32 %r31, %r31, 2;
        add.u32 %r30, %r30, %r31;
        shl.b32 %r30, %r30, 5;
        and.b32 %r31, %r0, 3;
        shl.b32 %r31, %r31, 2;
        add.u32 %r30, %r30, %r31;
        cvt.u64.u32 %rd22, %r30;
        add.u64 %rd22, %rd22, %rd0;
        ld.global.b32 %r60, [%rd22];
        ld.global.b32 %r61, [%rd22+256];
        ld.global.b32 %r62, [%rd22+16];
        ld.global.b32 %r63, [%rd22+272];
        setp.ne.u32 %p1, %r0, %r0;
        wgmma.fence.sync.aligned;
        wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r60, %r61, %r62, %r63}, %rd21, %p1, -1, 1, 0;
        wgmma.commit_group.sync.aligned;
        wgmma.wait_group.sync.aligned 0;
    ";
    let case = Case::new();
    let expected: Vec<f32> = product(&case.a, &case.b, 16)
        .iter()
        .map(|sum| -sum)
        .collect();
    assert_eq!(case.run(body), expected);
}

#[test]
fn registers_are_not_read_before_the_wait() {
    let body = TWICE.replace(
        "wgmma.wait_group.sync.aligned 0;",
        "wgmma.wait_group.sync.aligned 1;",
    );
    let text = Case::new().finding(&body);
    assert!(
        text.contains("wgmma-registers: register %f0 is read before wgmma.wait_group"),
        "{text}"
    );
}

#[test]
fn registers_are_not_written_before_the_wait() {
    let body = TWICE.replace(
        "wgmma.commit_group",
        "mov.f32 %f2, 0f00000000; wgmma.commit_group",
    );
    let text = Case::new().finding(&body);
    assert!(
        text.contains("register %f2 is written before wgmma.wait_group"),
        "{text}"
    );
}

#[test]
fn registers_that_were_written_need_a_fence() {
    let body = TWICE.replace(
        "wgmma.fence.sync.aligned;",
        "wgmma.fence.sync.aligned; mov.f32 %f1, 0f00000000;",
    );
    let text = Case::new().finding(&body);
    assert!(
        text.contains("register %f1 was written in PTX line"),
        "{text}"
    );
    assert!(text.contains("with no wgmma.fence in between"), "{text}");
    let body = TWICE.replace("wgmma.fence.sync.aligned;", "");
    let text = Case::new().finding(&body);
    assert!(
        text.contains("no wgmma.fence before the first wgmma"),
        "{text}"
    );
}

#[test]
fn wgmmas_of_another_shape_do_not_follow_on_the_same_registers() {
    let body = TWICE.replacen(
        "wgmma.commit_group",
        "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f0, %f1, %f2, %f3}, %rd20, %rd21, 1, 1, 1;
         wgmma.commit_group",
        1,
    );
    let text = Case::new().finding(&body);
    assert!(
        text.contains("register %f0 is written before wgmma.wait_group"),
        "{text}"
    );
}

#[test]
fn an_accumulator_without_a_value_must_not_be_added_to() {
    let body = TWICE.replacen("%rd21, 0, 1, 1", "%rd21, 1, 1, 1", 1);
    let text = Case::new().finding(&body);
    assert!(
        text.contains("register %f0 is read but was never written"),
        "{text}"
    );
    // With a predicate that is false it is not read.
    let body = format!(
        "setp.eq.u32 %p5, %r0, -1; {}",
        TWICE.replacen("%rd21, 0, 1, 1", "%rd21, %p5, 1, 1", 1)
    );
    Case::new().run(&body);
}

#[test]
fn descriptors_are_the_same_in_all_threads() {
    let body = format!(
        "shr.u32 %r50, %r0, 6; shl.b32 %r50, %r50, 3; cvt.u64.u32 %rd30, %r50; add.u64 %rd20, %rd20, %rd30; {TWICE}"
    );
    let text = Case::new().finding(&body);
    assert!(
        text.contains("the descriptor of a must be the same in all threads"),
        "{text}"
    );
}

#[test]
fn tiles_lie_in_shared_memory() {
    let body = format!("add.u64 %rd20, %rd20, 160; {TWICE}");
    let text = Case::new().finding(&body);
    assert!(text.contains("out-of-bounds"), "{text}");
}

#[test]
fn a_warp_that_does_not_come_is_a_deadlock() {
    let body = format!("setp.lt.u32 %p6, %r0, 32; @%p6 ret; {TWICE}");
    let text = Case::new().finding(&body);
    assert!(text.contains("the other warps of its warpgroup"), "{text}");
}

/// Three warpgroups: the first gives registers to the others.
const RESIZE: &str = "
    mov.u32 %r0, %tid.x;
    setp.lt.u32 %p0, %r0, 128;
    @%p0 bra PRODUCER;
    setmaxnreg.inc.sync.aligned.u32 240;
    bra END;
    PRODUCER:
    setmaxnreg.dec.sync.aligned.u32 24;
    END:
    ret;";

#[test]
fn warpgroups_hand_registers_over() {
    Kernel::new(384, 1024, RESIZE).run(&mut []).expect("runs");
    let too_many = RESIZE.replace("240", "248");
    let finding = Kernel::new(384, 1024, &too_many).finding(&mut []);
    assert_eq!(finding.code(), "deadlock");
    let text = finding.to_string();
    assert!(
        text.contains("more registers for each of its threads"),
        "{text}"
    );
    let mut wrong_way = Kernel::new(384, 1024, &RESIZE.replace("240", "160"));
    wrong_way.directives = ".maxnreg 168";
    let finding = wrong_way.finding(&mut []);
    assert!(
        finding.to_string().contains("fewer than the 168"),
        "{finding}"
    );
}
