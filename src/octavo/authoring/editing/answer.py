"""What an edit answers: which cells were touched, and what changed in the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from octavo.notebook.diff.hunks import split
from octavo.notebook.edits import Touched
from octavo.notebook.identity import handle
from octavo.notebook.model import Cell
from octavo.value import Value

CONTEXT = 3
_LINES = 400
_WIDTH = 400
_COMPARED = 20_000

#: Lines of the old text from one to another, and the lines of the new text in their place.
_Change = tuple[int, int, int, int]


class TouchedCell(Value):
    """A cell that an edit was about; `index` and `handle` are None when it is gone."""

    op: str
    index: int | None
    handle: str | None
    name: str | None
    before_index: int | None
    before_handle: str | None


class Beside(Value):
    """The other file of a pair. `status` as `sync` tells it; `out-of-step` when the two differed
    before, so that it was left alone; `left` with `--no-sync`.
    """

    path: str
    status: str


class EditResult(Value):
    """What was changed. `merged` when somebody else had changed the file meanwhile."""

    path: str
    changed: bool
    cells: tuple[TouchedCell, ...]
    sha256: str
    diff: str
    diff_cut: bool = False
    merged: bool = False
    dry_run: bool = False
    beside: Beside | None = None

    def to_json(self) -> dict[str, Any]:
        return {**self.to_dict(), "cells": [cell.to_dict() for cell in self.cells]}


def touched_cells(
    touched: Sequence[Touched], before: Sequence[Cell], after: Sequence[Cell]
) -> tuple[TouchedCell, ...]:
    """The cells that edits were about, each once for every edit. `after` are those of the file as
    it is read from now on: a text may hold a source with other blanks around it.
    """
    found = []
    for each in touched:
        cell = None if each.after is None else after[each.after]
        found.append(
            TouchedCell(
                op=each.op,
                index=each.after,
                handle=None if cell is None else handle(cell),
                name=None if cell is None else cell.name,
                before_index=each.before,
                before_handle=None if each.before is None else handle(before[each.before]),
            )
        )
    return tuple(found)


def unified(path: str, before: str, after: str) -> tuple[str, bool]:
    """The unified diff of two texts, and whether some of it is left out.

    What both have at the start and at the end is taken off first, so that one cell of a large
    notebook costs no more than one of a small.
    """
    old, new = split(before), split(after)
    if old == new:
        return "", False
    head = _common(old, new)
    rest = min(len(old), len(new)) - head
    tail = min(_common(old[::-1], new[::-1]), rest)
    start = max(0, head - CONTEXT)
    stop = max(0, tail - CONTEXT)
    old_part, new_part = old[start : len(old) - stop], new[start : len(new) - stop]
    lines = [f"--- {path}", f"+++ {path}"]
    if len(old_part) + len(new_part) > _COMPARED:
        return "\n".join([*lines, "@@ too much changed to be shown @@"]), True
    lines += _hunks(old_part, new_part, start)
    cut = len(lines) > _LINES or any(len(line) > _WIDTH for line in lines)
    shown = [line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…" for line in lines[:_LINES]]
    return "\n".join(shown), cut


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


def _hunks(old: Sequence[str], new: Sequence[str], start: int) -> list[str]:
    lines = []
    for group in _groups(old, new):
        (i, _, k, _), (_, j, _, m) = group[0], group[-1]
        above = min(i, CONTEXT)
        below = min(len(old) - j, CONTEXT)
        a, c = start + i - above, start + k - above
        told = _range(a, j - i + above + below), _range(c, m - k + above + below)
        lines.append(f"@@ -{told[0]} +{told[1]} @@")
        at = i - above
        for i, j, k, m in group:
            lines += [f" {line}" for line in old[at:i]]
            lines += [f"-{line}" for line in old[i:j]]
            lines += [f"+{line}" for line in new[k:m]]
            at = j
        lines += [f" {line}" for line in old[at : at + below]]
    return lines


def _groups(old: Sequence[str], new: Sequence[str]) -> list[list[_Change]]:
    """Changes, those with few lines between them together."""
    from octavo.notebook.diff.pairing import equal_pairs

    groups: list[list[_Change]] = []
    at = other = 0
    for i, k in [*equal_pairs(old, new), (len(old), len(new))]:
        if i > at or k > other:
            if groups and at - groups[-1][-1][1] <= 2 * CONTEXT:
                groups[-1].append((at, i, other, k))
            else:
                groups.append([(at, i, other, k)])
        at, other = i + 1, k + 1
    return groups


def _range(start: int, length: int) -> str:
    return str(start + 1) if length == 1 else f"{start + 1 if length else start},{length}"
