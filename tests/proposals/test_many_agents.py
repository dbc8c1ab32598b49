"""Eight agents propose at once in one clone, and none disturbs another."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from git_repositories import git
from proposals.desks import EDITED, NOTEBOOK, start

pytestmark = pytest.mark.kernel

AGENTS = 8


def test_eight_agents_in_one_clone(tmp_path: Path) -> None:
    desk = start(tmp_path, {f"notebooks/n{n}.py": NOTEBOOK for n in range(AGENTS)})
    for n in range(AGENTS):
        desk.write(EDITED.replace("20", str(20 + n)), f"notebooks/n{n}.py")
    desk.write("a person's work\n", "draft.txt")
    desk.git("add", "draft.txt")
    head, status = desk.git("rev-parse", "HEAD"), desk.git("diff", "--cached")
    agents = [
        subprocess.Popen(
            [sys.executable, "-m", "octavo", "propose", f"notebooks/n{n}.py", "-m", f"n{n}"],
            cwd=desk.folder,
            env={**desk.environ, "OCTAVO_NO_RESIDENT": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for n in range(AGENTS)
    ]
    said = [agent.communicate()[0] for agent in agents]
    assert [agent.returncode for agent in agents] == [0] * AGENTS, "\n".join(said)
    shown = desk.forge.proposals()
    assert sorted(each.number for each in shown) == list(range(1, AGENTS + 1))
    assert {each.branch for each in shown} == {f"agent/n{n}" for n in range(AGENTS)}
    for n in range(AGENTS):
        name = f"notebooks/n{n}.py"
        changed = desk.git("diff", "--name-only", "main", f"agent/n{n}").split()
        assert changed == [name.replace(".py", ".ipynb"), name]
        there = git(tmp_path / "origin.git", "show", f"agent/n{n}:{name}")
        assert there == EDITED.replace("20", str(20 + n)).rstrip("\n")
    assert (desk.git("rev-parse", "HEAD"), desk.git("diff", "--cached")) == (head, status)
    assert desk.git("branch", "--show-current") == "main"
    assert desk.leftovers() == []
