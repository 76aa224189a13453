#!/usr/bin/env bash
# Compiles the kernels that memory limits and times them beside PyTorch and Triton; see --help.
set -euo pipefail

help() {
    cat <<'TEXT'
Usage: benches/peers.sh [OPTIONS] [DIR] [-- PEERS.PY OPTIONS]

Compiles kernels that memory limits (element by element, along rows, along columns, transposed) with the compiler's own choices to PTX files in DIR (default:
target/peers), and times them beside PyTorch and Triton in one run of benches/peers.py, which says how.

  --compile-only   stop after compiling: DIR and benches/peers.py can then be taken to a machine with a GPU
  --run-only       compile nothing, run what is in DIR
  --target NAME    what to compile for (default: sm_90a)
  --help           this text

Environment:
  TILEC            the compiler (default: cargo run --release -q --bin tilec --)
  PYTHON           a Python with PyTorch (default: python3)

Exit codes: 0 all is right, 1 something does not compile or is wrong, 2 nothing could be run.
TEXT
}

default_directory=peers
# shellcheck source=benches/options.sh
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"

failed=0
# build KERNEL-TYPE-SHAPE FILE KERNEL [GENERIC=VALUE…]: one PTX file
build() {
    local output=$directory/$1.ptx arguments=("$2" --kernel "$3" --target "$target") define
    for define in "${@:4}"; do
        arguments+=(-D "$define")
    done
    # A failure must leave no older file that would be measured instead.
    rm -f "$output"
    if ! ${TILEC:-cargo run --release -q --bin tilec --} build "${arguments[@]}" -o "$output" >/dev/null; then
        rm -f "$output"
        failed=1
    fi
}

rows() {
    local type=$1 shape
    for shape in "${@:2}"; do
        build "softmax-$type-$shape" lang-examples/02_softmax.tile softmax T="$type" WIDTH="${shape#*x}"
        build "softmax_fast-$type-$shape" benches/kernels/rows.tile softmax_fast T="$type" WIDTH="${shape#*x}"
        build "layer_norm-$type-$shape" benches/kernels/rows.tile layer_norm T="$type" WIDTH="${shape#*x}"
        build "rms_norm-$type-$shape" benches/kernels/rows.tile rms_norm T="$type" WIDTH="${shape#*x}"
    done
}

if [ $compile = yes ]; then
    for exponent in 20 24 28; do
        build "add-f32-2^$exponent" lang-examples/01_vector_add.tile add T=f32
    done
    rows bf16 32768x1024 16384x4096 16384x8192 8192x16384 4096x32768 1024x131072 16384x5000 16384x4097
    rows f16 16384x4096
    rows f32 32768x1024 16384x4096 16384x8192 16384x5000
    for type in bf16 f16 f32; do
        build "layer_norm_backward-$type-16384x4096" benches/kernels/layer_norm_backward.tile layer_norm_backward T=$type WIDTH=4096
        build "transpose-$type-8192x8192" lang-examples/15_transpose.tile transpose T=$type
        build "column_sums-$type-32768x8192" benches/kernels/columns.tile column_sums T=$type
        deep=4 # Columns of a tile that threads own whole, and as many registers.
        [ $type = f32 ] && deep=8
        build "cross_entropy-$type-2048x131072" benches/kernels/cross_entropy.tile cross_entropy T=$type DEEP=$deep
    done
    build layer_norm_backward-bf16-32768x1024 benches/kernels/layer_norm_backward.tile layer_norm_backward T=bf16 WIDTH=1024
    build column_sums-bf16-16384x4097 benches/kernels/columns.tile column_sums T=bf16
fi
if [ $run = yes ]; then
    "${PYTHON:-python3}" "$here/peers.py" "$@" "$directory" || exit $?
fi
exit $failed
