"""Notes that nobody needs any more: of jobs that ended long ago, of requests, and of owners.

Records are never touched. What goes on is never forgotten, however old its note is.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from octavo.records import owners
from octavo.records.identity import time_of
from octavo.records.journal import JOURNAL_NAME, goes_on
from octavo.records.times import day
from octavo.sessions.jobs.notes import FOLDER, REQUESTS
from octavo.systems import OURS, lock

FORGOTTEN_AFTER = 7 * 86400.0


def forget_old(root: Path) -> None:
    """Take away old notes in the folder of a project's records; what cannot be read stays."""
    with suppress(OSError):
        for path in _old(root / FOLDER / REQUESTS):
            _forget_request(root, path)
        for path in _old(root / FOLDER):
            if path.suffix in (".json", ".cancel") and _is_over(root, path.name.partition(".")[0]):
                path.unlink(missing_ok=True)
        _forget_owners(root)


def _old(folder: Path) -> Iterator[Path]:
    """The files of a folder that nobody has written to for long."""
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        if path.is_file() and _is_old(path):
            yield path


def _is_old(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > FORGOTTEN_AFTER
    except OSError:
        return False


def _is_over(root: Path, run_id: str) -> bool:
    """Whether a run ended long ago, or is not there any more."""
    began = time_of(run_id)
    if began is None:
        return False
    folder = root / "runs" / day(began) / run_id
    journal = folder / JOURNAL_NAME
    return not journal.exists() or (_is_old(journal) and not goes_on(folder))


def _forget_request(root: Path, path: Path) -> None:
    """The id of a request, with the lock that those take who come with the same one."""
    descriptor = os.open(path, os.O_RDWR | OURS)
    try:
        if lock(descriptor) and _all_over(root, os.read(descriptor, 1 << 20)):
            path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _all_over(root: Path, content: bytes) -> bool:
    try:
        ids = json.loads(content or b"[]")
    except ValueError:
        return True
    return isinstance(ids, list) and all(_is_over(root, str(each)) for each in ids)


def _forget_owners(root: Path) -> None:
    """A record keeps its owner for as long as it is there, or others would see it."""
    old = [path for path in _old(root / owners.FOLDER) if not path.name.startswith(".")]
    if not old:
        return
    there = {path.name[-8:] for path in (root / "runs").glob("*/*")}
    for path in old:
        if path.name not in there:
            owners.forget_owner(root, path.name)
