"""The archive as those who look at runs see it: rows of a list, and runs found by their ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from octavo.archive.context import ArchiveContext
from octavo.archive.entries import Entry
from octavo.archive.operation import Place, artifact_store, place_for
from octavo.archive.reading import (
    archived_entries,
    commit_for,
    matching,
    may_be_id,
    reading_repository,
)
from octavo.archive.unpacking import unpacked
from octavo.errors import OctavoError, UsageError
from octavo.records.run_dir import RunDir
from octavo.runs.context import Said
from octavo.runs.looking.listing import RunRow


def archived_rows(context: ArchiveContext, ref: str = "") -> Iterator[RunRow]:
    """The runs in the archive of the repository around the current folder, the newest first."""
    place = _place(context)
    commit = commit_for(place.branch, ref)
    for entry in archived_entries(place.repository.git, commit):
        yield _row(entry, place, commit)


def archived_run(context: ArchiveContext, name: str) -> RunDir | None:
    """The archived run whose id begins or ends so, unpacked; None where there is none."""
    if not may_be_id(name):
        return None
    try:
        place = _place(context)
        commit = commit_for(place.branch)
    except OctavoError:
        return None
    found = matching(place.branch, commit, name)
    if len(found) > 1:
        ids = ", ".join(each.rpartition("/")[2] for each in list(found)[:5])
        raise UsageError(
            "run-not-found",
            f"{name!r} matches {len(found)} archived runs: {ids}",
            hint="give more of the id; its end differs soonest",
        )
    for where, oid in found.items():
        folder = Path(context.cache) / "archived"
        store = artifact_store(context)
        return unpacked(place.repository.git, where, oid, folder, store, _teller(context))
    return None


def _teller(context: ArchiveContext) -> Callable[[OctavoError], None]:
    return lambda error: context.emit(Said(f"{error.message}; {error.hint}"))


def _place(context: ArchiveContext) -> Place:
    repository = reading_repository(context.cwd, dict(context.environ))
    return place_for(context, repository)


def _row(entry: Entry, place: Place, commit: str) -> RunRow:
    return RunRow(
        run_id=entry.run_id,
        status=entry.status,
        reason=entry.reason,
        notebook=str(place.repository.top / entry.notebook),
        started=entry.started,
        duration_seconds=entry.duration_seconds,
        cells_executed=entry.cells_executed,
        parameters=entry.parameters,
        scraps=entry.scraps,
        parent_run=entry.parent_run,
        record_path=f"{commit[:12]}:{entry.place}/record.json",
        defaults=entry.defaults,
    )
