"""From executions to answers: what happened, in few words, and the next step."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from typing import Any

from octavo.records.beside import keep_image, read_spilled
from octavo.render.answers import Author, answer
from octavo.sessions.document import Document
from octavo.sessions.hosts.executing import Execution
from octavo.sessions.hosts.recording import Recording
from octavo.sessions.hosts.work import Work
from octavo.sessions.values import CellInfo, Executed, ExecutedAll


class Teller:
    """Tells what executions of one session came to."""

    def __init__(self, recording: Recording, notebook: str | None) -> None:
        self._recording = recording
        self._file = os.path.basename(notebook or "")
        #: Where executed cells begin in the author's file, by their execution counts.
        self._lines: dict[int, int] = {}

    def executed(self, execution: Execution) -> None:
        """Remember where an executed cell stands."""
        bound = execution.wanted.bound
        if execution.count is None:
            return
        if bound.origin is not None and bound.line:
            self._lines[execution.count] = bound.line
        else:
            self._lines.pop(execution.count, None)

    def one(self, work: Work, document: Document, lease_ends: float) -> Executed:
        """The last execution that was asked for."""
        asked = work.executions_in_order or work.executions
        return self._told(work, asked[-1] if asked else None, document, lease_ends)

    def all(self, work: Work, document: Document, lease_ends: float) -> ExecutedAll:
        """Every execution that was asked for."""
        asked = work.executions_in_order
        told = tuple(self._told(work, each, document, None) for each in asked)
        status: Any = told[-1].status if told else "succeeded"
        if not work.done:
            status = "running" if work.begun else "queued"
        elif not asked and (work.executions or work.cancelled):
            status = _status(work, work.executions[-1]) if work.executions else "interrupted"
        short = self._recording.short
        return ExecutedAll(
            session=short,
            status=status,
            executed=tuple(each.replace(notes=(), next="") for each in told),
            job=f"{short}.{work.cell}" if asked or not work.done else "",
            notes=tuple(work.notes),
            lease_ends=lease_ends,
            next=_next(short, work, asked[-1] if asked else None, status),
        )

    def _told(
        self, work: Work, execution: Execution | None, document: Document, lease_ends: float | None
    ) -> Executed:
        short = self._recording.short
        if execution is None:
            status = _before(work)
            job = f"{short}.{work.cell}"
            told = Executed(short, job, None, status, lease_ends=lease_ends)  # type: ignore[arg-type]
            return told.replace(notes=tuple(work.notes), next=_next(short, work, None, status))
        status = _status(work, execution)
        items, error = self._items(work, execution)
        return Executed(
            session=short,
            job=f"{short}.{execution.cell}",
            cell=_cell(document, execution),
            status=status,
            outputs=items,
            error=error,
            execution_count=execution.count,
            seconds=round(execution.seconds, 6),
            notes=tuple(work.notes),
            lease_ends=lease_ends,
            next=_next(short, work, execution, status),
        )

    def _items(
        self, work: Work, execution: Execution
    ) -> tuple[tuple[Mapping[str, Any], ...], Mapping[str, Any] | None]:
        outputs = execution.outputs(partial(read_spilled, self._recording.path))
        error = _death(execution)
        if not outputs:
            return (), error
        answered = answer(
            outputs,
            work.request.budget,
            handle=f"{self._recording.short}:{execution.cell}",
            author=Author(self._file, self._lines_with(execution)),
            keep=partial(keep_image, self._recording.path, execution.cell),
        )
        raised = [item for item in answered.items if item.get("type") == "error"]
        return answered.items, error or (raised[-1] if raised else None)

    def _lines_with(self, execution: Execution) -> Mapping[int, int]:
        self.executed(execution)
        return self._lines


def _death(execution: Execution) -> Mapping[str, Any] | None:
    if not execution.message:
        return None
    return {"type": "error", "name": "KernelDied", "message": execution.message}


def _cell(document: Document, execution: Execution) -> CellInfo | None:
    key, last = execution.wanted.key, document.position - 1
    if not key:
        return None
    if 0 <= last < len(document.cells) and document.cells[last].key == key:
        return document.info(last)
    found = (index for index, each in enumerate(document.cells) if each.key == key)
    return next(map(document.info, found), None)


def _before(work: Work) -> str:
    """What is said of work of which nothing has been executed."""
    if work.done:
        work.note("it was given up before it began" if work.cancelled else "nothing was executed")
        return "interrupted" if work.cancelled else "succeeded"
    return "running" if work.begun else "queued"


def _status(work: Work, execution: Execution) -> Any:
    if execution.status in ("pending", "running") or not work.done:
        return "running"
    return execution.status


def _next(short: str, work: Work, execution: Execution | None, status: str) -> str:
    """What to do now, where it is not plain."""
    if status in ("running", "queued"):
        return f"octavo job wait {short}.{work.cell}"
    if status == "kernel-died" or (execution is not None and execution.message):
        return f"the state is lost: octavo session restart {short}"
    if status == "failed" and execution is not None and execution.wanted.key:
        return f"octavo session edit {short} {execution.wanted.key} SOURCE --run"
    return work.advice
