"""Which run a person means by a word."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from octavo.errors import UsageError
from octavo.records.journal import JOURNAL_NAME
from octavo.records.run_dir import RunDir


def back_from_last(name: str) -> int | None:
    """How many runs before the newest: 0 for `last`, 2 for `last~2`, None for other names."""
    first, tilde, back = name.partition("~")
    if first != "last" or (tilde and not (back.isascii() and back.isdecimal())):
        return None
    return min(int(back), sys.maxsize - 1) if tilde else 0


def named(run_id: str, name: str) -> bool:
    """Ids of one minute begin alike and end differently, so either end will do."""
    return len(name) >= 4 and (run_id.startswith(name) or run_id.endswith(name))


def at_path(name: str) -> list[RunDir]:
    """The run whose folder, or a file in it, is named."""
    path = Path(name)
    for folder in (path, path.parent):
        if os.path.isfile(folder / JOURNAL_NAME):
            return [RunDir(folder)]
    return []


def not_found(name: str, matches: list[RunDir], runs: list[RunDir]) -> UsageError:
    """Why a word means no run, or several."""
    if matches:
        listed = ", ".join(each.run_id for each in matches[:5])
        more = f" and {len(matches) - 5} more" if len(matches) > 5 else ""
        return UsageError(
            "run-not-found",
            f"{name!r} matches {len(matches)} runs: {listed}{more}",
            hint="give more of the id; its end differs soonest",
        )
    if not runs:
        return UsageError("run-not-found", "there are no runs yet", hint="octavo run notebook.py")
    if back_from_last(name) is not None:
        count = "is only one run" if len(runs) == 1 else f"are only {len(runs)} runs"
        return UsageError("run-not-found", f"{name}: there {count}", hint="octavo runs")
    return UsageError("run-not-found", f"no run matches {name!r}", hint="octavo runs")
