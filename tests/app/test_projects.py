"""Which folder is the project of a path."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from octavo import config


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """What is there, as far as projects are looked for; the machine's own root is left alone."""
    there: set[str] = set()
    monkeypatch.setattr(
        config,
        "_has_any",
        lambda folder, names: any(os.path.join(folder, name) in there for name in names),
    )
    return there


@pytest.mark.parametrize("marker", [".octavo", ".git", "pyproject.toml"])
def test_what_lies_in_the_root_by_chance_makes_no_project_of_everything(
    marked: set[str], tmp_path: Path, marker: str
) -> None:
    marked.add(f"/{marker}")
    assert config.project_root(str(tmp_path)) is None
    assert config.project_root(str(tmp_path / "nb.py")) is None
    assert config.project_root("/") == "/"
    assert config.project_root("/nb.py") == "/"
    marked.add(str(tmp_path / ".git"))
    assert config.project_root(str(tmp_path / "nb.py")) == str(tmp_path)


def test_a_root_that_says_that_it_is_a_project_is_one(marked: set[str], tmp_path: Path) -> None:
    marked.add("/octavo.toml")
    assert config.project_root(str(tmp_path)) == "/"


def test_the_nearest_folder_is_the_project(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    assert config.project_root(str(inner)) == str(tmp_path)
    (tmp_path / "a" / "pyproject.toml").write_text("")
    assert config.project_root(str(inner)) == str(tmp_path / "a")
