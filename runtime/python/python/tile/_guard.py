"""What would go wrong in silence with tensors of PyTorch."""

import sys

from ._native import LaunchError


def check(kernel, given, arrays):
    """Refuses what a kernel would not see, and tells autograd what it writes. `arrays` are those among `given`."""
    torch = sys.modules["torch"]
    tensors = [one for one in arrays if isinstance(one, torch.Tensor)]
    for one in tensors:
        if one.is_neg():
            raise LaunchError(f"`{_name(kernel, given, one)}` is a view with negated numbers: give `.resolve_neg()` of it")
    if tensors and torch.is_grad_enabled():
        for one in tensors:
            if one.requires_grad:
                raise LaunchError(
                    f"`{_name(kernel, given, one)}` requires gradients, which no call of a kernel gives: call it under "
                    "`torch.no_grad()`, give `.detach()` of it, or make an operator with `tile.torch_op`"
                )
        written = kernel._written(given)
        torch.autograd.graph.increment_version([one for one in written if isinstance(one, torch.Tensor)])


def _name(kernel, given, tensor):
    return next(name for name, one in zip(kernel.parameters, given) if one is tensor)
