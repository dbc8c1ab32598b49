"""Markdown that other people's text cannot break out of."""

from __future__ import annotations

import re
from collections.abc import Sequence

from octavo.render.columns import one_line

_TICKS = re.compile(r"`+")
_ACTIVE = re.compile(r"([\\`*_{}\[\]<>#+!|~@&])")


def code_span(text: str, longest: int = 80) -> str:
    """A text as code within a line, or within a cell of a table."""
    shown = one_line(text, longest).replace("|", "\\|")
    if not shown:
        return ""
    ticks = "`" * (max(map(len, _TICKS.findall(shown)), default=0) + 1)
    around = " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{ticks}{around}{shown}{around}{ticks}"


def fenced(text: str, language: str = "") -> str:
    """Lines as a block of code."""
    fence = "`" * max(3, max(map(len, _TICKS.findall(text)), default=0) + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def plain_words(text: str, longest: int = 200) -> str:
    """A text in one line whose signs mean nothing: no link, no mention, no markup."""
    return _ACTIVE.sub(r"\\\1", one_line(text, longest))


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table; its cells are Markdown already."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
