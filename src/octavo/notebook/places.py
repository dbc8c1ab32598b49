"""How a place in an author's file is named in errors."""

from __future__ import annotations

from octavo.notebook.model import Cell


def place_of(path: str, index: int, cell: Cell, line: int = 1) -> str:
    """The place of a cell's line: `nb.py:12`, or for `.ipynb` the cell and the line in it."""
    author_line = cell.line + line - 1
    if path and not path.endswith(".ipynb"):
        return f"{path}:{author_line}"
    within = f"cell {index}, line {author_line}"
    return f"{path}, {within}" if path else within
