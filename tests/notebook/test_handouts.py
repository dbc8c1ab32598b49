"""What a notebook promises to hand out is read without running it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from octavo.errors import NotebookError
from octavo.notebook import formats
from octavo.notebook.handout_grammar import Bracketed, bracketed
from octavo.notebook.handouts import Handout, declared_handouts, handouts_schema
from octavo.notebook.model import Cell, Notebook

PATH = "/work/report.py"


def notebook(source: str, scraps: Any = None, **metadata: Any) -> Notebook:
    """A notebook whose second cell declares scraps; it begins on line 7 of its file."""
    cells = (Cell("code", "x = 1"), Cell("code", source, {"tags": ["scraps"]}, line=7))
    ours = {} if scraps is None else {"octavo": {"scraps": scraps}}
    return Notebook(cells if source else cells[:1], {**metadata, **ours})


def declared(source: str, scraps: Any = None) -> dict[str, Handout]:
    return {each.name: each for each in declared_handouts(notebook(source, scraps), PATH)}


def refused(source: str, scraps: Any = None, **metadata: Any) -> NotebookError:
    with pytest.raises(NotebookError) as error:
        declared_handouts(notebook(source, scraps, **metadata), PATH)
    assert error.value.kind == "scraps-declaration"
    assert error.value.hint
    return error.value


def test_name_type_bounds_unit_and_help() -> None:
    found = declared("latency: float  # [0.5..250 ms] slowest answer")["latency"]
    assert (found.type.kind, found.minimum, found.maximum) == ("float", 0.5, 250)
    assert (found.unit, found.help, found.required) == ("ms", "slowest answer", True)
    assert (found.place, found.bounds) == ("report.py:7", "0.5..250 ms")


def test_several_in_order_with_what_may_stand_beside_them() -> None:
    source = (
        '"""What the caller decides by."""\nfrom datetime import date\n\n'
        "day: date\n# resources above the threshold\nalerts: list[str]\n"
    )
    found = declared(source)
    assert list(found) == ["day", "alerts"]
    assert found["alerts"].help == "resources above the threshold"
    assert (found["day"].place, found["alerts"].place) == ("report.py:10", "report.py:12")


def test_a_notebook_that_declares_nothing() -> None:
    assert declared("") == {}
    assert declared_handouts(Notebook((Cell("markdown", "x: int", {"tags": ["scraps"]}),))) == ()


@pytest.mark.parametrize(
    "annotation",
    ['"pandas.DataFrame"', "DataFrame", "pd.DataFrame", '"table"', "pa.Table", "'pl.DataFrame'"],
)
def test_tables(annotation: str) -> None:
    found = declared(f"report: {annotation}  # one row a host")["report"]
    assert (found.form, found.required, found.kind) == ("table", True, annotation.strip("'\""))


@pytest.mark.parametrize(
    "annotation", ["X | None", "Optional[X]", "None | X", '"X | None"', "Union[X, None]"]
)
@pytest.mark.parametrize("name", ["float", "DataFrame", "display"])
def test_what_may_be_missing(annotation: str, name: str) -> None:
    found = declared(f"x: {annotation.replace('X', name)}")["x"]
    assert not found.required
    assert found.form == {"DataFrame": "table", "display": "display"}.get(name, "value")


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("", Bracketed()),
        ("only help", Bracketed(help="only help")),
        ("[0..1] help", Bracketed(0, 1, "", "help")),
        ("[0..1]", Bracketed(0, 1)),
        ("[0.. alerts] help", Bracketed(0, None, "alerts", "help")),
        ("[.. 250 ms]", Bracketed(None, 250, "ms")),
        ("[..250ms]", Bracketed(None, 250, "ms")),
        ("[-1.5e3 .. +2 m/s] a [note]", Bracketed(-1500.0, 2, "m/s", "a [note]")),
        ("[0..100%]", Bracketed(0, 100, "%")),
        ("[1_000..]", Bracketed(1000)),
        ("[ms] help", Bracketed(unit="ms", help="help")),
        ("[1/s]", Bracketed(unit="1/s")),
        ("[10 kB]", Bracketed(unit="10 kB")),
        ("help [0..1]", Bracketed(help="help [0..1]")),
    ],
)
def test_the_brackets_of_a_comment(comment: str, expected: Bracketed) -> None:
    assert bracketed(comment) == expected


numbers = st.integers(-(10**6), 10**6) | st.floats(-1e9, 1e9).map(lambda x: float(f"{x:.6f}"))
units = st.sampled_from(["", "ms", "%", "share of hosts", "°C"])


@given(st.none() | numbers, st.none() | numbers, units, st.sampled_from(["", "help", "[x] 1..2"]))
def test_brackets_are_read_as_they_are_written(
    low: float | None, high: float | None, unit: str, help: str
) -> None:
    if low is None and high is None:
        return
    ends = ["" if end is None else f"{end!r}" for end in (low, high)]
    text = f"[{ends[0]}..{ends[1]} {unit}] {help}".strip()
    assert bracketed(text) == Bracketed(low, high, unit, help)


@pytest.mark.parametrize(
    "inside",
    [
        *("", "..", ".. ms", "a..b", "0...1", "0..1..2", "0..1 2", "low..1", "1.5."),
        *("0-1", "0 – 1", "0 to 1", "0, 1", "<= 5", "> 0", "≥ 1 ms", "5", "0 ms..250 ms", "0 1"),
    ],
)
def test_what_are_no_bounds(inside: str) -> None:
    error = refused(f"a: int\nx: float  # [{inside}] help")
    assert error.place == "/work/report.py:8"
    assert "no bounds" in error.message
    assert "[0..1 share]" in error.hint


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("x: float  # [0..1 mean", 7, "x: the brackets are not closed"),
        ("x: float  # [2..1]", 7, "x: the minimum 2 is above the maximum 1"),
        ("a: int\nx: float = 3", 8, "x is declared with a value"),
        ("x = 3", 7, "`x = 3` declares no scrap"),
        ("glue('x', 3)", 7, "`glue('x', 3)` declares no scrap"),
        ("self.x: int", 7, "`self.x: int` declares no scrap"),
        ("x: int\n\nx: float", 9, "x is declared twice"),
        ("x: str  # [0..1]", 7, "x has bounds, but is declared as str"),
        ("x: list[float]  # [0..]", 7, "x has bounds, but is declared as list[float]"),
        ("x: 'DataFrame'  # [0..]", 7, "x has bounds, but is declared as DataFrame"),
        ("%%bash\nls", 7, "there is no Python in the cell tagged `scraps`"),
    ],
)
def test_a_declaration_that_makes_no_sense(source: str, line: int, message: str) -> None:
    error = refused(source)
    assert (error.place, error.message) == (f"/work/report.py:{line}", message)


def test_two_cells_are_one_too_many() -> None:
    cell = Cell("code", "x: int", {"tags": ["scraps"]})
    with pytest.raises(NotebookError) as error:
        declared_handouts(Notebook((cell, cell.replace(line=5))), "nb.py")
    assert error.value.kind == "scraps-declaration"
    assert error.value.message == "2 cells are tagged `scraps`: nb.py:1, nb.py:5"
    assert error.value.place == "nb.py:5"


def test_a_cell_that_does_not_parse_is_a_syntax_error() -> None:
    with pytest.raises(NotebookError) as error:
        declared_handouts(notebook("x: = 1"), PATH)
    assert (error.value.kind, error.value.place) == ("notebook-syntax", "/work/report.py:7")


def test_in_a_notebook_file_the_cell_is_named() -> None:
    found = declared_handouts(notebook("x: int"), "/work/nb.ipynb")
    assert found[0].place == "nb.ipynb, cell 1, line 7"


def test_metadata_says_the_same() -> None:
    entry = {"type": "float", "minimum": 0, "maximum": 1, "unit": "share", "help": "the rest"}
    in_metadata = declared("", {"health": entry})["health"]
    in_cell = declared("health: float  # [0..1 share] the rest")["health"]
    assert in_metadata.replace(place="") == in_cell.replace(place="")
    assert in_metadata.place == "octavo.scraps in the metadata"


def test_metadata_in_short_and_with_names_that_python_lacks() -> None:
    entry = {"type": "int", "required": False}
    found = declared("", {"a-b": "int", "table": "table", "any": {}, "maybe": entry})
    assert found["a-b"].type.kind == "int"
    assert found["table"].form == "table"
    assert found["any"].type.kind == "any"
    assert not found["maybe"].required
    assert found["maybe"].kind == "int | None"


@pytest.mark.parametrize("before", ["", "kernelspec:\n  name: python3\n", "jupyter:\n  "])
def test_front_matter_says_the_same(before: str) -> None:
    inner = "    " if "jupyter" in before else "  "
    text = f"---\n{before}octavo:\n{inner}scraps: {{x: int}}\n---\n\n```python\n1\n```\n"
    found = declared_handouts(formats.read(text, "nb.md"), "nb.md")
    assert [(each.name, each.type.kind) for each in found] == [("x", "int")]


def test_another_language_declares_in_its_metadata() -> None:
    r = {"kernelspec": {"name": "ir", "language": "R"}}
    scraps = {"octavo": {"scraps": {"x": "float"}}}
    found = declared_handouts(Notebook((Cell("code", "x <- 1"),), {**r, **scraps}))
    assert [each.name for each in found] == ["x"]
    assert "metadata" in refused("x: int", **r).hint


@pytest.mark.parametrize(
    ("scraps", "message"),
    [
        (["x"], "`scraps` is not a mapping"),
        ({"x": 3}, "x is neither a type nor a mapping"),
        ({"x": "flaot"}, "x: `flaot` is not a type that can be checked"),
        ({"x": "a b"}, "x: `a b` is not a type that can be checked"),
        ({"x": {"type": "float", "min": 0}}, "x has an unknown key: min"),
        ({"x": {"type": "float", "minimum": "0"}}, "x: minimum is '0', not a number"),
        ({"x": {"type": "float", "minimum": True}}, "x: minimum is True, not a number"),
        ({"x": {"type": "float", "maximum": float("nan")}}, "x: maximum is nan, not a number"),
        ({"x": {"type": 1}}, "x: type is 1, not a type such as `float`"),
        ({"x": {"type": "int", "required": 1}}, "x: required is 1, not true or false"),
        ({"x": {"type": "float", "minimum": 2, "maximum": 1}},
         "x: the minimum 2 is above the maximum 1"),
        ({"x": {"type": "str", "minimum": 2}}, "x has bounds, but is declared as str"),
    ],
)  # fmt: skip
def test_metadata_that_makes_no_sense(scraps: Any, message: str) -> None:
    error = refused("", scraps)
    assert error.message == message
    assert error.place.startswith("/work/report.py, metadata octavo.scraps")


def test_one_name_in_cell_and_metadata() -> None:
    error = refused("x: int", {"x": "int"})
    assert error.message == "x is declared in the metadata and again at report.py:7"


def test_the_schema_of_what_is_handed_out() -> None:
    source = "a: int  # [0..10 hosts] how many\nb: float | None\nt: 'DataFrame'\n"
    made = handouts_schema(declared_handouts(notebook(source)))
    Draft202012Validator.check_schema(made)
    assert made["properties"]["a"] == {
        "type": "integer",
        "minimum": 0,
        "maximum": 10,
        "x-unit": "hosts",
        "description": "how many",
    }
    assert made["properties"]["t"] == {"x-form": "table"}
    assert made["required"] == ["a", "t"]
    valid = Draft202012Validator(made).is_valid
    assert valid({"a": 3, "t": "…", "more": 1})
    assert not valid({"a": 11, "t": "…"})
    assert not valid({"t": "…"})
