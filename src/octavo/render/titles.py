"""What to call a cell in one line: its name, its title, the heading above it, or its code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class AnyCell(Protocol):
    """A cell of a notebook, bound or not."""

    @property
    def kind(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def metadata(self) -> Mapping[str, Any]: ...


def title(cells: Sequence[AnyCell], index: int) -> str:
    """A short name for the cell at an index."""
    cell = cells[index]
    for key in ("name", "title"):
        given = cell.metadata.get(key)
        if isinstance(given, str) and given.strip():
            return given.strip()
    for tag in ("parameters", "injected-parameters", "scraps"):
        if tag in _tags(cell):
            return tag.replace("-", " ")
    above = cells[index - 1] if index else None
    if above is not None and above.kind == "markdown" and (found := heading(above.source)):
        return found
    return first_line(cell.source)


def heading(markdown: str) -> str:
    """The last heading of a Markdown text."""
    found = ""
    fenced = False
    for line in markdown.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if not fenced and line.startswith("#") and line.lstrip("#").startswith(" "):
            found = line.strip("#").strip()
    return found


def first_line(code: str) -> str:
    """The first line that says something; of a comment, its words."""
    for line in code.splitlines():
        words = line.strip()
        if words.startswith("#") and not words.startswith("#!"):
            words = words.lstrip("#% ").strip()
            if words.startswith("NBVAL_"):
                continue
        if words:
            return words.rstrip(":") or words
    return "(empty)"


def _tags(cell: AnyCell) -> Sequence[str]:
    tags = cell.metadata.get("tags")
    return tags if isinstance(tags, (list, tuple)) else ()
