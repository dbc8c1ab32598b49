"""The folder of one run."""

from __future__ import annotations

import os
from pathlib import Path

from octavo.errors import StorageError
from octavo.records.disk import cannot_read
from octavo.records.journal import JOURNAL_NAME, abandoned
from octavo.records.record import NOTEBOOK_NAME, RECORD_NAME, RunRecord, load_record
from octavo.value import Value


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
            return assembled(self.path)

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


def assembled(run_dir: Path) -> RunRecord:
    """The record as the journal tells it; written anew."""
    # Only recovery needs it here, and it is not cheap to import.
    from octavo.records.assemble import assemble

    return assemble(run_dir)


def _still_running(run: RunDir) -> StorageError:
    return StorageError(
        "record-invalid",
        "the run is still going on, its record is written when it ends",
        place=str(run.path),
        hint="wait for it to end",
    )
