"""Killed anywhere and started again, archiving ends as if it had never been killed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from archive.desks import archived, made_run, start
from archive.test_sharing import on_remote, second, there
from git_repositories import git
from proposals.desks import Desk
from proposals.killing import calls_of, killed_at

pytestmark = pytest.mark.fault


def copied(desk: Desk, folder: Path) -> Desk:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(desk.folder.parent, folder, symlinks=True)
    git(folder / "work", "remote", "set-url", "origin", str(folder / "origin.git"))
    return Desk(folder / "work")


def outcome(desk: Desk) -> Any:
    """What everybody sees; the ids and times of commits differ."""
    return {
        "here": there(desk.folder),
        "there": on_remote(desk),
        "same": desk.git("rev-parse", "reports") == desk.git("rev-parse", "refs/test/reports"),
        "tree": desk.git("rev-parse", "reports^{tree}"),
        "status": desk.git("status", "--porcelain", "--branch"),
        "leftovers": [name for name in desk.leftovers() if not name.endswith("archive.lock")],
    }


def every_point(desk: Desk, folder: Path, *runs: str, **asked: Any) -> int:
    """Kill the command before every call that changes something, and do it again."""
    whole = copied(desk, folder / "whole")
    number = calls_of(lambda: archived(whole, *runs, push=True, **asked))
    expected = outcome(whole)
    assert expected["same"]
    for at in range(number):
        one = copied(desk, folder / "attempt")
        killed_at(lambda one=one: archived(one, *runs, push=True, **asked), at)  # type: ignore[misc]
        archived(one, *runs, push=True, **asked)
        assert outcome(one) == expected, f"killed before call {at} of {number}"
    return number


def test_the_first_one(tmp_path: Path) -> None:
    desk = start(tmp_path / "first")
    assert every_point(desk, tmp_path, made_run(desk)) >= 3


def test_on_top_of_what_others_pushed(tmp_path: Path) -> None:
    desk = start(tmp_path / "first")
    archived(desk, made_run(desk), push=True)
    archived(desk, made_run(desk))
    other = second(desk)
    archived(other, made_run(other), push=True)
    shutil.rmtree(other.folder)
    assert every_point(desk, tmp_path, made_run(desk)) >= 5


def test_pruning(tmp_path: Path) -> None:
    desk = start(tmp_path / "first")
    archived(desk, *(made_run(desk) for _ in range(4)), push=True)
    assert every_point(desk, tmp_path, prune=True, keep=1, yes=True) >= 3
