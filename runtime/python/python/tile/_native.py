"""The native half, and the errors that it raises."""

import functools
import pathlib

import tvm_ffi  # loads libtvm_ffi for all, which the native half needs


class LaunchError(ValueError):
    """Arguments that do not suit a kernel."""


class DeviceError(RuntimeError):
    """What a device cannot do, or where it failed."""


class Finding(RuntimeError):
    """What the simulator found: a race, an access out of bounds, memory that nobody wrote."""


for _class in (LaunchError, DeviceError, Finding):
    tvm_ffi.register_error(f"tile.{_class.__name__}", _class)


@functools.cache
def library():
    path = pathlib.Path(__file__).parent / "lib" / "libtile_ffi.so"
    return tvm_ffi.load_module(str(path))
