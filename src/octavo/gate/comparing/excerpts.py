"""The few lines of two texts in which a reader sees how they differ."""

from __future__ import annotations

from itertools import zip_longest

from octavo.render.figures import counted

#: At most so many characters of each text are shown.
MOST = 2000
_AROUND = 2
_LINES = 24
_WIDTH = 240
_BEFORE = 60


def excerpts(expected: str, got: str) -> tuple[str, str, int]:
    """Both texts around their first difference, and the number of the line where it is."""
    wanted, found = expected.splitlines(), got.splitlines()
    first = _first_difference(wanted, found)
    end = _common_end(wanted, found, first)
    start = max(0, first - _AROUND)
    column = _first_column(wanted, found, first)
    return (
        _shown(wanted, start, len(wanted) - end + _AROUND, column),
        _shown(found, start, len(found) - end + _AROUND, column),
        first + 1,
    )


def excerpt(text: str) -> str:
    """The beginning of a text that has nothing to be compared with."""
    return _shown(text[: MOST * 4].splitlines(), 0, _LINES, 0)


def _first_difference(one: list[str], other: list[str]) -> int:
    pairs = enumerate(zip_longest(one, other))
    return next((at for at, (a, b) in pairs if a != b), max(0, min(len(one), len(other)) - 1))


def _common_end(one: list[str], other: list[str], first: int) -> int:
    """So many lines are equal at the end, beyond the first difference."""
    most = min(len(one), len(other)) - first
    count = 0
    while count < most and one[-1 - count] == other[-1 - count]:
        count += 1
    return count


def _first_column(one: list[str], other: list[str], line: int) -> int:
    if line >= len(one) or line >= len(other):
        return 0
    pairs = enumerate(zip(one[line], other[line], strict=False))
    shorter = min(len(one[line]), len(other[line]))
    return next((at for at, (a, b) in pairs if a != b), shorter)


def _shown(lines: list[str], start: int, end: int, column: int) -> str:
    end = min(end, len(lines))
    chosen = [_clipped(line, column) for line in lines[start : min(end, start + _LINES)]]
    left = end - start - len(chosen)
    text = "\n".join(chosen)
    if len(text) > MOST:
        text = f"{text[:MOST]}…"
    return f"{text}\n… {counted(left, 'more line')} …" if left > 0 else text


def _clipped(line: str, column: int) -> str:
    if len(line) <= _WIDTH:
        return line
    start = max(0, min(column, len(line)) - _BEFORE)
    head, tail = "…" if start else "", "…" if start + _WIDTH < len(line) else ""
    return f"{head}{line[start : start + _WIDTH]}{tail}"
