#!/usr/bin/env bash
# Runs the whole conformance suite in the simulator, or writes what a GPU is compared with; see --help.
# What the headers of tests/conformance/*.tile may say is told in tests/src/conformance.rs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec cargo run --release -q -p tile-tests --bin conformance -- "$@"
