//! `dot_scaled` against tables of its formats.

use tile_runtime::tensor::Tensor;

use super::sources::{Program, given};

/// All numbers of e2m1.
const E2M1: [f64; 16] = [
    0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0,
];

const DECODE: &str = "
kernel decode(a: tensor<u8>[16, 16], sa: tensor<u8>[16, 1], y: mut tensor<f32>[16, 32]) grid(1) {
    let identity = where(arange(0, 32)[:, None] == arange(0, 32)[None, :], 1.0, 0.0) as f8e4m3;
    let one = full([32, 1], 127, u8);
    store(y[:, :], dot_scaled(load(a[:, :]), load(sa[:, :]), identity, one, a_format = e2m1));
}
";

#[test]
fn numbers_of_four_bits_are_in_pairs_along_k_and_are_scaled() {
    // All pairs, under scales near both ends and in the middle.
    let bytes: Vec<u8> = (0..=255).collect();
    let scales: Vec<u8> = (0..16)
        .map(|row| [1, 100, 127, 128, 250][row % 5])
        .collect();
    let mut arguments = given(&[
        ("a", Tensor::from_vec(&[16, 16], &bytes).expect("a tensor")),
        ("sa", Tensor::from_vec(&[16, 1], &scales).expect("a tensor")),
        (
            "y",
            Tensor::from_vec(&[16, 32], &[0f32; 512]).expect("a tensor"),
        ),
    ]);
    let decoded = Program::new(DECODE, &[])
        .run([1, 1, 1], &mut arguments, "y")
        .expect("runs")
        .to_f64();
    for (at, value) in decoded.into_iter().enumerate() {
        let (row, column) = (at / 32, at % 32);
        let byte = bytes[row * 16 + column / 2];
        let half = usize::from(byte >> (column % 2 * 4) & 15);
        let expected = E2M1[half] * 2f64.powi(i32::from(scales[row]) - 127);
        assert!(
            value == expected,
            "{value} at {row}, {column} for {expected}"
        );
    }
}

const ROWS: &str = "
kernel rows(a: tensor<f32>[3, 64], sa: tensor<u8>[3, 2], b: tensor<f32>[64, 5], sb: tensor<u8>[5, 2],
            y: mut tensor<f32>[3, 5]) grid(1) {
    let (p, q) = (load(a[:, :]) as f16, load(b[:, :]) as bf16);
    store(y[:, :], dot_scaled(p, load(sa[:, :]), q, load(sb[:, :])));
}
";

#[test]
fn every_block_of_32_has_its_scales() {
    let a: Vec<f32> = (0..192).map(|at| (at % 7) as f32 - 3.0).collect();
    let b: Vec<f32> = (0..320).map(|at| (at % 5) as f32 - 2.0).collect();
    let sa: Vec<u8> = vec![127, 128, 130, 120, 126, 127];
    let sb: Vec<u8> = vec![127, 129, 125, 127, 128, 128, 127, 126, 124, 131];
    let mut arguments = given(&[
        ("a", Tensor::from_vec(&[3, 64], &a).expect("a tensor")),
        ("sa", Tensor::from_vec(&[3, 2], &sa).expect("a tensor")),
        ("b", Tensor::from_vec(&[64, 5], &b).expect("a tensor")),
        ("sb", Tensor::from_vec(&[5, 2], &sb).expect("a tensor")),
        (
            "y",
            Tensor::from_vec(&[3, 5], &[0f32; 15]).expect("a tensor"),
        ),
    ]);
    let product = Program::new(ROWS, &[])
        .run([1, 1, 1], &mut arguments, "y")
        .expect("runs")
        .to_f64();
    let scale = |byte: u8| 2f64.powi(i32::from(byte) - 127);
    for (at, value) in product.into_iter().enumerate() {
        let (row, column) = (at / 5, at % 5);
        let term = |k: usize| {
            let left = f64::from(a[row * 64 + k]) * scale(sa[row * 2 + k / 32]);
            let right = f64::from(b[k * 5 + column]) * scale(sb[column * 2 + k / 32]);
            left * right
        };
        let expected: f64 = (0..64).map(term).sum();
        assert!(
            value == expected,
            "{value} at {row}, {column} for {expected}"
        );
    }
}
