"""Type stubs of a file's kernels."""

import argparse
import pathlib

from ._kernel import Module

_CONSTANTS = {"bool": "bool", "str": "str", "f32": "float", "f64": "float"}


def stubs(path):
    """The text of a `.pyi` file that says how the kernels of `path` are called."""
    module = Module(path)
    lines = ["from typing import Any", ""]
    for kernel in module._kernels.values():
        signature = kernel._signature
        words = []
        for one in signature["parameters"]:
            scalar = "float" if one["element"].startswith(("f", "bf")) else "int"
            words.append(f"{one['name']}: {scalar if one['kind'] == 'scalar' else 'Any'}")
        generics = []
        for one in signature["generics"]:
            ty = _CONSTANTS.get(one["of"], "int") if one["kind"] == "const" else "Any"
            generics.append(f"{one['name']}: {ty} = ...")
        if generics:
            words += ["*", *generics]
        docs = [f"{one['name']}: {one['text']}" for one in signature["parameters"]]
        lines += [
            f"def {signature['name']}({', '.join(words)}) -> None:",
            '    """' + "\n    ".join([signature["docs"], *docs] if signature["docs"] else docs) + '"""',
            "",
        ]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="python -m tile", description="Writes FILE.pyi: how the kernels of FILE.tile are called.")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, help="where to write [default: beside the file]")
    arguments = parser.parse_args()
    output = arguments.output or arguments.file.with_suffix(".pyi")
    output.write_text(stubs(arguments.file))
    print(output)
