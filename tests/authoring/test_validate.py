"""Checking notebooks: every problem, with its place, as nbformat sees it."""

from __future__ import annotations

import asyncio
import copy
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notebook_documents import notebooks
from octavo.authoring.soundness import schema_flaws
from octavo.authoring.validate import ValidateRequest, ValidateResult, validate
from octavo.errors import KINDS, NotebookError
from octavo.notebook.formats import ipynb

SOUND: dict[str, Any] = {
    "cells": [
        {"cell_type": "markdown", "id": "m", "metadata": {}, "source": "# Title"},
        {
            "cell_type": "code", "id": "c", "metadata": {}, "source": "1 + 1",
            "execution_count": 1, "outputs": [
                {"output_type": "stream", "name": "stdout", "text": "2"},
                {"output_type": "execute_result", "data": {"text/plain": "2"},
                 "metadata": {}, "execution_count": 1},
            ],
        },
    ],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}  # fmt: skip


def checked(folder: Path, name: str) -> ValidateResult:
    return asyncio.run(validate(ValidateRequest(name), SimpleNamespace(cwd=str(folder))))


def told(folder: Path, content: Any, name: str = "nb.ipynb") -> list[tuple[str, str]]:
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / name).write_text(text)
    result = checked(folder, name)
    assert result.valid == (result.problems == ())
    assert all(flaw.kind in KINDS for flaw in result.problems)
    return [(flaw.place, flaw.message) for flaw in result.problems]


def test_a_sound_notebook_has_no_problems(tmp_path: Path) -> None:
    assert told(tmp_path, SOUND) == []
    assert told(tmp_path, "# %%\nx = 1\n%time x\n", "nb.py") == []
    assert checked(tmp_path, "nb.py").to_json() == {
        "valid": True,
        "path": "nb.py",
        "format": "py",
        "problems": [],
    }


def test_all_problems_are_told_each_with_its_place(tmp_path: Path) -> None:
    broken = copy.deepcopy(SOUND)
    text, code = broken["cells"]
    del text["source"]
    text["colour"] = "red"
    code["id"] = "m"
    code["outputs"][0]["name"] = 3
    code["outputs"][1]["more"] = 1
    broken["metadata"]["kernelspec"] = {}
    broken["extra"] = 1
    assert told(tmp_path, broken) == [
        ("nb.ipynb, metadata", "`kernelspec` has no `name` and `display_name`"),
        ("nb.ipynb", "Additional properties are not allowed ('extra' was unexpected)"),
        ("nb.ipynb, cell 0 (id m)", "`source` is missing or not text"),
        ("nb.ipynb, cell 0 (id m)", "`colour` is not part of a markdown cell"),
        ("nb.ipynb, cell 1 (id m)", "output 1: `name` is missing or not text"),
        ("nb.ipynb, cell 1", "the id 'm' is taken by cell 0"),
        (
            "nb.ipynb, cell 1 (id m), outputs, 1",
            "Additional properties are not allowed ('more' was unexpected)",
        ),
    ]


@pytest.mark.parametrize(
    ("content", "name", "kind", "place"),
    [
        ("{", "nb.ipynb", "notebook-invalid", "nb.ipynb:1"),
        ("", "nb.py", "notebook-empty", "nb.py"),
        ('{"nbformat": 9, "cells": []}', "nb.ipynb", "notebook-version", "nb.ipynb"),
        ("# %%\nx = (\n", "nb.py", "notebook-syntax", "nb.py:2"),
        ('# %% tags=["parameters"]\na = 1\n# %% tags=["parameters"]\nb = 1\n', "nb.py",
         "parameters-ambiguous", "nb.py:4"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_or_run_is_a_problem(
    tmp_path: Path, content: str, name: str, kind: str, place: str
) -> None:
    (tmp_path / name).write_text(content)
    [flaw] = checked(tmp_path, name).problems
    assert (flaw.kind, flaw.place.partition(",")[0]) == (kind, place)
    assert flaw.message


def test_syntax_is_checked_in_every_format(tmp_path: Path) -> None:
    broken = copy.deepcopy(SOUND)
    broken["cells"][1]["source"] = "x ="
    assert [place for place, _ in told(tmp_path, broken)] == ["nb.ipynb, cell 1, line 1"]


@pytest.mark.parametrize("name", ["missing.py", "folder.py", "nb.txt"])
def test_where_there_is_no_notebook_an_error_is_raised(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.py").mkdir()
    with pytest.raises(NotebookError):
        checked(tmp_path, name)


def _changes() -> st.SearchStrategy[tuple[tuple[Any, ...], Any]]:
    """A place in a sound notebook and what to put there; a list stands for: take it away."""
    places = st.sampled_from((
        ("metadata",), ("metadata", "kernelspec"), ("metadata", "kernelspec", "name"),
        ("cells",), ("cells", 0), ("cells", 0, "id"), ("cells", 0, "source"), ("cells", 0, "new"),
        ("cells", 0, "cell_type"), ("cells", 0, "metadata"), ("cells", 1, "metadata", "tags"),
        ("cells", 1, "outputs"), ("cells", 1, "outputs", 0), ("cells", 1, "outputs", 0, "text"),
        ("cells", 1, "outputs", 1, "data"), ("cells", 1, "outputs", 1, "data", "image/png"),
        ("cells", 1, "execution_count"), ("cells", 1, "metadata", "jupyter"), ("nbformat_minor",),
        ("cells", 1, "outputs", 1, "output_type"), ("cells", 1, "metadata", "execution"),
    ))  # fmt: skip
    values = st.sampled_from((None, 1, -1, "x", "", "code", {}, {"a": 1}, ["x"], [1], [], True))
    return st.tuples(places, values)


@pytest.mark.filterwarnings("ignore:Cell is missing an id field")
@settings(max_examples=75, deadline=None)
@given(st.lists(_changes(), max_size=2))
def test_verdicts_are_those_of_nbformat(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    document = copy.deepcopy(SOUND)
    for (*way, last), value in changes:
        holder: Any = document
        try:
            for step in way:
                holder = holder[step]
            holder[last] = copy.deepcopy(value)
        except (KeyError, TypeError, IndexError):
            continue
    if type(document["nbformat_minor"]) is not int or not 0 <= document["nbformat_minor"] <= 5:
        return
    flaws = schema_flaws(copy.deepcopy(document))
    try:
        nbformat.validate(copy.deepcopy(document))
    except nbformat.ValidationError:
        assert flaws
    except (TypeError, AttributeError, KeyError):
        pass  # it cannot even look at some
    else:
        # It repairs ids, with a warning that it will not always do so.
        assert all(" id " in flaw.message or "`id`" in flaw.message for flaw in flaws), flaws


@settings(max_examples=50, deadline=None)
@given(notebooks())
def test_what_we_write_is_valid(notebook: Any) -> None:
    assert schema_flaws(json.loads(ipynb.write(notebook))) == ()
