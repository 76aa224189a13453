#!/usr/bin/env python3
"""Times what a launch costs the host: a kernel of five tensors, by Tile's Python package and by Triton.

Usage: host.py [--rust PROGRAM]

`--rust` also runs `launch-cost` (cargo build --release -p tile-benches --bin launch-cost): typed launches from Rust,
and cudarc's.

A kernel of one program is launched 100 times in a row, in turns with the others, many times; medians. What is left of the
bare launch, which PyTorch makes for `torch.cuda._sleep`, is the launcher's own. Needs PyTorch and the package
(runtime/python/build.sh). Exit codes: 0 done, 2 nothing ran.
"""

import argparse
import statistics
import subprocess
import sys
import time

import tile
import torch

TURNS, LAUNCHES = 60, 100
TEXT = """
    kernel sum<T: float = f32>(
        a: tensor<T>[n], b: tensor<T>[n], c: tensor<T>[n], d: tensor<T>[n], y: mut tensor<T>[n],
    ) grid(cdiv(n, 256)) {
        let at = program_id(0) * 256;
        store(y[at +: 256], load(a[at +: 256]) + load(b[at +: 256]) + load(c[at +: 256]) + load(d[at +: 256]));
    }
"""


def triton_kernel():
    """The same in Triton, if that is there."""
    try:
        import triton
        import triton.language as tl
    except ImportError:
        return None

    @triton.jit
    def sum(a, b, c, d, y, n, SIZE: tl.constexpr):
        at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
        inside = at < n
        whole = tl.load(a + at, inside) + tl.load(b + at, inside) + tl.load(c + at, inside) + tl.load(d + at, inside)
        tl.store(y + at, whole, inside)

    return sum


def without_gradients(launch):
    def act():
        with torch.no_grad():
            for _ in range(LAUNCHES):
                launch()

    return act


def repeated(launch):
    def act():
        for _ in range(LAUNCHES):
            launch()

    return act


def main():
    parser = argparse.ArgumentParser(description="What a launch costs the host.")
    parser.add_argument("--rust", help="the program `launch-cost`")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("there is no GPU here", file=sys.stderr)
        return 2
    tensors = [torch.zeros(64, device="cuda") for _ in range(5)]
    kernel = tile.kernel(TEXT).sum
    kernel(*tensors)
    native = next(iter(kernel._loaded.values()))
    rows = {
        "bare launch": repeated(lambda: torch.cuda._sleep(1)),
        "native function": repeated(lambda: native(*tensors)),
        "kernel": repeated(lambda: kernel(*tensors)),
        "kernel, no_grad": without_gradients(lambda: kernel(*tensors)),
    }
    if triton := triton_kernel():
        triton[(1,)](*tensors, 64, 256)
        rows["triton"] = repeated(lambda: triton[(1,)](*tensors, 64, 256))
    times = {name: [] for name in rows}
    for _ in range(TURNS):
        for name, act in rows.items():
            torch.cuda.synchronize()
            begin = time.perf_counter_ns()
            act()
            times[name].append((time.perf_counter_ns() - begin) / LAUNCHES)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, ns per launch")
    bare = statistics.median(times["bare launch"])
    for name, list in times.items():
        median = statistics.median(list)
        print(f"{name:18} {median:7.0f}   over the bare launch {median - bare:7.0f}")
    if arguments.rust:
        subprocess.run([arguments.rust], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
