"""The wheel's tag: for any Python 3, on Linux with glibc 2.34 or later, which Rust's standard library and LLVM need."""

import platform

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Tag(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-manylinux_2_34_{platform.machine()}"
