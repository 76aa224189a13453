"""Files with kernels as modules, kernels as functions."""

import hashlib
import inspect
import json
import operator
import os
import pathlib
import sys
import textwrap
import threading
import typing

from ._compile import Source, cache, run, target_for
from ._guard import check
from ._explain import Explanation
from ._native import DeviceError, Finding, LaunchError, library

# numpy's and torch's names of element types, as kernels call them.
_ELEMENTS = {
    "bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
    "float8_e4m3fn": "f8e4m3", "float8_e5m2": "f8e5m2",
}  # fmt: skip


def _element(array):
    """The element type of an array, or None of what is none."""
    kind = getattr(array, "dtype", None)
    return kind and _ELEMENTS.get(str(kind).removeprefix("torch."))


def _picker(indices):
    """A function that gives the elements of a tuple at these places, as a tuple."""
    if len(indices) > 1:
        return operator.itemgetter(*indices)
    return lambda given: tuple(given[index] for index in indices)


def _device(arguments):
    """`sim`, or the GPU that the arrays lie on."""
    for value in arguments:
        device = getattr(value, "device", None)
        kind = getattr(device, "type", None)
        if kind == "cuda":
            return f"cuda:{device.index or 0}"
        if kind is None and hasattr(value, "__dlpack_device__"):
            kind, number = value.__dlpack_device__()
            if kind == 2:
                return f"cuda:{number}"
    return "sim"


def _capability(device):
    """The compute capability of a GPU."""
    import torch  # whoever has tensors on a GPU but no PyTorch loads a .ptx file

    return torch.cuda.get_device_capability(int(device.removeprefix("cuda:")))


class Plan(typing.NamedTuple):
    """What a launch is."""

    entry: str
    """The entry point: that of the variant whose assumptions hold."""
    grid: tuple[int, int, int]
    """Programs along x, y and z."""
    threads: int
    """Of a program."""
    shared_bytes: int
    """Of a program."""
    programs_at_once: int
    """How many of them the whole device holds."""


class Kernel:
    """A kernel: call it with its arguments, in order or by name, and with its generics by name.

    Generics that are types are those of the arrays; others have their defaults. The kernel writes to the arrays of its
    `mut` parameters, and the call gives nothing.
    """

    def __init__(self, module, signature):
        self._module = module
        self._signature = signature
        self.__name__ = signature["name"]
        self.__doc__ = signature["docs"] or None
        # Their names, in order.
        self.parameters = tuple(parameter["name"] for parameter in signature["parameters"])
        self._generics = {generic["name"]: generic for generic in signature["generics"]}
        self._by_element = [
            (index, parameter["element"])
            for index, parameter in enumerate(signature["parameters"])
            if parameter["element"] in self._generics and parameter["kind"] != "scalar"
        ]
        arrays = [index for index, one in enumerate(signature["parameters"]) if one["kind"] != "scalar"]
        self._arrays = _picker(arrays)
        self._count = len(self.parameters)
        # Of the arrays whose elements are of one generic the first decides; that the others agree is checked by the launch.
        self._deciding = list({generic: index for index, generic in reversed(self._by_element)}.values())
        self._written = _picker([index for index in arrays if signature["parameters"][index]["mutable"]])
        self._loaded = {}
        self._lock = threading.Lock()

    def __repr__(self):
        parameters = ", ".join(f"{one['name']}: {one['text']}" for one in self._signature["parameters"])
        return f"<kernel {self.__name__}({parameters})>"

    def _arguments(self, given, named):
        """The arguments in order, and the generics among what was given by name."""
        generics = {name: named.pop(name) for name in list(named) if name in self._generics}
        given = list(given)
        for name in self.parameters[len(given) :]:
            if name not in named:
                raise TypeError(f"{self.__name__}() misses the argument `{name}`: {self!r}")
            given.append(named.pop(name))
        if named or len(given) > self._count:
            what = f"no argument or generic `{next(iter(named))}`" if named else f"{len(self.parameters)} arguments"
            raise TypeError(f"{self.__name__}() has {what}: {self!r}")
        return given, generics

    def __call__(self, *given, **named):
        generics = ()
        if named or len(given) != self._count:
            given, named = self._arguments(given, named)
            generics = tuple(named.items())
        self._start(given, generics)

    def _start(self, given, generics):
        """A call whose arguments are in order; `generics` are pairs of names and values."""
        # This is on each call's way: names are looked up where the key is new.
        arrays = self._arrays(given)
        key = self._key(given, arrays, generics)
        function = self._loaded.get(key)
        if function is None:
            function = self._load(key, given, generics)
        if "torch" in sys.modules:
            check(self, given, arrays)
        function(*given)

    def _key(self, given, arrays, generics):
        """What a kernel is compiled and loaded for."""
        try:
            return (arrays[0].device, *[given[index].dtype for index in self._deciding], *generics)
        except (AttributeError, IndexError):
            # Older arrays do not say where they are, and what is none says nothing.
            return (_device(given), *[_element(given[index]) for index, _ in self._by_element], *generics)

    def plan(self, *given, **named):
        """What a call with these arguments would launch. Nothing runs."""
        given, generics = self._arguments(given, named)
        generics = tuple(generics.items())
        function = self._load(self._key(given, self._arrays(given), generics), given, generics)
        found = json.loads(function("plan", *given))
        return Plan(**{**found, "grid": tuple(found["grid"])})

    def check(self, *given, **named):
        """What the simulator finds in a call with these arguments, wherever they lie: a list, empty if all is well.

        Nothing is written to them.
        """
        given, generics = self._arguments(given, named)
        host = [one.cpu() if getattr(getattr(one, "device", None), "type", None) == "cuda" else one for one in given]
        generics = tuple(generics.items())
        function = self._load(self._key(host, self._arrays(host), generics), host, generics)
        found = json.loads(function("check", *host))
        return [Finding.of(found)] if found else []

    def explain(self, *given, **named):
        """What the compiler decides for a call with these arguments, and what that costs: an [`Explanation`]."""
        return Explanation(self._command("explain", *self._arguments(given, named)))

    def tune(self, *given, **named):
        """Times all values of the kernel's `tune` clauses on arguments like these, and records the winner beside the source.

        Later calls of like sizes take it. Gives the table that `tilec tune` prints.
        """
        given, generics = self._arguments(given, named)
        table = run(*self._command("tune", given, generics), "--device", _device(given))
        with self._lock:
            self._loaded.clear()
        return table

    def _command(self, command, given, generics):
        """A command of `tilec` for a call: arrays are given by their sizes, with random numbers."""
        source = self._module._source
        if source is None:
            raise ValueError(f"{self._module!r} has no source to {command}: load the .tile file")
        words = []
        for name, one in zip(self.parameters, given):
            shape = getattr(one, "shape", None)
            if shape is None:
                words.append(f"{name}={_spelled(one)}")
            else:
                make = "randn" if (_element(one) or "").startswith(("f", "bf")) else "zeros"
                words.append(f"{name}={make}({','.join(map(str, shape))})")
        bound = {name: _spelled(value) for name, value in generics.items()}
        for index, generic in self._by_element:
            bound.setdefault(generic, _element(given[index]))
        defines = [word for name, value in bound.items() if value for word in ("-D", f"{name}={value}")]
        return [command, str(source.path), "--kernel", self.__name__, *words, *defines]

    def _load(self, key, given, generics):
        device = _device(given)
        torch = sys.modules.get("torch")
        if torch and device != "sim" and torch.cuda.is_current_stream_capturing():
            raise DeviceError(
                f"`{self.__name__}` is called for the first time with these element types and generics while a graph is captured, "
                "which loading would break: call it once before the capture"
            )
        bound = {name: _spelled(value) for name, value in generics}
        for index, generic in self._by_element:
            element = _element(given[index])
            if element is not None and bound.setdefault(generic, element) != element:
                raise LaunchError(
                    f"`{self.parameters[index]}` has elements of type {element}, but `{generic}` is {bound[generic]}: {self!r}"
                )
        with self._lock:
            if key not in self._loaded:
                text = self._module._ptx(self.__name__, device, bound)
                self._loaded[key] = library().load(text, self.__name__, device)
            return self._loaded[key]

    def ptx(self, target="sm_90a", **generics):
        """The PTX of the kernel, with its manifest."""
        bound = {name: _spelled(value) for name, value in generics.items()}
        return self._module._source.ptx(self.__name__, target, bound)


