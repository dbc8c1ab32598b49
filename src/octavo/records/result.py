"""What a run gives back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.errors import NotebookFailed
from octavo.events.types import Reason, RunStatus
from octavo.value import EMPTY, Value


class FailedCell(Value):
    """The cell that ended a run. `index` and `line` are those of the author's file."""

    index: int | None
    source: str
    ename: str
    evalue: str
    traceback: tuple[str, ...]
    line: int | None


class RunResult(Value):
    """How a run ended and where its record is."""

    status: RunStatus
    reason: Reason | None
    duration_seconds: float
    cells_executed: int
    failed_cell: FailedCell | None
    run_id: str
    notebook_path: str
    record_path: str
    scraps: Mapping[str, Any] = EMPTY
    message: str = ""
    value: Any = None
    scraps_schema: Mapping[str, Any] | None = None
    scrap_problems: tuple[Mapping[str, Any], ...] = ()

    @property
    def ok(self) -> bool:
        return self.status == "success"

    def to_json(self) -> dict[str, Any]:
        return self.to_dict()

    def raise_for_status(self) -> RunResult:
        """This result, or NotebookFailed when the run ended in an error."""
        if self.ok:
            return self
        failed = self.failed_cell
        what = f"{failed.ename}: {failed.evalue}" if failed else self.message
        raise NotebookFailed(
            "notebook-failed",
            f"{self.reason}: {what}",
            place=f"cell {failed.index}" if failed else self.notebook_path,
            hint=f"octavo show {self.run_id}",
            details={"run_id": self.run_id, "record_path": self.record_path},
        )
