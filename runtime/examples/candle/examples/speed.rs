//! How fast the operations are beside the same of candle's own, on a GPU: `cargo run --release --features cuda --example speed`.

use std::hint::black_box;
use std::time::Instant;

use candle_core::{D, DType, Device, Result, Tensor};
use tile_candle::{Routing, attention, cross_entropy, rms_norm, routed_product};

/// The median time of some calls, in milliseconds, each waited for.
fn time(device: &Device, mut call: impl FnMut() -> Result<Tensor>) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..25 {
        device.synchronize()?;
        let start = Instant::now();
        black_box(call()?);
        device.synchronize()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    // The first ones load modules and fill candle's pool of memory.
    let mut times = times.split_off(5);
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

fn row(name: &str, ours: f64, theirs: f64) {
    println!(
        "{name:<44} {ours:>9.3} {theirs:>9.3} {:>7.2}",
        theirs / ours
    );
}

fn main() -> Result<()> {
    let device = Device::cuda_if_available(0)?;
    if device.is_cpu() {
        println!("no GPU here");
        return Ok(());
    }
    let random = |shape: &[usize], dtype| Tensor::randn(0f32, 1.0, shape, &device)?.to_dtype(dtype);
    println!("{:<44} {:>9} {:>9} {:>7}", "ms", "Tile", "candle", "times");

    for (rows, columns) in [(8192, 1024), (8192, 4096)] {
        let x = random(&[rows, columns], DType::F32)?;
        let weight = random(&[columns], DType::F32)?;
        let theirs = || {
            let size = (x.sqr()?.mean_keepdim(1)? + 1e-6)?.sqrt()?;
            x.broadcast_div(&size)?.broadcast_mul(&weight)
        };
        let ours = time(&device, || rms_norm(&x, &weight, 1e-6))?;
        row(
            &format!("rms_norm {rows} x {columns}"),
            ours,
            time(&device, theirs)?,
        );
    }

    let logits = random(&[4096, 32000], DType::F32)?;
    let labels = Tensor::zeros(4096, DType::U32, &device)?;
    let theirs = || {
        let of_label = logits.gather(&labels.unsqueeze(1)?, 1)?.squeeze(1)?;
        logits.log_sum_exp(1)? - of_label
    };
    let ours = time(&device, || cross_entropy(&logits, &labels))?;
    row("cross_entropy 4096 x 32000", ours, time(&device, theirs)?);

    for n in [512, 2048, 4096] {
        let [q, k, v] = [(); 3].map(|()| random(&[2, 16, n, 64], DType::BF16));
        let (q, k, v) = (q?, k?, v?);
        let theirs = || {
            let scores = (q.matmul(&k.t()?)? / 8.0)?;
            let powers = scores
                .broadcast_sub(&scores.max_keepdim(D::Minus1)?)?
                .exp()?;
            powers
                .broadcast_div(&powers.sum_keepdim(D::Minus1)?)?
                .matmul(&v)
        };
        let ours = time(&device, || attention(&q, &k, &v, false))?;
        row(
            &format!("attention 2 x 16 x {n} x 64"),
            ours,
            time(&device, theirs)?,
        );
    }

    // candle has no routed product of dense weights: each expert's tokens are gathered, multiplied and scattered.
    let (tokens, experts, top, n, k) = (4096usize, 8usize, 2usize, 4096, 4096);
    let chosen: Vec<u32> = (0..tokens * top)
        .map(|slot| (slot * 7 + slot / 2) as u32 % experts as u32)
        .collect();
    let chosen = Tensor::from_vec(chosen, (tokens, top), &device)?;
    let routing = Routing::new(&chosen, experts)?;
    let (x, weights) = (
        random(&[tokens, k], DType::BF16)?,
        random(&[experts, n, k], DType::BF16)?,
    );
    let flat = chosen.flatten_all()?.to_vec1::<u32>()?;
    let slots_of = (0..experts as u32).map(|expert| {
        let slots = flat.iter().enumerate().filter(|(_, of)| **of == expert);
        let slots: Vec<u32> = slots.map(|(slot, _)| slot as u32).collect();
        Tensor::new(slots, &device)
    });
    let slots_of: Vec<Tensor> = slots_of.collect::<Result<_>>()?;
    let tokens_of: Vec<Tensor> = slots_of
        .iter()
        .map(|slots| {
            (slots.to_dtype(DType::F32)? / top as f64)?
                .floor()?
                .to_dtype(DType::U32)
        })
        .collect::<Result<_>>()?;
    let theirs = || {
        let mut y = Tensor::zeros((tokens * top, n), DType::BF16, &device)?;
        for (expert, (slots, tokens)) in slots_of.iter().zip(&tokens_of).enumerate() {
            let product = x
                .index_select(tokens, 0)?
                .matmul(&weights.get(expert)?.t()?)?;
            y = y.index_add(slots, &product, 0)?;
        }
        Ok(y)
    };
    let ours = time(&device, || routed_product(&x, &weights, &routing))?;
    row(
        "routed_product 4096 x 2 of 8 x 4096 x 4096",
        ours,
        time(&device, theirs)?,
    );
    Ok(())
}
