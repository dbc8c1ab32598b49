"""The second reading of a journal: the outputs of one cell at a time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from octavo.events.codec import decode
from octavo.events.fold import OUTPUT_EVENTS, OutputEvent, OutputFold
from octavo.events.types import Display
from octavo.records.beside import read_spilled
from octavo.records.outline import Outline, Range


class CellOutputs:
    """Gives the outputs of any cell of a run; holds those of one at a time."""

    def __init__(self, journal: BinaryIO, outline: Outline, run_dir: Path) -> None:
        self._journal = journal
        self._outline = outline
        self._run_dir = run_dir

    def of(self, cell: int) -> list[dict[str, Any]]:
        """The outputs as nbformat spells them."""
        fold = OutputFold()
        for event in self.events(cell):
            fold.apply(event)
        return self.folded(fold)

    def events(self, cell: int) -> Iterator[OutputEvent]:
        """What a cell has put out, in order."""
        return self._events(self._outline.ranges.get(cell) or [])

    def folded(self, fold: OutputFold) -> list[dict[str, Any]]:
        """The outputs of a fold, with the newest content of displays."""
        return fold.outputs(self._newest, partial(read_spilled, self._run_dir))

    def widgets(self) -> dict[str, Any] | None:
        """The notebook's `widgets` metadata."""
        return self._outline.widgets.metadata(partial(read_spilled, self._run_dir))

    def _events(self, ranges: list[Range]) -> Iterator[OutputEvent]:
        for start, end in ranges:
            self._journal.seek(start)
            while start < end:
                line = self._journal.readline()
                start += len(line) or end
                try:
                    event = decode(line)
                except ValueError:
                    continue  # a line that was damaged on disk is as good as missing
                if isinstance(event, OUTPUT_EVENTS):
                    yield event

    def _newest(self, display_id: str) -> Display | None:
        where = self._outline.newest.get(display_id)
        if where is None:
            return None
        here = self._journal.tell()
        self._journal.seek(where[0])
        event = decode(self._journal.read(where[1] - where[0]))
        self._journal.seek(here)
        return event if isinstance(event, Display) else None
