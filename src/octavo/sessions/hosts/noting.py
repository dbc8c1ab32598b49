"""Work that its client was sent away from, noted so that it is found again by `octavo job list`."""

from __future__ import annotations

from contextlib import suppress

from octavo.sessions.hosts.live import Live
from octavo.sessions.hosts.work import Work
from octavo.sessions.jobs import notes as job_notes
from octavo.sessions.jobs.notes import JobNote


def note_job(work: Work, live: Live) -> None:
    """Note that an execution is a job now, and once it has ended how it did."""
    if work.is_noted:
        return
    work.is_noted = True
    _write(work, live)
    work.ended.add_done_callback(lambda _: _write(work, live))


def _write(work: Work, live: Live) -> None:
    teller = live.teller.all if work.op == "run-all" else live.teller.one
    note = JobNote(
        id=f"{live.short}.{work.cell}",
        pid=live.facts.pid,
        born="",
        notebook=live.facts.notebook or "",
        owner=live.facts.owner,
        session=live.short,
        status=teller(work, live.document, live.lease_ends).status if work.done else None,
        cells=_cells(work) if work.op == "run-all" else (),
    )
    with suppress(OSError):  # on a full disk the journal still tells of it
        job_notes.write(live.recording.run_dir, note, work.cell)


def _cells(work: Work) -> tuple[int, ...]:
    later = (each.cell for each in work.executions_in_order if each.cell != work.cell)
    return (work.cell, *later) if work.done else (work.cell,)
