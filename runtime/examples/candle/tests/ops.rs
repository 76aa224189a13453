//! Each operation and its gradients beside the same of candle's own operations: on a GPU with the feature `cuda`, on the CPU through the
//! simulator without it.

use candle_core::{DType, Device, Result, Tensor, Var};
use tile_candle::{Routing, attention, cross_entropy, rms_norm, routed_product};

fn device() -> Result<Device> {
    Device::cuda_if_available(0)
}

/// Normally distributed elements of float32, that are numbers of the other type as well.
fn random(shape: &[usize], dtype: DType) -> Result<Var> {
    Var::from_tensor(&Tensor::randn(0f32, 1.0, shape, &device()?)?.to_dtype(dtype)?)
}

fn assert_close(what: &str, found: &Tensor, expected: &Tensor, tolerance: f32) -> Result<()> {
    assert_eq!(found.dims(), expected.dims());
    let [found, expected] = [found, expected].map(|tensor| tensor.to_dtype(DType::F32));
    let (found, expected) = (found?, expected?);
    let off = (&found - &expected)?.abs()?.max_all()?.to_scalar::<f32>()?;
    let largest = expected.abs()?.max_all()?.to_scalar::<f32>()?;
    assert!(
        off <= tolerance * largest,
        "{what}: off by {off}, where the largest is {largest}"
    );
    Ok(())
}

/// Compares results, and the gradients of a weighted sum of them for all variables.
fn assert_same(
    variables: &[&Var],
    ours: impl Fn(&[Tensor]) -> Result<Tensor>,
    theirs: impl Fn(&[Tensor]) -> Result<Tensor>,
    tolerance: f32,
) -> Result<()> {
    let tensors: Vec<Tensor> = variables
        .iter()
        .map(|variable| variable.as_tensor().clone())
        .collect();
    let wide: Vec<Var> = tensors
        .iter()
        .map(|tensor| Var::from_tensor(&tensor.to_dtype(DType::F32)?))
        .collect::<Result<_>>()?;
    let wide_tensors: Vec<Tensor> = wide
        .iter()
        .map(|variable| variable.as_tensor().clone())
        .collect();
    let (found, expected) = (ours(&tensors)?, theirs(&wide_tensors)?);
    assert_close("the result", &found, &expected, tolerance)?;

    let weight = random(found.dims(), found.dtype())?.detach();
    let found = found.mul(&weight)?.sum_all()?.backward()?;
    let expected = expected
        .mul(&weight.to_dtype(DType::F32)?)?
        .sum_all()?
        .backward()?;
    for (number, (ours, theirs)) in variables.iter().zip(&wide).enumerate() {
        let (ours, theirs) = (found.get(ours), expected.get(theirs));
        assert_close(
            &format!("gradient {number}"),
            ours.expect("a gradient"),
            theirs.expect("a gradient"),
            tolerance,
        )?;
    }
    Ok(())
}

#[test]
fn rms_norm_is_that_of_candle() -> Result<()> {
    for shape in [[1, 5, 64], [2, 3, 700]] {
        let (x, weight) = (
            random(&shape, DType::F32)?,
            random(&shape[2..], DType::F32)?,
        );
        let theirs = |tensors: &[Tensor]| {
            let [x, weight] = tensors else { unreachable!() };
            let size = (x.sqr()?.mean_keepdim(2)? + 1e-6)?.sqrt()?;
            x.broadcast_div(&size)?.broadcast_mul(weight)
        };
        assert_same(
            &[&x, &weight],
            |tensors| rms_norm(&tensors[0], &tensors[1], 1e-6),
            theirs,
            1e-5,
        )?;
    }
    Ok(())
}

#[test]
fn cross_entropy_is_that_of_candle() -> Result<()> {
    let logits = random(&[6, 5000], DType::F32)?;
    let labels = Tensor::new(&[3u32, 4999, 0, 17, 17, 2048], &device()?)?;
    let theirs = |tensors: &[Tensor]| {
        let x = &tensors[0];
        let log_sum = x.log_sum_exp(1)?;
        let of_label = x.gather(&labels.unsqueeze(1)?, 1)?.squeeze(1)?;
        log_sum - of_label
    };
    assert_same(
        &[&logits],
        |tensors| cross_entropy(&tensors[0], &labels),
        theirs,
        1e-5,
    )
}

#[test]
fn rows_without_a_label_have_no_loss_and_no_gradient() -> Result<()> {
    let logits = random(&[2, 100], DType::F32)?;
    let labels = Tensor::new(&[-100i32, 5], &device()?)?;
    let loss = cross_entropy(&logits, &labels)?;
    assert_eq!(loss.get(0)?.to_scalar::<f32>()?, 0.0);
    let gradients = loss.sum_all()?.backward()?;
    let gradient = gradients.get(&logits).expect("a gradient").get(0)?;
    assert_eq!(gradient.abs()?.max_all()?.to_scalar::<f32>()?, 0.0);
    Ok(())
}

