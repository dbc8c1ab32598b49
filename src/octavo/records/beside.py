"""Files of a record beside its journal: outputs that were too long, and images for answers."""

from __future__ import annotations

import os
from pathlib import Path


def read_spilled(run_dir: Path, file: str, start: int, end: int) -> bytes:
    """What an output that was too long left in a file of the record; nothing where it is gone."""
    path = run_dir / file
    if path.parent != run_dir / "files":
        return b""
    try:
        with path.open("rb") as spilled:
            spilled.seek(start)
            return spilled.read(end - start)
    except OSError:
        return b""


def keep_image(run_dir: Path, cell: int, index: int, mime: str, content: bytes) -> str | None:
    """Put an image into a file of the record; its path within the project."""
    suffix = mime.partition("/")[2].partition("+")[0] or "bin"
    path = run_dir / "images" / f"{cell}-{index}.{suffix}"
    try:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    except OSError:
        return None
    return os.path.relpath(path, run_dir.parents[3])
