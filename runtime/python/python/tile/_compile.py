"""Runs the compiler, and keeps what it made.

The cache is a folder (`TILE_CACHE`, else `$XDG_CACHE_HOME/tile`) of PTX files, each named by all that it depends on: the
sources, the compiler, the target, and the generics. A file appears whole or not at all, so processes may share it.
"""

import functools
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sysconfig
import tempfile


class CompileError(Exception):
    """What the compiler says of a program, as it prints it."""


@functools.cache
def compiler():
    """The command `tilec`: `TILEC`, else the one that was installed with this package, else that of `PATH`."""
    given = os.environ.get("TILEC")
    if given:
        return given
    # Of this environment, of the user (`pip install --user`), beside the package (`pip install --target`).
    places = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"), pathlib.Path(__file__).parents[1] / "bin"]
    own = [pathlib.Path(place) / "tilec" for place in places]
    found = next((str(path) for path in own if path.exists()), None) or shutil.which("tilec")
    if not found:
        raise CompileError("there is no `tilec` here: install the package with it, set TILEC, or load a .ptx file")
    return found


def cache():
    given = os.environ.get("TILE_CACHE")
    if given:
        return pathlib.Path(given)
    home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(home) / "tile"


def run(*arguments):
    """What the compiler writes to its standard output."""
    done = subprocess.run([compiler(), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CompileError("\n" + done.stderr.strip("\n"))
    return done.stdout


@functools.cache
def targets():
    """The targets of the compiler, such as `sm_90a`."""
    lines = run("targets").splitlines()[1:]
    return [line.split()[0] for line in lines if line.strip()]


def target_for(capability):
    """The newest target that a GPU of this compute capability runs: the first digits of both are the same, or the
    target is one that later GPUs run as well."""

    def suits(name):
        digits = name.removeprefix("sm_")
        number = int(digits.rstrip("abcdef"))
        exact = digits[-1].isalpha()
        own = capability[0] * 10 + capability[1]
        return number == own if exact else number <= own

    known = [name for name in targets() if suits(name)]
    if not known:
        raise CompileError(f"no target suits a GPU of compute capability {capability[0]}.{capability[1]}: {targets()}")
    return max(known, key=lambda name: int(name.removeprefix("sm_").rstrip("abcdef")))


class Source:
    """A file with kernels, and what is known of it without compiling."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        described = json.loads(run("build", str(self.path), "--emit", "signatures"))
        self.signatures = {signature["name"]: signature for signature in described["kernels"]}
        self.version = described["compiler"]
        self.files = described["sources"]

    def digest(self):
        """Of everything that was read."""
        digest = hashlib.sha256(self.version.encode())
        digest.update(str(os.stat(compiler()).st_mtime_ns).encode())
        # What `tune` recorded decides too.
        record = self.path.with_suffix(".tuned.json")
        for name in [*self.files, *([record] if record.exists() else [])]:
            digest.update(pathlib.Path(name).read_bytes())
            digest.update(b"\0")
        return digest

    def ptx(self, kernel, target, generics):
        """The PTX of a kernel with these generics, from the cache or the compiler."""
        digest = self.digest()
        digest.update(repr((self.path.name, kernel, target, sorted(generics.items()))).encode())
        folder = cache()
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{kernel}-{digest.hexdigest()[:32]}.ptx"
        try:
            return path.read_text()
        except FileNotFoundError:
            pass
        defines = [word for name, value in generics.items() for word in ("-D", f"{name}={value}")]
        text = run("build", str(self.path), "--kernel", kernel, "--target", target, *defines, "-o", "-")
        with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".tmp", delete=False) as file:
            file.write(text)
        os.replace(file.name, path)
        return text
