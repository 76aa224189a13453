//! `cp.async.bulk.tensor`.

use tile_runtime::simulator::matrix::swizzle::Swizzle;
use tile_runtime::simulator::tensor_map::{DataType, Fill, TensorMap};

use super::kernel::{Kernel, Map, dump, floats, map_of, to_floats};

/// Thread 0 loads a box at the coordinates; then shared memory goes to the second buffer.
fn load(coordinates: &[i32], bytes: u32, room: u32) -> String {
    let rank = coordinates.len();
    let list: Vec<String> = coordinates.iter().map(i32::to_string).collect();
    let moves: String = list
        .iter()
        .enumerate()
        .map(|(axis, value)| format!("mov.b32 %r{}, {value};\n", 10 + axis))
        .collect();
    let registers: Vec<String> = (10..10 + rank)
        .map(|number| format!("%r{number}"))
        .collect();
    format!(
        "
    mov.u32 %r0, %tid.x;
    setp.ne.u32 %p0, %r0, 0;
    {moves}
    @%p0 bra READY;
    prefetch.tensormap [%m0];
    mbarrier.init.shared::cta.b64 [smem+16384], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [smem+16384], {bytes};
    cp.async.bulk.prefetch.tensor.{rank}d.L2.global.tile [%m0, {{{0}}}];
    cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [smem], [%m0, {{{0}}}], [smem+16384];
    READY:
    bar.sync 0;
    WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [smem+16384], 0;
    @!%p1 bra WAIT;
    {1}",
        registers.join(", "),
        dump(room, "%rd1")
    )
}

fn loaded(map: TensorMap, from: &[u8], coordinates: &[i32]) -> Vec<u8> {
    let body = load(coordinates, map.box_bytes(), map.box_bytes());
    let kernel = Kernel::new(32, 17408, &body).maps(vec![Map(0, map)]);
    let mut to = vec![0; map.box_bytes() as usize];
    kernel
        .run(&mut [&mut from.to_vec(), &mut to])
        .expect("runs");
    to
}

/// 48 rows of 128 words, each its own number.
fn words() -> Vec<u8> {
    (0..48 * 128u32).flat_map(u32::to_le_bytes).collect()
}

#[test]
fn each_swizzle_moves_chunks_as_the_manual_says() {
    let from = words();
    // Rows of the pattern, and what chunk c of row r becomes.
    type Moved = fn(usize, usize) -> usize;
    let cases: [(Swizzle, u32, Moved); 4] = [
        (Swizzle::None, 16, |_, c| c),
        (Swizzle::B32, 8, |r, c| c ^ (r / 4 % 2)),
        (Swizzle::B64, 16, |r, c| c ^ (r / 2 % 4)),
        (Swizzle::B128, 32, |r, c| c ^ (r % 8)),
    ];
    for (swizzle, width, moved) in cases {
        let map = map_of(DataType::Uint32, &[128, 48], &[width, 24], swizzle);
        let found = loaded(map, &from, &[32, 5]);
        let row_bytes = width as usize * 4;
        let mut expected = vec![0; row_bytes * 24];
        for row in 0..24 {
            for chunk in 0..row_bytes / 16 {
                let source = ((row + 5) * 128 + 32) * 4 + chunk * 16;
                let target = row * row_bytes + moved(row, chunk) * 16;
                expected[target..target + 16].copy_from_slice(&from[source..source + 16]);
            }
        }
        assert_eq!(found, expected, "{swizzle:?}");
    }
}

#[test]
fn what_is_outside_the_tensor_is_filled() {
    let from = floats((0..10 * 12).map(|index| index as f32 + 1.0));
    let mut map = map_of(DataType::Float32, &[12, 10], &[8, 4], Swizzle::None);
    let expected = |x: i32, y: i32, fill: u32| -> Vec<u32> {
        let element = |row: i32, column: i32| {
            let inside = (0..12).contains(&column) && (0..10).contains(&row);
            if inside {
                ((row * 12 + column) as f32 + 1.0).to_bits()
            } else {
                fill
            }
        };
        (y..y + 4)
            .flat_map(|row| (x..x + 8).map(move |column| element(row, column)))
            .collect()
    };
    for (x, y) in [
        (0, 0),
        (-3, -2),
        (9, 8),
        (100, 0),
        (0, -100),
        (-8, 3),
        (5, 10),
    ] {
        let found = super::kernel::to_words(&loaded(map, &from, &[x, y]));
        assert_eq!(found, expected(x, y, 0), "at {x}, {y}");
    }
    map.fill = Fill::Nan;
    let found = loaded(map, &from, &[-3, 8]);
    assert!(
        to_floats(&found)[..3]
            .iter()
            .all(|element| element.is_nan())
    );
    assert_eq!(
        super::kernel::to_words(&found),
        expected(-3, 8, 0x7fff_ffff)
    );
}

