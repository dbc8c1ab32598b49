"""What comments and tags say of a cell."""

from __future__ import annotations

from typing import Any

import pytest

from octavo.gate.nbval.markers import Expectation, expectation, marked
from octavo.notebook.model import Cell, Notebook
from octavo.notebook.skipping import may_raise, skip_condition


def code(source: str, *tags: Any) -> Cell:
    return Cell("code", source, {"tags": list(tags)} if tags else {})


@pytest.mark.parametrize(
    ("source", "tags", "expected"),
    [
        ("x", (), Expectation(check=False)),
        ("# NBVAL_CHECK_OUTPUT\nx", (), Expectation(check=True)),
        ("x\n   ## NBVAL_CHECK_OUTPUT  ", (), Expectation(check=True)),
        ("x  # NBVAL_CHECK_OUTPUT", (), Expectation(check=False)),
        ("# NBVAL_CHECK_OUTPUT please", (), Expectation(check=False)),
        ("# NBVAL_CHECK_OUTPUT\n# NBVAL_IGNORE_OUTPUT", (), Expectation(check=False)),
        ("# NBVAL_CHECK_OUTPUT", ("nbval-ignore-output",), Expectation(check=True)),
        ("x", ("nbval-ignore-output", "nbval-check-output"), Expectation(check=True)),
        ("# NBVAL_RAISES_EXCEPTION", (), Expectation(check=False, raises=True)),
        ("x", ("raises-exception",), Expectation(check=False, raises=True)),
        ("x", ("nbval-raises-exception",), Expectation(check=False, raises=True)),
        ("# NBVAL_SKIP", ("nbval-check-output",), Expectation(check=True, skip=True)),
        ("x", (3, None, "nbval-skip"), Expectation(check=False, skip=True)),
    ],
)
def test_words(source: str, tags: tuple[Any, ...], expected: Expectation) -> None:
    assert expectation(code(source, *tags), strict=False) == expected


def test_strict_checks_what_is_not_ignored() -> None:
    assert expectation(code("x"), strict=True).check
    assert not expectation(code("# NBVAL_IGNORE_OUTPUT"), strict=True).check
    assert not expectation(code("# PYTEST_VALIDATE_IGNORE_OUTPUT"), strict=True).check
    assert not expectation(code("x", "nbval-ignore-output"), strict=True).check


def test_tags_that_are_no_list_say_nothing() -> None:
    cell = Cell("code", "x", {"tags": "nbval-skip"})
    assert expectation(cell, strict=False) == Expectation(check=False)


def test_a_run_learns_of_the_marks_and_sources_stay() -> None:
    cells = (
        code("# NBVAL_SKIP\n1/0"),
        code("# NBVAL_RAISES_EXCEPTION\n1/0"),
        code("x", "mine"),
        Cell("markdown", "# NBVAL_SKIP"),
    )
    notebook = marked(Notebook(cells))
    assert [cell.source for cell in notebook.cells] == [cell.source for cell in cells]
    assert [cell.tags for cell in notebook.cells] == [cell.tags for cell in cells]
    assert skip_condition(notebook.cells[0]) is not None
    assert [may_raise(cell.metadata) for cell in notebook.cells] == [False, True, False, False]
    assert notebook.cells[2:] == cells[2:]


def test_a_notebook_without_marks_is_the_same() -> None:
    notebook = Notebook((code("x"),))
    assert marked(notebook) is notebook
