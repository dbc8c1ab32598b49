"""The document of a session, and how its kernel comes to the state that is wanted. Nothing here
runs anything: the host of a session asks for a plan, obeys it, and tells what happened.

    plan = document.plan_exec("x = 1", snapshots)      # or plan_cell, plan_all, plan_rewind, …
    document = plan.document                           # a new cell is in it already
    if plan.goes_back:                                 # resume the snapshot, or restart the kernel
        document = document.went_back(snapshots.mark(plan.resume) if plan.resume else None)
    for index in (*plan.again, *plan.run):             # executed, one record cell each
        document = document.executed(index, record_cell, status)
        if plan.stops(index, status): break
    if snapshots.wants(document):                      # while the kernel is idle
        snapshots, mark = snapshots.add(document, memory)
        drop, snapshots = snapshots.thinned(document, count=64, memory=bound)

A snapshot that cannot be resumed is taken off (`snapshots.without`), and the plan made anew from
the document before it. Edits wait while a cell is executed.
"""

from __future__ import annotations

from octavo.sessions.document.cells import DocumentCell, Mark, Plan, Result, Step
from octavo.sessions.document.document import Document
from octavo.sessions.document.snapshots import Snapshots

__all__ = ["Document", "DocumentCell", "Mark", "Plan", "Result", "Snapshots", "Step"]
