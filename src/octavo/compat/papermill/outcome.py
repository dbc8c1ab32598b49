"""How a run ended, in the words of Papermill's users."""

from __future__ import annotations

from octavo.compat.papermill.exceptions import CellTimeoutError, DeadKernelError, made
from octavo.errors import KernelFailure
from octavo.records.result import RunResult

_TIMEOUTS = ("cell-timeout", "run-timeout", "silence-timeout")
_DEATHS = ("kernel-died", "out-of-memory", "limit-exceeded")


def raise_unless_cells_ran(result: RunResult) -> None:
    """Raise where something else than a cell's own code ended a run."""
    if result.reason in _TIMEOUTS:
        raise made(CellTimeoutError, _with_cell(result))
    if result.reason in _DEATHS:
        raise made(DeadKernelError, _with_cell(result))
    if result.reason == "infrastructure":
        raise KernelFailure(
            "kernel-start", result.message, place=result.record_path, hint="the record tells more"
        )
    if result.reason == "interrupted":
        raise KeyboardInterrupt(result.message)


def _with_cell(result: RunResult) -> str:
    failed = result.failed_cell
    source = f"\n\nin the cell:\n{failed.source}" if failed is not None else ""
    return f"{result.message or result.reason}{source}"
