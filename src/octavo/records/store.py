"""Where the records of a project live: `.octavo/runs/<date>/<id>/`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

from octavo.errors import OctavoError, StorageError, UsageError
from octavo.records.disk import (
    cannot_begin,
    cannot_read,
    release_reserve,
    remove_leftovers,
    replacing,
    storage_error,
)
from octavo.records.identity import time_of, uuid7
from octavo.records.journal import JOURNAL_NAME, Journal, abandoned
from octavo.records.owners import forget_owner, note_owner
from octavo.records.record import NOTEBOOK_NAME, RECORD_NAME, RunRecord, load_record
from octavo.records.times import day
from octavo.value import Value

FOLDER = ".octavo"
_ID_LETTERS = frozenset("0123456789abcdef-")
IGNORE_NAME = ".gitignore"


class RunDir(Value):
    """The folder of one run."""

    path: Path

    @property
    def run_id(self) -> str:
        return self.path.name

    @property
    def journal_path(self) -> Path:
        return self.path / JOURNAL_NAME

    @property
    def notebook_path(self) -> Path:
        return self.path / NOTEBOOK_NAME

    @property
    def record_path(self) -> Path:
        return self.path / RECORD_NAME

    def record(self) -> RunRecord:
        """The record of this run; rebuilt from the journal where it is missing or damaged."""
        try:
            return self._record()
        except OSError as error:
            raise cannot_read(error, self.path) from error

    def _record(self) -> RunRecord:
        try:
            record = load_record(self.path)
        except StorageError:
            if not self.journal_path.is_file() and not self.is_running():
                raise
        else:
            if self._has_notebook() or not self.journal_path.is_file():
                return record
        with abandoned(self.path) as gone:
            if not gone:
                raise _still_running(self)
            return _assemble(self.path)

    def _has_notebook(self) -> bool:
        """A power cut can leave a file that has its name but no content."""
        try:
            return self.notebook_path.stat().st_size > 0
        except OSError:
            return False

    def has_begun(self) -> bool:
        """Whether there is a run in this folder; at first there is only its source."""
        try:
            return not {JOURNAL_NAME, RECORD_NAME}.isdisjoint(os.listdir(self.path))
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True

    def is_running(self) -> bool:
        """Whether the program that drives this run is alive."""
        with abandoned(self.path) as gone:
            return not gone


class Recovered(Value):
    """A run whose runner was killed: its record, or why it cannot be written yet."""

    run: RunDir
    record: RunRecord | None
    error: OctavoError | None = None


class Store:
    """The records of one project; new ones are the `owner`'s."""

    def __init__(self, project_root: Path, owner: str = "") -> None:
        self.root = project_root / FOLDER
        self._owner = owner

    def create_run(self, moment: float, entropy: bytes, source: bytes, suffix: str) -> RunDir:
        """A folder for a new run, with the source as it is now; `suffix` is that of its name."""
        run = self._run_dir(uuid7(moment, entropy), moment)
        try:
            self.make_root()
            note_owner(self.root, run.run_id, self._owner)
            run.path.mkdir(parents=True)
            (run.path / f"source{suffix}").write_bytes(source)
        except OSError as error:
            self.discard(run)
            raise cannot_begin(error, self.root) from error
        return run

    def open_journal(self, run: RunDir) -> Journal:
        """Begin a run: from here on it is alive, and recovered if it is killed.

        The lock is held before the mark is set, so a mark without a lock is a dead run.
        """
        try:
            journal = Journal.create(run.path)
        except OctavoError:
            self.discard(run)
            raise
        try:
            self._live.mkdir(exist_ok=True)
            (self._live / run.run_id).write_text(str(run.path.relative_to(self.root)))
        except OSError as error:
            journal.close()
            self.discard(run)
            raise cannot_begin(error, self._live) from error
        return journal

    def restore(self, run: RunDir, journal: Journal, source: bytes, suffix: str) -> bool:
        """Bring back the folder of a run whose own cells deleted it; whether they had."""
        if not journal.restore():
            return False
        with suppress(OSError):
            self.make_root()
            note_owner(self.root, run.run_id, self._owner)
            (run.path / f"source{suffix}").write_bytes(source)
        return True

    def finish(self, run: RunDir, record: RunRecord) -> None:
        """Note that a record is written; a later command need not look at this run again."""
        if not record.complete:
            return
        if record.status == "success" and record.source.get("path"):
            self._point(str(record.source["path"]), run)
        (self._live / run.run_id).unlink(missing_ok=True)

    def recover(self) -> list[Recovered]:
        """Write the records of runs whose runner was killed. Runs that go on are not touched."""
        try:
            names = sorted(os.listdir(self._live))
        except OSError:
            # Whoever reads or adds records is told what is wrong with their folder.
            return []
        found = (self._recover_one(name) for name in names)
        return [each for each in found if each is not None]

    def begun(self) -> Iterator[RunDir]:
        """Runs that have begun and not ended, though the program of one may have been killed."""
        return (self._marked(self._live / name) for name in _names(self._live))

    def runs(
        self,
        *,
        status: str | None = None,
        notebook: str | None = None,
        since: float | None = None,
        limit: int | None = None,
    ) -> Iterator[RunDir]:
        """The runs of the project, newest first. Records are read only if a filter asks."""
        wanted = _filter(status, notebook)
        for run in self._newest_first(since):
            if limit is not None and limit <= 0:
                return
            if wanted is None or wanted(run):
                yield run
                limit = None if limit is None else limit - 1

    def find(self, name: str) -> RunDir:
        """The run that a person means: `last`, `last~1`, part of an id, or a path of the run."""
        whole = self._with_id(name)
        if whole is not None:
            return whole
        back = _back_from_last(name)
        if back is not None:
            runs = list(islice(self._newest_first(None), back + 1))
            matches = runs[back:]
        else:
            runs = list(self._newest_first(None))
            matches = [each for each in runs if _named(each.run_id, name)] or _at_path(name)
        if len(matches) == 1:
            return matches[0]
        raise _not_found(name, matches, runs)

    def _with_id(self, name: str) -> RunDir | None:
        """The run whose whole id this is, found where its time says; no other is looked at."""
        began = time_of(name) if set(name) <= _ID_LETTERS else None
        run = None if began is None else self._run_dir(name, began)
        return run if run is not None and run.has_begun() else None

    def expected(self, source_path: str) -> Mapping[str, float]:
        """How long each cell (by id) took in the last successful run of a source."""
        with suppress(OSError, OctavoError):
            target = self.root / self._pointer(source_path).read_text()
            cells = load_record(target).cells
            return {c.id: c.duration_seconds for c in cells if c.duration_seconds is not None}
        return {}

    @property
    def _live(self) -> Path:
        return self.root / "live"

    def _run_dir(self, run_id: str, moment: float) -> RunDir:
        return RunDir(self.root / "runs" / day(moment) / run_id)

    def make_root(self) -> None:
        ignore = self.root / IGNORE_NAME
        if not ignore.exists():
            self.root.mkdir(parents=True, exist_ok=True)
            with replacing(ignore, sync=False) as file:
                file.write(b"*\n")

    def discard(self, run: RunDir) -> None:
        """Take away the folder of a run that did not begin, and those made for it alone."""
        with suppress(OSError):
            (self._live / run.run_id).unlink(missing_ok=True)
        forget_owner(self.root, run.run_id)
        with suppress(OSError):
            for path in run.path.iterdir():
                path.unlink()
        for folder in (run.path, run.path.parent, run.path.parent.parent):
            with suppress(OSError):
                folder.rmdir()
        with suppress(OSError):
            if set(os.listdir(self.root)) <= {IGNORE_NAME}:
                (self.root / IGNORE_NAME).unlink(missing_ok=True)
                self.root.rmdir()

    def _pointer(self, source_path: str) -> Path:
        from hashlib import sha256

        digest = sha256(source_path.encode("utf-8", "surrogatepass")).hexdigest()
        return self.root / "latest" / digest[:32]

    def _point(self, source_path: str, run: RunDir) -> None:
        """Remember a successful run for `expected`; it is a convenience, so it may fail."""
        pointer = self._pointer(source_path)
        with suppress(OSError):
            pointer.parent.mkdir(exist_ok=True)
            with replacing(pointer, sync=False) as file:
                file.write(str(run.path.relative_to(self.root)).encode())

    def _recover_one(self, name: str) -> Recovered | None:
        mark = self._live / name
        run = self._marked(mark)
        try:
            return self._mend(mark, run)
        except OSError as error:
            return Recovered(run, None, storage_error(error, run.path))

    def _mend(self, mark: Path, run: RunDir) -> Recovered | None:
        with abandoned(run.path) as gone:
            if not gone or not mark.exists():
                return None
            if not run.path.is_dir():
                mark.unlink(missing_ok=True)
                return None
            try:
                record = _assemble(run.path)
            except OctavoError as error:
                return Recovered(run, None, error)
            if not record.complete:
                return Recovered(run, record, _no_room(run))
            release_reserve(run.path)
            remove_leftovers(run.path)
            _publish_late(record)
            self.finish(run, record)
            return Recovered(run, record)

    def _marked(self, mark: Path) -> RunDir:
        """The run of a mark; a mark that was killed while being written still has its name."""
        with suppress(OSError):
            relative = mark.read_text()
            if relative:
                return RunDir(self.root / relative)
        return self._run_dir(mark.name, time_of(mark.name) or 0.0)

    def _newest_first(self, since: float | None) -> Iterator[RunDir]:
        folder = self.root / "runs"
        first = day(since) if since is not None else ""
        for date in _names(folder, must_be_folder=True):
            if date < first:
                return
            for run_id in _names(folder / date):
                began = time_of(run_id)
                if began is not None and (since is None or began >= since):
                    run = RunDir(folder / date / run_id)
                    if run.has_begun():
                        yield run


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


