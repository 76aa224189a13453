#!/usr/bin/env bash
# Compiles attention and its gradients in several tile sizes and times them beside cuDNN, FlashAttention and Triton; see --help.
set -euo pipefail

help() {
    cat <<'TEXT'
Usage: benches/attention.sh [OPTIONS] [DIR] [-- ATTENTION.PY OPTIONS]

Compiles lang-examples/06_attention.tile, 23_attention_backward.tile, 26_attention_varlen.tile and benches/kernels/attentions.tile in
the tile sizes of the table in this script, to PTX files in DIR (default: target/attention), and times them beside cuDNN, FlashAttention
and FlexAttention, as PyTorch has them, and Triton (benches/attention.py). With `-- --before DIR`, what another version of the compiler made
of the same table is timed in the same run.

  --compile-only   stop after compiling: DIR, benches/attention.py, benches/attention_triton.py and benches/peers.py
                   can then be taken to a machine with a GPU
  --run-only       compile nothing, run what is in DIR
  --target NAME    what to compile for (default: sm_90a)
  --help           this text

Environment:
  TILEC            the compiler (default: cargo run --release -q --bin tilec --)
  PYTHON           a Python with PyTorch (default: python3)

Exit codes: 0 all is right, 1 something does not compile or is wrong, 2 nothing could be run.
TEXT
}

default_directory=attention
# shellcheck source=benches/options.sh
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"

failed=0
# build NAME FILE KERNEL D "TILE…" ["MASK…"]: a PTX file for each tile, BMxBN, and each mask: CAUSAL=false, CAUSAL=true, or
# one that the kernel has without being asked.
build() {
    local tile mask bm bn output
    for tile in $5; do
        for mask in ${6:-CAUSAL=false CAUSAL=true}; do
            IFS=x read -r bm bn <<<"$tile"
            output=$directory/$1-$4-${mask#CAUSAL=}-$tile.ptx
            [[ $mask = CAUSAL=* ]] && mask="-D $mask" || mask=""
            # A failure must leave no older file that would be measured instead.
            rm -f "$output"
            # shellcheck disable=SC2086
            if ! ${TILEC:-cargo run --release -q --bin tilec --} build "$2" --kernel "$3" --target "$target" \
                -D T=bf16 -D "D=$4" -D "BM=$bm" -D "BN=$bn" $mask -o "$output" >/dev/null; then
                rm -f "$output"
                printf 'FAILED to compile %s\n' "$output" >&2
                failed=1
            fi
        done
    done
}

if [ $compile = yes ]; then
    build forward lang-examples/06_attention.tile attention 128 "128x128 128x64 128x96"
    build forward lang-examples/06_attention.tile attention 64 "128x128 128x96 128x64 192x96 192x112 192x128"
    build forward lang-examples/06_attention.tile attention 96 "128x128 128x64"
    build forward lang-examples/06_attention.tile attention 192 "128x64 128x80 64x64"
    build forward lang-examples/06_attention.tile attention 256 "128x64 128x80"
    for variant in sliding_window soft_cap alibi; do
        build $variant benches/kernels/attentions.tile $variant 128 "128x128 128x96 128x64" true
        build $variant benches/kernels/attentions.tile $variant 64 "128x128 128x96 128x64 192x96 192x128" true
    done
    build varlen lang-examples/26_attention_varlen.tile attention_varlen 128 "128x128 128x64"
    build varlen lang-examples/26_attention_varlen.tile attention_varlen 64 "128x128 128x64 192x96 192x112"
    build queries lang-examples/23_attention_backward.tile gradient_of_queries 128 "128x64 64x64"
    build queries lang-examples/23_attention_backward.tile gradient_of_queries 64 "128x128 128x64 192x64"
    build keys lang-examples/23_attention_backward.tile gradient_of_keys 128 "64x128 64x64"
    build keys lang-examples/23_attention_backward.tile gradient_of_keys 64 "64x64 64x128"
fi
if [ $run = yes ]; then
    "${PYTHON:-python3}" benches/attention.py "$directory" "$@" || exit
fi
exit $failed
