"""A product with bias and activation behind it: `24_linear.tile`."""

import torch

import tile

from ._kernels import kernels

_aten = torch.ops.aten
# How the activation's gradient is computed from the pre-activation, which the forward pass keeps.
_SLOPES = {
    "none": lambda dy, x: dy,
    "relu": lambda dy, x: _aten.threshold_backward(dy, x, 0),
    "gelu": lambda dy, x: _aten.gelu_backward(dy, x),
    "silu": lambda dy, x: _aten.silu_backward(dy, x),
}


def _made(activation, size, training):
    def gradients(saved, *given):
        x, w = saved["x"], saved["w"]
        dy = _SLOPES[activation](given[-1], saved.get("preactivation"))
        return {"x": dy @ w, "w": dy.T @ x, "bias": dy.sum(0)}

    file = kernels("24_linear.tile")
    # Tiles that are among the fastest on an H100 for layers of a model.
    (bm, bn, bk) = (128, 256, 64) if size == 2 else (64, 64, 32)
    bound = {"ACTIVATION": activation, "BM": bm, "BN": bn, "BK": bk}
    name = f"linear_{activation}_{size}"
    # Without an activation the gradients need none.
    if training and activation != "none":
        outputs = ["preactivation", "y"]
        return tile.torch_op(file.linear_for_training, f"{name}_preactivation", outputs=outputs, backward=gradients, **bound)
    return tile.torch_op(file.linear, name + "_training" * training, outputs=["y"], backward=gradients, **bound)


_OPERATORS = {
    (activation, size, training): _made(activation, size, training)
    for activation in _SLOPES
    for size in (2, 4)
    for training in (False, True)
}


def linear(x, weight, bias=None, activation="none"):
    """activation(x @ weightᵀ + bias); the activation is none, relu, gelu or silu, and runs on the product's registers."""
    if activation not in _SLOPES:
        raise ValueError(f"`activation` is {', '.join(_SLOPES)}, not {activation!r}")
    if bias is None:
        bias = weight.new_zeros(weight.shape[0])
    training = torch.is_grad_enabled() and any(one.requires_grad for one in (x, weight, bias))
    operator = _OPERATORS[activation, min(x.element_size(), 4), training]
    y = operator(x.reshape(-1, x.shape[-1]).contiguous(), weight.contiguous(), bias)
    y = y[1] if isinstance(y, tuple) else y
    return y.reshape(*x.shape[:-1], weight.shape[0])
