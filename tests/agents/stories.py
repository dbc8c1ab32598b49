"""What the scripted model does in one turn, where it does it, and what must hold afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from agents.models import Call, Json
from agents.programs import Place

TOOLS = {
    "notebook_create", "notebook_read", "notebook_edit", "notebook_execute", "notebook_diff",
    "notebook_check", "notebook_commit", "notebook_pr", "notebook_review", "runs_list",
    "run_result", "job_wait", "job_cancel", "session_start", "session_execute",
    "session_variables", "session_rewind", "session_save", "session_stop",
}  # fmt: skip
BROKEN = "values = {item: length(item) / 10 for item in items}"
MENDED = "values = {item: len(item) / 10 for item in items}"
OCTAVO = (sys.executable, "-m", "octavo")


def story() -> Generator[Call, Json, str]:
    """What the model does; each step takes what it needs from the answers before."""
    made = yield Call("notebook_create", {"task_description": "How long are the names"})
    path = made["path"]
    read = yield Call("notebook_read", {"path": path, "cells": "gather"})
    assert "values =" in read["text"], read
    edited = yield Call(
        "notebook_edit", {"path": path, "cell_index": "gather", "new_source": BROKEN}
    )
    assert edited["changed"], edited
    ran = yield from executed(path)
    failed = ran["failed_cell"]
    assert (ran["status"], failed["ename"]) == ("error", "NameError"), ran
    yield Call(
        "notebook_edit",
        {"path": path, "cell_index": failed["index"], "new_source": MENDED},
    )
    ran = yield from executed(path)
    assert ran["status"] == "success", ran
    kept = yield Call("notebook_commit", {"path": path, "message": "Measure the names"})
    return f"committed {kept['commit']} after {ran['run_id']}"


def executed(path: str) -> Generator[Call, Json, Json]:
    """A run, waited for where the machine is slow."""
    ran = yield Call("notebook_execute", {"path": path})
    while ran["status"] == "running":
        ran = yield Call("job_wait", {"job": ran["job"]})
    return ran


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A new repository of somebody who commits, and their home."""
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
    )
    found = Place(home, project)
    git(found, "init")
    git(found, "commit", "--allow-empty", "-m", "Begin")
    return found


def git(place: Place, *words: str) -> str:
    return subprocess.run(
        ["git", *words],
        cwd=place.project,
        env=place.environ(),
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def octavo(place: Place, *words: str) -> Any:
    done = subprocess.run(
        [*OCTAVO, *words, "--json"],
        cwd=place.project,
        env=place.environ(),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def holds(place: Place, last_word: str) -> None:
    """The commit is there with both files, and the records tell what happened."""
    _, commit, _, run = last_word.split()
    files = git(place, "show", "--name-only", "--format=%an: %s", commit).split("\n")
    assert files[0] == "Ada: Measure the names"
    names = sorted(name for name in files[1:] if name)
    assert [os.path.splitext(name)[1] for name in names] == [".ipynb", ".py"]
    source = git(place, "show", f"{commit}:{names[1]}")
    assert MENDED in source and BROKEN not in source
    runs = octavo(place, "runs")["runs"]
    assert [each["status"] for each in runs] == ["success", "error"]
    assert runs[0]["run_id"].endswith(run[-8:])
    records = [json.loads(path.read_text()) for path in place.project.rglob("record.json")]
    assert len(records) == 2


def silence() -> Generator[Call, Json, str]:
    """A model that calls nothing."""
    yield from ()
    return "nothing to do"
