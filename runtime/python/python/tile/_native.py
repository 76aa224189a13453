"""The native half, and the errors that it raises."""

import functools
import pathlib

import tvm_ffi  # loads libtvm_ffi for all, which the native half needs


class LaunchError(ValueError):
    """Arguments that do not suit a kernel."""


class DeviceError(RuntimeError):
    """What a device cannot do, or where it failed."""


class Finding(RuntimeError):
    """What the simulator found: a race, an access out of bounds, memory that nobody wrote.

    Those that `check` gives say more: `code`, such as `race`; `file`, `line` and `column` of the kernel; `program`, its place in
    the grid; `thread`, its number in the program; and all that is known in `data`.
    """

    @classmethod
    def of(cls, data):
        """A finding from the simulator's account."""
        found = cls(data["message"])
        site = data["site"]
        found.code, found.file, found.line, found.column = data["code"], site.get("file"), site["line"], site.get("column")
        found.program, found.thread, found.data = tuple(data["program"]), data["thread"]["linear"], data
        return found


for _class in (LaunchError, DeviceError, Finding):
    tvm_ffi.register_error(f"tile.{_class.__name__}", _class)


@functools.cache
def library():
    path = pathlib.Path(__file__).parent / "lib" / "libtile_ffi.so"
    return tvm_ffi.load_module(str(path))
