"""Kernels as operators of PyTorch, which torch.compile and autograd know."""

from ._kernel import _ELEMENTS, Kernel, _spelled
from ._sizes import Bound, outputs_of


def torch_op(kernel, name=None, *, outputs=(), backward=None, **generics):
    """An operator of PyTorch that launches a kernel.

    `outputs` names those of its `mut` parameters that the operator allocates and gives back; their sizes are those of the
    signature, bound by the other tensors. Other `mut` parameters are arguments that the operator changes in place.
    `generics` are bound for all calls; generics that are types are those of the tensors.

    `backward` gives gradients. It is an operator that torch_op made, whose arguments are found by name: an argument or an
    output of this one by its own, the gradient of the output `y` as `dy`; and each of its outputs `dx` is the gradient of
    the argument `x`. Or it is a function of Python, called as `backward(saved, *gradients)` with the arguments and outputs
    in a dict, that gives a dict of gradients by the names of arguments.

        rms_norm = tile.torch_op(k.rms_norm, outputs=["y"])
        y = rms_norm(x, weight, 1e-6)

    The operator is `torch.ops.tile.NAME`, where `name` is the kernel's unless given.
    """
    return Operator(kernel, name or kernel.__name__, outputs, backward, generics)


# The registrations of operators by their names.
_LIBRARIES = {}

# Arguments for which an operator keeps what it makes: a number that is another in each call must not fill memory.
_MOST_KNOWN = 1024


