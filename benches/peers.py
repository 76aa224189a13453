#!/usr/bin/env python3
"""Times compiled kernels beside PyTorch and Triton, in one process and one run.

Usage: peers.py [--json FILE] [--only TEXT] [--milliseconds N] [--alone] DIR

DIR holds what `benches/peers.sh --compile-only DIR` made: KERNEL-TYPE-ROWSxCOLUMNS.ptx. Each is checked against
PyTorch in f32 and timed with CUDA events, the level-2 cache flushed, random inputs, the median of many runs
(`triton.testing.do_bench`). The columns are ratios to a device-to-device copy of as many bytes in the same run.
Triton runs the usual kernel, one row per program, with 4, 8, 16 and 32 warps; the best of them counts.

Needs PyTorch; without Triton its column stays empty. Exit codes: 0 all is right, 1 a result is wrong, 2 nothing ran.
"""

import argparse
import ctypes
import json
import pathlib
import statistics
import sys

import torch

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

DRIVER = ctypes.CDLL("libcuda.so.1")
TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}
# What a result may be off by, relative to the norm: one rounding to the type of the output.
LIMITS = {torch.bfloat16: 4e-3, torch.float16: 6e-4, torch.float32: 2e-6}
# CUtensorMapDataType.
MAP_TYPES = {torch.uint8: 0, torch.int32: 4, torch.float16: 6, torch.float32: 7, torch.bfloat16: 9}
EPS = 1e-5


def driver(name, *arguments):
    code = getattr(DRIVER, name)(*arguments)
    if code != 0:
        text = ctypes.c_char_p()
        DRIVER.cuGetErrorString(code, ctypes.byref(text))
        raise RuntimeError(f"{name}: {(text.value or b'?').decode()}")


