"""RMS norm and layer norm, with gradients: `12_rms_norm.tile` and `05_layer_norm.tile`."""

import torch

import tile

from ._kernels import by_width, groups, kernels, rows


@by_width
def _rms(size):
    file = kernels("12_rms_norm.tile")
    back = tile.torch_op(file.rms_norm_backward, f"rms_norm_backward_{size}", outputs=["dx"], WIDTH=size)

    def gradients(saved, dy, _):
        x, w, rstd = saved["x"], saved["w"], saved["rstd"]
        sums = x.new_empty((groups(x), x.shape[1]), dtype=torch.float32)
        return {"x": back(x, w, rstd, dy, sums), "w": sums.sum(0).to(w.dtype)}

    return tile.torch_op(file.rms_norm_forward, f"rms_norm_{size}", outputs=["y", "rstd"], backward=gradients, WIDTH=size)


def rms_norm(x, weight, eps=1e-6):
    """x / sqrt(mean(x²) + eps) * weight along the last dimension, computed in f32 and rounded once."""
    y, _ = _rms(x.shape[-1])(*rows(x), weight.to(x.dtype), eps)
    return y.reshape(x.shape)


def _layer(eps):
    @by_width
    def find(size):
        file = kernels("05_layer_norm.tile")
        name = f"{size}_{eps:g}".replace("-", "m").replace(".", "_").replace("+", "")
        back = tile.torch_op(file.layer_norm_backward, f"layer_norm_backward_{name}", outputs=["dx"], WIDTH=size)

        def gradients(saved, dy, *_):
            x, w = saved["x"], saved["w"]
            sums = x.new_empty((2, groups(x), x.shape[1]), dtype=torch.float32)
            dx = back(x, w, dy, saved["mean"], saved["rstd"], sums[0], sums[1])
            dw, db = sums.sum(1).to(w.dtype)
            return {"x": dx, "w": dw, "b": db}

        outputs = ["y", "mean", "rstd"]
        return tile.torch_op(file.layer_norm, f"layer_norm_{name}", outputs=outputs, backward=gradients, WIDTH=size, EPS=eps)

    return find


# By eps.
_LAYERS = {1e-5: _layer(1e-5)}


def layer_norm(x, weight, bias, eps=1e-5):
    """(x - mean(x)) / sqrt(var(x) + eps) * weight + bias along the last dimension, computed in f32 and rounded once.

    torch.compile knows it for the usual eps, and for others after a call outside of it.
    """
    if eps not in _LAYERS:
        _LAYERS[eps] = _layer(eps)
    y, _, _ = _LAYERS[eps](x.shape[-1])(*rows(x), weight.to(x.dtype), bias.to(x.dtype))
    return y.reshape(x.shape)
