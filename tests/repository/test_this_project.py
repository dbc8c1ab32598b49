"""Octavo's own repository is one that `octavo init` has set up."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from git_repositories import git
from octavo.notebook.cleaning import is_clean
from octavo.repository.files import template
from octavo.repository.workflows import NAMES, workflow
from repository.setting_up import environ, initialized, octavo, run

ROOT = Path(__file__).parent.parent.parent
NOTEBOOKS = ("agent_task_system_health", "fleet_health_check")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The project's files as they are, in a repository of the test's own."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", ":(glob)*", "notebooks", "docs/NOTEBOOK_WORKFLOW.md"],
        cwd=ROOT, env=environ(tmp_path / "home"), capture_output=True, check=False,
    )  # fmt: skip
    if listed.returncode != 0:
        pytest.skip("these files are not in a repository")
    top = tmp_path / "project"
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).exists():
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            (top / name).write_bytes((ROOT / name).read_bytes())
    git(top, "init", "--quiet")
    git(top, "add", "--all")
    git(top, "commit", "--quiet", "-m", "as it is")
    return top


def test_init_has_nothing_to_add_but_what_is_local(clone: Path) -> None:
    changes = octavo(clone, "init", "--dry-run", "--json").json["changes"]
    assert changes
    assert [each for each in changes if not each.get("file", ".git/").startswith(".git/")] == []


def test_the_project_is_healthy_after_init(clone: Path) -> None:
    assert octavo(clone, "init").code == 0
    answer = octavo(clone, "doctor")
    assert answer.code == 0, answer.out
    assert git(clone, "status", "--porcelain", environ=environ(clone.parent / "home")) == ""


@pytest.mark.kernel
def test_its_notebooks_pass_its_own_gate(clone: Path) -> None:
    answer = octavo(clone, "check", "--json")
    assert answer.code == 0, answer.out
    assert [Path(each["path"]).stem for each in answer.json["verdicts"]] == list(NOTEBOOKS)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_its_notebooks_are_pairs_without_outputs(name: str) -> None:
    assert (ROOT / "notebooks" / f"{name}.py").exists()
    assert is_clean((ROOT / "notebooks" / f"{name}.ipynb").read_text("utf-8"))


def test_its_page_for_people_is_the_one_that_init_writes() -> None:
    page = (ROOT / "docs" / "NOTEBOOK_WORKFLOW.md").read_bytes()
    assert page == template("NOTEBOOK_WORKFLOW.md")


@pytest.mark.parametrize("name", NAMES)
def test_its_workflows_are_those_that_init_writes(name: str) -> None:
    assert (ROOT / name).read_bytes() == workflow("main")


def test_its_workflows_install_from_a_lock_with_hashes() -> None:
    lock = (ROOT / "requirements.txt").read_text()
    pinned = re.findall(r"^[\w.-]+==[^\\]+\\\n    --hash=sha256:", lock, re.M)
    assert len(pinned) == len(re.findall(r"^[\w.-]+", lock, re.M)) > 10
    assert "://" not in lock


HOOKS = {each["id"]: each for each in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}


def entry(top: Path, name: str, *files: str) -> int:
    """Run a hook as the pre-commit framework does."""
    hook = HOOKS[name]
    given = files if hook.get("pass_filenames", True) else ()
    return run(top, *hook["entry"].split(), *given).code


def test_the_framework_of_hooks_finds_ours() -> None:
    own = ("sync", "sync-check", "clean", "lint", "check")
    assert set(HOOKS) == {f"octavo-{name}" for name in own}
    for each in HOOKS.values():
        assert each["language"] == "python"
        assert each["name"]
        assert each["entry"].startswith("octavo ")


def test_the_framework_brings_files_into_step(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    assert entry(top, "octavo-sync-check") == 0
    (top / "notebooks" / "n.py").write_text("# %%\na = 5\n")
    assert entry(top, "octavo-sync-check") == 1
    assert entry(top, "octavo-sync") == 0
    assert entry(top, "octavo-sync-check") == 0
    assert '"a = 5"' in (top / "notebooks" / "n.ipynb").read_text()


@pytest.mark.kernel
def test_the_framework_looks_at_notebooks_and_runs_those_that_changed(tmp_path: Path) -> None:
    top = initialized(tmp_path)
    assert (entry(top, "octavo-lint"), entry(top, "octavo-check")) == (0, 0)
    (top / "notebooks" / "n.py").write_text("# %%\n1 / 0\n")
    assert entry(top, "octavo-sync") == 0
    assert (entry(top, "octavo-lint"), entry(top, "octavo-check")) == (0, 1)


def test_the_framework_cleans_files(tmp_path: Path) -> None:
    (tmp_path / "x.ipynb").write_text(json.dumps({"cells": [{"outputs": [1]}]}))
    assert entry(tmp_path, "octavo-clean", "x.ipynb") == 1
    assert entry(tmp_path, "octavo-clean", "x.ipynb") == 0
