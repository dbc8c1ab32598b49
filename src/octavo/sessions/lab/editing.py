"""One change to the document of a session, made in the notebook that a server has open too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from octavo.kernels.remote.finding import choose
from octavo.kernels.remote.server import Server
from octavo.sessions.lab.contents import check_there, open_file
from octavo.sessions.lab.opened import LabCell, OpenedNotebook, gone, stale
from octavo.sessions.lab.shared import join
from octavo.value import Value

_TOLD = {
    "shared": "changed in the shared document of {path}: whoever has it open sees it",
    "contents": "changed in {path} through the server; a page that has it open must reload it",
}


class Change(Value):
    """What is to become of a cell that the session knows at `index` with the source `before`, and
    by the `id` that its file gives it, if any.

    An insertion stands `side` of that cell; without any cell (`before` is None) it is the first.
    """

    op: Literal["replace", "insert", "delete"]
    index: int
    before: str | None
    source: str = ""
    kind: str = "code"
    side: Literal["before", "after"] = "after"
    id: str | None = None


async def open_notebook(server: Server, path: str) -> OpenedNotebook:
    """A notebook by its path on the server: the shared document where there is one.

    A room is never asked for a file that is not there: it would keep the server from ending.
    """
    await check_there(server, path)
    return await join(server, path) or await open_file(server, path)


async def notebook_of(server: Server, kernel: str) -> str | None:
    """The path on the server of the notebook that is open with a kernel."""
    found = await choose(server, kernel, None)
    return found.notebooks[0] if found.notebooks else None


async def make(opened: OpenedNotebook, change: Change) -> str:
    """Make a change, and say how; ConflictError, and nothing is changed, where the cell differs."""
    cells = await opened.cells()
    if change.before is None:
        await opened.insert(0, change.kind, change.source)
    else:
        index = _meant(cells, change, change.before, opened.path)
        await _make_at(opened, index, change, cells[index].source)
    return _TOLD[opened.how].format(path=opened.path)


def _meant(cells: Sequence[LabCell], change: Change, before: str, path: str) -> int:
    """Where the cell stands. One that somebody has changed is not mistaken for another that looks
    as it did."""
    for index, cell in enumerate(cells):
        if change.id and cell.id == change.id:
            if cell.source.rstrip("\n") != before.rstrip("\n"):
                raise stale(path, index, cell.source)
            return index
    found = find(cells, before, change.index)
    if found is None:
        raise gone(path)
    return found


async def _make_at(opened: OpenedNotebook, index: int, change: Change, before: str) -> None:
    if change.op == "replace":
        await opened.replace(index, before, change.source)
    elif change.op == "delete":
        await opened.delete(index, before)
    else:
        at = index + (change.side == "after")
        await opened.insert(at, change.kind, change.source)


def find(cells: Sequence[LabCell], source: str, near: int) -> int | None:
    """The cell with that source; of several, the one nearest to where the session has it.

    Line ends at the end of a cell are no part of it in text formats.
    """
    wanted = source.rstrip("\n")
    same = [index for index, cell in enumerate(cells) if cell.source.rstrip("\n") == wanted]
    return min(same, key=lambda index: abs(index - near), default=None)
