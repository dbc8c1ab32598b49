"""Pages as PDF, printed by a real Chromium."""

from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path

import pytest

from authoring.test_export import exported, refused
from browser import PROGRAMS
from octavo.authoring.exporting import printing
from render.page_notebooks import attacking, code, notebook, stream

pytestmark = pytest.mark.slow
needs_chromium = pytest.mark.skipif(
    not any(map(shutil.which, PROGRAMS)), reason="needs Chromium: apt-get install chromium"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "octavo.toml").write_text("")
    (tmp_path / "nb.ipynb").write_text(json.dumps(notebook(code("x", stream("written")))))
    return tmp_path


def program(folder: Path, script: str) -> str:
    path = folder / "chromium"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@needs_chromium
def test_a_notebook_is_printed(folder: Path) -> None:
    [file] = exported(folder, "nb.ipynb", to="pdf")
    content = (folder / "nb.pdf").read_bytes()
    assert file.form == "pdf"
    assert content.startswith(b"%PDF-") and b"%%EOF" in content[-64:]


@needs_chromium
def test_a_hostile_one_too(folder: Path) -> None:
    (folder / "nb.ipynb").write_text(json.dumps(attacking("http://127.0.0.1:9")))
    exported(folder, "nb.ipynb", to="pdf", output="a.pdf")
    assert (folder / "a.pdf").read_bytes().startswith(b"%PDF-")


def test_without_a_browser_it_says_what_to_do(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(printing, "PROGRAMS", ("chromium",))
    error = refused(folder, "nb.ipynb", to="pdf")
    assert error.kind == "extra-missing"
    assert "--browser" in error.hint


def test_a_browser_that_prints_nothing(folder: Path) -> None:
    browser = program(folder, "echo 'no display' >&2; exit 3")
    error = refused(folder, "nb.ipynb", to="pdf", browser=browser)
    assert "no display" in error.message


def test_a_browser_that_hangs_is_ended_with_its_children(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = folder.parent / f"{folder.name}-pids"
    browser = program(folder, f"sleep 600 & echo $! $$ > {noted}; wait")
    monkeypatch.setattr(printing, "LONGEST", 1.0)
    error = refused(folder, "nb.ipynb", to="pdf", browser=browser)
    assert "did not end" in error.message
    assert [pid for pid in noted.read_text().split() if alive(pid)] == []


def alive(pid: str) -> bool:
    """Whether a process still does something; one that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_browser_may_be_named_from_here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(folder, "echo no display >&2")
    monkeypatch.chdir(folder)
    error = refused(folder, "nb.ipynb", to="pdf", browser="./chromium")
    assert "no display" in error.message
