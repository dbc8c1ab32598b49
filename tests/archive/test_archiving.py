"""`octavo archive` puts runs on a branch, and leaves everything else as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from git_repositories import git
from octavo.archive.operation import ArchiveRequest, ArchiveResult, archive
from octavo.errors import OctavoError
from octavo.runs.operation import run
from octavo.runs.request import RunRequest
from proposals.desks import BROKEN, NAME, Desk, start

pytestmark = pytest.mark.kernel


def ran(desk: Desk, **asked: Any) -> str:
    [result] = desk.do(run, RunRequest(paths=(NAME,), **asked)).results
    return result.run_id


def archived(desk: Desk, *runs: str, **asked: Any) -> ArchiveResult:
    return desk.do(archive, ArchiveRequest(runs=runs, **asked))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return start(tmp_path)


def test_a_run_is_on_a_branch_of_its_own(desk: Desk) -> None:
    before = desk.git("status", "--porcelain", "--branch"), desk.git("rev-parse", "HEAD")
    run_id = ran(desk)
    result = archived(desk)
    assert result.added == (run_id,)
    [entry] = result.entries
    assert entry.place.startswith("reports/notebooks/health/20")
    assert entry.place.endswith(f"/{run_id}")
    files = desk.git("ls-tree", "-r", "--name-only", f"reports:{entry.place}").split()
    assert {"record.json", "notebook.ipynb", "source.py", "README.md", "page.html"} <= set(files)
    folder = next(desk.folder.glob(f".octavo/runs/*/{run_id}"))
    for name in ("record.json", "notebook.ipynb", "source.py"):
        assert desk.git("show", f"reports:{entry.place}/{name}") == (
            (folder / name).read_text().rstrip("\n")
        )
    assert desk.git("rev-list", "--count", "reports") == "1"
    assert (desk.git("status", "--porcelain", "--branch"), desk.git("rev-parse", "HEAD")) == before


def test_archiving_again_changes_nothing(desk: Desk) -> None:
    ran(desk)
    first = archived(desk)
    again = archived(desk)
    assert again.added == ()
    assert again.commit == first.commit == desk.git("rev-parse", "reports")


def test_a_failed_run_is_shown_as_failed(desk: Desk) -> None:
    ran(desk)
    desk.write(BROKEN)
    ran(desk)
    archived(desk, "last~1", "last")
    page = desk.git("show", "reports:reports/notebooks/health/README.md")
    rows = [line for line in page.splitlines() if "ipynb" in line]
    assert ["❌" in rows[0], "✅" in rows[1]] == [True, True]
    assert "`cell-error`" in rows[0]
    assert "❌" in desk.git("show", "reports:README.md")


def test_pushed(desk: Desk) -> None:
    ran(desk)
    result = archived(desk, push=True)
    assert git(desk.folder.parent / "origin.git", "rev-parse", "reports") == result.commit
    assert result.pushed_to == "origin"


def test_a_file_of_the_index_is_json(desk: Desk) -> None:
    run_id = ran(desk)
    archived(desk)
    index = json.loads(desk.git("show", "reports:reports/notebooks/health/index.json"))
    assert [each["run_id"] for each in index["runs"]] == [run_id]
    assert index["runs"][0]["scraps"] == {"health_score": 0.9}


def test_no_run(desk: Desk) -> None:
    with pytest.raises(OctavoError) as caught:
        archived(desk)
    assert caught.value.kind == "run-not-found"