#[test]
fn tensors_have_one_to_five_dimensions() {
    let from: Vec<u8> = (0..4 * 3 * 4 * 3 * 16u32)
        .map(|index| (index * 7 % 251) as u8)
        .collect();
    let sizes = [16, 3, 4, 3, 4];
    for rank in 1..=5 {
        let box_sizes = [16, 2, 2, 2, 2];
        let at = [0, 1, 1, 1, 2];
        let map = map_of(
            DataType::Uint8,
            &sizes[..rank],
            &box_sizes[..rank],
            Swizzle::None,
        );
        let mut expected = vec![0usize];
        for axis in (1..rank).rev() {
            let stride: u64 = sizes[..axis].iter().product();
            let places = (at[axis]..at[axis] + 2).map(|place| place * stride as usize);
            let places: Vec<usize> = places.collect();
            expected = expected
                .iter()
                .flat_map(|start| places.iter().map(move |place| start + place))
                .collect();
        }
        let expected: Vec<u8> = expected
            .iter()
            .flat_map(|&start| from[start..start + 16].to_vec())
            .collect();
        let at: Vec<i32> = at[..rank].iter().map(|&place| place as i32).collect();
        assert_eq!(loaded(map, &from, &at), expected, "rank {rank}");
    }
}

#[test]
fn every_other_row_is_read_with_an_element_stride() {
    let mut map = map_of(DataType::Uint32, &[128, 48], &[4, 10], Swizzle::None);
    map.element_strides[1] = 3;
    assert_eq!(map.rows(), 4);
    let found = super::kernel::to_words(&loaded(map, &words(), &[8, 2]));
    let expected: Vec<u32> = [2, 5, 8, 11]
        .iter()
        .flat_map(|row| (row * 128 + 8)..(row * 128 + 12))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn the_whole_box_is_counted() {
    // 64 bytes are in the tensor, but 128 are counted.
    let map = map_of(DataType::Uint32, &[128, 48], &[16, 2], Swizzle::None);
    let body = load(&[0, 47], 64, 64);
    let kernel = Kernel::new(32, 17408, &body).maps(vec![Map(0, map)]);
    let finding = kernel.finding(&mut [&mut words(), &mut vec![0; 64]]);
    assert_eq!(finding.code(), "deadlock");
    assert!(
        finding.to_string().contains("64 bytes more have come"),
        "{finding}"
    );
}

/// Fills 4 rows of 8 words with 100 + the number, and stores them.
fn store(instruction: &str) -> String {
    format!(
        "
    mov.u32 %r0, %tid.x;
    mov.u32 %r2, smem;
    shl.b32 %r1, %r0, 2;
    add.u32 %r3, %r2, %r1;
    add.u32 %r4, %r0, 100;
    st.shared.b32 [%r3], %r4;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 ret;
    mov.b32 %r10, 6;
    mov.b32 %r11, -1;
    {instruction} [%m0, {{%r10, %r11}}], [%r2];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ret;"
    )
}

#[test]
fn stores_are_clipped_to_the_tensor() {
    let map = map_of(DataType::Uint32, &[12, 10], &[8, 4], Swizzle::None);
    for reduces in [false, true] {
        let body = store(if reduces {
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group"
        } else {
            "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
        });
        let kernel = Kernel::new(32, 1024, &body).maps(vec![Map(0, map)]);
        let mut to: Vec<u8> = (0..120u32).flat_map(u32::to_le_bytes).collect();
        let mut expected: Vec<u32> = (0..120).collect();
        for row in 1..4 {
            for column in 0..6 {
                let place = (row - 1) * 12 + 6 + column;
                let value = (100 + row * 8 + column) as u32;
                expected[place] = if reduces {
                    expected[place] + value
                } else {
                    value
                };
            }
        }
        kernel.run(&mut [&mut to]).expect("runs");
        assert_eq!(super::kernel::to_words(&to), expected);
    }
}

#[test]
fn a_map_may_lie_in_global_memory_but_must_be_one() {
    // The parameter is copied to the second buffer, and used from there.
    let copy: String = (0..16)
        .map(|word| {
            format!(
                "ld.param.u64 %rd9, [map0+{0}]; st.global.u64 [%rd1+{0}], %rd9;\n",
                word * 8
            )
        })
        .collect();
    let map = map_of(DataType::Uint32, &[128, 48], &[16, 2], Swizzle::None);
    let body = load(&[3, 4], 128, 128).replace("[%m0,", "[%rd1,");
    let body = format!(
        "{copy} fence.proxy.tensormap::generic.release.gpu; \
         fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128; {body}"
    );
    let kernel = |body: &str| Kernel::new(32, 17408, body).maps(vec![Map(0, map)]);
    let mut to = vec![0; 256];
    kernel(&body)
        .run(&mut [&mut words(), &mut to])
        .expect("runs");
    let expected: Vec<u32> = (515..531).chain(643..659).collect();
    assert_eq!(super::kernel::to_words(&to[..128]), expected);

    let garbage = body
        .replace("[%rd1+8], %rd9", "[%rd1+8], %rd1")
        .replace("[%rd1+0], %rd9", "[%rd1+0], %rd1");
    let finding = kernel(&garbage).finding(&mut [&mut words(), &mut to]);
    assert!(finding.to_string().contains("no tensor map"), "{finding}");
    let misaligned = body.replace("[%rd1, {", "[%rd8, {").replace(
        "mov.u32 %r0, %tid.x;",
        "mov.u32 %r0, %tid.x; add.u64 %rd8, %rd1, 32;",
    );
    let finding = kernel(&misaligned).finding(&mut [&mut words(), &mut to]);
    assert_eq!(finding.code(), "misaligned");
}

#[test]
fn the_box_must_fit() {
    let map = map_of(DataType::Uint32, &[128, 48], &[16, 2], Swizzle::None);
    let code = |body: &str, map: TensorMap| {
        let kernel = Kernel::new(32, 17408, body).maps(vec![Map(0, map)]);
        kernel
            .finding(&mut [&mut words(), &mut vec![0; 128]])
            .to_string()
    };
    let body = load(&[3, 4], 128, 128);
    let text = code(&body.replace("[smem], [%m0", "[smem+64], [%m0"), map);
    assert!(text.starts_with("misaligned"), "{text}");
    let text = code(&body.replace("[smem], [%m0", "[smem+17408], [%m0"), map);
    assert!(text.starts_with("out-of-bounds"), "{text}");
    let text = code(&load(&[3], 128, 128), map);
    assert!(
        text.contains("the tensor map has 2 dimensions, the instruction 1"),
        "{text}"
    );
    // A map of more than there is.
    let map = map_of(DataType::Uint32, &[128, 60], &[16, 2], Swizzle::None);
    let text = code(&load(&[3, 47], 128, 128), map);
    assert!(text.starts_with("out-of-bounds"), "{text}");
}

#[test]
fn blocks_share_what_they_load_by_multicast() {
    // Each block loads 8 of 16 rows and sends them to both.
    let map = map_of(DataType::Uint32, &[128, 48], &[32, 8], Swizzle::B128);
    let body = format!(
        "
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %cluster_ctarank;
    mov.u32 %r2, smem;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra READY;
    mbarrier.init.shared::cta.b64 [smem+4096], 1;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [smem+4096], 2048;
    fence.mbarrier_init.release.cluster;
    READY:
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;
    shl.b32 %r4, %r1, 3;
    shl.b32 %r5, %r1, 10;
    add.u32 %r5, %r5, %r2;
    mov.b32 %r6, 64;
    mov.b16 %h0, 3;
    @!%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r5], [%m0, {{%r6, %r4}}], [smem+4096], %h0;
    WAIT:
    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [smem+4096], 0;
    @!%p1 bra WAIT;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mul.lo.u32 %r9, %r1, 2048;
    cvt.u64.u32 %rd21, %r9;
    add.u64 %rd1, %rd1, %rd21;
    {}",
        dump(2048, "%rd1")
    );
    let kernel = Kernel::new(32, 8192, &body)
        .cluster(2)
        .maps(vec![Map(0, map)]);
    let mut to = vec![0; 4096];
    kernel.run(&mut [&mut words(), &mut to]).expect("runs");
    let both = super::kernel::to_words(&to);
    for half in both.chunks(512) {
        for (place, &word) in half.iter().enumerate() {
            let (row, chunk) = (place / 32, (place % 32 / 4) ^ (place / 32 % 8));
            assert_eq!(word as usize, row * 128 + 64 + chunk * 4 + place % 4);
        }
    }
}

#[test]
fn a_swizzled_box_begins_at_a_whole_chunk() {
    let map = map_of(DataType::Uint32, &[128, 48], &[16, 2], Swizzle::B64);
    let text = |body: &str| {
        let kernel = Kernel::new(32, 17408, body).maps(vec![Map(0, map)]);
        let mut to = vec![0; 128];
        kernel.finding(&mut [&mut words(), &mut to]).to_string()
    };
    let found = text(&load(&[6, 4], 128, 128));
    assert!(
        found.contains("24 bytes, which is no multiple of 16"),
        "{found}"
    );
    let instruction = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group";
    let found = text(&store(instruction).replace("%r10, 6", "%r10, -8"));
    assert!(found.contains("8 elements before its tensor"), "{found}");
    // What is loaded may begin there.
    assert_eq!(loaded(map, &words(), &[-8, 4])[..32], [0; 32]);
}
