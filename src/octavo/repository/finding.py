"""What a look at a repository or a machine finds."""

from __future__ import annotations

from typing import Any

from octavo.value import Value

OK, ADVICE, PROBLEM = "ok", "advice", "problem"


class Finding(Value):
    """One thing that was looked at. `mend` is the command that puts it right.

    `level`: `ok`; `advice` (works, could be better, or is somebody's choice); `problem`.
    """

    check: str
    level: str
    message: str
    mend: str = ""

    def to_json(self) -> dict[str, Any]:
        return {**self.to_dict(), "mend": self.mend or None}


def ok(check: str, message: str) -> Finding:
    return Finding(check, OK, message)


def advice(check: str, message: str, mend: str = "") -> Finding:
    return Finding(check, ADVICE, message, mend)


def problem(check: str, message: str, mend: str = "") -> Finding:
    return Finding(check, PROBLEM, message, mend)


def some_of(names: list[str], at_most: int = 3) -> str:
    """The first of many names, and how many more there are."""
    shown = ", ".join(names[:at_most])
    return shown if len(names) <= at_most else f"{shown} and {len(names) - at_most} more"
