"""A product with bias and activation behind it: `24_linear.tile`."""

import torch

import tile

from ._kernels import kernels

_aten = torch.ops.aten
# How the activation's gradient is computed from the sums before it, which are computed again.
_SLOPES = {
    "none": lambda dy, sums: dy,
    "relu": lambda dy, sums: _aten.threshold_backward(dy, sums, 0),
    "gelu": lambda dy, sums: _aten.gelu_backward(dy, sums),
    "silu": lambda dy, sums: _aten.silu_backward(dy, sums),
}


def _made(activation):
    def gradients(saved, dy):
        x, w, bias = saved["x"], saved["w"], saved["bias"]
        if activation != "none":
            dy = _SLOPES[activation](dy, _OPERATORS["none"]._op(x, w, bias))
        return {"x": dy @ w, "w": dy.T @ x, "bias": dy.sum(0)}

    file = kernels("24_linear.tile")
    # Tiles that are among the fastest on an H100 for layers of a model.
    tiles = {"BM": 128, "BN": 128, "BK": 64}
    return tile.torch_op(file.linear, f"linear_{activation}", outputs=["y"], backward=gradients, ACTIVATION=activation, **tiles)


_OPERATORS = {activation: _made(activation) for activation in _SLOPES}


def linear(x, weight, bias=None, activation="none"):
    """activation(x @ weightᵀ + bias); the activation is none, relu, gelu or silu, and runs on the product's registers."""
    if activation not in _OPERATORS:
        raise ValueError(f"`activation` is {', '.join(_OPERATORS)}, not {activation!r}")
    if bias is None:
        bias = weight.new_zeros(weight.shape[0])
    y = _OPERATORS[activation](x.reshape(-1, x.shape[-1]).contiguous(), weight.contiguous(), bias)
    return y.reshape(*x.shape[:-1], weight.shape[0])
