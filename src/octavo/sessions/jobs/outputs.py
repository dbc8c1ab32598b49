"""What a job printed since a cursor, in few words."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from octavo.events.fold import OUTPUT_EVENTS, OutputEvent, OutputFold
from octavo.events.statuses import RunFold
from octavo.events.types import Display
from octavo.records.beside import keep_image, read_spilled
from octavo.records.outline import Outline, outline_of
from octavo.records.outputs import CellOutputs
from octavo.records.run_dir import RunDir
from octavo.records.tracebacks import first_lines
from octavo.render.answers import BUDGET, Author, answer
from octavo.sessions.jobs.journals import Reader

#: Of so many cells at most; of more, the first and the last.
_FIRST, _LAST = 3, 9
_LEAST = 120


class Batch:
    """The outputs of a part of a journal, by cell."""

    def __init__(self) -> None:
        self.folds: dict[int, OutputFold] = {}
        self.newest: dict[str, Display] = {}

    def read(self, reader: Reader) -> Batch:
        """Take in what a journal got since the reader's place."""
        for event in reader.events():
            if isinstance(event, OUTPUT_EVENTS):
                self.take(event)
        return self

    def take(self, event: OutputEvent) -> None:
        if isinstance(event, Display) and (name := event.display_id) is not None:
            if event.update and name not in self.newest:
                # What it brings up to date was shown before, so it is shown again.
                event = event.replace(update=False)
            self.newest[name] = event
        self.folds.setdefault(event.cell, OutputFold()).apply(event)


def told(
    run: RunDir, batch: Batch, budget: int | None, cells: frozenset[int] | None = None
) -> tuple[Mapping[str, Any], ...]:
    """What was printed, each with its `cell`; with `cells`, only by those."""
    printed = sorted(cell for cell in batch.folds if cells is None or cell in cells)
    if not printed:
        return ()
    outline = outline_of(run.journal_path)
    chosen, left_out = _chosen(printed)
    share = max(_LEAST, (budget or BUDGET) // len(chosen))
    items = [item for cell in chosen for item in _of_cell(run, outline, batch, cell, share)]
    return (*items, *([{"type": "omitted", "cells": left_out}] if left_out else []))


def of_cells(
    run: RunDir, wanted: Sequence[int], budget: int | None = None
) -> tuple[Mapping[str, Any], ...]:
    """What cells of the author's notebook put out; they are numbered as there (-1: the last)."""
    origins = _origins(run)
    count = max(origins.values(), default=-1) + 1
    meant = {each + count if each < 0 else each for each in wanted}
    reader, batch = Reader(run.journal_path), Batch()
    while batch.read(reader) and reader.more:
        pass
    chosen = frozenset(index for index, origin in origins.items() if origin in meant)
    return numbered(run, told(run, batch, budget, chosen))


def numbered(run: RunDir, items: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """What cells of a run put out, by their numbers in the author's notebook, where values that a
    caller gave are no cell."""
    origins = _origins(run)
    return tuple(
        {**each, "cell": origins.get(each["cell"])} if "cell" in each else each for each in items
    )


def _origins(run: RunDir) -> dict[int, int]:
    started = outline_of(run.journal_path).run.started
    bound = started.cells if started is not None else ()
    return {index: cell.origin for index, cell in enumerate(bound) if cell.origin is not None}


def _chosen(cells: list[int]) -> tuple[list[int], int]:
    if len(cells) <= _FIRST + _LAST:
        return cells, 0
    return [*cells[:_FIRST], *cells[-_LAST:]], len(cells) - _FIRST - _LAST


def _of_cell(
    run: RunDir, outline: Outline, batch: Batch, cell: int, budget: int
) -> list[Mapping[str, Any]]:
    outputs = batch.folds[cell].outputs(batch.newest.get, partial(read_spilled, run.path))
    if not outputs:
        return []
    before = _outputs_before(run, outline, cell, len(outputs))
    answered = answer(
        outputs,
        budget,
        handle=f"{run.run_id[-8:]}:{cell}",
        author=_author(outline.run, cell),
        keep=lambda index, *image: keep_image(run.path, cell, index + before, *image),
    )
    return [{**_moved(item, before), "cell": cell} for item in answered.items]


def _outputs_before(run: RunDir, outline: Outline, cell: int, new: int) -> int:
    """How many outputs the cell had before these; the first of these may go on with one of them."""
    with run.journal_path.open("rb") as journal:
        return max(0, len(CellOutputs(journal, outline, run.path).of(cell)) - new)


def _moved(item: Mapping[str, Any], before: int) -> Mapping[str, Any]:
    """The item with a handle that counts all outputs of its cell."""
    handle, colon, index = str(item.get("handle", "")).rpartition(":")
    if not before or handle.count(":") != 1:
        return item
    return {**item, "handle": f"{handle}{colon}{int(index) + before}"}


def _author(fold: RunFold, cell: int) -> Author | None:
    if fold.started is None:
        return None
    name = os.path.basename(str(fold.started.source.get("path") or ""))
    return Author(name, first_lines(fold, cell))
