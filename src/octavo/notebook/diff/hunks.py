"""Changes of a text for people: passages of lines, with the words that changed in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from octavo.notebook.diff.texts import line_pairs
from octavo.notebook.diff.words import edits
from octavo.value import Value

#: Lines around a change that are shown with it.
CONTEXT = 3
#: Lines this alike are shown as one that was edited, with the words that changed.
_LIKENESS = 0.5
#: Of longer lines both sides are to be cut at the same place, so both have a mark.
_SHORT = 200

#: From where to where in a line something changed.
Mark = tuple[int, int]


class Line(NamedTuple):
    """One line: `sign` is `-`, `+` or a blank, and `marks` are its words that changed.

    `old` and `new` are its numbers, from 1, on the sides that have it.
    """

    sign: str
    text: str
    old: int | None = None
    new: int | None = None
    marks: tuple[Mark, ...] = ()


class Hunk(Value):
    """A passage with changes and some lines around them."""

    lines: tuple[Line, ...]

    @property
    def head(self) -> str:
        """Where it is, as unified diffs spell it."""
        return f"@@ -{self._range(0)} +{self._range(1)} @@"

    def _range(self, side: int) -> str:
        numbers = [n for line in self.lines if (n := (line.old, line.new)[side]) is not None]
        if not numbers:
            return "0,0"
        return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]},{len(numbers)}"


def line_hunks(old: str, new: str, context: int = CONTEXT) -> list[Hunk]:
    """What changed in a text; a line end that the last line lacks does not count."""
    if old == new:
        return []
    return [*_passages([*_lines(split(old), split(new))], context)]


def all_lines(sign: str, text: str) -> Hunk:
    """A whole text that was added or removed."""
    return Hunk(
        tuple(
            Line(sign, line, *((None, at) if sign == "+" else (at, None)))
            for at, line in enumerate(split(text), 1)
        )
    )


def split(text: str) -> list[str]:
    """The lines that people see: what else `str.splitlines` parts at stays in them."""
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _lines(old: list[str], new: list[str]) -> Iterator[Line]:
    """All lines of both sides; of a passage those that are gone come first."""
    i = j = 0
    gone: list[Line] = []
    come: list[Line] = []
    for at, other in [*line_pairs(old, new, _LIKENESS), (len(old), len(new))]:
        gone += [Line("-", old[each], each + 1) for each in range(i, at)]
        come += [Line("+", new[each], None, each + 1) for each in range(j, other)]
        equal = at < len(old) and old[at] == new[other]
        if equal or at == len(old):
            yield from gone
            yield from come
            gone, come = [], []
        if equal:
            yield Line(" ", old[at], at + 1, other + 1)
        elif at < len(old):
            one, two = _marked(old[at], new[other])
            gone.append(Line("-", old[at], at + 1, None, one))
            come.append(Line("+", new[other], None, other + 1, two))
        i, j = at + 1, other + 1


def _marked(old: str, new: str) -> tuple[tuple[Mark, ...], tuple[Mark, ...]]:
    found = edits(old, new)
    one = tuple(_joined([(each[0], each[1]) for each in found], old))
    other = tuple(_joined([(each[2], each[3]) for each in found], new))
    if found and max(len(old), len(new)) > _SHORT:
        one, other = one or ((found[0][0],) * 2,), other or ((found[0][2],) * 2,)
    return one, other


def _joined(marks: Sequence[Mark], line: str) -> Iterator[Mark]:
    """Marks as one where only blanks are between them."""
    start = end = -1
    for begin, stop in marks:
        if begin == stop:
            continue
        if end >= 0 and not line[end:begin].strip():
            end = stop
            continue
        if end >= 0:
            yield start, end
        start, end = begin, stop
    if end >= 0:
        yield start, end


def excerpt(line: Line, most: int) -> Line:
    """A line of at most about so many characters, cut around the first word that changed."""
    if len(line.text) <= most:
        return line
    first = line.marks[0][0] if line.marks else 0
    start = max(0, min(first - most // 4, len(line.text) - most))
    end = start + most
    front, back = "…" * (start > 0), "…" * (end < len(line.text))
    away = start - len(front)
    marks = [(max(a, start) - away, min(b, end) - away) for a, b in line.marks if a < end]
    return line._replace(text=f"{front}{line.text[start:end]}{back}", marks=tuple(marks))


def _passages(lines: list[Line], context: int) -> Iterator[Hunk]:
    """The changes with the lines around them; those with little between them are one passage."""
    changed = [at for at, line in enumerate(lines) if line.sign != " "]
    parted = [
        at for at in range(1, len(changed)) if changed[at] - changed[at - 1] > 2 * context + 1
    ]
    for begin, end in zip([0, *parted], [*parted, len(changed)], strict=True):
        if begin < end:
            first, last = changed[begin], changed[end - 1]
            yield Hunk(tuple(lines[max(0, first - context) : last + context + 1]))
