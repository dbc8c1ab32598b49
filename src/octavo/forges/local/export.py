"""A proposal as files that an editor or a browser shows: its body with the figures beside it."""

from __future__ import annotations

import os
from pathlib import Path

from octavo.errors import UsageError
from octavo.forges.local import chains, store
from octavo.forges.local.store import Kept
from octavo.git.program import Git

#: Larger figures are left out; what we attach is smaller.
_LARGEST = 64 * 1024 * 1024


def write_export(git: Git, kept: Kept, folder: Path) -> Path:
    """Write `body.md` and `files/` into a folder; the path of the body.

    The names of figures are plain: letters, digits, dots and dashes, no folders.
    """
    title = f"# {kept.document['title']}\n\n"
    body = folder / store.BODY
    figures = {path: blob for path, blob in kept.entries.items() if path.startswith("files/")}
    try:
        (folder / "files").mkdir(parents=True, exist_ok=True)
        for path, blob in figures.items():
            for content in chains.contents_of(git, [blob], _LARGEST).values():
                _write(folder / path, content)
        _write(body, (title + store.body_of(git, kept)).encode())
    except OSError as error:
        raise UsageError(
            "output-unwritable",
            f"the proposal cannot be written there: {error.strerror}",
            place=str(folder),
            hint="name a folder that can be written to",
        ) from error
    return body


def _write(path: Path, content: bytes) -> None:
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.write_bytes(content)
    partial.replace(path)
