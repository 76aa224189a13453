#!/usr/bin/env bash
# Compares compiled kernels on a GPU with the interpreter; see --help.
set -euo pipefail

help() {
    cat <<'TEXT'
Usage: tests/gpu.sh [OPTIONS] [DIR] [-- TILE-BENCH OPTIONS]

Takes every call in the headers of tests/kernels/*.tile and every case of tests/conformance/*.tile,
compiles the kernel, interprets it, and compares what it computes on the GPU with what the interpreter
says. DIR (default: target/gpu-tests) holds, for each call, NAME.run (the call, the tolerance and which
PTX) and NAME.PARAMETER.npy (what is expected), and a PTX for each kernel with its generics bound.

  --compile-only   stop after compiling and interpreting: DIR can then be taken to a machine with a GPU
  --run-only       compile nothing, run what is in DIR
  --corpus NAME    only `kernels` or only `conformance`
  --only START     only files that start like this
  --target NAME    what to compile for (default: sm_90a)
  --help           this text

Lines beside the calls: `//! tolerance: KERNEL 1e-5` allows that much relative to the largest magnitude
of an output. Without it four units in the last place are allowed; integers must be equal.

Environment:
  CONFORMANCE      the program that compiles and interprets (default: target/release/conformance, built first)
  TILE_BENCH       the program that compares (default: target/release/tile-bench, built first)
  JOBS             how many kernels are compiled at once (default: 2)

Exit codes: 0 all is right, 1 something does not compile or is wrong, 2 nothing could be run.
TEXT
}

only="" corpora=(kernels conformance)
own_option() {
    case $1 in
        --corpus) corpora=("${2:?--corpus needs a name}"); taken=2 ;;
        --only) only=${2:?--only needs the start of a name}; taken=2 ;;
        *) return 1 ;;
    esac
}
default_directory=gpu-tests
# shellcheck source=benches/options.sh
source "$(dirname "${BASH_SOURCE[0]}")/../benches/options.sh"

failed=0
if [ $compile = yes ]; then
    if [ -z "${CONFORMANCE:-}" ]; then
        cargo build --release -q -p tile-tests --bin conformance
        CONFORMANCE=${CARGO_TARGET_DIR:-target}/release/conformance
    fi
    for corpus in "${corpora[@]}"; do
        $CONFORMANCE "tests/$corpus" --emit "$directory" --only "$only" --target "$target" --jobs "${JOBS:-2}" || failed=1
    done
    printf '%s\n' "$(du -sh "$directory" | cut -f 1) in $directory"
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
