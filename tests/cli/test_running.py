"""`octavo run` with real kernels: what is shown, what is printed, how it exits."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.calling import Octavo

pytestmark = pytest.mark.kernel


def steady(text: str) -> str:
    """Text without what differs from run to run."""
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21,}", "ID", text)
    text = re.sub(r"octavo show [0-9a-f]{8}", "octavo show ID", text)
    text = re.sub(r"runs/[0-9-]{10}/", "runs/DAY/", text)
    return re.sub(r"\b[0-9.]+ m?s\b", "TIME", text)


def test_a_run_that_succeeds(octavo: Octavo) -> None:
    code, out, err = octavo("run", "nb.py", "-p", "n", "2")
    assert code == 0
    assert (
        steady(out)
        == """\
✓ success in TIME, 5 cells
  n      2
  words  ["a", "b"]
  record  .octavo/runs/DAY/ID/record.json
  next    octavo show ID
"""
    )
    lines = steady(err).splitlines()
    assert lines[0] == "run ID"
    assert lines[2:] == [
        "cell 1 parameters: succeeded in TIME",
        "cell + injected parameters: succeeded in TIME",
        "cell 2 Double it: succeeded in TIME",
        "cell 3 from octavo_runtime import glue: succeeded in TIME",
        "cell 4 n: succeeded in TIME",
    ]


def test_a_run_that_fails(octavo: Octavo) -> None:
    code, out, err = octavo("run", "nb.py", "-p", "n", "5")
    assert code == 1
    head, _, rest = steady(out).partition("\n\n")
    assert (
        head
        == """\
✗ cell-error after TIME, 4 cells
  nb.py:16  ValueError: too many: 5"""
    )
    assert "ValueError: too many: 5" in rest
    assert "\x1b" not in out
    assert out.rstrip().endswith("--errors")
    assert "cell 3 from octavo_runtime import glue: failed in" in err


def test_as_json_only_the_result_is_printed(octavo: Octavo) -> None:
    answer = octavo("run", "nb.py", "-p", "n", "5", "--json")
    assert (answer.code, answer.err) == (1, "")
    result = answer.json
    assert (result["status"], result["reason"], result["cells_executed"]) == (
        "error",
        "cell-error",
        4,
    )
    assert result["failed_cell"]["index"] == 3
    assert result["failed_cell"]["line"] == 16
    assert result["scraps"] == {"n": 5, "words": ["a", "b"]}
    assert Path(result["record_path"]).is_file()


def test_quiet(octavo: Octavo) -> None:
    assert octavo("run", "nb.py", "-q") == (0, "", "")
    code, out, err = octavo("run", "nb.py", "-q", "-p", "n", "9")
    assert (code, err) == (1, "")
    assert out.startswith("✗ cell-error")


def test_log_output(octavo: Octavo) -> None:
    err = steady(octavo("run", "nb.py", "--log-output", "-p", "n", "21").err)
    assert "42\ncell 2 Double it: succeeded in TIME\n" in err


def test_several_notebooks(octavo: Octavo) -> None:
    Path("bad.py").write_text("# %%\nraise RuntimeError('no')\n")
    Path("good.py").write_text("# %%\n1\n")
    code, out, err = octavo("run", "good.py", "bad.py", "nb.py", "-j", "2")
    assert code == 1
    assert steady(out).startswith("bad.py\n✗ cell-error after TIME, 1 cell\n  bad.py:2  RuntimeE")
    assert steady(out).endswith("✗ 3 runs: 2 succeeded, 1 failed, TIME together\n")
    assert "bad.py: error (cell-error) in TIME, 1 cell" in steady(err)
    runs = octavo("run", "good.py", "bad.py", "--json").json["runs"]
    assert [run["status"] for run in runs] == ["success", "error"]


def test_nothing_runs_when_one_notebook_is_not_in_order(octavo: Octavo) -> None:
    Path("broken.py").write_text("# %%\nprint(\n")
    code, out, err = octavo("run", "nb.py", "broken.py")
    assert (code, out) == (2, "")
    assert "broken.py:" in err
    assert not Path(".octavo").exists()


def test_prepare_only_names_what_it_wrote(octavo: Octavo) -> None:
    code, out, _ = octavo("run", "nb.py", "--prepare-only", "-o", "bound.ipynb", "-p", "n", "7")
    assert code == 0
    assert Path(out.strip()).name == "bound.ipynb"
    cells = json.loads(Path("bound.ipynb").read_text())["cells"]
    assert any("n = 7" in "".join(cell["source"]) for cell in cells)
    assert not Path(".octavo").exists()


def test_an_interpreter_that_does_not_work_is_infrastructure(octavo: Octavo) -> None:
    broken = Path("broken-python")
    broken.write_text("#!/bin/sh\necho it is broken >&2\nexit 9\n")
    broken.chmod(0o755)
    answer = octavo("run", "nb.py", "--python", "./broken-python", "--json")
    assert answer.code == 3


def test_help_notebook_shows_parameters_and_runs_nothing(octavo: Octavo) -> None:
    code, out, err = octavo("run", "--help-notebook", "nb.py")
    assert (code, err) == (0, "")
    assert (
        out
        == """\
nb.py  Numbers
python, 4 code cells, 1 markdown cell

parameter  type  default
n          int   1        how many
"""
    )
    assert (
        octavo("run", "--help-notebook", "nb.py", "--json").json["properties"]["n"]["default"] == 1
    )
    assert not Path(".octavo").exists()
