"""What is plainly sound is sound in nbformat's eyes too, and ordinary notebooks are."""

from __future__ import annotations

import copy
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.notebook.formats.ipynb.plain_sound import is_plainly_sound


def ordinary(minor: int = 5) -> dict[str, Any]:
    """A notebook as Jupyter writes it, with every sort of cell and output."""
    outputs: list[dict[str, Any]] = [
        {"output_type": "stream", "name": "stdout", "text": ["a\n", "b"]},
        {"output_type": "display_data", "data": {"text/plain": "x"}, "metadata": {}},
        {
            "output_type": "execute_result",
            "data": {"application/json": {"a": [1]}, "image/png": "aGk=", "text/html": ["<b>"]},
            "metadata": {"image/png": {"width": 3}},
            "execution_count": 2,
        },
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["t"]},
    ]
    metadata = {
        "tags": ["parameters"],
        "name": "first",
        "jupyter": {"source_hidden": True},
        "execution": {"iopub.status.busy": "2026-01-01T00:00:00Z"},
        "collapsed": False,
        "scrolled": True,
    }
    cells: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": metadata,
            "outputs": outputs,
            "source": ["x = 1\n", "x"],
        },
        {"cell_type": "markdown", "metadata": {}, "source": "# Title"},
        {"cell_type": "raw", "metadata": {"format": "text/x"}, "source": ""},
    ]
    if minor == 5:
        for number, cell in enumerate(cells):
            cell["id"] = f"cell-{number}"
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python", "codemirror_mode": {"name": "ipython"}},
        },
        "nbformat": 4,
        "nbformat_minor": minor,
    }


def is_valid(document: Any) -> bool:
    try:
        nbformat.validate(copy.deepcopy(document), relax_add_props=False)
    except Exception:
        return False
    return True


@pytest.mark.parametrize("minor", [4, 5])
def test_ordinary_notebooks_are_told_without_nbformat(minor: int) -> None:
    assert is_plainly_sound(ordinary(minor))
    assert is_valid(ordinary(minor))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    if isinstance(value, (dict, list)):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(each, (*path, key))
    return found


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 5) | st.sampled_from(["", "a", "a,b", "code", " "]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=4,
)
KEYS = st.sampled_from(
    ["id", "name", "tags", "metadata", "source", "outputs", "title", "attachments", "format", "x"]
)


@given(st.data(), st.sampled_from([3, 4, 5, 6]))
def test_what_is_plainly_sound_is_valid(data: st.DataObject, minor: int) -> None:
    """Whatever is changed, put in or taken out at any place."""
    document: Any = ordinary(5 if minor >= 5 else 4)
    document["nbformat_minor"] = minor
    for _ in range(data.draw(st.integers(0, 3))):
        path = data.draw(st.sampled_from(places(document)))
        if not path:
            continue
        inside = document
        for key in path[:-1]:
            inside = inside[key]
        act = data.draw(st.sampled_from(["replace", "remove", "add", "twice"]))
        if act == "replace":
            inside[path[-1]] = data.draw(JSON)
        elif act == "remove":
            del inside[path[-1]]
        elif act == "twice" and isinstance(inside, list):
            inside.append(copy.deepcopy(inside[path[-1]]))
        elif isinstance(inside, dict):
            inside[data.draw(KEYS)] = data.draw(JSON)
    if is_plainly_sound(document):
        assert is_valid(document)
