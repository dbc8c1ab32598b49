"""`octavo merge --when-green` on all three forges: what it waits for, and what ends the wait."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from forges.github_bench import github
from octavo.app.context import Context
from octavo.errors import InfrastructureError, OctavoError
from octavo.forges.port import Forge, Proposal, Status
from octavo.proposals.green import until_green
from octavo.proposals.merging import MergeRequest, MergeResult, merge
from octavo.runs.context import Said
from proposals.desks import Desk, start
from proposals.test_loop import on_github
from servers.gitea import Gitea

NEEDS = 'required-statuses = ["ci/check"]\n'


class Waiting:
    """A desk with an open proposal; `said` is what was told, and `answers` is done at each word."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.said: list[str] = []
        desk.git("switch", "--quiet", "-c", "agent/new")
        desk.write("new\n", "new.txt")
        self.head = self.commit("a new file")
        self.proposal: Proposal = desk.forge.open("agent/new", "main", "New", "", draft=False)

    def commit(self, message: str) -> str:
        self.desk.git("add", "--all")
        self.desk.git("commit", "--quiet", "-m", message)
        variables, configuration = self.desk.site._variables, self.desk.site._configuration
        settings = [word for each in configuration for word in ("-c", each)]
        subprocess.run(
            ["git", *settings, "push", "--quiet", "origin", "HEAD:agent/new"],
            cwd=self.desk.folder, env={**self.desk.environ, **variables}, check=True,
        )  # fmt: skip
        return self.desk.git("rev-parse", "HEAD")

    def set(self, state: Any, context: str = "ci/check") -> None:
        self.desk.forge.set_status(self.head, Status(context, state))

    def merge(self, *answers: Callable[[], Any], **asked: Any) -> MergeResult:
        """Merge; each time that something else is waited for, the next answer comes."""
        left = list(answers)

        def heard(event: Any) -> None:
            if isinstance(event, Said) and event.text.startswith("waiting"):
                self.said.append(event.text)
                left.pop(0)()

        context = Context(cwd=str(self.desk.folder), environ=self.desk.environ, emit=heard)
        request = MergeRequest(number=self.proposal.number, when_green=True, **asked)
        return asyncio.run(merge(request, context))

    def refused(self, *answers: Callable[[], Any], **asked: Any) -> OctavoError:
        with pytest.raises(OctavoError) as caught:
            self.merge(*answers, **asked)
        return caught.value

    @property
    def state(self) -> str:
        return self.desk.forge.proposal(self.proposal.number).state


def _on_gitea(server: Gitea, folder: Path) -> Desk:
    ada = server.person("ada")
    name = server.repository(ada)
    rule = {
        "rule_name": "main",
        "enable_status_check": True,
        "status_check_contexts": ["ci/check"],
    }
    ada.api.call("POST", f"repos/{ada.name}/{name}/branch_protections", rule)
    address = f"{server.address}/{ada.name}/{name}.git"
    secret = address.replace("://", f"://{ada.name}:{ada.token}@")
    subprocess.run(["git", "clone", "--quiet", secret, str(folder / "work")], check=True)
    desk = Desk(folder / "work", ada.name, GITEA_TOKEN=ada.token)
    desk.git("remote", "set-url", "origin", address)
    return desk


@pytest.fixture
def local(tmp_path: Path) -> Waiting:
    return Waiting(start(tmp_path, {"octavo.toml": NEEDS}))


@pytest.fixture(params=["local", "gitea", pytest.param("github", marks=pytest.mark.network)])
def waiting(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Waiting]:
    if request.param == "local":
        yield request.getfixturevalue("local")
    elif request.param == "gitea":
        yield Waiting(_on_gitea(request.getfixturevalue("gitea"), tmp_path))
    else:
        with github(tmp_path) as bench:
            desk, _ = on_github(bench, tmp_path)
            bench.protect(statuses=["ci/check"])
            yield Waiting(desk)


def test_it_is_merged_as_soon_as_it_is_green(waiting: Waiting) -> None:
    result = waiting.merge(lambda: waiting.set("pending"), lambda: waiting.set("success"))
    assert waiting.said == [
        "waiting for the status ci/check",
        "waiting for the status ci/check (pending)",
    ]
    assert result.proposal.head == waiting.head
    assert waiting.state == "merged"
    assert waiting.merge().commit == result.commit


