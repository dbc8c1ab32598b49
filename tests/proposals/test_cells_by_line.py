"""A line of a file names the same cell in every format."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.notebook import formats
from octavo.notebook.formats import ipynb
from octavo.notebook.model import Cell, Notebook
from octavo.proposals.cells_by_line import place_of

SCRIPT = """\
# ---
# jupyter:
#   kernelspec:
#     name: python3
# ---

# %% [markdown]
# Title
# more

# %% name tags=["parameters"]
n = 1

m = 2
# %%
n + m
"""
DOCUMENT = """\
Title

```python
n = 1
m = 2
```

after
"""


@pytest.mark.parametrize(
    ("line", "cell", "within", "text"),
    [(8, 0, 1, "Title"), (9, 0, 2, "more"), (11, 1, 0, ""), (12, 1, 1, "n = 1"),
     (14, 1, 3, "m = 2"), (15, 2, 0, ""), (16, 2, 1, "n + m")],
)  # fmt: skip
def test_a_script(line: int, cell: int, within: int, text: str) -> None:
    place = place_of(SCRIPT, "x.py", line)
    assert place is not None
    assert (place.index, place.line, place.text) == (cell, within, text)


def test_above_the_first_cell_there_is_none() -> None:
    assert place_of(SCRIPT, "x.py", 2) is None
    assert place_of("{", "x.ipynb", 1) is None


def test_a_document() -> None:
    found = [place_of(DOCUMENT, "x.md", line) for line in (1, 4, 5, 8)]
    assert [(place.index, place.text) for place in found if place] == [
        (0, "Title"),
        (1, "n = 1"),
        (1, "m = 2"),
        (2, "after"),
    ]


SOURCES = st.lists(
    st.text(st.sampled_from('ab"{}[],:\\ \n'), min_size=1).filter(str.strip), min_size=1, max_size=5
)


@settings(deadline=None)
@given(SOURCES)
def test_every_line_of_an_ipynb(sources: list[str]) -> None:
    notebook = Notebook(tuple(Cell("code", source, id=f"c{n}") for n, source in enumerate(sources)))
    text = ipynb.dumps(ipynb.to_document(notebook))
    lines = text.split("\n")
    read = formats.read(text, "x.ipynb")
    for index, cell in enumerate(read.cells):
        for at, line in enumerate(cell.source.split("\n"), 1):
            end = "\n" if at <= cell.source.count("\n") else ""
            if not line + end:
                continue
            spelled = json.dumps(line + end, ensure_ascii=False)
            rows = [n for n, row in enumerate(lines, 1) if row.strip().rstrip(",") == spelled]
            places = [place_of(text, "x.ipynb", row) for row in rows]
            assert (index, at) in [(place.index, place.line) for place in places if place]
