"""Contents that `octavo edit --base` knows: what was read, edited or committed, and no more."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from octavo.authoring.editing import versions
from octavo.authoring.editing.versions import Versions
from octavo.surfaces.cli.main import main

SCRIPT = "# %%\nx = 1\n\n# %%\ny = 1\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "octavo.toml").touch()
    (tmp_path / "nb.py").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read_sha(capsys: pytest.CaptureFixture[str], what: str = "nb.py") -> str:
    assert main(["read", what, "--json"]) == 0
    return str(json.loads(capsys.readouterr().out)["notebook"]["sha256"])


def test_an_edit_goes_on_from_what_was_read(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sha = read_sha(capsys)
    (project / "nb.py").write_text("# %%\nnew = 0\n\n" + SCRIPT)
    assert main(["edit", "nb.py", "1", "--source", "y = 2", "--base", sha]) == 0
    assert (project / "nb.py").read_text() == "# %%\nnew = 0\n\n" + SCRIPT.replace("y = 1", "y = 2")


def test_a_cell_that_was_changed_since_it_was_read_is_a_conflict(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sha = read_sha(capsys)
    (project / "nb.py").write_text(SCRIPT.replace("y = 1", "y = 7"))
    assert main(["edit", "nb.py", "1", "--source", "y = 2", "--base", sha, "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["kind"] == "conflict"
    assert (error["details"]["ours"]["source"], error["details"]["theirs"]["source"]) == (
        "y = 2",
        "y = 7",
    )


def test_a_part_of_a_hash_is_not_enough_to_find_a_content(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sha = read_sha(capsys)
    (project / "nb.py").write_text("# %%\nnew = 0\n\n" + SCRIPT)
    assert main(["edit", "nb.py", "1", "--source", "y = 2", "--base", sha[:12], "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["kind"] == "stale" and "the whole SHA-256" in error["hint"]


@pytest.mark.kernel
def test_a_run_is_read_with_the_source_that_it_had(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "nb.py", "--json"]) == 0
    capsys.readouterr()
    (project / "nb.py").write_text("# %%\nnew = 0\n\n" + SCRIPT)
    sha = read_sha(capsys, "last")
    assert main(["edit", "nb.py", "1", "--source", "y = 2", "--base", sha]) == 0
    assert "y = 2" in (project / "nb.py").read_text()


def test_reading_makes_no_project_out_of_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nb.py").write_text(SCRIPT)
    Versions(tmp_path).remember_reading(SCRIPT, str(tmp_path / "nb.py"))
    assert os.listdir(tmp_path) == ["nb.py"]


def test_what_is_elsewhere_is_not_remembered_here(project: Path, tmp_path: Path) -> None:
    inner = project / "inner"
    (inner / ".git").mkdir(parents=True)
    Versions(inner).remember_reading(SCRIPT, str(project / "nb.py"))
    assert os.listdir(inner) == [".git"]


def test_a_project_that_cannot_be_written_can_be_read(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".octavo").write_text("in the way")
    assert len(read_sha(capsys)) == 64


def test_what_few_may_read_stays_so(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "nb.py").chmod(0o600)
    sha = read_sha(capsys)
    assert (project / ".octavo" / "versions" / sha).stat().st_mode & 0o777 == 0o600
    assert (project / ".octavo" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("bound", [{"_KEPT": 3}, {"_ALL": 3 * len(SCRIPT)}])
def test_the_newest_are_kept_within_bounds(
    project: Path, monkeypatch: pytest.MonkeyPatch, bound: dict[str, int]
) -> None:
    for name, value in bound.items():
        monkeypatch.setattr(versions, name, value)
    texts = [SCRIPT.replace("1", str(number)) for number in range(6)]
    folder = project / ".octavo" / "versions"
    for number, text in enumerate(texts):
        Versions(project).remember(text, str(project / "nb.py"))
        kept = folder / hashlib.sha256(text.encode()).hexdigest()
        os.utime(kept, (number, number))
    newest = [hashlib.sha256(text.encode()).hexdigest() for text in texts[3:]]
    assert sorted(os.listdir(folder)) == sorted(newest)
