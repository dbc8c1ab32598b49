"""Bringing back a session that ended: its cells are executed again, from its record."""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path
from typing import Any

from octavo.errors import StorageError, UsageError
from octavo.events.statuses import RunFold
from octavo.events.types import BoundCell, RunStarted
from octavo.notebook import formats
from octavo.records.journal import JOURNAL_NAME
from octavo.records.outline import outline_of
from octavo.runs.plan import Plan
from octavo.sessions.document import Document
from octavo.sessions.document import Plan as Doing
from octavo.sessions.hosts import drafting
from octavo.sessions.hosts.drafting import Draft, kept, with_later
from octavo.sessions.hosts.live import Live
from octavo.sessions.hosts.work import Work
from octavo.sessions.requests import ExecRequest
from octavo.sources import SourceFile, read_text

_KEPT = ("python", "kernel", "engine", "cwd", "env", "name", "owner", "no_snapshots")


class Past:
    """What the record of a session says of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._fold: RunFold = outline_of(folder / JOURNAL_NAME).run
        started = self._fold.started
        if started is None:
            raise StorageError(
                "record-invalid",
                "the journal of the session has no beginning",
                place=str(folder),
                hint="start a new session",
            )
        if not started.options.get("session"):
            raise UsageError(
                "session-not-found",
                f"{folder.name[-8:]} is a run, not a session",
                hint=f"octavo rerun {folder.name[-8:]} runs it again",
            )
        self.started: RunStarted = started

    @property
    def line(self) -> list[tuple[str, BoundCell]]:
        """The cells that made its last state, by their keys, in order."""
        cells = [self._fold.bound[index] for index in self._fold.line if index in self._fold.bound]
        return [(event.key, event.bound) for event in cells]

    @property
    def source(self) -> SourceFile | None:
        """The notebook as it was when the session began; None where there was none."""
        if self._nameless:
            return None
        copy = self.folder / f"source.{self.started.source['format']}"
        path = str(self.started.source["path"])
        text = read_text(copy)
        return SourceFile(path, text, formats.read(text, path))

    @property
    def _nameless(self) -> bool:
        return not str(self.started.source.get("path") or "").startswith("/")

    def request(self, lease: float, owner: str) -> dict[str, Any]:
        """What is asked of the new session, as JSON."""
        options = self.started.options
        kept = {name: options[name] for name in _KEPT if options.get(name)}
        if not self._nameless:
            kept |= {"notebook": self.started.source["path"], "values": self.started.parameters}
        return {**kept, "lease": lease, **({"owner": owner} if owner else {})}

    def document(self, planned: Plan) -> Document:
        """The cells as they were written last; of a session in which nobody edited any, those of
        its last state, then those of the notebook that were not in it.
        """
        source = planned.source
        draft = self.draft
        if draft is not None:
            cells = [bound for _, bound in draft.cells]
        else:
            cells = _woven(self.line, source.cells)
        return Document.of(cells, source.notebook.metadata, source.skip_values)

    @cached_property
    def draft(self) -> Draft | None:
        """The document, where somebody had edited it; with all that was executed afterwards."""
        draft = kept(self.folder)
        if draft is None or not self._fold.bound or max(self._fold.bound) < draft.executed:
            return draft
        return with_later(draft, self.line)

    @property
    def again(self) -> int:
        """How many cells are executed again: those that made up its state."""
        if self.draft is None:
            return len(self.line)
        begun = self.draft.cells[: self.draft.position]
        executed = {key for key, _ in self.line}
        return sum(bound.kind == "code" and key in executed for key, bound in begun)


def _woven(line: list[tuple[str, BoundCell]], notebook: tuple[BoundCell, ...]) -> list[BoundCell]:
    """What was executed in its order, with the text of the notebook between it."""
    keys = {f"c{number}": at for number, at in enumerate(range(len(notebook)), start=1)}
    executed = {key for key, _ in line}
    left = [
        (at, cell) for key, at in keys.items() if key not in executed for cell in [notebook[at]]
    ]
    woven: list[BoundCell] = []
    for key, bound in line:
        here = keys.get(key)
        while here is not None and left and left[0][0] < here and left[0][1].kind != "code":
            woven.append(left.pop(0)[1])
        woven.append(bound)
    return [*woven, *(cell for _, cell in left)]


async def execute_again(work: Work, live: Live, count: int) -> None:
    """The first `count` cells that are code, whatever becomes of each; a dead kernel ends it."""
    for index in live.document.indices(0, len(live.document))[:count]:
        if work.cancelled or not live.lives.alive:
            return
        await live.obey(work, partial(_plan, live, index))


def _plan(live: Live, index: int) -> Doing:
    return live.document.plan_cell(index, live.snapshots)


def begin_again(live: Live, past: Past) -> Work | None:
    """Let a new session execute what the old one had; None where that is nothing."""
    count = past.again
    if past.draft is not None:
        drafting.keep(live)
    if not count:
        return None
    request = ExecRequest(session="", code="", request_id="restore")
    work = Work("run-all", request, live.executor.reserve)
    word = "cell" if count == 1 else "cells"
    live.notes.append(f"{count} {word} executed again, from {past.folder.name[-8:]}")
    if any("[redacted:" in bound.source for _, bound in past.line):
        live.notes.append("secrets are not in a record: a cell that held one has a mark instead")
    live.turns.begin(work, lambda each: execute_again(each, live, count))
    return work
