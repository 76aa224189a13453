#!/usr/bin/env bash
# Compiles loops that are no plain product and times them beside what bounds them; see --help.
set -euo pipefail

help() {
    cat <<'TEXT'
Usage: benches/loops.sh [OPTIONS] [DIR] [-- LOOPS.PY OPTIONS]

Compiles the kernels of benches/kernels/loops.tile in the tile sizes of the table in this script, to PTX files in
DIR (default: target/loops), and times them beside what bounds them (benches/loops.py). With `-- --before DIR`,
what another version of the compiler made of the same table is timed in the same run; with `-- --libraries`, what
public libraries have for the same work.

  --compile-only   stop after compiling: DIR, benches/loops.py, benches/libraries.py, benches/attention.py and
                   benches/peers.py can then be taken to a machine with a GPU
  --run-only       compile nothing, run what is in DIR
  --target NAME    what to compile for (default: sm_90a)
  --help           this text

Environment:
  TILEC            the compiler (default: cargo run --release -q --bin tilec --)
  PYTHON           a Python with PyTorch (default: python3)

Exit codes: 0 all is right, 1 something does not compile or is wrong, 2 nothing could be run.
TEXT
}

default_directory=loops
# shellcheck source=benches/options.sh
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"

failed=0
# build KERNEL "BM=…,BN=… …": a PTX file for each tile, named after it.
build() {
    local tile output
    for tile in $2; do
        output=$directory/$1-${tile//[=,]/}.ptx
        # A failure must leave no older file that would be measured instead.
        rm -f "$output"
        # shellcheck disable=SC2046
        if ! ${TILEC:-cargo run --release -q --bin tilec --} build benches/kernels/loops.tile --kernel "$1" --target "$target" \
            $(printf -- '-D %s ' ${tile//,/ }) -o "$output" >/dev/null; then
            rm -f "$output"
            printf 'FAILED to compile %s\n' "$output" >&2
            failed=1
        fi
    done
}

if [ $compile = yes ]; then
    build experts "BM=64,BN=128 BM=64,BN=256 BM=128,BN=128 BM=128,BN=256"
    build scaled_experts "BM=64 BM=128"
    build experts_int4 "BM=64,BK=64 BM=64,BK=128"
    build paged_decode "PAGE=64"
    build int4 "BM=64,BN=64 BM=64,BN=128 BM=128,BN=128 BM=256,BN=128"
    build cross_entropy_in_place "ROUND=4096 ROUND=8192"
    build chunk_output "BV=64 BV=128"
    build scaled_fp8 "BM=128,BN=128 BM=64,BN=128"
    build delta_state "BV=32 BV=64 BV=128"
    build chunk_scan "BM=64,BK=64 BM=128,BK=64 BM=128,BK=128"
    build linear_cross_entropy "BM=128,BN=128 BM=128,BN=256"
    build nf4 "BM=64,BN=64 BM=64,BN=128 BM=128,BN=128 BM=256,BN=128"
    build gptq "BM=64,BN=64 BM=64,BN=128 BM=128,BN=128 BM=256,BN=128"
    build mxfp4 "BM=64,BN=64 BM=64,BN=128 BM=128,BN=128 BM=256,BN=128"
    build latent_decode "BM=64"
    build latent_prefill "BN=64 BN=96 BN=128"
    build hstu "BM=64,BN=64 BM=128,BN=64"
    build indexer "BN=128 BN=256"
    build sinks "BM=128,BN=128 BM=128,BN=96 BM=192,BN=96 BM=192,BN=128"
    build nearest "BM=128,BN=64 BM=128,BN=128 BM=128,BN=256"
    build pair_bias "BM=64,BN=64 BM=128,BN=64"
    build fp8_attention "BM=128,BN=128 BM=128,BN=160"
    build int8_cache "BM=128,BN=128 BM=128,BN=64"
    build rotated_keys "BM=128,BN=64 BM=128,BN=32"
    build listed_blocks "BS=64"
    build forgetting "BM=128,BN=128 BM=128,BN=64"
    build stickbreaking "BM=128,BN=128 BM=128,BN=64"
    build recurrent_delta "BV=16 BV=32 BV=64"
    build listed_keys "BN=64 BN=32 H=32,BN=64 H=16,BN=64 H=16,BN=32"
    build paged_prefill "BQ=32,BN=64 BQ=32,BN=128 BQ=16,BN=64"
    build chunk_gradients "BV=64 BV=32"
    build convolution "BM=128,BN=128 BM=128,BN=256 BM=256,BN=128"
    build masked "BM=128,BN=128 BM=128,BN=64"
    build cut_cross_entropy "BM=128,BN=128,BK=128 BM=128,BN=128,BK=64"
    build extend "BM=128,BN=64 BM=128,BN=128"
    build awq "BM=64,BN=128 BM=128,BN=128 BM=128,BN=256"
    build chunk_scan_gradients "BM=64,BK=64 BM=128,BK=32 BM=128,BK=64"
    build gated_recurrence "BD=64 BD=128"
    build mlstm "BM=128,BN=64 BM=128,BN=128"
    build means "D=1024"
fi
if [ $run = yes ]; then
    "${PYTHON:-python3}" benches/loops.py "$directory" "$@" || exit
fi
exit $failed
