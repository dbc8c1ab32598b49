"""Which cell is meant: by its index, name, tag, id, handle, or a variable that it makes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
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
    """The index of the one cell that an address means."""
    return Directory(cells, place).find(address)


class Directory:
    """Where the cells of a notebook are found. Each is hashed at most once, so that thousands of
    addresses cost little more than one.
    """

    def __init__(self, cells: Sequence[Cell], place: str = "") -> None:
        self._cells = cells
        self._place = place

    def find(self, address: Address) -> int:
        """The index of the one cell that an address means.

        Text is looked up as a whole handle or id, as an index, as a name, title or tag, as the
        beginning of a handle, and as a variable that one cell alone makes, in this order; the
        first that fits decides.
        """
        text = str(address)
        index = _index(text, len(self._cells))
        found = [] if index is None else [index]
        if isinstance(address, str):
            found = self._first_that_fits(text, found)
        if len(found) > 1:
            raise _ambiguous(text, found, self._cells, self._place)
        if not found:
            raise _missing(text, self._cells, self._place)
        return found[0]

    def _first_that_fits(self, text: str, numbered: list[int]) -> list[int]:
        return (
            self._by_handle_or_id.get(text, [])
            or numbered
            or self._by_name.get(text, [])
            or self._by_beginning(text)
            or self._by_variable(text)
        )

    def _by_beginning(self, text: str) -> list[int]:
        if not _HEX.fullmatch(text):
            return []
        return [at for at, known in enumerate(self._digests) if known.startswith(text)]

    def _by_variable(self, text: str) -> list[int]:
        cells = enumerate(self._cells)
        return [at for at, cell in cells if binds(cell.kind, cell.source, text)]

    @cached_property
    def _digests(self) -> list[str]:
        return [digest(cell) for cell in self._cells]

    @cached_property
    def _by_handle_or_id(self) -> dict[str, list[int]]:
        return _grouped(
            (known[:_HANDLE], cell.id)
            for cell, known in zip(self._cells, self._digests, strict=True)
        )

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        return _grouped((*names_of(cell), *cell.tags) for cell in self._cells)


def binds(kind: str, source: str, name: str) -> bool:
    """Whether a cell makes a variable: its code binds the name at its top level."""
    if kind != "code" or not name.isidentifier() or name not in source:
        return False
    from octavo.notebook.names.magics import read_cell
    from octavo.notebook.names.scopes import bound_in

    reading = read_cell(source)
    tree = reading.tree
    return name in reading.defined or (tree is not None and name in bound_in(tree.body))


def names_of(cell: Cell) -> tuple[str, ...]:
    """What people call a cell: its name, and the title on its marker."""
    called = (cell.name, cell.metadata.get("title"))
    return tuple(name for name in called if isinstance(name, str) and name)


def _grouped(names: Iterable[Iterable[Any]]) -> dict[str, list[int]]:
    """The places that have each name; one that has it twice is there once."""
    found: dict[str, list[int]] = {}
    for at, known in enumerate(names):
        for name in dict.fromkeys(each for each in known if isinstance(each, str)):
            found.setdefault(name, []).append(at)
    return found


def _index(text: str, count: int) -> int | None:
    # No notebook has ten million cells, and Python refuses to read numbers of thousands of digits.
    if not text.isascii() or not text.removeprefix("-").isdecimal() or len(text) > _HANDLE:
        return None
    index = int(text) + (count if text.startswith("-") else 0)
    return index if 0 <= index < count else None


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
    names = [name for cell in cells for name in names_of(cell)]
    named = f"; names are: {', '.join(names[:8])}" if names else ""
    return UsageError(
        "cell-not-found",
        f"there is no cell {text[:_WIDTH]!r}",
        place=place,
        hint=numbered + named,
        details=details,
    )
