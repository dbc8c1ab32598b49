"""GitHub's workflow, run by the real act on this machine, against GitHub's API on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ci.projects import BROKEN, GOOD, NAME, OTHER, edit, push
from forges.github_bench import GitHubBench, github
from proposals.desks import Desk
from servers import act as real

pytestmark = [pytest.mark.kernel, pytest.mark.slow, pytest.mark.network]


class Project:
    """A clone on the GitHub of the tests, and act to run its workflow."""

    def __init__(self, bench: GitHubBench, folder: Path, variables: dict[str, str]) -> None:
        self.bench, self.folder, self.variables = bench, folder, variables
        clone = bench.server.clone(bench.hosted, bench.ada, folder / "project")
        self.desk = Desk(clone, "ada", GH_TOKEN=bench.ada.token)
        self.desk.octavo("init", "--ci")
        (clone / "octavo.toml").write_text('notebooks = ["notebooks"]\nforge = "github"\n')
        self.desk.write(GOOD, NAME)
        self.desk.write(OTHER, "notebooks/other.py")
        self.desk.octavo("sync")
        self.commit = push(self.desk, "set up", "main")

    def act(self, event: str, payload: dict[str, Any]) -> tuple[int, str]:
        given = {
            **self.variables,
            "GITHUB_SERVER_URL": self.bench.server.address,
            "GITHUB_REPOSITORY": "ada/notes",
        }
        token = self.bench.ada.token
        done = real.act(self.desk.folder, event, payload, token, given, self.folder / "machine")
        return done.returncode, done.stdout + done.stderr

    def states(self, commit: str) -> dict[str, str]:
        return {each.context: each.state for each in self.desk.forge.statuses(commit)}


@contextmanager
def project_in(folder: Path, variables: dict[str, str]) -> Iterator[Project]:
    if not real.is_built():
        pytest.skip("needs act: run `make servers` once")
    with github(folder) as bench:
        yield Project(bench, folder, variables)


@pytest.fixture
def project(tmp_path: Path, ready: dict[str, str]) -> Iterator[Project]:
    with project_in(tmp_path, ready) as made:
        yield made


@pytest.fixture
def on_a_bare_machine(tmp_path: Path, variables: dict[str, str]) -> Iterator[Project]:
    """Where the workflow makes its environment and installs everything."""
    with project_in(tmp_path, variables) as made:
        yield made


def test_a_push_to_the_default_branch_is_checked_and_archived(on_a_bare_machine: Project) -> None:
    project = on_a_bare_machine
    payload = {"ref": "refs/heads/main", "after": project.commit}
    code, told = project.act("push", payload)
    assert code == 0, told
    assert project.states(project.commit)["octavo/check"] == "success"
    project.desk.git("fetch", "--quiet", "origin", "reports")
    kept = project.desk.octavo("runs", "--archived")["runs"]
    assert {Path(each["notebook"]).name for each in kept} == {"health.py", "other.py"}
    assert [each["scraps"]["secrets_seen"] for each in kept if each["scraps"]] == [[]]
    assert project.bench.ada.token not in told


def test_a_pull_request_with_a_broken_notebook_is_red(project: Project) -> None:
    desk = project.desk
    desk.git("switch", "--quiet", "-c", "agent/health")
    edit(desk, BROKEN)
    head = push(desk, "break it", "agent/health")
    number = desk.forge.open("agent/health", "main", "Health", "", draft=False).number
    pull = {"number": number, "head": {"sha": head, "ref": "agent/health"}, "base": {"ref": "main"}}
    code, told = project.act("pull_request", {"number": number, "pull_request": pull})
    assert code != 0
    assert "too few" in told and "never affected" not in told, told
    assert project.states(head)["octavo/check"] == "failure"
    [said] = desk.forge.comments(number)
    assert "too few" in said.body
    assert "1 notebook failed" in said.body and "1 not affected" in said.body
    assert "refs/heads/reports" not in desk.git("ls-remote", "origin")
