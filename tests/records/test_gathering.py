"""Files, folders and patterns."""

from __future__ import annotations

import glob
import os
from pathlib import Path

import pytest

from octavo.errors import OctavoError
from octavo.records.gathering import places


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a.ipynb", "one/b.ipynb", "one/two/c.ipynb", "[x]/d.ipynb", ".hidden/e.ipynb"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    (tmp_path / "one/notes.txt").write_text("")
    return tmp_path


def found(pattern: str, cwd: Path) -> list[str]:
    return sorted(os.path.relpath(place.path, cwd) for place in places(pattern, str(cwd)))


@pytest.mark.parametrize(
    "pattern",
    [
        "*.ipynb",
        "**/*.ipynb",
        "**",
        "one/**",
        "one/**/c.ipynb",
        "**/two/**",
        "**/**/*.ipynb",
        "*/*.ipynb",
        "**/[bc].ipynb",
        ".hidden/**",
    ],
)
def test_patterns_mean_what_they_mean_to_glob(tree: Path, pattern: str) -> None:
    matches = glob.glob(str(tree / pattern), recursive=True)
    wanted = sorted({os.path.relpath(m, tree) for m in matches if m.endswith(".ipynb")})
    assert found(pattern, tree) == wanted


def test_links_that_lead_in_circles_are_not_followed(tree: Path) -> None:
    """With two of them there are more paths than anybody can walk."""
    for name in ("here", "here too", "one/up", "one/two/up"):
        (tree / name).symlink_to(tree)
    assert found("**/*.ipynb", tree) == found("**", tree)
    assert found("one/**/*.ipynb", tree) == ["one/b.ipynb", "one/two/c.ipynb"]


def test_pipes_and_folders_that_are_called_like_notebooks_are_passed_over(tree: Path) -> None:
    os.mkfifo(tree / "one/pipe.ipynb")
    (tree / "one/folder.ipynb").mkdir()
    assert found("one/*", tree) == ["one/b.ipynb"]
    assert found("one", tree) == ["one/b.ipynb"]


@pytest.mark.parametrize("pattern", ["*.md", "**/z*", "none/**", "one/*.txt"])
def test_a_pattern_that_matches_no_notebook(tree: Path, pattern: str) -> None:
    with pytest.raises(OctavoError) as caught:
        places(pattern, str(tree))
    assert caught.value.kind == "nothing-matches"
