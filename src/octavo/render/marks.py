"""Markdown that other people's text cannot break out of."""

from __future__ import annotations

import re
from collections.abc import Sequence

from octavo.render.columns import one_line

_TICKS = re.compile(r"`+")


def code_span(text: str, longest: int = 80) -> str:
    """A text as code within a line: no link, no mention, no markup."""
    shown = one_line(text, longest)
    if not shown:
        return ""
    return in_ticks(shown)


def in_ticks(line: str) -> str:
    """A line that is not empty as code, which it cannot close."""
    ticks = ticks_around(line)
    around = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{ticks}{around}{line}{around}{ticks}"


def ticks_around(text: str, least: int = 1) -> str:
    """More ticks than stand together anywhere in a text."""
    return "`" * max(least, max(map(len, _TICKS.findall(text)), default=0) + 1)


def fenced(text: str, language: str = "") -> str:
    """Lines as a block of code."""
    fence = ticks_around(text, 3)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table; its cells are Markdown already, in which a `|` would end a cell."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(map(_in_cell, cells))} |" for cells in lines)


def _in_cell(text: str) -> str:
    return text.replace("|", "\\|")
