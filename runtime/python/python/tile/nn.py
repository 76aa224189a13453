"""Modules of PyTorch that run on Tile's kernels: each takes the place of the one of its name, with its parameters."""

import torch

from . import ops


class RMSNorm(torch.nn.RMSNorm):
    """`torch.nn.RMSNorm` over the last dimension."""

    def forward(self, x):
        if len(self.normalized_shape) != 1 or self.weight is None:
            return super().forward(x)
        eps = torch.finfo(x.dtype).eps if self.eps is None else self.eps
        return ops.rms_norm(x, self.weight, eps)


class LayerNorm(torch.nn.LayerNorm):
    """`torch.nn.LayerNorm` over the last dimension."""

    def forward(self, x):
        if len(self.normalized_shape) != 1 or self.weight is None or self.bias is None:
            return super().forward(x)
        return ops.layer_norm(x, self.weight, self.bias, self.eps)


class Linear(torch.nn.Linear):
    """`torch.nn.Linear`."""

    def forward(self, x):
        return ops.linear(x, self.weight, self.bias)


class CrossEntropyLoss(torch.nn.CrossEntropyLoss):
    """`torch.nn.CrossEntropyLoss` of logits [..., classes] and labels [...]; without weights and smoothing."""

    def forward(self, logits, labels):
        plain = self.weight is None and not self.label_smoothing and not labels.is_floating_point()
        if not plain or logits.dim() > 2:
            return super().forward(logits, labels)
        return ops.cross_entropy(logits, labels, self.ignore_index, self.reduction)
