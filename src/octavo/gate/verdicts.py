"""What the gate says: of a line, of a cell, of a notebook, and of all of them together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from octavo.value import EMPTY, Value

#: `skipped` was left out on purpose; `not-run` never had its turn.
Outcome = Literal["passed", "failed", "skipped", "not-run"]
Severity = Literal["error", "warning", "note"]

#: Why a cell did not pass. `earlier` is a cell that was not run because of one before it.
Cause = Literal["", "error", "output", "timeout", "died", "limit", "interrupted", "earlier"]


#: The rule of committed outputs that no known run produced.
UNPROVEN = "unproven-output"


class Finding(Value):
    """Something that was seen without running anything. `line` is in the author's file (1-based).

    Only an `error` keeps a notebook from passing.
    """

    rule: str
    severity: Severity
    message: str
    path: str
    line: int | None = None
    cell: int | None = None
    hint: str = ""

    def to_json(self) -> dict[str, Any]:
        return self.to_dict()


class Difference(Value):
    """How an output is not what the reference has. `key` is a MIME type, a stream or a field.

    The texts are bounded and redacted. Of images, `expected_file` and `got_file` are paths.
    """

    key: str
    message: str
    expected: str | None = None
    got: str | None = None
    expected_file: str | None = None
    got_file: str | None = None

    def to_json(self) -> dict[str, Any]:
        return self.to_dict()


class CellVerdict(Value):
    """A code cell. `index` counts all cells of the author's notebook, `number` only the code.

    `name` is how the author can address it, `line` where its source begins in the file, and
    `failed_line` the line of the file that raised.
    """

    index: int
    number: int
    name: str
    line: int
    outcome: Outcome
    cause: Cause = ""
    message: str = ""
    failed_line: int | None = None
    traceback: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    duration_seconds: float | None = None

    def to_json(self) -> dict[str, Any]:
        plain = self.to_dict()
        plain["differences"] = [each.to_json() for each in self.differences]
        return plain


class NotebookVerdict(Value):
    """A notebook with one set of values; `values` is the name of the set, empty for the only one.

    `path` is relative to the project. `reason` is that of the run, or `lint`, `outputs` or
    `evidence`, or the kind of the error that kept it from running. A verdict that was `reused`
    rests on the run `run_id` of an earlier check. `updated` are the cells whose reference was
    accepted anew.
    """

    path: str
    values: str
    outcome: Outcome
    reason: str = ""
    message: str = ""
    hint: str = ""
    parameters: Mapping[str, Any] = EMPTY
    cells: tuple[CellVerdict, ...] = ()
    findings: tuple[Finding, ...] = ()
    run_id: str | None = None
    reused: bool = False
    duration_seconds: float | None = None
    scraps: Mapping[str, Any] = EMPTY
    updated: tuple[int, ...] = ()

    @property
    def label(self) -> str:
        """The notebook and its set of values, as a reader names them."""
        return f"{self.path} [{self.values}]" if self.values else self.path

    @property
    def ok(self) -> bool:
        return self.outcome in ("passed", "skipped")

    def to_json(self) -> dict[str, Any]:
        plain = self.to_dict()
        plain["cells"] = [each.to_json() for each in self.cells]
        plain["findings"] = [each.to_json() for each in self.findings]
        plain["parameters"], plain["scraps"] = dict(self.parameters), dict(self.scraps)
        return plain


class CheckReport(Value):
    """All verdicts of a check, in the order of the paths.

    `since` is the revision that changes were counted from, `base` the commit it stands for;
    `unaffected` are the notebooks that were left out because nothing of theirs changed.
    """

    verdicts: tuple[NotebookVerdict, ...]
    mode: Literal["lax", "strict"] = "lax"
    since: str | None = None
    base: str | None = None
    unaffected: tuple[str, ...] = ()
    duration_seconds: float = 0.0
    #: The coverage of the project's own code in percent, when it was asked for.
    coverage: float | None = None

    @property
    def passed(self) -> bool:
        return all(each.ok for each in self.verdicts)

    @property
    def exit_code(self) -> int:
        """As for `run`: the gravest of interrupted, infrastructure, failed."""
        reasons = {each.reason for each in self.verdicts if not each.ok}
        if "interrupted" in reasons:
            return 130
        if "infrastructure" in reasons:
            return 3
        return 1 if reasons else 0

    def to_json(self) -> dict[str, Any]:
        plain = self.to_dict()
        plain["verdicts"] = [each.to_json() for each in self.verdicts]
        return {"passed": self.passed, **plain}
