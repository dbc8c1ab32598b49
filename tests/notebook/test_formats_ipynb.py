"""`.ipynb` files: read, checked, upgraded and written like nbformat does."""

from __future__ import annotations

import copy
import json
import warnings
from typing import Any

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notebook_documents import json_values, notebooks
from octavo.errors import NotebookError
from octavo.notebook.formats import ipynb, read, write
from octavo.notebook.model import Cell, Notebook

CODE: dict[str, Any] = {
    "cell_type": "code",
    "execution_count": 3,
    "id": "one",
    "metadata": {"tags": ["parameters"]},
    "outputs": [
        {"output_type": "stream", "name": "stdout", "text": ["a\n", "b"]},
        {
            "output_type": "execute_result",
            "data": {"text/plain": ["1\n", "2"], "application/json": {"a": ["x", "y"]}},
            "metadata": {},
            "execution_count": 3,
        },
        {"output_type": "display_data", "data": {"image/png": "aGk="}, "metadata": {}},
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["t"]},
    ],
    "source": ["x = 1\n", "x"],
}
TEXT: dict[str, Any] = {
    "cell_type": "markdown",
    "id": "two",
    "metadata": {},
    "attachments": {"a.png": {"image/png": "aGk="}},
    "source": "text",
}
RAW: dict[str, Any] = {"cell_type": "raw", "id": "three", "metadata": {}, "source": []}


def document(*cells: Any, **changes: Any) -> dict[str, Any]:
    return {
        "cells": copy.deepcopy(list(cells or (CODE, TEXT, RAW))),
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
        **changes,
    }


def refused(text: str) -> NotebookError:
    with pytest.raises(NotebookError) as raised:
        read(text, "nb.ipynb")
    assert raised.value.place.startswith("nb.ipynb")
    assert raised.value.hint
    return raised.value


def test_cells_are_read_without_outputs() -> None:
    assert read(json.dumps(document()), "a.ipynb").cells == (
        Cell("code", "x = 1\nx", {"tags": ["parameters"]}, "one"),
        Cell("markdown", "text", {}, "two", {"a.png": {"image/png": "aGk="}}),
        Cell("raw", "", {}, "three"),
    )


@pytest.mark.parametrize("minor", range(6))
def test_every_minor_version_of_4_is_read(minor: int) -> None:
    cells = [{k: v for k, v in cell.items() if k != "id"} for cell in (CODE, TEXT, RAW)]
    found = read(json.dumps(document(*cells, nbformat_minor=minor)), "a.ipynb")
    assert [cell.kind for cell in found.cells] == ["code", "markdown", "raw"]
    nbformat.validate(json.loads(write(found, "ipynb")))


@settings(max_examples=100, deadline=None)
@given(notebooks())
def test_what_is_written_is_valid_and_comes_back(notebook: Notebook) -> None:
    text = write(notebook, "ipynb")
    nbformat.validate(json.loads(text))
    back = read(text, "a.ipynb")
    assert [(c.kind, c.source, c.metadata) for c in back.cells] == [
        (c.kind, c.source, c.metadata) for c in notebook.cells
    ]
    assert back.metadata == notebook.metadata
    assert write(back, "ipynb") == text


outputs = st.one_of(
    st.fixed_dictionaries(
        {"output_type": st.just("stream"), "name": st.just("stdout"), "text": st.text()}
    ),
    st.fixed_dictionaries(
        {
            "output_type": st.just("display_data"),
            "metadata": st.just({}),
            "data": st.fixed_dictionaries(
                {},
                optional={
                    "text/html": st.text(),
                    "image/svg+xml": st.text(),
                    "image/png": st.text(),
                    "application/json": json_values,
                },
            ),
        }
    ),
)
numbers = st.floats() | st.integers()


@settings(max_examples=75, deadline=None)
@given(
    st.lists(st.tuples(st.text(), st.lists(outputs, max_size=3)), max_size=4),
    st.dictionaries(st.text(max_size=5), json_values | numbers, max_size=3),
)
def test_text_is_byte_for_byte_that_of_nbformat(
    cells: list[tuple[str, list[Any]]], metadata: dict[str, Any]
) -> None:
    made = [
        {**CODE, "id": f"c{at}", "source": source, "outputs": shown, "metadata": metadata}
        for at, (source, shown) in enumerate(cells)
    ]
    written = document(*made) if made else document(cells=[])
    expected = nbformat.v4.nbjson.writes(nbformat.from_dict(written))
    assert ipynb.dumps(written) == expected + "\n"
    pieces = ipynb.SEPARATOR.join(map(ipynb.dump_cell, written["cells"]))
    streamed = ipynb.HEAD + pieces + ipynb.dump_tail(written, empty=not made)
    assert streamed == ipynb.dumps(written)