def test_a_status_that_fails_ends_it_at_once(waiting: Waiting) -> None:
    error = waiting.refused(lambda: waiting.set("failure"))
    assert error.kind == "proposal-not-mergeable"
    assert "will not be green: the status ci/check (failure)" in error.message
    assert waiting.state == "open"


def test_a_newer_commit_ends_it(waiting: Waiting) -> None:
    def goes_on() -> None:
        waiting.desk.write("newer\n", "new.txt")
        waiting.head = waiting.commit("newer")
        waiting.set("success")

    error = waiting.refused(goes_on)
    assert error.kind == "branch-moved"
    assert waiting.head[:12] in error.message
    assert waiting.state == "open"


def test_closing_it_ends_it(waiting: Waiting) -> None:
    error = waiting.refused(lambda: waiting.desk.forge.close(waiting.proposal.number))
    assert "was closed without a merge" in error.message
    assert waiting.state == "closed"


def test_what_no_status_brings_is_said_at_once(tmp_path: Path) -> None:
    waiting = Waiting(start(tmp_path, {"octavo.toml": f"{NEEDS}required-approvals = 1\n"}))
    error = waiting.refused()
    assert "an approval (0 of 1)" in error.message
    assert waiting.said == []


def test_waiting_is_bounded(local: Waiting) -> None:
    error = local.refused(timeout=0.0)
    assert error.kind == "proposal-not-mergeable"
    assert "is not green after" in error.message
    assert "still waiting for the status ci/check" in error.message
    assert local.state == "open"


def test_a_failure_that_nobody_asks_for_is_told(local: Waiting) -> None:
    local.merge(lambda: local.set("failure", "ci/install"), lambda: local.set("success"))
    assert local.said[1] == "waiting for the status ci/check, while ci/install failed"
    assert local.state == "merged"


def test_a_forge_that_is_away_for_a_while_is_waited_for(local: Waiting) -> None:
    class Away:
        """The forge, which cannot be reached the first time."""

        def __init__(self, forge: Forge) -> None:
            self._forge, self._away = forge, True

        def __getattr__(self, name: str) -> Any:
            if name == "mergeable" and self._away:
                self._away = False
                raise InfrastructureError("forge-down", "nobody answers", hint="wait")
            return getattr(self._forge, name)

    local.set("success")
    away, said = cast(Forge, Away(local.desk.forge)), []
    found = asyncio.run(until_green(away, local.proposal, 60.0, said.append))
    assert found.head == local.head
    assert said == [Said("waiting for the forge: nobody answers")]


def test_where_none_is_required_those_that_are_there_count(tmp_path: Path) -> None:
    waiting = Waiting(start(tmp_path))
    waiting.set("pending", "ci/other")
    waiting.merge(lambda: waiting.set("success", "ci/other"))
    assert waiting.said == ["waiting for the status ci/other (pending)"]
    assert waiting.state == "merged"


def test_where_nothing_is_required_and_nothing_there_it_is_merged(tmp_path: Path) -> None:
    waiting = Waiting(start(tmp_path))
    waiting.merge()
    assert (waiting.said, waiting.state) == ([], "merged")


def test_a_bound_without_waiting_is_a_mistake(local: Waiting) -> None:
    number = str(local.proposal.number)
    error = local.desk.octavo("merge", number, "--timeout", "1m", code=2)["error"]
    assert error["kind"] == "wrong-argument"


def test_a_plain_merge_says_that_one_can_wait(local: Waiting) -> None:
    error = local.desk.octavo("merge", str(local.proposal.number), code=2)["error"]
    assert "--when-green" in error["hint"]


def test_ctrl_c_leaves_everything_as_it_was(local: Waiting) -> None:
    refs = local.desk.git("for-each-ref")
    merging = subprocess.Popen(
        [sys.executable, "-m", "octavo", "merge", str(local.proposal.number), "--when-green"],
        cwd=local.desk.folder,
        env={**local.desk.environ, "OCTAVO_NO_RESIDENT": "1"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert merging.stderr is not None
    assert "waiting for the status ci/check" in merging.stderr.readline()
    merging.send_signal(signal.SIGINT)
    merging.communicate(timeout=60)
    assert merging.returncode == 130
    assert local.desk.git("for-each-ref") == refs
    assert local.state == "open"
    assert local.desk.leftovers() == []
