"""Two continuations from one point: a second session beside the first, in the same process."""

from __future__ import annotations

import time

from octavo.errors import InfrastructureError
from octavo.events.types import CellBound, CellSkipped, KernelReady, StateRestored
from octavo.sessions.document import Document, Mark, Step
from octavo.sessions.hosts.live import Live
from octavo.value import EMPTY


async def branched(live: Live, index: int | None, here: int | None, name: str) -> Live:
    """A session with a kernel of its own that is in the state before a cell.

    `here` is the number of a copy of the state as it stands. Without a copy the new session has a
    new kernel, and executes the cells again when it is first used.
    """
    if live.twin is None:
        hint = "start a session from the notebook instead"
        raise InfrastructureError("platform", "this session cannot be branched", hint=hint)
    document = live.document if index is None else live.document.at(index)
    mark = _mark(live, document, here)
    steps = mark.steps if mark is not None else ()
    other = live.twin(name, document.replace(steps=(), results=EMPTY))
    kept = _told(other, document, steps, live.recording.short)
    if mark is None:
        await other.restart()
        if other.document.position:
            other.notes.append("there is no snapshot: cells are executed again when it is used")
    else:
        kernel, ear = await live.lives.beside(mark.id, other.recording.pipeline)
        other.lives.adopt(kernel, ear)
        other.recording.write(KernelReady(time.time(), kernel.pid, kernel.facts))
    other.document = other.document.went_back(Mark(0, kept))
    other.recording.write(StateRestored(time.time(), other.document.line, "snapshot"))
    return other


def _mark(live: Live, document: Document, here: int | None) -> Mark | None:
    if here is not None:
        return live.snapshots.mark(here)
    mark = live.snapshots.best(document.runnable(document.position))
    return mark if mark is not None and live.lives.has(mark.id) else None


def _told(
    other: Live, document: Document, steps: tuple[Step, ...], parent: str
) -> tuple[Step, ...]:
    """The record of a branch begins with what its state was made of elsewhere."""
    by_key = {each.key: each for each in document.cells}
    kept = []
    for step in steps:
        each = by_key.get(step.key)
        if each is None:
            continue
        cell, now = other.executor.reserve(), time.time()
        other.recording.write(
            CellBound(cell, now, each.bound, "cell", step.key),
            CellSkipped(cell, now, f"it was executed in {parent}"),
        )
        kept.append(step.replace(record_cell=cell))
    return tuple(kept)
