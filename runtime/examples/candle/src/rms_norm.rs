use candle_core::{CustomOp2, Error, Result, Tensor};

use crate::bridge::{Input, Output, Place, with};
use crate::forwards;

/// The widest row that the kernels take, as they were compiled.
const WIDEST: usize = 4096;

/// `x / sqrt(mean(x * x) + epsilon) * weight` for each row of the last dimension, of float32.
///
/// # Errors
/// If rows are wider than 4096, have not as many elements as the weight, or are of another type.
pub fn rms_norm(x: &Tensor, weight: &Tensor, epsilon: f32) -> Result<Tensor> {
    let columns = x.dim(candle_core::D::Minus1)?;
    if columns > WIDEST {
        return Err(Error::Msg(format!(
            "rows of {columns} elements: RMS norm is compiled for up to {WIDEST}"
        ))
        .bt());
    }
    let rows = x.contiguous()?.reshape(((), columns))?;
    rows.apply_op2(&weight.contiguous()?, RmsNorm { epsilon })?
        .reshape(x.dims())
}

struct RmsNorm {
    epsilon: f32,
}

impl RmsNorm {
    fn forward(&self, place: &Place, inputs: [Input<'_>; 2]) -> Result<Output<f32, 2>> {
        Ok(self.run(place, inputs)?.0)
    }

    /// The result, and one over the root mean square of each row.
    fn run(
        &self,
        place: &Place,
        [x, weight]: [Input<'_>; 2],
    ) -> Result<(Output<f32, 2>, Output<f32, 1>)> {
        let x = x.argument(place)?;
        let mut y = place.output(x.shape())?;
        let mut scale = place.output([x.shape()[0]])?;
        let kernel = &place.kernels()?.rms_norm.rms_norm_forward;
        kernel
            .launch(
                &place.stream,
                &x,
                &weight.argument(place)?,
                self.epsilon,
                &mut y.view,
                &mut scale.view,
            )
            .map_err(Error::wrap)?;
        Ok((y, scale))
    }
}

impl CustomOp2 for RmsNorm {
    fn name(&self) -> &'static str {
        "tile-rms-norm"
    }

    forwards!(x x_layout, weight weight_layout);

    fn bwd(
        &self,
        x: &Tensor,
        weight: &Tensor,
        _: &Tensor,
        dy: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        // A sum for each group of rows; candle adds the groups.
        let groups = x.dim(0)?.clamp(1, 256);
        let (dx, dw) = with([x, weight, &dy.contiguous()?], |place, [x, weight, dy]| {
            let (_, scale) = self.run(place, [x, weight])?;
            let x = x.argument(place)?;
            let mut dx = place.output(x.shape())?;
            let mut dw = place.output([groups, x.shape()[1]])?;
            let kernel = &place.kernels()?.rms_norm.rms_norm_backward;
            let (weight, dy) = (weight.argument(place)?, dy.argument(place)?);
            kernel
                .launch(
                    &place.stream,
                    &x,
                    &weight,
                    &scale.view,
                    &dy,
                    &mut dx.view,
                    &mut dw.view,
                )
                .map_err(Error::wrap)?;
            Ok((dx.into_tensor()?, dw.into_tensor()?))
        })?;
        Ok((Some(dx), Some(dw.sum(0)?)))
    }
}