def test_what_is_not_stored_is_left_out() -> None:
    cell = {**CODE, "metadata": {"trusted": True, "a": 1}}
    written = document(cell, metadata={"signature": "x", "orig_nbformat": 3, "b": 2})
    expected = nbformat.v4.nbjson.writes(nbformat.from_dict(written))
    assert ipynb.dumps(written) == expected + "\n"
    assert "trusted" not in ipynb.dumps(written)


def test_a_lone_surrogate_can_be_written() -> None:
    text = write(read(json.dumps(document({**RAW, "source": "\ud800"})), "a.ipynb"), "ipynb")
    assert json.loads(ipynb.encode(text))["cells"][0]["source"] == ["\ud800"]


# Older versions


V3: dict[str, Any] = {
    "metadata": {"name": "old", "signature": "s", "kept": 1},
    "nbformat": 3,
    "nbformat_minor": 0,
    "worksheets": [
        {
            "cells": [
                {"cell_type": "heading", "level": 2, "metadata": {}, "source": ["A\n", "title"]},
                {"cell_type": "markdown", "metadata": {"a": 1}, "source": ["no", "ends"]},
                {"cell_type": "raw", "metadata": {}, "source": "raw"},
                {"cell_type": "html", "metadata": {}, "source": "<b>"},
                {
                    "cell_type": "code",
                    "collapsed": True,
                    "input": ["x = 1\n", "x"],
                    "language": "python",
                    "metadata": {},
                    "outputs": [
                        {
                            "output_type": "pyout",
                            "prompt_number": 4,
                            "text": ["1\n", "2"],
                            "html": "<b>",
                            "json": '{"a": 1}',
                            "metadata": {"png": {"width": 1}},
                        },
                        {"output_type": "display_data", "png": "aGk=", "metadata": {}},
                        {"output_type": "stream", "stream": "stderr", "text": "x"},
                        {"output_type": "stream", "text": "y"},
                        {
                            "output_type": "pyerr",
                            "ename": "E",
                            "evalue": "v",
                            "traceback": ["t"],
                        },
                    ],
                    "prompt_number": 4,
                },
                {"cell_type": "code", "input": "", "metadata": {}, "outputs": []},
            ],
            "metadata": {},
        }
    ],
}
V2 = {
    **V3,
    "nbformat": 2,
    "worksheets": [
        {
            "cells": [
                {"cell_type": "markdown", "source": "text"},
                {"cell_type": "code", "input": "1", "outputs": [], "prompt_number": 1},
            ]
        }
    ],
}
V1 = {
    "cells": [
        {"cell_type": "code", "code": "x = 1", "prompt_number": 2},
        {"cell_type": "text", "text": "words"},
    ]
}


@pytest.mark.parametrize("old", [V3, V2, V1], ids=["3", "2", "1"])
def test_older_versions_become_what_nbformat_makes_of_them(old: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = nbformat.convert(nbformat.reader.reads(json.dumps(old)), 4)
    expected = json.loads(nbformat.v4.nbjson.writes(expected, split_lines=False))
    for cell in expected["cells"]:
        cell.pop("id", None)
    found = ipynb.parse(json.dumps(old), "a.ipynb")
    assert found["cells"] == expected["cells"]
    assert found["metadata"] == expected["metadata"]


# What is refused


def test_text_that_is_not_json_is_refused_with_its_line() -> None:
    error = refused('{\n "cells": nope\n}')
    assert (error.kind, error.place) == ("notebook-invalid", "nb.ipynb:2")


def test_a_truncated_file_is_called_cut_off() -> None:
    text = json.dumps(document(), indent=1)
    for end in (len(text) // 4, len(text) // 2, len(text) - 3):
        assert "cut off" in refused(text[:end]).message


def test_conflict_marks_are_named() -> None:
    text = json.dumps(document(), indent=1).replace(' "metadata"', '<<<<<<< HEAD\n "metadata"')
    assert "conflict" in refused(text).message


@pytest.mark.parametrize("text", ["[1]", "3", '"text"', "null"])
def test_json_that_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(NotebookError) as raised:
        read(text, "nb.ipynb")
    assert raised.value.kind == "notebook-invalid"


def test_some_other_json_is_refused() -> None:
    assert "nbformat" in refused('{"a": 1}').message


@pytest.mark.parametrize(
    "version",
    [
        {"nbformat": 5},
        {"nbformat": "4"},
        {"nbformat": 0},
        {"nbformat_minor": 6},
        {"nbformat": True},
    ],
)
def test_unknown_versions_are_refused(version: dict[str, Any]) -> None:
    assert refused(json.dumps(document(**version))).kind == "notebook-version"


def test_a_version_that_is_no_number_is_told_as_it_stands() -> None:
    message = refused(json.dumps(document(nbformat="4"))).message
    assert (
        message
        == 'the notebook says `nbformat` is "4" and `nbformat_minor` is 5; 1 to 4.5 can be read'
    )


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[]", "not an object"),
        ("[" * 100_000, "nested"),
        ('{"cells": [], "metadata": {"n": ' + "9" * 5000 + "}}", "digits"),
    ],
)
def test_other_json_is_refused(text: str, word: str) -> None:
    error = refused(text)
    assert error.kind == "notebook-invalid"
    assert word in error.message


