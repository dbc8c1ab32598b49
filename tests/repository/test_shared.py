"""A repository that one person uses with Octavo and another without."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from git_repositories import ENVIRON, git
from repository.setting_up import STREAM, Answer, environ, initialized, octavo, run

TEXT, NOTEBOOK = "notebooks/n.py", "notebooks/n.ipynb"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """Ada's clone. Bob, who has no Octavo, has run and edited the notebook in Jupyter."""
    top = initialized(tmp_path)
    git(tmp_path, "clone", "--quiet", "project", "bob")
    path = tmp_path / "bob" / NOTEBOOK
    document = json.loads(path.read_text())
    for cell in document["cells"][1:]:
        cell.update(outputs=[STREAM], execution_count=3)
    document["cells"][2]["source"] = "b = 5"
    path.write_text(json.dumps(document, indent=1) + "\n")
    git(tmp_path / "bob", "commit", "--quiet", "--all", "-m", "bob", environ=ENVIRON)
    git(top, "remote", "add", "bob", "../bob")
    (top / TEXT).write_text((top / TEXT).read_text().replace("a = 1", "a = 2"))
    assert ada(top, "commit", "--all", "-m", "ada").code == 0
    return top


def ada(top: Path, *words: str) -> Answer:
    return run(top, "git", *words, env=environ(top.parent / "home"))


def is_well(top: Path) -> bool:
    committed = json.loads(git(top, "cat-file", "blob", f"HEAD:{NOTEBOOK}"))["cells"]
    sources = ["".join(cell["source"]) for cell in committed[1:]]
    assert sources == ["a = 2", "b = 5", "c = 1"]
    return (
        all(not cell["outputs"] for cell in committed[1:])
        and "b = 5" in git(top, "cat-file", "blob", f"HEAD:{TEXT}")
        and ada(top, "status", "--porcelain").out == ""
        and octavo(top, "sync", "--check").code == 0
    )


def test_a_merge_takes_edits_without_outputs_and_tells_what_is_staged(top: Path) -> None:
    said = ada(top, "pull", "--no-rebase", "--no-edit", "bob", "main")
    assert said.code == 0, said
    assert f"brought into step and staged: {TEXT}" in said.out + said.err
    assert ada(top, "status", "--porcelain").out == f"M  {TEXT}\n"
    assert ada(top, "commit", "--amend", "--no-edit").code == 0
    assert is_well(top)


def test_outputs_that_came_in_are_taken_out_by_the_command_that_doctor_names(top: Path) -> None:
    assert ada(top, "fetch", "bob").code == 0
    assert ada(top, "checkout", "--detach", "bob/main").code == 0
    os.utime(top / NOTEBOOK)  # Git looks at the content again, and it would be stored otherwise.
    assert "would be overwritten" in ada(top, "cherry-pick", "main").err
    told = octavo(top, "doctor", "--json").json["repository"]
    (mend,) = [each["mend"] for each in told if each["check"] == "outputs"]
    assert run(top, "sh", "-c", mend, env=environ(top.parent / "home")).code == 0
    assert ada(top, "commit", "-m", "without outputs").code == 0
    went = ada(top, "cherry-pick", "main")
    assert went.code == 0, went
    assert is_well(top)
