"""What `octavo init` tells git works: diffs and merges of notebooks are those of cells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from git_repositories import git
from repository.setting_up import STREAM, environ, initialized, notebook, run


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return initialized(tmp_path)


@pytest.mark.parametrize("name", ["x.ipynb", "-it's ünïcode.ipynb"])
def test_git_shows_cells_and_not_json(top: Path, name: str) -> None:
    env = environ(top.parent / "home")
    (top / name).write_text(notebook("a = 1\nb = 2"))
    git(top, "add", "--all", environ=env)
    git(top, "commit", "-qm", "x", environ=env)
    (top / name).write_text(notebook("a = 1\nb = 3"))
    shown = git(top, "diff", environ=env)
    assert "b = 3" in shown
    assert "cell_type" not in shown
    git(top, "commit", "-qam", "y", environ=env)
    logged = git(top, "log", "-p", "-1", environ=env)
    assert "b = 3" in logged
    assert "cell_type" not in logged


def test_what_is_not_committed_is_not_shown_as_a_change(top: Path) -> None:
    env = environ(top.parent / "home")
    path = top / "notebooks" / "n.ipynb"
    (top / "runs").mkdir()
    (top / "runs" / "r.ipynb").write_text(notebook("a = 1"))
    git(top, "add", "--all", environ=env)
    git(top, "commit", "-qm", "a run", environ=env)
    document = json.loads(path.read_text())
    for cell in document["cells"][1:]:
        cell.update(outputs=[STREAM], execution_count=3)
    document["cells"][2]["source"] = "b = 2"
    path.write_text(json.dumps(document, indent=1))
    (top / "runs" / "r.ipynb").write_text(notebook("a = 1", outputs=[STREAM]))
    for staged in ((), ("--cached",)):
        shown = git(top, "diff", *staged, "--", "notebooks", environ=env)
        assert "1 cell edited; 3 others are as before" in shown
        assert "hello" not in shown
        assert "hello" in git(top, "diff", *staged, "--", "runs", environ=env)
        git(top, "add", "--all", environ=env)


def test_git_merges_cells(top: Path) -> None:
    env = environ(top.parent / "home")
    path = top / "-odd name.ipynb"
    document = json.loads((top / "notebooks" / "n.ipynb").read_text())
    path.write_text(json.dumps(document, indent=1))
    git(top, "add", "--all", environ=env)
    git(top, "commit", "-qm", "base", environ=env)
    git(top, "checkout", "-qb", "side", environ=env)
    path.write_text(path.read_text().replace("b = 1", "b = 2"))
    git(top, "commit", "-qam", "side", environ=env)
    git(top, "checkout", "-q", "main", environ=env)
    path.write_text(path.read_text().replace("a = 1", "a = 2"))
    git(top, "commit", "-qam", "main", environ=env)
    merged = run(top, "git", "merge", "--no-edit", "side", env=env)
    assert merged.code == 0, merged
    cells = json.loads(path.read_text())["cells"]
    assert ["".join(cell["source"]) for cell in cells[1:]] == ["a = 2", "b = 2", "c = 1"]
