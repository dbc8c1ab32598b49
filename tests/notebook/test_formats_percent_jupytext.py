"""Percent files mean what they mean to Jupytext, the reference."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import jupytext
import jupytext.header
import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notebook_documents import (
    HARD_CODE_LINES,
    HARD_TEXT_LINES,
    notebooks,
    percent_texts,
)
from octavo.notebook.formats import read, write
from octavo.notebook.formats.percent import LAYOUT
from octavo.notebook.model import Notebook


@pytest.fixture(autouse=True, scope="module")
def without_version_numbers() -> Iterator[None]:
    """Jupytext writes its own version into headers; we do not."""
    before = jupytext.header.INSERT_AND_CHECK_VERSION_NUMBER
    jupytext.header.INSERT_AND_CHECK_VERSION_NUMBER = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    jupytext.header.INSERT_AND_CHECK_VERSION_NUMBER = before


def contents(notebook: Any) -> list[tuple[str, str, dict[str, Any]]]:
    if isinstance(notebook, Notebook):
        return [(cell.kind, cell.source, dict(cell.metadata)) for cell in notebook.cells]
    return [(cell.cell_type, cell.source, dict(cell.metadata)) for cell in notebook.cells]


def as_node(notebook: Notebook) -> Any:
    makers = {
        "code": nbformat.v4.new_code_cell,
        "markdown": nbformat.v4.new_markdown_cell,
        "raw": nbformat.v4.new_raw_cell,
    }
    made = [makers[cell.kind](cell.source, metadata=cell.metadata) for cell in notebook.cells]
    return nbformat.v4.new_notebook(metadata=notebook.metadata, cells=made)


def held(notebook: Notebook) -> list[tuple[str, str, dict[str, Any]]]:
    """What a percent file can hold of a notebook: code loses blank lines at its end."""
    return [
        (
            kind,
            source.rstrip() if kind == "code" else source,
            {key: value for key, value in metadata.items() if key not in LAYOUT},
        )
        for kind, source, metadata in contents(notebook)
    ]


def trimmed(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n")]


@settings(max_examples=150, deadline=None)
@given(percent_texts())
def test_reads_the_cells_that_jupytext_reads(text: str) -> None:
    try:
        expected = jupytext.reads(text, fmt="py:percent")
    except nbformat.ValidationError:
        return
    assert contents(read(text, "a.py")) == contents(expected)


@settings(max_examples=100, deadline=None)
@given(notebooks())
def test_writes_the_text_that_jupytext_writes(notebook: Notebook) -> None:
    assert write(notebook, "py") == jupytext.writes(as_node(notebook), fmt="py:percent")


@settings(max_examples=100, deadline=None)
@given(notebooks())
def test_jupytext_reads_what_we_write(notebook: Notebook) -> None:
    text = write(notebook, "py")
    assert contents(jupytext.reads(text, fmt="py:percent")) == contents(read(text, "a.py"))


@settings(max_examples=150, deadline=None)
@given(notebooks(code=HARD_CODE_LINES, text=HARD_TEXT_LINES))
def test_a_notebook_comes_back_from_its_text(notebook: Notebook) -> None:
    text = write(notebook, "py")
    back = read(text, "a.py")
    assert held(back) == held(notebook)
    assert back.metadata.get("kernelspec") == notebook.metadata.get("kernelspec")
    assert trimmed(write(back, "py")) == trimmed(text)


@settings(max_examples=100, deadline=None)
@given(percent_texts())
def test_a_text_comes_back_from_its_notebook(text: str) -> None:
    notebook = read(text, "a.py")
    written = write(notebook, "py")
    again = read(written, "a.py")
    assert held(again) == held(notebook)
    assert trimmed(write(again, "py")) == trimmed(written)


@settings(max_examples=100, deadline=None)
@given(notebooks(code=HARD_CODE_LINES, text=HARD_TEXT_LINES))
def test_a_percent_file_survives_the_way_through_ipynb(notebook: Notebook) -> None:
    source = read(write(notebook, "py"), "a.py")
    through = read(write(source, "ipynb"), "a.ipynb")
    assert contents(through) == contents(source)
    assert through.metadata == source.metadata


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="#% \n\"'`ab=\\\t\u2028\x0c{}[]", max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    notebook = read(text, "a.py")
    assert held(read(write(notebook, "py"), "a.py")) is not None
