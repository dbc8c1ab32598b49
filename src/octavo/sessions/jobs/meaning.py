"""What the author of a failing cell may have meant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from octavo.notebook.names.near import near_names
from octavo.records.outline import outline_of
from octavo.records.run_dir import RunDir

_MISSING = re.compile(r"name '(\w+)' is not defined")


def meant(run: RunDir, failed: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the cells before a failing one that look like the name which it misses."""
    missing = _MISSING.match(str(failed.get("evalue") or ""))
    started = outline_of(run.journal_path).run.started
    if missing is None or started is None or failed.get("ename") != "NameError":
        return ()
    before = []
    for cell in started.cells:
        if cell.source == failed.get("source") and cell.origin == failed.get("index"):
            break
        if cell.kind == "code":
            before.append(cell.source)
    return near_names(missing[1], before)
