"""The parts that a reading is put together from, each at several levels of detail.

In text, a line that begins in the first column is ours; what a notebook holds is indented. So no
content can pass for a line of ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from octavo.authoring.reading.ladder import Folded, Ladder
from octavo.authoring.reading.material import ReadCell
from octavo.render.compact import Compact, compact, kind_of
from octavo.render.compact_text import spelled
from octavo.render.figures import counted

INDENT = "    "
#: How many lines are on the first rung.
LINES_OF_SOURCE, LINES_OF_OUTPUT, LINES_OF_ERROR = 12, 6, 12
#: Outputs that nobody asked for are shown up to this rung, errors up to the other.
SHORT_RUNG, SHORT_RUNG_OF_ERROR = 2, 3

MOST_TAGS, MOST_KINDS = 6, 5


class Block(Protocol):
    """A part at levels from 1 to `highest`."""

    @property
    def highest(self) -> int: ...

    def text(self, level: int) -> list[str]:
        """The lines of the part."""

    def plain(self, level: int) -> dict[str, Any]:
        """The same for `--json`."""


class SourceBlock:
    """The head of a cell, and its source."""

    def __init__(self, cell: ReadCell, lines: Sequence[str] | None = None, about: str = "") -> None:
        self.cell = cell
        self._ladder = Ladder(cell.lines if lines is None else lines, LINES_OF_SOURCE)
        self._about = about

    @cached_property
    def _head(self) -> str:
        return cell_line(self.cell, self._about)

    @property
    def highest(self) -> int:
        return self._ladder.rungs

    def folded(self, level: int) -> Folded:
        return self._ladder.at(level)

    def text(self, level: int) -> list[str]:
        return ["", self._head, *_body(self.folded(level))]

    def plain(self, level: int) -> dict[str, Any]:
        """The outputs are blocks of their own, and put into the list that is empty here."""
        folded = self.folded(level)
        return {**cell_facts(self.cell), **_plain_body("source", folded), "outputs": []}


class OutputBlock:
    """One output of a cell, in its compact form; it is looked at only when there is room."""

    def __init__(self, output: Mapping[str, Any], *, whole: bool) -> None:
        self._output = output
        self._whole = whole

    @cached_property
    def compact(self) -> Compact:
        return compact(self._output)

    @cached_property
    def _ladder(self) -> Ladder:
        form = self.compact
        is_error = form.kind == "error"
        first = LINES_OF_ERROR if is_error else LINES_OF_OUTPUT
        return Ladder(
            form.lines, first, end_first=is_error, before=form.before, gone=form.gone
        )  # fmt: skip

    @property
    def is_error(self) -> bool:
        return self._output.get("output_type") == "error"

    @property
    def highest(self) -> int:
        if self._whole:
            return self._ladder.rungs
        most = SHORT_RUNG_OF_ERROR if self.is_error else SHORT_RUNG
        return min(self._ladder.rungs, most)

    def folded(self, level: int) -> Folded:
        return self._ladder.at(level)

    def is_short(self, level: int) -> bool:
        """Whether a higher level, or a wish for whole outputs, would show more."""
        return level < self._ladder.rungs and not self.folded(level).whole

    def text(self, level: int) -> list[str]:
        form = self.compact
        about = f"out {form.kind}" + (f" {form.about}" if form.about else "")
        return [about, *_body(self.folded(level))]

    def plain(self, level: int) -> dict[str, Any]:
        form = self.compact
        facts = {"facts": dict(form.facts)} if form.facts else {}
        body = _plain_body("text", self.folded(level))
        return {"kind": form.kind, "about": form.about, **facts, **body}


def _body(folded: Folded) -> list[str]:
    """Content, indented; the gap in it is told by a line of ours."""
    lines = [INDENT + line if line else "" for line in folded.head]
    if folded.gone:
        lines.append(f"… {counted(folded.gone, 'line')} left out")
    return [*lines, *(INDENT + line if line else "" for line in folded.tail)]


def _plain_body(name: str, folded: Folded) -> dict[str, Any]:
    """The text that is there; the lines left out are those after the first `kept_first`."""
    body: dict[str, Any] = {name: "\n".join((*folded.head, *folded.tail))}
    if folded.gone:
        body["lines_left_out"] = {"count": folded.gone, "after": len(folded.head)}
    if folded.cut:
        body["lines_cut"] = folded.cut
    return body


def cell_line(cell: ReadCell, about: str = "") -> str:
    """What a cell is, in a line of ours: index, handle, kind, name, tags, size, outputs."""
    words = [f"[{cell.label}]", cell.kind, cell.handle, *marks(cell)]
    if cell.line is not None:
        words.append(f"line {cell.line},")
    words.append(size_of(cell))
    if about:
        words.append(about)
    if kinds := kinds_of(cell):
        words.append(f"→ {kinds}")
    return " ".join(words)


def size_of(cell: ReadCell) -> str:
    return f"{counted(len(cell.lines), 'line')}, {counted(cell.tokens, 'token')}"


def marks(cell: ReadCell) -> list[str]:
    """Name, tags and, where it did not go well, status."""
    words = [spelled(cell.name, 40)] if cell.name else []
    words += [f"#{spelled(tag, 30)}" for tag in cell.tags[:MOST_TAGS]]
    if cell.status not in (None, "succeeded"):
        words.append(f"✗ {cell.status}" if cell.failed else str(cell.status))
    return words


def kinds_of(cell: ReadCell) -> str:
    """The kinds of a cell's outputs, in few words."""
    counts = Counter(kind_of(output) for output in cell.outputs)
    told = [kind if count == 1 else f"{count} {kind}"
            for kind, count in list(counts.items())[:MOST_KINDS]]  # fmt: skip
    return ", ".join(told) + (", …" if len(counts) > MOST_KINDS else "")


def cell_facts(cell: ReadCell) -> dict[str, Any]:
    """What programs are told of a cell."""
    return {
        "index": cell.index,
        "handle": cell.handle,
        "kind": cell.kind,
        "name": spelled(cell.name, 80).strip('"') if cell.name else None,
        "tags": [spelled(tag, 60).strip('"') for tag in cell.tags[:MOST_TAGS]],
        "line": cell.line,
        "lines": len(cell.lines),
        "tokens": cell.tokens,
        "status": cell.status,
        "failed": cell.failed,
        "output_kinds": dict(
            list(Counter(kind_of(output) for output in cell.outputs).items())[:MOST_KINDS]
        ),
    }
