"""`--inject-paths`: a notebook learns where it was read from and where it will be written."""

from __future__ import annotations

from octavo.notebook.values import Given

NAMES = ("PAPERMILL_INPUT_PATH", "PAPERMILL_OUTPUT_PATH")


def with_paths(given: Given, source: str, output: str | None) -> Given:
    """The given values and, before them, the two paths; a value that was given wins."""
    extended = Given()
    for name, path in zip(NAMES, (source, output or "-"), strict=True):
        extended.put(name, path)
    for name, value in given.items():
        extended.put(name, value, given.texts.get(name))
    return extended
