"""Where the cells of a percent file start and end, as line numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from octavo.notebook.formats.percent.markers import is_marker, options_of
from octavo.notebook.formats.percent.strings import after_line

_FENCE = r"#? ? {0,3}(`{3,}|~{3,})(.*)$"


class Block(NamedTuple):
    """One cell in a list of lines: `lines[start:stop]`, of which `[body:end]` is the content.

    `start == body` when there is no marker: text before the first one.
    """

    start: int
    body: int
    end: int
    stop: int
    options: dict[str, Any]


def split_lines(text: str) -> list[str]:
    """Lines without their ends; only `\\n`, `\\r\\n` and `\\r` end one."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def find_blocks(lines: Sequence[str], first: int) -> list[Block]:
    """The cells from line `first` on."""
    if first >= len(lines):
        return []
    starts = _find_starts(lines, first)
    stops = [start for start, _ in starts[1:]] + [len(lines)]
    return [
        _block(lines, start, stop, options)
        for (start, options), stop in zip(starts, stops, strict=True)
    ]


def _block(lines: Sequence[str], start: int, stop: int, options: dict[str, Any] | None) -> Block:
    body = start if options is None else start + 1
    end = stop
    if stop - start >= 3 and _two_blanks(lines[stop - 3 : stop]):
        end = stop - 2
    elif stop > start and not lines[stop - 1]:
        end = stop - 1
    return Block(start, body, max(end, body), stop, options or {})


def _two_blanks(three: Sequence[str]) -> bool:
    return bool(three[0].strip()) and not three[1].strip() and not three[2].strip()


def _find_starts(lines: Sequence[str], first: int) -> list[tuple[int, dict[str, Any] | None]]:
    """Each cell's first line and marker options; None for text before the first marker."""
    starts: list[tuple[int, dict[str, Any] | None]] = []
    if not is_marker(lines[first]):
        starts.append((first, None))
    quote, text_cell, at = "", False, first
    fences = Fences(lines)
    while at < len(lines):
        line = lines[at]
        if not quote:
            closing = fences.closing(at) if text_cell and ("```" in line or "~~~" in line) else None
            if closing is not None:
                at = closing + 1
                continue
            if "#" in line and is_marker(line):
                options = options_of(line)
                text_cell = options.get("cell_type", "code") != "code"
                starts.append((at, options))
        if '"""' in line or "'''" in line:
            quote = after_line(line, quote)
        at += 1
    return starts


class Fences:
    """Code fences in commented Markdown: what is inside one opens no cell.

    A fence counts only when its end is reached through comment lines alone, so that a
    forgotten one cannot swallow the cells that follow.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._unclosed: dict[str, tuple[int, int]] = {}

    def closing(self, at: int) -> int | None:
        """The line that closes the fence that line `at` opens; None when it opens none."""
        match = self._match(at)
        if not match or (match[1][0] == "`" and "`" in match[2]):
            return None
        sign, length = match[1][0], len(match[1])
        known_length, known_end = self._unclosed.get(sign, (0, -1))
        if at < known_end and length >= known_length:
            return None
        end = at + 1
        while end < len(self._lines) and self._lines[end].startswith("#"):
            close = self._match(end)
            if close and close[1][0] == sign and len(close[1]) >= length and not close[2].strip():
                return end
            end += 1
        self._unclosed[sign] = (length, end)
        return None

    def _match(self, at: int) -> re.Match[str] | None:
        line = self._lines[at]
        return re.match(_FENCE, line) if "```" in line or "~~~" in line else None
