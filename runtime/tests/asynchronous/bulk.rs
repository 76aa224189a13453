//! `cp.async.bulk`, `cp.reduce.async.bulk`, `st.async`, `red.async`.

use super::kernel::{Kernel, dump, floats, to_floats, to_words};

/// Thread 0 fetches 512 bytes; all wait for them.
const FETCH: &str = "
    mov.u32 %r0, %tid.x;
    setp.ne.u32 %p0, %r0, 0;
    griddepcontrol.wait;
    createpolicy.fractional.L2::evict_first.b64 %rd20, 1.0;
    @%p0 bra READY;
    mbarrier.init.shared::cta.b64 [smem+1024], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [smem+1024], 512;
    cp.async.bulk.prefetch.L2.global [%rd0], 512;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [smem], [%rd0], 512, [smem+1024], %rd20;
    READY:
    bar.sync 0;
    WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [smem+1024], 0;
    @!%p1 bra WAIT;
";

fn bytes(count: usize) -> Vec<u8> {
    (0..=250).cycle().take(count).collect()
}

#[test]
fn bytes_are_fetched() {
    let (mut from, mut to) = (bytes(512), vec![0; 512]);
    let body = format!("{FETCH}{}", dump(512, "%rd1"));
    Kernel::new(32, 2048, &body)
        .run(&mut [&mut from, &mut to])
        .expect("runs");
    assert_eq!(from, to);
}

#[test]
fn bytes_are_stored() {
    let body = format!(
        "{FETCH}
        @%p0 ret;
        cp.async.bulk.global.shared::cta.bulk_group [%rd1+16], [smem], 256;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group.read 0;
        ret;"
    );
    let (mut from, mut to) = (bytes(512), vec![9; 512]);
    Kernel::new(32, 2048, &body)
        .run(&mut [&mut from, &mut to])
        .expect("runs");
    assert_eq!(to[..16], [9; 16]);
    assert_eq!(to[16..272], from[..256]);
    assert_eq!(to[272..], [9; 240]);
}

#[test]
fn traffic_is_counted_by_sector_and_direction() {
    let body = format!(
        "{FETCH}
        @%p0 ret;
        cp.async.bulk.global.shared::cta.bulk_group [%rd1+16], [smem], 256;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group.read 0;
        ret;"
    );
    let total = Kernel::new(32, 2048, &body)
        .profile(&mut [&mut bytes(512), &mut vec![9; 512]])
        .total;
    let (loads, stores) = (total.loads, total.stores);
    assert_eq!(
        (loads.requests, loads.moved_bytes, loads.least_bytes),
        (1, 512, 512)
    );
    // 256 bytes that begin inside a sector touch nine.
    assert_eq!(
        (stores.requests, stores.sectors, stores.least_bytes),
        (1, 9, 288)
    );
    assert_eq!(
        (total.count.ideal_sectors, total.count.bytes),
        (16 + 8, 512 + 256)
    );
}

#[test]
fn what_is_not_all_expected_is_waited_for_in_vain() {
    let body = format!("{FETCH} ret;").replace("[smem+1024], 512;", "[smem+1024], 528;");
    let finding = Kernel::new(32, 2048, &body).finding(&mut [&mut bytes(512)]);
    assert_eq!(finding.code(), "deadlock");
    let text = finding.to_string();
    assert!(
        text.contains("1 of 1 arrivals have come, 16 bytes are outstanding"),
        "{text}"
    );
    let body = body.replace("528", "496");
    let text = Kernel::new(32, 2048, &body)
        .finding(&mut [&mut bytes(512)])
        .to_string();
    assert!(
        text.contains("16 bytes more have come than were expected"),
        "{text}"
    );
}

#[test]
fn addresses_and_sizes_are_multiples_of_16() {
    let code = |from: &str, to: &str| {
        let body = format!("mov.u32 %r30, 504; {FETCH} ret;").replace(from, to);
        let kernel = Kernel::new(32, 2048, &body);
        kernel.finding(&mut [&mut bytes(1024)]).code()
    };
    assert_eq!(
        code("[smem], [%rd0], 512", "[smem], [%rd0], %r30"),
        "invalid-operand"
    );
    assert_eq!(code("[smem], [%rd0]", "[smem+8], [%rd0]"), "misaligned");
    assert_eq!(code("[smem], [%rd0]", "[smem], [%rd0+4]"), "misaligned");
    assert_eq!(
        code("[smem], [%rd0]", "[smem], [%rd0+528]"),
        "out-of-bounds"
    );
    assert_eq!(
        code("[smem], [%rd0]", "[smem+1600], [%rd0]"),
        "out-of-bounds"
    );
}

#[test]
fn elements_are_added_in_global_memory() {
    // Two blocks add the same numbers.
    let body = format!(
        "{FETCH}
        @%p0 ret;
        cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [smem], 512;
        cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%rd2], [smem], 512;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group 0;
        ret;"
    );
    let numbers = || (0..128).map(|index| index as f32 * 0.5);
    let mut from = floats(numbers());
    let mut sums = floats((0..128).map(|_| 1.0));
    let mut highest = vec![0x41; 512];
    let mut kernel = Kernel::new(32, 2048, &body);
    kernel.blocks = 2;
    kernel
        .run(&mut [&mut from, &mut sums, &mut highest])
        .expect("runs");
    let expected: Vec<f32> = numbers().map(|number| number * 2.0 + 1.0).collect();
    assert_eq!(to_floats(&sums), expected);
    let expected: Vec<u32> = numbers()
        .map(|number| number.to_bits().max(0x4141_4141))
        .collect();
    assert_eq!(to_words(&highest), expected);
}

