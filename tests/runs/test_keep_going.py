"""A run that goes on after a cell that failed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from octavo.records.result import RunResult

pytestmark = pytest.mark.kernel


def _statuses(project: Any, result: RunResult) -> list[str]:
    return [cell.status for cell in project.record(result).cells if cell.kind == "code"]


FAILING_TWICE = "# %%\nprint('a')\n\n# %%\n1 / 0\n\n# %%\nprint('b')\n\n# %%\n[][1]\n\n# %%\n7\n"


def test_cells_after_a_failing_one_run_and_the_first_is_told(project: Any) -> None:
    result = project.run(FAILING_TWICE, keep_going=True)
    assert (result.status, result.reason) == ("error", "cell-error")
    failed = result.failed_cell
    assert failed is not None
    assert (failed.index, failed.ename, failed.line) == (1, "ZeroDivisionError", 5)
    assert "ZeroDivisionError" in "".join(failed.traceback)
    assert _statuses(project, result) == [
        *("succeeded", "failed", "succeeded", "failed", "succeeded"),
    ]
    assert project.record(result).options["keep_going"] is True


def test_without_it_a_run_ends_there(project: Any) -> None:
    result = project.run(FAILING_TWICE)
    assert _statuses(project, result) == ["succeeded", "failed", *["not-run"] * 3]
    assert "keep_going" not in project.record(result).options


def test_a_timeout_ends_the_run_all_the_same(project: Any) -> None:
    source = "# %%\n1 / 0\n\n# %%\nimport time; time.sleep(60)\n\n# %%\nprint(1)\n"
    result = project.run(source, keep_going=True, cell_timeout=5)
    assert (result.status, result.reason) == ("error", "cell-timeout")
    assert result.failed_cell is not None
    assert result.failed_cell.index == 1
    assert _statuses(project, result) == ["failed", "timed-out", "not-run"]


def test_a_death_ends_the_run_all_the_same(project: Any) -> None:
    source = "# %%\n1 / 0\n\n# %%\nimport os; os._exit(3)\n\n# %%\nprint(1)\n"
    result = project.run(source, keep_going=True)
    assert result.reason == "kernel-died"
    assert _statuses(project, result) == ["failed", "kernel-died", "not-run"]


def test_a_notebook_that_ends_itself_after_a_failure_is_no_success(project: Any) -> None:
    result = project.run("# %%\n1 / 0\n\n# %%\nexit()\n\n# %%\nprint(1)\n", keep_going=True)
    assert (result.status, result.reason) == ("error", "cell-error")
    assert _statuses(project, result) == ["failed", "succeeded", "not-run"]


def test_the_hint_is_about_the_first_failure(project: Any) -> None:
    project.environ["MY_ADDRESS"] = "somewhere"
    source = "# %%\nimport os\nos.environ['MY_ADDRESS']\n\n# %%\n{}['other']\n"
    result = project.run(source, keep_going=True)
    assert "MY_ADDRESS" in result.message


def test_marks_reach_the_run_and_not_the_executed_notebook(project: Any) -> None:
    from octavo.notebook.skipping import RAISES_MARK, SKIP_MARK, with_marks
    from octavo.sources import read_source

    path = project.write("# %%\n1 / 0\n\n# %%\nprint('no')\n\n# %%\nprint('yes')\n")
    source = read_source(path)
    first, second, third = source.notebook.cells
    cells = (with_marks(first, {RAISES_MARK: "so"}), with_marks(second, {SKIP_MARK: "thus"}), third)
    marked = source.replace(notebook=source.notebook.replace(cells=cells))
    result = project.run_paths("nb.py", source=marked)[0]
    assert result.status == "success"
    assert _statuses(project, result) == ["succeeded", "skipped", "succeeded"]
    assert project.record(result).cells[1].why == "thus"
    executed = json.loads(Path(result.notebook_path).read_text())
    assert [cell["metadata"]["octavo"] for cell in executed["cells"]] == [
        {"status": "succeeded"},
        {"status": "skipped"},
        {"status": "succeeded"},
    ]
    assert all("tags" not in cell["metadata"] for cell in executed["cells"])
