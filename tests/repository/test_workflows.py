"""`octavo init --ci`: workflows that need a host and nothing else; files of people stay."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from git_repositories import git, repository
from octavo.repository.workflows import NAMES, workflow
from octavo.version import VERSION
from repository.setting_up import contents, initialized, octavo

GITEA, GITHUB = NAMES


def parsed(branch: str = "main") -> dict[Any, Any]:
    found: dict[Any, Any] = yaml.safe_load(workflow(branch))
    return found


def steps() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = parsed()["jobs"]["check"]["steps"]
    return found


def test_both_forges_get_the_same_workflow_once(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    assert octavo(top, "init").out == "everything is set up\n"
    made = octavo(top, "init", "--ci", "--json").json["changes"]
    assert [each["file"] for each in made] == list(NAMES)
    assert (top / GITEA).read_bytes() == (top / GITHUB).read_bytes() == workflow("main")
    assert octavo(top, "init", "--ci").out == "everything is set up\n"


def test_dry_run_shows_them_and_undo_takes_them_back(tmp_path: Path) -> None:
    top = repository(tmp_path / "project").top
    before = contents(top)
    assert "+name: notebook-ci" in octavo(top, "init", "--ci", "--dry-run").out
    assert contents(top) == before
    assert octavo(top, "init", "--ci").code == 0
    assert octavo(top, "init", "--undo").code == 0
    assert contents(top) == before
    assert not (top / ".gitea").exists()
    assert not (top / ".github").exists()


def test_what_a_person_wrote_stays_and_is_named(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    (top / GITHUB).parent.mkdir(parents=True)
    (top / GITHUB).write_text("name: ours\n")
    answer = octavo(top, "init", "--ci")
    assert f"{GITHUB} is not what this version writes: it stays" in answer.out
    assert (top / GITHUB).read_text() == "name: ours\n"
    assert (top / GITEA).exists()
    assert octavo(top, "init", "--undo").code == 0
    assert (top / GITHUB).read_text() == "name: ours\n"


def test_a_file_of_an_earlier_version_is_renewed(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    assert octavo(top, "init", "--ci").code == 0
    git(top, "branch", "--quiet", "-m", "trunk")
    assert octavo(top, "init", "--ci").code == 0
    assert (top / GITEA).read_bytes() == workflow("trunk")


def test_for_all_repositories_there_is_no_workflow(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    answer = octavo(top, "init", "--global", "--ci", "--json")
    assert (answer.code, answer.json["error"]["kind"]) == (2, "wrong-argument")


@pytest.mark.parametrize("branch", ["main", "release/1.x", 'a"b]', "#1", "yes", "@VERSION@", "ü"])
def test_any_name_of_a_branch_is_one_name(branch: str) -> None:
    assert parsed(branch)[True]["push"]["branches"] == [branch]


def test_nothing_is_taken_from_a_marketplace_or_a_container() -> None:
    job = parsed()["jobs"]["check"]
    assert not {"container", "services", "uses"} & set(job)
    assert all("uses" not in step for step in steps())
    assert f"octavo=={VERSION}" in workflow("main").decode()


def test_no_text_of_a_stranger_gets_into_a_script() -> None:
    assert all("${{" not in step["run"] for step in steps())


def test_notebooks_run_where_no_token_is() -> None:
    [checking] = [step for step in steps() if "octavo check" in step["run"]]
    assert "token" not in str(checking.get("env", {})).lower()
    assert "env" not in parsed() and "env" not in parsed()["jobs"]["check"]
    given = [step["name"] for step in steps() if "github.token" in str(step.get("env"))]
    assert given == [
        *("Fetch the commit", "Say that it has begun"),
        *("Keep what they produced", "Say how it went"),
    ]


def test_it_is_bounded_and_asks_for_named_permissions_only() -> None:
    assert parsed()["jobs"]["check"]["timeout-minutes"] <= 60
    assert set(parsed()["permissions"]) == {"contents", "pull-requests", "statuses"}
    assert parsed()["concurrency"]["group"]


def test_every_command_of_it_is_one_that_octavo_has() -> None:
    from octavo.app.table import find

    called = set(re.findall(r"^\s*octavo (\w+)", "\n".join(each["run"] for each in steps()), re.M))
    assert called >= {"check", "archive", "announce"}
    assert [name for name in called if find(name) is None] == []
