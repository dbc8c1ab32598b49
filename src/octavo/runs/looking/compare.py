"""The `compare` operation: what differs between two runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from octavo.errors import UsageError
from octavo.events.types import CellStatus
from octavo.notebook.matching import match_cells
from octavo.notebook.model import Cell, CellKind
from octavo.requests import Request, argument, option
from octavo.runs.context import RunContext
from octavo.runs.looking.differing import (
    Change,
    OutputChange,
    ValueChange,
    output_changes,
    value_changes,
)
from octavo.runs.looking.show import ShownCell
from octavo.runs.looking.sides import About, Side, side_of
from octavo.value import Value

_KINDS: dict[str, CellKind] = {"code": "code", "markdown": "markdown", "raw": "raw"}

Outputs = Literal["none", "equal", "changed", "added", "removed"]


class CompareRequest(Request):
    """Which two runs, and what makes no difference."""

    a: str = argument(
        "a run (its id or a part of it, `last`, `last~1`) or an executed .ipynb",
        metavar="A",
        default="last~1",
    )
    b: str = argument("the run to compare it with", metavar="B", default="last")
    ignore: tuple[str, ...] = option(
        "--ignore",
        help="a regular expression; what it matches in outputs makes no difference",
        default=(),
        metavar="PATTERN",
    )


class CellSide(Value):
    """A cell on one side; `index` is that of the author's file, None for an injected cell."""

    index: int | None
    status: CellStatus | None
    duration_seconds: float | None


class CellChange(Value):
    """A cell that is on both sides, or on one of them (`source` is `added` or `removed`).

    `text` is its source, in B where it is there. `ratio` says how many times as long as before
    it took.
    """

    kind: str
    title: str
    text: str
    a: CellSide | None
    b: CellSide | None
    source: Change
    outputs: Outputs = "none"
    details: tuple[OutputChange, ...] = ()
    ratio: float | None = None

    @property
    def injected(self) -> bool:
        return any(side is not None and side.index is None for side in (self.a, self.b))

    @property
    def differs(self) -> bool:
        """Whether more than a duration differs; injected parameters are told as parameters."""
        status = self.a is not None and self.b is not None and self.a.status != self.b.status
        edited = self.source != "equal" and not self.injected
        return status or edited or self.outputs not in ("none", "equal")

    def to_json(self) -> dict[str, Any]:
        plain = {name: value for name, value in self.to_dict().items() if name != "text"}
        return {**plain, "source_text": self.text, "details": [e.to_json() for e in self.details]}


class CompareResult(Value):
    """Two runs side by side. Values that are equal are listed too; durations make no difference.

    `packages` is None where one side does not know its packages.
    """

    a: About
    b: About
    same_notebook: bool
    parameters: tuple[ValueChange, ...]
    scraps: tuple[ValueChange, ...]
    cells: tuple[CellChange, ...]
    environment: tuple[ValueChange, ...]
    packages: tuple[ValueChange, ...] | None

    @property
    def equal(self) -> bool:
        """Whether nothing differs but times and places."""
        ends = (self.a.status, self.a.reason) == (self.b.status, self.b.reason)
        values = (*self.parameters, *self.scraps, *self.environment, *(self.packages or ()))
        same = all(value.change == "equal" for value in values)
        return ends and same and not any(cell.differs for cell in self.cells)

    @property
    def ratio(self) -> float | None:
        """How many times as long as A all of B took."""
        return _ratio(self.a.duration_seconds, self.b.duration_seconds)

    def to_json(self) -> dict[str, Any]:
        return {
            "equal": self.equal,
            "a": self.a.to_json(),
            "b": self.b.to_json(),
            "same_notebook": self.same_notebook,
            "ratio": self.ratio,
            "parameters": [each.to_json() for each in self.parameters],
            "scraps": [each.to_json() for each in self.scraps],
            "cells": [each.to_json() for each in self.cells],
            "environment": [each.to_json() for each in self.environment],
            "packages": None
            if self.packages is None
            else [each.to_json() for each in self.packages if each.change != "equal"],
        }


