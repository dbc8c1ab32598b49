"""`octavo.compat.papermill`: Papermill's functions without Papermill."""

from __future__ import annotations

import inspect
import io
import json
import logging
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbclient.exceptions
import nbformat
import papermill
import papermill.exceptions
import pytest

from compat.conftest import Execute
from compat.notebooks import code, read, statuses, text, write
from octavo.compat import papermill as pm
from octavo.compat.papermill import exceptions
from octavo.errors import OctavoError

PARAMETERS = """\
a = 1
b: int = 2  # how many
c = "x"  # type: str a name
d: float = 0.5
"""


def run(source: Any, output: Any = None, **options: Any) -> Any:
    return pm.execute_notebook(source, output, progress_bar=False, **options)


@pytest.mark.parametrize("name", ["execute_notebook", "inspect_notebook"])
def test_signatures_are_papermills(name: str) -> None:
    def shape(function: Any) -> list[tuple[str, Any, Any]]:
        found = inspect.signature(function).parameters.values()
        return [(each.name, each.default, each.kind) for each in found]

    assert shape(getattr(pm, name)) == shape(getattr(papermill, name))


@pytest.mark.kernel
def test_a_notebook_is_executed_and_given_back(folder: Path) -> None:
    source = write(folder / "in.ipynb", text("t"), code("a = 1", "parameters"), code("a * 2"))
    before = source.read_bytes()
    notebook = run("in.ipynb", "out.ipynb", parameters={"a": 21})
    assert isinstance(notebook, nbformat.NotebookNode)
    assert notebook == read(folder / "out.ipynb")
    assert notebook.cells[3].outputs[0].data["text/plain"] == "42"
    assert notebook.cells[2].metadata.tags == ["injected-parameters"]
    assert notebook.metadata.papermill.parameters == {"a": 21}
    assert notebook.metadata.papermill.input_path == "in.ipynb"
    assert notebook.metadata.papermill.output_path == "out.ipynb"
    assert [status for status, _ in statuses(notebook)] == ["completed"] * 4
    assert source.read_bytes() == before


@pytest.mark.kernel
def test_the_outcome_has_the_keys_that_papermills_has(folder: Path, execute: Execute) -> None:
    write(folder / "in.ipynb", text("t"), code("a = 1", "parameters"), code("print(a)\na"))
    theirs = execute("in.ipynb", None, "nbclient", parameters={"a": 2})
    ours = run("in.ipynb", parameters={"a": 2})
    assert set(ours.metadata.papermill) == set(theirs.metadata.papermill)
    assert set(ours.metadata) - {"octavo"} == set(theirs.metadata)
    assert ours.metadata.language_info == theirs.metadata.language_info
    assert ours.metadata.kernelspec == theirs.metadata.kernelspec
    for one, other in zip(ours.cells, theirs.cells, strict=True):
        assert one.source == other.source
        assert one.get("outputs") == other.get("outputs")
        assert one.get("execution_count") == other.get("execution_count")
        assert set(one.metadata) - {"octavo"} == set(other.metadata)
        assert set(one.metadata.papermill) == set(other.metadata.papermill)
        assert one.metadata.papermill.status == other.metadata.papermill.status


@pytest.mark.kernel
def test_a_cell_that_raises(folder: Path, execute: Execute) -> None:
    write(folder / "in.ipynb", text("t"), code("print('before')\nx = {}['k']"), code("2"))
    with pytest.raises(pm.PapermillExecutionError) as ours:
        run("in.ipynb", "ours.ipynb")
    with pytest.raises(papermill.exceptions.PapermillExecutionError) as theirs:
        execute("in.ipynb", "theirs.ipynb", "nbclient")
    for name in ("cell_index", "exec_count", "source", "ename", "evalue"):
        assert getattr(ours.value, name) == getattr(theirs.value, name)
    assert str(ours.value) == str(theirs.value)
    written, expected = read(folder / "ours.ipynb"), read(folder / "theirs.ipynb")
    assert statuses(written) == statuses(expected)
    marked = [cell.metadata.tags for cell in written.cells]
    assert marked == [cell.metadata.tags for cell in expected.cells]
    assert written.cells[3].outputs[0].text == "before\n"


