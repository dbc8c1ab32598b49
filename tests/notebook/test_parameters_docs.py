"""The table of what fits in `docs/parameters.md` is true, row by row."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from octavo.errors import KINDS, ParameterError
from octavo.notebook.literals import python_literal
from octavo.notebook.model import Cell, Notebook
from octavo.notebook.parameters import declared
from octavo.notebook.values import bind, collect

DOCUMENT = (Path(__file__).parents[2] / "docs" / "parameters.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(x[^`]*)` \| `([^`]+)` \| (`[^`]+`|error) \|$", re.MULTILINE)
ROWS = [tuple(cell.replace("\\|", "|") for cell in row) for row in ROW.findall(DOCUMENT)]


def test_the_table_is_there() -> None:
    assert len(ROWS) > 30
    first = DOCUMENT.index("| declared | given |")
    end = DOCUMENT.index("Behind the table")
    assert DOCUMENT[first:end].count("\n|") - 1 == len(ROWS), "a row that the test cannot read"


@pytest.mark.parametrize(("source", "given", "becomes"), ROWS)
def test_a_row_of_the_table(source: str, given: str, becomes: str) -> None:
    parameters = declared(Notebook((Cell("code", source, {"tags": ["parameters"]}),)))
    if given.startswith("-p "):
        _, name, text = shlex.split(given)
        values = collect(parameters=[(name, text)])
    else:
        values = json.loads(f'{{"x": {given}}}')
    if becomes == "error":
        with pytest.raises(ParameterError):
            bind(parameters, values)
    else:
        assert python_literal(bind(parameters, values).values["x"]) == becomes.strip("`")


def test_the_error_kinds_are_ours() -> None:
    table = DOCUMENT[DOCUMENT.index("| error kind |") : DOCUMENT.index("## What is injected")]
    named = re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)
    assert set(named) <= set(KINDS)
    assert {kind for kind in KINDS if kind.startswith("parameter")} <= set(named)
