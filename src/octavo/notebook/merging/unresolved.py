"""Does a notebook hold a merge that nobody has finished? Then nothing is to be done with it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from octavo.errors import ConflictError
from octavo.notebook.model import Cell, Notebook
from octavo.notebook.places import place_of

#: The tag of a cell that marks a conflict.
TAG = "octavo-conflict"
#: In the metadata of a version in an `.ipynb`: which side it is of, and of which conflict.
KEY = "octavo_conflict"
_SIGN = "<<<<<<<"
_LINE = re.compile(r"([<>])\1{6,}(?: |$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def refuse_conflicts(notebook: Notebook, path: str, otherwise: str = "") -> None:
    """ConflictError `merge-conflict` when a merge has left both versions of something.

    `otherwise` is another way out, for the hint.
    """
    if not any(
        _SIGN in cell.source or KEY in cell.metadata or TAG in cell.tags for cell in notebook.cells
    ):
        return
    place = find_conflict(notebook, path)
    if place is not None:
        raise ConflictError(
            "merge-conflict",
            "the notebook holds both sides of a merge that is not finished",
            place=place,
            hint=(
                "keep the cells that are right, and delete the others and those with the tag "
                f"`octavo-conflict`{otherwise}"
            ),
        )


def find_conflict(notebook: Notebook, path: str = "") -> str | None:
    """The place of the first conflict: of our marks, of git's, or of two versions left alone."""
    sides: dict[object, str] = {}
    open_place: str | None = None
    for index, cell in enumerate(notebook.cells):
        if TAG in cell.tags:
            return place_of(path, index, cell)
        told = cell.metadata.get(KEY)
        if isinstance(told, dict):
            other = sides.setdefault(told.get("number"), str(told.get("side")))
            if other != told.get("side"):
                return place_of(path, index, cell)
        for line, sign in _signs(cell, notebook.is_python):
            if sign == "<":
                open_place = open_place or place_of(path, index, cell, line)
            elif open_place:
                return open_place
    return None


def _signs(cell: Cell, python: bool) -> Iterator[tuple[int, str]]:
    """Lines that git puts before and after a conflict, where they are not meant to be shown."""
    if _SIGN not in cell.source and ">>>>>>>" not in cell.source:
        return
    if cell.kind == "code" and python and _parses(cell):
        return
    fence = ""
    for number, line in enumerate(cell.source.split("\n"), 1):
        bar = _FENCE.match(line) if cell.kind == "markdown" else None
        if bar and (not fence or bar[1].startswith(fence)):
            fence = "" if fence else bar[1]
        elif not fence and (sign := _LINE.match(line)):
            yield number, sign[1]


def _parses(cell: Cell) -> bool:
    from octavo.notebook.syntax import parse_cell

    return parse_cell(cell.source) is not None
