"""The runs of a check, from the report that `octavo check --report` wrote."""

from __future__ import annotations

import json
import os
from typing import Any

from octavo.errors import UsageError


def checked_runs(path: str, cwd: str) -> list[str]:
    """The ids of the runs that a check made itself, each once, in its order."""
    try:
        with open(os.path.join(cwd, path), encoding="utf-8") as file:
            verdicts: list[dict[str, Any]] = json.load(file)["verdicts"]
        made = [each["run_id"] for each in verdicts if each["run_id"] and not each["reused"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            "wrong-argument",
            f"is not a report of a check: {error}",
            place=path,
            hint="octavo check --report check.json writes one",
        ) from error
    return list(dict.fromkeys(map(str, made)))