/// Both blocks of a cluster wait for 256 bytes; then block 0 does something that sends them.
fn cluster(send: &str) -> String {
    format!(
        "
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %cluster_ctarank;
    mov.u32 %r2, smem;
    setp.ne.u32 %p0, %r0, 0;
    setp.ne.u32 %p2, %r1, 0;
    shl.b32 %r4, %r0, 2;
    add.u32 %r5, %r2, %r4;
    mov.u32 %r6, 1000;
    st.shared.b32 [%r5+512], %r0;
    st.shared.b32 [%r5+640], %r6;
    st.shared.b32 [%r5], %r0;
    st.shared.b32 [%r5+128], %r0;
    @%p0 bra READY;
    mbarrier.init.shared::cta.b64 [smem+1024], 1;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [smem+1024], 256;
    fence.mbarrier_init.release.cluster;
    READY:
    fence.proxy.async;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mapa.shared::cluster.u32 %r7, %r2, 1;
    mapa.shared::cluster.u32 %r8, %r2, 0;
    @%p2 bra WAIT;
    {send}
    WAIT:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [smem+1024], 0;
    @!%p1 bra WAIT;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mul.lo.u32 %r9, %r1, 256;
    cvt.u64.u32 %rd21, %r9;
    add.u64 %rd1, %rd1, %rd21;
    {}",
        dump(256, "%rd1")
    )
}

#[test]
fn a_multicast_reaches_all_blocks_of_its_mask() {
    let body = cluster(
        "mov.b16 %h0, 3;
        @!%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [smem], [%rd0], 256, [smem+1024], %h0;",
    );
    let (mut from, mut to) = (bytes(256), vec![0; 512]);
    let kernel = Kernel::new(32, 2048, &body).cluster(2);
    kernel.run(&mut [&mut from, &mut to]).expect("runs");
    assert_eq!(to, [from.as_slice(), &from].concat());
    let body = body.replace("mov.b16 %h0, 3", "mov.b16 %h0, 5");
    let finding = Kernel::new(32, 2048, &body)
        .cluster(2)
        .finding(&mut [&mut from, &mut to]);
    assert!(
        finding
            .to_string()
            .contains("names blocks that the cluster of 2"),
        "{finding}"
    );
    // If one is left out it waits for ever.
    let body = body.replace("mov.b16 %h0, 5", "mov.b16 %h0, 1");
    let finding = Kernel::new(32, 2048, &body)
        .cluster(2)
        .finding(&mut [&mut from, &mut to]);
    assert_eq!(finding.code(), "deadlock");
    assert!(
        finding
            .to_string()
            .contains("at 0x800 of block 1 of the cluster"),
        "{finding}"
    );
}

#[test]
fn shared_memory_is_copied_and_combined_between_blocks() {
    let body = cluster(
        "@%p0 bra WAIT;
        cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r7], [smem+512], 256, [%r7+1024];
        cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r8], [smem+512], 256, [%r8+1024];",
    );
    let (mut from, mut to) = (bytes(256), vec![0; 512]);
    let kernel = Kernel::new(32, 2048, &body).cluster(2);
    kernel.run(&mut [&mut from, &mut to]).expect("runs");
    let words = to_words(&to);
    let expected: Vec<u32> = (0..32)
        .map(|index| index * 2)
        .chain((0..32).map(|index| index + 1000))
        .collect();
    assert_eq!(words[..64], expected);
    let expected: Vec<u32> = (0..32).chain([1000; 32]).collect();
    assert_eq!(words[64..], expected);
    let body = body.replace("[smem+512], 256, [%r7+1024]", "[smem+512], 256, [%r8+1024]");
    let finding = Kernel::new(32, 2048, &body)
        .cluster(2)
        .finding(&mut [&mut from, &mut to]);
    assert!(
        finding
            .to_string()
            .contains("but the mbarrier is that of block 0"),
        "{finding}"
    );
}

#[test]
fn registers_are_stored_in_another_block() {
    // 32 lanes, 8 bytes each.
    let body = cluster(
        "add.u32 %r20, %r7, %r4;
        add.u32 %r21, %r8, %r4;
        add.u32 %r22, %r4, %r4;
        add.u32 %r23, %r7, %r22;
        st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r23], {%r0, %r6}, [%r7+1024];
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r21], %r6, [%r8+1024];
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%r21+128], 7, [%r8+1024];",
    );
    let (mut from, mut to) = (bytes(256), vec![0; 512]);
    let kernel = Kernel::new(32, 2048, &body).cluster(2);
    kernel.run(&mut [&mut from, &mut to]).expect("runs");
    let words = to_words(&to);
    let expected: Vec<u32> = (1000..1032)
        .chain((0..32).map(|lane| lane.max(7)))
        .collect();
    assert_eq!(words[..64], expected);
    let expected: Vec<u32> = (0..32).flat_map(|lane| [lane, 1000]).collect();
    assert_eq!(words[64..], expected);
}

#[test]
fn a_block_that_has_exited_gets_nothing() {
    let body = "
        mov.u32 %r1, %cluster_ctarank;
        mov.u32 %r2, smem;
        mbarrier.init.shared::cta.b64 [smem], 1;
        setp.eq.u32 %p0, %r1, 0;
        @%p0 ret;
        nanosleep.u32 100;
        mapa.shared::cluster.u32 %r7, %r2, 0;
        st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r7+16], %r1, [%r7];
        ret;";
    let finding = Kernel::new(1, 2048, body).cluster(2).finding(&mut []);
    assert!(
        finding.to_string().contains("all its threads have ended"),
        "{finding}"
    );
}
