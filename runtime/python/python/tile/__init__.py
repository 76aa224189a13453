"""Tile: GPU kernels written one tile at a time, called from Python.

    import numpy, tile

    k = tile.kernel('''
        kernel add<T: float = f32>(x: tensor<T>[n], y: tensor<T>[n], z: mut tensor<T>[n]) grid(cdiv(n, 256)) {
            let at = program_id(0) * 256;
            store(z[at +: 256], load(x[at +: 256]) + load(y[at +: 256]));
        }
    ''')
    x, y = numpy.ones(1000, "f"), numpy.ones(1000, "f")
    z = numpy.empty(1000, "f")
    k.add(x, y, z)

Arrays of the host run in the simulator, which needs no GPU and finds races and accesses out of bounds. Tensors of
a GPU run there, on the current stream. A kernel is compiled on its first call with these generics and element types
and kept in a cache; a `.ptx` file needs no compiler.
"""

from ._compile import CompileError, targets
from ._explain import Explanation
from ._jax import jax_op
from ._kernel import Kernel, Module, Plan, kernel, load
from ._native import DeviceError, Finding, LaunchError
from ._stubs import stubs
from ._torch import torch_op

__all__ = [
    "CompileError",
    "DeviceError",
    "Explanation",
    "Finding",
    "Kernel",
    "LaunchError",
    "Module",
    "Plan",
    "jax_op",
    "kernel",
    "load",
    "stubs",
    "targets",
    "torch_op",
]
