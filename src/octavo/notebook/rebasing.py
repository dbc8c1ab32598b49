"""Edits that were made for one state of a notebook, carried over to a later one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from octavo.errors import ConflictError
from octavo.notebook.edits import Edit, Located, changed, shortened
from octavo.notebook.identity import handle
from octavo.notebook.matching import match_cells
from octavo.notebook.model import Cell, Notebook

_TEXT = ("replace", "substitute", "kind")


def rebase(
    located: Sequence[Located], base: Notebook, current: Notebook, place: str = ""
) -> tuple[Located, ...]:
    """Edits of `base` as edits of `current`, which somebody else has changed meanwhile.

    What others did to other cells stays. A cell that both changed differently is a conflict, and
    so is one that is gone, unless it was to be deleted.
    """
    if base == current:
        return tuple(located)
    counterparts = {old: new for new, old in match_cells(base.cells, current.cells).items()}
    return tuple(
        moved
        for each in located
        if (moved := _rebased(each, base, current, counterparts, place)) is not None
    )


def _rebased(
    each: Located,
    base: Notebook,
    current: Notebook,
    counterparts: Mapping[int, int],
    place: str,
) -> Located | None:
    if each.anchor is not None:
        each = _anchored(each, len(base.cells), counterparts)
    if each.cell is None:
        return each
    if each.cell not in counterparts:
        if each.edit.op == "delete":
            return None
        raise _gone(each, base, place)
    index = counterparts[each.cell]
    before, now = base.cells[each.cell], current.cells[index]
    if _agrees(each.edit, before, now):
        return each.replace(cell=index)
    ours = None if each.edit.op == "delete" else changed(before, each.edit, each.cell, place)
    if ours is None or not _same(ours, now):
        raise _conflict(each.edit, before, ours, now, index, place)
    return Located(Edit("replace", source=now.source), index, None)


def _anchored(each: Located, count: int, counterparts: Mapping[int, int]) -> Located:
    """Beside the same cell; if that is gone, beside the next one on its other side."""
    assert each.anchor is not None
    step = -1 if each.edit.side == "after" else 1
    at = each.anchor
    while 0 <= at < count and (at not in counterparts or at == each.cell):
        at += step
    if 0 <= at < count:
        return each.replace(anchor=counterparts[at])
    side = "before" if each.edit.side == "after" else "after"
    return each.replace(edit=each.edit.replace(side=side), anchor=None)


def _gone(each: Located, base: Notebook, place: str) -> ConflictError:
    assert each.cell is not None
    before = base.cells[each.cell]
    ours = before if each.edit.op == "move" else changed(before, each.edit, each.cell)
    return _conflict(each.edit, before, ours, None, each.cell, place)


def _agrees(edit: Edit, before: Cell, now: Cell) -> bool:
    """Whether others left alone what an edit changes."""
    if edit.op in _TEXT or edit.op == "delete":
        return _same(before, now)
    if edit.op == "rename":
        return (before.name, before.metadata.get("title")) == (now.name, now.metadata.get("title"))
    return True


def _same(one: Cell, other: Cell) -> bool:
    return one.kind == other.kind and one.source.rstrip("\n") == other.source.rstrip("\n")


def _conflict(
    edit: Edit, base: Cell, ours: Cell | None, theirs: Cell | None, index: int, place: str
) -> ConflictError:
    gone = "deleted" if theirs is None else "changed"
    return ConflictError(
        "conflict",
        f"cell {index} was {gone} by somebody else since it was read\n"
        f"--- {edit.op} by this call\n{_text(ours)}\n--- as it is now\n{_text(theirs)}",
        place=place,
        hint="make the edit for the notebook as it is now",
        details={
            "op": edit.op,
            "index": None if theirs is None else index,
            "base": _version(base),
            "ours": _version(ours),
            "theirs": _version(theirs),
        },
    )


def _text(cell: Cell | None) -> str:
    return "(deleted)" if cell is None else shortened(cell.source)


def _version(cell: Cell | None) -> dict[str, Any] | None:
    if cell is None:
        return None
    return {
        "kind": cell.kind,
        "source": cell.source,
        "metadata": dict(cell.metadata),
        "handle": handle(cell),
    }
