#!/usr/bin/env bash
# Compiles matrix products in several tile sizes and times them beside cuBLASLt and Triton; see --help.
set -euo pipefail

help() {
    cat <<'TEXT'
Usage: benches/matmul.sh [OPTIONS] [DIR] [-- TILE-BENCH MATMUL OPTIONS]

Compiles the products of benches/kernels/products.tile in the tile sizes of the table in this script, to
PTX files in DIR (default: target/matmul); times them beside Triton (benches/matmul.py, where there is a
Python with PyTorch and Triton) and then beside cuBLASLt in one process (tile-bench matmul).

  --compile-only   stop after compiling: DIR, benches/matmul.py, benches/peers.py and tile-bench can then be
                   taken to a machine with a GPU
  --run-only       compile nothing, run what is in DIR
  --target NAME    what to compile for (default: sm_90a); others get tile sizes of their own
  --help           this text

Environment:
  TILEC            the compiler (default: cargo run --release -q --bin tilec --)
  TILE_BENCH       the program that measures (default: cargo run --release -q -p tile-benches --bin tile-bench --)
  PYTHON           a Python with PyTorch and Triton (default: python3)
  TRITON_SECONDS   after so long no further comparison with Triton is begun

Exit codes: 0 all is right, 1 something does not compile or is wrong, 2 nothing could be run.
TEXT
}

default_directory=matmul
# shellcheck source=benches/options.sh
source "$(dirname "${BASH_SOURCE[0]}")/options.sh"

failed=0
# build NAME KERNEL "TILE…" [GENERIC=VALUE…]: one PTX file for each tile, BMxBNxBK, or BMxBNxBKsBLOCKS where
# so many blocks share each sum
build() {
    local tile bm bn bk blocks output define
    for tile in $3; do
        IFS=xs read -r bm bn bk blocks <<<"$tile"
        output=$directory/$1-$tile.ptx
        local arguments=(benches/kernels/products.tile --kernel "$2" --target "$target" -D "BM=$bm" -D "BN=$bn" -D "BK=$bk")
        for define in ${blocks:+"BLOCKS=$blocks"} "${@:4}"; do
            arguments+=(-D "$define")
        done
        # A failure must leave no older file that would be measured instead.
        rm -f "$output"
        if ! ${TILEC:-cargo run --release -q --bin tilec --} build "${arguments[@]}" -o "$output" >/dev/null; then
            rm -f "$output"
            printf 'FAILED to compile %s\n' "$1-$tile" >&2
            failed=1
        fi
    done
}

if [ $compile = yes ] && [ "$target" = sm_90a ]; then
    large="128x256x64 256x128x64 128x192x64 128x128x64"
    small="64x128x128 128x64x128 64x128x64 64x64x128"
    few="16x64x128 16x32x128 64x128x64 64x256x64 64x128x128 64x64x128 128x64x128 128x128x64s2 128x128x64s8 64x128x128s2 64x128x128s4 64x64x128s8"
    all="$large $few"
    bytes="16x64x128 16x64x256 64x128x256 128x256x128 256x128x128 128x128x128 128x192x128 64x256x128 64x128x128 128x64x128 64x64x128 128x128x128s2 128x128x128s8 64x64x128s8 64x128x128s2"
    build bf16 product "$all"
    build f16 product "$large $small" T=f16 O=f16
    build bf16-f32 product "$large $small" O=f32
    build bf16-bt by_columns "$large $small" T=bf16
    build bf16-at left_by_columns "$large $small"
    build e4m3 by_columns "$bytes"
    small_bytes="128x192x128 64x128x128 128x64x128 64x64x128"
    build e4m3-f16 by_columns "128x256x128 128x128x128 $small_bytes" O=f16
    build e4m3-f32 by_columns "128x256x128 128x128x128 $small_bytes" O=f32
    build i8 by_columns "128x256x128 128x128x128 256x128x128 64x256x128 $small_bytes" T=i8 O=i32 S=i32
    build linear_relu linear_relu "$large $small"
    build residual residual "$large $small"
    build gated gated "128x128x64 64x128x64 128x64x64 64x64x128"
    build scaled scaled "128x256x128 128x128x128 $small_bytes"
    mixed="128x128x64 128x256x64 64x256x64 128x256x128 64x128x128 64x128x64 64x64x128 128x64x128"
    build mixed-i8 mixed "$mixed"
    build mixed-e4m3 mixed "$mixed" W=f8e4m3
    mixed="128x128x64 128x256x64 256x128x64 128x64x128 128x64x64 64x64x128 64x128x128"
    build mixed-i8-layer mixed_layer "$mixed"
    build mixed-e4m3-layer mixed_layer "$mixed" W=f8e4m3
elif [ $compile = yes ]; then
    all="128x128x32 128x128x64 256x128x32 256x128x64 64x128x64 64x64x64"
    build bf16 product "$all"
    build f16 product "$all" T=f16 O=f16
    build bf16-bt by_columns "128x128x32 128x128x64 256x128x64 128x256x64" T=bf16
    build i8 by_columns "128x128x64 128x256x64 256x128x128" T=i8 O=i32 S=i32
fi
[ $run = yes ] || exit $failed

# Where there is a wheel of cuBLAS and no toolkit, the library has no name that is looked for.
if ! ldconfig -p | grep -q 'libcublasLt.so '; then
    library=$("${PYTHON:-python3}" - <<'TEXT' || true
import glob, site, sys
roots = site.getsitepackages() + [site.getusersitepackages(), sys.prefix, "/usr/local/cuda"]
found = [path for root in roots for path in sorted(glob.glob(f"{root}/**/libcublasLt.so*", recursive=True)) if "/stubs/" not in path]
print(found[-1] if found else "")
TEXT
)
    if [ -n "$library" ]; then
        links=$(mktemp -d)
        trap 'rm -rf "$links"' EXIT
        ln -s "$library" "$links/libcublasLt.so"
        export LD_LIBRARY_PATH=$links:$(dirname "$library")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    fi
fi
status=0
peers=()
rm -f "$directory/triton.json"
if "${PYTHON:-python3}" -c 'import torch, triton' 2>/dev/null; then
    "${PYTHON:-python3}" "$here/matmul.py" ${TRITON_SECONDS:+--seconds "$TRITON_SECONDS"} --json "$directory/triton.json" "$directory" || status=1
    [ -e "$directory/triton.json" ] && peers=(--triton "$directory/triton.json")
fi
tile_bench=${TILE_BENCH:-cargo run --release -q -p tile-benches --bin tile-bench --}
$tile_bench matmul "${peers[@]}" "$@" "$directory" || status=$?
[ $status = 0 ] && status=$failed
exit "$status"