class Program:
    """A kernel of a PTX file, launched as its manifest says."""

    def __init__(self, path):
        text = path.read_text()
        manifest = "".join(
            line.removeprefix("//tile:") + "\n" for line in text.splitlines() if line.startswith("//tile:")
        )
        self.kernel = json.loads(manifest)["kernels"][0]
        self.module = ctypes.c_void_p()
        driver("cuModuleLoadData", ctypes.byref(self.module), text.encode() + b"\0")
        self.functions = {}

    def prepare(self, **given):
        """A function without arguments that launches the kernel on PyTorch's stream."""
        sizes = {}
        for parameter in self.kernel["parameters"]:
            value = given[parameter["name"]]
            if parameter["kind"] == "tensor":
                for dimension, size in zip(parameter["dimensions"], value.shape):
                    if isinstance(dimension, dict) and "named" in dimension:
                        assert sizes.setdefault(dimension["named"], size) == size
            elif parameter["kind"] == "scalar":
                sizes[parameter["name"]] = value
        for variant in self.kernel["variants"]:
            maps = [self.tensor_map(wanted, given[wanted["of"]]) for wanted in variant.get("maps", [])]
            if None not in maps and all(self.holds(assumption, given, sizes) for assumption in variant["assumptions"]):
                break
        function = self.function(variant)
        values = []
        for argument in self.kernel["arguments"]:
            kind = argument["kind"]
            if kind == "address":
                values.append(ctypes.c_uint64(given[argument["of"]].data_ptr()))
            elif kind == "size":
                values.append(ctypes.c_int32(sizes[argument["name"]]))
            elif kind == "stride":
                values.append(ctypes.c_int64(given[argument["of"]].stride(argument["dimension"])))
            else:
                value = given[argument["name"]]
                values.append(ctypes.c_float(value) if isinstance(value, float) else ctypes.c_int32(value))
        places = [ctypes.addressof(v) for v in values] + [address for _, address in maps]
        pointers = (ctypes.c_void_p * len(places))(*places)
        grid = [self.size(expression, sizes) for expression in self.kernel["grid"]] + [1, 1]
        grid[0] *= variant.get("cluster", 1)
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

        def launch(_values=values, _maps=maps):
            driver("cuLaunchKernel", function, *grid[:3], variant["threads"], 1, 1, variant["shared_bytes"], stream, pointers, None)

        launch.entry = variant["entry"]
        return launch

    @staticmethod
    def tensor_map(wanted, tensor):
        """What `cuTensorMapEncodeTiled` makes of a tensor, at a multiple of 64 bytes; None where it refuses."""
        rank = tensor.dim()
        size = tensor.element_size()
        sizes = (ctypes.c_uint64 * rank)(*reversed(tensor.shape))
        strides = (ctypes.c_uint64 * rank)(*(tensor.stride(d) * size for d in reversed(range(rank - 1))), 0)
        box = (ctypes.c_uint32 * rank)(*reversed(wanted["tile"]))
        steps = (ctypes.c_uint32 * rank)(*[1] * rank)
        swizzle = {0: 0, 32: 1, 64: 2, 128: 3}[wanted["swizzle"]]
        room = ctypes.create_string_buffer(128 + 64)
        address = -(-ctypes.addressof(room) // 64) * 64
        code = DRIVER.cuTensorMapEncodeTiled(
            ctypes.c_void_p(address), MAP_TYPES[tensor.dtype], rank, ctypes.c_void_p(tensor.data_ptr()), sizes, strides, box, steps, 0, swizzle, 2, 0
        )
        return (room, address) if code == 0 and tensor.stride(-1) == 1 else None

    def function(self, variant):
        entry = variant["entry"]
        if entry not in self.functions:
            function = ctypes.c_void_p()
            driver("cuModuleGetFunction", ctypes.byref(function), self.module, entry.encode())
            if variant["shared_bytes"] > 48 * 1024:
                driver("cuFuncSetAttribute", function, 8, variant["shared_bytes"])
            self.functions[entry] = function
        return self.functions[entry]

    @staticmethod
    def holds(assumption, given, sizes):
        kind = assumption["kind"]
        if kind == "aligned":
            return given[assumption["of"]].data_ptr() % assumption["bytes"] == 0
        if kind == "divisible":
            return sizes[assumption["name"]] % assumption["by"] == 0
        stride = given[assumption["of"]].stride(assumption["dimension"])
        return stride % assumption["by"] == 0 if kind == "stride_divisible" else stride == assumption["stride"]

    def size(self, expression, sizes):
        (kind, value), = expression.items()
        if kind == "const":
            return value
        if kind == "name":
            return sizes[value]
        a, b = (self.size(operand, sizes) for operand in value)
        return {"ceil_div": -(-a // max(b, 1)), "add": a + b, "sub": a - b, "mul": a * b, "div": a // max(b, 1), "min": min(a, b), "max": max(a, b)}[kind]


if triton is not None:

    @triton.jit
    def add_kernel(x, y, z, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = at < n
        tl.store(z + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)

    @triton.jit
    def softmax_kernel(x, y, columns, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        at = tl.arange(0, BLOCK)
        inside = at < columns
        values = tl.load(x + row * columns + at, mask=inside, other=-float("inf")).to(tl.float32)
        powers = tl.exp(values - tl.max(values, 0))
        tl.store(y + row * columns + at, powers / tl.sum(powers, 0), mask=inside)

    @triton.jit
    def layer_norm_kernel(x, w, b, y, columns, eps, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        at = tl.arange(0, BLOCK)
        inside = at < columns
        weight = tl.load(w + at, mask=inside).to(tl.float32)
        bias = tl.load(b + at, mask=inside).to(tl.float32)
        values = tl.load(x + row * columns + at, mask=inside, other=0.0).to(tl.float32)
        mean = tl.sum(values, 0) / columns
        centred = tl.where(inside, values - mean, 0.0)
        scale = tl.rsqrt(tl.sum(centred * centred, 0) / columns + eps)
        tl.store(y + row * columns + at, centred * scale * weight + bias, mask=inside)

    @triton.jit
    def rms_norm_kernel(x, w, y, columns, eps, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        at = tl.arange(0, BLOCK)
        inside = at < columns
        weight = tl.load(w + at, mask=inside).to(tl.float32)
        values = tl.load(x + row * columns + at, mask=inside, other=0.0).to(tl.float32)
        scale = tl.rsqrt(tl.sum(values * values, 0) / columns + eps)
        tl.store(y + row * columns + at, values * scale * weight, mask=inside)


def elements(shape):
    """`32768x1024` or `2^20`."""
    if "^" in shape:
        base, power = shape.split("^")
        return [int(base) ** int(power)]
    return [int(size) for size in shape.split("x")]


def case(name, ty, shape):
    """The inputs of a kernel, its outputs, and the peers that compute the same."""
    x = torch.randn(shape, device="cuda", dtype=ty)
    out = torch.full_like(x, float("nan"))
    block = 0 if triton is None else triton.next_power_of_2(shape[-1])
    columns = shape[-1]
    functional = torch.nn.functional
    if name == "add":
        y = torch.randn_like(x)
        ours = {"x": x, "y": y, "z": out}
        pytorch = lambda: torch.add(x, y, out=peer_out)
        kernel = lambda warps: add_kernel[(triton.cdiv(columns, 1024),)](x, y, peer_out, columns, BLOCK=1024, num_warps=warps)
        expected, moved = lambda: x.double() + y.double(), 3
    elif name == "softmax":
        ours = {"x": x, "y": out}
        pytorch = lambda: functional.softmax(x, -1)
        kernel = lambda warps: softmax_kernel[(shape[0],)](x, peer_out, columns, BLOCK=block, num_warps=warps)
        expected, moved = lambda: functional.softmax(x[:64].double(), -1), 2
    else:
        w = torch.randn(columns, device="cuda", dtype=ty)
        b = torch.randn(columns, device="cuda", dtype=ty)
        moved = 2
        if name == "layer_norm":
            ours = {"x": x, "w": w, "b": b, "y": out, "eps": EPS}
            pytorch = lambda: functional.layer_norm(x, [columns], w, b, EPS)
            kernel = lambda warps: layer_norm_kernel[(shape[0],)](x, w, b, peer_out, columns, EPS, BLOCK=block, num_warps=warps)
            expected = lambda: functional.layer_norm(x[:64].double(), [columns], w.double(), b.double(), EPS)
        elif name == "rms_norm":
            ours = {"x": x, "w": w, "y": out, "eps": EPS}
            pytorch = lambda: functional.rms_norm(x, [columns], w, EPS)
            kernel = lambda warps: rms_norm_kernel[(shape[0],)](x, w, peer_out, columns, EPS, BLOCK=block, num_warps=warps)
            expected = lambda: functional.rms_norm(x[:64].double(), [columns], w.double(), EPS)
        else:
            raise SystemExit(f"error: `{name}` is no kernel that is known here")
    peer_out = torch.empty_like(x)
    return x, out, ours, pytorch, kernel, expected, moved * x.numel() * x.element_size()


def spread(run, milliseconds):
    """Median and the quarter points, in microseconds."""
    if triton is not None:
        times = triton.testing.do_bench(run, warmup=10, rep=milliseconds, return_mode="all")
        times = [1000 * time for time in times]
    else:
        flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
        times = []
        for _ in range(30):
            flush.zero_()
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            run()
            end.record()
            torch.cuda.synchronize()
            times.append(1000 * start.elapsed_time(end))
    quarters = statistics.quantiles(times, n=4)
    return statistics.median(times), quarters[0], quarters[2]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("directory", type=pathlib.Path)
    arguments.add_argument("--json", type=pathlib.Path)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--milliseconds", type=int, default=60, help="how long each is repeated")
    arguments.add_argument("--alone", action="store_true", help="leave PyTorch and Triton out")
    options = arguments.parse_args()
    paths = sorted(path for path in options.directory.glob("*.ptx") if options.only in path.name)
    if not paths:
        print("error: no PTX files there", file=sys.stderr)
        return 2
    torch.manual_seed(0)
    torch.zeros(1, device="cuda")
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Triton {triton.__version__ if triton else '(none)'}")
    print(f"{'kernel':40} {'us':>8} {'GB/s':>6} {'of copy':>8} {'spread':>7} | {'PyTorch':>8} {'Triton':>7} warps | of best  error")
    wrong, rows = 0, []
    copies = {}
    for path in paths:
        name, ty, shape = path.stem.split("-")[:3]
        dtype, shape = TYPES[ty], elements(shape)
        x, out, ours, pytorch, kernel, expected, moved = case(name, dtype, shape)
        launch = Program(path).prepare(**ours)
        launch()
        torch.cuda.synchronize()
        reference = expected()
        found = out[: reference.shape[0]].double()
        error = ((found - reference).norm() / reference.norm()).item()
        right = error <= LIMITS[dtype] and not out.isnan().any().item()
        wrong += not right
        if moved not in copies:
            source = torch.empty(moved // 2, dtype=torch.int8, device="cuda").random_()
            target = torch.empty_like(source)
            copies[moved] = spread(lambda: target.copy_(source), options.milliseconds)[0]
            del source, target
        copy = copies[moved]
        time, low, high = spread(launch, options.milliseconds)
        peer, best, best_warps = float("nan"), float("nan"), 0
        if not options.alone:
            peer = spread(pytorch, options.milliseconds)[0]
        if triton is not None and not options.alone:
            for warps in (4, 8, 16, 32):
                try:
                    found = spread(lambda: kernel(warps), options.milliseconds)[0]
                except Exception:  # too many registers, no such setting
                    continue
                if not found >= best:
                    best, best_warps = found, warps
        rival = min((value for value in (peer, best) if value == value), default=float("nan"))
        rows.append(dict(name=path.stem, entry=launch.entry, us=time, low=low, high=high, bytes=moved, copy_us=copy, pytorch_us=peer, triton_us=best, triton_warps=best_warps, error=error, right=right))
        general = " general" if launch.entry.endswith("__general") else ""
        print(
            f"{path.stem:40} {time:8.1f} {moved / time / 1000:6.0f} {copy / time:8.3f} {(high - low) / time:7.1%} |"
            f" {copy / peer:8.3f} {copy / best:7.3f} {best_warps:5} | {rival / time:7.3f}  {error:.1e}{'' if right else ' WRONG'}{general}",
            flush=True,
        )
        del x, out, ours, launch
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
