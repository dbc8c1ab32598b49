"""Putting a new file where none is: whole or not at all, and over nothing."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, count
from pathlib import Path

from octavo.authoring.files import unwritable
from octavo.authoring.pairs import SUFFIXES
from octavo.errors import ConflictError
from octavo.notebook.formats import ipynb
from octavo.systems import OURS


def new_file(folder: Path, stem: str, suffix: str, text: str, *, named: bool) -> Path:
    """Write a new file. A name that nobody asked for gets a number when it is taken, also by the
    other half of a pair.
    """
    first = folder / f"{stem}{suffix}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        temporary = _written(folder, ipynb.encode(text))
    except OSError as error:
        raise unwritable(error, first) from error
    try:
        for name in [stem] if named else _names(stem):
            path = folder / f"{name}{suffix}"
            if (named or not _is_taken(folder / name)) and _placed(temporary, path):
                return path
        raise _exists(first)
    except OSError as error:
        raise unwritable(error, first) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def _names(stem: str) -> Iterator[str]:
    return chain([stem], (f"{stem}-{number}" for number in count(2)))


def _is_taken(path: Path) -> bool:
    return any(os.path.lexists(f"{path}{suffix}") for suffix in SUFFIXES)


def _written(folder: Path, content: bytes) -> Path:
    path = folder / f".new-{os.getpid()}-{os.urandom(4).hex()}.tmp"
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | OURS, 0o666)
    with os.fdopen(fd, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(fd)
    return path


def _placed(temporary: Path, path: Path) -> bool:
    """Give the file its name; False when the name is taken, as only linking can tell for sure."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS):
            raise
        if os.path.lexists(path):
            return False
        temporary.replace(path)
    return True


def _exists(path: Path) -> ConflictError:
    hint = "choose another name; `octavo edit` changes cells of a notebook that is there"
    return ConflictError("output-exists", "there is a file already", place=str(path), hint=hint)
