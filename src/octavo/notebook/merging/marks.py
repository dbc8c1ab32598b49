"""How a conflict stands in a notebook: both versions as cells, between cells that mark them.

The marks are Markdown cells with the tag `octavo-conflict`. Their first lines are those that git
writes, so that people, editors and checks that look for them find them in every format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from octavo.notebook.merge import Conflict, Merged
from octavo.notebook.merging.metadata import MetadataConflict
from octavo.notebook.merging.unresolved import KEY, TAG
from octavo.notebook.model import Cell

_OPENING = re.compile(r"<{7,}(?: |$)")
_CLOSING = re.compile(r">{7,}(?: |$)")
#: A file whose header leaves tags out shows marks by their first line alone.
_MARK_LINE = re.compile(r"(?:<{7,}|>{7,})(?: |$)|={7,}$")
_MARK = {"tags": [TAG]}


class Labels(NamedTuple):
    """What the sides are called, and how long a mark is."""

    ours: str = "ours"
    theirs: str = "theirs"
    size: int = 7


class Standing(NamedTuple):
    """A cell of the outcome: a merged one, a version of one side, or (without a place) a mark.

    `at` is the index in `Merged.cells`.
    """

    cell: Cell
    at: int | None = None
    side: str = ""
    number: int = 0


def standing(merged: Merged, labels: Labels) -> list[Standing]:
    """All cells of a merge in their order; conflicts as marks and versions."""
    total = len(merged.conflicts)
    found: list[Standing] = []
    number = 0
    for at, cell in enumerate(merged.cells):
        if isinstance(cell, Cell):
            found.append(Standing(cell, at))
        else:
            number += 1
            found += _versions(cell, at, number, total, labels)
    if merged.metadata_conflicts:
        has_front_matter = bool(found) and found[0].cell.kind == "raw"
        note = Standing(_metadata_note(merged.metadata_conflicts, labels))
        found.insert(int(has_front_matter), note)
    return found


def _versions(
    conflict: Conflict, at: int, number: int, total: int, labels: Labels
) -> Iterator[Standing]:
    size = "=" * labels.size
    title = f"**Merge conflict {number} of {total}: {_what(conflict, labels)}.**"
    advice = (
        f"{_code(labels.ours)} stands before `{size}`, {_code(labels.theirs)} after it.\n"
        f"Keep what is right and delete the rest, also the cells with the tag `{TAG}`."
    )
    yield Standing(_mark(f"{'<' * labels.size} {labels.ours}\n\n{title}\n{advice}"))
    if conflict.ours is not None:
        yield Standing(conflict.ours, at, "ours", number)
    yield Standing(_mark("=" * labels.size))
    if conflict.theirs is not None:
        yield Standing(conflict.theirs, at, "theirs", number)
    yield Standing(_mark(f"{'>' * labels.size} {labels.theirs}"))


def _mark(source: str) -> Cell:
    return Cell("markdown", source, _MARK)


def _code(label: str) -> str:
    return f"`{label.replace('`', chr(39))}`"


def _what(conflict: Conflict, labels: Labels) -> str:
    if conflict.ours is None:
        return f"{_code(labels.ours)} deleted a cell that {_code(labels.theirs)} changed"
    if conflict.theirs is None:
        return f"{_code(labels.ours)} changed a cell that {_code(labels.theirs)} deleted"
    about = [each.removeprefix("metadata ") for each in conflict.about]
    if "source" in about:
        return "both sides changed the same lines of a cell"
    return f"both sides changed `{'`, `'.join(about)}` of a cell"


def _metadata_note(conflicts: Sequence[MetadataConflict], labels: Labels) -> Cell:
    """One cell that tells both values of every key; the notebook has ours."""
    lines = [
        f"{'<' * labels.size} {labels.ours}",
        "",
        "**Merge conflict in the metadata of the notebook.**",
        f"It has what {_code(labels.ours)} says; correct it where that is wrong,",
        "then delete this cell.",
        "",
    ]
    for each in conflicts:
        ours, theirs = (json.dumps(value, sort_keys=True) for value in (each.ours, each.theirs))
        lines += [f"- `{each.key}`: {_code(ours)} or {_code(theirs)}"]
    lines += ["", "=" * labels.size, "", f"{'>' * labels.size} {labels.theirs}"]
    return _mark("\n".join(lines))


def is_mark(cell: Cell) -> bool:
    """Whether a cell is one that a merge put there and nobody has deleted yet."""
    return TAG in cell.tags or (cell.kind == "markdown" and _first(cell, _MARK_LINE))


def _first(cell: Cell, pattern: re.Pattern[str]) -> bool:
    return pattern.match(cell.source.partition("\n")[0]) is not None


def without_conflicts(cells: Sequence[Cell]) -> list[tuple[int, Cell]]:
    """Cells of a common ancestor that holds conflicts itself, with the index of each.

    Git makes such ancestors of several ones. All versions in a conflict become one cell, which
    is like each of them and equal to none: then whatever both sides agreed on later is taken,
    and where they do not agree it is a conflict again.
    """
    found: list[tuple[int, Cell]] = []
    inside: list[tuple[int, Cell]] | None = None
    for at, cell in enumerate(cells):
        if not is_mark(cell):
            (found if inside is None else inside).append((at, cell))
            continue
        whole = _first(cell, _OPENING) and not _ends_itself(cell)
        if whole or _first(cell, _CLOSING):
            found += _joined(inside or [])
            inside = [] if whole else None
    return found + (inside or [])


def _ends_itself(cell: Cell) -> bool:
    return any(_CLOSING.match(line) for line in cell.source.split("\n"))


def _joined(versions: list[tuple[int, Cell]]) -> list[tuple[int, Cell]]:
    if len(versions) < 2:
        return versions
    at, first = versions[0]
    source = "\n".join(cell.source for _, cell in versions)
    metadata: dict[str, Any] = {k: v for k, v in first.metadata.items() if k != KEY}
    return [(at, first.replace(source=source, metadata=metadata))]
