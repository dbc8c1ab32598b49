"""From the record of a run to the verdicts on its cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from octavo.gate.comparing.outputs import by_kind, compare
from octavo.gate.comparing.rules import Rules
from octavo.gate.nbval.markers import Expectation, expectation
from octavo.gate.references.entries import stable
from octavo.gate.references.reference import Reference
from octavo.gate.verdicts import Cause, CellVerdict, Difference
from octavo.notebook.addresses import names_of
from octavo.notebook.formats import ipynb
from octavo.notebook.injection import INJECTED_TAG
from octavo.notebook.model import Cell, Notebook
from octavo.records.record import NOTEBOOK_NAME, CellRecord, RunRecord
from octavo.sources import read_text

NbvalOutcome = Literal["passed", "failed", "skipped", "xfailed"]

NO_REFERENCE = "there is no reference for this output yet"
#: What is said of a cell that passes, as in nbval, because its notebook was saved without outputs.
UNCOMPARED = "not compared: the notebook holds no output of this cell"
_UNRUN = "the reference has outputs, but says that the cell was not run"
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_FRAME = re.compile(r"In ?\[(\d+)\], line (\d+)")
_LINES = 60
_WIDTH = 2000

#: How a run ended that did not let a cell finish.
_CAUSES: dict[str, Cause] = {
    "cell-timeout": "timeout",
    "run-timeout": "timeout",
    "silence-timeout": "timeout",
    "kernel-died": "died",
    "out-of-memory": "limit",
    "limit-exceeded": "limit",
    "interrupted": "interrupted",
}


def read_executed(record: RunRecord) -> dict[str, Any]:
    """The executed notebook of a record, as nbformat spells it."""
    path = record.directory / NOTEBOOK_NAME
    return ipynb.parse(read_text(path), str(path))


def judge(
    notebook: Notebook,
    record: RunRecord,
    executed: Mapping[str, Any],
    reference: Reference,
    rules: Rules,
    *,
    strict: bool,
) -> tuple[CellVerdict, ...]:
    """A verdict on every code cell of the author's notebook, in order.

    `executed` is the executed notebook of that record. Images that differ are put into the
    record's folder unless the rules name another.
    """
    if rules.image_folder is None:
        rules = rules.replace(image_folder=str(Path(record.directory, "compared")))
    judging = _Judging(record, executed["cells"], reference, rules)
    numbered = [(at, cell) for at, cell in enumerate(notebook.cells) if cell.kind == "code"]
    return tuple(
        judging.verdict(at, number, cell, expectation(cell, strict=strict))
        for number, (at, cell) in enumerate(numbered)
    )


def as_nbval(verdict: CellVerdict) -> NbvalOutcome:
    """The outcome that nbval's users know: what did not run because of a cell before it is
    expected to fail, so that one timeout is one failure.
    """
    if verdict.outcome != "not-run":
        return verdict.outcome
    return "xfailed" if verdict.cause == "earlier" else "failed"


class _Judging:
    """One run and what it is measured by."""

    def __init__(
        self,
        record: RunRecord,
        executed: Sequence[Mapping[str, Any]],
        reference: Reference,
        rules: Rules,
    ) -> None:
        self._record = record
        self._reference = reference
        self._rules = rules
        self._executed = executed
        self._cells = {cell.origin: cell for cell in record.cells}

    def verdict(self, at: int, number: int, cell: Cell, wanted: Expectation) -> CellVerdict:
        ran = self._cells.get(at)
        if ran is None and INJECTED_TAG in cell.tags:
            ran, wanted = self._cells.get(None), Expectation(check=False)
        name = next(iter(names_of(cell)), str(at))
        known = CellVerdict(at, number, name, cell.line, "passed")
        if ran is not None:
            known = known.replace(duration_seconds=ran.duration_seconds)
        if wanted.skip:
            return known.replace(outcome="skipped", message="marked NBVAL_SKIP")
        if ran is None or ran.status in (None, "not-run", "pending"):
            return known.replace(outcome="not-run", **self._not_run())
        if ran.status == "skipped":
            return known.replace(outcome="skipped", message=ran.why)
        return known.replace(**self._ended(ran, cell, wanted))

    def _not_run(self) -> dict[str, Any]:
        """What kept a cell from running; nothing is invented where the record does not tell."""
        reason = self._record.reason
        if reason == "exited-early" or (reason == "cell-error" and self._went_on()):
            return {"cause": "", "message": "not run: a cell before it ended the notebook"}
        if reason in ("interrupted", "runner-died"):
            return {"cause": "interrupted", "message": self._record.message}
        if reason == "infrastructure":
            return {"cause": "", "message": self._record.message}
        return {"cause": "earlier", "message": "not run because of an earlier cell"}

    def _went_on(self) -> bool:
        return bool(self._record.options.get("keep_going"))

    def _ended(self, ran: CellRecord, cell: Cell, wanted: Expectation) -> dict[str, Any]:
        outputs = self._outputs(ran.index)
        if ran.status == "failed" or (
            ran.status == "succeeded" and _shows_unwanted(outputs, wanted)
        ):
            return {"outcome": "failed", "cause": "error", **self._raised(ran, cell, outputs)}
        if ran.status != "succeeded":
            timed_out = ran.status == "timed-out" and wanted.raises
            if not (timed_out and _was_interrupted(outputs)):
                return {"outcome": "failed", **self._stopped(ran, cell, outputs)}
        if ran.origin is None:
            return {}
        return self._compared(ran.origin, wanted, outputs)

    def _outputs(self, index: int) -> Sequence[Mapping[str, Any]]:
        outputs: Sequence[Mapping[str, Any]] = ()
        if index < len(self._executed):
            outputs = self._executed[index].get("outputs", ())
        return stable(outputs) if self._reference.kind == "file" else outputs

    def _stopped(
        self, ran: CellRecord, cell: Cell, outputs: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        told = self._raised(ran, cell, outputs)
        cause = _CAUSES.get(self._record.reason or "", "interrupted")
        return {**told, "cause": cause, "message": self._record.message or told["message"]}

    def _compared(
        self, at: int, wanted: Expectation, outputs: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        expected = self._reference.cells.get(at)
        if expected is not None and not expected.ran:
            if expected.outputs:
                return _failed(_UNRUN)
            unmet = wanted.check and by_kind(outputs, self._rules)
            return {"message": UNCOMPARED} if unmet else {}
        if not wanted.check:
            return {}
        if expected is None:
            kept = self._reference.kind in ("own", "pair")
            missing = not kept and bool(by_kind(outputs, self._rules))
            return _failed(NO_REFERENCE, compare((), outputs, self._rules)) if missing else {}
        differences = compare(expected.outputs, outputs, self._rules)
        return _failed(_first(differences[0]), differences) if differences else {}

    def _raised(
        self, ran: CellRecord, cell: Cell, outputs: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """What a cell raised: from the record where it tells of this cell, else as it was shown."""
        failed = self._record.failed_cell
        if failed is not None and failed.index is not None and failed.index == ran.origin:
            message = _message(failed.ename, failed.evalue)
            return {
                "message": message,
                "failed_line": failed.line,
                "traceback": tuple(_plain(failed.traceback)),
            }
        error = next((each for each in outputs if each["output_type"] == "error"), None)
        if error is None:
            return {"message": "the cell failed"}
        traceback = tuple(_plain(error.get("traceback", ())))
        return {
            "message": _message(error.get("ename", ""), error.get("evalue", "")),
            "failed_line": _line(traceback, ran, cell),
            "traceback": traceback,
        }


def _shows_unwanted(outputs: Sequence[Mapping[str, Any]], wanted: Expectation) -> bool:
    """Whether a cell shows an exception that did not end it: of `get_ipython().run_cell`, say."""
    return not wanted.raises and any(each["output_type"] == "error" for each in outputs)


def _was_interrupted(outputs: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a cell that ran out of time ended with the exception that interrupts it."""
    return any(each.get("ename") == "KeyboardInterrupt" for each in outputs)


def _failed(message: str, differences: tuple[Difference, ...] = ()) -> dict[str, Any]:
    return {
        "outcome": "failed",
        "cause": "output",
        "message": message,
        "differences": differences,
    }


def _first(difference: Difference) -> str:
    if difference.key in ("ename", "evalue"):
        return difference.message
    return f"{difference.key} {difference.message}"


def _message(ename: str, evalue: str) -> str:
    first = evalue.partition("\n")[0][:300]
    return f"{ename}: {first}" if first else ename


def _plain(traceback: Sequence[str]) -> Iterator[str]:
    """The last lines of a traceback, without colours."""
    lines = [line for part in traceback for line in _COLOUR.sub("", part).splitlines()]
    if len(lines) > _LINES:
        yield f"… {len(lines) - _LINES} lines left out …"
    for line in lines[-_LINES:]:
        yield line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…"


def _line(traceback: Sequence[str], ran: CellRecord, cell: Cell) -> int | None:
    """The line of the author's file that the last frame within the cell names."""
    frames = (frame for line in traceback for frame in _FRAME.findall(line))
    own = [int(line) for count, line in frames if int(count) == ran.execution_count]
    return cell.line + own[-1] - 1 if own else None
