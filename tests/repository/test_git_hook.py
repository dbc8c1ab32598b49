"""The hooks under real git: what is committed is in step, and nobody's unstaged edit is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from git_repositories import git
from repository.setting_up import SCRIPT, Answer, environ, initialized, octavo, run

STAGED = "notebooks/n.py"
NOTEBOOK = "notebooks/n.ipynb"


class Project:
    """A repository with hooks, and a person who works in it."""

    def __init__(self, folder: Path) -> None:
        self.top = initialized(folder)
        self.env = environ(folder / "home")

    def git(self, *words: str) -> str:
        return git(self.top, *words, environ=self.env)

    def tried(self, *words: str) -> Answer:
        return run(self.top, "git", *words, env=self.env)

    def edit(self, old: str, new: str, name: str = STAGED) -> None:
        path = self.top / name
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    def committed(self, revision: str = "HEAD") -> list[str]:
        """The code of the committed notebook, after looking that both files agree."""
        text = self.git("cat-file", "blob", f"{revision}:{STAGED}")
        document = json.loads(self.git("cat-file", "blob", f"{revision}:{NOTEBOOK}"))
        cells = ["".join(c["source"]) for c in document["cells"] if c["cell_type"] == "code"]
        assert [line for line in text.splitlines() if " = " in line] == cells
        return cells

    def in_step(self) -> bool:
        return octavo(self.top, "sync", "--check").code == 0


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_a_commit_of_the_script_takes_the_notebook_along(project: Project) -> None:
    project.edit("a = 1", "a = 2")
    said = project.tried("commit", "--all", "-m", "edit")
    assert "brought into step for this commit: notebooks/n.ipynb" in said.err + said.out
    assert project.committed() == ["a = 2", "b = 1", "c = 1"]
    assert project.in_step()
    assert project.git("status", "--porcelain") == ""


def test_a_commit_of_the_notebook_takes_the_script_along(project: Project) -> None:
    project.edit('"a = 1"', '"a = 2"', NOTEBOOK)
    project.git("add", NOTEBOOK)
    project.git("commit", "-m", "edit")
    assert project.committed() == ["a = 2", "b = 1", "c = 1"]
    assert project.in_step()
    assert project.git("status", "--porcelain") == ""


def test_edits_of_both_files_are_merged(project: Project) -> None:
    project.edit("a = 1", "a = 2")
    project.edit('"c = 1"', '"c = 3"', NOTEBOOK)
    project.git("commit", "--all", "-m", "edit")
    assert project.committed() == ["a = 2", "b = 1", "c = 3"]
    assert project.in_step()


def test_only_what_is_staged_is_committed_and_the_rest_stays(project: Project) -> None:
    project.edit("b = 1", "b = 2")
    project.git("add", STAGED)
    project.edit("c = 1", "c = 2")
    project.git("commit", "-m", "b only")
    assert project.committed() == ["a = 1", "b = 2", "c = 1"]
    assert "c = 2" in (project.top / STAGED).read_text()
    project.git("commit", "--all", "-m", "c too")
    assert project.committed() == ["a = 1", "b = 2", "c = 2"]
    assert project.in_step()


def test_unstaged_edits_of_the_notebook_stay_too(project: Project) -> None:
    project.edit("b = 1", "b = 2")
    project.git("add", STAGED)
    project.edit('"c = 1"', '"c = 2"', NOTEBOOK)
    project.git("commit", "-m", "b only")
    assert project.committed() == ["a = 1", "b = 2", "c = 1"]
    there = (project.top / NOTEBOOK).read_text()
    assert '"b = 2"' in there
    assert '"c = 2"' in there
    project.git("commit", "--all", "-m", "c too")
    assert project.committed() == ["a = 1", "b = 2", "c = 2"]


def test_outputs_in_the_folder_survive_a_commit(project: Project) -> None:
    path = project.top / NOTEBOOK
    document = json.loads(path.read_text())
    document["cells"][3]["outputs"] = [
        {"name": "stdout", "output_type": "stream", "text": ["seen\n"]}
    ]
    path.write_text(json.dumps(document, indent=1) + "\n")
    project.edit("a = 1", "a = 2")
    project.git("commit", "--all", "-m", "edit")
    assert "seen" in path.read_text()
    assert "seen" not in project.git("cat-file", "blob", f"HEAD:{NOTEBOOK}")
    assert project.git("status", "--porcelain") == ""


def test_a_cell_that_both_changed_stops_the_commit(project: Project) -> None:
    project.edit("a = 1", "a = 2")
    project.edit('"a = 1"', '"a = 3"', NOTEBOOK)
    before = project.git("rev-parse", "HEAD")
    said = project.tried("commit", "--all", "-m", "edit")
    assert said.code == 1
    told = said.out + said.err
    assert "a cell was changed in both n.py and n.ipynb" in told
    assert "a = 2" in told
    assert "a = 3" in told
    assert "--no-verify" in told
    assert project.git("rev-parse", "HEAD") == before
    assert "a = 2" in (project.top / STAGED).read_text()
    assert "a = 3" in (project.top / NOTEBOOK).read_text()
    assert project.tried("commit", "--all", "--no-verify", "-m", "edit").code == 0


def test_a_commit_of_one_named_file_is_stopped_where_it_would_be_out_of_step(
    project: Project,
) -> None:
    project.edit("a = 1", "a = 2")
    said = project.tried("commit", "-m", "edit", "--", STAGED)
    assert said.code == 1
    assert f"git commit -- {STAGED} {NOTEBOOK}" in said.out + said.err
    assert octavo(project.top, "sync").code == 0
    assert project.tried("commit", "-m", "edit", "--", STAGED, NOTEBOOK).code == 0
    assert project.committed() == ["a = 2", "b = 1", "c = 1"]
    assert project.git("status", "--porcelain") == ""


def test_a_notebook_that_cannot_be_read_stops_the_commit(project: Project) -> None:
    (project.top / NOTEBOOK).write_text("<<<<<<< HEAD\n")
    said = project.tried("commit", "--all", "-m", "edit")
    assert said.code == 1
    assert "unresolved merge conflicts" in said.out + said.err


def test_files_that_are_no_pair_are_none_of_our_business(project: Project) -> None:
    top = project.top
    (top / "notebooks" / "module.py").write_text("x = 1\n")
    (top / "notebooks" / "module.ipynb").write_text((top / NOTEBOOK).read_text())
    (top / "elsewhere.py").write_text(SCRIPT)
    (top / "elsewhere.ipynb").write_text('{"cells": [], "nbformat": 4, "nbformat_minor": 5}\n')
    (top / "notebooks" / "alone.py").write_text(SCRIPT)
    before = (top / "notebooks" / "module.py").read_text()
    project.git("add", "--all")
    project.git("commit", "-m", "others")
    assert (top / "notebooks" / "module.py").read_text() == before
    assert project.git("show", "--name-only", "--format=", "HEAD").split() == [
        "elsewhere.ipynb", "elsewhere.py", "notebooks/alone.py", "notebooks/module.ipynb",
        "notebooks/module.py",
    ]  # fmt: skip


def test_amending_and_an_odd_name(project: Project) -> None:
    odd = "notebooks/-it's ünïcode.py"
    (project.top / odd).write_text(SCRIPT)
    assert octavo(project.top, "sync").code == 0
    project.git("add", "--all")
    project.git("commit", "-m", "odd")
    project.edit("a = 1", "a = 5", odd)
    project.git("commit", "--all", "--amend", "-m", "odder")
    assert '"a = 5"' in project.git("cat-file", "blob", f"HEAD:{odd.replace('.py', '.ipynb')}")
    assert project.git("status", "--porcelain") == ""


def test_commits_in_a_worktree_and_in_a_subfolder(project: Project) -> None:
    project.git("worktree", "add", "--quiet", "../beside", "-b", "beside")
    beside = project.top.parent / "beside"
    path = beside / STAGED
    path.write_text(path.read_text().replace("a = 1", "a = 9"))
    said = run(beside / "notebooks", "git", "commit", "--all", "-m", "edit", env=project.env)
    assert said.code == 0, said.err
    assert project.committed("beside") == ["a = 9", "b = 1", "c = 1"]


def test_a_merge_is_in_step(project: Project) -> None:
    project.git("checkout", "--quiet", "-b", "side")
    project.edit("a = 1", "a = 2")
    project.git("commit", "--all", "-m", "a")
    project.git("checkout", "--quiet", "main")
    project.edit("c = 1", "c = 3")
    project.git("commit", "--all", "-m", "c")
    assert project.tried("merge", "--no-edit", "side").code == 0
    assert project.committed() == ["a = 2", "b = 1", "c = 3"]
    assert project.in_step()


def ignored(project: Project) -> None:
    """The same project where `.ipynb` are not committed."""
    with (project.top / ".gitignore").open("a") as file:
        file.write("*.ipynb\n")
    project.git("rm", "--quiet", "--cached", NOTEBOOK)
    project.git("add", ".gitignore")
    project.git("commit", "--quiet", "-m", "without .ipynb")


def test_a_checkout_makes_notebooks_that_are_missing_or_behind(project: Project) -> None:
    ignored(project)
    project.git("checkout", "--quiet", "-b", "side")
    project.edit("a = 1", "a = 2")
    project.git("commit", "--all", "-m", "a")
    assert octavo(project.top, "sync").code == 0
    said = project.tried("checkout", "main")
    assert said.code == 0
    assert "octavo" not in said.out + said.err
    assert '"a = 1"' in (project.top / NOTEBOOK).read_text()
    (project.top / NOTEBOOK).unlink()
    project.git("checkout", "--quiet", "side")
    assert '"a = 2"' in (project.top / NOTEBOOK).read_text()
    assert project.in_step()


def test_a_merge_and_a_rebase_make_notebooks_anew(project: Project) -> None:
    ignored(project)
    project.git("checkout", "--quiet", "-b", "side")
    project.edit("a = 1", "a = 2")
    project.git("commit", "--all", "-m", "a")
    project.git("checkout", "--quiet", "main")
    project.git("merge", "--quiet", "side")
    assert '"a = 2"' in (project.top / NOTEBOOK).read_text()
    project.git("checkout", "--quiet", "-b", "other", "main~1")
    project.edit("c = 1", "c = 2")
    project.git("commit", "--all", "-m", "c")
    assert octavo(project.top, "sync").code == 0
    project.git("rebase", "--quiet", "main")
    there = (project.top / NOTEBOOK).read_text()
    assert '"a = 2"' in there
    assert '"c = 2"' in there


def test_edits_that_were_not_synced_survive_a_checkout(project: Project) -> None:
    ignored(project)
    project.git("checkout", "--quiet", "-b", "side")
    project.edit("a = 1", "a = 2")
    project.git("commit", "--all", "-m", "a")
    project.edit('"c = 1"', '"c = 7"', NOTEBOOK)
    edited = (project.top / NOTEBOOK).read_text()
    project.git("checkout", "--quiet", "main")
    assert (project.top / NOTEBOOK).read_text() == edited


def test_a_notebook_that_a_person_deleted_stays_away(project: Project) -> None:
    (project.top / NOTEBOOK).unlink()
    project.git("checkout", "--quiet", "-b", "side")
    assert not (project.top / NOTEBOOK).exists()


def test_what_is_amiss_never_fails_a_checkout(project: Project) -> None:
    (project.top / "octavo.toml").write_text("no toml [")
    assert project.tried("checkout", "-b", "side").code == 0
    (project.top / NOTEBOOK).write_text("{")
    assert project.tried("checkout", "-b", "third").code == 0


def test_an_unknown_hook_is_refused(tmp_path: Path) -> None:
    answer = octavo(tmp_path, "git-hook", "pre-push")
    assert answer.code == 2
    assert "pre-commit" in answer.err
