"""Scraps that were too large for the notebook: they lie in a file of the record."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from octavo.records.decoding import unreadable
from octavo.records.scraps import Glued, ScrapFold

_FILE = re.compile(r"files/cell-\d+-displays\.jsonl")


def spilled_payload(glued: Glued, notebook: str) -> Any:
    """The payload of a scrap that only left a note in the notebook; from the files beside it."""
    file, line = str(glued.told.get("file")), glued.told.get("line")
    found = None
    if _FILE.fullmatch(file) and isinstance(line, int):
        found = _line(Path(notebook).parent / file, line)
    if found is None or glued.name not in found.scraps:
        raise unreadable(
            glued.name,
            f"it is larger than the cap on output, and {file} is not beside the notebook",
            notebook,
            "read the run itself (its id), or run the notebook again with a larger --output-cap",
        )
    return found.scraps[glued.name].payload


def _line(path: Path, number: int) -> ScrapFold | None:
    try:
        with path.open("rb") as file:
            raw = next((text for at, text in enumerate(file, 1) if at == number), b"")
        bundle = json.loads(raw)
    except (OSError, ValueError, RecursionError):
        return None
    fold = ScrapFold()
    if isinstance(bundle, dict):
        fold.take(bundle.get("data"), bundle.get("metadata"))
    return fold
