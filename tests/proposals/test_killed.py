"""Killed anywhere and started again, a command ends as if it had never been killed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from git_repositories import git
from proposals.desks import EDITED, NAME, Desk, start
from proposals.killing import calls_of, killed_at
from proposals.test_loop import on_gitea
from servers.gitea import Gitea

pytestmark = [pytest.mark.kernel, pytest.mark.fault]


def copied(desk: Desk, folder: Path) -> Desk:
    """A desk as it was: the clone, the bare repository, and the runs that are there already."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(desk.folder.parent, folder, symlinks=True)
    git(folder / "work", "remote", "set-url", "origin", str(folder / "origin.git"))
    return Desk(folder / "work", **_variables(desk))


def _variables(desk: Desk) -> dict[str, str]:
    return {name: value for name, value in desk.environ.items() if name.endswith("TOKEN")}


def outcome(desk: Desk) -> Any:
    """What everybody sees of a proposal; times and ids of commits differ."""
    origin = desk.folder.parent / "origin.git"
    shown = desk.forge.proposals("all")
    return {
        "proposals": [
            (each.number, each.title, each.branch, each.state, each.draft) for each in shown
        ],
        "branches": git(origin, "for-each-ref", "--format=%(refname)", "refs/heads").split(),
        "commits": sorted(git(origin, "log", "--format=%s", "--all", "--", NAME).splitlines()),
        "statuses": [
            (status.context, status.state)
            for each in shown
            for status in desk.forge.statuses(each.head)
        ],
        "status": desk.git("status", "--porcelain", "--branch"),
        "leftovers": desk.leftovers(),
    }


@pytest.fixture
def ready(tmp_path: Path) -> Desk:
    """A changed notebook whose runs are there, so that each attempt takes no run of its own."""
    desk = start(tmp_path / "first")
    desk.write(EDITED)
    trial = copied(desk, tmp_path / "trial")
    trial.propose(message="x")
    for kept in (".octavo/runs", ".git/objects"):
        shutil.copytree(trial.folder / kept, desk.folder / kept, dirs_exist_ok=True)
    return desk


def test_propose(ready: Desk, tmp_path: Path) -> None:
    whole = copied(ready, tmp_path / "whole")
    number = calls_of(lambda: whole.propose(message="x"))
    assert number >= 4
    expected = outcome(whole)
    for at in range(number):
        desk = copied(ready, tmp_path / "attempt")
        killed_at(lambda desk=desk: desk.propose(message="x"), at)  # type: ignore[misc]
        desk.propose(message="x")
        assert outcome(desk) == expected, f"killed before call {at} of {number}"


def test_merge(ready: Desk, tmp_path: Path) -> None:
    ready.propose(message="x")
    whole = copied(ready, tmp_path / "whole")
    number = calls_of(lambda: whole.merge(1))
    expected = outcome(whole)
    assert expected["proposals"][0][3] == "merged"
    for at in range(number):
        desk = copied(ready, tmp_path / "attempt")
        killed_at(lambda desk=desk: desk.merge(1), at)  # type: ignore[misc]
        desk.merge(1)
        assert outcome(desk) == expected, f"killed before call {at} of {number}"


def test_propose_on_gitea(gitea: Gitea, tmp_path: Path) -> None:
    """Between any two calls, also those to the server: one branch, one pull request."""
    (tmp_path / "count").mkdir()
    desk, _ = on_gitea(gitea, tmp_path / "count")
    desk.write(EDITED)
    number = calls_of(lambda: desk.propose(message="x"))
    for at in range(number):
        folder = tmp_path / f"at-{at}"
        folder.mkdir()
        one, _ = on_gitea(gitea, folder)
        one.write(EDITED)
        killed_at(lambda one=one: one.propose(message="x"), at)  # type: ignore[misc]
        result = one.propose(message="x")
        [shown] = one.forge.proposals("all")
        assert (shown.state, shown.head) == ("open", result.commit)
        assert one.git("ls-remote", "--heads", "origin").count("agent/") == 1
        assert [each.context for each in one.forge.statuses(result.commit)] == ["octavo/run"]
        assert one.leftovers() == []
