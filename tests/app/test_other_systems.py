"""Systems on which kernels cannot be forked, as far as they can be had here: in cardboard."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CARDBOARD = Path(__file__).with_name("cardboard.py")
pytestmark = pytest.mark.kernel

NOTEBOOK = """\
# %% tags=["parameters"]
n = 1

# %%
from octavo_runtime import glue

print("n is", n)
glue("n", n)
"""


def call(system: str, folder: Path, *words: str) -> Any:
    """The answer of a command on a system that is not this one."""
    ran = subprocess.run(
        [sys.executable, str(CARDBOARD), system, *words, "--json"],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_notebooks_run_and_leave_records(system: str, tmp_path: Path) -> None:
    (tmp_path / "octavo.toml").write_text("")
    (tmp_path / "nb.py").write_text(NOTEBOOK)
    answer = call(system, tmp_path, "run", "nb.py", "-p", "n", "3")
    assert (answer["status"], answer["scraps"]) == ("success", {"n": 3})
    record = json.loads(Path(answer["record_path"]).read_text())
    assert record["engine"] == "jupyter"
    listed = call(system, tmp_path, "runs")["runs"]
    assert [row["status"] for row in listed] == ["success"]


@pytest.mark.parametrize("system", ["darwin", "win32"])
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("1 / 0", "cell-error"),
        ("while True: pass", "cell-timeout"),
        ("import os; os._exit(4)", "kernel-died"),
    ],
)
def test_failures_are_told_apart(system: str, code: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "octavo.toml").write_text("")
    (tmp_path / "nb.py").write_text(f"# %%\n{code}\n")
    answer = call(system, tmp_path, "run", "nb.py", "--cell-timeout", "2s")
    assert answer["reason"] == reason


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_limits_are_refused_where_nobody_watches_them(system: str, tmp_path: Path) -> None:
    (tmp_path / "octavo.toml").write_text("")
    (tmp_path / "nb.py").write_text(NOTEBOOK)
    answer = call(system, tmp_path, "run", "nb.py", "--memory", "1GB")
    assert answer["reason"] == "infrastructure"
    assert "limit" in answer["message"]
