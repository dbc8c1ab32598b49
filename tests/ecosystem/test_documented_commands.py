"""The commands that people know from the tools' documents, on both example notebooks."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import jupytext
import nbdime
import nbformat
import papermill as pm
import pytest
import scrapbook as sb
from nbdime.patching import patch

from ecosystem.making import EXAMPLES, command

pytestmark = pytest.mark.kernel

NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
#: The first threshold that each notebook declares.
LOW = {"agent_task_system_health": "threshold", "fleet_health_check": "load_threshold"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with nothing but the examples; commands are called at its root."""
    shutil.copytree(EXAMPLES, tmp_path / "notebooks", ignore=shutil.ignore_patterns(".*"))
    return tmp_path


def call(repository: Path, *words: object) -> str:
    done = command(*words, cwd=repository)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def sources(path: Path) -> list[tuple[str, str]]:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return [(cell.cell_type, cell.source) for cell in notebook.cells]


def injected(path: Path) -> str:
    (cell,) = (
        cell
        for cell in nbformat.read(path, as_version=4).cells
        if "injected-parameters" in cell.metadata.get("tags", [])
    )
    return str(cell.source)


@pytest.mark.parametrize("name", NAMES)
def test_jupytext_makes_the_notebook_and_the_script(name: str, repository: Path) -> None:
    script = repository / "notebooks" / f"{name}.py"
    notebook = script.with_suffix(".ipynb")
    expected = sources(notebook)
    notebook.unlink()
    call(repository, "jupytext", "--to", "ipynb", f"notebooks/{name}.py")
    assert sources(notebook) == expected, "octavo sync and jupytext read the script alike"
    shutil.copy(EXAMPLES / f"{name}.ipynb", notebook)
    before = script.read_text()
    script.unlink()
    call(repository, "jupytext", "--to", "py", f"notebooks/{name}.ipynb")
    back = [(cell.cell_type, cell.source) for cell in jupytext.read(script).cells]
    assert back == expected
    assert script.read_text().endswith(before), "at most a header of jupytext's own is added"


@pytest.mark.parametrize("name", NAMES)
def test_papermill_runs_it_and_scrapbook_reads_what_came_of_it(name: str, repository: Path) -> None:
    call(
        repository, "papermill", f"notebooks/{name}.ipynb", "output.ipynb",
        "-p", "threshold", "1.0", "-p", "hostname", "forge-vps-01",
    )  # fmt: skip
    assert 'threshold = 1.0\nhostname = "forge-vps-01"' in injected(repository / "output.ipynb")
    result = sb.read_notebook(str(repository / "output.ipynb"))
    assert 0 <= result.scraps["health_score"].data <= 1
    assert result.scraps["alert_count"].data >= 0
    assert result.scraps["health_score"].encoder == "json"


@pytest.mark.parametrize("name", NAMES)
def test_papermill_takes_a_file_of_parameters_and_logs_for_ci(name: str, repository: Path) -> None:
    (repository / "params.yaml").write_text(f"{LOW[name]}: -1.0\n")
    (repository / "output").mkdir()
    told = call(
        repository, "papermill", f"notebooks/{name}.ipynb", "output/run_001.ipynb",
        "-f", "params.yaml", "--log-output", "--no-progress-bar", "--execution-timeout", "300",
        "-p", "run_id", "fleet-check-2026-04-06",
    )  # fmt: skip
    assert "ALERT" in told, "what the cells print is logged"
    assert "fleet-check-2026-04-06" in injected(repository / "output" / "run_001.ipynb")
    book = sb.read_notebooks(str(repository / "output"))
    assert book["run_001"].scraps["alert_count"].data >= 3


@pytest.mark.parametrize("name", NAMES)
def test_papermill_prepares_and_tells_the_parameters(name: str, repository: Path) -> None:
    path = f"notebooks/{name}.ipynb"
    words = ("--prepare-only", "-p", LOW[name], "0.01")
    call(repository, "papermill", path, "preview.ipynb", *words)
    assert f"{LOW[name]} = 0.01" in injected(repository / "preview.ipynb")
    preview = nbformat.read(repository / "preview.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in preview.cells)
    told = call(repository, "papermill", "--help-notebook", path)
    assert f"{LOW[name]}: float (default 0.9)" in told


def test_the_python_call_of_papermill(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = repository / "notebooks"
    monkeypatch.chdir(folder)
    monkeypatch.setenv("IPYTHONDIR", str(repository / ".ipython"))
    executed: Any = pm.execute_notebook(
        input_path="fleet_health_check.ipynb",
        output_path="validation_run.ipynb",
        parameters={"agent_id": "agent-validation", "run_id": "fleet-check-2026-04-06"},
        kernel_name="python3",
        execution_timeout=300,
        log_output=True,
        cwd=str(folder),
    )
    assert executed.metadata.papermill.exception is None
    result = sb.read_notebook("validation_run.ipynb")
    assert result.scraps["agent_id"].data == "agent-validation"


@pytest.mark.parametrize("name", NAMES)
def test_nbdiff_and_the_python_calls_of_nbdime(name: str, repository: Path) -> None:
    base = repository / "notebooks" / f"{name}.ipynb"
    with base.open() as file:
        notebook = nbformat.read(file, as_version=4)
    cell = next(c for c in notebook.cells if "parameters" in c.get("metadata", {}).get("tags", []))
    cell.source = cell.source.replace("= 0.9 ", "= 0.95 ", 1)
    note = nbformat.v4.new_markdown_cell("**Note:** the threshold was too low.")
    notebook.cells.insert(notebook.cells.index(cell) + 1, note)
    with (repository / "proposed.ipynb").open("w") as file:
        nbformat.write(notebook, file)
    nbformat.validate(notebook)
    told = call(repository, "nbdiff", base, "proposed.ipynb")
    assert f"{LOW[name]}: float = 0.95" in told
    assert "the threshold was too low" in told

    nb_base = nbformat.read(base.open(), as_version=4)
    nb_pr = nbformat.read((repository / "proposed.ipynb").open(), as_version=4)
    difference = nbdime.diff_notebooks(nb_base, nb_pr)
    assert [(entry["op"], entry["key"]) for entry in difference] == [("patch", "cells")]
    assert patch(nb_base, difference) == nb_pr


@pytest.mark.parametrize("name", NAMES)
def test_nbval_lax_passes_on_the_source_and_on_a_run(name: str, repository: Path) -> None:
    call(repository, "octavo", "run", f"notebooks/{name}.py", "-o", "notebooks/run.ipynb", "-q")
    words = ("pytest", "-p", "no:cacheprovider", "--nbval-lax")
    told = call(repository, *words, f"notebooks/{name}.ipynb", "notebooks/run.ipynb")
    assert " passed" in told
    assert "failed" not in told


def test_nbval_sees_that_a_critical_output_has_changed(repository: Path) -> None:
    run = repository / "notebooks" / "run.ipynb"
    call(repository, "octavo", "run", "notebooks/fleet_health_check.py", "-o", run, "-q")
    words = ("pytest", "-p", "no:cacheprovider", "--nbval", "notebooks/run.ipynb")
    assert "failed" not in call(repository, *words)
    run.write_text(run.read_text().replace("health score 0.", "health score 9."))
    done = command("pytest", "-p", "no:cacheprovider", "--nbval-lax", run, cwd=repository)
    assert (done.returncode, "1 failed" in done.stdout) == (1, True), done.stdout
