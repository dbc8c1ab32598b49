"""What an author wants of a cell: `# NBVAL_CHECK_OUTPUT` and its kin, as comments or as tags.

A comment stands on a line of its own. Of several that speak of the same thing the last one counts,
and comments count more than tags; both as in nbval.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from octavo.notebook.model import Cell, Notebook
from octavo.notebook.skipping import RAISES_MARK, SKIP_MARK, with_marks
from octavo.value import Value

_Wish = tuple[Literal["check", "raises", "skip"], bool]

_COMMENTS: dict[str, _Wish] = {
    "NBVAL_CHECK_OUTPUT": ("check", True),
    "NBVAL_IGNORE_OUTPUT": ("check", False),
    "PYTEST_VALIDATE_IGNORE_OUTPUT": ("check", False),
    "NBVAL_RAISES_EXCEPTION": ("raises", True),
    "NBVAL_SKIP": ("skip", True),
}
_TAGS: dict[str, _Wish] = {
    **{word.lower().replace("_", "-"): wish for word, wish in _COMMENTS.items()},
    "raises-exception": ("raises", True),
}


class Expectation(Value):
    """Whether the outputs of a cell are compared, an exception is fine, and it is to run at all."""

    check: bool
    raises: bool = False
    skip: bool = False


def expectation(cell: Cell, *, strict: bool) -> Expectation:
    """What is expected of a cell. Without a word from its author, only `strict` compares."""
    wishes: dict[str, bool] = {"check": strict}
    wishes.update(_from_tags(cell))
    wishes.update(_from_comments(cell.source))
    return Expectation(**wishes)


def marked(notebook: Notebook) -> Notebook:
    """The notebook for a run that goes by these markers: cells to skip, cells that may raise.

    Sources and tags stay as they are; nothing of it is in the executed notebook.
    """
    cells = tuple(map(_with_wishes, notebook.cells))
    same = all(one is other for one, other in zip(cells, notebook.cells, strict=True))
    return notebook if same else notebook.replace(cells=cells)


def _with_wishes(cell: Cell) -> Cell:
    if cell.kind != "code":
        return cell
    wanted = expectation(cell, strict=False)
    marks = {}
    if wanted.skip:
        marks[SKIP_MARK] = "marked NBVAL_SKIP"
    if wanted.raises:
        marks[RAISES_MARK] = "marked NBVAL_RAISES_EXCEPTION"
    return with_marks(cell, marks) if marks else cell


def _from_comments(source: str) -> Iterator[_Wish]:
    # Other words for NBVAL are rare, and most cells have none.
    if "NBVAL_" not in source and "PYTEST_VALIDATE" not in source:
        return
    for line in source.splitlines():
        line = line.strip()
        if line.startswith("#"):
            wish = _COMMENTS.get(line.lstrip("#").strip())
            if wish is not None:
                yield wish


def _from_tags(cell: Cell) -> Iterator[_Wish]:
    for tag in cell.tags:
        wish = _TAGS.get(tag) if isinstance(tag, str) else None
        if wish is not None:
            yield wish
