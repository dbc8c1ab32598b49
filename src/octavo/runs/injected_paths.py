"""`--inject-paths`: a notebook learns where it was read from and where it will be written."""

from __future__ import annotations

from octavo.notebook.values import Given
from octavo.runs.download import public, scheme_of

NAMES = ("PAPERMILL_INPUT_PATH", "PAPERMILL_OUTPUT_PATH")


def with_paths(given: Given, source: str, output: str | None) -> Given:
    """The given values and, before them, the two paths; a value that was given wins."""
    extended = Given()
    # What is injected is kept: of an address that is what may be.
    shown = public(source) if scheme_of(source) else source
    for name, path in zip(NAMES, (shown, output or "-"), strict=True):
        extended.put(name, path)
    for name, value in given.items():
        extended.put(name, value, given.texts.get(name))
    return extended
