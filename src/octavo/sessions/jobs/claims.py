"""Requests with an id of the client's: asked twice, the work is done once."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from octavo.errors import UsageError
from octavo.records.disk import cannot_begin
from octavo.records.store import Store
from octavo.sessions.jobs import notes as job_notes
from octavo.sessions.jobs.runner import Work
from octavo.sessions.jobs.values import Job, JobContext
from octavo.systems import OURS, lock
from octavo.value import Value

_LONGEST = 1000


class Claim(Value):
    """The jobs that a request has been given, or the file that is to tell them."""

    jobs: tuple[Job, ...] = ()
    descriptor: int | None = None


@contextmanager
def claimed(work: Work, context: JobContext) -> Iterator[Claim]:
    """What there is to a request. While the block lasts nobody else gets this far with its id.

    The lock on the file is handed on with it: it is free when nobody has the file open any more,
    so a client that is killed here does not let the next one in too early.
    """
    name = work.request.request_id
    if name is None:
        yield Claim()
        return
    if not name or len(name) > _LONGEST:
        message = f"--request-id takes 1 to {_LONGEST} characters"
        raise UsageError("wrong-argument", message, hint="a random text is a good one")
    store = context.store(work.plans[0].source.file.path)
    descriptor = _locked(store, f"{work.owner}\0{name}")
    try:
        content = os.read(descriptor, 1 << 20)
        yield Claim(_jobs(content, work, store)) if content else Claim((), descriptor)
    finally:
        os.close(descriptor)


def is_known(store: Store, owner: str, name: str) -> bool:
    """Whether somebody's request has begun something already."""
    try:
        return _place(store, f"{owner}\0{name}").stat().st_size > 0
    except OSError:
        return False


def _place(store: Store, name: str) -> Path:
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return store.root / job_notes.FOLDER / job_notes.REQUESTS / digest


def _locked(store: Store, name: str) -> int:
    """The file of a request; another one where it was forgotten while we waited for it."""
    while True:
        descriptor = _opened(store, name)
        lock(descriptor, wait=True)
        if os.fstat(descriptor).st_nlink:
            return descriptor
        os.close(descriptor)


def _opened(store: Store, name: str) -> int:
    path = _place(store, name)
    try:
        store.make_root()
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | OURS, 0o600)
    except OSError as error:
        raise cannot_begin(error, path.parent) from error


def _jobs(content: bytes, work: Work, store: Store) -> tuple[Job, ...]:
    """The jobs of the first request; an id that was used for something else is refused."""
    runs = [store.find(str(run_id)) for run_id in json.loads(content)]
    notes = [job_notes.of(run) for run in runs]
    names = [plan.source.file.name for plan in work.plans]
    asked = [
        (name, job_notes.mark_of(plan.source.parameters.values))
        for name, plan in zip(names, work.plans, strict=True)
    ]
    known = [
        (note.notebook, note.given) if note else now
        for note, now in zip(notes, asked, strict=False)
    ]
    if len(runs) != len(asked) or known != asked:
        raise UsageError(
            "wrong-argument",
            f"the request id {work.request.request_id!r} was used for another run",
            hint="take a new id for new work",
        )
    return tuple(
        Job(
            id=run.run_id,
            notebook=name,
            status="running",
            record_path=str(run.record_path),
            next=f"octavo job wait {run.run_id[-8:]}",
        )
        for run, name in zip(runs, names, strict=True)
    )
