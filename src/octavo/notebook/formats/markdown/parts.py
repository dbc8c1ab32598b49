"""A Markdown document taken apart: its cells, and the lines where each of them stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple, Protocol

from octavo.errors import NotebookError
from octavo.notebook.model import Cell, CellKind, Notebook


class Block(NamedTuple):
    """One cell in a list of lines.

    It stands in `lines[start:end]`, its source in `lines[body:close]`; what follows up to `stop`
    is space. `options` is None for text that nothing marks as a cell.
    """

    kind: CellKind
    start: int
    body: int
    close: int
    end: int
    stop: int
    options: Mapping[str, Any] | None = None
    language: str = ""


class Parts(NamedTuple):
    """A document. `blocks` go with the cells of `notebook`, None for one that is in the header."""

    notebook: Notebook
    blocks: tuple[Block | None, ...]


class Piece(NamedTuple):
    """A written cell; `text` when it is Markdown that nothing marks as a cell.

    `language` is what stands behind the fence of code.
    """

    lines: list[str]
    text: bool
    language: str = ""


class Spelling(Protocol):
    """What the module of a spelling offers."""

    def take_apart(self, lines: Sequence[str], path: str) -> Parts: ...

    def in_header(self, cell: Cell | None, notebook: Notebook) -> bool: ...

    def header_lines(self, notebook: Notebook, front_matter: Cell | None) -> list[str]: ...

    def write_pieces(
        self,
        cells: Sequence[Cell],
        notebook: Notebook,
        told: str | None,
        marked: Set[int] = frozenset(),
    ) -> list[Piece]: ...

    def gap(
        self, piece: Piece, following: Piece, options: Mapping[str, Any], wanted: Any = None
    ) -> int: ...

    def write(self, notebook: Notebook) -> list[str]: ...


def unclosed(what: str, path: str, line: int, hint: str) -> NotebookError:
    """The error for a cell that has a beginning (at a 1-based line) and no end."""
    message = f"the {what} that starts here is never closed"
    return NotebookError("notebook-invalid", message, place=f"{path}:{line}", hint=hint)
