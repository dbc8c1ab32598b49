"""Notebooks without what running them left behind: nothing else of their text changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.notebook.cleaning import (
    CELL_VOLATILE,
    NOTEBOOK_VOLATILE,
    NotANotebook,
    cleaned,
    cleaned_bytes,
    is_clean,
)

ODD = """\
{"nbformat":4, "nbformat_minor": 5,
\t"cells": [
  { "id":"a", "cell_type": "code", "source": ["print('\\u00e9')\\n", "1e5"],
    "execution_count" : 12 , "outputs": [ {"output_type":"stream","name":"stdout","text":"x"} ],
    "metadata": {"collapsed": false, "tags": ["b", "a"], "scrolled": true, "mine": 1.50} },
  {"cell_type":"markdown","metadata":{ },"source":""}
  ],
  "metadata" : {"widgets": {"a": 1}, "kernelspec": {"name": "python3"}} }"""

CLEAN = """\
{"nbformat":4, "nbformat_minor": 5,
\t"cells": [
  { "id":"a", "cell_type": "code", "source": ["print('\\u00e9')\\n", "1e5"],
    "execution_count" : null , "outputs": [],
    "metadata": {"tags": ["b", "a"], "mine": 1.50} },
  {"cell_type":"markdown","metadata":{ },"source":""}
  ],
  "metadata" : {"kernelspec": {"name": "python3"}} }"""


def test_only_results_are_cut_out() -> None:
    assert cleaned(ODD) == CLEAN


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n  "])
def test_the_end_of_the_file_stays(end: str) -> None:
    assert cleaned(ODD + end) == CLEAN + end
    assert cleaned("\ufeff" + ODD.replace("\n", "\r\n")) == "\ufeff" + CLEAN.replace("\n", "\r\n")


@pytest.mark.parametrize(
    "metadata", ['{"tags": ["keep_output"]}', '{"keep_output": true}', '{"init_cell": true}']
)
def test_outputs_that_a_person_wants_to_keep_stay(metadata: str) -> None:
    cell = f'{{"cell_type":"code","outputs":[1],"execution_count":3,"metadata":{metadata}}}'
    text = f'{{"cells":[{cell}]}}'
    assert cleaned(text) == text


def test_a_whole_notebook_can_keep_its_outputs() -> None:
    text = '{"cells":[{"outputs":[1],"metadata":{}}],"metadata":{"keep_output":true}}'
    assert cleaned(text) == text


def test_notebooks_of_version_3_are_cleaned_too() -> None:
    text = '{"worksheets":[{"cells":[{"cell_type":"code","prompt_number":3,"outputs":[{}]}]}]}'
    assert json.loads(cleaned(text))["worksheets"][0]["cells"][0] == {
        "cell_type": "code",
        "prompt_number": None,
        "outputs": [],
    }


def test_a_number_of_thousands_of_digits_is_no_obstacle() -> None:
    text = f'{{"cells":[],"metadata":{{"n":{"7" * 9000}}}}}'
    assert cleaned(text) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("[]", "not an object"),
        ("3", "not an object"),
        ("{}", "no cells"),
        ('{"cells": {}}', "not a list"),
        ('{"cells": [1]}', "not an object"),
        ('{"cells": []} x', "not JSON"),
        ('{"cells": [],}', "not JSON"),
        ('{"cells": [{"outputs": [}', "not JSON"),
        ('{"cells": [{"outputs": [1]', "not JSON"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "Git LFS"),
        ('{\n<<<<<<< HEAD\n "cells": []\n=======\n', "conflicts"),
        ("[" * 100_000, "nested"),
        ('{"cells": [{"outputs": ' + "[" * 100_000, "nested"),
    ],
)
def test_what_is_no_notebook_is_refused(text: str, why: str) -> None:
    with pytest.raises(NotANotebook, match=why):
        cleaned(text)
    assert is_clean(text)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(NotANotebook, match="UTF-8"):
        cleaned_bytes(b'{"cells": []\xff}')


SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=4,
)


def _objects(*names: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(names) | st.text(max_size=3), VALUES, max_size=4)


CELLS = _objects("outputs", "execution_count", "source", "cell_type").flatmap(
    lambda cell: st.fixed_dictionaries(
        {"metadata": _objects(*sorted(CELL_VOLATILE), "tags", "name")}
    ).map(lambda metadata: {**cell, **metadata})
)
NOTEBOOKS = st.fixed_dictionaries(
    {
        "metadata": _objects(*sorted(NOTEBOOK_VOLATILE), "kernelspec"),
        "cells": st.lists(CELLS, max_size=3),
        "nbformat": st.just(4),
    }
)


def _by_the_rules(document: dict[str, Any]) -> dict[str, Any]:
    """What is to remain, told in another way."""
    found = json.loads(json.dumps(document))
    found["metadata"] = {k: v for k, v in found["metadata"].items() if k not in NOTEBOOK_VOLATILE}
    for cell in found["cells"]:
        if "outputs" in cell:
            cell["outputs"] = []
        if "execution_count" in cell:
            cell["execution_count"] = None
        cell["metadata"] = {k: v for k, v in cell["metadata"].items() if k not in CELL_VOLATILE}
    return dict(found)


@settings(deadline=None, max_examples=60)
@given(NOTEBOOKS, st.sampled_from([None, 0, 1, "\t"]), st.booleans(), st.booleans())
def test_cleaned_text_is_that_of_the_notebook_without_results(
    document: dict[str, Any], indent: Any, ascii_only: bool, sort_keys: bool
) -> None:
    def spelled(value: Any) -> str:
        return json.dumps(value, indent=indent, ensure_ascii=ascii_only, sort_keys=sort_keys)

    assert cleaned(spelled(document)) == spelled(_by_the_rules(document))
    assert cleaned(cleaned(spelled(document))) == cleaned(spelled(document))