def test_what_is_wrong_outside_of_cells_is_not_blamed_on_a_cell() -> None:
    assert "cell" not in refused(json.dumps({**document(), "metadata": []})).hint


def test_duplicate_ids_are_refused_naming_both_cells() -> None:
    message = refused(json.dumps(document(CODE, TEXT, {**RAW, "id": "one"}))).message
    assert message == "cell 2: the id 'one' is taken by cell 0"


@pytest.mark.parametrize("cells", [None, {}, "x"])
def test_missing_cells_are_refused(cells: Any) -> None:
    assert "cells" in refused(json.dumps(document(cells=cells))).message


@pytest.mark.parametrize(
    "old", [{"nbformat": 3, "worksheets": [1]}, {"nbformat": 2, "metadata": 3}]
)
def test_a_broken_old_notebook_is_refused(old: dict[str, Any]) -> None:
    assert refused(json.dumps(old)).kind == "notebook-invalid"


MUTATIONS: list[tuple[int, str, Any]] = [
    *((cell, "cell_type", value) for cell in range(3) for value in ("heading", None, 3)),
    *((cell, "source", value) for cell in range(3) for value in (None, 3, [1], {"a": 1})),
    *((cell, "metadata", value) for cell in range(3) for value in (None, [], "x")),
    *((0, "metadata", {"tags": value}) for value in ("x", ["a", "a"], ["a,b"], [1], [""], ["ok"])),
    *((0, "metadata", {"name": value}) for value in ("", 3, "ok")),
    *((0, "metadata", {"collapsed": value}) for value in ("yes", True)),
    *((2, "metadata", {"format": value}) for value in (3, "text/latex")),
    *((0, "id", value) for value in ("", "a b", "x" * 65, 3, "é", "x" * 64)),
    *((0, "execution_count", value) for value in ("3", 1.5, -1, 0, True)),
    *((0, "outputs", value) for value in (None, {}, [1], [{}], [{"output_type": "odd"}])),
    *((0, "outputs", [{**output, "output_type": "x"}]) for output in CODE["outputs"]),
    *(
        (0, "outputs", [{k: v for k, v in output.items() if k != key}])
        for output in CODE["outputs"]
        for key in output
    ),
    *(
        (0, "outputs", [{**output, key: value}])
        for output in CODE["outputs"]
        for key in output
        for value in (3, [1], {"text/plain": 3}, {})
        if key != "output_type"
    ),
    *((1, "attachments", value) for value in ([], {"a": 3}, {"a": {"image/png": 3}}, {})),
]


@pytest.mark.parametrize(("cell", "key", "value"), MUTATIONS)
def test_a_cell_is_refused_when_nbformat_calls_it_invalid(cell: int, key: str, value: Any) -> None:
    changed = document()
    changed["cells"][cell][key] = value
    try:
        nbformat.validate(copy.deepcopy(changed))
    except (nbformat.ValidationError, TypeError):
        error = refused(json.dumps(changed))
        assert error.kind == "notebook-invalid"
        assert f"cell {cell}" in error.message
    else:
        assert len(read(json.dumps(changed), "nb.ipynb").cells) == 3


@pytest.mark.parametrize(
    "metadata",
    [
        {"kernelspec": {"name": "p"}},
        {"kernelspec": []},
        {"kernelspec": {"name": "p", "display_name": "P"}},
        {"language_info": {}},
        {"language_info": {"name": "python"}},
        {"title": 3},
        {"authors": {}},
        {"authors": [], "anything": {"else": [1]}},
    ],
)
def test_notebook_metadata_is_judged_like_nbformat_does(metadata: dict[str, Any]) -> None:
    changed = document(metadata=metadata)
    try:
        nbformat.validate(copy.deepcopy(changed))
    except nbformat.ValidationError:
        assert "metadata" in refused(json.dumps(changed)).message
    else:
        assert read(json.dumps(changed), "nb.ipynb").metadata == metadata


@pytest.mark.parametrize("key", ["outputs", "execution_count", "id"])
def test_what_a_code_cell_can_do_without_may_be_missing(key: str) -> None:
    changed = document()
    del changed["cells"][0][key]
    found = read(json.dumps(changed), "nb.ipynb")
    nbformat.validate(json.loads(write(found, "ipynb")))


def test_an_unknown_key_of_a_cell_is_passed_over() -> None:
    found = read(json.dumps(document({**RAW, "extra": 1})), "nb.ipynb")
    assert found.cells == (Cell("raw", "", {}, "three"),)
