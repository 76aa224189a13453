#!/usr/bin/env bash
# Installs the wheel into a fresh environment and runs its tests there: runtime/python/test.sh WHEEL
# Without python3 it says so and does nothing.
# There is no compiler on the PATH then but the one that is in the wheel. Needs python3 with venv and pip.
set -euo pipefail
wheel=$(realpath "${1:?usage: runtime/python/test.sh WHEEL}")
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/tests" && pwd)
if ! python3 -c 'import venv, ensurepip' 2>/dev/null; then
    echo "skipped: there is no python3 with venv and pip here"
    exit
fi
# What PyPI's mirrors and users on slow lines take without asking.
[ "$(stat -c %s "$wheel")" -le 45000000 ] || { echo "error: the wheel is larger than 45 MB" >&2; exit 1; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
pip="$place/venv/bin/python -m pip install --quiet --disable-pip-version-check"
$pip "$wheel" numpy pytest auditwheel
# The tests of JAX and of the notebooks skip themselves where a Python has no such packages.
$pip jax jax-tvm-ffi || echo "skipped: JAX, which this Python cannot install"
$pip nbclient ipykernel matplotlib || echo "skipped: the notebooks, whose packages this Python cannot install"
"$place/venv/bin/auditwheel" show "$wheel" | tee "$place/audit"
# The tag says what the programs in it need, and no less.
tag=$(basename "$wheel" | sed 's/.*-none-//; s/\.whl//')
grep -q "\"$tag\"" "$place/audit"
cd "$place"
env -i HOME="$place" PATH="$place/venv/bin" TILE_CACHE="$place/cache" LANG=C.UTF-8 \
    "$place/venv/bin/python" -m pytest -q -p no:cacheprovider "$tests"
