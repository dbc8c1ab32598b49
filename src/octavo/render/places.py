"""Paths and places as people type them."""

from __future__ import annotations

import os

from octavo.render.columns import plain


def near_path(path: str, cwd: str) -> str:
    """A path from the current folder where it lies below it, without control characters.

    In one line: on CI a line of its own may be a command to the runner.
    """
    relative = os.path.relpath(path, cwd)
    return " ".join(plain(path if relative.startswith("..") else relative).splitlines())


def failed_place(path: str, cell: int | None, line: int | None) -> str:
    """Where a cell failed: `nb.py:42`; in a `.ipynb`, whose lines nobody sees, the cell."""
    if cell is None:
        return f"{path}, injected parameters"
    if line is None:
        return f"{path}, cell {cell}"
    return f"{path}, cell {cell}, line {line}" if path.endswith(".ipynb") else f"{path}:{line}"
