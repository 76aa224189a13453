#!/usr/bin/env python3
"""Times compiled matrix products beside Triton, in one process and taking turns.

Usage: matmul.py [--json FILE] [--only START] [--samples N] [--seconds N] [--row-seconds N] DIR

DIR holds what `benches/matmul.sh --compile-only DIR` made. For each kind of product and each of its sizes, all of
our files and all settings of two Triton kernels (persistent with tensor maps; with pointers) are run a few times; the
fastest of either side are then timed in turns, the level-2 cache flushed before each run, random normal inputs.
What either computes is compared with the product in float64 of a sample of rows. Triton adds up fp8 in the tensor
cores alone, which is its default; our kernels add blocks of 128 products in f32.

Needs PyTorch, Triton and the package `tile` (runtime/python/build.sh). Exit codes: 0 all is right, 1 a result is wrong, 2 nothing ran.
"""

import argparse
import concurrent.futures
import json
import pathlib
import statistics
import sys
import time

import tile
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from peers import Launch

TYPES = {
    "bf16": torch.bfloat16,
    "f16": torch.float16,
    "f32": torch.float32,
    "f8e4m3": torch.float8_e4m3fn,
    "i8": torch.int8,
    "i32": torch.int32,
}
LIMITS = {"bf16": 6e-3, "f16": 3e-3, "f32": 3e-3, "i32": 0.0}
ALL = [
    (8192, 8192, 8192), (4096, 4096, 4096), (2048, 2048, 2048), (1024, 1024, 1024), (16384, 4096, 4096),
    (4096, 14336, 4096), (128, 8192, 8192), (16, 8192, 8192), (5000, 5000, 5000), (1000, 3000, 2000),
    (3333, 2222, 4440), (2047, 4095, 1023), (256, 256, 16384), (512, 512, 32768), (4096, 4096, 512),
]  # fmt: skip
FEW = [(8192, 8192, 8192), (4096, 4096, 4096), (1024, 1024, 1024), (5000, 5000, 5000)]
MULTIPROCESSORS = tl.constexpr(132)


