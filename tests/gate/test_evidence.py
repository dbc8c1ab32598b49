"""Committed outputs that nobody computed are caught."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gate.project import Project
from git_repositories import git

pytestmark = pytest.mark.kernel


def printed(text: str) -> dict[str, Any]:
    return {"name": "stdout", "output_type": "stream", "text": [text]}


def write(project: Project, *cells: tuple[str, list[dict[str, Any]]]) -> Path:
    """A notebook with outputs, committed."""
    document = {
        "cells": [
            {
                "cell_type": "code",
                "execution_count": 1,
                "id": f"c{number}",
                "metadata": {},
                "outputs": outputs,
                "source": source,
            }
            for number, (source, outputs) in enumerate(cells)
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path = project.folder / "notebooks/nb.ipynb"
    path.write_text(json.dumps(document))
    if not (project.folder / ".git").exists():
        git(project.folder, "init", "-q")
    git(project.folder, "add", "notebooks")
    git(project.folder, "commit", "-q", "-m", "notebook")
    return path


def doubts(verdict: dict[str, Any]) -> list[int]:
    return [each["cell"] for each in verdict["findings"] if each["rule"] == "unproven-output"]


def test_an_output_that_the_check_produces_itself_is_proven(project: Project) -> None:
    write(project, ("print(1)", [printed("1\n")]))
    assert doubts(project.check("--require-records").only) == []


def test_a_pasted_result_is_reported(project: Project) -> None:
    write(project, ("x = 1", []), ("print(x)", [printed("100\n")]))
    verdict = project.check().only
    assert verdict["outcome"] == "passed"
    assert doubts(verdict) == [1]


def test_a_pasted_result_is_rejected_when_records_are_required(project: Project) -> None:
    write(project, ("print(1)", [printed("100\n")]))
    checked = project.check("--require-records")
    assert checked.code == 1
    assert (checked.only["outcome"], checked.only["reason"]) == ("failed", "evidence")


def test_a_pasted_image_is_reported(project: Project) -> None:
    image = {
        "data": {"image/png": "aGVsbG8=", "text/plain": "1"},
        "metadata": {},
        "output_type": "execute_result",
        "execution_count": 1,
    }
    write(project, ("1", [image]))
    assert doubts(project.check().only) == [0]


def test_an_output_under_a_cell_that_is_skipped_is_reported(project: Project) -> None:
    write(project, ("# NBVAL_SKIP\nprint(1)", [printed("1\n")]))
    assert doubts(project.check().only) == [0]


def test_a_notebook_that_is_left_out_does_not_get_pasted_results_in(project: Project) -> None:
    block = '# /// check\n# skip = "slow"\n# ///\nprint(1)'
    write(project, (block, [printed("100\n")]))
    skipped = project.check()
    assert (skipped.code, skipped.only["outcome"], doubts(skipped.only)) == (0, "skipped", [0])
    rejected = project.check("--require-records")
    assert (rejected.code, rejected.only["reason"]) == (1, "evidence")


def test_an_archived_run_proves_its_outputs(project: Project) -> None:
    source = "import random; print(random.random())"
    path = write(project, (source, []))
    project.octavo("run", path, "-q", "-o", "executed.ipynb")
    executed = json.loads(Path("executed.ipynb").read_text())["cells"][0]["outputs"]
    write(project, (source, executed))
    assert doubts(project.check().only) == [0]
    project.octavo("archive", "last~1")
    assert doubts(project.check("--no-cache").only) == []


def test_what_is_not_committed_is_nobodys_business(project: Project) -> None:
    path = write(project, ("print(1)", []))
    document = json.loads(path.read_text())
    document["cells"][0]["outputs"] = [printed("100\n")]
    path.write_text(json.dumps(document))
    assert doubts(project.check().only) == []


def test_the_notebook_beside_a_text_counts(project: Project) -> None:
    project.write("nb.py", "print(1)")
    write(project, ("print(1)", [printed("100\n")]))
    verdict = project.check().only
    assert verdict["path"] == "notebooks/nb.py"
    assert doubts(verdict) == [0]


def test_the_report_is_remembered_with_the_verdict(project: Project) -> None:
    write(project, ("print(1)", [printed("100\n")]))
    project.check()
    verdict = project.check().only
    assert verdict["reused"] is True
    assert doubts(verdict) == [0]


def test_a_result_that_is_committed_after_it_was_checked_is_looked_at_again(
    project: Project,
) -> None:
    path = write(project, ("print(1)", [printed("1\n")]))
    path.write_text(path.read_text().replace('"1\\n"', '"100\\n"'))
    assert project.check("--require-records").code == 0
    assert project.check("--require-records").only["reused"]
    git(project.folder, "commit", "-q", "-a", "-m", "pasted")
    checked = project.check("--require-records")
    assert (checked.code, checked.only["reason"]) == (1, "evidence")


def test_a_warning_ends_when_the_run_is_archived(project: Project) -> None:
    path = write(project, ("import time\nprint(time.time_ns())", [printed("1\n")]))
    run_id = project.check("--no-cache").only["run_id"]
    executed = next(project.folder.glob(f".octavo/**/*{run_id}*/notebook.ipynb"))
    outputs = json.loads(executed.read_text())["cells"][0]["outputs"]
    write(project, ("import time\nprint(time.time_ns())", outputs))
    assert doubts(project.check().only) == [0]
    assert project.check().only["reused"]
    assert project.octavo("archive", run_id)[0] == 0
    again = project.check().only
    assert (doubts(again), path.exists()) == ([], True)


def test_a_notebook_outside_of_the_repository_is_checked_too(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = write(project, ("print(1)", [printed("1\n")]))
    outside = tmp_path_factory.mktemp("outside") / "nb.ipynb"
    outside.write_bytes(path.read_bytes())
    assert project.check(outside).only["outcome"] == "passed"
