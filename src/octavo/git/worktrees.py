"""Checkouts for a while, beside the one that a person works in.

They lie in `.git/octavo/worktrees`, each with a lock that its process holds. Whoever makes one
first removes those whose process is gone, so that a killed command leaves nothing behind.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from octavo.git.repository import Repository
from octavo.systems import OURS, lock

_FOLDER = "octavo/worktrees"
_LOCK = "lock"
#: Held while worktrees are added and removed: git's own list of them has no lock.
_TURN = "turn"


def checkouts(repository: Repository) -> Path:
    """The folder that they lie in."""
    return repository.folder / _FOLDER


def checked_out(repository: Repository) -> Iterator[tuple[Path, str]]:
    """The folder of every checkout, and the ref of the branch that is checked out there, or ""."""
    code, listed, _ = repository.git.call("worktree", "list", "--porcelain", "-z")
    if code != 0:  # before git 2.36
        listed = repository.git.run("worktree", "list", "--porcelain").replace(b"\n", b"\0")
    for record in listed.decode("utf-8", "surrogateescape").split("\0\0"):
        facts = dict(line.partition(" ")[::2] for line in record.strip("\0").split("\0"))
        if "worktree" in facts and "bare" not in facts:
            yield Path(facts["worktree"]), facts.get("branch", "")


@contextmanager
def worktree(repository: Repository, commit: str) -> Iterator[Path]:
    """The files of a commit in a folder of their own, until the end of the block."""
    home = checkouts(repository)
    home.mkdir(parents=True, exist_ok=True)
    place = home / uuid4().hex[:12]
    with _turn(home):
        _remove_abandoned(repository, home)
        place.mkdir()
        held = _hold(place)
        try:
            files = place / repository.top.name
            add = ("worktree", "add", "--detach", "--quiet", str(files), commit)
            repository.git.run("-c", f"core.hooksPath={os.devnull}", *add)
        except BaseException:
            os.close(held)
            _remove(repository, place)
            raise
    try:
        yield files
    finally:
        with _turn(home):
            os.close(held)
            _remove(repository, place)


def remove_abandoned(repository: Repository) -> None:
    """Remove checkouts whose process was killed."""
    home = checkouts(repository)
    if home.is_dir():
        with _turn(home):
            _remove_abandoned(repository, home)


def abandoned(repository: Repository) -> list[Path]:
    """Checkouts whose process was killed, and which nobody has removed yet."""
    home = checkouts(repository)
    if not home.is_dir():
        return []
    return [place for place in home.iterdir() if place.is_dir() and not _is_held(place)]


@contextmanager
def _turn(home: Path) -> Iterator[None]:
    held = os.open(home / _TURN, os.O_CREAT | os.O_RDWR | OURS, 0o600)
    try:
        lock(held, wait=True)
        yield
    finally:
        os.close(held)


def _hold(place: Path) -> int:
    held = os.open(place / _LOCK, os.O_CREAT | os.O_RDWR | OURS, 0o600)
    lock(held)
    return held


def _remove_abandoned(repository: Repository, home: Path) -> None:
    for place in home.iterdir():
        if place.is_dir() and not _is_held(place):
            _remove(repository, place)


def _is_held(place: Path) -> bool:
    try:
        seen = os.open(place / _LOCK, os.O_RDWR | OURS)
    except OSError:
        return False
    try:
        return not lock(seen)
    finally:
        os.close(seen)


def _remove(repository: Repository, place: Path) -> None:
    with suppress(OSError):
        for files in place.iterdir():
            if files.is_dir():
                repository.git.call("worktree", "remove", "--force", "--force", str(files))
    shutil.rmtree(place, ignore_errors=True)
    repository.git.call("worktree", "prune")
