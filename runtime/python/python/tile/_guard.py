"""What would go wrong in silence with tensors of PyTorch."""

import sys

from ._native import LaunchError


def check(kernel, given, arrays):
    """Refuses what a kernel would not see, and tells autograd what it writes. `arrays` are the tensors among `given`."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(arrays[0], torch.Tensor):
        return
    for one in arrays:
        if one.is_neg():
            raise LaunchError(f"`{_name(kernel, given, one)}` is a view with negated numbers: give `.resolve_neg()` of it")
    if torch.is_grad_enabled():
        for one in arrays:
            if one.requires_grad:
                raise LaunchError(
                    f"`{_name(kernel, given, one)}` requires gradients, which no call of a kernel gives: call it under "
                    "`torch.no_grad()`, give `.detach()` of it, or make an operator with `tile.torch_op`"
                )
        torch.autograd.graph.increment_version(kernel._written(given))


def _name(kernel, given, tensor):
    return next(name for name, one in zip(kernel._names, given) if one is tensor)