def _spelled(value):
    """A generic as the compiler reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return _ELEMENTS.get(str(value).removeprefix("torch."), str(value))


class Module:
    """The kernels of a file, each an attribute."""

    def __init__(self, path):
        self._path = pathlib.Path(path)
        self._source = self._text = None
        if self._path.suffix == ".ptx":
            self._text = self._path.read_text()
            signatures = _of_manifest(self._text)
        else:
            self._source = Source(self._path)
            signatures = self._source.signatures.values()
        self._kernels = {signature["name"]: Kernel(self, signature) for signature in signatures}

    def __getattr__(self, name):
        try:
            return self.__dict__["_kernels"][name]
        except KeyError:
            known = ", ".join(self.__dict__.get("_kernels", ()))
            raise AttributeError(f"{self._path} has no kernel `{name}`; it has {known}") from None

    def __iter__(self):
        """The kernels, in the order of the file."""
        return iter(self._kernels.values())

    def __dir__(self):
        return [*super().__dir__(), *self._kernels]

    def __repr__(self):
        return f"<kernels of {self._path}: {', '.join(self._kernels)}>"

    def _ptx(self, kernel, device, generics):
        target = None
        if self._text is None:
            target = "sm_90a" if device == "sim" else target_for(_capability(device))
        return self._compiled(kernel, target, generics)

    def _compiled(self, kernel, target, generics):
        """The PTX of a kernel; that of a file as it is."""
        return self._text if self._text is not None else self._source.ptx(kernel, target, generics)


def _of_manifest(text):
    """Signatures of kernels that are compiled: all generics are bound."""
    lines = [line.removeprefix("//tile:") for line in text.splitlines() if line.startswith("//tile:")]
    if not lines:
        raise ValueError("this PTX has no manifest: it was not compiled by tilec")
    kernels = json.loads("\n".join(lines))["kernels"]
    return [
        {
            "name": kernel["name"],
            "docs": kernel.get("docs", ""),
            "line": 0,
            "generics": [],
            "parameters": [
                {
                    "name": one["name"],
                    "kind": one["kind"],
                    "element": one["element"],
                    "mutable": one.get("mutable", False),
                    "sizes": [],
                    "text": ("mut " if one.get("mutable") else "") + f"{one['kind']}<{one['element']}>",
                }
                for one in kernel["parameters"]
            ],
        }
        for kernel in kernels
    ]


def load(path):
    """The kernels of a `.tile` file, or of a `.ptx` file that tilec made."""
    return Module(path)


def kernel(text):
    """The kernels of a text, indented as you like: messages name the Python file that has it."""
    text = textwrap.dedent(text).strip("\n") + "\n"
    caller = inspect.stack(context=0)[1].filename
    name = pathlib.Path(caller).stem if os.path.exists(caller) else "inline"
    folder = cache() / "inline" / hashlib.sha256(text.encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.tile"
    if not path.exists():
        partial = folder / f"{name}.{os.getpid()}.{threading.get_ident()}.tmp"
        partial.write_text(text)
        os.replace(partial, path)
    return Module(path)