class Operator:
    """What torch_op makes: call it with the kernel's arguments but for the outputs, in order."""

    def __init__(self, kernel, name, outputs, backward, generics):
        import torch

        if not isinstance(kernel, Kernel):
            raise TypeError(f"torch_op makes operators of kernels, and {kernel!r} is none")
        self._kernel, self._bound = kernel, tuple(generics.items())
        # What is made for arguments: where the tensor is that says on which device, and shapes and types.
        self._known = {}
        self.__name__ = name
        self._outputs, self._inputs = outputs_of(kernel, outputs, generics)
        self._constants = {
            name: _spelled(generics[name]) if name in generics else generic["default"]
            for name, generic in kernel._generics.items()
        }
        self._dtypes = {own: getattr(torch, theirs) for theirs, own in _ELEMENTS.items() if hasattr(torch, theirs)}
        self._backward = backward
        self._torch = torch
        self._is_output = [name in outputs for name in kernel.parameters]

        # Made again, as in a cell of a notebook that runs twice, it takes the other's place.
        if name in _LIBRARIES:
            _LIBRARIES.pop(name)._destroy()
        library = _LIBRARIES[name] = torch.library.Library("tile", "FRAGMENT")
        library.define(name + self._schema())
        for key in ("CPU", "CUDA"):
            library.impl(name, self._run, key)
        torch.library.register_fake(f"tile::{name}", self._fake, lib=library)
        self._op = getattr(torch.ops.tile, name)
        self._function = self._autograd() if backward else None

    def __repr__(self):
        return f"<operator tile::{self.__name__}{self._schema()}>"

    def __call__(self, *given):
        torch = self._torch
        needs = torch.is_grad_enabled() and any(isinstance(one, torch.Tensor) and one.requires_grad for one in given)
        if needs and self._function is None:
            raise RuntimeError(f"tile::{self.__name__} has no gradient: make it with `torch_op(…, backward=…)`, or give `.detach()` of its arguments")
        return self._function.apply(*given) if needs else self._launch(*given)

    def _launch(self, *given):
        """Through PyTorch's dispatcher only where something looks on: that costs the host more than the launch."""
        torch = self._torch
        if torch.compiler.is_compiling() or any(type(one) is not torch.Tensor for one in given if isinstance(one, torch.Tensor)):
            return self._op(*given)
        return self._run(*given)

    def _schema(self):
        words = []
        changed = iter("abcdefghijklmnopqrstuvwxyz")
        for one in self._inputs:
            if one["kind"] == "scalar":
                element = self._constants.get(one["element"], one["element"])
                kind = "bool" if element == "i1" else "float" if element.startswith(("f", "bf")) else "SymInt"
                words.append(f"{kind} {one['name']}")
            elif one["mutable"]:
                words.append(f"Tensor({next(changed)}!) {one['name']}")
            else:
                words.append(f"Tensor {one['name']}")
        results = ", ".join(["Tensor"] * len(self._outputs))
        return f"({', '.join(words)}) -> " + (results if len(self._outputs) == 1 else f"({results})")

    def _allocate(self, given):
        """The outputs."""
        name = f"tile::{self.__name__}"
        bound = Bound(name, self._inputs, given, self._constants, self._torch._check)
        if bound.first is None and self._outputs:
            raise TypeError(f"{name} has no tensor that says where its results lie")
        dtypes = self._dtypes
        return [bound.first.new_empty(bound.shape(one), dtype=bound.dtype(one, dtypes)) for one in self._outputs]

    def _results(self, made):
        return made[0] if len(made) == 1 else tuple(made) if made else None

    def _fake(self, *given):
        return self._results(self._allocate(given))

    def _run(self, *given):
        given = [one.detach() if isinstance(one, self._torch.Tensor) and one.requires_grad else one for one in given]
        if len(given) != len(self._inputs):
            raise TypeError(f"tile::{self.__name__}{self._schema()} takes {len(self._inputs)} arguments, not {len(given)}")
        made = self._made_for(given)
        outputs, inputs = iter(made), iter(given)
        arguments = [next(outputs) if is_output else next(inputs) for is_output in self._is_output]
        self._kernel._start(arguments, self._bound)
        return self._results(made)

    def _made_for(self, given):
        """The outputs, of which shapes and types are known from a call before with arguments alike."""
        tensor = self._torch.Tensor
        key = tuple([(one.shape, one.dtype) if isinstance(one, tensor) else one for one in given])
        known = self._known.get(key)
        if known is None:
            made = self._allocate(given)
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            first = next((index for index, one in enumerate(given) if isinstance(one, tensor)), None)
            self._known[key] = (first, [(one.shape, one.dtype) for one in made])
            return made
        first, outputs = known
        return [given[first].new_empty(shape, dtype=dtype) for shape, dtype in outputs]

    def _autograd(self):
        names = [one["name"] for one in self._inputs]
        results = [one["name"] for one in self._outputs]
        if not results:
            raise ValueError(f"tile::{self.__name__} changes its arguments in place: only what it gives back can have gradients")

        def forward(ctx, *given):
            made = self._launch(*given)
            values = [*given, *(made if len(results) > 1 else [made])]
            tensors = [one for one in values if isinstance(one, self._torch.Tensor)]
            ctx.save_for_backward(*tensors)
            ctx.numbers = [None if isinstance(one, self._torch.Tensor) else one for one in values]
            ctx.is_tensor = [isinstance(one, self._torch.Tensor) for one in values]
            return made

        def backward(ctx, *gradients):
            tensors = iter(ctx.saved_tensors)
            values = [next(tensors) if is_tensor else number for is_tensor, number in zip(ctx.is_tensor, ctx.numbers)]
            saved = dict(zip([*names, *results], values))
            gradients = [
                self._torch.zeros_like(saved[name]) if gradient is None else gradient.contiguous()
                for name, gradient in zip(results, gradients)
            ]
            found = self._gradients(saved, dict(zip(results, gradients)))
            return tuple(found.get(name) for name in names)

        members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
        return type(f"{self.__name__}_function", (self._torch.autograd.Function,), members)

    def _gradients(self, saved, gradients):
        if not isinstance(self._backward, Operator):
            return self._backward(saved, *gradients.values())
        other = self._backward
        known = {**{f"d{name}": one for name, one in gradients.items()}, **saved}
        missing = [one["name"] for one in other._inputs if one["name"] not in known]
        if missing:
            raise TypeError(f"nothing gives `{missing[0]}` of tile::{other.__name__}; there is {', '.join(known)}")
        found = other._launch(*[known[one["name"]] for one in other._inputs])
        found = [found] if len(other._outputs) == 1 else found
        return {one["name"].removeprefix("d"): value for one, value in zip(other._outputs, found)}
