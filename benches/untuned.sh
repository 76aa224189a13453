#!/usr/bin/env bash
# Compiles kernels as one writes them first and times them beside PyTorch; see --help.
set -euo pipefail

help() {
    cat <<'TEXT'
Usage: benches/untuned.sh [OPTIONS] [DIR] [-- UNTUNED.PY OPTIONS]

Compiles the kernels of benches/kernels/untuned.tile, as they are, to PTX files in DIR (default: target/untuned), and times them
beside what PyTorch has for them and what `torch.compile` makes of the same formulas (benches/untuned.py, which says how).

  --compile-only   stop after compiling: DIR and benches/*.py can then be taken to a machine with a GPU
  --run-only       compile nothing, run what is in DIR
  --target NAME    what to compile for (default: sm_90a)
  --help           this text

Environment:
  TILEC            the compiler (default: cargo run --release -q --bin tilec --)
  PYTHON           a Python with PyTorch (default: python3)

Exit codes: 0 all is right, 1 something does not compile or is wrong, 2 nothing could be run.
TEXT
}

default_directory=untuned
# shellcheck source=benches/options.sh
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"

failed=0
if [ $compile = yes ]; then
    source=benches/kernels/untuned.tile
    for kernel in $(sed -n 's/^kernel \([a-z_0-9]*\).*/\1/p' $source); do
        output=$directory/$kernel.ptx
        rm -f "$output"
        ${TILEC:-cargo run --release -q --bin tilec --} build $source --kernel "$kernel" --target "$target" -o "$output" >/dev/null || failed=1
    done
fi
if [ $run = yes ]; then
    "${PYTHON:-python3}" "$here/untuned.py" "$@" "$directory" || exit $?
fi
exit $failed
