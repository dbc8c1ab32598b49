"""The executed notebook at a path that the user names."""

from __future__ import annotations

import os
from pathlib import Path

from octavo.errors import ConflictError, UsageError
from octavo.records.disk import is_full, replacing, storage_error
from octavo.records.record import NOTEBOOK_NAME

_CHUNK = 1024 * 1024


def check_output(output_path: str) -> None:
    """Refuse a path that `publish` could not write, before anything has run."""
    target = Path(output_path).resolve()
    if target.is_dir():
        raise _taken(output_path)
    folder = target.parent
    if folder.exists() and not folder.is_dir():
        raise _unwritable(output_path, f"{folder} is not a folder")
    while not folder.exists():
        folder = folder.parent
    if not os.access(folder, os.W_OK | os.X_OK) or not folder.is_dir():
        raise _unwritable(output_path, f"{folder} cannot be written to")


def publish(run_dir: Path, output_path: str) -> None:
    """Copy a run's notebook to `output_path`, so that a reader sees the old one or the new one.

    Folders on the way are made. A link is followed; a device such as `/dev/null` is written to.
    """
    target = Path(output_path).resolve()
    if target.is_dir():
        raise _taken(output_path)
    try:
        if target.exists() and not target.is_file():
            _copy(run_dir / NOTEBOOK_NAME, os.open(target, os.O_WRONLY | os.O_CLOEXEC))
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as file:
            _copy(run_dir / NOTEBOOK_NAME, os.dup(file.fileno()))
    except OSError as error:
        if is_full(error):
            raise storage_error(error, target) from error
        raise _unwritable(output_path, os.strerror(error.errno or 0).lower()) from error


def _copy(source: Path, target: int) -> None:
    with source.open("rb", buffering=0) as reader, os.fdopen(target, "wb") as writer:
        while chunk := reader.read(_CHUNK):
            writer.write(chunk)


def _taken(output_path: str) -> ConflictError:
    return ConflictError(
        "output-exists",
        "the output path is a folder",
        place=output_path,
        hint="name a file, such as -o result.ipynb",
    )


def _unwritable(output_path: str, why: str) -> UsageError:
    return UsageError(
        "output-unwritable",
        f"the output cannot be written: {why}",
        place=output_path,
        hint="choose another path; the record has the notebook in any case",
    )
