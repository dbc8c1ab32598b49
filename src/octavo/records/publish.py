"""Notebooks at a path that the user names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from octavo.errors import ConflictError, OctavoError, StorageError, UsageError
from octavo.records.disk import is_full, replacing
from octavo.records.record import NOTEBOOK_NAME

_CHUNK = 1024 * 1024


def check_output(output_path: str) -> None:
    """Refuse a path that `publish` could not write, before anything has run."""
    try:
        _check(output_path)
    except (OSError, ValueError, RuntimeError) as error:
        # A name that no file can have: too long, with a zero byte, a link to itself.
        raise _unwritable(output_path, _reason(error)) from error


def _reason(error: Exception) -> str:
    number = getattr(error, "errno", None)
    return os.strerror(number).lower() if number else str(error).lower()


def _check(output_path: str) -> None:
    target = Path(output_path).resolve()
    target.exists()
    if target.is_dir():
        raise _taken(output_path)
    if target.is_symlink():  # all others have been followed
        raise _unwritable(output_path, f"{target} is a link to itself")
    folder = target.parent
    if folder.exists() and not folder.is_dir():
        raise _unwritable(output_path, f"{folder} is not a folder")
    while not os.path.lexists(folder):
        folder = folder.parent
    if not os.access(folder, os.W_OK | os.X_OK) or not folder.is_dir():
        raise _unwritable(output_path, f"{folder} cannot be written to")


def publish(run_dir: Path, output_path: str) -> None:
    """Copy a run's notebook to `output_path`, so that a reader sees the old one or the new one.

    Folders on the way are made. A link is followed; a device such as `/dev/null` is written to.
    """
    with writing_output(output_path) as writer, (run_dir / NOTEBOOK_NAME).open("rb") as reader:
        while chunk := reader.read(_CHUNK):
            writer.write(chunk)


def write_output(output_path: str, content: bytes) -> None:
    """Put content where a user wants it, as `publish` does with a run's notebook."""
    with writing_output(output_path) as writer:
        writer.write(content)


@contextmanager
def writing_output(output_path: str) -> Iterator[BinaryIO]:
    """A file that takes the place of what is there when the block ends."""
    target = Path(output_path).resolve()
    if target.is_dir():
        raise _taken(output_path)
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as device:
                yield device
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as file:
            yield file
    except OSError as error:
        raise _failed(output_path, error) from error


def _taken(output_path: str) -> ConflictError:
    return ConflictError(
        "output-exists",
        "the output path is a folder",
        place=output_path,
        hint="name a file, such as -o result.ipynb",
    )


def _failed(output_path: str, error: OSError) -> OctavoError:
    why = os.strerror(error.errno or 0).lower()
    if not is_full(error):
        return _unwritable(output_path, why)
    return StorageError(
        "disk-full",
        f"the output cannot be written: {why}",
        place=output_path,
        hint="free some space there, or choose another path",
    )


def _unwritable(output_path: str, why: str) -> UsageError:
    return UsageError(
        "output-unwritable",
        f"the output cannot be written: {why}",
        place=output_path,
        hint="choose another path",
    )
