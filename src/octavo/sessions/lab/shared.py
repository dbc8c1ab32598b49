"""Editing the document that everybody sees, cell by cell and letter by letter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from octavo.kernels.remote.server import Server, call, quoted
from octavo.sessions.lab.opened import How, LabCell, no_cell, not_there, stale
from octavo.sessions.lab.room import Room


class SharedNotebook:
    """A notebook in a room of jupyter-collaboration."""

    how: How = "shared"

    def __init__(self, path: str, room: Room) -> None:
        self.path = path
        self._room = room
        self._notebook: Any = import_module("jupyter_ydoc").YNotebook(room.document)

    async def cells(self) -> tuple[LabCell, ...]:
        await self._room.settled()
        return self._cells()

    async def replace(self, index: int, before: str, source: str) -> None:
        await self._expect(index, before)
        await self._change(lambda: self._notebook.set_cell(index, source=source))

    async def insert(self, index: int, kind: str, source: str) -> None:
        await self._room.settled()
        cell: dict[str, Any] = {"cell_type": kind, "source": source, "metadata": {}}
        if kind == "code":
            cell |= {"outputs": [], "execution_count": None}
        new = self._notebook.create_ycell(cell)
        at = min(index, self._notebook.cell_number)
        await self._change(lambda: self._notebook.ycells.insert(at, new))

    async def delete(self, index: int, before: str) -> None:
        await self._expect(index, before)
        await self._change(lambda: self._notebook.ycells.pop(index))

    async def show(self, index: int, outputs: Sequence[dict[str, Any]], count: int | None) -> None:
        await self._change(lambda: self._show(index, outputs, count))

    async def close(self) -> None:
        await self._room.close()

    def _cells(self) -> tuple[LabCell, ...]:
        plain = (self._notebook.get_cell(i) for i in range(self._notebook.cell_number))
        return tuple(
            LabCell(str(each.get("id") or ""), str(each["cell_type"]), str(each["source"]))
            for each in plain
        )

    async def _expect(self, index: int, before: str) -> None:
        now = await self.cells()
        if not 0 <= index < len(now):
            raise no_cell(self.path, index, len(now))
        if now[index].source != before:
            raise stale(self.path, index, now[index].source)

    async def _change(self, change: Callable[[], Any]) -> None:
        """In one step for everybody else."""
        document = self._room.document
        before = document.get_state()
        with document.transaction():
            change()
        await self._room.send_changes(before)

    def _show(self, index: int, outputs: Sequence[dict[str, Any]], count: int | None) -> None:
        cell = self._notebook.ycells[index]
        shown = cell["outputs"]
        shown.clear()
        shown.extend(list(map(_shared_output, outputs)))
        cell["execution_count"] = None if count is None else float(count)


def _shared_output(output: dict[str, Any]) -> Any:
    """An output in the shape that pages share: text of streams can grow, so it is shared text."""
    pycrdt = import_module("pycrdt")
    if output.get("output_type") == "stream":
        text = output.get("text")
        whole = text if isinstance(text, str) else "".join(text or ())
        output = {**output, "text": pycrdt.Text(whole)}
    return pycrdt.Map(output)


async def join(server: Server, path: str) -> SharedNotebook | None:
    """The shared document of a notebook; None where the server does not share documents."""
    from octavo.errors import InfrastructureError

    try:
        place = await call(
            server,
            "PUT",
            f"api/collaboration/session/{quoted(path)}",
            {"format": "json", "type": "notebook"},
        )
    except InfrastructureError as error:
        if error.details.get("status") in (404, 405):
            return None
        raise
    if not isinstance(place, dict) or "fileId" not in place:
        return None
    room = Room(server, f"json:notebook:{place['fileId']}", str(place.get("sessionId") or ""))
    try:
        await room.open()
    except BaseException:
        await room.close()
        if room.is_missing:
            raise not_there(path) from None
        raise
    return SharedNotebook(path, room)
