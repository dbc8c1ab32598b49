"""What a cell is called."""

from __future__ import annotations

import pytest

from octavo.notebook.model import Cell
from octavo.render.titles import heading, title


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([Cell("code", "x", {"name": "load"})], "load"),
        ([Cell("code", "x", {"title": "Load it"})], "Load it"),
        ([Cell("markdown", "# Top\n## Below"), Cell("code", "x")], "Below"),
        ([Cell("markdown", "no heading"), Cell("code", "x = 1\ny = 2")], "x = 1"),
        ([Cell("code", "\n# Read the file\nopen('x')")], "Read the file"),
        ([Cell("code", "def f(x):\n    pass")], "def f(x)"),
        ([Cell("code", "# NBVAL_CHECK_OUTPUT\nprint(1)")], "print(1)"),
        ([Cell("code", "x = 1", {"tags": ["parameters"]})], "parameters"),
        ([Cell("code", "x = 1", {"tags": ["injected-parameters"]})], "injected parameters"),
        ([Cell("code", "x: int", {"tags": ["scraps"]})], "scraps"),
        ([Cell("code", "   \n")], "(empty)"),
    ],
)
def test_title_of_the_last_cell(cells: list[Cell], expected: str) -> None:
    assert title(cells, len(cells) - 1) == expected


def test_headings_in_code_do_not_count() -> None:
    assert heading("# Real\n```\n# not\n```") == "Real"
    assert heading("#hashtag") == ""