def _assemble(run_dir: Path) -> RunRecord:
    # Only recovery needs it here, and it is not cheap to import.
    from octavo.records.assemble import assemble

    return assemble(run_dir)


def _names(folder: Path, *, must_be_folder: bool = False) -> list[str]:
    try:
        return sorted(os.listdir(folder), reverse=True)
    except FileNotFoundError:
        return []
    except OSError as error:
        if isinstance(error, NotADirectoryError) and not must_be_folder:
            return []
        raise cannot_read(error, folder) from error


def _filter(status: str | None, notebook: str | None) -> Callable[[RunDir], bool] | None:
    if status is None and notebook is None:
        return None

    def wanted(run: RunDir) -> bool:
        try:
            record = load_record(run.path)
        except StorageError:
            return False
        return _has_status(record, status) and _is_of(record, notebook)

    return wanted


def _has_status(record: RunRecord, status: str | None) -> bool:
    return status is None or status in (record.status, record.reason)


def _is_of(record: RunRecord, notebook: str | None) -> bool:
    if notebook is None:
        return True
    path = str(record.source.get("path") or "")
    return path == notebook or f"/{path}".endswith(f"/{notebook}")


def _back_from_last(name: str) -> int | None:
    """How many runs before the newest: 0 for `last`, 2 for `last~2`, None for other names."""
    first, tilde, back = name.partition("~")
    if first != "last" or (tilde and not (back.isascii() and back.isdecimal())):
        return None
    return min(int(back), sys.maxsize - 1) if tilde else 0


