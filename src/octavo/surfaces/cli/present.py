"""Results and errors for people."""

from __future__ import annotations

import json
import sys
from typing import Any

from octavo.errors import OctavoError


class SilentView:
    """Shows nothing while an operation works."""

    def show(self, event: Any) -> None:
        pass

    def close(self) -> None:
        pass


def view(name: str, namespace: Any) -> SilentView:
    return SilentView()


def result(name: str, value: Any) -> None:
    sys.stdout.write(json.dumps(value.to_json(), indent=2, default=str) + "\n")


def error(problem: OctavoError, as_json: bool) -> None:
    """The error on standard error; as JSON on standard output where that was asked for."""
    if as_json:
        sys.stdout.write(json.dumps({"error": problem.to_json()}, default=str) + "\n")
        return
    place = f"{problem.place}: " if problem.place else ""
    sys.stderr.write(f"octavo: {place}{problem.message}\n")
    if problem.hint:
        sys.stderr.write(f"  hint: {problem.hint}\n")
