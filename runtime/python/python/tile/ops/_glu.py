"""Gated units, with gradients: `11_glu.tile`."""

import tile

from ._kernels import kernels, rows


def _made(activation):
    file = kernels("11_glu.tile")
    bound = {"ACTIVATION": activation}
    back = tile.torch_op(file.glu_backward, f"glu_backward_{activation}", outputs=["dgate", "dup"], **bound)
    return tile.torch_op(file.glu, f"glu_{activation}", outputs=["y"], backward=back, **bound)


_OPERATORS = {activation: _made(activation) for activation in ("silu", "gelu", "gelu_tanh")}


def _gated(activation, gate, up):
    return _OPERATORS[activation](*rows(gate, up)).reshape(gate.shape)


def swiglu(gate, up):
    """silu(gate) * up, in one pass over memory."""
    return _gated("silu", gate, up)


def geglu(gate, up, approximate="none"):
    """gelu(gate) * up, in one pass over memory; `approximate` is `none` or `tanh`, as in PyTorch."""
    return _gated({"none": "gelu", "tanh": "gelu_tanh"}[approximate], gate, up)