@pytest.mark.kernel
def test_marks_of_an_earlier_failure_are_removed(folder: Path) -> None:
    write(folder / "in.ipynb", code("ok = False", "parameters"), code("assert ok"))
    with pytest.raises(pm.PapermillExecutionError):
        run("in.ipynb", "failed.ipynb")
    notebook = run("failed.ipynb", "mended.ipynb", parameters={"ok": True})
    assert [cell.cell_type for cell in notebook.cells] == ["code"] * 3


def test_the_exception_is_papermills_too() -> None:
    error = exceptions.made(pm.PapermillExecutionError, 1, 2, "1/0", "E", "v", ["t"])
    assert isinstance(error, papermill.exceptions.PapermillExecutionError)
    assert isinstance(error, pm.PapermillExecutionError)
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, papermill.exceptions.PapermillExecutionError)
    assert again.args == error.args
    late = exceptions.made(exceptions.CellTimeoutError, "late")
    assert isinstance(late, nbclient.exceptions.CellTimeoutError)
    assert isinstance(late, TimeoutError)


def test_without_papermill_the_exception_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "papermill.exceptions")
    error = exceptions.made(pm.PapermillExecutionError, 1, 2, "1/0", "E", "v", ["t"])
    assert type(error) is pm.PapermillExecutionError


ALONE = """\
import sys
sys.modules["papermill"] = sys.modules["nbclient"] = sys.modules["jupyter_client"] = None
from octavo.compat import papermill as pm
try:
    pm.execute_notebook("in.ipynb", "out.ipynb", parameters={"a": 0})
except pm.PapermillExecutionError as error:
    print(error.ename, error.cell_index)
print(pm.inspect_notebook("in.ipynb"))
print(pm.execute_notebook("in.ipynb", None, parameters={"a": 2}).cells[2].outputs[0].text)
"""


@pytest.mark.kernel
def test_papermill_need_not_be_installed(folder: Path, program: Any) -> None:
    write(folder / "in.ipynb", code("a = 1", "parameters"), code("print(1 / a)"))
    (folder / "alone.py").write_text(ALONE)
    done = program("alone")
    assert done.out.splitlines()[:1] == ["ZeroDivisionError 2"], done.err
    assert "'inferred_type_name': 'None'" in done.out
    assert done.out.splitlines()[-2] == "0.5"


@pytest.mark.kernel
def test_a_timeout_and_a_dead_kernel_are_told(folder: Path) -> None:
    write(folder / "slow.ipynb", code("1"), code("while True: pass"), code("2"))
    with pytest.raises(nbclient.exceptions.CellTimeoutError):
        run("slow.ipynb", "slow_out.ipynb", execution_timeout=1)
    told = [status for status, _ in statuses(read(folder / "slow_out.ipynb"))]
    assert [status for status in told if status] == ["completed", "failed", "pending"]
    write(folder / "dead.ipynb", code("import os; os._exit(1)"), code("2"))
    with pytest.raises(exceptions.DeadKernelError):
        run("dead.ipynb", "dead_out.ipynb")
    assert [status for status, _ in statuses(read(folder / "dead_out.ipynb"))] == [
        "failed",
        "pending",
    ]


