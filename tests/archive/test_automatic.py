"""Archiving after a run and after a merge, where the project wants it."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive.test_sharing import on_remote, there
from git_repositories import git
from octavo.runs.operation import RunReport, run
from octavo.runs.request import RunRequest
from proposals.desks import BROKEN, EDITED, NAME, Desk, start

pytestmark = pytest.mark.kernel


def ran(desk: Desk) -> RunReport:
    return desk.do(run, RunRequest(paths=(NAME,)))


def test_after_every_run(tmp_path: Path) -> None:
    desk = start(tmp_path, {"octavo.toml": "archive_after_run = true\narchive_push = true\n"})
    good = ran(desk).results[0]
    desk.write(BROKEN)
    bad = ran(desk).results[0]
    assert there(desk.folder) == on_remote(desk) == {good.run_id, bad.run_id}


def test_only_where_it_is_configured(tmp_path: Path) -> None:
    desk = start(tmp_path)
    ran(desk)
    assert desk.git("branch", "--list", "reports") == ""


def test_failing_to_archive_changes_no_verdict(tmp_path: Path) -> None:
    config = 'archive_after_run = true\narchive_branch = "main"\n'
    desk = start(tmp_path, {"octavo.toml": config})
    before = desk.git("rev-parse", "main")
    report = ran(desk)
    assert report.exit_code == 0
    assert desk.git("rev-parse", "main") == before


def test_after_a_merge(tmp_path: Path) -> None:
    desk = start(tmp_path, {"octavo.toml": "archive_after_merge = true\narchive_push = true\n"})
    desk.write(EDITED)
    proposed = desk.propose(message="x")
    assert desk.git("branch", "--list", "reports") == ""
    desk.merge(1)
    assert proposed.facts.after is not None
    assert proposed.facts.after.record is not None
    assert on_remote(desk) == {proposed.facts.after.record.run_id}
    names = git(tmp_path / "origin.git", "ls-tree", "-r", "--name-only", "reports")
    assert "reports/notebooks/health/20" in names
