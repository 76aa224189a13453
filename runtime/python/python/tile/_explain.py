"""What the compiler says of a kernel."""

import functools
import html
import json
import pathlib

from ._compile import run


class Explanation:
    """What the compiler decided, and what that costs. Its text is what `tilec explain` prints; a notebook shows the page."""

    def __init__(self, command):
        self._command = command

    @functools.cached_property
    def text(self):
        return run(*self._command, "--color", "never")

    @functools.cached_property
    def page(self):
        """One page of HTML, which needs nothing else."""
        return run(*self._command, "--format", "html")

    @functools.cached_property
    def data(self):
        """Everything, as lists and dicts."""
        return json.loads(run(*self._command, "--format", "json"))

    def save(self, path):
        """Writes the page to a file."""
        pathlib.Path(path).write_text(self.page)

    def __str__(self):
        return self.text

    def __repr__(self):
        return self.text

    def _repr_html_(self):
        return f'<iframe style="width: 100%; height: 40em; border: 0" srcdoc="{html.escape(self.page)}"></iframe>'
