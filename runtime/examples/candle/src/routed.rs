use candle_core::{CustomOp2, Error, Result, Tensor};
use tile_runtime::element::bf16;

use crate::bridge::{Input, Output, Place, with};
use crate::forwards;

/// How many slots of one expert a program of the kernels takes.
const BLOCK: usize = 64;

/// Which experts each token is sent to: a slot for each pair of them, sorted by expert for the kernels.
#[derive(Clone, Debug)]
pub struct Routing {
    tokens: usize,
    top: usize,
    experts: usize,
    /// Slots by expert; each expert's are padded to whole blocks with numbers that are no slot.
    sorted: Tensor,
    /// The expert of each block.
    expert: Tensor,
    /// Where each expert's slots begin in `sorted`, and where the last one's end.
    first: Tensor,
}

impl Routing {
    /// From the experts of each token, `[tokens, top]`; they are sorted on the CPU.
    ///
    /// # Errors
    /// If there is no such expert.
    pub fn new(chosen: &Tensor, experts: usize) -> Result<Self> {
        let (tokens, top) = chosen.dims2()?;
        let chosen_by_slot = chosen
            .flatten_all()?
            .to_dtype(candle_core::DType::U32)?
            .to_vec1::<u32>()?;
        let slots = chosen_by_slot.len();
        let mut of_expert = vec![Vec::new(); experts];
        for (slot, expert) in chosen_by_slot.into_iter().enumerate() {
            match of_expert.get_mut(expert as usize) {
                Some(slots) => slots.push(slot as i32),
                None => return Err(Error::Msg(format!("expert {expert} of {experts}")).bt()),
            }
        }
        let (mut sorted, mut expert, mut first) = (Vec::new(), Vec::new(), vec![0]);
        for (number, mut of_this) in of_expert.into_iter().enumerate() {
            of_this.resize(of_this.len().next_multiple_of(BLOCK), slots as i32);
            expert.extend(std::iter::repeat_n(number as i32, of_this.len() / BLOCK));
            sorted.append(&mut of_this);
            first.push(sorted.len() as i32);
        }
        let device = chosen.device();
        Ok(Self {
            tokens,
            top,
            experts,
            sorted: Tensor::new(sorted, device)?,
            expert: Tensor::new(expert, device)?,
            first: Tensor::new(first, device)?,
        })
    }
}

/// `y[token, i] = weights[the token's i-th expert] @ x[token]`, of bfloat16: `x` is `[tokens, k]`, `weights` is `[experts, n, k]`, the result
/// `[tokens, top, n]`. What the experts are worth to a token is the caller's to multiply with.
///
/// # Errors
/// If shapes or types are others, or the routing is of other tokens or experts.
pub fn routed_product(x: &Tensor, weights: &Tensor, routing: &Routing) -> Result<Tensor> {
    let (experts, n, _) = weights.dims3()?;
    if (x.dim(0)?, experts) != (routing.tokens, routing.experts) {
        let Routing {
            tokens,
            experts: known,
            ..
        } = routing;
        let found = x.dim(0)?;
        return Err(Error::Msg(format!(
            "{found} tokens, {experts} experts: the routing is of {tokens} and {known}"
        ))
        .bt());
    }
    let op = Routed {
        routing: routing.clone(),
    };
    x.contiguous()?
        .apply_op2(&weights.contiguous()?, op)?
        .reshape((routing.tokens, routing.top, n))
}

struct Routed {
    routing: Routing,
}

impl Routed {
    fn forward(&self, place: &Place, [x, weights]: [Input<'_>; 2]) -> Result<Output<bf16, 2>> {
        let Routing {
            sorted,
            expert,
            top,
            tokens,
            ..
        } = &self.routing;
        with([sorted, expert], |_, [sorted, expert]| {
            let (x, weights) = (x.argument(place)?, weights.argument::<bf16, 3>(place)?);
            let mut y = place.output([tokens * top, weights.shape()[1]])?;
            let (sorted, expert) = (sorted.argument(place)?, expert.argument(place)?);
            let kernel = &place.kernels()?.routed.product;
            kernel
                .launch(
                    &place.stream,
                    &x,
                    &weights,
                    &sorted,
                    &expert,
                    *top as i32,
                    &mut y.view,
                )
                .map_err(Error::wrap)?;
            Ok(y)
        })
    }
}

impl CustomOp2 for Routed {
    fn name(&self) -> &'static str {
        "tile-routed-product"
    }

    forwards!(x x_layout, weights weights_layout);

    fn bwd(
        &self,
        x: &Tensor,
        weights: &Tensor,
        _: &Tensor,
        dy: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let Routing {
            sorted,
            expert,
            first,
            top,
            tokens,
            ..
        } = &self.routing;
        let tensors = [x, weights, &dy.contiguous()?, sorted, expert, first];
        let (of_slots, dw) = with(tensors, |place, [x, weights, dy, sorted, expert, first]| {
            let (x, weights) = (
                x.argument::<bf16, 2>(place)?,
                weights.argument::<bf16, 3>(place)?,
            );
            let (dy, sorted) = (dy.argument(place)?, sorted.argument(place)?);
            let mut of_slots = place.output([tokens * top, x.shape()[1]])?;
            let mut dw = place.output(weights.shape())?;
            let (stream, kernels) = (&place.stream, &place.kernels()?.routed);
            let expert = expert.argument(place)?;
            let slots = &kernels.gradient_of_slots;
            slots
                .launch(stream, &dy, &weights, &sorted, &expert, &mut of_slots.view)
                .map_err(Error::wrap)?;
            let first = first.argument(place)?;
            let of_weights = &kernels.gradient_of_weights;
            of_weights
                .launch(stream, &x, &dy, &sorted, &first, *top as i32, &mut dw.view)
                .map_err(Error::wrap)?;
            Ok((of_slots.into_tensor()?, dw.into_tensor()?))
        })?;
        let dx = of_slots.reshape((*tokens, *top, ()))?.sum(1)?;
        Ok((Some(dx), Some(dw)))
    }
}
