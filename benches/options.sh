# shellcheck shell=bash
# Sourced by scripts that compile kernels into a folder and then run them: reads the options that all of
# them have, and goes to the root of the repository.
#
# Before, a script defines `help`, `default_directory` (below target) and, if it has options of its own, the
# function `own_option`: given the words that are left, it fails if the first is none of its options, and
# else sets `taken` to how many words it took. After, `$@` is what stood behind `--`.

target=sm_90a compile=yes run=yes directory=""
while [ $# -gt 0 ]; do
    taken=1
    case $1 in
        --help | -h) help; exit 0 ;;
        --compile-only) run=no ;;
        --run-only) compile=no ;;
        --target) target=${2:?--target needs a name}; taken=2 ;;
        --) shift; break ;;
        -*)
            if ! declare -F own_option >/dev/null || ! own_option "$@"; then
                printf 'error: unknown option %s; try --help\n' "$1" >&2
                exit 2
            fi
            ;;
        *) directory=$1 ;;
    esac
    shift $taken
done

here=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)
directory=${directory:-$here/../target/$default_directory}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
cd "$here/.."
