"""Whose a run is: one small file each, beside the records. What has none is the user's own."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from octavo.records.disk import replacing

FOLDER = "owners"
#: The user at this machine, of whom no note is made.
USER = ""
#: Whose a run is that has a note which cannot be read: no identity is called so.
NOBODY = "?"
_LETTERS = 8


def note_owner(root: Path, id: str, owner: str) -> None:
    """Write down whose something is. Done first, so that there is no moment without it."""
    if owner == USER:
        return
    path = _path(root, id)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(owner.encode())


def owner_of(root: Path, id: str) -> str:
    """Whose it is, by the last letters of its id."""
    try:
        return _path(root, id).read_text(encoding="utf-8") or NOBODY
    except (FileNotFoundError, NotADirectoryError):
        return USER
    except (OSError, UnicodeDecodeError):
        return NOBODY


def forget_owner(root: Path, id: str) -> None:
    """Take the note away, and the folder if it was the only one."""
    path = _path(root, id)
    with suppress(OSError):
        path.unlink(missing_ok=True)
        path.parent.rmdir()


def _path(root: Path, id: str) -> Path:
    return root / FOLDER / id[-_LETTERS:]
