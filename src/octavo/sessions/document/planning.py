"""How a kernel comes from the state that it holds to the one that is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from octavo.errors import UsageError
from octavo.sessions.document.cells import Plan
from octavo.sessions.document.snapshots import Snapshots, leads_to

if TYPE_CHECKING:
    from octavo.sessions.document.document import Document


def plan_exec(document: Document, code: str, snapshots: Snapshots) -> Plan:
    at = document.position or _below_title(document)
    return forward(document.replace(position=at).inserted(at, code), (at,), snapshots)


def _below_title(document: Document) -> int:
    """Code that is executed first comes below header and title, and above all other code."""
    return next((at for at, each in enumerate(document.cells) if each.runs), len(document))


def plan_cell(document: Document, index: int, snapshots: Snapshots) -> Plan:
    refuse_other(document, index)
    if index < document.position:
        document = document.at(index)
    return forward(document, document.indices(document.position, index + 1), snapshots)


def plan_all(document: Document, snapshots: Snapshots) -> Plan:
    notes: tuple[str, ...] = ()
    if document.unproven:
        notes = (f"the state was unproven from cell {document.proven} on",)
    if document.live:
        document = document.at(document.proven)
    failed = [at for at in range(document.position) if document.status(at) == "failed"]
    if failed:
        notes += (f"{named(failed)} had failed, and stays so; run-cell executes it anew",)
    run = document.indices(document.position, len(document))
    return _with_notes(forward(document, run, snapshots), notes)


def plan_fresh(document: Document) -> Plan:
    """Everything in a new kernel."""
    run = document.indices(0, len(document))
    document = document.at(0)
    if not document.steps:
        return Plan(document, run=run)
    return Plan(document, back_to=0, run=run, notes=("restarted the kernel",))


def plan_rewind(document: Document, index: int, snapshots: Snapshots) -> Plan:
    if index > document.position:
        return _plan_redo(document, index, snapshots)
    there = document.replace(position=index, live=False)
    plan = forward(there, (), snapshots)
    if document.proven < index and plan.again:
        there = there.replace(position=plan.again[0])
    return plan.replace(document=there)


def _plan_redo(document: Document, index: int, snapshots: Snapshots) -> Plan:
    """Forward, to where the session has been before: by a snapshot, or by executing again."""
    unknown = [at for at in document.indices(document.position, index) if not document.knows(at)]
    if unknown:
        raise UsageError(
            "wrong-argument",
            f"the state is that before cell {document.position}, and {named(unknown)} "
            f"{'was' if len(unknown) == 1 else 'were'} never executed as written now",
            hint="run-cell and run-all go forward",
        )
    there = document.replace(position=index, live=False)
    plan = forward(there, (), snapshots)
    notes = tuple(note.replace("went back to", "went to the state") for note in plan.notes)
    reached = plan.again[0] if plan.again else index
    return plan.replace(document=there.replace(position=reached), notes=notes)


def forward(document: Document, run: Sequence[int], snapshots: Snapshots) -> Plan:
    """Bring the kernel to the state at `position`, then execute these cells."""
    if document.live:
        return Plan(document, run=tuple(run))
    target = document.position
    wanted = document.runnable(target)
    held = len(document.steps) if leads_to(document.ran, wanted) else None
    mark = None if held == len(wanted) else snapshots.best(wanted)
    if held is not None and (mark is None or len(mark.steps) <= held):
        again = document.indices(0, target)[held:]
        notes = (f"executed {_counted(again)} again",) if again else ()
        return _plan(document, None, None, again, run, notes)
    done = 0 if mark is None else len(mark.steps)
    again = document.indices(0, target)[done:]
    notes = (_told(target, mark is not None, again),)
    return _plan(document, target, None if mark is None else mark.id, again, run, notes)


def _plan(
    document: Document,
    back_to: int | None,
    resume: int | None,
    again: tuple[int, ...],
    run: Sequence[int],
    notes: tuple[str, ...],
) -> Plan:
    may_fail = tuple(at for at in again if document.has_failed(at))
    return Plan(document, back_to, resume, again, tuple(run), may_fail, notes)


def _told(target: int, by_snapshot: bool, again: Sequence[int]) -> str:
    if by_snapshot:
        went = f"went back to before cell {target} by a snapshot"
        return f"{went}, and executed {_counted(again)} again" if again else went
    if not again:
        return "restarted the kernel"
    return f"restarted the kernel, and executed {_counted(again)} again"


def _counted(cells: Sequence[int]) -> str:
    return "1 cell" if len(cells) == 1 else f"{len(cells)} cells"


def named(cells: Sequence[int], most: int = 12) -> str:
    """Cells by their indices, not too many of them."""
    more = f" and {len(cells) - most} more" if len(cells) > most else ""
    word = "cell" if len(cells) == 1 else "cells"
    return f"{word} {', '.join(map(str, cells[:most]))}{more}"


def _with_notes(plan: Plan, notes: tuple[str, ...]) -> Plan:
    return plan.replace(notes=(*notes, *plan.notes))


def refuse_other(document: Document, index: int) -> None:
    """Refuse what is not executed: prose, and cells that their author wants left out."""
    each = document.cells[index]
    if each.runs:
        return
    why = f"is skipped: {each.skipped}" if each.skipped else f"holds {each.cell.kind}, not code"
    hint = "execute its code with `session exec`" if each.skipped else "name a code cell"
    raise UsageError("wrong-argument", f"cell {index} {why}", hint=hint)
