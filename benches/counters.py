#!/usr/bin/env python3
"""Compares what the simulator counts with what a GPU's own counters say.

Needs a GPU, NVIDIA's ncu and the program tile-run; runs where there is no Rust and no LLVM.

    benches/counters.py DIR NAME... [--tile-run PROGRAM] [--json FILE]

DIR holds NAME.ptx and NAME.run as `tests/gpu.sh --compile-only DIR` makes them. Each call runs once
under ncu and once in the simulator; a table of both is printed.

Exit codes: 0 all counters agree within 5 %, 1 some do not, 2 nothing could be compared.
"""

import argparse
import csv
import io
import json
import pathlib
import subprocess
import sys

# What ncu calls it (the sum of several), and where the simulator's profile has it. A request is one
# memory instruction of one warp; a sector is 32 bytes; a pass serves 32 banks of shared memory once.
COUNTERS = {
    "load requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", ("loads", "requests")),
    "load sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", ("loads", "sectors")),
    "store requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", ("stores", "requests")),
    "store sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", ("stores", "sectors")),
    "shared passes": (
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum+"
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        ("wavefronts",),
    ),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--tile-run", default="tile-run")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    rows = []
    for name in options.names:
        try:
            rows.append(compare(options, name))
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            print(f"{name}: {error}", file=sys.stderr)
    if not rows:
        return 2
    print("| kernel | " + " | ".join(COUNTERS) + " |")
    print("|---" * (len(COUNTERS) + 1) + "|")
    for row in rows:
        cells = []
        for counter in COUNTERS:
            gpu, simulator = row[counter]["gpu"], row[counter]["simulator"]
            cells.append(f"{gpu}" if gpu == simulator else f"{gpu} / {simulator}")
        print(f"| {row['kernel']} | " + " | ".join(cells) + " |")
    print("\nwhere they differ: GPU / simulator")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    return int(any(differs(row[counter]) for row in rows for counter in COUNTERS))


def differs(pair):
    # Passes through shared memory that are repeated because something else had its turn come on top
    # on a GPU: up to a few percent, another number in each run.
    gpu, simulator = pair["gpu"], pair["simulator"]
    return gpu is None or abs(gpu - simulator) > 0.05 * simulator


def compare(options, name):
    ptx = options.directory / f"{name}.ptx"
    words = (options.directory / f"{name}.run").read_text().splitlines()[1:]
    run = [options.tile_run, str(ptx), *words]
    profile = json.loads(output([*run, "--device", "sim", "--profile=json"]))
    metrics = ",".join(metric.replace("+", ",") for metric, _ in COUNTERS.values())
    ncu = ["ncu", "--csv", "--metrics", metrics, *run, "--device", "cuda:0"]
    found = {}
    lines = output(ncu).splitlines()
    start = next((n for n, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise RuntimeError("ncu gave no table:\n" + "\n".join(lines[-5:]))
    for record in csv.DictReader(io.StringIO("\n".join(lines[start:]))):
        if record["Kernel Name"].split("(")[0] == profile["entry"]:
            found[record["Metric Name"]] = int(float(record["Metric Value"].replace(",", "")))
    row = {"kernel": name}
    total = profile["total"]
    for counter, (metric, path) in COUNTERS.items():
        simulated = total
        for key in path:
            simulated = simulated[key]
        parts = [found.get(part) for part in metric.split("+")]
        row[counter] = {"gpu": None if None in parts else sum(parts), "simulator": simulated}
    return row


def output(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:3])} … failed: {done.stderr.strip() or done.stdout[-400:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
