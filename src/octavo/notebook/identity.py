"""Ids of cells: kept as long as a cell can be recognized, and made from content when it is new."""

from __future__ import annotations

import re
from collections.abc import Iterable

from octavo.notebook.model import Cell, Notebook

_VALID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_LENGTH = 8


def handle(cell: Cell) -> str:
    """A short name for a cell as it is now: it changes with kind and source, nothing else."""
    return digest(cell)[:_LENGTH]


def digest(cell: Cell) -> str:
    """The whole SHA-256 of which the handle is the beginning."""
    from hashlib import sha256

    content = f"{cell.kind}\0{cell.source.rstrip(chr(10))}"
    return sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def assign_ids(notebook: Notebook, previous: Notebook | None = None) -> Notebook:
    """The notebook with a valid, unique id on every cell.

    A cell keeps the id that it has, else takes that of its counterpart in `previous`, else gets
    one from its content. The position of a cell has no part in it.
    """
    ids: list[str | None] = [_valid(cell.id) for cell in notebook.cells]
    if previous is not None and not all(ids):
        ids = _adopt(ids, notebook, previous)
    ids = _without_repeats(ids)
    if list(ids) == [cell.id for cell in notebook.cells] and all(ids):
        return notebook
    taken = {known for known in ids if known}
    used: dict[str, int] = {}
    cells = []
    for cell, known in zip(notebook.cells, ids, strict=True):
        chosen = known or _free_id(handle(cell), taken, used)
        taken.add(chosen)
        cells.append(cell.replace(id=chosen))
    return notebook.replace(cells=tuple(cells))


def _adopt(ids: list[str | None], notebook: Notebook, previous: Notebook) -> list[str | None]:
    from octavo.notebook.matching import match_cells

    pairs = match_cells(previous.cells, notebook.cells)
    own = set(ids)
    adopted = list(ids)
    for at, before in pairs.items():
        known = _valid(previous.cells[before].id)
        if adopted[at] is None and known not in own:
            adopted[at] = known
    return adopted


def _valid(cell_id: str | None) -> str | None:
    return cell_id if cell_id and _VALID.fullmatch(cell_id) else None


def _without_repeats(ids: Iterable[str | None]) -> list[str | None]:
    seen: set[str] = set()
    unique: list[str | None] = []
    for known in ids:
        unique.append(None if known in seen else known)
        if known:
            seen.add(known)
    return unique


def _free_id(wanted: str, taken: set[str], used: dict[str, int]) -> str:
    """The wanted id, or with the next number behind it when it is taken."""
    chosen = wanted
    while chosen in taken:
        used[wanted] = used.get(wanted, 1) + 1
        chosen = f"{wanted}-{used[wanted]}"
    return chosen
