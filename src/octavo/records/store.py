"""Where the records of a project live: `.octavo/runs/<date>/<id>/`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

from octavo.errors import OctavoError, StorageError
from octavo.records.disk import cannot_begin, cannot_read, replacing
from octavo.records.finding import at_path, back_from_last, named, not_found
from octavo.records.identity import time_of, uuid7
from octavo.records.journal import Journal
from octavo.records.owners import forget_owner, note_owner
from octavo.records.record import RunRecord, load_record
from octavo.records.recovery import Recovered, mend
from octavo.records.run_dir import RunDir
from octavo.records.times import day

FOLDER = ".octavo"
_ID_LETTERS = frozenset("0123456789abcdef-")
IGNORE_NAME = ".gitignore"


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
        marks = (self._live / name for name in names)
        found = (mend(mark, self._marked(mark), self.finish) for mark in marks)
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
        back = back_from_last(name)
        if back is not None:
            runs = list(islice(self._newest_first(None), back + 1))
            matches = runs[back:]
        else:
            runs = list(self._newest_first(None))
            matches = [each for each in runs if named(each.run_id, name)] or at_path(name)
        if len(matches) == 1:
            return matches[0]
        raise not_found(name, matches, runs)

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
