"""How it went with a notebook, in the words of a verdict."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.errors import InfrastructureError, OctavoError
from octavo.gate.memory.entries import Passed
from octavo.gate.verdicts import UNPROVEN, CellVerdict, NotebookVerdict
from octavo.records.record import RunRecord
from octavo.render.figures import counted

_MAY_EXIT = "take out what ends it, or allow it: early_exit = true in its check block"


def refused(shown: str, values: str, error: OctavoError) -> NotebookVerdict:
    """A notebook that cannot even begin to run; what is missing around it is not its fault."""
    from octavo.gate.preflight.secrets import hidden

    broken = isinstance(error, InfrastructureError)
    place = f" ({error.place})" if error.place and not error.place.endswith(shown) else ""
    return NotebookVerdict(
        shown,
        values,
        "failed",
        reason="infrastructure" if broken else error.kind,
        message=hidden(f"{error.message}{place}"),
        hint=hidden(error.hint),
    )


def recalled(shown: str, values: str, passed: Passed) -> NotebookVerdict:
    """A notebook that passed before, and nothing of which has changed."""
    return NotebookVerdict(
        shown,
        values,
        "passed",
        parameters=passed.parameters,
        findings=passed.findings,
        run_id=passed.run_id,
        reused=True,
        duration_seconds=passed.duration_seconds,
        scraps=passed.scraps,
    )


def interrupted(blank: NotebookVerdict) -> NotebookVerdict:
    """A notebook that was waiting for its turn when somebody asked to stop."""
    return blank.replace(outcome="not-run", reason="interrupted", message="the check was stopped")


def concluded(
    blank: NotebookVerdict, record: RunRecord | None, *, may_exit: bool = False
) -> NotebookVerdict:
    """The verdict that cells, findings and the end of the run add up to.

    A notebook that ends itself before its last cell passes only if it `may_exit`.
    """
    verdict = blank
    if record is not None:
        verdict = verdict.replace(
            run_id=record.run_id,
            duration_seconds=record.duration_seconds,
            scraps=record.scraps,
            parameters={**blank.parameters, **record.parameters},
        )
    reason, message = _why_not(verdict, record)
    if not reason and not may_exit:
        reason, message = _left_out(verdict, record)
    if reason == "interrupted":
        # It was stopped before anybody could tell.
        return verdict.replace(outcome="not-run", reason=reason, message=message)
    if reason:
        hint = _MAY_EXIT if reason == "exited-early" else verdict.hint
        return verdict.replace(outcome="failed", reason=reason, message=message, hint=hint)
    return verdict.replace(outcome="passed", reason="", message="")


def _why_not(verdict: NotebookVerdict, record: RunRecord | None) -> tuple[str, str]:
    """Why a notebook does not pass: what kept it from running first, then what it did."""
    errors = [each for each in verdict.findings if each.severity == "error"]
    failed = [cell for cell in verdict.cells if cell.outcome == "failed"]
    if record is None and errors:
        return "lint", _more(errors[0].message, len(errors))
    if record is not None and record.status == "error":
        return record.reason or "infrastructure", record.message or _of_cells(failed)
    if failed:
        raised = any(cell.cause == "error" for cell in failed)
        return "cell-error" if raised else "outputs", _of_cells(failed)
    if errors:
        reason = "evidence" if errors[0].rule == UNPROVEN else errors[0].rule
        return reason, _more(errors[0].message, len(errors))
    return "", ""


def _left_out(verdict: NotebookVerdict, record: RunRecord | None) -> tuple[str, str]:
    """Cells that a notebook kept from running by ending itself: nobody knows whether they hold."""
    unrun = sum(cell.outcome == "not-run" for cell in verdict.cells)
    if record is None or record.reason != "exited-early" or not unrun:
        return "", ""
    return "exited-early", f"the notebook ended itself before {counted(unrun, 'cell')} had run"


def _of_cells(failed: Sequence[CellVerdict]) -> str:
    return _more(f"cell {failed[0].name}: {failed[0].message}", len(failed)) if failed else ""


def _more(first: str, count: int) -> str:
    return first if count == 1 else f"{first} (and {count - 1} more)"