@pytest.mark.kernel
def test_values_are_injected_as_they_are(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Papermill checks no types and takes any name."""
    write(folder / "in.ipynb", code("n: int = 1", "parameters"), code("print(n, extra)"))
    notebook = run("in.ipynb", parameters={"n": "many", "extra": [1]})
    assert notebook.cells[2].outputs[0].text == "many [1]\n"
    assert "Passed unknown parameter: extra" in caplog.text


@pytest.mark.kernel
def test_prepare_only_runs_nothing(folder: Path) -> None:
    write(folder / "in.ipynb", code("a = 1", "parameters"), code("open('ran', 'w')"))
    notebook = run("in.ipynb", "out.ipynb", parameters={"a": 5}, prepare_only=True)
    assert notebook.cells[1].source == "# Parameters\na = 5\n"
    assert read(folder / "out.ipynb").cells[1].source == notebook.cells[1].source
    assert not (folder / "ran").exists()
    assert not (folder / ".octavo").exists()


@pytest.mark.kernel
def test_paths_take_parameters(folder: Path) -> None:
    write(folder / "in-x.ipynb", code("name = ''", "parameters"))
    run("in-{name}.ipynb", "out-{name}-{pm[run_uuid]}.ipynb", parameters={"name": "x"})
    [written] = folder.glob("out-x-*.ipynb")
    assert len(written.stem) == len("out-x-") + 36
    for module in (pm, papermill.exceptions):
        with pytest.raises(module.PapermillMissingParameterException, match="other"):
            run("in-{other}.ipynb")


@pytest.mark.kernel
def test_streams_logging_and_folders(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    (folder / "sub").mkdir()
    source = "import os, sys\nprint(os.path.basename(os.getcwd()))\nprint('e', file=sys.stderr)"
    write(folder / "in.ipynb", code(source))
    out, err = io.StringIO(), io.StringIO()
    with caplog.at_level(logging.INFO, logger="papermill"):
        run("in.ipynb", "new/deep/out.ipynb", stdout_file=out, stderr_file=err, cwd="sub",
            log_output=True)  # fmt: skip
    assert (out.getvalue(), err.getvalue()) == ("sub\n", "e\n")
    told = [(each.levelname, each.getMessage()) for each in caplog.records]
    assert ("INFO", "sub\n") in told and ("WARNING", "e\n") in told
    assert (folder / "new" / "deep" / "out.ipynb").exists()


@pytest.mark.kernel
def test_a_notebook_that_is_no_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    node = read(write(folder / "in.ipynb", code("6 * 7")))
    run(node, "-", report_mode=True)
    notebook = nbformat.reads(capsys.readouterr().out, as_version=4)
    assert notebook.cells[0].outputs[0].data["text/plain"] == "42"
    assert notebook.cells[0].metadata.jupyter.source_hidden is True


@pytest.mark.kernel
def test_scripts_run_too(folder: Path) -> None:
    (folder / "nb.py").write_text("# %% tags=['parameters']\na = 1\n# %%\nprint(a)\n")
    assert run("nb.py", parameters={"a": 3}).cells[2].outputs[0].text == "3\n"


def test_bad_input_is_told(folder: Path) -> None:
    with pytest.raises(OctavoError, match="no such file"):
        run("missing.ipynb", "out.ipynb")
    (folder / "broken.ipynb").write_text("{")
    with pytest.raises(OctavoError):
        run("broken.ipynb", "out.ipynb")
    assert not (folder / "out.ipynb").exists()


def test_parameters_are_inspected_as_papermill_does(folder: Path) -> None:
    write(folder / "in.ipynb", code(PARAMETERS, "parameters"))
    assert pm.inspect_notebook("in.ipynb") == papermill.inspect_notebook("in.ipynb")
    write(folder / "none.ipynb", code("a = 1"))
    assert pm.inspect_notebook("none.ipynb") == {} == papermill.inspect_notebook("none.ipynb")


@pytest.mark.kernel
def test_a_record_is_left(folder: Path) -> None:
    write(folder / "in.ipynb", code("a = 1", "parameters"))
    run("in.ipynb", parameters={"a": 2})
    [path] = folder.glob(".octavo/runs/*/*/record.json")
    assert json.loads(path.read_text())["parameters"] == {"a": 2}


@pytest.mark.kernel
@pytest.mark.parametrize("execute", [pm.execute_notebook, papermill.execute_notebook])
def test_a_notebook_may_be_executed_in_place(folder: Path, execute: Callable[..., Any]) -> None:
    path = write(folder / "in.ipynb", code("a = 1", "parameters"), code("a"))
    for value in (5, 6):
        execute(path.name, path.name, parameters={"a": value}, progress_bar=False)
        cells = read(path).cells
        assert [cell.source.splitlines()[-1] for cell in cells] == ["a = 1", f"a = {value}", "a"]
        assert cells[2].outputs[0].data["text/plain"] == str(value)
