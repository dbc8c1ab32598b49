"""`octavo.NotebookExecutor`, as the tools of an agent call it."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import sys
import threading
from pathlib import Path
from typing import Any

import nbdime
import nbformat
import pytest

import octavo

REPORT = """\
# %% [markdown]
# # Report

# %% tags=["parameters"]
n: int = 1  # how many

# %%
import sys

from octavo_runtime import glue

print("counting")
print("careful", file=sys.stderr)
glue("n", n)
glue("all", [*range(n)])

# %% tags=["check"]
if n > 3:
    raise ValueError(f"too many: {n}")
print("done", end="")
"""
CONTRACT = {
    "execute": ["input_path", "output_path", "parameters", "timeout"],
    "collect_outputs": ["notebook_path"],
    "inspect_parameters": ["notebook_path"],
    "read_notebook": ["path"],
    "write_notebook": ["nb", "path"],
    "diff_notebooks": ["path_a", "path_b"],
    "validate": ["notebook_path", "nbval_lax"],
}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "octavo.toml").write_text("")
    (tmp_path / "report.py").write_text(REPORT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OCTAVO_NO_RESIDENT", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def executor() -> octavo.NotebookExecutor:
    return octavo.NotebookExecutor()


@pytest.mark.parametrize("name", CONTRACT)
def test_methods_take_what_they_promise(name: str, executor: octavo.NotebookExecutor) -> None:
    method = getattr(executor, name)
    parameters = inspect.signature(method).parameters
    positional = [each for each, how in parameters.items() if how.kind is how.POSITIONAL_OR_KEYWORD]
    assert positional == CONTRACT[name]
    assert inspect.getdoc(method)


def test_what_holds_for_every_run_is_given_to_the_class() -> None:
    wanted = {"kernel_name": None, "cwd": None, "log_output": False, "progress": None}
    told = inspect.signature(octavo.NotebookExecutor).parameters
    assert {name: how.default for name, how in told.items()} == wanted
    execute = inspect.signature(octavo.NotebookExecutor.execute).parameters
    assert wanted.keys() < execute.keys()
    assert execute["timeout"].default == 300


@pytest.mark.kernel
def test_a_run_that_succeeds(executor: octavo.NotebookExecutor, project: Path) -> None:
    (project / "out").mkdir()
    result = executor.execute("report.py", "out/report.ipynb", {"n": 2}, timeout=60)
    assert result["status"] == "success"
    assert result["duration_seconds"] > 0
    assert result["cells_executed"] == 4
    assert result["failed_cell"] is None
    assert result["scraps"] == {"n": 2, "all": [0, 1]}
    assert result["output_path"] == str(project / "out/report.ipynb")
    assert json.loads(json.dumps(result)) == result
    record = json.loads(Path(result["record_path"]).read_text())
    assert record["run_id"] == result["run_id"]
    assert record["options"]["cell_timeout"] == 60.0
    assert executor.collect_outputs("out/report.ipynb") == {"n": 2, "all": [0, 1]}
    assert executor.collect_outputs(result["run_id"]) == {"n": 2, "all": [0, 1]}


@pytest.mark.kernel
def test_a_run_that_fails_is_told_and_not_raised(executor: octavo.NotebookExecutor) -> None:
    result = executor.execute("report.py", "out.ipynb", {"n": 9})
    assert (result["status"], result["reason"]) == ("error", "cell-error")
    failed = result["failed_cell"]
    assert failed is not None
    assert (failed["index"], failed["ename"], failed["evalue"]) == (3, "ValueError", "too many: 9")
    assert failed["source"] == executor.read_notebook("report.py").cells[3].source
    assert failed["line"] == 19
    assert result["scraps"]["n"] == 9
    assert executor.read_notebook("out.ipynb").cells[-1].outputs[0].ename == "ValueError"
    assert json.loads(json.dumps(result)) == result


@pytest.mark.kernel
def test_timeout_bounds_each_cell(executor: octavo.NotebookExecutor, project: Path) -> None:
    (project / "slow.py").write_text("# %%\nimport time\n\ntime.sleep(600)\n")
    result = executor.execute("slow.py", "out.ipynb", {}, timeout=0.2)
    assert (result["status"], result["reason"]) == ("error", "cell-timeout")
    assert result["output_path"] is not None


@pytest.mark.kernel
def test_all_keys_of_a_result_are_those_of_the_command_line(
    executor: octavo.NotebookExecutor,
) -> None:
    result = executor.execute("report.py")
    assert result.keys() == {*octavo.RunResult._fields, "output_path"}
    assert result["output_path"] is None


@pytest.mark.kernel
@pytest.mark.parametrize("name", ["python3", None])
def test_a_python_kernel_and_a_folder_to_run_in(project: Path, name: str | None) -> None:
    (project / "here").mkdir()
    (project / "where.py").write_text(
        "# %%\nimport os\n\nfrom octavo_runtime import glue\n\nglue('cwd', os.getcwd())\n"
    )
    executor = octavo.NotebookExecutor(kernel_name=name, cwd=project / "here")
    assert executor.execute("where.py")["scraps"] == {"cwd": str(project / "here")}
    assert executor.execute("where.py", cwd=project)["scraps"] == {"cwd": str(project)}


@pytest.mark.kernel
def test_progress_is_told_in_the_thread_of_the_caller() -> None:
    seen: list[octavo.Progress] = []
    threads = set()

    def told(progress: octavo.Progress) -> None:
        seen.append(progress)
        threads.add(threading.current_thread())

    octavo.NotebookExecutor(progress=told).execute("report.py", None, {"n": 9})
    assert [(each.cell, each.status, each.done) for each in seen] == [
        (1, "running", 0), (1, "succeeded", 1), (None, "running", 1), (None, "succeeded", 2),
        (2, "running", 2), (2, "succeeded", 3), (3, "running", 3), (3, "failed", 4),
    ]  # fmt: skip
    assert {each.total for each in seen} == {4}
    assert threads == {threading.current_thread()}


@pytest.mark.kernel
def test_a_progress_callback_that_fails_ends_the_run(executor: octavo.NotebookExecutor) -> None:
    def told(progress: octavo.Progress) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        executor.execute("report.py", progress=told)


@pytest.mark.kernel
def test_output_and_progress_go_to_the_log(
    executor: octavo.NotebookExecutor, caplog: pytest.LogCaptureFixture, capfd: Any
) -> None:
    with caplog.at_level(logging.INFO, "octavo"):
        executor.execute("report.py", log_output=True, progress=True)
    told = [(each.levelname, each.getMessage()) for each in caplog.records]
    assert {("INFO", "counting"), ("WARNING", "careful"), ("INFO", "done")} <= {*told}
    assert told[-1][1].endswith("cell 3 succeeded, 3 of 3 done")
    assert {each.name for each in caplog.records} == {"octavo"}
    assert ("INFO", "counting") in told
    assert {each.cell for each in caplog.records if each.getMessage() == "careful"} == {2}
    assert capfd.readouterr() == ("", "")


@pytest.mark.kernel
def test_nothing_is_logged_unasked(
    executor: octavo.NotebookExecutor, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "octavo"):
        executor.execute("report.py")
    assert caplog.records == []


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"input_path": "missing.py"}, "notebook-not-found"),
        ({"parameters": {"m": 1}}, "parameter-unknown"),
        ({"parameters": {"n": "many"}}, "parameter-type"),
        ({"output_path": "out.txt"}, "output-unwritable"),
        ({"timeout": "soon"}, "wrong-argument"),
        ({"timeout": 0}, "wrong-argument"),
        ({"timeout": []}, "wrong-argument"),
    ],
)
def test_wrong_use_raises_and_leaves_nothing(
    executor: octavo.NotebookExecutor, arguments: dict[str, Any], kind: str
) -> None:
    with pytest.raises(octavo.UsageError) as caught:
        executor.execute(**{"input_path": "report.py", **arguments})
    assert caught.value.kind == kind
    assert caught.value.hint
    assert not Path(".octavo").exists()


def test_parameters_as_a_schema(executor: octavo.NotebookExecutor) -> None:
    schema = executor.inspect_parameters("report.py")
    assert schema["properties"] == {
        "n": {"type": "integer", "description": "how many", "default": 1}
    }


def test_it_works_within_an_event_loop(executor: octavo.NotebookExecutor) -> None:
    async def work() -> tuple[Any, Any]:
        return executor.validate("report.py"), executor.inspect_parameters("report.py")

    valid, schema = asyncio.run(work())
    assert valid["valid"]
    assert schema["title"] == "Report"


@pytest.mark.kernel
def test_a_notebook_is_validated_by_running_it(
    executor: octavo.NotebookExecutor, project: Path
) -> None:
    (project / "good.py").write_text("# %%\nprint(1)\n")
    good = executor.validate("good.py", nbval_lax=True)
    assert (good["valid"], good["problems"]) == (True, [])
    assert [each["outcome"] for each in good["verdicts"]] == ["passed"]
    (project / "bad.py").write_text("# %%\n# NBVAL_CHECK_OUTPUT\nprint(1)\n\n# %%\n1 / 0\n")
    bad = executor.validate("bad.py", nbval_lax=True)
    assert bad["valid"] is False
    assert [each["place"] for each in bad["problems"]] == ["bad.py:2", "bad.py:6"]
    assert bad["problems"][1]["message"] == "ZeroDivisionError: division by zero"
    assert "verdicts" not in executor.validate("bad.py")


def test_what_fails_is_named_by_its_cell_and_its_values(
    executor: octavo.NotebookExecutor, project: Path
) -> None:
    block = "# /// check\n# [sets.small]\n# rows = 1\n# ///\n"
    cells = '# %% tags=["parameters"]\nrows = 2\n# %%\nassert rows > 1\n'
    (project / "sets.py").write_text(f"{block}{cells}")
    failing = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1\nx / 0")])
    nbformat.write(failing, project / "plain.ipynb")
    places = [
        [each["place"] for each in executor.validate(name, nbval_lax=True)["problems"]]
        for name in ("sets.py", "plain.ipynb")
    ]
    assert places == [["sets.py:8 [small]"], ["plain.ipynb, cell 0, line 2"]]


def test_reading_editing_and_writing_back(executor: octavo.NotebookExecutor, project: Path) -> None:
    nb = executor.read_notebook("report.py")
    assert isinstance(nb, nbformat.NotebookNode)
    nbformat.validate(nb)
    nb.cells[1].source = "n: int = 2  # how many"
    nb.cells.insert(2, nbformat.v4.new_markdown_cell("So be it."))
    executor.write_notebook(nb, "report.py")
    assert (project / "report.py").read_text() == REPORT.replace("= 1 ", "= 2 ").replace(
        "# %%\nimport", "# %% [markdown]\n# So be it.\n\n# %%\nimport"
    )


def test_comparing_two_notebooks(executor: octavo.NotebookExecutor, project: Path) -> None:
    nb = executor.read_notebook("report.py")
    executor.write_notebook(nb, "before.ipynb")
    nb.cells[1].source = "n: int = 2  # how many"
    executor.write_notebook(nb, "after.ipynb")
    wanted = [
        {"op": "patch", "key": "cells", "diff": [{"op": "patch", "key": 1, "diff": [
            {"op": "patch", "key": "source", "diff": [{"op": "patch", "key": 0, "diff": [
                {"op": "addrange", "key": 9, "valuelist": "2"},
                {"op": "removerange", "key": 9, "length": 1},
            ]}]},
        ]}]}
    ]  # fmt: skip
    found = executor.diff_notebooks("before.ipynb", "after.ipynb")
    assert json.loads(json.dumps(found)) == wanted
    before, after = (executor.read_notebook(f"{name}.ipynb") for name in ("before", "after"))
    assert nbdime.patch_notebook(before, found) == after
    assert executor.diff_notebooks("before.ipynb", "before.ipynb") == []


def test_formats_are_compared_by_what_they_hold(
    executor: octavo.NotebookExecutor, project: Path
) -> None:
    nb = executor.read_notebook("report.py")
    nb.cells[2].outputs = [nbformat.v4.new_output("stream", text="counting\n")]
    executor.write_notebook(nb, "report.ipynb")
    assert executor.diff_notebooks("report.py", "report.ipynb") == []
    assert executor.diff_notebooks("report.ipynb", "report.py") == []
    (project / "edited.py").write_text(REPORT.replace("\n\n# %% tags", "\n\n\n# %% tags"))
    assert executor.diff_notebooks("report.py", "edited.py") == []
    (project / "edited.py").write_text(REPORT.replace("counting", "counting up"))
    for name in ("report.py", "report.ipynb"):
        [change] = executor.diff_notebooks(name, "edited.py")
        [cell] = change["diff"]
        assert cell["key"] == 2
        assert "source" in [entry["key"] for entry in cell["diff"]]
        assert "id" not in [entry["key"] for entry in cell["diff"]]


def test_bad_paths_raise(executor: octavo.NotebookExecutor) -> None:
    for method in (
        executor.read_notebook,
        executor.validate,
        executor.inspect_parameters,
        executor.collect_outputs,
        lambda path: executor.diff_notebooks("report.py", path),
    ):
        with pytest.raises(octavo.OctavoError) as caught:
            method("missing.ipynb")
        assert caught.value.hint


def test_what_is_nested_too_deeply_is_told(
    executor: octavo.NotebookExecutor, project: Path
) -> None:
    deep: dict[str, Any] = {}
    for _ in range(900):
        deep = {"a": deep}
    nb = {"cells": [], "metadata": {"deep": deep}, "nbformat": 4, "nbformat_minor": 5}
    (project / "deep.ipynb").write_text(json.dumps(nb))
    before = (project / "deep.ipynb").read_bytes()
    for call in (
        lambda: executor.read_notebook("deep.ipynb"),
        lambda: executor.write_notebook(nb, "deep.ipynb"),
        lambda: executor.diff_notebooks("deep.ipynb", "deep.ipynb"),
    ):
        with pytest.raises(octavo.NotebookError, match="nested too deeply"):
            call()
    assert (project / "deep.ipynb").read_bytes() == before


@pytest.mark.kernel
def test_tables_are_data_where_pandas_is_and_described_elsewhere(
    executor: octavo.NotebookExecutor, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "table.py").write_text(
        "# %%\nimport pandas\n\nfrom octavo_runtime import glue\n\n"
        "glue('table', pandas.DataFrame({'a': [1, 2]}), 'pandas')\nglue('n', 1)\n"
    )
    result = executor.execute("table.py", "table.ipynb")
    assert result["scraps"]["table"]["rows"] == 2
    assert json.loads(json.dumps(result)) == result
    collected = executor.collect_outputs("table.ipynb")
    assert collected["table"].to_dict("list") == {"a": [1, 2]}
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    described = executor.collect_outputs("table.ipynb")
    assert described == {"table": result["scraps"]["table"], "n": 1}


def test_a_package_that_is_missing_is_named(
    executor: octavo.NotebookExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nbformat", None)
    with pytest.raises(octavo.InfrastructureError) as caught:
        executor.read_notebook("report.py")
    assert (caught.value.kind, caught.value.hint) == (
        "extra-missing",
        "pip install 'octavo[notebooks]'",
    )


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ({"input_path": None}, "input_path"),
        ({"input_path": b"nb.py"}, "input_path"),
        ({"output_path": 7}, "output_path"),
        ({"cwd": 5}, "cwd"),
        ({"parameters": [1, 2]}, "parameters"),
        ({"parameters": "n=1"}, "parameters"),
        ({"timeout": 10**400}, "timeout"),
        ({"timeout": [1]}, "timeout"),
        ({"progress": "yes"}, "progress"),
    ],
)
def test_arguments_of_the_wrong_type_are_told_by_name_and_nothing_runs(
    tmp_path: Path, arguments: dict[str, Any], place: str
) -> None:
    (tmp_path / "nb.py").write_text("# %%\nopen('ran', 'w')\n")
    with pytest.raises(octavo.OctavoError) as caught:
        octavo.NotebookExecutor().execute(**{"input_path": "nb.py", **arguments})
    assert (caught.value.kind, caught.value.place) == ("wrong-argument", place)
    assert caught.value.hint
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / ".octavo").exists()


def test_a_parameter_that_holds_itself(tmp_path: Path) -> None:
    (tmp_path / "nb.py").write_text('# %% tags=["parameters"]\nx: list = []\n')
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(octavo.OctavoError, match="nested too deeply"):
        octavo.NotebookExecutor().execute(tmp_path / "nb.py", parameters={"x": endless})


@pytest.mark.parametrize("document", [None, [], "{}"])
def test_what_is_no_notebook_is_not_written(tmp_path: Path, document: Any) -> None:
    with pytest.raises(octavo.OctavoError, match="a notebook is a mapping"):
        octavo.NotebookExecutor().write_notebook(document, tmp_path / "nb.ipynb")
    assert not (tmp_path / "nb.ipynb").exists()
