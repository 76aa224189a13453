#!/usr/bin/env python3
"""Times the compiler on tiles of 2^10 to 2^20 elements: each builtin alone, and after another reduction of the same tile.

Usage: compile_time.py [--tilec COMMAND] [--only TEXT] [--factor F]

Tiles are computed in registers (`arange`), or loaded. A row is marked where twice the elements take more than F times as long (2.5
unless given) in a step that takes more than a second, or where one takes more than 30 s. A tile that does not fit is no mistake: it ends with
its error code. Exit codes: 0 nothing is marked, 1 something is.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

STORES = {
    "sum": "store(y[0], sum(v));",
    "max": "store(y[0], max(v));",
    "argmax": "store(y[0], argmax(v));",
    "any": "store(y[0], any(v > 3) as i32);",
    "xor_sum": "store(y[0], xor_sum(v));",
    "cumsum": "store(y[0], max(cumsum(v, axis = 0)));",
    "sort": "store(y[0], sort(v, axis = 0)[5]);",
    "top": "store(y[0], max(topk(v, 4).0));",
    "flip": "store(y[0], max(flip(v, axis = 0) - v));",
    "multiply": "store(y[0], sum(v * v));",
    "divide": "store(y[0], sum(v / 7));",
    "exp": "store(y[0], sum(exp(v as f32)) as i32);",
    "where": "store(y[0], sum(where(v % 3 == 0, v, 0)));",
    "histogram": "store(y[0], max(histogram(v % 64, 64)));",
    "reshape": "store(y[0], max(sum(reshape(v, [64, N / 64]), axis = 0)));",
    "permute": "store(y[0], max(sum(permute(reshape(v, [64, N / 64]), [1, 0]), axis = 0)));",
    "gather": "store(y[0], max(gather(v, v % 64, axis = 0)));",
    "rand": "store(y[0], sum(rand(7, v)) as i32);",
    "atomic_add": "atomic_add(z[0 +: N], v);",
}
AFTER = "store(y[1], xor_sum(v));"


def timed(tilec, folder, source, store, size):
    tile = f"arange(0, {size})" if source == "arange" else f"load(x[0 +: {size}])"
    text = f"const N: i32 = {size};\nkernel k(x: tensor<i32>[n], y: mut tensor<i32>[2], z: mut tensor<i32>[n]) grid(1) {{\n    let v = {tile};\n    {store}\n}}\n"
    path = pathlib.Path(folder) / "k.tile"
    path.write_text(text)
    begin = time.monotonic()
    try:
        done = subprocess.run([*tilec, "build", path, "-o", path.with_suffix(".ptx")], capture_output=True, text=True, timeout=30, check=False)
    except subprocess.TimeoutExpired:
        return 30.0, "over 30 s"
    seconds = time.monotonic() - begin
    return (seconds, f"{seconds:.2f}") if done.returncode == 0 else (None, done.stderr.partition("[")[2][:5] or "failed")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--tilec", default="target/release/tilec")
    arguments.add_argument("--only", default="")
    arguments.add_argument("--factor", type=float, default=2.5)
    options = arguments.parse_args()
    marked = 0
    sizes = [1 << bits for bits in range(10, 21)]
    print(f"{'tile':8} {'builtin':20}" + "".join(f"{size:>10}" for size in sizes))
    with tempfile.TemporaryDirectory() as folder:
        for source in ("arange", "load"):
            for name, store in STORES.items():
                for after in ("", AFTER):
                    label = name + (", xor_sum" if after else "")
                    if options.only not in label:
                        continue
                    row = [timed(options.tilec.split(), folder, source, store + after, size) for size in sizes]
                    known = [seconds for seconds, _ in row if seconds is not None]
                    steep = any(b > 1 and b > options.factor * a for a, b in zip(known, known[1:]))
                    marked += steep
                    print(f"{source:8} {label:20}" + "".join(f"{text:>10}" for _, text in row) + (" <-" if steep else ""), flush=True)
    return 1 if marked else 0


if __name__ == "__main__":
    sys.exit(main())
