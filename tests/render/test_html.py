"""What is read of HTML, and how its tables are drawn."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.render import html as reader
from octavo.render.columns import width
from octavo.render.grids import GridDrawer
from octavo.render.html import Grid, Text, html_blocks
from octavo.render.outputs import OutputDrawer
from octavo.render.style import PLAIN, Style


def drawn(html: str, columns: int = 40, *, full: bool = False, style: Style = PLAIN) -> list[str]:
    output = {"output_type": "display_data", "data": {"text/html": html}, "metadata": {}}
    return OutputDrawer(style, columns, "none", full=full).lines([output])


def frame(columns: int = 3, rows: int = 2) -> Any:
    import pandas as pd

    data = {f"column {at}": [at * 10 + row for row in range(rows)] for at in range(columns)}
    return pd.DataFrame(data)


def test_a_frame_is_an_aligned_table() -> None:
    import pandas as pd

    table = pd.DataFrame({"name": ["alpha", "中文"], "value": [1.5, -22.25], "on": ["2026", "x"]})
    assert drawn(table._repr_html_()) == [
        "   name    value  on",
        "──────────────────────",
        "0  alpha    1.50  2026",
        "1  中文   -22.25  x",
    ]


def test_headings_over_several_rows_and_columns() -> None:
    import pandas as pd

    index = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)], names=["x", "y"])
    table = pd.DataFrame({("v", "mean"): [1, 2, 3], ("v", "sum"): [4, 5, 6]}, index=index)
    assert drawn(table._repr_html_()) == [
        "         v",
        "      mean  sum",
        "x  y",
        "───────────────",
        "a  1     1    4",
        "   2     2    5",
        "b  1     3    6",
    ]


def test_an_empty_frame_says_so() -> None:
    import pandas as pd

    for table in (pd.DataFrame(), pd.DataFrame({"a": []})):
        data = {"text/html": table._repr_html_(), "text/plain": repr(table)}
        output = {"output_type": "display_data", "data": data, "metadata": {}}
        lines = OutputDrawer(PLAIN, 40, "none", full=False).lines([output])
        assert lines[0] == "Empty DataFrame"


def test_what_polars_shows() -> None:
    import polars as pl

    lines = drawn(pl.DataFrame({"a": [1, 20], "b": ["x", "y"]})._repr_html_())
    assert lines[0] == "shape: (2, 2)"
    assert lines[-2:] == ['  1  "x"', ' 20  "y"']


def test_a_wide_table_keeps_both_ends_and_says_what_it_leaves_out() -> None:
    lines = drawn(frame(columns=9)._repr_html_(), 44)
    assert lines == [
        "   column 0  column 1  …  column 8",
        "──────────────────────────────────",
        "0         0        10  …        80",
        "1         1        11  …        81",
        "… 6 columns left out, --full shows them …",
    ]
    every = drawn(frame(columns=9)._repr_html_(), 44, full=True)
    for at in range(9):
        assert any(f"column {at}" in line for line in every)
    assert max(map(width, every)) <= 44


def test_a_long_table_keeps_its_head() -> None:
    lines = drawn(frame(rows=50).to_html())
    assert "column 0" in lines[0]
    assert lines[2].split() == ["0", "0", "10", "20"]
    assert lines[-1] == "… 30 rows left out, --full shows them …"
    assert lines[-2].split() == ["49", "49", "59", "69"]
    assert len(drawn(frame(rows=50).to_html(), full=True)) == 52


def test_text_around_tables() -> None:
    blocks = html_blocks(
        "<h2>T</h2>one <b>two</b>&amp;<!-- no --><style>no</style><table><tr><td>a<td>b</table>"
        "<pre>x\n  y</pre><script>if (a < b) no()</script>end"
    )
    assert blocks == [
        Text("T", "heading"),
        Text("one two&"),
        Grid((("a", "b"),), 0),
        Text("x\n  y", "code"),
        Text("end"),
    ]


def test_control_characters_do_not_reach_the_terminal() -> None:
    hostile = "&#27;[2J\x1b[2Ja&#x9b;31m\x9b31m&#7;\x07&#x202e;\u202e\x1b]0;t\x07"
    html = f"<p>{hostile}</p><pre>{hostile}</pre><table><tr><td>{hostile}</td></tr></table>"
    for style in (PLAIN, Style(colour=True)):
        lines = drawn(html, style=style)
        assert len(lines) == 3
        assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize(
    "piece",
    ["<a ", "<!--", "<![", "</", "<script>", "<SCRIPT></script>", "<svg>", "<td rowspan=999>",
     "<table><tr>" + "<td rowspan=1000 colspan=1000>x" * 3 + "<tr>" * 50, "&#", "<td colspan=999>"],
)  # fmt: skip
def test_work_is_bounded_by_the_size_of_the_text(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No piece of the text is looked at twice, and tables do not outgrow their limit."""
    tags: list[int] = []
    original = reader._Reader.tag

    def counting(self: Any, tag: str) -> None:
        tags.append(len(tag))
        original(self, tag)

    monkeypatch.setattr(reader._Reader, "tag", counting)
    text = "<table>" + piece * (200_000 // len(piece))
    blocks = html_blocks(text)
    assert sum(tags) <= len(text)
    cells = sum(len(row) for block in blocks if isinstance(block, Grid) for row in block.rows)
    assert cells <= 2 * reader.MOST_CELLS


PIECES = [*"<>/ab!-&;#\"'= \n", "table", "tr", "td", "th", "script", "<td>", "日本"]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_can_be_read(text: str) -> None:
    lines = drawn(text, 30)
    assert all(width(line) <= 30 for line in lines)


CELLS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(st.lists(st.lists(CELLS, max_size=8), max_size=30), st.integers(0, 2), st.integers(20, 90))
def test_tables_always_fit(rows: list[list[str]], heads: int, columns: int) -> None:
    grid = Grid(tuple(map(tuple, rows)), min(heads, len(rows)))
    for full in (False, True):
        lines = GridDrawer(PLAIN, columns, full=full).lines(grid)
        assert all(width(line) <= columns for line in lines)
