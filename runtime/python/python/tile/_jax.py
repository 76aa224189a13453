"""Kernels as functions of JAX, which jit and grad know."""

import functools
import hashlib

from ._compile import target_for
from ._kernel import _ELEMENTS, Kernel, _spelled
from ._native import library
from ._sizes import Bound, outputs_of


def jax_op(kernel, *, outputs, backward=None, **generics):
    """A function of JAX arrays that launches a kernel: on the GPU, or in the simulator where JAX runs on the CPU.

    `outputs` names the `mut` parameters of the kernel, which the function allocates and gives back; their sizes are those of
    the signature, bound by the other arrays. Parameters that are numbers are numbers of Python: what is traced cannot be one.
    `generics` are bound for all calls; generics that are types are those of the arrays.

    `backward` is another such function, whose arguments are found by name: an argument or an output of this one by its own,
    the gradient of the output `y` as `dy`; and each of its outputs `dx` is the gradient of the argument `x`.

        rms_norm = tile.jax_op(k.rms_norm, outputs=["y"])
        y = jax.jit(lambda x, w: rms_norm(x, w, 1e-6))(x, w)

    It needs the packages `jax` and `jax-tvm-ffi`.
    """
    return Operator(kernel, outputs, backward, generics)


class Operator:
    """What jax_op makes: call it with the kernel's arguments but for the outputs, in order."""

    def __init__(self, kernel, outputs, backward, generics):
        if not isinstance(kernel, Kernel):
            raise TypeError(f"jax_op makes functions of kernels, and {kernel!r} is none")
        self._kernel, self._generics, self._backward = kernel, generics, backward
        self.__name__, self.__doc__ = kernel.__name__, kernel.__doc__
        self._outputs, self._inputs = outputs_of(kernel, outputs, generics)
        for one in self._inputs:
            if one["mutable"]:
                raise ValueError(f"`{one['name']}` of {kernel!r} is written to, and arrays of JAX never change: name it among the outputs")
        self._constants = {
            name: _spelled(generics[name]) if name in generics else generic["default"]
            for name, generic in kernel._generics.items()
        }
        # The function gets arrays, outputs, numbers: which is which parameter.
        place = {name: index for index, name in enumerate(kernel.parameters)}
        arrays = [one for one in self._inputs if one["kind"] != "scalar"]
        self._numbers = [one for one in self._inputs if one["kind"] == "scalar"]
        self._order = ",".join(str(place[one["name"]]) for one in [*arrays, *self._outputs, *self._numbers])
        self._of_numbers = functools.lru_cache(maxsize=None)(self._function)

    def __repr__(self):
        return f"<function of JAX that launches {self._kernel!r}>"

    def __call__(self, *given):
        if len(given) != len(self._inputs):
            names = ", ".join(one["name"] for one in self._inputs)
            raise TypeError(f"{self.__name__} takes {len(self._inputs)} arguments, and {len(given)} were given: {names}")
        numbers = tuple(value for one, value in zip(self._inputs, given) if one["kind"] == "scalar")
        arrays = [value for one, value in zip(self._inputs, given) if one["kind"] != "scalar"]
        made = self._of_numbers(numbers)(*arrays)
        return made[0] if len(made) == 1 else tuple(made)

    def _merged(self, arrays, numbers):
        """Arguments in order."""
        arrays, numbers = iter(arrays), iter(numbers)
        return [next(numbers) if one["kind"] == "scalar" else next(arrays) for one in self._inputs]

    def _function(self, numbers):
        """A function of the arrays alone."""
        import jax

        launch = functools.partial(self._launch, numbers)
        if self._backward is None:
            return launch
        function = jax.custom_vjp(lambda *arrays: launch(*arrays))

        def forward(*arrays):
            made = launch(*arrays)
            return made, (arrays, made)

        def backward(saved, gradients):
            arrays, made = saved
            known = {one["name"]: value for one, value in zip(self._inputs, self._merged(arrays, numbers))}
            known |= {one["name"]: value for one, value in zip(self._outputs, made)}
            known |= {f"d{one['name']}": value for one, value in zip(self._outputs, gradients)}
            other = self._backward
            missing = [one["name"] for one in other._inputs if one["name"] not in known]
            if missing:
                raise TypeError(f"nothing gives `{missing[0]}` of {other!r}; there is {', '.join(known)}")
            found = other(*[known[one["name"]] for one in other._inputs])
            found = [found] if len(other._outputs) == 1 else found
            by_name = {one["name"].removeprefix("d"): value for one, value in zip(other._outputs, found)}
            names = [one["name"] for one in self._inputs if one["kind"] != "scalar"]
            return tuple(by_name.get(name) if name in by_name else jax.numpy.zeros_like(known[name]) for name in names)

        function.defvjp(forward, backward)
        return function

    def _launch(self, numbers, *arrays):
        import jax
        import jax.numpy as jnp
        import numpy

        dtypes = {own: getattr(jnp, theirs) for theirs, own in _ELEMENTS.items() if hasattr(jnp, theirs)}
        bound = Bound(self.__name__, self._inputs, self._merged(arrays, numbers), self._constants)
        results = [jax.ShapeDtypeStruct(bound.shape(one), bound.dtype(one, dtypes)) for one in self._outputs]
        named = {}
        for one, value in zip(self._numbers, numbers):
            is_float = self._constants.get(one["element"], one["element"]).startswith(("f", "bf"))
            named[one["name"]] = numpy.float64(value) if is_float else numpy.int64(value)
        target = self._target(tuple(str(array.dtype) for array in arrays))
        call = jax.ffi.ffi_call(target, results, vmap_method="sequential")
        return call(*arrays, **named)

    @functools.cache
    def _target(self, dtypes):
        """The name under which JAX knows the kernel for these element types."""
        import jax
        import jax_tvm_ffi

        platform = "gpu" if jax.default_backend() == "gpu" else "cpu"
        bound = {name: _spelled(value) for name, value in self._generics.items()}
        arrays = [one for one in self._inputs if one["kind"] != "scalar"]
        for one, dtype in zip(arrays, dtypes):
            if one["element"] in self._kernel._generics:
                bound.setdefault(one["element"], _ELEMENTS[dtype])
        device, target = "sim", "sm_90a"
        if platform == "gpu":
            first = jax.devices("gpu")[0]
            device, target = "cuda:0", target_for(tuple(map(int, first.compute_capability.split("."))))
        text = self._kernel._module._compiled(self.__name__, target, bound)
        function = library().load(text, self.__name__, device, self._order)
        digest = hashlib.sha256(f"{device} {self._order} {text}".encode()).hexdigest()[:16]
        name = f"tile.{self.__name__}.{digest}"
        spec = ["args", "rets", *[f"attrs.{one['name']}" for one in self._numbers]]
        jax_tvm_ffi.register_ffi_target(name, function, spec, platform=platform, allow_cuda_graph=True)
        return name