def _named(run_id: str, name: str) -> bool:
    """Ids of one minute begin alike and end differently, so either end will do."""
    return len(name) >= 4 and (run_id.startswith(name) or run_id.endswith(name))


def _at_path(name: str) -> list[RunDir]:
    path = Path(name)
    for folder in (path, path.parent):
        if os.path.isfile(folder / JOURNAL_NAME):
            return [RunDir(folder)]
    return []


def _not_found(name: str, matches: list[RunDir], runs: list[RunDir]) -> UsageError:
    if matches:
        listed = ", ".join(each.run_id for each in matches[:5])
        more = f" and {len(matches) - 5} more" if len(matches) > 5 else ""
        return UsageError(
            "run-not-found",
            f"{name!r} matches {len(matches)} runs: {listed}{more}",
            hint="give more of the id; its end differs soonest",
        )
    if not runs:
        return UsageError("run-not-found", "there are no runs yet", hint="octavo run notebook.py")
    if _back_from_last(name) is not None:
        count = "is only one run" if len(runs) == 1 else f"are only {len(runs)} runs"
        return UsageError("run-not-found", f"{name}: there {count}", hint="octavo runs")
    return UsageError("run-not-found", f"no run matches {name!r}", hint="octavo runs")


def _still_running(run: RunDir) -> StorageError:
    return StorageError(
        "record-invalid",
        "the run is still going on, its record is written when it ends",
        place=str(run.path),
        hint="wait for it to end",
    )
