"""Which cell is meant: by its index, name, tag, id or handle."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

from octavo.errors import ConflictError, OctavoError, UsageError
from octavo.notebook.identity import digest, handle
from octavo.notebook.model import Cell

#: An index (from 0, or from the end when negative) or one of a cell's names.
Address = int | str

_HEX = re.compile(r"[0-9a-f]{4,64}")
_HANDLE = 8
_LISTED = 12
_OUTLINED = 200
_WIDTH = 60


def find_cell(cells: Sequence[Cell], address: Address, place: str = "") -> int:
    """The index of the one cell that an address means.

    Text is looked up as a whole handle or id, as an index, as a name, title or tag, and as the
    beginning of a handle, in this order; the first that fits decides.
    """
    text = str(address)
    index = _index(text, len(cells))
    found = [] if index is None else [index]
    if isinstance(address, str):
        found = _first_that_fits(cells, text, found)
    if len(found) > 1:
        raise _ambiguous(text, found, cells, place)
    if not found:
        raise _missing(text, cells, place)
    return found[0]


def _index(text: str, count: int) -> int | None:
    # No notebook has ten million cells, and Python refuses to read numbers of thousands of digits.
    if not text.isascii() or not text.removeprefix("-").isdecimal() or len(text) > _HANDLE:
        return None
    index = int(text) + (count if text.startswith("-") else 0)
    return index if 0 <= index < count else None


def _first_that_fits(cells: Sequence[Cell], text: str, numbered: list[int]) -> list[int]:
    def where(fits: Callable[[Cell], bool]) -> list[int]:
        return [at for at, cell in enumerate(cells) if fits(cell)]

    return (
        where(lambda cell: text in (handle(cell), cell.id))
        or numbered
        or where(lambda cell: text in (cell.name, cell.metadata.get("title"), *cell.tags))
        or where(lambda cell: fits_digest(text, cell))
    )


def fits_digest(text: str, cell: Cell) -> bool:
    """Whether a text is (the beginning of) the hash of a cell."""
    return _HEX.fullmatch(text) is not None and digest(cell).startswith(text)


def is_expected(expected: str, cell: Cell) -> bool:
    """Whether a cell is what a caller expects: by handle, hash, or the SHA-256 of its source."""
    from hashlib import sha256

    wanted = expected.strip().lower()
    if fits_digest(wanted, cell):
        return True
    source = cell.source.encode("utf-8", "surrogatepass")
    return len(wanted) == 64 and sha256(source).hexdigest() == wanted


def described(cells: Sequence[Cell], index: int) -> dict[str, Any]:
    """A cell as errors and answers hold it."""
    cell = cells[index]
    return {
        "index": index,
        "handle": handle(cell),
        "kind": cell.kind,
        "name": cell.name,
        "tags": list(cell.tags),
        "source": cell.source,
    }


def outlined(cells: Sequence[Cell], indices: Iterable[int]) -> list[dict[str, Any]]:
    """Cells by index, handle, name and first line; not too many of them."""
    return [
        {
            "index": at,
            "handle": handle(cells[at]),
            "kind": cells[at].kind,
            "name": cells[at].name,
            "first_line": _first_line(cells[at]),
        }
        for at in islice(indices, _OUTLINED)
    ]


def _first_line(cell: Cell) -> str:
    line = cell.source.strip().partition("\n")[0]
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"


def _ambiguous(text: str, found: list[int], cells: Sequence[Cell], place: str) -> UsageError:
    listed = outlined(cells, found)
    lines = [f"cell {e['index']}  {e['handle']}  {e['first_line']}" for e in listed[:_LISTED]]
    more = [f"and {len(found) - _LISTED} more"] if len(found) > _LISTED else []
    return UsageError(
        "cell-ambiguous",
        "\n".join([f"{text!r} means {len(found)} cells", *lines, *more]),
        place=place,
        hint="name one of them by its index, or by a handle of its own",
        details={"candidates": listed},
    )


def _missing(text: str, cells: Sequence[Cell], place: str) -> OctavoError:
    details: dict[str, object] = {"cells": outlined(cells, range(len(cells)))}
    if _HEX.fullmatch(text) and (len(text) == _HANDLE or not text.isdecimal()):
        return ConflictError(
            "stale",
            f"no cell has the handle {text} (any more)",
            place=place,
            hint="the cell was edited or deleted since; look at the notebook again",
            details=details,
        )
    numbered = f"the cells are numbered 0 to {len(cells) - 1}" if cells else "it has no cells"
    names = [name for cell in cells for name in (cell.name, cell.metadata.get("title")) if name]
    named = f"; names are: {', '.join(map(str, names[:8]))}" if names else ""
    return UsageError(
        "cell-not-found",
        f"there is no cell {text[:_WIDTH]!r}",
        place=place,
        hint=numbered + named,
        details=details,
    )
