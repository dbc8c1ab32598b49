"""The whole loop: on a real Gitea, where the repository is its own forge, and on GitHub's API.

Create, edit, run, propose; a reviewer's comment on a line is read back as a finding; a second
commit; the base is protected until somebody approves; merged, the branch is gone, and both files
are in step on the base.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from forges.github_bench import GitHubBench, github
from git_repositories import git
from octavo.forges.port import Status
from proposals.desks import Desk, start
from servers.gitea import Gitea

pytestmark = pytest.mark.kernel

COUNT = "from octavo_runtime import glue\n\nglue('n', 7)"


def on_the_local_forge(folder: Path) -> tuple[Desk, Desk]:
    needs = 'required-approvals = 1\nrequired-statuses = ["ci/check"]\n'
    ada = start(folder, {"octavo.toml": needs})
    git(folder, "clone", "--quiet", "origin.git", "ben")
    return ada, Desk(folder / "ben", "ben")


def on_gitea(server: Gitea, folder: Path) -> tuple[Desk, Desk]:
    ada, ben = server.person("ada"), server.person("ben")
    name = server.repository(ada, ben)
    rule = {
        "rule_name": "main",
        "required_approvals": 1,
        "enable_status_check": True,
        "status_check_contexts": ["ci/check"],
    }
    ada.api.call("POST", f"repos/{ada.name}/{name}/branch_protections", rule)
    address = f"{server.address}/{ada.name}/{name}.git"
    desks = []
    for person in (ada, ben):
        secret = address.replace("://", f"://{person.name}:{person.token}@")
        git(folder, "clone", "--quiet", secret, person.name)
        git(folder / person.name, "remote", "set-url", "origin", address)
        desks.append(Desk(folder / person.name, person.name, GITEA_TOKEN=person.token))
    return desks[0], desks[1]


def on_github(bench: GitHubBench, folder: Path) -> tuple[Desk, Desk]:
    bench.protect(approvals=1, statuses=["ci/check"])
    desks = []
    for person in (bench.ada, bench.bob):
        clone = bench.server.clone(bench.hosted, person, folder / f"of-{person.login}")
        settings = 'forge = "github"\n'
        (clone / "octavo.toml").write_text(settings)
        (clone / ".git" / "info" / "exclude").write_text("octavo.toml\n")
        desks.append(Desk(clone, person.login, GH_TOKEN=person.token))
    return desks[0], desks[1]


@pytest.fixture(params=["local", "gitea", pytest.param("github", marks=pytest.mark.network)])
def desks(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Desk, Desk]]:
    if request.param == "local":
        yield on_the_local_forge(tmp_path)
    elif request.param == "gitea":
        yield on_gitea(request.getfixturevalue("gitea"), tmp_path)
    else:
        with github(tmp_path) as bench:
            yield on_github(bench, tmp_path)


def test_from_an_idea_to_the_base_branch(desks: tuple[Desk, Desk]) -> None:
    ada, ben = desks
    path = ada.folder / ada.octavo("create", "Count the hosts")["path"]
    name = path.relative_to(ada.folder).as_posix()
    ada.octavo("edit", name, "--insert", "after", "--source", COUNT)
    ran = ada.octavo("run", name)
    assert (ran["status"], ran["scraps"]["n"]) == ("success", 7)
    first = ada.octavo("propose", name, "-m", "Count the hosts")
    number = str(first["number"])
    assert first["branch"].startswith("agent/") and first["opened"]

    line = 1 + path.read_text().splitlines().index("glue('n', 7)")
    ben.git("fetch", "--quiet")
    remark = "Seven is not enough:\n```suggestion\nglue('n', 8)\n```"
    ben.forge.comment(int(number), remark, path=name, line=line)
    [finding] = [each for each in ada.octavo("review", number)["findings"] if each["path"]]
    assert (finding["path"], finding["line"], finding["text"]) == (name, line, "glue('n', 7)")
    assert finding["suggestion"] == "glue('n', 8)"

    ada.octavo("edit", name, finding["handle"], "--replace", finding["text"], finding["suggestion"])
    second = ada.octavo("propose", name, "-m", "Eight it is")
    assert (second["number"], second["opened"], second["committed"]) == (int(number), False, True)
    shown = ada.octavo("review", number)["proposal"]
    assert shown["head"] == second["commit"] and "glue('n', 8)" in shown["body"]

    refused = ada.octavo("merge", number, code=2)["error"]
    assert refused["kind"] == "proposal-not-mergeable"
    assert "an approval (0 of 1)" in refused["message"] and "ci/check" in refused["message"]
    ben.octavo("approve", number, "-m", "Good")
    ben.forge.set_status(second["commit"], Status("ci/check", "success"))
    assert ada.octavo("merge", number)["branch_deleted"]

    ben.git("fetch", "--quiet", "--prune")
    assert first["branch"] not in ben.git("branch", "-r") + ada.git("branch")
    ben.git("merge", "--quiet", "--ff-only", "origin/main")
    twin = json.loads((ben.folder / name).with_suffix(".ipynb").read_text())
    assert any("glue('n', 8)" in "".join(cell["source"]) for cell in twin["cells"])
    assert ben.octavo("sync", "--check", name)["in_step"]
    assert ada.octavo("review", number)["proposal"]["state"] == "merged"
    assert ada.leftovers() == ben.leftovers() == []
