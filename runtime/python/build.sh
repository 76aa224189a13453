#!/usr/bin/env bash
# Builds the wheel; see --help.
set -euo pipefail

help() {
    cat <<'TEXT'
Usage: runtime/python/build.sh [--from FOLDER] [DIR]

Builds the wheel `tilec` into DIR (default: target/wheels): the compiler, tile-run, the native library and the
Python package. With --from nothing is compiled: FOLDER (such as target/debug) has the programs already.

Needs python3 with pip, which fetches hatchling. Exit codes: 0 built, 1 failed, 2 wrong options.
TEXT
}

from="" output=""
while [ $# -gt 0 ]; do
    case $1 in
        --help | -h) help; exit 0 ;;
        --from) from=${2:?--from needs a folder}; shift 2 ;;
        -*) printf 'error: unknown option %s; try --help\n' "$1" >&2; exit 2 ;;
        *) output=$1; shift ;;
    esac
done

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
package=$root/runtime/python
output=$(realpath -m "${output:-$root/target/wheels}")
if [ -z "$from" ]; then
    (cd "$root" && cargo build --release --locked -p tilec -p tile-runtime --bins)
    # By itself, so that it has no command line.
    (cd "$root" && cargo build --release --locked -p tile-python)
    from=$root/target/release
fi

mkdir -p "$package/scripts" "$package/python/tile/lib"
# place TO FILE: the file without its symbols.
place() {
    strip -o "$1" "$2"
    chmod 755 "$1"
}
place "$package/scripts/tilec" "$from/tilec"
place "$package/scripts/tile-run" "$from/tile-run"
place "$package/python/tile/lib/libtile_ffi.so" "$from/libtile_ffi.so"

if ! python3 -m pip --version >/dev/null 2>&1; then
    echo "error: the wheel needs python3 with pip" >&2
    exit 1
fi
mkdir -p "$output"
rm -f "$output"/tilec-*.whl
python3 -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$output" "$package"
ls -l "$output"/tilec-*.whl
