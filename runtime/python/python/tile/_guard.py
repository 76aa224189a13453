"""What would go wrong in silence with tensors of PyTorch."""

import operator
import sys

from ._native import LaunchError

_requires_grad = operator.attrgetter("requires_grad")


def check(kernel, given, arrays):
    """Refuses what a kernel would not see, and tells autograd what it writes. `arrays` are the tensors among `given`."""
    torch = sys.modules["torch"]
    if any(map(torch.Tensor.is_neg, arrays)):
        name = _name(kernel, given, torch.Tensor.is_neg)
        raise LaunchError(f"{name} is a view with negated numbers: give `.resolve_neg()` of it")
    if not torch.is_grad_enabled():
        return
    if any(map(_requires_grad, arrays)):
        raise LaunchError(
            f"{_name(kernel, given, _requires_grad)} requires gradients, which no call of a kernel gives: call it under "
            "`torch.no_grad()`, give `.detach()` of it, or make an operator with `tile.torch_op`"
        )
    written = [given[index] for index in kernel._written]
    torch.autograd.graph.increment_version(written)


def _name(kernel, given, test):
    is_tensor = lambda value: hasattr(value, "requires_grad")  # noqa: E731
    return next(f"`{name}`" for name, value in zip(kernel._names, given) if is_tensor(value) and test(value))