@triton.jit
def tile_of(number, m, n, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    """The tile of that number, in groups of rows, so that those that run at once share operands."""
    rows = tl.cdiv(m, BM)
    columns = tl.cdiv(n, BN)
    first = number // (GROUP * columns) * GROUP
    height = tl.minimum(rows - first, GROUP)
    inside = number % (GROUP * columns)
    return first + inside % height, inside // height


@triton.jit(do_not_specialize=["m", "n", "k"])
def mapped(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TURNED: tl.constexpr, SUM: tl.constexpr):
    """Persistent, with tensor maps."""
    for number in tl.range(tl.program_id(0), tl.cdiv(m, BM) * tl.cdiv(n, BN), MULTIPROCESSORS, flatten=True):
        row, column = tile_of(number, m, n, BM, BN, 8)
        sums = tl.zeros([BM, BN], SUM)
        for block in range(tl.cdiv(k, BK)):
            x = a.load([row * BM, block * BK])
            if TURNED:
                y = b.load([column * BN, block * BK]).T
            else:
                y = b.load([block * BK, column * BN])
            sums = tl.dot(x, y, sums)
        c.store([row * BM, column * BN], sums.to(c.dtype))


@triton.jit
def pointed(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TURNED: tl.constexpr, SUM: tl.constexpr):
    """A program for each tile, with pointers: for sizes of which there are no tensor maps."""
    row, column = tile_of(tl.program_id(0), m, n, BM, BN, 8)
    i = row * BM + tl.arange(0, BM)
    j = column * BN + tl.arange(0, BN)
    left = a + (i % m).to(tl.int64)[:, None] * k
    right = b + ((j % n).to(tl.int64)[None, :] * k if TURNED else (j % n)[None, :])
    sums = tl.zeros([BM, BN], SUM)
    for start in range(0, k, BK):
        at = start + tl.arange(0, BK)
        x = tl.load(left + at[None, :], mask=(at < k)[None, :], other=0)
        if TURNED:
            y = tl.load(right + at[:, None], mask=(at < k)[:, None], other=0)
        else:
            y = tl.load(right + at.to(tl.int64)[:, None] * n, mask=(at < k)[:, None], other=0)
        sums = tl.dot(x, y, sums)
    tl.store(c + i.to(tl.int64)[:, None] * n + j[None, :], sums.to(c.dtype.element_ty), mask=(i < m)[:, None] & (j < n)[None, :])


def settings(bytes_, m):
    """Tiles, stages and warps: few, as compiling one takes a second."""
    wide = 128 // bytes_
    if m <= 256:
        return [(64, 64, 2 * wide, 4, 4), (64, 128, wide, 4, 4), (16, 128, 2 * wide, 4, 4), (128, 128, wide, 4, 4)]
    return [(128, 256, wide, 3, 8), (256, 128, wide, 3, 8), (128, 128, wide, 4, 8), (64, 128, wide, 4, 4)]


def runs_of(kind, sizes, a, b, c):
    """What Triton could run, by name."""
    m, n, k = sizes
    bytes_ = a.element_size()
    total = tl.int32 if kind["out"] == "i32" else tl.float32
    turned = kind["turned"]
    aligned = all(tensor.stride(0) * tensor.element_size() % 16 == 0 for tensor in (a, b, c))
    for bm, bn, bk, stages, warps in settings(bytes_, m):
        tiles = triton.cdiv(m, bm) * triton.cdiv(n, bn)

        def with_pointers(bm=bm, bn=bn, bk=bk, stages=stages, warps=warps, tiles=tiles):
            pointed[(tiles,)](a, b, c, m, n, k, bm, bn, bk, turned, total, num_stages=stages, num_warps=warps)

        if not aligned:
            yield f"pointers {bm}x{bn}x{bk}", with_pointers
            continue
        try:
            maps = [TensorDescriptor.from_tensor(tensor, shape) for tensor, shape in ((a, [bm, bk]), (b, [bn, bk] if turned else [bk, bn]), (c, [bm, bn]))]
        except Exception:  # no such map
            continue
        programs = min(tiles, MULTIPROCESSORS.value)

        def with_maps(maps=maps, bm=bm, bn=bn, bk=bk, stages=stages, warps=warps, programs=programs):
            mapped[(programs,)](*maps, m, n, k, bm, bn, bk, turned, total, num_stages=stages, num_warps=warps)

        yield f"maps {bm}x{bn}x{bk}", with_maps


def kind_of(path):
    """What a file computes, as tile-bench names it; None of what has no counterpart here."""
    lines = path.read_text().splitlines()
    manifest = json.loads("".join(line.removeprefix("//tile:") for line in lines if line.startswith("//tile:")))
    kernel = manifest["kernels"][0]
    parameters = {parameter["name"]: parameter for parameter in kernel["parameters"]}
    if set(parameters) != {"a", "b", "c"}:
        return None
    sizes = {name: [next(iter(size.values())) for size in parameter["dimensions"]] for name, parameter in parameters.items()}
    if sizes["a"] != ["m", "k"] or "relu" in kernel["name"]:
        return None
    left, right, out = (parameters[name]["element"] for name in "abc")
    if left != right:
        return None
    turned = sizes["b"] == ["n", "k"]
    name = left + (" bᵀ" if turned else "") + (f"→{out}" if out != left else "")
    return dict(name=name, element=left, out=out, turned=turned)


def load(paths):
    """The kernel of each file, for a first launch."""
    return [(path, *tile.load(path)) for path in paths]


def launched(kernels, **given):
    """Launches by the names of their files, made many at once: the driver's compiler takes long."""
    with concurrent.futures.ThreadPoolExecutor(16, initializer=lambda: torch.zeros(1, device="cuda")) as pool:
        launches = pool.map(lambda kernel: Launch(kernel, **given), [kernel for _, kernel in kernels])
        return {path.stem: launch for (path, _), launch in zip(kernels, launches)}


def random(shape, element):
    if element == "i8":
        return torch.randint(-128, 128, shape, device="cuda", dtype=torch.int8)
    return torch.randn(shape, device="cuda", dtype=torch.float16 if element == "f8e4m3" else TYPES[element]).to(TYPES[element])


class Clock:
    """Times runs with a cold level-2 cache."""

    def __init__(self):
        self.flush = torch.empty(2 * torch.cuda.get_device_properties(0).L2_cache_size, dtype=torch.int8, device="cuda")

    def time(self, run):
        self.flush.zero_()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        run()
        end.record()
        torch.cuda.synchronize()
        return 1000 * start.elapsed_time(end)

    def rough(self, run):
        run()
        return statistics.median(self.time(run) for _ in range(4))


def error(a, b, c, turned):
    rows = torch.unique(torch.linspace(0, a.shape[0] - 1, 32, device="cuda").long())
    right = b.double().T if turned else b.double()
    expected = a[rows].double() @ right
    return ((c[rows].double() - expected).norm() / expected.norm()).item()


def measure(kind, kernels, sizes, clock, samples, seconds):
    begun = time.monotonic()
    m, n, k = sizes
    a = random((m, k), kind["element"])
    b = random((n, k) if kind["turned"] else (k, n), kind["element"])
    ours, theirs = (torch.zeros(m, n, device="cuda", dtype=TYPES[kind["out"]]) for _ in range(2))
    launches = launched(kernels, a=a, b=b, c=ours)
    times = {name: clock.rough(launch) for name, launch in launches.items()}
    file = min(times, key=times.get)
    best, setting, peer = float("inf"), "", None
    for name, run in runs_of(kind, sizes, a, b, theirs):
        if peer is not None and time.monotonic() - begun > seconds:
            break
        try:
            rough = clock.rough(run)
        except Exception as problem:  # too many registers, no such setting
            print(f"  Triton, {name}: {str(problem).splitlines()[0]}", file=sys.stderr)
            continue
        if rough < best:
            best, setting, peer = rough, name, run
    if peer is None:
        raise RuntimeError("Triton runs none of its settings")
    taken = [(clock.time(launches[file]), clock.time(peer)) for _ in range(samples)]
    mine, other = (statistics.median(times) for times in zip(*taken))
    launches[file]()
    peer()
    torch.cuda.synchronize()
    off, peer_off = (error(a, b, c, kind["turned"]) for c in (ours, theirs))
    return dict(
        kind=kind["name"], sizes=dict(m=m, n=n, k=k), file=file, us=mine, triton_us=other, triton_setting=setting,
        of_triton=other / mine if peer_off < 0.05 else None, error=off, triton_error=peer_off, right=off <= LIMITS[kind["out"]],
    )  # fmt: skip


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("directory", type=pathlib.Path)
    arguments.add_argument("--json", type=pathlib.Path)
    arguments.add_argument("--only", default="", help="files whose names start like this")
    arguments.add_argument("--samples", type=int, default=25)
    arguments.add_argument("--seconds", type=float, default=1e9, help="begin nothing after so long")
    arguments.add_argument("--row-seconds", type=float, default=15, help="no further setting is tried after so long")
    options = arguments.parse_args()
    begun = time.monotonic()
    torch.manual_seed(0)
    torch.zeros(1, device="cuda")
    kinds = {}
    for path in sorted(options.directory.glob("*.ptx")):
        kind = kind_of(path) if path.name.startswith(options.only) else None
        if kind is not None:
            kinds.setdefault(kind["name"], (kind, []))[1].append(path)
    if not kinds:
        print("error: no products there", file=sys.stderr)
        return 2
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Triton {triton.__version__}")
    print(f"{'kind':18} {'sizes':>18} {'us':>9} {'TFLOP/s':>8} {'Triton':>9} {'of Triton':>9}  ours / Triton's setting")
    clock, rows = Clock(), []
    # What matters most first.
    for kind, paths in sorted(kinds.values(), key=lambda entry: entry[0]["name"] not in ("bf16", "f8e4m3 bᵀ→bf16")):
        if time.monotonic() - begun > options.seconds:
            break
        kernels = load(paths)
        leads = (kind["element"], kind["out"], kind["turned"]) in {("bf16", "bf16", False), ("f8e4m3", "bf16", True)}
        for sizes in ALL if leads else FEW:
            if time.monotonic() - begun > options.seconds:
                break
            try:
                row = measure(kind, kernels, sizes, clock, options.samples, options.row_seconds)
            except RuntimeError as problem:
                print(f"{kind['name']} {sizes}: {str(problem).splitlines()[0]}", flush=True)
                continue
            rows.append(row)
            m, n, k = sizes
            ratio = f"{row['of_triton']:9.3f}" if row["of_triton"] else "    wrong"
            print(
                f"{kind['name']:18} {f'{m}x{n}x{k}':>18} {row['us']:9.1f} {2 * m * n * k / row['us'] / 1e6:8.0f} {row['triton_us']:9.1f} {ratio}"
                f"  {row['file']} / {row['triton_setting']}{'' if row['right'] else '  WRONG'}  {row['error']:.1e} {row['triton_error']:.1e}",
                flush=True,
            )
            if options.json:
                options.json.write_text(json.dumps(dict(device=torch.cuda.get_device_name(), triton=triton.__version__, rows=rows), indent=1))
    if not rows:
        return 2
    return 0 if all(row["right"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
