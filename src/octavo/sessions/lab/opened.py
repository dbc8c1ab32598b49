"""A notebook that a Jupyter server holds, whichever way it is reached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from octavo.errors import ConflictError, UsageError
from octavo.value import Value

#: How an opened notebook is changed: in the document that everybody sees, or in the file.
How = Literal["shared", "contents"]


class LabCell(Value):
    """A cell as the server has it now."""

    id: str
    kind: str
    source: str


class OpenedNotebook(Protocol):
    """One notebook of a server. Every change is there when its call returns."""

    path: str
    how: How

    async def cells(self) -> tuple[LabCell, ...]:
        """The cells as they are at this moment."""

    async def replace(self, index: int, before: str, source: str) -> None:
        """Give a cell another source; ConflictError where it is not what it was `before`."""

    async def insert(self, index: int, kind: str, source: str) -> None:
        """Put a new cell before the one at an index."""

    async def delete(self, index: int, before: str) -> None:
        """Take a cell away; ConflictError where it is not what it was `before`."""

    async def show(self, index: int, outputs: Sequence[dict[str, Any]], count: int | None) -> None:
        """Let people see what a code cell gave, as nbformat has it."""

    async def close(self) -> None:
        """Leave; the notebook stays open for others."""


def stale(path: str, index: int, now: str) -> ConflictError:
    """Somebody has changed the cell since it was read."""
    first = now.strip().partition("\n")[0][:60]
    return ConflictError(
        "stale",
        f"cell {index} was changed in the Jupyter server meanwhile; it begins with {first!r} now",
        place=path,
        hint="read it again, and make the change to what it is now",
    )


def gone(path: str) -> ConflictError:
    return ConflictError(
        "stale",
        "the cell is no longer in the notebook that the Jupyter server has open",
        place=path,
        hint="look at the notebook again: somebody has changed or deleted the cell",
    )


def no_cell(path: str, index: int, count: int) -> UsageError:
    return UsageError(
        "cell-not-found",
        f"there is no cell {index}: the notebook has {count} in the Jupyter server",
        place=path,
        hint=f"choose one from 0 to {max(count - 1, 0)}",
    )


def not_there(path: str) -> UsageError:
    return UsageError(
        "notebook-not-found",
        "the Jupyter server has no such notebook",
        place=path,
        hint="paths on a server begin at the folder that it shows",
    )
