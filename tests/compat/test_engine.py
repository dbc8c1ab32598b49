"""`papermill --engine octavo` leaves the notebook that Papermill leaves."""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path
from typing import Any

import nbformat
import papermill
import pytest
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from papermill.exceptions import PapermillExecutionError

from compat.conftest import Execute
from compat.notebooks import code, comparable, read, statuses, text, write
from octavo.compat.papermill.engine import use_by_default

pytestmark = pytest.mark.kernel

PARAMETERS = code("a = 1\nb = 'x'", "parameters")
DISPLAYS = """\
from IPython.display import display, clear_output, HTML
shown = display({"text/plain": "first"}, raw=True, display_id="d")
print("gone"); clear_output(); print("kept")
display(HTML("<b>bold</b>"))
{"a": [1, 2]}"""

CASES: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "parameters": (
        [text("# Title"), PARAMETERS, code(""), code("print(a, b)\na"), text("end")],
        {"parameters": {"a": 5, "b": "it's", "c": [1, {"k": None}]}},
    ),
    "no-parameters": ([code("1 + 1"), text("end")], {}),
    "nothing-declared": ([text("top"), code("print(z)")], {"parameters": {"z": 2.5}}),
    "streams": (
        [code("import sys\nprint(1)\nprint(2)\nprint('e', file=sys.stderr)\n7")],
        {},
    ),
    "displays": ([code(DISPLAYS), code("shown.update({'text/plain': 'new'}, raw=True)")], {}),
    "report": ([PARAMETERS, code("a"), text("t")], {"parameters": {"a": 2}, "report_mode": True}),
    "tags": (
        [code("print('ran')", "skip"), code("1/0", "skip-execution"), code("3", "other")],
        {},
    ),
    "prepared": (
        [PARAMETERS, code("a", "injected-parameters"), code("1")],
        {"parameters": {"a": 3}, "prepare_only": True},
    ),
    "again": ([PARAMETERS, code("a = 9", "injected-parameters"), code("a")],
              {"parameters": {"a": 3}}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_notebook_is_the_same(case: str, folder: Path, execute: Execute) -> None:
    cells, options = CASES[case]
    write(folder / "in.ipynb", *map(nbformat.from_dict, json.loads(json.dumps(cells))))
    found = {}
    for engine in ("nbclient", "octavo"):
        given = execute("in.ipynb", f"{engine}.ipynb", engine, **options)
        written = read(folder / f"{engine}.ipynb")
        assert comparable(given) == comparable(written)
        found[engine] = comparable(written)
    assert found["octavo"] == found["nbclient"]


FAILING = {
    "raises": [text("t"), code("1"), code("print('before')\n1/0"), code("2"), text("end")],
    "syntax": [code("x = 1"), code("def ("), code("2")],
    "allowed": [code("1/0", "raises-exception"), code("print('goes on')"), text("end")],
}


@pytest.mark.parametrize("case", FAILING)
def test_a_failing_notebook_is_the_same(case: str, folder: Path, execute: Execute) -> None:
    write(folder / "in.ipynb", *map(nbformat.from_dict, json.loads(json.dumps(FAILING[case]))))
    found = {}
    for engine in ("nbclient", "octavo"):
        with pytest.raises(PapermillExecutionError) as raised:
            execute("in.ipynb", f"{engine}.ipynb", engine)
        error = raised.value
        told = (error.cell_index, error.exec_count, error.source, error.ename)
        found[engine] = (told, comparable(read(folder / f"{engine}.ipynb")))
    assert found["octavo"] == found["nbclient"]


def test_leaving_in_order_is_no_error(engine: str, folder: Path, execute: Execute) -> None:
    write(folder / "in.ipynb", code("1"), code("import sys; sys.exit(0)"), code("2"))
    notebook = execute("in.ipynb", "out.ipynb", engine)
    assert statuses(notebook)[2] == ("pending", None)


def test_leaving_with_an_error_is_one(engine: str, folder: Path, execute: Execute) -> None:
    write(folder / "in.ipynb", code("import sys; sys.exit(3)"), code("2"))
    with pytest.raises(PapermillExecutionError) as raised:
        execute("in.ipynb", "out.ipynb", engine)
    assert (raised.value.ename, raised.value.evalue) == ("SystemExit", "3")
    told = statuses(read(folder / "out.ipynb"))
    assert told[2:] == [("failed", True), ("pending", None)]


def test_a_dead_kernel_completes_nothing(folder: Path, execute: Execute) -> None:
    cells = [code("1"), text("t"), code("import os; os._exit(3)"), code("2"), text("end")]
    write(folder / "in.ipynb", *cells)
    with pytest.raises(DeadKernelError, match=r"os\._exit"):
        execute("in.ipynb", "out.ipynb", "octavo")
    notebook = read(folder / "out.ipynb")
    assert statuses(notebook) == [
        ("completed", False),
        ("completed", False),
        ("failed", True),
        ("pending", None),
        ("pending", None),
    ]
    assert notebook.metadata.papermill.exception is True


def test_a_timeout_completes_nothing(folder: Path, execute: Execute) -> None:
    write(folder / "in.ipynb", code("1"), code("while True: pass"), code("2"))
    with pytest.raises(CellTimeoutError, match="while True"):
        execute("in.ipynb", "out.ipynb", "octavo", execution_timeout=1)
    told = statuses(read(folder / "out.ipynb"))
    assert told == [("completed", False), ("failed", True), ("pending", None)]


def test_a_kernel_that_does_not_start_completes_nothing(folder: Path, execute: Execute) -> None:
    write(folder / "in.ipynb", code("1"), text("t"))
    with pytest.raises(Exception, match="no-such-kernel"):
        execute("in.ipynb", "out.ipynb", "octavo", kernel_name="no-such-kernel")
    assert statuses(read(folder / "out.ipynb")) == [("pending", None), ("pending", None)]


def test_a_record_is_left(folder: Path, execute: Execute) -> None:
    source = write(folder / "in.ipynb", PARAMETERS, code("print(a)"))
    execute("in.ipynb", "out.ipynb", "octavo", parameters={"a": 4})
    [path] = folder.glob(".octavo/runs/*/*/record.json")
    record = json.loads(path.read_text())
    assert record["source"]["path"] == str(source)
    assert record["parameters"] == {"a": 4}
    assert record["status"] == "success"
    assert (path.parent / "source.ipynb").read_bytes() == source.read_bytes()


def test_times_are_those_of_the_run(folder: Path, execute: Execute) -> None:
    write(folder / "in.ipynb", text("t"), code("1"), code("2"))
    notebook = execute("in.ipynb", "out.ipynb", "octavo")
    [path] = folder.glob(".octavo/runs/*/*/record.json")
    recorded = json.loads(path.read_text())["cells"]
    for cell, known in zip(notebook.cells[1:], recorded[1:], strict=True):
        told = cell.metadata.papermill
        assert (told.start_time, told.end_time) == (known["started"], known["finished"])
        assert told.duration == pytest.approx(known["duration_seconds"], abs=2e-6)


def test_where_no_record_can_be_kept_the_notebook_runs(
    folder: Path, execute: Execute, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder / "in.ipynb", code("6 * 7"))
    monkeypatch.setattr("octavo.compat.papermill.keeping._writable", lambda root: False)
    notebook = execute("in.ipynb", "out.ipynb", "octavo")
    assert notebook.cells[0].outputs[0].data["text/plain"] == "42"
    assert not (folder / ".octavo").exists()


def test_cells_run_where_papermill_was_called(engine: str, folder: Path, execute: Execute) -> None:
    (folder / "sub").mkdir()
    write(folder / "sub" / "in.ipynb", code("import os; print(os.getcwd())"))
    notebook = execute("sub/in.ipynb", None, engine)
    assert notebook.cells[0].outputs[0].text == f"{folder}\n"
    notebook = execute("sub/in.ipynb", "out.ipynb", engine, cwd="sub")
    assert notebook.cells[0].outputs[0].text == f"{folder / 'sub'}\n"
    assert (folder / "out.ipynb").exists()


def test_cells_see_the_whole_environment(
    engine: str, folder: Path, execute: Execute, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_PIPELINE", "nightly")
    write(folder / "in.ipynb", code("import os, sys; print(os.environ['MY_PIPELINE'])"))
    assert execute("in.ipynb", None, engine).cells[0].outputs[0].text == "nightly\n"


def test_streams_go_to_files(engine: str, folder: Path, execute: Execute) -> None:
    write(folder / "in.ipynb", code("import sys\nprint('o')"), code("print('e', file=sys.stderr)"))
    out, err = io.StringIO(), io.StringIO()
    execute("in.ipynb", None, engine, stdout_file=out, stderr_file=err)
    assert (out.getvalue(), err.getvalue()) == ("o\n", "e\n")


def test_output_is_logged(
    engine: str, folder: Path, execute: Execute, caplog: pytest.LogCaptureFixture
) -> None:
    source = "import sys\nprint('to out')\nprint('to err', file=sys.stderr)\n'shown'"
    write(folder / "in.ipynb", code(source))
    with caplog.at_level(logging.INFO, logger="papermill"):
        execute("in.ipynb", None, engine, log_output=True)
    told = {(each.levelname, each.getMessage().strip()) for each in caplog.records}
    assert {("INFO", "to out"), ("WARNING", "to err"), ("INFO", "'shown'")} <= told
    assert any(message.startswith("Executing Cell 1-") for _, message in told)
    assert any(message.startswith("Ending Cell 1-") for _, message in told)


LOOKING = """\
import json, pathlib
def seen():
    try:
        cells = json.loads(pathlib.Path("out.ipynb").read_text())["cells"]
    except ValueError:
        return None  # Papermill was writing it
    return [cell["metadata"]["papermill"]["status"] for cell in cells]
"""
WAITING = "while seen() != ['completed', 'running', 'pending']: pass"


def test_the_output_is_saved_after_each_cell(engine: str, folder: Path, execute: Execute) -> None:
    write(folder / "in.ipynb", code(LOOKING), code(WAITING), code("1"))
    execute("in.ipynb", "out.ipynb", engine, execution_timeout=60)


def test_saving_can_be_left_to_the_end(engine: str, folder: Path, execute: Execute) -> None:
    write(folder / "in.ipynb", code("import os; os.path.exists('out.ipynb')"))
    notebook = execute("in.ipynb", "out.ipynb", engine, request_save_on_cell_execute=False)
    assert notebook.cells[0].outputs[0].data["text/plain"] == "False"
    assert (folder / "out.ipynb").exists()


LONG = """\
import json, pathlib, time
def text():
    try:
        outputs = json.loads(pathlib.Path("out.ipynb").read_text())["cells"][0]["outputs"]
    except ValueError:
        return ""
    return "".join(line for output in outputs for line in output["text"])
print("first", flush=True)
while "first" not in text():
    print("more", flush=True); time.sleep(0.05)
"""


def test_a_long_cell_is_saved_while_it_runs(engine: str, folder: Path, execute: Execute) -> None:
    write(folder / "in.ipynb", code(LONG))
    execute("in.ipynb", "out.ipynb", engine, autosave_cell_every=0.1, execution_timeout=60)


def test_options_of_octavo_pass_through_papermill(folder: Path, execute: Execute) -> None:
    write(
        folder / "in.ipynb",
        code("x = bytearray(3 * 10**9)\nfor i in range(0, len(x), 4096): x[i] = 1"),
    )
    with pytest.raises(DeadKernelError, match="memory"):
        execute("in.ipynb", "out.ipynb", "octavo", memory=300_000_000)


def test_errors_may_be_allowed(engine: str, folder: Path, execute: Execute) -> None:
    write(folder / "in.ipynb", code("1/0"), code("print('on')"))
    with pytest.raises(PapermillExecutionError):
        execute("in.ipynb", "out.ipynb", engine, allow_errors=True)
    assert read(folder / "out.ipynb").cells[-1].outputs[0].text == "on\n"


def test_what_octavo_does_not_know_is_told(
    folder: Path, execute: Execute, caplog: pytest.LogCaptureFixture
) -> None:
    write(folder / "in.ipynb", code("1"))
    execute("in.ipynb", None, "octavo", iopub_timeout=5)
    assert "Octavo has no option iopub_timeout; it is left out" in caplog.text


def test_a_notebook_that_is_no_file(engine: str, folder: Path, execute: Execute) -> None:
    node = read(write(folder / "in.ipynb", code("6 * 7")))
    notebook = papermill.execute_notebook(node, None, engine_name=engine, progress_bar=False)
    assert notebook.cells[0].outputs[0].data["text/plain"] == "42"


def test_it_can_be_the_engine_that_nobody_names(
    folder: Path, execute: Execute, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines = papermill.engines.papermill_engines
    monkeypatch.setattr(engines, "_engines", dict(engines._engines))
    use_by_default()
    write(folder / "in.ipynb", code("6 * 7"))
    notebook = papermill.execute_notebook("in.ipynb", None, progress_bar=False)
    assert notebook.cells[0].outputs[0].data["text/plain"] == "42"
    assert len(list(folder.glob(".octavo/runs/*/*/record.json"))) == 1


def test_parameters_that_are_noted_as_text(folder: Path, execute: Execute) -> None:
    """Dagster injects its own way, and leaves a note that is no mapping."""
    node = read(write(folder / "in.ipynb", code("a = 2", "injected-parameters"), code("a")))
    node.metadata["papermill"] = {"parameters": '{"a": 2}'}
    notebook = execute(node, None, "octavo")
    assert notebook.cells[1].outputs[0].data["text/plain"] == "2"


@pytest.mark.parametrize("first", ["papermill", "octavo.compat.papermill.engine"])
def test_either_may_be_imported_first(first: str, program: Any) -> None:
    statement = f"import {first}; from octavo.compat.papermill.engine import OctavoEngine as E; "
    statement += (
        "import papermill; print(papermill.engines.papermill_engines.get_engine('octavo') is E)"
    )
    done = program("timeit", "-n1", "-r1", statement)
    assert done.out.startswith("True"), done.err


def test_importing_papermill_loads_little_of_ours(program: Any) -> None:
    listed = "import sys, papermill; print(*(m for m in sys.modules if m.startswith('octavo')))"
    done = program("timeit", "-n1", "-r1", listed)
    assert "octavo.compat.papermill.engine" in done.out
    assert "octavo.runs.plan" not in done.out
