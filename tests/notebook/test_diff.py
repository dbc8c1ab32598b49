"""Diffs of notebooks: nbdime's format, and the changes that were made."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import jsonschema
import nbdime
import nbformat
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from nbdime.diff_format import validate_diff
from nbdime.diff_utils import to_diffentry_dicts

from notebook_documents import CODE_LINES, TEXT_LINES, json_values, metadata, sources
from octavo.errors import ConflictError
from octavo.notebook.diff import diff, patch

Document = dict[str, Any]
UNHURRIED = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
SCHEMA = json.loads((files("nbdime") / "diff_format.schema.json").read_text())


def code(source: str, name: str, **more: Any) -> Document:
    shown = {"cell_type": "code", "id": name, "metadata": {}, "source": source}
    return {**shown, "execution_count": None, "outputs": [], **more}


def text(source: str, name: str) -> Document:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": source}


def notebook(*cells: Document, **head: Any) -> Document:
    return {"cells": [*cells], "metadata": head, "nbformat": 4, "nbformat_minor": 5}


def stream(written: str, name: str = "stdout") -> Document:
    return {"output_type": "stream", "name": name, "text": written}


def display(**data: Any) -> Document:
    mimes = {key.replace("_", "/"): value for key, value in data.items()}
    return {"output_type": "display_data", "data": mimes, "metadata": {}}


def spelled(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def within_cell(*changes: Document) -> list[Document]:
    """The diff of a notebook whose first cell changed so."""
    return [
        {"op": "patch", "key": "cells", "diff": [{"op": "patch", "key": 0, "diff": [*changes]}]}
    ]


A_LINE = "a = 1\nb = 2\nc = 3"
SAME_AS_NBDIME = {
    "a character in a line": (
        notebook(code(A_LINE, "x")), notebook(code("a = 1\nb = 20\nc = 3", "x"))
    ),
    "a line more": (notebook(code("a = 1", "x")), notebook(code("a = 1\nb", "x"))),
    "another text": (notebook(code("a = 1", "x")), notebook(code("zzzzz", "x"))),
    "nothing left": (notebook(code("a = 1", "x")), notebook(code("", "x"))),
    "another kind": (notebook(code("a = 1", "x")), notebook(text("a = 1", "x"))),
    "another id": (notebook(code(A_LINE, "x")), notebook(code(A_LINE, "y"))),
    "a count": (notebook(code("a", "x")), notebook(code("a", "x", execution_count=3))),
    "metadata": (notebook(a=1, t="abc"), notebook(b=2, t="abd")),
    "tags": (
        notebook(code("a", "x", metadata={"tags": ["a", "b"]})),
        notebook(code("a", "x", metadata={"tags": ["a", "c", "d"]})),
    ),
    "a list": (notebook(a=[{"x": 1}, {"y": 2}]), notebook(a=[{"x": 2}, {"y": 2}])),
    "a move": (
        notebook(code("a = 1", "x"), code("bbbbbbbb", "y")),
        notebook(code("bbbbbbbb", "y"), code("a = 1", "x")),
    ),
    "a cell in between": (
        notebook(code("a = 1", "x"), code("bbbbbbbb", "y")),
        notebook(code("a = 1", "x"), text("so", "z"), code("bbbbbbbb", "y")),
    ),
    "a cell less": (
        notebook(code("a = 1", "x"), text("so", "z"), code("bbbbbbbb", "y")),
        notebook(code("a = 1", "x"), code("bbbbbbbb", "y")),
    ),
    "an output more": (
        notebook(code("a", "x", outputs=[stream("one\n")])),
        notebook(code("a", "x", outputs=[stream("one\n"), stream("two\n", "stderr")])),
    ),
    "data": (
        notebook(code("a", "x", outputs=[display(text_plain="hello you\nlong", image_png="aa")])),
        notebook(code("a", "x", outputs=[display(text_plain="hello you\nlonger", image_png="bb")])),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME_AS_NBDIME)
def test_plain_changes_are_told_as_nbdime_tells_them(name: str) -> None:
    old, new = SAME_AS_NBDIME[name]
    theirs = nbdime.diff_notebooks(
        *(nbformat.from_dict(copy.deepcopy(each)) for each in (old, new))
    )
    assert diff(old, new) == theirs


def test_an_edited_cell_is_found_by_its_id_and_by_its_content() -> None:
    edited = {"op": "patch", "key": "source", "diff": [
        {"op": "patch", "key": 0, "diff": [
            {"op": "addrange", "key": 9, "valuelist": "5"},
            {"op": "removerange", "key": 9, "length": 1},
        ]}
    ]}  # fmt: skip
    old, new = code("rate = 0.3", "x"), code("rate = 0.5", "x")
    assert diff(notebook(old), notebook(new)) == within_cell(edited)
    del old["id"], new["id"]
    assert diff(notebook(old), notebook(text("New", "n"), new)) == [
        {"op": "patch", "key": "cells", "diff": [
            {"op": "addrange", "key": 0, "valuelist": [text("New", "n")]},
            {"op": "patch", "key": 0, "diff": [edited]},
        ]}
    ]  # fmt: skip


def test_outputs_of_one_sort_are_compared_and_binary_data_is_replaced() -> None:
    old = notebook(code("a", "x", outputs=[stream("0 %\n10 %\n"), display(image_png="AAAA")]))
    new = notebook(code("a", "x", outputs=[stream("0 %\n99 %\n"), display(image_png="BBBB")]))
    assert diff(old, new) == within_cell({"op": "patch", "key": "outputs", "diff": [
        {"op": "patch", "key": 0, "diff": [{"op": "patch", "key": "text", "diff": [
            {"op": "addrange", "key": 1, "valuelist": ["99 %\n"]},
            {"op": "removerange", "key": 1, "length": 1},
        ]}]},
        {"op": "patch", "key": 1, "diff": [{"op": "patch", "key": "data", "diff": [
            {"op": "replace", "key": "image/png", "value": "BBBB"}
        ]}]},
    ]})  # fmt: skip


def test_true_is_not_one() -> None:
    assert diff(notebook(a=1), notebook(a=True)) == [
        {"op": "patch", "key": "metadata", "diff": [{"op": "replace", "key": "a", "value": True}]}
    ]
    assert diff(notebook(a=float("nan")), notebook(a=float("nan"))) == []


def _outputs() -> st.SearchStrategy[list[Document]]:
    mimes = st.sampled_from(("text/plain", "image/png", "application/json", "application/x+json"))
    texts = sources(TEXT_LINES) | st.text("ab\n\r\x0c\u2028", max_size=6)
    return st.lists(
        st.builds(stream, texts, st.sampled_from(("stdout", "stderr")))
        | st.builds(
            lambda data, meta: {"output_type": "display_data", "data": data, "metadata": meta},
            st.dictionaries(mimes, texts | json_values, max_size=2),
            metadata(),
        )
        | st.builds(
            lambda trace: {"output_type": "error", "ename": "E", "evalue": "", "traceback": trace},
            st.lists(texts, max_size=3),
        ),
        max_size=4,
    )


def _cells() -> st.SearchStrategy[Document]:
    ids = st.sampled_from("abcdefgh")
    texts = sources(CODE_LINES) | st.text("ab\n\r\x0c\u2028", max_size=8)
    return st.builds(
        lambda source, name, meta, outputs, count: code(
            source, name, metadata=meta, outputs=outputs, execution_count=count
        ),
        texts, ids, metadata(), _outputs(), st.none() | st.integers(1, 9),
    ) | st.builds(
        lambda source, name, meta, more: {**text(source, name), "metadata": meta, **more},
        texts, ids, metadata(),
        st.fixed_dictionaries({}, optional={"attachments": st.dictionaries(
            st.sampled_from(("a.png", "b.png")),
            st.dictionaries(st.sampled_from(("image/png", "text/plain")), texts, max_size=2),
            max_size=2,
        )}),
    )  # fmt: skip


def _notebooks() -> st.SearchStrategy[Document]:
    heads = st.dictionaries(st.sampled_from(("kernelspec", "title", "z")), json_values, max_size=3)
    return st.builds(
        lambda cells, head: notebook(*cells, **head), st.lists(_cells(), max_size=6), heads
    )


def _swap(cells: list[Document], at: int) -> None:
    cells.append(cells.pop(at))


def _edit_source(cells: list[Document], at: int) -> None:
    lines = cells[at]["source"].splitlines(True)
    cells[at] = {**cells[at], "source": "".join([*lines[:1], "edited = 1\n", *lines[2:]])}


def _clear(cells: list[Document], at: int) -> None:
    cells[at] = {**cells[at], **({"outputs": []} if "outputs" in cells[at] else {"metadata": {}})}


def _drop(cells: list[Document], at: int) -> None:
    del cells[at]


def _double(cells: list[Document], at: int) -> None:
    cells.insert(at, {**cells[at], "id": "copy"})


EDITS: tuple[Callable[[list[Document], int], None], ...] = (
    _swap, _edit_source, _clear, _drop, _double,
)  # fmt: skip


@st.composite
def _pairs(draw: st.DrawFn) -> tuple[Document, Document]:
    """Two notebooks: unrelated, or the second an edited copy of the first."""
    old = draw(_notebooks())
    if draw(st.booleans()):
        return old, draw(_notebooks())
    new = copy.deepcopy(old)
    for edit in draw(st.lists(st.sampled_from(EDITS), max_size=4)):
        if new["cells"]:
            edit(new["cells"], draw(st.integers(0, len(new["cells"]) - 1)))
    return old, new


@settings(UNHURRIED, max_examples=60)
@given(_pairs())
def test_applied_it_gives_the_other_notebook(pair: tuple[Document, Document]) -> None:
    old, new = pair
    before = spelled(old)
    changes = diff(old, new)
    theirs = to_diffentry_dicts(json.loads(json.dumps(changes)))
    validate_diff(theirs, deep=True)
    assert spelled(nbdime.patch(copy.deepcopy(old), theirs)) == spelled(new)
    assert spelled(nbdime.patch(copy.deepcopy(old), changes)) == spelled(new)
    assert spelled(patch(old, changes)) == spelled(new)
    assert spelled(old) == before


@settings(UNHURRIED, max_examples=40)
@given(_pairs())
def test_it_is_of_the_form_that_nbdime_publishes(pair: tuple[Document, Document]) -> None:
    changes = diff(*pair)
    jsonschema.validate(json.loads(json.dumps(changes)), SCHEMA)
    assert (changes == []) == (spelled(pair[0]) == spelled(pair[1]))
    keys = [entry["key"] for entry in changes]
    assert keys == sorted(keys)


@settings(UNHURRIED, max_examples=40)
@given(_notebooks())
def test_nothing_changed(document: Document) -> None:
    assert diff(document, copy.deepcopy(document)) == []


@settings(UNHURRIED, max_examples=40)
@given(_pairs())
def test_what_nbdime_found_can_be_applied(pair: tuple[Document, Document]) -> None:
    old, new = (nbformat.from_dict(copy.deepcopy(each)) for each in pair)
    try:
        changes = nbdime.diff_notebooks(old, new)
    except Exception:
        # It gives up where a value is of another type than usual, or becomes one.
        reject()
    assert patch(pair[0], changes) == nbdime.patch(old, changes)


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ([{"op": "remove", "key": "nonsense"}], "notebook/nonsense"),
        ([{"op": "add", "key": "cells", "value": []}], "notebook/cells"),
        ([{"op": "addrange", "key": "cells", "valuelist": []}], "notebook/cells"),
        ([{"op": "patch", "key": "nbformat", "diff": []}], "notebook/nbformat"),
        ([{"op": "patch", "key": "cells", "diff": [{"op": "patch", "key": 7, "diff": []}]}],
         "notebook/cells/7"),
        ([{"op": "patch", "key": "cells", "diff": [{"op": "removerange", "key": 0, "length": 2}]}],
         "notebook/cells/0"),
        ([{"op": "patch", "key": "cells", "diff": [{"op": "replace", "key": 0, "value": 1}]}],
         "notebook/cells/0"),
        (within_cell({"op": "patch", "key": "source", "diff": [
            {"op": "removerange", "key": 3, "length": 1}]}), "notebook/cells/0/source/3"),
    ],
)  # fmt: skip
def test_a_change_for_another_notebook_is_refused(changes: list[Document], place: str) -> None:
    with pytest.raises(ConflictError) as caught:
        patch(notebook(code("a = 1", "x")), changes)
    assert caught.value.place == place
    assert caught.value.hint


def test_long_texts_take_their_time_only_once() -> None:
    lines = [f"{number}\n" for number in range(20_000)]
    old = notebook(code("a", "x", outputs=[stream("".join(lines))]))
    new = notebook(
        code("a", "x", outputs=[stream("".join(["new\n", *lines[:9000], *lines[9500:]]))])
    )
    [entry] = diff(old, new)
    [written] = entry["diff"][0]["diff"][0]["diff"][0]["diff"]
    assert written["diff"] == [
        {"op": "addrange", "key": 0, "valuelist": ["new\n"]},
        {"op": "removerange", "key": 9000, "length": 500},
    ]