#[test]
fn attention_is_that_of_candle() -> Result<()> {
    for (causal, heads, key_heads, m, n) in [
        (false, 2, 2, 40, 50),
        (true, 4, 2, 40, 50),
        (true, 2, 1, 64, 64),
    ] {
        let q = random(&[2, heads, m, 64], DType::BF16)?;
        let k = random(&[2, key_heads, n, 64], DType::BF16)?;
        let v = random(&[2, key_heads, n, 64], DType::BF16)?;
        let theirs = |tensors: &[Tensor]| {
            let [q, k, v] = tensors else { unreachable!() };
            let shared = heads / key_heads;
            // Each head of the keys stands beside itself, once for each head of queries that shares it.
            let repeated =
                |x: &Tensor| Tensor::stack(&vec![x.clone(); shared], 2)?.reshape((2, heads, n, 64));
            let (k, v) = (repeated(k)?, repeated(v)?);
            let mut scores = (q.matmul(&k.t()?)? / 8.0)?;
            if causal {
                let queries = Tensor::arange((n - m) as u32, n as u32, q.device())?.unsqueeze(1)?;
                let keys = Tensor::arange(0, n as u32, q.device())?.unsqueeze(0)?;
                let hidden = keys.broadcast_gt(&queries)?.to_dtype(DType::F32)?;
                scores = scores.broadcast_sub(&(hidden * 1e9)?)?;
            }
            let powers = scores
                .broadcast_sub(&scores.max_keepdim(3)?.detach())?
                .exp()?;
            powers.broadcast_div(&powers.sum_keepdim(3)?)?.matmul(&v)
        };
        let ours = |tensors: &[Tensor]| attention(&tensors[0], &tensors[1], &tensors[2], causal);
        // Where a row sees one key alone, its gradient is a difference of two numbers that nearly agree, one of them from the rounded
        // result.
        assert_same(&[&q, &k, &v], ours, theirs, 5e-2)?;
    }
    Ok(())
}

#[test]
fn routed_products_are_those_of_candle() -> Result<()> {
    let chosen = Tensor::new(&[[2u32, 0], [1, 2], [2, 1], [0, 2], [1, 2]], &device()?)?;
    // No token goes to the last expert.
    let routing = Routing::new(&chosen, 4)?;
    let x = random(&[5, 96], DType::BF16)?;
    let weights = random(&[4, 72, 96], DType::BF16)?;
    let theirs = |tensors: &[Tensor]| {
        let [x, weights] = tensors else {
            unreachable!()
        };
        let of_slots = weights
            .index_select(&chosen.flatten_all()?, 0)?
            .reshape((5, 2 * 72, 96))?;
        of_slots.matmul(&x.unsqueeze(2)?)?.reshape((5, 2, 72))
    };
    let ours = |tensors: &[Tensor]| routed_product(&tensors[0], &tensors[1], &routing);
    assert_same(&[&x, &weights], ours, theirs, 2e-2)
}

#[test]
fn views_and_transposed_tensors_are_read_as_what_they_are() -> Result<()> {
    let x = Tensor::randn(0f32, 1.0, (64, 10), &device()?)?;
    let weight = Tensor::ones(64, DType::F32, &device()?)?;
    let found = rms_norm(&x.narrow(1, 3, 4)?.t()?, &weight, 1e-6)?;
    let expected = rms_norm(
        &x.t()?.contiguous()?.narrow(0, 3, 4)?.contiguous()?,
        &weight,
        1e-6,
    )?;
    assert_close("the result", &found, &expected, 0.0)
}

#[test]
fn what_does_not_fit_is_an_error_that_says_so() -> Result<()> {
    let device = device()?;
    let said = |result: Result<Tensor>| result.expect_err("refused").to_string();
    let (x, weight) = (
        Tensor::ones((2, 64), DType::F32, &device)?,
        Tensor::ones(65, DType::F32, &device)?,
    );
    let text = said(rms_norm(&x, &weight, 1e-6));
    assert!(text.contains("`columns`") && text.contains("`w`"), "{text}");
    let text = said(rms_norm(&x.to_dtype(DType::F64)?, &weight, 1e-6));
    assert!(text.contains("F64") || text.contains("f64"), "{text}");
    let head = Tensor::ones((1, 1, 4, 32), DType::BF16, &device)?;
    let text = said(attention(&head, &head, &head, false));
    assert!(text.contains("64"), "{text}");
    let three = Tensor::ones((1, 3, 4, 64), DType::BF16, &device)?;
    let two = Tensor::ones((1, 2, 4, 64), DType::BF16, &device)?;
    let text = said(attention(&three, &two, &two, false));
    assert!(
        text.contains("3 heads of queries are no multiple of 2"),
        "{text}"
    );
    let text = Routing::new(&Tensor::new(&[[4u32]], &device)?, 4)
        .expect_err("refused")
        .to_string();
    assert!(text.contains("expert 4 of 4"), "{text}");
    Ok(())
}
