//! What a user of the crate sees, on a GPU or on the simulator (`TILE_DEVICE=sim`).

use normalise::RmsNorm;
use tile_runtime::Error;
use tile_runtime::device::Device;
use tile_runtime::typed::Tensor;

fn norm(x: &[f32], weight: &[f32], epsilon: f64) -> Vec<f32> {
    let rows = x.chunks(weight.len());
    let row = |row: &[f32]| -> Vec<f32> {
        let squares: f64 = row.iter().map(|x| f64::from(*x).powi(2)).sum();
        let scale = (squares / row.len() as f64 + epsilon).sqrt().recip();
        let pairs = row.iter().zip(weight);
        pairs
            .map(|(x, w)| (f64::from(*x) * scale * f64::from(*w)) as f32)
            .collect()
    };
    rows.flat_map(row).collect()
}

#[test]
fn rows_are_normalised() -> Result<(), Error> {
    let device = Device::auto()?;
    for (rows, columns) in [(1, 1), (3, 100), (7, 700)] {
        let weight: Vec<f32> = (0..columns).map(|at| 0.5 + at as f32 / 64.0).collect();
        let values = (0..rows * columns).map(|at| (at * 37 % 101) as f32 / 50.0 - 1.0);
        let values: Vec<f32> = values.collect();
        let layer = RmsNorm::new(&device, &weight, 1e-6)?;
        let x = Tensor::from_slice(&device, [rows, columns], &values)?;
        let mut y = Tensor::zeros(&device, [rows, columns])?;
        layer.forward(&device.stream(), &x, &mut y)?;
        for (found, expected) in y.to_vec()?.iter().zip(norm(&values, &weight, 1e-6)) {
            let off = (found - expected).abs();
            assert!(off <= 1e-5 * expected.abs(), "{found} for {expected}");
        }
    }
    Ok(())
}

#[test]
fn what_does_not_fit_is_said_before_the_launch() -> Result<(), Error> {
    let device = Device::auto()?;
    let layer = RmsNorm::new(&device, &[1.0; 8], 1e-6)?;
    let x = Tensor::zeros(&device, [2, 9])?;
    let mut y = Tensor::zeros(&device, [2, 9])?;
    let refused = layer.forward(&device.stream(), &x, &mut y);
    let text = refused.expect_err("9 columns, 8 weights").to_string();
    assert!(text.contains("`columns`") && text.contains("`w`"), "{text}");
    Ok(())
}
