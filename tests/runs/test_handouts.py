"""A run holds what was handed out against what the notebook declares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest

from octavo.errors import NotebookError, NotebookFailed
from octavo.events.types import Display
from octavo.notebook.handouts import declared_handouts
from octavo.notebook.model import Cell, Notebook
from octavo.records.assemble import assemble
from octavo.records.result import RunResult
from octavo.runs.handouts import HandedOut, problems, told

DECLARED = '# %% tags=["scraps"]\n{}\n\n# %%\nfrom octavo_runtime import exit, glue\n{}\n'


def ran(project: Any, declaration: str, code: str, **options: Any) -> RunResult:
    result: RunResult = project.run(DECLARED.format(declaration, code), **options)
    return result


def scrap(name: str, data: Any, encoder: str = "json") -> Display:
    payload = {"name": name, "data": data, "encoder": encoder, "version": 1}
    said = {"scrapbook": {"name": name, "data": True, "display": False}}
    return Display(0, {f"application/scrapbook.scrap.{encoder}+json": payload}, said)


def displayed(name: str) -> Display:
    said = {"scrapbook": {"name": name, "data": False, "display": True}}
    return Display(0, {"text/plain": "a chart"}, said)


def judged(declaration: str, *events: Display, ended_early: bool = False) -> str:
    cell = Cell("code", declaration, {"tags": ["scraps"]})
    handouts = declared_handouts(Notebook((cell,)), "nb.py")
    given = HandedOut()
    for event in events:
        given.take(event)
    found = problems(handouts, given, ended_early=ended_early)
    return told(found).replace(" (declared at nb.py:1)", "")


@pytest.mark.parametrize(
    ("declaration", "value", "expected"),
    [
        ("x: float  # [0..1 share]", 1, ""),
        ("x: float  # [0..1 share]", 1.4, "x: 1.4 is above 1 share"),
        ("x: float  # [0..1]", -0.5, "x: -0.5 is below 0"),
        ("x: float  # [0..1]", float("nan"), "x: nan is not within 0..1"),
        ("x: float  # [0..1]", "nan", "x: nan is not within 0..1"),
        ("x: float  # [0..]", float("inf"), ""),
        ("x: float", float("nan"), ""),
        ("x: int  # [0..]", True, "x: True is not an integer"),
        ("x: int", 3.0, ""),
        ("x: int  # [0..]", "3", "x: '3' is not an integer"),
        ("x: 'Decimal'  # [0..]", "3", "x: '3' is not a number"),
        ("x: float | None  # [0..]", None, ""),
        ("x: float | None  # [0..]", -1, "x: -1 is below 0"),
        ("x: str", 3, "x: 3 is not text"),
        ("x: list[int]", [1, None], "x[1]: None is not an integer"),
        ("x: 'DataFrame'", [1], "x is a plain value, not a table"),
        ("x: 'display'", 1, "x has no display"),
    ],
)
def test_the_verdict_on_a_value(declaration: str, value: Any, expected: str) -> None:
    assert judged(declaration, scrap("x", value)) == expected


def test_the_last_value_counts() -> None:
    assert judged("x: int", scrap("x", "no"), scrap("x", 3)) == ""


def test_tables_and_displays() -> None:
    for encoder in ("pandas", "polars", "arrow"):
        assert judged("x: 'DataFrame'", scrap("x", "UEFSMQ==", encoder)) == ""
    assert judged("x: float", scrap("x", "UEFS", "pandas")) == "x is a table, not float"
    assert judged("x: object", scrap("x", "UEFS", "pandas")) == ""
    assert judged("x: 'display'", displayed("x")) == ""
    assert judged("x: float", displayed("x")) == "x is only a display, it has no data"
    assert judged("x: float", scrap("x", 1), displayed("x")) == ""


def test_what_another_encoder_made_cannot_be_judged() -> None:
    assert judged("x: float  # [0..1]", scrap("x", "…", "their-own")) == ""


def test_what_is_missing() -> None:
    assert judged("x: int") == "x was not handed out"
    assert judged("x: int | None") == ""
    assert judged("x: int", ended_early=True) == ""
    assert judged("x: int", scrap("x", "no"), ended_early=True) == "x: 'no' is not an integer"


@pytest.mark.kernel
def test_a_run_that_keeps_its_promises(project: Any) -> None:
    declaration = "score: float  # [0..1 share] the rest\nnote: str | None"
    result = ran(project, declaration, "glue('score', 0.5); glue('more', 1)")
    assert (result.status, result.reason, result.scrap_problems) == ("success", None, ())
    assert result.scraps_schema is not None
    assert result.scraps_schema["properties"]["score"]["x-unit"] == "share"
    assert project.record(result).scraps_schema == result.scraps_schema


@pytest.mark.kernel
def test_a_run_that_breaks_them_names_every_problem(project: Any) -> None:
    declaration = "score: float  # [0..1 share]\ncount: int\nname: str"
    code = "glue('score', 1.4); glue('name', 3)\n\n# %% [markdown]\n# the end"
    result = ran(project, declaration, code)
    assert (result.status, result.reason, result.failed_cell) == ("error", "scraps", None)
    assert result.message == (
        "score: 1.4 is above 1 share (declared at nb.py:2); "
        "count was not handed out (declared at nb.py:3); "
        "name: 3 is not text (declared at nb.py:4)"
    )
    kinds = [(each["name"], each["problem"], each["place"]) for each in result.scrap_problems]
    assert kinds == [
        ("score", "bounds", "nb.py:2"),
        ("count", "missing", "nb.py:3"),
        ("name", "type", "nb.py:4"),
    ]
    assert result.to_json()["scrap_problems"][0]["message"].startswith("score: 1.4 is above")
    with pytest.raises(NotebookFailed, match=r"scraps: score: 1\.4 is above 1 share"):
        result.raise_for_status()
    executed = nbformat.read(result.notebook_path, as_version=4)
    words = [cell.metadata.papermill.status for cell in executed.cells]
    assert words == ["completed"] * 3


@pytest.mark.kernel
def test_recovery_comes_to_the_same_verdict(project: Any) -> None:
    result = ran(project, "score: float  # [0..1]", "glue('score', 2)")
    record = project.record(result)
    run_dir = Path(result.record_path).parent
    before = (run_dir / "record.json").read_bytes()
    (run_dir / "record.json").unlink()
    assert assemble(run_dir) == record
    assert (run_dir / "record.json").read_bytes() == before
    assert json.loads(before)["scrap_problems"][0]["problem"] == "bounds"


@pytest.mark.kernel
def test_a_table_and_its_kin(project: Any) -> None:
    code = "import pandas\nframe = pandas.DataFrame({'a': [1]})\nglue('report', frame)\n"
    assert ran(project, "report: 'pandas.DataFrame'", code).ok
    assert "report is a table, not int" in ran(project, "report: int", code).message
    shown = code + "glue('chart', 'a chart', 'display')\nglue('empty', None)"
    assert ran(project, "chart: 'display'\nempty: int | None", shown).ok


@pytest.mark.kernel
def test_a_failing_cell_stays_the_reason(project: Any) -> None:
    result = ran(project, "score: float", "1 / 0")
    assert (result.reason, result.scrap_problems) == ("cell-error", ())


@pytest.mark.kernel
def test_an_early_exit_may_leave_scraps_out_but_not_lie(project: Any) -> None:
    assert ran(project, "score: float", "exit()").reason == "exited-early"
    result = ran(project, "score: float\ncount: int", "glue('score', 'high')\nexit()")
    assert result.message == "score: 'high' is not a number (declared at nb.py:2)"


@pytest.mark.kernel
def test_a_scrap_too_large_for_the_record_has_been_handed_out(project: Any) -> None:
    result = ran(project, "big: str", "glue('big', 'x' * 50_000)", output_cap=10_000)
    assert result.ok
    assert result.scraps.get("big") != "x" * 50_000, "the record holds less than was handed out"


@pytest.mark.kernel
def test_a_secret_is_not_told_by_the_verdict(project: Any) -> None:
    secret = "correct-horse-battery"
    code = f"glue('count', {secret[:7]!r} + {secret[7:]!r})"
    result = ran(project, "count: int", code, env=(f"API_TOKEN={secret}",))
    assert result.message == "count: '[redacted:API_TOKEN]' is not an integer (declared at nb.py:2)"
    assert secret not in Path(result.record_path).read_text()
    assert secret not in (Path(result.record_path).parent / "events.jsonl").read_text()


@pytest.mark.kernel
def test_a_bad_declaration_is_refused_before_anything_runs(project: Any) -> None:
    with pytest.raises(NotebookError) as error:
        ran(project, "score: float  # [1..0]", "open('ran', 'w')")
    assert error.value.kind == "scraps-declaration"
    assert error.value.place.endswith("nb.py:2")
    assert not (project.root / "ran").exists()
    assert not (project.root / ".octavo").exists()


@pytest.mark.kernel
def test_a_type_that_is_not_imported_gets_a_hint(project: Any) -> None:
    result = ran(project, "report: DataFrame", "")
    assert result.reason == "cell-error"
    assert "in quotes" in result.message


@pytest.mark.kernel
def test_a_declaration_in_metadata_is_in_the_executed_notebook_too(project: Any) -> None:
    declared = {"a-b": {"type": "int", "minimum": 1}}
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("from octavo_runtime import glue; glue('a-b', 0)")],
        metadata={"octavo": {"scraps": declared}},
    )
    result = project.run(nbformat.writes(notebook), "nb.ipynb")
    message = "a-b: 0 is below 1 (declared at octavo.scraps in the metadata)"
    assert (result.reason, result.message) == ("scraps", message)
    executed = nbformat.read(result.notebook_path, as_version=4)
    assert executed.metadata.octavo.scraps == declared
    again = project.run(Path(result.notebook_path).read_text(), "again.ipynb")
    assert again.message == message
