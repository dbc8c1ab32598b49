"""What a run leaves behind, as a value and as `record.json`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from octavo.errors import StorageError
from octavo.events.types import CellStatus, Reason, RunStatus
from octavo.records.plain import compact, utf8
from octavo.records.result import FailedCell, RunResult
from octavo.records.times import from_iso, iso
from octavo.value import Value

RECORD_SCHEMA = 1
RECORD_NAME = "record.json"
NOTEBOOK_NAME = "notebook.ipynb"


class CellRecord(Value):
    """One cell of the bound notebook. Only code cells have a status; times are epoch seconds."""

    index: int
    origin: int | None
    id: str
    kind: str
    status: CellStatus | None
    started: float | None = None
    finished: float | None = None
    duration_seconds: float | None = None
    memory_peak: int | None = None
    cpu_seconds: float | None = None
    execution_count: int | None = None
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in _CELL_FIELDS}
        plain["started"] = iso(self.started)
        plain["finished"] = iso(self.finished)
        return plain


class RunRecord(Value):
    """All that is known of a finished run. `directory` is where it was read from.

    `complete` is False when a full disk left no room for the outputs in the notebook.
    """

    run_id: str
    status: RunStatus
    reason: Reason | None
    message: str
    started: float
    finished: float
    duration_seconds: float
    source: Mapping[str, Any]
    parameters: Mapping[str, Any]
    defaults: Mapping[str, Any]
    cells: tuple[CellRecord, ...]
    cells_executed: int
    failed_cell: FailedCell | None
    scraps: Mapping[str, Any]
    value: Any
    engine: str
    environment: Mapping[str, Any]
    packages: Mapping[str, str]
    lock: Mapping[str, Any] | None
    kernel: Mapping[str, Any] | None
    git: Mapping[str, Any] | None
    host: Mapping[str, Any]
    options: Mapping[str, Any]
    output_path: str | None
    parent_run: str | None
    journal: Mapping[str, int]
    complete: bool = True
    scraps_schema: Mapping[str, Any] | None = None
    scrap_problems: tuple[Mapping[str, Any], ...] = ()
    files: Mapping[str, Any] | None = None
    schema: int = RECORD_SCHEMA
    directory: Path = Path()

    _uncompared = ("directory",)

    def to_json(self) -> dict[str, Any]:
        """The content of `record.json`."""
        plain: dict[str, Any] = {name: getattr(self, name) for name in _RECORD_FIELDS}
        plain["started"] = iso(self.started)
        plain["finished"] = iso(self.finished)
        plain["failed_cell"] = self.failed_cell and _failed_to_json(self.failed_cell)
        plain["cells"] = [cell.to_json() for cell in self.cells]
        return plain

    @classmethod
    def from_json(cls, plain: Mapping[str, Any], directory: Path) -> RunRecord:
        """The inverse of `to_json`; keys that a newer version added are dropped."""
        try:
            known = {name: plain[name] for name in _RECORD_FIELDS if name not in ADDED}
            known |= {name: plain[name] for name in ADDED if name in plain}
            known["scrap_problems"] = tuple(plain.get("scrap_problems", ()))
            known["started"] = from_iso(plain["started"])
            known["finished"] = from_iso(plain["finished"])
            known["failed_cell"] = _failed_from_json(plain["failed_cell"])
            known["cells"] = tuple(_cell_from_json(cell) for cell in plain["cells"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _invalid(directory, f"{type(error).__name__}: {error}") from error
        return cls(**known, directory=directory)


#: `record.json` begins with what a list of runs shows, and ends with what is long.
_FIRST = ("schema", "run_id", "status", "reason", "message", "started", "finished")
_LAST = ("files", "packages", "cells")
#: Keys that a record of an earlier version need not have.
ADDED = ("scraps_schema", "scrap_problems", "files")


def _order() -> tuple[str, ...]:
    names = [name for name in RunRecord._fields if name != "directory"]
    middle = [name for name in names if name not in (*_FIRST, *_LAST)]
    return (*_FIRST, *middle, *_LAST)


_RECORD_FIELDS = _order()
_CELL_FIELDS = CellRecord._fields
_FAILED_FIELDS = FailedCell._fields


def result(record: RunRecord) -> RunResult:
    """What a caller of a run gets back."""
    return RunResult(
        status=record.status,
        reason=record.reason,
        duration_seconds=record.duration_seconds,
        cells_executed=record.cells_executed,
        failed_cell=record.failed_cell,
        run_id=record.run_id,
        notebook_path=_notebook_path(record),
        record_path=str(record.directory / RECORD_NAME),
        scraps=record.scraps,
        message=record.message,
        value=record.value,
        scraps_schema=record.scraps_schema,
        scrap_problems=record.scrap_problems,
    )


def _notebook_path(record: RunRecord) -> str:
    """Where the user wanted the notebook, if it is there; else the one in the record."""
    if record.output_path and Path(record.output_path).is_file():
        return record.output_path
    return str(record.directory / NOTEBOOK_NAME)


def dump_record(record: RunRecord) -> bytes:
    """`record.json`: a key a line, a cell a line."""
    plain = record.to_json()
    cells = ",\n".join("  " + compact(cell) for cell in plain.pop("cells"))
    lines = [f" {compact(key)}: {compact(value)}" for key, value in plain.items()]
    lines.append(f' "cells": [\n{cells}\n ]' if cells else ' "cells": []')
    return utf8("{\n" + ",\n".join(lines) + "\n}\n")


def load_record(run_dir: Path) -> RunRecord:
    """The record in a run's folder; StorageError `record-invalid` where it cannot be read."""
    import json

    try:
        plain = json.loads((run_dir / RECORD_NAME).read_bytes())
    except OSError as error:
        raise _invalid(run_dir, (error.strerror or str(error)).lower()) from error
    except ValueError as error:
        raise _invalid(run_dir, str(error)) from error
    if not isinstance(plain, dict):
        raise _invalid(run_dir, "not a JSON object")
    return RunRecord.from_json(plain, run_dir)


def _invalid(run_dir: Path, why: str) -> StorageError:
    return StorageError(
        "record-invalid",
        f"the record cannot be read: {why}",
        place=str(run_dir / RECORD_NAME),
        hint="it is rebuilt from the journal beside it; where there is none, remove the folder",
    )


def _failed_to_json(failed: FailedCell) -> dict[str, Any]:
    return {name: getattr(failed, name) for name in _FAILED_FIELDS}


def _failed_from_json(plain: Mapping[str, Any] | None) -> FailedCell | None:
    if plain is None:
        return None
    known = {name: plain[name] for name in _FAILED_FIELDS}
    return FailedCell(**{**known, "traceback": tuple(known["traceback"])})


def _cell_from_json(plain: Mapping[str, Any]) -> CellRecord:
    known = {name: plain[name] for name in _CELL_FIELDS}
    known["started"] = from_iso(plain["started"])
    known["finished"] = from_iso(plain["finished"])
    return CellRecord(**known)
