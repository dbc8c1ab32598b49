"""An edit changes its cell, and every byte outside of it stays: in all formats and spellings."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from markdown_documents import markdown_texts, myst_texts
from notebook_documents import CODE_LINES, TEXT_LINES, json_values, percent_texts, sources
from octavo.authoring.editing.texts import text_after
from octavo.errors import NotebookError
from octavo.notebook import formats
from octavo.notebook.edits import Edit, apply, locate
from octavo.notebook.formats.markdown import take_apart
from octavo.notebook.formats.percent.blocks import find_blocks, split_lines
from octavo.notebook.formats.percent.header import read_header
from octavo.notebook.formats.percent.rewrite import held_source
from octavo.sources import SourceFile

LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$")
ENDS = ("\n", "", "\n\n", "\n\n\n\n", "\n   \n")
NEW = {"code": "new_value = 42", "markdown": "Quite *another* text.", "raw": "other raw text"}


def spelled(text: str, newline: str, bom: bool, end: str) -> str:
    """A text with the line ends, the beginning and the end of some editor."""
    whole = text.rstrip("\n") + end
    return ("\ufeff" if bom else "") + whole.replace("\n", newline)


def spellings(texts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        spelled, texts, st.sampled_from(("\n", "\r\n")), st.booleans(), st.sampled_from(ENDS)
    )


def source_of(text: str, path: str) -> SourceFile:
    try:
        return SourceFile(path, text, formats.read(text, path))
    except NotebookError:
        assume(False)
        raise


def starts(source: SourceFile) -> list[int | None]:
    """The line on which each cell starts; None for one that is in the header."""
    lines = split_lines(source.text.removeprefix("\ufeff"))
    if source.path.endswith(".md"):
        blocks = take_apart(lines, source.path).blocks
        # Where no header tells the language, most fences do; when that turns over, all are spelled
        # anew, or the cells would mean something else.
        assume(len({block.language for block in blocks if block and block.language}) < 2)
        return [block and block.start for block in blocks]
    header = read_header(lines, source.path)
    found: list[int | None] = [block.start for block in find_blocks(lines, header.stop)]
    return [None, *found] if header.front_matter else found


def edited(source: SourceFile, *edits: Edit) -> str:
    done = apply(locate(edits, source.notebook), source.notebook)
    return text_after(done, source, source.path).text


def surroundings(source: SourceFile, index: int) -> tuple[str, str]:
    """What stands before a cell, and from the next one on."""
    lines = LINE.findall(source.text)
    found = starts(source)
    start = found[index]
    assume(start is not None)
    following = found[index + 1] if index + 1 < len(found) else len(lines)
    return "".join(lines[:start]), "".join(lines[following:])


def check_replacing(source: SourceFile, data: st.DataObject) -> None:
    cells = source.notebook.cells
    assume(cells)
    index = data.draw(st.integers(0, len(cells) - 1), "index")
    assume(cells[index].kind in NEW)
    before, after = surroundings(source, index)
    text = edited(source, Edit("replace", index, NEW[cells[index].kind]))
    assert text.startswith(before)
    assert text.endswith(after)
    if index + 1 == len(cells) and cells[index].source == cells[index].source.rstrip():
        assert blank_end(text) == blank_end(source.text)
    back = formats.read(text, source.path).cells
    assert held_source(back[index].kind, back[index].source) == NEW[cells[index].kind]
    assert [held_source(c.kind, c.source) for at, c in enumerate(back) if at != index] == [
        held_source(c.kind, c.source) for at, c in enumerate(cells) if at != index
    ]


def blank_end(text: str) -> str:
    return text[len(text.rstrip(" \t\r\n")) :].lstrip(" \t")


@settings(deadline=None, max_examples=60)
@given(spellings(percent_texts()), st.data())
def test_a_script(text: str, data: st.DataObject) -> None:
    check_replacing(source_of(text, "a.py"), data)


@settings(deadline=None, max_examples=60)
@given(spellings(markdown_texts()), st.data())
def test_a_document(text: str, data: st.DataObject) -> None:
    check_replacing(source_of(text, "a.md"), data)


@settings(deadline=None, max_examples=80)
@given(spellings(myst_texts()), st.data())
def test_a_myst_document(text: str, data: st.DataObject) -> None:
    check_replacing(source_of(text, "a.md"), data)


def pieces(source: SourceFile) -> list[str | None]:
    """The text of each cell without blank lines around it."""
    lines = LINE.findall(source.text)
    found = starts(source)
    stops = [*found[1:], len(lines)]
    return [
        None if start is None else "".join(lines[start:stop]).strip("\ufeff\r\n\t ")
        for start, stop in zip(found, stops, strict=True)
    ]


def check_arranging(source: SourceFile, data: st.DataObject) -> None:
    """Insert, delete and move: the cells that nobody touched stand in the file as they stood."""
    cells = source.notebook.cells
    assume(len(cells) > 1)
    texts = pieces(source)
    assume(None not in texts)
    one, other = data.draw(st.permutations(range(len(cells))), "cells")[:2]
    edit = data.draw(
        st.sampled_from(
            (
                Edit("insert", source="inserted = 1", anchor=one),
                Edit("insert", source="inserted = 1", side="before", anchor=one),
                Edit("insert", source="Some *inserted* text.", kind="markdown", anchor=one),
                Edit("delete", one),
                Edit("move", one, anchor=other),
            )
        ),
        "edit",
    )
    done = apply(locate((edit,), source.notebook), source.notebook)
    try:
        text = text_after(done, source, source.path).text
    except NotebookError:
        assume(False)  # a string that is never closed lets nothing follow
        raise
    at = 0
    for origin in done.origins:
        if origin is None or origin == one:
            continue
        found = text.find(texts[origin] or "", at)
        assert found >= 0, (texts[origin], text)
        at = found + len(texts[origin] or "")
    assert text.startswith("\ufeff") == source.text.startswith("\ufeff")
    back = formats.read(text, source.path).cells
    assert [(c.kind, held_source(c.kind, c.source).rstrip()) for c in back] == [
        (c.kind, held_source(c.kind, c.source).rstrip()) for c in done.cells
    ]


@settings(deadline=None, max_examples=60)
@given(spellings(percent_texts()), st.data())
def test_arranging_a_script(text: str, data: st.DataObject) -> None:
    check_arranging(source_of(text, "a.py"), data)


@settings(deadline=None, max_examples=60)
@given(spellings(markdown_texts()), st.data())
def test_arranging_a_document(text: str, data: st.DataObject) -> None:
    check_arranging(source_of(text, "a.md"), data)


STYLES: tuple[dict[str, Any], ...] = (
    {"indent": 1},
    {"indent": 2},
    {"indent": 4, "ensure_ascii": True},
    {"indent": "\t"},
    {},
    {"separators": (",", ":")},
)


def json_cell(kind: str, source: str, metadata: dict[str, Any], as_list: bool) -> dict[str, Any]:
    cell: dict[str, Any] = {"metadata": metadata, "cell_type": kind}
    cell["source"] = source.splitlines(True) if as_list else source
    if kind == "code":
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["é \u2028\n"]}]
        cell["execution_count"] = 7
    return cell


json_cells = st.lists(
    st.one_of(
        st.builds(
            json_cell,
            st.just("code"),
            sources(CODE_LINES),
            st.fixed_dictionaries({}, optional={"custom": json_values}),
            st.booleans(),
        ),
        st.builds(json_cell, st.just("markdown"), sources(TEXT_LINES), st.just({}), st.booleans()),
    ),
    min_size=1,
    max_size=5,
)


def json_text(cells: list[dict[str, Any]], style: dict[str, Any], crlf: bool, end: str) -> str:
    document = {
        "nbformat_minor": 5, "nbformat": 4, "metadata": {"z": 1.50, "a": "ü"}, "cells": cells,
        "more": [1e3, "é"],
    }  # fmt: skip
    for at, cell in enumerate(cells):
        cell["id"] = f"cell-{at}"
    text = json.dumps(document, **{"ensure_ascii": False, **style}) + end
    return text.replace("\n", "\r\n") if crlf else text


@settings(deadline=None, max_examples=60)
@given(
    json_cells, st.sampled_from(STYLES), st.booleans(), st.sampled_from(("\n", "")), st.booleans(),
    st.data(),
)  # fmt: skip
def test_a_jupyter_notebook(
    cells: list[dict[str, Any]],
    style: dict[str, Any],
    crlf: bool,
    end: str,
    bom: bool,
    data: st.DataObject,
) -> None:
    """The new text is that of another notebook, written by Python in the same style."""
    text = ("\ufeff" if bom else "") + json_text(cells, style, crlf, end)
    source = source_of(text, "a.ipynb")
    index = data.draw(st.integers(0, len(cells) - 1), "index")
    new = data.draw(st.sampled_from(("x = 'é漢'\ny = 2", "", "one line")), "source")
    assume("".join(cells[index]["source"]) != new)
    written = edited(source, Edit("replace", index, new))
    as_list = isinstance(cells[index]["source"], list)
    cells[index]["source"] = new.splitlines(True) if as_list else new
    if cells[index]["cell_type"] == "code":
        cells[index].update(outputs=[], execution_count=None)
    assert written == ("\ufeff" if bom else "") + json_text(cells, style, crlf, end)


@settings(deadline=None, max_examples=80)
@given(json_cells, st.sampled_from(STYLES), st.booleans(), st.data())
def test_arranging_a_jupyter_notebook(
    cells: list[dict[str, Any]], style: dict[str, Any], crlf: bool, data: st.DataObject
) -> None:
    text = json_text(cells, style, crlf, "\n")
    source = source_of(text, "a.ipynb")
    index = data.draw(st.integers(0, len(cells) - 1), "index")
    if data.draw(st.booleans(), "delete") and len(cells) > 1:
        written = edited(source, Edit("delete", index))
        left = [cell for at, cell in enumerate(cells) if at != index]
    else:
        target = data.draw(st.integers(0, len(cells) - 1), "target")
        assume(target != index)
        written = edited(source, Edit("move", index, side="before", anchor=target))
        left = [cell for at, cell in enumerate(cells) if at != index]
        left.insert(target - (index < target), cells[index])
    ids = {id(cell): cell["id"] for cell in cells}
    expected = json_text([dict(cell) for cell in left], style, crlf, "\n")
    for at in range(len(left)):
        expected = expected.replace(f'"cell-{at}"', f'"{at}-new"')
    for at, cell in enumerate(left):
        expected = expected.replace(f'"{at}-new"', f'"{ids[id(cell)]}"')
    assert written == expected
