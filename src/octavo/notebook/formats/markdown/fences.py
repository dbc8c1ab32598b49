"""Code fences as Markdown has them: what opens one, what closes it, and one that is long enough."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_FENCE = re.compile(r"( {0,3})(`{3,}|~{3,})(.*)$")


class Fence(NamedTuple):
    """The line that opens a fenced block. `info` is what stands behind the signs."""

    indent: int
    sign: str
    length: int
    info: str


def opening_fence(line: str) -> Fence | None:
    """The fence that a line opens, if it is not inside another one."""
    if "```" not in line and "~~~" not in line:
        return None
    match = _FENCE.match(line)
    if match is None or (match[2][0] == "`" and "`" in match[3]):
        return None
    return Fence(len(match[1]), match[2][0], len(match[2]), match[3].strip())


class Closings:
    """Finds the ends of fences. One without an end is remembered, so that nobody looks again."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._unclosed: dict[str, tuple[int, int]] = {}

    def closing(self, at: int, fence: Fence) -> int | None:
        """The line that closes the fence that line `at` opens; None when there is none."""
        length, since = self._unclosed.get(fence.sign, (0, -1))
        if 0 <= since <= at and fence.length >= length:
            return None
        for end in range(at + 1, len(self._lines)):
            if fence.sign * fence.length in self._lines[end] and _closes(self._lines[end], fence):
                return end
        self._unclosed[fence.sign] = (fence.length, at)
        return None


def _closes(line: str, fence: Fence) -> bool:
    match = _FENCE.match(line)
    if match is None:
        return False
    return match[2][0] == fence.sign and len(match[2]) >= fence.length and not match[3].strip()


def fence_around(lines: Iterable[str]) -> str:
    """Backticks that no line of a code closes."""
    longest = 2
    for line in lines:
        if "```" in line:
            match = _FENCE.match(line)
            longest = max(longest, len(match[2]) if match and match[2][0] == "`" else 2)
    return "`" * (longest + 1)
