"""The small steps by their names, from Python and on the command line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import octavo
from git_repositories import git
from proposals.desks import EDITED, NAME, Desk, start

pytestmark = pytest.mark.kernel


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    made = start(tmp_path)
    monkeypatch.chdir(made.folder)
    for name in os.environ:
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    for name, value in made.environ.items():
        monkeypatch.setenv(name, value)
    yield made


def test_from_python(desk: Desk, tmp_path: Path) -> None:
    path = octavo.notebook_create("Check the disks")
    assert path.endswith(".py") and os.path.exists(path)
    octavo.notebook_edit(path, -1, "disks = 3\ndisks")
    ran = octavo.notebook_execute(path, {})
    assert ran.result.ok and os.path.exists(ran.output_path)
    assert ran.to_json()["status"] == "success"
    done = octavo.notebook_commit(path, "Check the disks")
    assert (done.branch, done.pushed) == ("agent/check-the-disks", True)
    assert desk.git("branch", "--show-current") == "main"
    assert git(tmp_path / "origin.git", "rev-parse", done.branch) == done.commit
    assert set(done.files) == {
        os.path.relpath(path, desk.folder),
        os.path.relpath(path, desk.folder).replace(".py", ".ipynb"),
    }
    opened = octavo.notebook_pr(done.branch, "Check the disks", "As asked for in #155")
    assert opened.number == 1 and opened.url
    shown = desk.forge.proposal(1)
    assert (shown.title, shown.body.strip()) == ("Check the disks", "As asked for in #155")
    assert octavo.notebook_pr(done.branch, "Check all disks").number == 1
    assert desk.forge.proposal(1).title == "Check all disks"


def test_a_notebook_that_fails_is_a_result(desk: Desk) -> None:
    desk.write("# %%\n1 / 0\n", "fails.py")
    ran = octavo.notebook_execute("fails.py")
    assert ran.result.status == "error" and os.path.exists(ran.output_path)


def test_the_exit_code_says_what_it_was(desk: Desk) -> None:
    ran = octavo.notebook_execute(NAME)
    for reason, code in (("interrupted", 130), ("infrastructure", 3), ("error", 1)):
        ended = ran.result.replace(status="error", reason=reason)
        assert ran.replace(result=ended).exit_code == code
    assert ran.exit_code == 0


def test_parameters_are_values(desk: Desk) -> None:
    ran = octavo.notebook_execute(NAME, {"hosts": 50})
    assert ran.result.scraps == {"health_score": 0.98}


def test_on_the_command_line(desk: Desk) -> None:
    desk.write(EDITED)
    assert desk.octavo("notebook_execute", NAME, "-p", "hosts", "40")["status"] == "success"
    first = desk.octavo("notebook_commit", NAME, "Count better")
    assert (first["branch"], first["changed"]) == ("agent/health", True)
    assert desk.octavo("notebook-commit", NAME, "Count better")["changed"] is False
    opened = desk.octavo("notebook_pr", "agent/health", "Count better", "why")
    assert (opened["number"], opened["title"]) == (1, "Count better")


def test_on_a_branch_of_ones_own_it_is_committed_there(desk: Desk) -> None:
    desk.git("checkout", "--quiet", "-b", "feature")
    desk.write(EDITED)
    done = octavo.notebook_commit(NAME, "Count better")
    assert (done.branch, done.commit) == ("feature", desk.git("rev-parse", "HEAD"))
    assert desk.git("status", "--porcelain") == ""
