"""Injection is Papermill's, cell for cell and byte for byte, with a map back to the author."""

from __future__ import annotations

import math
import sys
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from papermill.parameterize import parameterize_notebook
from papermill.translators import PythonTranslator

from octavo.notebook.injection import inject, injected_source, without_injected
from octavo.notebook.literals import Spelled, json_value, python_literal
from octavo.notebook.model import Cell, Notebook

NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
JSON_VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)
CELLS = st.builds(
    Cell,
    st.sampled_from(["code", "markdown"]),
    st.text(max_size=10),
    st.sampled_from([{}, {"tags": ["other"]}, {"name": "x"}]),
)


def code(source: str, *tags: str) -> Cell:
    return Cell("code", source, {"tags": list(tags)} if tags else {})


@pytest.fixture(autouse=True)
def _without_black(monkeypatch: pytest.MonkeyPatch) -> None:
    """Papermill reformats the cell where Black happens to be installed; we compare its own text."""
    monkeypatch.setitem(sys.modules, "black", None)


@given(values=st.dictionaries(NAMES, JSON_VALUES, max_size=5))
def test_the_text_is_papermills_for_every_json_value(values: dict[str, Any]) -> None:
    # The fixture holds for the whole test, so Papermill's formatter stays out of every example.
    assert injected_source(values) == PythonTranslator.codify(values)


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        float("-inf"),
        -0.0,
        1e300,
        "quote \" and ' and \\ and \n and \t",
        "zürich \N{SNOWMAN} \N{PILE OF POO} \ud800",
        {"a": [1, {"b": None}], "c d": True},
        [],
        {},
        "",
    ],
)
def test_awkward_values_are_spelled_as_papermill_spells_them(value: Any) -> None:
    assert injected_source({"x": value}, "Why") == PythonTranslator.codify({"x": value}, "Why")


@given(value=JSON_VALUES)
def test_the_text_means_the_value(value: Any) -> None:
    meant = eval(python_literal(value))
    assert repr(meant) == repr(value)


@pytest.mark.parametrize(
    "value",
    [(), (1,), (1, "a"), {1, 2}, set(), {1: "a", None: 2, (1, 2): 3}, b"\x00"],
)
def test_what_papermill_would_turn_into_text_keeps_its_type(value: Any) -> None:
    assert eval(python_literal(value)) == value


def test_an_integer_too_long_for_decimal_text_is_spelled_all_the_same() -> None:
    assert eval(python_literal(10**5000)) == 10**5000


def test_a_built_value_is_text_in_a_record_and_an_expression_in_the_cell() -> None:
    path = Spelled("a/b", 'Path("a/b")')
    assert injected_source({"out": [path]}) == '# Parameters\nout = [Path("a/b")]\n'
    assert json_value({"out": [path], "t": (1, {2})}) == {"out": ["a/b"], "t": [1, [2]]}


def test_an_empty_comment_is_papermills_too() -> None:
    assert injected_source({"a": 1}, "") == PythonTranslator.codify({"a": 1}, "")


def as_papermill_would(notebook: Notebook, values: dict[str, Any]) -> list[tuple[str, str]]:
    made = nbformat.v4.new_notebook(
        metadata={
            "kernelspec": {"name": "python3", "language": "python", "display_name": "Python"},
            "language_info": {"name": "python"},
            "papermill": {},
        }
    )
    for cell in notebook.cells:
        new = nbformat.v4.new_code_cell if cell.kind == "code" else nbformat.v4.new_markdown_cell
        made.cells.append(new(cell.source, metadata={"tags": list(cell.tags)}))
    bound = parameterize_notebook(made, values)
    return [(cell.source, ",".join(cell.metadata.tags)) for cell in bound.cells]


@pytest.mark.parametrize(
    "cells",
    [
        (code("a = 1"), code("x = 1", "parameters"), code("print(x)")),
        (code("a = 1"), code("print(a)")),
        (code("x = 1", "parameters"), code("x = 2", "injected-parameters"), code("x")),
        (code("x = 2", "injected-parameters"), code("x")),
        (code("x = 1", "parameters"), code("y"), code("x = 2", "injected-parameters")),
        (code("x = 1", "parameters", "more"),),
        (),
    ],
)
def test_the_cell_goes_where_papermill_puts_it(cells: tuple[Cell, ...]) -> None:
    notebook = Notebook(cells)
    injected = inject(notebook, {"x": 5})
    ours = [(cell.source, ",".join(cell.tags)) for cell in injected.notebook.cells]
    assert ours == as_papermill_would(notebook, {"x": 5})


def test_nothing_is_injected_without_values() -> None:
    notebook = Notebook((code("x = 1", "parameters"), code("x = 2", "injected-parameters")))
    injected = inject(notebook, {})
    assert injected.notebook == notebook
    assert injected.origins == (0, 1)
    assert injected.index is None


def test_a_second_injected_cell_cannot_override_the_new_values() -> None:
    stale = code("x = 2", "injected-parameters")
    injected = inject(Notebook((stale, code("y"), stale)), {"x": 5})
    assert [cell.source for cell in injected.notebook.cells] == ["# Parameters\nx = 5\n", "y"]
    assert injected.origins == (None, 1)


def test_the_values_stand_in_the_language_of_the_notebook() -> None:
    notebook = Notebook((), {"kernelspec": {"language": "bash", "name": "bash"}})
    (cell,) = inject(notebook, {"x": 1, "name": "it's"}).notebook.cells
    assert cell.source == "# Parameters\nx=1\nname='it'\"'\"'s'\n"
    assert inject(notebook, {}).notebook is notebook


@given(
    before=st.lists(CELLS, max_size=4),
    declares=st.booleans(),
    after=st.lists(CELLS, max_size=4),
    values=st.dictionaries(NAMES, SCALARS, min_size=1, max_size=3),
)
def test_every_bound_cell_leads_back_to_the_authors(
    before: list[Cell], declares: bool, after: list[Cell], values: dict[str, Any]
) -> None:
    declaring = [code("x = 1", "parameters")] if declares else []
    notebook = Notebook((*before, *declaring, *after), {"kept": True})
    injected = inject(notebook, values)
    for cell, origin in zip(injected.notebook.cells, injected.origins, strict=True):
        if origin is None:
            assert cell.tags == ("injected-parameters",)
            assert cell.id is None
        else:
            assert cell is notebook.cells[origin]
    assert injected.index is not None
    assert injected.index == (len(before) + 1 if declares else 0)


@given(
    cells=st.lists(CELLS, max_size=5),
    values=st.dictionaries(NAMES, SCALARS, min_size=1, max_size=3),
    others=st.dictionaries(NAMES, SCALARS, min_size=1, max_size=3),
)
def test_laws_of_injection(
    cells: list[Cell], values: dict[str, Any], others: dict[str, Any]
) -> None:
    notebook = Notebook(tuple(cells))
    once = inject(notebook, values)
    assert without_injected(once.notebook) == notebook
    # A second injection replaces the first: only the last values count.
    assert inject(once.notebook, others).notebook == inject(notebook, others).notebook
    assert len(once.notebook.tagged("injected-parameters")) == 1


def test_nan_is_not_lost() -> None:
    assert math.isnan(eval(python_literal(float("nan"))))
