"""Many processes at once: in one clone, and in several."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from forges.local_forges import alone, branch, cut_off, environ, forge_in, reconnect, two_clones
from git_repositories import git

COUNT = 8
#: Waits until its standard input is closed, so that all begin together.
OPEN = """
import sys
from octavo.forges.local import LocalForge
from octavo.git.remotes import remote_of
from octavo.git.repository import Repository
import os
repository = Repository.around(sys.argv[1], os.environ)
forge = LocalForge(repository, remote_of(repository.git))
print(flush=True)
sys.stdin.read()
if sys.argv[2] == "open":
    print(forge.open(sys.argv[3], "main", sys.argv[3], "", draft=False).number)
else:
    print(forge.comment(1, sys.argv[3]).id)
"""


def at_once(commands: Sequence[tuple[Path, str, str]]) -> list[str]:
    """What processes print that begin at the same moment."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, str(top), *words],
            env=environ("Ada"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for top, *words in commands
    ]
    for process in started:
        assert process.stdout is not None
        process.stdout.readline()
    for process in started:
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
    printed = []
    for process in started:
        out, err = process.communicate(timeout=240)
        assert process.returncode == 0, err
        printed.append(out.strip())
    return printed


def branches(top: Path) -> list[str]:
    names = [f"agent/{n}" for n in range(COUNT)]
    for name in names:
        git(top, "branch", name, "agent/x")
    return names


@pytest.mark.slow
@pytest.mark.parametrize("shared", [False, True])
def test_eight_who_open_at_once_get_eight_numbers(tmp_path: Path, shared: bool) -> None:
    top = two_clones(tmp_path)[0] if shared else alone(tmp_path)
    names = branches(top)
    if shared:
        git(top, "push", "--quiet", "origin", *names)
    numbers = at_once([(top, "open", name) for name in names])
    assert sorted(map(int, numbers)) == list(range(1, COUNT + 1))
    found = {each.branch: str(each.number) for each in forge_in(top).proposals()}
    assert found == dict(zip(names, numbers, strict=True))


@pytest.mark.slow
def test_eight_who_open_one_branch_get_one_proposal(tmp_path: Path) -> None:
    top = alone(tmp_path)
    assert set(at_once([(top, "open", "agent/x")] * COUNT)) == {"1"}
    assert len(forge_in(top).proposals("all")) == 1


@pytest.mark.slow
def test_clones_that_open_at_once_get_different_numbers(tmp_path: Path) -> None:
    ada, bob = two_clones(tmp_path)
    names = branches(ada)
    git(ada, "push", "--quiet", "origin", *names)
    tops = [ada, bob] * (COUNT // 2)
    numbers = at_once([(top, "open", name) for top, name in zip(tops, names, strict=True)])
    assert sorted(map(int, numbers)) == list(range(1, COUNT + 1))
    found = {each.branch: str(each.number) for each in forge_in(bob).proposals()}
    assert found == dict(zip(names, numbers, strict=True))


@pytest.mark.slow
def test_comments_of_many_at_once_are_all_there(tmp_path: Path) -> None:
    ada, bob = two_clones(tmp_path)
    forge_in(ada).open("agent/x", "main", "T", "", draft=False)
    words = [f"comment {n}" for n in range(COUNT)]
    tops = [ada, bob] * (COUNT // 2)
    at_once([(top, "comment", word) for top, word in zip(tops, words, strict=True)])
    for top in (ada, bob):
        assert sorted(each.body for each in forge_in(top).comments(1)) == words


@pytest.mark.slow
def test_many_offline_proposals_find_their_numbers(tmp_path: Path) -> None:
    ada, bob = two_clones(tmp_path)
    for top, who in ((ada, "ada"), (bob, "bob")):
        for n in range(3):
            branch(top, f"agent/{who}-{n}", {f"{who}-{n}.txt": "x\n"})
            git(top, "push", "--quiet", "origin", f"agent/{who}-{n}")
    for top in (ada, bob):
        cut_off(top)
    for top, who in ((ada, "ada"), (bob, "bob")):
        for n in range(3):
            forge_in(top).open(f"agent/{who}-{n}", "main", f"{who} {n}", "", draft=False)
    for top in (ada, bob):
        reconnect(top)
    for top in (ada, bob, ada):
        found = forge_in(top).proposals("all")
    assert len({each.number for each in found}) == 6
    assert {each.title for each in found} == {f"{w} {n}" for w in ("ada", "bob") for n in range(3)}
    assert forge_in(bob).proposals("all") == found
