#!/usr/bin/env bash
# Copies the programs of this repository into the corpus of the fuzzer, each kernel file under its path.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
corpus=$here/corpus/front_end
mkdir -p "$corpus"
cd "$here/../.."
find lang-examples tests/kernels tests/ui -name '*.tile' | while read -r file; do
    # The calls in the headers of tests are comments, and long.
    grep -v '^//!' "$file" >"$corpus/${file//\//-}" || true
done
printf '%s inputs in %s\n' "$(find "$corpus" -type f | wc -l)" "$corpus"
