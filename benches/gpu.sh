#!/usr/bin/env bash
# Compiles the kernels that are measured and runs tile-bench on them; see --help.
set -euo pipefail

help() {
    cat <<'TEXT'
Usage: benches/gpu.sh [OPTIONS] [DIR] [-- TILE-BENCH OPTIONS]

Compiles the examples of lang-examples to PTX files in DIR (default: target/tile-bench) and runs
tile-bench on them: checks all results, then times the kernels.

  --compile-only   stop after compiling: DIR can then be taken to a machine with a GPU
  --run-only       compile nothing, run what is in DIR
  --sanitize       instead of measuring, check the small shapes under compute-sanitizer (if there is one)
  --target NAME    what to compile for (default: sm_90a)
  --help           this text

Environment:
  TILEC            the compiler (default: cargo run --release -q --bin tilec --)
  TILE_BENCH       the program that measures (default: cargo run --release -q -p tile-benches --bin tile-bench --)

Files of your own in DIR are measured too: a variant named softmax-bf16-4096-warps8.ptx comes beside
softmax-bf16-4096.ptx.

Exit codes: 0 all is right, 1 something does not compile or is wrong, 2 nothing could be run.
TEXT
}

sanitize=no
own_option() {
    case $1 in
        --sanitize) sanitize=yes ;;
        *) return 1 ;;
    esac
}
default_directory=tile-bench
# shellcheck source=benches/options.sh
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"

failed=0
# build NAME FILE KERNEL [GENERIC=VALUE…]: one PTX file
build() {
    local output=$directory/$1.ptx arguments=("$here/../lang-examples/$2" --kernel "$3" --target "$target") define
    for define in "${@:4}"; do
        arguments+=(-D "$define")
    done
    # A failure must leave no older file that would be measured instead.
    rm -f "$output"
    if ! ${TILEC:-cargo run --release -q --bin tilec --} build "${arguments[@]}" -o "$output"; then
        rm -f "$output"
        printf 'FAILED to compile %s\n' "$1" >&2
        failed=1
    fi
}

if [ $compile = yes ]; then
    build add 01_vector_add.tile add
    build add-block4096 01_vector_add.tile add BLOCK=4096
    build add_pointers 01_vector_add.tile add_pointers
    for type in f32 f16 bf16; do
        build softmax-$type-1024 02_softmax.tile softmax T=$type WIDTH=1024
        build softmax-$type-4096 02_softmax.tile softmax T=$type WIDTH=4096
        build matmul-$type 03_matmul.tile matmul T=$type
    done
    build softmax-f32-781 02_softmax.tile softmax T=f32 WIDTH=781
    build softmax-bf16-32768 02_softmax.tile softmax T=bf16 WIDTH=32768
fi
[ $run = yes ] || exit $failed

tile_bench=${TILE_BENCH:-cargo run --release -q -p tile-benches --bin tile-bench --}
status=0
if [ $sanitize = yes ]; then
    if command -v compute-sanitizer >/dev/null; then
        if [ -z "${TILE_BENCH:-}" ]; then
            cargo build --release -q -p tile-benches --bin tile-bench
            tile_bench=${CARGO_TARGET_DIR:-target}/release/tile-bench
        fi
        compute-sanitizer --tool memcheck --error-exitcode 1 \
            $tile_bench check --small --in-process "$@" "$directory" || status=$?
    else
        printf 'compute-sanitizer is not on the PATH: nothing was run under it\n' >&2
        status=2
    fi
else
    $tile_bench "$directory" "$@" || status=$?
fi
[ $status = 0 ] && status=$failed
exit "$status"
