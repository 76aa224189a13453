#!/usr/bin/env bash
# Compares compiled kernels on a GPU with the interpreter; see --help.
set -euo pipefail

help() {
    cat <<'TEXT'
Usage: tests/gpu.sh [OPTIONS] [DIR] [-- TILE-BENCH OPTIONS]

Takes every `//! run:` line of tests/kernels/*.tile, compiles the kernel, interprets it, and compares
what it computes on the GPU with what the interpreter says. DIR (default: target/gpu-tests) holds, for
each line, NAME.ptx, NAME.run (the call and the tolerance) and NAME.PARAMETER.npy (what is expected).

  --compile-only   stop after compiling and interpreting: DIR can then be taken to a machine with a GPU
  --run-only       compile nothing, run what is in DIR
  --only START     only files, or FILE-KERNEL, that start like this
  --target NAME    what to compile for (default: sm_90a)
  --help           this text

Lines beside the calls: `//! tolerance: KERNEL 1e-5` allows that much relative to the largest magnitude
of an output. Without it four units in the last place are allowed; integers must be equal.

Environment:
  TILEC            the compiler (default: target/release/tilec, built first)
  TILE_BENCH       the program that compares (default: target/release/tile-bench, built first)
  JOBS             how many kernels are compiled at once (default: 2)

Exit codes: 0 all is right, 1 something does not compile or is wrong, 2 nothing could be run.
TEXT
}

target=sm_90a compile=yes run=yes directory="" only=""
while [ $# -gt 0 ]; do
    case $1 in
        --help | -h) help; exit 0 ;;
        --compile-only) run=no ;;
        --run-only) compile=no ;;
        --only) only=${2:?--only needs the start of a name}; shift ;;
        --target) target=${2:?--target needs a name}; shift ;;
        --) shift; break ;;
        -*) printf 'error: unknown option %s; try --help\n' "$1" >&2; exit 2 ;;
        *) directory=$1 ;;
    esac
    shift
done

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
directory=${directory:-$here/../target/gpu-tests}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
cd "$here/.."

# build NAME FILE TOLERANCE CALL…: one line of a header
build() {
    local name=$1 file=$2 tolerance=$3 kernel=$4 base=$directory/$1 word parameter
    shift 4
    local defines=() call=() saves=()
    while [ $# -gt 0 ]; do
        case $1 in
            -D) defines+=(-D "$2"); shift ;;
            *) call+=("$1") ;;
        esac
        shift
    done
    # A failure must leave nothing older that would be compared instead.
    rm -f "$base".*
    if ! $TILEC build "$file" --debug --kernel "$kernel" --target "$target" "${defines[@]}" -o "$base.ptx" >"$base.log" 2>&1; then
        printf 'FAILED to compile %s: %s\n' "$name" "$(head -n 4 "$base.log")" >&2
        rm -f "$base".*
        return 1
    fi
    for parameter in $(mutable "$base.ptx"); do
        saves+=(--save "$parameter=$base.$parameter.npy")
    done
    if ! $TILEC run "$file" --device interp --kernel "$kernel" --target "$target" "${defines[@]}" "${call[@]}" "${saves[@]}" >"$base.log" 2>&1; then
        printf 'FAILED to interpret %s: %s\n' "$name" "$(cat "$base.log")" >&2
        rm -f "$base".*
        return 1
    fi
    rm -f "$base.log"
    # A word per line, so that words may hold blanks.
    printf '%s\n' "tolerance $tolerance" "--kernel" "$kernel" "${call[@]}" >"$base.run"
}

# mutable PTX: the parameters that the kernel writes to, from its manifest
mutable() {
    awk '/^\/\/tile:/ {
        if (match($0, /"name": "[^"]*"/)) name = substr($0, RSTART + 9, RLENGTH - 10)
        if (/"mutable": true/) print name
    } !/^\/\/tile:/ { exit }' "$1"
}

# calls: NAME, FILE, TOLERANCE and CALL of every line, NUL between words and an empty word behind
calls() {
    local file stem line words count kernel tolerance
    for file in tests/kernels/*.tile; do
        stem=$(basename "$file" .tile) count=0
        while read -r line; do
            read -ra words <<<"${line#*run:}"
            kernel=${words[0]} count=$((count + 1))
            tolerance=$(sed -n "s/^\/\/! tolerance: $kernel //p" "$file")
            local name
            name=$(printf '%s-%s-%02d' "$stem" "$kernel" "$count")
            case $name in "$only"*) ;; *) continue ;; esac
            printf '%s\n' "$name $file ${tolerance:-default} ${words[*]}"
        done < <(grep '^//! run:' "$file")
    done
}

failed=0
if [ $compile = yes ]; then
    if [ -z "${TILEC:-}" ]; then
        cargo build --release -q --bin tilec
        TILEC=${CARGO_TARGET_DIR:-target}/release/tilec
    fi
    export TILEC target directory
    export -f build mutable
    calls | xargs -d '\n' -n 1 -P "${JOBS:-2}" bash -c 'build $0' || failed=1
    printf '%s calls in %s, %s\n' "$(find "$directory" -name '*.run' | wc -l)" "$directory" "$(du -sh "$directory" | cut -f 1)"
fi
[ $run = yes ] || exit $failed

if [ -z "${TILE_BENCH:-}" ]; then
    cargo build --release -q -p tile-benches --bin tile-bench
    TILE_BENCH=${CARGO_TARGET_DIR:-target}/release/tile-bench
fi
status=0
$TILE_BENCH compare "$directory" "$@" || status=$?
[ $status = 0 ] && status=$failed
exit "$status"