async def compare(request: CompareRequest, context: RunContext) -> CompareResult:
    """Parameters, scraps, durations, outputs and environments of two runs."""
    ignored = [_pattern(text) for text in request.ignore]
    a, b = side_of(request.a, context), side_of(request.b, context)
    known = bool(a.packages and b.packages)
    return CompareResult(
        a=a.about,
        b=b.about,
        same_notebook=_same_notebook(a.about, b.about),
        parameters=value_changes(a.parameters, b.parameters),
        scraps=value_changes(a.scraps, b.scraps),
        cells=tuple(_cells(a, b, ignored)),
        environment=_environment(a, b),
        packages=value_changes(a.packages, b.packages) if known else None,
    )


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise UsageError(
            "wrong-argument",
            f"--ignore {text!r} is not a regular expression: {error}",
            hint=r"--ignore '0x[0-9a-f]+' for addresses; a dot or bracket itself is \. or \[",
        ) from None


def _same_notebook(a: About, b: About) -> bool:
    """Whether both ran one notebook; a file that does not say is taken to be of the other's."""
    return a.notebook is None or b.notebook is None or a.notebook == b.notebook


def _environment(a: Side, b: Side) -> tuple[ValueChange, ...]:
    """Facts that both sides know."""
    both = [name for name in a.facts if name in b.facts]
    return value_changes(
        {name: a.facts[name] for name in both}, {name: b.facts[name] for name in both}
    )


def _cells(a: Side, b: Side, ignored: Sequence[re.Pattern[str]]) -> list[CellChange]:
    """All cells in the order of B; those that only A has, where they stood."""
    old_of = match_cells(_matchable(a), _matchable(b))
    changes: list[CellChange] = []
    told = 0
    kept = set(old_of.values())
    for at, cell in enumerate(b.cells):
        old = old_of.get(at)
        while old is not None and told < old:
            changes += [] if told in kept else [_alone(a.cells[told], "removed")]
            told += 1
        if old is None:
            changes.append(_alone(cell, "added"))
        else:
            changes.append(_both(a.cells[old], cell, ignored))
            told = max(told, old + 1)
    rest = [at for at in range(told, len(a.cells)) if at not in kept]
    return [*changes, *(_alone(a.cells[at], "removed") for at in rest)]


def _matchable(side: Side) -> list[Cell]:
    """Cells as they are matched; those that were injected belong together."""
    return [
        Cell(_KINDS[cell.kind], cell.source, id="injected" if cell.index is None else None)
        for cell in side.cells
    ]


def _alone(cell: ShownCell, change: Literal["added", "removed"]) -> CellChange:
    gone = change == "removed"
    details = output_changes(cell.outputs, ()) if gone else output_changes((), cell.outputs)
    side = _side(cell)
    return CellChange(
        cell.kind,
        _title(cell),
        cell.source,
        side if gone else None,
        None if gone else side,
        change,
        change if details else "none",
        details,
    )


def _both(a: ShownCell, b: ShownCell, ignored: Sequence[re.Pattern[str]]) -> CellChange:
    details = output_changes(a.outputs, b.outputs, ignored)
    source: Change = "equal" if a.source.rstrip() == b.source.rstrip() else "changed"
    ratio = _ratio(a.duration_seconds, b.duration_seconds)
    outputs = _overall(details)
    return CellChange(
        b.kind, _title(b), b.source, _side(a), _side(b), source, outputs, details, ratio
    )


def _title(cell: ShownCell) -> str:
    """What its author calls a cell, if anything."""
    return str(cell.metadata.get("name") or cell.metadata.get("title") or "")


def _side(cell: ShownCell) -> CellSide:
    return CellSide(cell.index, cell.status, cell.duration_seconds)


def _overall(details: Sequence[OutputChange]) -> Outputs:
    if not details:
        return "none"
    kinds = {each.change for each in details}
    return "changed" if len(kinds) > 1 else next(iter(kinds))


def _ratio(a: float | None, b: float | None) -> float | None:
    return b / a if a and b is not None else None
