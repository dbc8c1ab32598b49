"""What did not fit, counted, and the commands that get it."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import Any

from octavo.authoring.reading.selecting import ranges
from octavo.render.compact_text import short
from octavo.render.figures import counted
from octavo.render.tokens import PARTS, weight
from octavo.value import Value

#: What is set aside for telling what was left out: at least, and with two commands whose names
#: come on top; programs are told with all the keys.
SHORT_NOTE, LONG_NOTE, LONG_NOTE_IN_JSON = 60, 150, 230

#: More ranges of cells than this are told as one, from the first to the last.
MOST_RANGES = 3

Indices = Sequence[int | None]


class LeftOut(Value):
    """Counts of what is not there, by the indices of the cells that it belongs to.

    `cells` are not there at all; `sources` and `shortened` are there in part.
    """

    cells: tuple[int | None, ...] = ()
    tokens: int = 0
    headings: int = 0
    headings_of: tuple[int | None, ...] = ()
    sources: tuple[int | None, ...] = ()
    source_lines: int = 0
    outputs: int = 0
    outputs_of: tuple[int | None, ...] = ()
    shortened: tuple[int | None, ...] = ()
    commands: tuple[str, ...] = ()

    @property
    def anything(self) -> bool:
        return bool(
            self.cells or self.headings or self.sources or self.outputs or self.shortened
        )  # fmt: skip

    def lines(self, room: int) -> list[str]:
        """As much of it as there is room for, in 25ths of a token."""
        if not self.anything:
            return []
        whole = f"left out: {'; '.join(self._counts())}"
        brief = f"left out: {'; '.join(self._brief_counts())}"
        for lines in (
            ["", whole, *self.commands],
            ["", brief, *self.commands],
            ["", brief, *self.commands[:1]],
        ):
            if weight("\n".join(lines)) + PARTS <= room:
                return lines
        return ["", brief]

    def _counts(self) -> list[str]:
        """What is missing, and of which cells."""
        told = [counted(self.headings, "heading")] if self.headings else []
        if self.cells:
            many = "cells" if len(self.cells) > 1 else "cell"
            count = f"{len(self.cells):,}, {counted(self.tokens, 'token')}"
            told.append(f"{many} {cells_told(self.cells)} ({count})")
        if self.sources:
            lines = counted(self.source_lines, "line") if self.source_lines else "ends of lines"
            told.append(f"{lines} of source in {cells_told(self.sources)}")
        if self.outputs:
            told.append(f"{counted(self.outputs, 'output')} of {cells_told(self.outputs_of)}")
        if self.shortened:
            told.append(f"lines of outputs of {cells_told(self.shortened)}")
        return told

    def _brief_counts(self) -> list[str]:
        counts = (
            (self.headings, "heading"),
            (len(self.cells), "cell"),
            (self.source_lines, "line"),
            (self.outputs, "output"),
        )
        return [counted(count, noun) for count, noun in counts if count] or ["ends of long texts"]

    def plain(self, room: int, spell: Any) -> dict[str, Any] | None:
        """The same for `--json`; `spell` gives the text of a value."""
        if not self.anything:
            return None
        whole = {
            "cells": len(self.cells),
            "which": _maybe(self.cells),
            "tokens": self.tokens,
            "headings": self.headings,
            "source_lines": self.source_lines,
            "sources_of": _maybe(self.sources),
            "outputs": self.outputs,
            "outputs_of": _maybe(self.outputs_of),
            "shortened_of": _maybe(self.shortened),
            "commands": list(self.commands),
        }
        for answer in (whole, {**whole, "commands": list(self.commands[:1])},
                       {**whole, "commands": []}):  # fmt: skip
            if weight(spell(answer)) <= room:
                return answer
        return {"cells": len(self.cells), "outputs": self.outputs}


def _maybe(indices: Indices) -> str | None:
    return cells_told(indices) if indices else None


def cells_told(indices: Indices) -> str:
    """Indices as `--cells` takes them; an injected cell has none and is called `+`."""
    known = sorted({index for index in indices if index is not None})
    told = [ranges(known, MOST_RANGES)] if known else []
    return ",".join([*(["+"] if None in indices else []), *told])


def named(what: str) -> str:
    """What is read, as a word on a command line."""
    shown = what if what.isprintable() else short(what, 200)
    return quote(f"./{shown}" if shown.startswith("-") else shown)


def note_weight(what: str, spell: Any, usual: int) -> int:
    """What is set aside for the whole note: the numbers are bounded, the name is not."""
    return 2 * weight(spell(named(what))) + usual * PARTS
