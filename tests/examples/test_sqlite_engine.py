"""The engine in `examples/sqlite-engine`, installed and used as its page says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from octavo.environments.uv import find_uv

EXAMPLE = Path(__file__).parents[2] / "examples" / "sqlite-engine"
pytestmark = [pytest.mark.kernel, pytest.mark.network]

Run = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with the example, installed as any package."""
    uv = find_uv(None, sys.executable, os.environ["PATH"])
    assert uv is not None
    folder = str(tmp_path_factory.mktemp("site"))
    command = [uv, "pip", "install", "-q", "--no-deps", "--target", folder, str(EXAMPLE)]
    subprocess.run([*command, "--python", sys.executable], check=True, timeout=120)
    return folder


@pytest.fixture
def octavo(installed: str, tmp_path: Path) -> Run:
    """A command that sees the example; its answer."""
    home = {"HOME": str(tmp_path), "OCTAVO_NO_RESIDENT": "1", "PYTHONPATH": installed}

    def call(*words: str) -> dict[str, Any]:
        ran = subprocess.run(
            [sys.executable, "-m", "octavo", *words, "--json"],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], **home},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        answer: dict[str, Any] = json.loads(ran.stdout)
        return answer

    return call


def results(answer: dict[str, Any]) -> list[str]:
    document = json.loads(Path(answer["notebook_path"]).read_text())
    outputs = [each for cell in document["cells"] for each in cell.get("outputs", ())]
    return ["".join(each["data"]["text/plain"]) for each in outputs if "data" in each]


def test_a_notebook_of_queries_runs(octavo: Run) -> None:
    answer = octavo("run", str(EXAMPLE / "report.md"), "--engine", "sqlite")
    assert answer["status"] == "success"
    assert results(answer) == [
        "customer  orders  total\nada       2       42.5\ngrace     1       8.0"
    ]


def test_it_is_listed(octavo: Run) -> None:
    rows = {row["name"]: row["serves"] for row in octavo("kernels")["kernels"]}
    assert rows["sqlite"] == "--engine sqlite"


def test_a_query_that_fails_is_the_cells_error(octavo: Run, tmp_path: Path) -> None:
    (tmp_path / "nb.md").write_text("```sql\nSELECT * FROM absent\n```\n")
    answer = octavo("run", "nb.md", "--engine", "sqlite")
    assert answer["reason"] == "cell-error"
    assert answer["failed_cell"]["evalue"] == "no such table: absent"


def test_a_query_without_end_is_timed_out(octavo: Run, tmp_path: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    (tmp_path / "nb.md").write_text(f"```sql\n{endless}\n```\n")
    answer = octavo("run", "nb.md", "--engine", "sqlite", "--cell-timeout", "1s")
    assert (answer["status"], "timeout" in answer["reason"]) == ("error", True)
