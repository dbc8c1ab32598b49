"""Long texts cut to what may be spent on them: the beginning, the end, and what is between, told.

Weights are those of `tokens`, in 25ths of a token, of the text as JSON spells it.
"""

from __future__ import annotations

from collections.abc import Sequence

from octavo.render.compact_text import Lines
from octavo.render.figures import counted
from octavo.render.tokens import weight
from octavo.value import Value

#: What the line costs at most that tells what was left out.
MARK = 20 * 25
#: Of what can be shown, how much is the beginning of the text; the rest is its end.
HEAD = 0.6

#: What the end of a line weighs.
_END = 25
_LIGHTEST = 4
_LONG = 200
_FEW = 3
_SIGN = 18


class Cut(Value):
    """What is shown of a text, in lines, and how many of its characters are not."""

    lines: tuple[str, ...]
    omitted: int = 0


def cost(text: str) -> int:
    """What a text weighs within JSON."""
    return weight(text) + _SIGN * (text.count('"') + text.count("\\"))


def cost_of(lines: Sequence[str]) -> int:
    """What lines weigh, each with its end."""
    return cost("\n".join(lines)) + _END if lines else 0


def beginning(text: str, room: int) -> str:
    """As much of the beginning of a text as there is room for."""
    return text[: _fitting(text[: room // _LIGHTEST + 1], room)]


def ending(text: str, room: int) -> str:
    """As much of the end of a text as there is room for."""
    last = text[-(room // _LIGHTEST + 1) :]
    fits = _fitting(last[::-1], room)
    return last[len(last) - fits :]


def _fitting(text: str, room: int) -> int:
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if cost(text[:middle]) <= room else (low, middle - 1)
    return low


def cut(text: Lines, room: int, unseen: int = 0) -> Cut:
    """The whole text where there is room for it, else its two ends around a line that says so.

    `unseen` characters were in the lines that are gone already, or are told by their size.
    """
    if not text.gone and cost_of(text.lines) <= room:
        return Cut(text.lines, unseen)
    room -= MARK
    if room <= 0:
        return Cut((), _size(text.lines) + unseen)
    before = text.lines[: text.before] if text.gone else text.lines
    if text.gone and cost_of(text.lines) <= room:
        return _around(before, (), text.lines[text.before :], (text.gone, unseen), 0)
    head = _taken(before, int(room * HEAD))
    rest = text.lines[len(head) :]
    tail = _taken(rest[::-1], room - cost_of(head))[::-1]
    between = rest[: len(rest) - len(tail)]
    if not between and not text.gone:
        return Cut(text.lines, unseen)
    gone = (text.gone, unseen)
    return _around(head, between, tail, gone, room - cost_of((*head, *tail)))


def _taken(lines: Sequence[str], room: int) -> tuple[str, ...]:
    """The first of the lines that there is room for."""
    taken = 0
    for line in lines:
        room -= cost(line) + _END if len(line) * _LIGHTEST <= room else room + 1
        if room < 0:
            break
        taken += 1
    return tuple(lines[:taken])


def _around(
    head: tuple[str, ...],
    between: Sequence[str],
    tail: tuple[str, ...],
    gone: tuple[int, int],
    room: int,
) -> Cut:
    """Both ends, and pieces of the lines where they end, if what is shown is little else."""
    room -= 50
    first = beginning(between[0], int(room * HEAD)) if _in_pieces(between[:1], head, room) else ""
    room -= cost(first)
    last_line = between[-1][len(first) if len(between) == 1 else 0 :] if between else ""
    last = ending(last_line, room) if _in_pieces(between[-1:], tail, room) else ""
    omitted = _size(between) - len(first) - len(last) + gone[1]
    told = _told(len(between) + gone[0], omitted, bool(first or last))
    pieces = [*head, *([first] if first else []), told, *([last] if last else []), *tail]
    return Cut(tuple(pieces), omitted)


def _in_pieces(line: Sequence[str], shown: tuple[str, ...], room: int) -> bool:
    """Whether a part of a line is worth showing: it is long, or nothing else is there."""
    return room > 0 and bool(line) and (not shown or len(line[0]) > _LONG)


def _told(lines: int, characters: int, in_pieces: bool) -> str:
    if lines <= _FEW and in_pieces:
        return f"… {counted(characters, 'character')} left out …"
    return f"… {counted(lines, 'line')} left out …"


def _size(lines: Sequence[str]) -> int:
    return sum(map(len, lines)) + max(0, len(lines) - 1)
