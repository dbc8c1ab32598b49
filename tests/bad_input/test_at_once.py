"""Commands at the same time in one store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from cli.calling import variables

pytestmark = pytest.mark.kernel


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "octavo.toml").touch()
    (tmp_path / "nb.py").write_text("# %%\nprint('hello')\n")
    return tmp_path


def octavo(project: Path, *words: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "octavo", *words, "--json"],
        cwd=project,
        env=variables(project),
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_runs_and_lists_at_once(project: Path) -> None:
    commands = [("run", "nb.py"), ("runs",)] * 6
    with ThreadPoolExecutor(len(commands)) as pool:
        answers = list(pool.map(lambda words: octavo(project, *words), commands))
    ran = {answer["run_id"] for answer in answers[::2]}
    assert len(ran) == 6
    for listed in answers[1::2]:
        assert {row["status"] for row in listed["runs"]} <= {"success", "running"}
        assert {row["run_id"] for row in listed["runs"]} <= ran
    after = octavo(project, "runs")["runs"]
    assert {row["run_id"] for row in after} == ran
    assert {row["status"] for row in after} == {"success"}
    assert os.listdir(project / ".octavo/live") == []


def test_one_notebook_twice_to_one_output(project: Path) -> None:
    words = ("run", "nb.py", "-o", "out.ipynb")
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: octavo(project, *words), range(4)))
    assert all(answer["status"] == "success" for answer in answers)
    assert json.loads((project / "out.ipynb").read_text())["nbformat"] == 4
    assert not list(project.glob(".out.ipynb*")), "no pieces are left"
