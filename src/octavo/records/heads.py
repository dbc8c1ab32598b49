"""The beginning of `record.json`: what a list of runs shows, without reading what is long."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from octavo.records.record import RECORD_NAME

#: The first of the long keys, as `dump_record` spells it. Within a string a line cannot begin.
_END = b'\n "packages":'
_PIECE = 16 * 1024


def read_head(run_dir: Path) -> dict[str, Any] | None:
    """The keys before `packages` and `cells`; None where the file is not one that we wrote."""
    try:
        head = _until_end(run_dir / RECORD_NAME)
        plain = json.loads(head) if head else None
    except (OSError, ValueError):
        return None
    return plain if isinstance(plain, dict) else None


def _until_end(path: Path) -> bytes:
    content, looked = b"", 0
    with path.open("rb", buffering=0) as file:
        while more := file.read(_PIECE):
            content += more
            end = content.find(_END, looked)
            if end >= 0:
                return content[:end].rstrip().removesuffix(b",") + b"}"
            looked = max(0, len(content) - len(_END))
    return b""
