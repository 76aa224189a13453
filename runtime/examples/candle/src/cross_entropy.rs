use candle_core::{CustomOp2, Error, Result, Tensor};

use crate::bridge::{Input, Output, Place, with};
use crate::forwards;

/// The loss of each row of logits of float32 `[rows, words]`: `log(sum(exp(x))) - x[label]`, and 0 where the label is -100.
///
/// # Errors
/// If logits are of another type, or labels are not of 32-bit integers, one for each row.
pub fn cross_entropy(logits: &Tensor, labels: &Tensor) -> Result<Tensor> {
    logits
        .contiguous()?
        .apply_op2(&labels.contiguous()?, CrossEntropy)
}

struct CrossEntropy;

impl CrossEntropy {
    fn forward(&self, place: &Place, inputs: [Input<'_>; 2]) -> Result<Output<f32, 1>> {
        Ok(run(place, inputs)?.0)
    }
}

/// The losses, and the logarithm of each row's sum.
fn run(
    place: &Place,
    [logits, labels]: [Input<'_>; 2],
) -> Result<(Output<f32, 1>, Output<f32, 1>)> {
    let logits = logits.argument::<f32, 2>(place)?;
    let rows = logits.shape()[0];
    let (mut loss, mut log_sum) = (place.output([rows])?, place.output([rows])?);
    let kernel = &place.kernels()?.cross_entropy.cross_entropy;
    kernel
        .launch(
            &place.stream,
            &logits,
            &labels.integers(place)?,
            &mut loss.view,
            &mut log_sum.view,
        )
        .map_err(Error::wrap)?;
    Ok((loss, log_sum))
}

impl CustomOp2 for CrossEntropy {
    fn name(&self) -> &'static str {
        "tile-cross-entropy"
    }

    forwards!(logits logits_layout, labels labels_layout);

    fn bwd(
        &self,
        logits: &Tensor,
        labels: &Tensor,
        _: &Tensor,
        dloss: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let gradient = with(
            [logits, labels, &dloss.contiguous()?],
            |place, [logits, labels, dloss]| {
                let (_, log_sum) = run(place, [logits, labels])?;
                let logits = logits.argument(place)?;
                let (labels, dloss) = (labels.integers(place)?, dloss.argument(place)?);
                let mut gradient = place.output(logits.shape())?;
                let kernel = &place.kernels()?.cross_entropy.cross_entropy_backward;
                kernel
                    .launch(
                        &place.stream,
                        &logits,
                        &labels,
                        &log_sum.view,
                        &dloss,
                        &mut gradient.view,
                    )
                    .map_err(Error::wrap)?;
                gradient.into_tensor()
            },
        )?;
        Ok((Some(gradient), None))
    }
}
