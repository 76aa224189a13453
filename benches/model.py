#!/usr/bin/env python3
"""Clocks of an iteration, as the compiler's model has them (`tilec build --emit schedule`) and as a GPU takes them.

Each program of a kernel runs on a multiprocessor of its own; Nsight Compute counts the clocks of two launches that differ in
their iterations alone."""

import argparse
import json
import os
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = 132


def attention(d, n):
    def arguments(iterations):
        keys = n * iterations
        queries = f"{PROGRAMS},128,{d}"
        return [f"q=randn({queries})", f"k=randn(4,{keys},{d})", f"v=randn(4,{keys},{d})", f"o=zeros({queries})", f"lse=zeros({PROGRAMS},128)"]

    source = HERE.parent / "lang-examples/06_attention.tile"
    return source, "attention", [f"D={d}", "BM=128", f"BN={n}", "T=bf16"], arguments, (16, 64)


def chain(d):
    def arguments(iterations):
        rows, hidden = 128 * PROGRAMS, 128 * iterations
        return [f"x=randn({rows},{d})", f"up=randn({hidden},{d})", f"down=randn({hidden},{d})", f"y=zeros({rows},{d})"]

    return HERE / "kernels/chains.tile", "squared_rectifier", [f"D={d}"], arguments, (16, 64)


def gated():
    def arguments(iterations):
        rows, hidden = 64 * PROGRAMS, 64 * iterations
        weights = [f"{name}=randn({hidden},64)" for name in ("gates", "up", "down")]
        return [f"x=randn({rows},64)", *weights, f"y=zeros({rows},64)"]

    return HERE / "kernels/chains.tile", "gated", ["BM=64"], arguments, (32, 128)


def retention(d):
    def arguments(iterations):
        rows, keys = 128 * PROGRAMS, 128 * iterations
        return [f"q=randn(1,{rows},{d})", f"k=randn(1,{keys},{d})", f"v=randn(1,{keys},{d})", "decay=rand(-0.1,0;1)", f"y=zeros(1,{rows},{d})"]

    return HERE / "kernels/chains.tile", "retention", [f"D={d}"], arguments, (16, 64)


CASES = {
    **{f"attention {d} x {n}": attention(d, n) for d, n in [(64, 128), (96, 128), (128, 64), (128, 128), (192, 64), (256, 64)]},
    "chain 128": chain(128),
    "chain 64": chain(64),
    "gated 64": gated(),
    "retention 128": retention(128),
    "retention 64": retention(64),
}


def file_of(directory, name):
    return directory / (name.replace(" ", "_") + ".ptx")


def compile_all(directory, tilec):
    directory.mkdir(parents=True, exist_ok=True)
    predicted = {}
    for name, (source, kernel, generics, _, _) in CASES.items():
        command = [*tilec, "build", str(source), "--kernel", kernel]
        for generic in generics:
            command += ["-D", generic]
        subprocess.run([*command, "-o", str(file_of(directory, name))], check=True, capture_output=True)
        shown = subprocess.run([*command, "--emit", "schedule"], check=True, capture_output=True, text=True).stdout
        found = re.search(r"an iteration takes about (\d+) clocks", shown)
        predicted[name] = int(found[1]) if found else None
    (directory / "predicted.json").write_text(json.dumps(predicted, indent=1))


def clocks(tile_run, ncu, path, arguments):
    command = [ncu, "--metrics", "sm__cycles_elapsed.max", "--csv", *tile_run, str(path), "--device", "cuda:0", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    line = [line for line in done.splitlines() if "sm__cycles_elapsed.max" in line][-1]
    return int(line.rsplit('","', 1)[1].strip('"\r\n').replace(",", ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", nargs="?", type=Path, default=Path("target/model"), help="where PTX files are (default: target/model)")
    parser.add_argument("--compile-only", action="store_true", help="stop after compiling")
    parser.add_argument("--run-only", action="store_true", help="compile nothing, run what is in the directory")
    parser.add_argument("--ncu", default="ncu", help="Nsight Compute's command")
    options = parser.parse_args()
    tilec = os.environ.get("TILEC", "cargo run --release -q --bin tilec --").split()
    tile_run = os.environ.get("TILE_RUN", "cargo run --release -q --bin tile-run --").split()
    if not options.run_only:
        compile_all(options.directory, tilec)
    if options.compile_only:
        return
    predicted = json.loads((options.directory / "predicted.json").read_text())
    print("| loop | clocks of an iteration | predicted | ratio |\n|---|---|---|---|")
    for name, (*_, arguments, (few, many)) in CASES.items():
        path = file_of(options.directory, name)
        taken = [clocks(tile_run, options.ncu, path, arguments(count)) for count in (few, many)]
        iteration = (taken[1] - taken[0]) / (many - few)
        model = predicted[name]
        ratio = f"{model / iteration:.2f}" if model else "–"
        print(f"| {name} | {iteration:.0f} | {model or 'no order of its own'} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
