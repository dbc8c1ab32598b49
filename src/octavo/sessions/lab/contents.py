"""Editing a notebook in the file that the server keeps, never over what somebody else saved.

The server's time of the last change, and its digest where it has one, are compared with those at
the last reading, right before writing. What a page has not saved yet the server cannot know; the
page asks its person before it would write over our change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from octavo.errors import ConflictError, InfrastructureError
from octavo.kernels.remote import failures
from octavo.kernels.remote.server import Server, call, quoted
from octavo.sessions.lab.opened import How, LabCell, no_cell, not_there, stale
from octavo.value import Value


class Version(Value):
    """What tells one saved state from another."""

    modified: str
    digest: str | None


class ContentsNotebook:
    """A notebook reached through the contents API."""

    how: How = "contents"

    def __init__(self, server: Server, path: str) -> None:
        self.path = path
        self._server = server
        self._address = f"api/contents/{quoted(path)}"
        self._content: dict[str, Any] = {}
        self._version = Version("", None)

    async def read(self) -> None:
        """Take what the server has; changes are made to this."""
        model = await self._get("type=notebook&content=1&hash=1")
        content = model.get("content") if isinstance(model, dict) else None
        if not isinstance(content, dict) or not isinstance(content.get("cells"), list):
            raise failures.strange(self._server.url, f"{self.path} is no notebook there")
        self._content, self._version = content, _version(model)

    async def cells(self) -> tuple[LabCell, ...]:
        await self.read()
        return tuple(
            LabCell(str(each.get("id") or ""), str(each.get("cell_type")), _source(each))
            for each in self._content["cells"]
        )

    async def replace(self, index: int, before: str, source: str) -> None:
        cell = self._expected(index, before)

        def change(cells: list[Any]) -> None:
            cells[index] = {**cell, "source": source}

        await self._write(change)

    async def insert(self, index: int, kind: str, source: str) -> None:
        from uuid import uuid4

        cell: dict[str, Any] = {"cell_type": kind, "source": source, "metadata": {}}
        if kind == "code":
            cell |= {"outputs": [], "execution_count": None}
        if int(self._content.get("nbformat_minor", 0)) >= 5:
            cell["id"] = uuid4().hex[:8]
        await self._write(lambda cells: cells.insert(index, cell))

    async def delete(self, index: int, before: str) -> None:
        self._expected(index, before)
        await self._write(lambda cells: cells.pop(index))

    async def show(self, index: int, outputs: Sequence[dict[str, Any]], count: int | None) -> None:
        """Outputs are not written: a file under the eyes of a page is changed only when asked."""

    async def close(self) -> None:
        """Nothing is kept open."""

    async def _get(self, what: str) -> Any:
        return await _get(self._server, self.path, what)

    def _expected(self, index: int, before: str) -> dict[str, Any]:
        cells = self._content["cells"]
        if not 0 <= index < len(cells):
            raise no_cell(self.path, index, len(cells))
        if _source(cells[index]) != before:
            raise stale(self.path, index, _source(cells[index]))
        found: dict[str, Any] = cells[index]
        return found

    async def _write(self, change: Callable[[list[Any]], Any]) -> None:
        await self._refuse_if_changed()
        cells = list(self._content["cells"])
        change(cells)
        content = {**self._content, "cells": cells}
        body = {"type": "notebook", "format": "json", "content": content}
        saved = await call(self._server, "PUT", self._address, body)
        if not isinstance(saved, dict):
            raise failures.strange(self._server.url, "it does not say what it has saved")
        await self.read()

    async def _refuse_if_changed(self) -> None:
        model = await self._get("content=0&hash=1")
        if _version(model if isinstance(model, dict) else {}) != self._version:
            raise ConflictError(
                "stale",
                "the notebook was saved in the Jupyter server since it was read; "
                "nothing was changed",
                place=self.path,
                hint="read it again, and make the change to what it is now",
            )


async def _get(server: Server, path: str, what: str) -> Any:
    try:
        return await call(server, "GET", f"api/contents/{quoted(path)}?{what}")
    except InfrastructureError as error:
        if error.details.get("status") != 404:
            raise
        raise not_there(path) from None


async def check_there(server: Server, path: str) -> None:
    """UsageError where the server has no such notebook."""
    await _get(server, path, "content=0")


def _version(model: dict[str, Any]) -> Version:
    digest = model.get("hash")
    return Version(str(model.get("last_modified")), None if digest is None else str(digest))


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


async def open_file(server: Server, path: str) -> ContentsNotebook:
    """A notebook by its path on the server, as it stands."""
    opened = ContentsNotebook(server, path)
    await opened.read()
    return opened
