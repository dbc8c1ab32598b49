"""Which notebooks are looked at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from octavo.errors import OctavoError
from octavo.gate.selection import selected

PERCENT = "# %%\n1\n"


class Around:
    """A project with a folder of notebooks."""

    class settings:
        notebooks = ("notebooks",)

    def __init__(self, project: Path) -> None:
        self.project = project
        self.cwd = str(project)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "notebooks/paired.py": PERCENT,
        "notebooks/paired.ipynb": "{}",
        "notebooks/alone.ipynb": "{}",
        "notebooks/module.py": "x = 1\n",
        "notebooks/page.md": "# Only a page\n",
        "notebooks/document.md": "---\njupyter:\n  kernelspec:\n    name: python3\n---\n",
        "notebooks/deep/er.py": PERCENT,
        "notebooks/outputs/executed.ipynb": "{}",
        "notebooks/.hidden/x.py": PERCENT,
        "notebooks/__pycache__/x.py": PERCENT,
        "elsewhere/other.py": PERCENT,
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def names(paths: tuple[str, ...], project: Path) -> list[str]:
    found = selected(paths, Around(project))
    return [path.relative_to(project).as_posix() for path in found]


def test_without_names_those_of_the_configured_folders(project: Path) -> None:
    assert names((), project) == [
        "notebooks/paired.py",
        "notebooks/document.md",
        "notebooks/alone.ipynb",
        "notebooks/deep/er.py",
    ]


def test_a_file_that_was_named_is_taken_as_it_is(project: Path) -> None:
    wanted = ("notebooks/paired.ipynb", "notebooks/module.py", "./notebooks/module.py")
    assert names(wanted, project) == ["notebooks/paired.ipynb", "notebooks/module.py"]


@pytest.mark.parametrize(
    ("path", "kind"),
    [("gone.py", "notebook-not-found"), ("elsewhere/data.csv", "format-unknown")],
)
def test_what_is_no_notebook_is_refused(project: Path, path: str, kind: str) -> None:
    (project / "elsewhere/data.csv").write_text("")
    with pytest.raises(OctavoError) as raised:
        names((path,), project)
    assert (raised.value.kind, raised.value.place) == (kind, path)


def test_a_mark_at_the_beginning_hides_no_notebook(project: Path) -> None:
    (project / "notebooks/marked.py").write_bytes(b"\xef\xbb\xbf# %%\n1\n")
    assert "notebooks/marked.py" in names((), project)


def test_what_cannot_be_read_is_taken_and_what_is_no_file_is_not(project: Path) -> None:
    before = names((), project)
    (project / "notebooks/broken.py").symlink_to("nowhere")
    os.mkfifo(project / "notebooks/pipe.py")
    os.mkfifo(project / "notebooks/pipe.ipynb")
    (project / "notebooks/folder.ipynb").mkdir()
    assert set(names((), project)) == {*before, "notebooks/broken.py"}
    with pytest.raises(OctavoError, match="no notebook"):
        names(("notebooks/pipe.py",), project)


def test_a_project_without_notebooks_is_told(tmp_path: Path) -> None:
    with pytest.raises(OctavoError, match="no notebooks"):
        names((), tmp_path)


def test_a_folder_that_was_named_and_holds_none_is_told(project: Path) -> None:
    (project / "empty").mkdir()
    with pytest.raises(OctavoError, match="no notebooks in it"):
        names(("notebooks", "empty"), project)


def test_a_project_that_begins_with_an_empty_folder_is_fine(tmp_path: Path) -> None:
    (tmp_path / "notebooks").mkdir()
    assert names((), tmp_path) == []
