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
