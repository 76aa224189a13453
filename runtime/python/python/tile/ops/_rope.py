"""Rotary positions, with their gradient: `13_rope.tile`."""

import torch

import tile

from ._kernels import kernels

_OPERATORS = {}


def _made(width, base):
    file = kernels("13_rope.tile")
    name = f"{width}_{base:g}".replace(".", "_").replace("+", "")
    bound = {"D": width, "BASE": float(base)}
    back = tile.torch_op(file.rope, f"rope_back_{name}", outputs=["y"], BACKWARD=True, **bound)

    def gradients(saved, dy):
        return {"x": back(dy, saved["positions"])}

    return tile.torch_op(file.rope, f"rope_{name}", outputs=["y"], backward=gradients, **bound)


for _width in (64, 96, 128):
    for _base in (10000.0, 500000.0):
        _OPERATORS[_width, _base] = _made(_width, _base)


def rope(x, positions=None, base=10000.0):
    """Turns the pairs (x[i], x[i + D / 2]) of x [..., tokens, heads, D] by position / base^(2 i / D), as Llama does.

    `positions` are those of the tokens, [tokens] or [..., tokens]; 0, 1, … unless given. torch.compile knows D of 64, 96 and
    128 with base 10000 and 500000, and others after a call outside of it.
    """
    *batch, tokens, heads, width = x.shape
    if positions is None:
        positions = torch.arange(tokens, device=x.device)
    positions = positions.to(torch.int32).expand(*batch, tokens).reshape(-1).contiguous()
    width = next((known for known, _ in _OPERATORS if width == known), width)
    if (width, base) not in _OPERATORS:
        _OPERATORS[width, base] = _made(width, base)
    y = _OPERATORS[width, base](x.reshape(-1, heads, width).contiguous(), positions)
    return y.reshape(x.shape)
