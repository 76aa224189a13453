use std::sync::Mutex;

use candle_core::{CustomOp3, Error, Result, Tensor};
use tile_runtime::element::bf16;

use crate::bridge::{Input, Output, Place, with};
use crate::forwards;

/// Attention of bfloat16 with heads of 64 columns: `softmax(q @ k.T / 8) @ v`.
///
/// `q` is `[batch, heads, m, 64]`, `k` and `v` are `[batch, key_heads, n, 64]`, where `heads` is a multiple of `key_heads`: neighbours share
/// one. If `causal`, the last query belongs to the last key, and a query sees the keys up to its own; then `m` is at most `n`.
///
/// # Errors
/// If shapes or types are others.
pub fn attention(q: &Tensor, k: &Tensor, v: &Tensor, causal: bool) -> Result<Tensor> {
    let (_, heads, m, _) = q.dims4()?;
    let (_, key_heads, n, _) = k.dims4()?;
    if key_heads == 0 || heads % key_heads != 0 {
        return Err(Error::Msg(format!(
            "{heads} heads of queries are no multiple of {key_heads} heads of keys"
        ))
        .bt());
    }
    if causal && m > n {
        return Err(Error::Msg(format!("{m} queries see no more than {n} keys, if causal")).bt());
    }
    let [q3, k3, v3] = [q, k, v].map(|tensor| tensor.contiguous()?.flatten(0, 1));
    let op = Attention {
        causal,
        log_sum: Mutex::default(),
    };
    q3?.apply_op3(&k3?, &v3?, op)?.reshape(q.dims())
}

struct Attention {
    causal: bool,
    /// The logarithm of each row's sum, which the backward pass needs; candle keeps one result of an operation, and this is the second.
    log_sum: Mutex<Option<Tensor>>,
}

impl Attention {
    fn forward(&self, place: &Place, inputs: [Input<'_>; 3]) -> Result<Output<bf16, 3>> {
        let [q, k, v] = inputs.map(|input| input.argument(place));
        let (q, k, v) = (q?, k?, v?);
        let [heads, m, _] = q.shape();
        let mut o = place.output(q.shape())?;
        let mut log_sum = place.output([heads, m])?;
        let (stream, kernels) = (&place.stream, place.kernels()?);
        let (to, sums) = (&mut o.view, &mut log_sum.view);
        // Two modules, as a generic is bound when a kernel is compiled.
        let launched = match self.causal {
            false => kernels
                .attention
                .attention
                .launch(stream, &q, &k, &v, to, sums),
            true => kernels
                .causal
                .attention
                .launch(stream, &q, &k, &v, to, sums),
        };
        launched.map_err(Error::wrap)?;
        *self.log_sum.lock().expect("no thread panics with it") = Some(log_sum.into_tensor()?);
        Ok(o)
    }
}

impl CustomOp3 for Attention {
    fn name(&self) -> &'static str {
        "tile-attention"
    }

    forwards!(q q_layout, k k_layout, v v_layout);

    fn bwd(
        &self,
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        o: &Tensor,
        dy: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let log_sum = self
            .log_sum
            .lock()
            .expect("no thread panics with it")
            .clone();
        let log_sum = log_sum
            .ok_or_else(|| Error::Msg("the gradient of attention that has not run".into()))?;
        with(
            [q, k, v, o, &dy.contiguous()?, &log_sum],
            |place, [q, k, v, o, dy, log_sum]| {
                let [q, k, v] = [q, k, v].map(|input| input.argument::<bf16, 3>(place));
                let (q, k, v) = (q?, k?, v?);
                let (o, dy) = (o.argument(place)?, dy.argument(place)?);
                let log_sum = log_sum.argument::<f32, 2>(place)?;
                let mut delta = place.output(log_sum.shape())?;
                let mut dq = place.output(q.shape())?;
                let (mut dk, mut dv) = (place.output(k.shape())?, place.output(k.shape())?);
                let (stream, kernels) = (&place.stream, place.kernels()?);
                macro_rules! launch {
                    ($module:ident) => {{
                        let module = &kernels.$module;
                        module
                            .delta
                            .launch(stream, &o, &dy, &mut delta.view)
                            .map_err(Error::wrap)?;
                        let delta = &delta.view;
                        let queries = &module.gradient_of_queries;
                        queries
                            .launch(stream, &q, &k, &v, &dy, &log_sum, delta, &mut dq.view)
                            .map_err(Error::wrap)?;
                        let keys = &module.gradient_of_keys;
                        keys.launch(
                            stream,
                            &q,
                            &k,
                            &v,
                            &dy,
                            &log_sum,
                            delta,
                            &mut dk.view,
                            &mut dv.view,
                        )
                        .map_err(Error::wrap)?;
                    }};
                }
                match self.causal {
                    false => launch!(attention_backward),
                    true => launch!(causal_backward),
                }
                Ok((
                    Some(dq.into_tensor()?),
                    Some(dk.into_tensor()?),
                    Some(dv.into_tensor()?),
                ))
            },
        )
    }
}
