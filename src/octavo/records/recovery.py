"""Mending the record of a run whose runner was killed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from octavo.errors import OctavoError, StorageError
from octavo.records.disk import release_reserve, remove_leftovers, storage_error
from octavo.records.journal import abandoned
from octavo.records.record import RunRecord
from octavo.records.run_dir import RunDir, assembled
from octavo.value import Value


class Recovered(Value):
    """A run whose runner was killed: its record, or why it cannot be written yet."""

    run: RunDir
    record: RunRecord | None
    error: OctavoError | None = None


Finish = Callable[[RunDir, RunRecord], None]


def mend(mark: Path, run: RunDir, finish: Finish) -> Recovered | None:
    """Write the record of a run that has a mark; None where it goes on, or is mended already."""
    try:
        return _mended(mark, run, finish)
    except OSError as error:
        return Recovered(run, None, storage_error(error, run.path))


def _mended(mark: Path, run: RunDir, finish: Finish) -> Recovered | None:
    with abandoned(run.path) as gone:
        if not gone or not mark.exists():
            return None
        if not run.path.is_dir():
            mark.unlink(missing_ok=True)
            return None
        try:
            record = assembled(run.path)
        except OctavoError as error:
            return Recovered(run, None, error)
        if not record.complete:
            return Recovered(run, record, _no_room(run))
        release_reserve(run.path)
        remove_leftovers(run.path)
        _publish_late(record)
        finish(run, record)
        return Recovered(run, record)


def _no_room(run: RunDir) -> StorageError:
    return StorageError(
        "disk-full",
        "the disk has no room for its outputs",
        place=str(run.path),
        hint="free some space; the next command writes them from the journal",
    )


def _publish_late(record: RunRecord) -> None:
    """Write the output that a killed runner still owed, unless a later run has written it."""
    from octavo.records.publish import publish

    output = Path(record.output_path or "")
    if not output.is_absolute() or not record.complete:
        return
    with suppress(OSError, OctavoError):
        if not output.exists() or output.stat().st_mtime < record.started:
            publish(record.directory, str(output))
