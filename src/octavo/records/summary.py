"""From the outline of a journal to the record of the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from octavo.events.statuses import CellProgress, RunFold
from octavo.events.types import SCHEMA_VERSION, FilesSeen, Reason, RunStarted
from octavo.records.executed import valid_ids
from octavo.records.identity import time_of
from octavo.records.outline import Outline
from octavo.records.record import CellRecord, RunRecord
from octavo.records.result import FailedCell
from octavo.records.tracebacks import located

#: What a cell is said to have raised when something else than its own code ended the run.
_NAMES: dict[Reason, str] = {
    "cell-timeout": "CellTimeout",
    "run-timeout": "RunTimeout",
    "silence-timeout": "SilenceTimeout",
    "kernel-died": "KernelDied",
    "out-of-memory": "OutOfMemory",
    "limit-exceeded": "LimitExceeded",
    "interrupted": "KeyboardInterrupt",
}


def summarize(
    outline: Outline, run: RunStarted, run_dir: Path, *, settle: bool = True
) -> RunRecord:
    """The record of a run that will not go on; without `settle`, of one that still does."""
    fold = outline.run
    if settle:
        fold.settle()
    finished = fold.finished.time if fold.finished else fold.last_time or run.time
    provenance = fold.provenance
    kernel = fold.kernel
    return RunRecord(
        run_id=run.run_id,
        status=fold.finished.status if fold.finished else "error",
        reason=fold.reason,
        message=fold.message,
        started=_micro(run.time),
        finished=_micro(finished),
        duration_seconds=_micro(max(0.0, finished - run.time)),
        source=run.source,
        parameters=run.parameters,
        defaults=run.defaults,
        cells=_cells(run, fold),
        cells_executed=sum(cell.started is not None for cell in fold.cells.values()),
        failed_cell=_failed_cell(run, fold),
        scraps=outline.scraps,
        scraps_schema=run.scraps_schema,
        scrap_problems=fold.checked.problems if fold.checked else (),
        value=fold.value,
        engine=run.engine,
        environment=run.environment,
        packages=provenance.packages if provenance else {},
        lock=provenance.lock if provenance else None,
        kernel={"pid": kernel.pid, **kernel.facts} if kernel else None,
        git=provenance.git if provenance else None,
        host=run.host,
        options=run.options,
        output_path=run.output_path,
        parent_run=run.parent_run,
        files=_files(fold.files),
        journal={"damaged": outline.damaged, "unknown": outline.unknown},
        directory=run_dir,
    )


def unknown_run(run_dir: Path) -> RunStarted:
    """What can be said of a run whose journal ends before its first line does."""
    return RunStarted(
        schema=SCHEMA_VERSION,
        run_id=run_dir.name,
        time=time_of(run_dir.name) or 0.0,
        source=_copied_source(run_dir),
        cells=(),
        metadata={},
        parameters={},
        defaults={},
        engine="",
        environment={},
        options={},
        host={},
    )


def _copied_source(run_dir: Path) -> dict[str, Any]:
    from hashlib import sha256

    for copy in sorted(run_dir.glob("source.*")):
        digest = sha256(copy.read_bytes()).hexdigest()
        return {"path": None, "sha256": digest, "format": copy.suffix}
    return {"path": None, "sha256": None, "format": None}


def _cells(run: RunStarted, fold: RunFold) -> tuple[CellRecord, ...]:
    nothing = CellProgress()
    ids = valid_ids(run.cells)
    cells = []
    for index, bound in enumerate(run.cells):
        progress = fold.cells.get(index, nothing)
        cells.append(
            CellRecord(
                index=index,
                origin=bound.origin,
                id=ids[index],
                kind=bound.kind,
                status=progress.status if bound.kind == "code" else None,
                started=_micro(progress.started),
                finished=_micro(progress.finished),
                duration_seconds=_micro(progress.duration),
                memory_peak=progress.memory_peak,
                cpu_seconds=progress.cpu_seconds,
                execution_count=progress.execution_count,
                why=progress.why,
            )
        )
    return tuple(cells)


def _files(seen: FilesSeen | None) -> dict[str, Any] | None:
    """What the run used, in order; None where nobody looked."""
    if seen is None:
        return None
    names = ("read", "missing", "written", "listed", "modules", "facts")
    told = {name: sorted({str(each) for each in getattr(seen, name)}) for name in names}
    return {**told, "complete": seen.complete is True and seen.final is True}


def _failed_cell(run: RunStarted, fold: RunFold) -> FailedCell | None:
    """The cell that ended the run, where it was a cell that did."""
    reason = fold.reason
    kept = reason == "cell-error" and fold.first_failed is not None
    index, raised = (fold.first_failed, fold.first_error) if kept else (fold.stopped_at, fold.error)
    known = reason == "cell-error" or reason in _NAMES
    if index is None or not known or reason is None or index >= len(run.cells):
        return None
    bound = run.cells[index]
    error = raised if raised and raised.cell == index else None
    line = error.line if error and bound.origin is not None and bound.line else None
    own = reason == "cell-error" and error is not None
    return FailedCell(
        index=bound.origin,
        source=bound.source,
        ename=error.ename if own and error else _NAMES.get(reason, "Error"),
        evalue=error.evalue if own and error else fold.message,
        traceback=located(error.traceback, fold, index) if error else (),
        line=None if line is None else bound.line + line - 1,
    )


def _micro(moment: Any) -> Any:
    """To the microsecond, as it is written, so that a record read back is the same."""
    return None if moment is None else round(moment, 6)
