"""Notes of jobs, requests and owners do not pile up; what goes on is never forgotten."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from octavo.records.owners import note_owner, owner_of
from octavo.sessions.jobs.forgetting import forget_old
from sessions.job_projects import Project, made_in, until_printed

pytestmark = pytest.mark.kernel


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    yield from made_in(tmp_path)


def test_jobs_that_ended_long_ago_are_forgotten_and_those_that_go_on_are_not(
    project: Project,
) -> None:
    project.write("# %%\n1\n", "short.py")
    project.waiting("long.py")
    ended = project.detached("short.py", "--request-id", "one")
    project("job", "wait", ended.run_id)
    recent = project.detached("short.py")
    project("job", "wait", recent.run_id)
    going_on = project.detached("long.py", "--request-id", "two")
    until_printed(going_on)
    _age(project.root / ".octavo/jobs")
    _age(ended.path)
    _age(going_on.path)
    assert _listed(project) == {recent.run_id, going_on.run_id}
    assert _ids(project.root / ".octavo/jobs") == {recent.run_id, going_on.run_id}
    assert len(list((project.root / ".octavo/jobs/requests").iterdir())) == 1
    assert project("show", ended.run_id).code == 0
    again = project.detached("short.py", "--request-id", "one")
    assert again.run_id != ended.run_id
    assert project.detached("long.py", "--request-id", "two").run_id == going_on.run_id
    project.open()
    project("job", "wait", going_on.run_id)


def test_owners_are_forgotten_with_their_records_only(project: Project) -> None:
    root = project.root / ".octavo"
    run = project("run", "--json", str(project.write("# %%\n1\n"))).json["run_id"]
    note_owner(root, run, "alice")
    note_owner(root, "deadbeef", "bob")
    note_owner(root, "cafecafe", "carol")
    _age(root / "owners")
    note_owner(root, "cafecafe", "carol")
    forget_old(root)
    assert owner_of(root, run) == "alice"
    assert owner_of(root, "cafecafe") == "carol"
    assert not (root / "owners" / "deadbeef").exists()


def test_a_project_without_jobs_has_nothing_to_forget(tmp_path: Path) -> None:
    forget_old(tmp_path / ".octavo")
    assert not (tmp_path / ".octavo").exists()


def _age(folder: Path) -> None:
    for path in folder.rglob("*"):
        os.utime(path, (1, 1))


def _listed(project: Project) -> set[str]:
    return {job["id"] for job in project("job", "list", "--json").json["jobs"]}


def _ids(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.json")}
