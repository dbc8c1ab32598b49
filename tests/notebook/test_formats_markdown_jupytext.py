"""Markdown notebooks mean what they mean to Jupytext, the reference."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import jupytext
import jupytext.header
import nbformat
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from markdown_documents import hard_notebooks, markdown_texts, myst_texts
from notebook_documents import CODE_LINES, notebooks
from octavo.errors import NotebookError
from octavo.notebook.formats import read, write
from octavo.notebook.formats.percent import LAYOUT
from octavo.notebook.model import Cell, Notebook

Content = list[tuple[str, str, dict[str, Any]]]


@pytest.fixture(autouse=True, scope="module")
def without_version_numbers() -> Iterator[None]:
    """Jupytext writes its own version into headers; we do not."""
    before = jupytext.header.INSERT_AND_CHECK_VERSION_NUMBER
    jupytext.header.INSERT_AND_CHECK_VERSION_NUMBER = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    jupytext.header.INSERT_AND_CHECK_VERSION_NUMBER = before


def contents(notebook: Any) -> Content:
    if isinstance(notebook, Notebook):
        found = [(cell.kind, cell.source, dict(cell.metadata)) for cell in notebook.cells]
    else:
        found = [(cell.cell_type, cell.source, dict(cell.metadata)) for cell in notebook.cells]
    return [
        (kind, source, {key: value for key, value in metadata.items() if key not in LAYOUT})
        for kind, source, metadata in found
    ]


def as_node(notebook: Notebook) -> Any:
    makers = {
        "code": nbformat.v4.new_code_cell,
        "markdown": nbformat.v4.new_markdown_cell,
        "raw": nbformat.v4.new_raw_cell,
    }
    made = [makers[cell.kind](cell.source, metadata=cell.metadata) for cell in notebook.cells]
    return nbformat.v4.new_notebook(metadata=dict(notebook.metadata), cells=made)


def without_blank_text(found: Content) -> Content:
    """Blank lines around text are space here, and at times a cell or a part of it to Jupytext."""
    stripped = [
        (kind, source.strip("\n") if kind == "markdown" else source, metadata)
        for kind, source, metadata in found
    ]
    return [cell for cell in stripped if cell != ("markdown", "", {})]


def trimmed(found: Content) -> Content:
    """Jupytext loses blank lines at the end of code in MyST."""
    return [(kind, source.rstrip("\n"), metadata) for kind, source, metadata in found]


@settings(max_examples=150, deadline=None)
@given(markdown_texts())
def test_reads_the_cells_that_jupytext_reads(text: str) -> None:
    assume("\n\n\n```{" not in text)  # two blank lines before a directive cut text only here
    notebook = read(text, "a.md")
    assume("```PYTHON" not in text or notebook.is_python)  # any case will do for a magic here
    found = contents(notebook)
    assume(not any(source.startswith("    ") for _, source, _ in found))  # blanks before it count
    expected = jupytext.reads(text, fmt="md")
    assert without_blank_text(found) == without_blank_text(contents(expected))


@settings(max_examples=100, deadline=None)
@given(myst_texts())
def test_reads_the_myst_cells_that_jupytext_reads(text: str) -> None:
    expected = jupytext.reads(text, fmt="md:myst")
    assert trimmed(contents(read(text, "a.md"))) == trimmed(contents(expected))


def plain(cell: Cell) -> bool:
    if "`" in str(cell.metadata):
        return False
    return cell.kind != "markdown" or (cell.source == cell.source.strip("\n") != "")


def told_apart(notebook: Notebook) -> bool:
    """No text starts or ends with indented code, which makes other sense of blank lines."""
    return not any(
        line.startswith("    ")
        for cell in notebook.cells
        if cell.kind == "markdown"
        for line in (cell.source, cell.source.split("\n")[-1])
    )


#: A string that is never closed hides the end of its fence from Jupytext.
CLOSED = tuple(line for line in CODE_LINES if line not in ("text = '''", "'''", '"""'))
easy = notebooks(code=CLOSED).filter(
    lambda found: all(map(plain, found.cells)) and told_apart(found)
)


@settings(max_examples=100, deadline=None)
@given(easy)
def test_writes_the_text_that_jupytext_writes(notebook: Notebook) -> None:
    assert write(notebook, "md") == jupytext.writes(as_node(notebook), fmt="md")


@settings(max_examples=100, deadline=None)
@given(easy)
def test_jupytext_reads_what_we_write(notebook: Notebook) -> None:
    text = write(notebook, "md")
    assert contents(jupytext.reads(text, fmt="md")) == contents(read(text, "a.md"))


def unnamed(found: Content) -> Content:
    """Without the names of regions: text with `<!-- #endregion -->` in it needs another one."""
    for _, _, metadata in found:
        metadata.pop("region_name", None)
    return found


@settings(max_examples=150, deadline=None)
@given(hard_notebooks())
def test_a_notebook_comes_back_from_its_text(notebook: Notebook) -> None:
    text = write(notebook, "md")
    back = read(text, "a.md")
    assert unnamed(contents(back)) == contents(notebook)
    assert back.metadata.get("kernelspec") == notebook.metadata.get("kernelspec")
    assert write(back, "md") == text


@settings(max_examples=150, deadline=None)
@given(markdown_texts())
@example("<!-- #region -->\n# Title\n\n<!-- #endregion -->\n```python\n```\n")
def test_a_text_comes_back_from_its_notebook(text: str) -> None:
    notebook = read(text, "a.md")
    written = write(notebook, "md")
    again = read(written, "a.md")
    assert contents(again) == contents(notebook)
    assert write(again, "md") == written


@settings(max_examples=100, deadline=None)
@given(myst_texts())
def test_a_myst_text_comes_back_from_its_notebook(text: str) -> None:
    notebook = read(text, "a.md")
    written = write(notebook, "md")
    again = read(written, "a.md")
    assert contents(again) == contents(notebook)
    assert write(again, "md") == written
    assert trimmed(contents(jupytext.reads(written, fmt="md:myst"))) == trimmed(contents(notebook))


@settings(max_examples=100, deadline=None)
@given(markdown_texts() | myst_texts())
def test_a_document_survives_the_way_through_ipynb(text: str) -> None:
    source = read(text, "a.md")
    through = read(write(source, "ipynb"), "a.ipynb")
    assert contents(through) == contents(source)
    assert contents(read(write(through, "md"), "a.md")) == contents(source)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="`~-+<>!#{} \n\tpython:=\"'ab\\\r\u2028\x0c", max_size=80))
@example("```python\n")
@example("---\n---\n")
@example("\ufeff---\na: b\n---\n")
def test_any_text_can_be_read_or_is_refused_with_its_line(text: str) -> None:
    try:
        notebook = read(text, "a.md")
    except NotebookError as error:
        assert error.hint
        assert error.place is not None
        assert error.place.startswith("a.md")
        return
    assert contents(read(write(notebook, "md"), "a.md")) == contents(notebook)
