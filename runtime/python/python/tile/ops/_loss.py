"""Cross entropy, with its gradient: `14_cross_entropy.tile`."""

import torch

import tile

from ._kernels import kernels, rows

_IGNORED = -100
_file = kernels("14_cross_entropy.tile")
_back = tile.torch_op(_file.cross_entropy_backward, outputs=["dlogits"], IGNORE=_IGNORED)


def _gradients(saved, dloss, _):
    return {"logits": _back(saved["logits"], saved["labels"], saved["lse"], dloss)}


_forward = tile.torch_op(_file.cross_entropy, outputs=["loss", "lse"], backward=_gradients, IGNORE=_IGNORED)


def cross_entropy(logits, labels, ignore_index=-100, reduction="mean"):
    """log(sum(exp(logits))) - logits[label] of each row; 0 where the label is `ignore_index`, NaN where it is no column.

    `reduction` is `mean` over the rows that count, `sum` or `none`. Softmax and logarithm are never stored.
    """
    (matrix,) = rows(logits)
    labels = labels.reshape(-1)
    counted = labels != ignore_index
    loss, _ = _forward(matrix, torch.where(counted, labels, _IGNORED).to(torch.int32))
    if reduction == "none":
        return loss.reshape(logits.shape[:-1])
    if reduction not in ("mean", "sum"):
        raise ValueError(f"`reduction` is mean, sum or none, not {reduction!r}")
    return loss.sum() / counted.sum() if reduction == "mean" else loss.sum()
