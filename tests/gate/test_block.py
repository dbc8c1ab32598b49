"""The check block: what a notebook says of its own check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.errors import NotebookError
from octavo.gate.block import MOST_SETS, CheckBlock, check_block
from octavo.gate.tolerance import Tolerance
from octavo.sources import read_source


def block_of(folder: Path, *lines: str, name: str = "nb.py") -> CheckBlock:
    comments = "".join(f"# {line}\n" for line in ("/// check", *lines, "///"))
    text = f"# %%\n{comments}\n# %%\n1\n"
    if name.endswith(".md"):
        text = f"---\njupyter: {{}}\n---\n\n```python\n{comments}```\n"
    (folder / name).write_text(text)
    return check_block(read_source(folder / name))


def refusal(folder: Path, *lines: str) -> NotebookError:
    with pytest.raises(NotebookError) as raised:
        block_of(folder, *lines)
    assert raised.value.kind == "check-block"
    assert raised.value.hint
    return raised.value


def test_a_notebook_without_a_block_is_checked_once_with_its_defaults(tmp_path: Path) -> None:
    (tmp_path / "nb.py").write_text("# %%\n1\n")
    block = check_block(read_source(tmp_path / "nb.py"))
    assert [(each.name, dict(each.values)) for each in block.value_sets()] == [("", {})]


@pytest.mark.parametrize("name", ["nb.py", "nb.md"])
def test_everything_that_can_be_said(tmp_path: Path, name: str) -> None:
    lines = (
        'timeout = "2m"',
        "cell-timeout = 30",
        'memory = "1GB"',
        "tolerance = 1e-6",
        "image-threshold = 0.02",
        "strict = true",
        'data = ["data/*.csv"]',
        'sanitize-with = "clean.cfg"',
    )
    block = block_of(tmp_path, *lines, name=name)
    assert (block.timeout, block.cell_timeout, block.memory) == (120.0, 30.0, 10**9)
    assert block.tolerance == Tolerance(relative=1e-6)
    assert (block.image_threshold, block.strict) == (0.02, True)
    assert (block.data, block.sanitize_with) == (("data/*.csv",), "clean.cfg")


def test_tolerances_can_be_absolute(tmp_path: Path) -> None:
    block = block_of(tmp_path, "tolerance = {rel = 0.1, abs = 1}")
    assert block.tolerance == Tolerance(0.1, 1.0)


def test_named_sets_take_the_common_values_along(tmp_path: Path) -> None:
    lines = (
        'parameters = {region = "eu"}',
        "[sets.small]",
        "rows = 10",
        "[sets.large]",
        "rows = 99",
    )
    sets = block_of(tmp_path, *lines).value_sets()
    assert {each.name: dict(each.values) for each in sets} == {
        "small": {"region": "eu", "rows": 10},
        "large": {"region": "eu", "rows": 99},
    }


def test_a_matrix_is_every_combination(tmp_path: Path) -> None:
    lines = ("[matrix]", "a = [1, 2]", 'b = ["x", "y"]')
    sets = block_of(tmp_path, *lines).value_sets()
    assert [each.name for each in sets] == ["a=1, b=x", "a=1, b=y", "a=2, b=x", "a=2, b=y"]
    assert dict(sets[3].values) == {"a": 2, "b": "y"}


def test_no_two_sets_have_the_same_name(tmp_path: Path) -> None:
    """What passed is known by its name: one that fails must not pass under that of another."""
    lines = ("[matrix]", """x = [1, "1", "'1'", true, "True", 1]""")
    sets = block_of(tmp_path, *lines).value_sets()
    assert [each.values["x"] for each in sets] == [1, "1", "'1'", True, "True"]
    assert len({each.name for each in sets}) == 5


def test_every_set_meets_every_combination_of_the_matrix(tmp_path: Path) -> None:
    lines = ("[sets.one]", "[sets.two]", "[matrix]", "a = [1, 2]")
    names = [each.name for each in block_of(tmp_path, *lines).value_sets()]
    assert names == ["one, a=1", "one, a=2", "two, a=1", "two, a=2"]


def test_the_metadata_of_a_notebook_can_say_it_too(tmp_path: Path) -> None:
    document = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"octavo": {"check": {"timeout": "1m", "matrix": {"a": [1, 2]}}}},
        "cells": [],
    }
    (tmp_path / "nb.ipynb").write_text(json.dumps(document))
    block = check_block(read_source(tmp_path / "nb.ipynb"))
    assert block.timeout == 60.0
    assert len(block.value_sets()) == 2


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("timeout = ", "cannot be read"),
        ("timeout = true", "must be a number"),
        ('timeout = "soon"', "has no number"),
        ("timeout = -1", "must not be negative"),
        ("timeout = nan", "must not be negative"),
        ('strict = "yes"', "must be true or false"),
        ("image-threshold = 2", "between 0 and 1"),
        ("tolerance = {relative = 1}", "`rel`, `abs` or both"),
        ("tolerances = 1", "does not know 'tolerances'"),
        ("matrix = {a = 1}", "a must be a list"),
        ("matrix = {a = []}", "a must be a list"),
        ("sets = {a = 1}", "must be a table"),
        ("data = [1]", "must be text"),
    ],
)
def test_a_mistake_names_its_line(tmp_path: Path, line: str, told: str) -> None:
    error = refusal(tmp_path, 'memory = "1GB"', line)
    assert told in error.message
    assert error.place == f"{tmp_path}/nb.py:4"


def test_a_block_without_an_end(tmp_path: Path) -> None:
    (tmp_path / "nb.py").write_text("# %%\n# /// check\n# timeout = 1\n1\n")
    with pytest.raises(NotebookError, match="the check block has no end"):
        check_block(read_source(tmp_path / "nb.py"))


def test_a_matrix_that_explodes_is_refused(tmp_path: Path) -> None:
    lines = ["[matrix]", *(f"p{n} = [1, 2]" for n in range(30))]
    error = refusal(tmp_path, *lines)
    assert f"{MOST_SETS} are allowed" in error.message


@given(
    st.dictionaries(st.sampled_from("abc"), st.lists(st.integers(), min_size=1, max_size=3)),
    st.sets(st.sampled_from(["x", "y"])),
)
def test_there_are_as_many_sets_as_combinations(
    matrix: dict[str, list[int]], names: set[str]
) -> None:
    block = CheckBlock(
        sets={name: {} for name in names}, matrix={key: tuple(v) for key, v in matrix.items()}
    )
    expected = max(1, len(names))
    for values in matrix.values():
        expected *= len(set(values))  # one that stands there twice is checked once
    sets = block.value_sets()
    assert len(sets) == expected
    assert all(set(each.values) == set(matrix) for each in sets)
