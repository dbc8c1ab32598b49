"""Finding names costs what the cells do, and not that times all names: counted in calls."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from notebook.test_growth import calls
from octavo.notebook.model import Cell, Notebook
from octavo.notebook.names import analyse
from octavo.notebook.names.statements import Statements

SHAPES: dict[str, Callable[[int], str]] = {
    "tables": lambda n: (
        f"df{n} = pd.DataFrame({{'a': [1, {n}]}})\n"
        f"for row{n} in range(3):\n    df{n}['c'] = df{n}['a'] * row{n}\n"
        f"total{n} = df{n}['c'].sum()\n"
        f"def summary{n}(table, k={n}):\n    return table['a'].mean() + k\n"
        f"print(summary{n}(df{n}), total{n})"
    ),
    "the same names again": lambda n: (
        "df = pd.read_csv('x')\n"
        "for row in df.itertuples():\n    df.loc[row.Index, 'c'] = row.a\n"
        "total = df['c'].sum()\ndef summary(table):\n    return table.mean() + total\nsummary(df)"
    ),
    "a loop variable for all": lambda n: (
        f"data{n} = load('{n}')\nfor x in data{n}:\n    x.update(done=True)\n"
        f"total{n} = sum(len(x) for x in data{n})"
    ),
    "functions of unknown modules": lambda n: (
        f"a{n} = load({n})\nif a{n}:\n    b{n} = a{n}.convert(a{n})\nelse:\n    b{n} = 1"
    ),
    "a try in each": lambda n: f"try:\n    a{n} = [{n}]\nexcept ValueError:\n    a{n} = []",
}


def notebook(shape: str, size: int) -> Notebook:
    cells = ["import pandas as pd\nfrom somewhere import load", *map(SHAPES[shape], range(size))]
    return Notebook(tuple(Cell("code", source) for source in cells))


@pytest.mark.parametrize("shape", SHAPES)
def test_calls_grow_with_the_cells(shape: str) -> None:
    small, large = (calls(partial(analyse, notebook(shape, size))) for size in (50, 200))
    assert large <= 4.4 * small


@pytest.mark.parametrize("shape", SHAPES)
def test_names_that_are_looked_at_grow_with_the_cells(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A loop within one call would not show among the calls."""
    counted = 0
    before = Statements.worked

    def worked(self: Statements, much: int) -> None:
        nonlocal counted
        counted += much
        before(self, much)

    monkeypatch.setattr(Statements, "worked", worked)
    analyse(notebook(shape, 50))
    small, counted = counted, 0
    analyse(notebook(shape, 200))
    assert 0 < counted <= 4.4 * small


def test_one_cell_with_all_statements_grows_alike() -> None:
    def cell(size: int) -> Notebook:
        lines = "\n".join(map(SHAPES["tables"], range(size)))
        return Notebook((Cell("code", f"import pandas as pd\n{lines}"),))

    small, large = (calls(partial(analyse, cell(size))) for size in (50, 200))
    assert large <= 4.4 * small
