"""Writing notebook files: whole or not at all, and never over an edit that was not seen."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from octavo.errors import ConflictError, OctavoError, StorageError, UsageError
from octavo.records.disk import is_full, replacing


class ChangedMeanwhile(ConflictError):
    """Somebody wrote the file between our reading and our writing."""


def replace_file(path: Path, content: bytes, expected: bytes | None = None) -> None:
    """Put content at a path; a link is followed and permissions stay.

    With `expected`, only if the file still holds that. A device or a pipe is written to: in its
    place a file would take it away from everybody.
    """
    target = Path(os.path.realpath(path))
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_bytes(content)
            return
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
        with replacing(target) as file:
            file.write(content)
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.flush()
            if expected is not None and (not target.exists() or target.read_bytes() != expected):
                raise ChangedMeanwhile(
                    "conflict",
                    "the file was changed while it was being synced",
                    place=str(path),
                    hint="run the command again",
                )
    except OSError as error:
        raise unwritable(error, path) from error


def unwritable(error: OSError, path: Path) -> OctavoError:
    """What a failed write of a notebook means to a user."""
    why = os.strerror(error.errno).lower() if error.errno else str(error)
    if is_full(error):
        hint = "free some space; the file is as it was"
        return StorageError("disk-full", f"cannot write: {why}", place=str(path), hint=hint)
    hint = "check that the folder exists and that you may write to it"
    return UsageError("output-unwritable", f"cannot write: {why}", place=str(path), hint=hint)
