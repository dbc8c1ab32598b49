"""Killed between any two calls of git, and run again: as if it had never been killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forges.local_forges import alone, branch, cut_off, forge_in, proposed, two_clones
from git_repositories import git
from octavo.forges.local import LocalForge
from octavo.git import program
from octavo.git.program import command_of

pytestmark = [pytest.mark.slow, pytest.mark.fault]

#: They leave everything as it was, or write objects that nothing points to yet, so that being
#: killed before or after them is the same.
READERS = {
    "cat-file",
    "check-ref-format",
    "commit-tree",
    "diff",
    "for-each-ref",
    "hash-object",
    "log",
    "ls-remote",
    "ls-tree",
    "merge-base",
    "merge-tree",
    "mktree",
    "rev-list",
    "rev-parse",
    "status",
    "symbolic-ref",
    "var",
    "write-tree",
}


def merge(forge: LocalForge, method: str) -> None:
    opened = forge.proposal(1)
    forge.merge(1, method, opened.head)  # type: ignore[arg-type]


WORK: dict[str, Callable[[LocalForge], object]] = {
    "open": lambda forge: proposed(forge),
    "comment": lambda forge: forge.comment(1, "Why?", path="notes.txt", line=2),
    "update": lambda forge: forge.update(1, title="Another", body="Another body.\n"),
    "merge": lambda forge: merge(forge, "merge"),
    "squash": lambda forge: merge(forge, "squash"),
    "rebase": lambda forge: merge(forge, "rebase"),
    "delete": lambda forge: forge.delete_branch("agent/x"),
    "settle": lambda forge: forge.proposals("all"),
}


def counting(monkeypatch: pytest.MonkeyPatch, at: Callable[[list[str]], None]) -> list[str]:
    """Have `at` called before every call of git, with the commands up to it."""
    commands: list[str] = []
    run = subprocess.run

    def counted(command: list[str], **named: Any) -> Any:
        at(commands)
        commands.append(command_of(tuple(command[1:])))
        return run(command, **named)

    monkeypatch.setattr(program.subprocess, "run", counted)
    return commands


def done_once(top: Path, work: str) -> list[int]:
    """Do some work; the calls of git before which something has been written since the last."""
    with pytest.MonkeyPatch.context() as patch:
        commands = counting(patch, lambda before: None)
        WORK[work](forge_in(top))
    return [n for n, before in enumerate(["start", *commands]) if before not in READERS]


def killed_before(call: int, top: Path, work: str) -> None:
    """Do some work in a process that kills itself before its Nth call of git."""

    def kill(before: list[str]) -> None:
        if len(before) == call:
            os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if child == 0:
        try:
            with pytest.MonkeyPatch.context() as patch:
                counting(patch, kill)
                WORK[work](forge_in(top))
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)


def seen(forge: LocalForge) -> object:
    """What a person sees, but for times and the names of commits that carry one."""
    return [
        (
            each.number,
            each.title,
            each.body,
            each.branch,
            each.state,
            each.head,
            [(said.body, said.path, said.line) for said in forge.comments(each.number)],
            [(given.verdict, given.body) for given in forge.reviews(each.number)],
        )
        for each in forge.proposals("all")
    ]


def tidy(top: Path) -> object:
    """The branches, the checkout and what lies around in `.git`."""
    left = [path.name for path in (top / ".git").rglob("*.lock")]
    left += [path.name for path in (top / ".git").glob("octavo/worktrees/*")]
    log = git(top, "log", "--format=%s %T", "main")
    names = git(top, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/octavo")
    return left, log, names, git(top, "status", "--porcelain")


def after_kills(folder: Path, top: Path, work: str, others: Callable[[Path], object]) -> None:
    """Do some work, killed between its calls of git in turn, and compare with it done once."""
    start = folder / "start"
    shutil.copytree(top.parent, start, symlinks=True)
    calls = done_once(top, work)
    wanted = seen(forge_in(top)), tidy(top), others(top.parent)
    # The last one is behind all calls: nobody is killed there.
    for call in calls[:-1] if calls[-1] else calls:
        shutil.rmtree(top.parent)
        shutil.copytree(start, top.parent, symlinks=True)
        killed_before(call, top, work)
        WORK[work](forge_in(top))
        found = seen(forge_in(top)), tidy(top), others(top.parent)
        assert found == wanted, f"killed before call {call}"
    assert len(calls) > 3


def nothing(folder: Path) -> object:
    return None


def origin(folder: Path) -> object:
    bare = folder / "origin.git"
    names = git(bare, "for-each-ref", "--format=%(refname)")
    bob = forge_in(folder / "bob", "Bob")
    return names, git(bare, "log", "--format=%s %T", "main"), seen(bob)


@pytest.mark.parametrize("work", ["open", "comment", "update"])
def test_alone(tmp_path: Path, work: str) -> None:
    top = alone(tmp_path / "here")
    if work != "open":
        proposed(forge_in(top))
    after_kills(tmp_path, top, work, nothing)


@pytest.mark.parametrize(
    ("work", "checked_out"), [("merge", True), ("squash", False), ("rebase", True)]
)
def test_merging_alone(tmp_path: Path, work: str, checked_out: bool) -> None:
    top = alone(tmp_path / "here")
    branch(top, "main", {"main.txt": "main goes on\n"})
    if not checked_out:
        git(top, "checkout", "--quiet", "--detach")
    proposed(forge_in(top))
    after_kills(tmp_path, top, work, nothing)


@pytest.mark.parametrize("work", ["open", "comment", "merge", "squash", "delete"])
def test_with_a_remote(tmp_path: Path, work: str) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    ada, bob = two_clones(folder)
    for top in (ada, bob):
        git(top, "remote", "set-url", "origin", "../origin.git")
    if work != "open":
        proposed(forge_in(ada))
    after_kills(tmp_path, ada, work, origin)


def test_making_room_for_the_number_of_another(tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    ada, bob = two_clones(folder)
    git(bob, "branch", "agent/bob", "origin/agent/x")
    git(bob, "push", "--quiet", "origin", "agent/bob")
    cut_off(ada)
    proposed(forge_in(ada))
    proposed(forge_in(bob, "Bob"), "agent/bob")
    for top in (ada, bob):
        git(top, "remote", "set-url", "origin", "../origin.git")
    after_kills(tmp_path, ada, "settle", origin)
