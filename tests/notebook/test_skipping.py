"""Cells that are left out of a run by their tags."""

from __future__ import annotations

import pytest

from octavo.notebook.model import Cell
from octavo.notebook.skipping import ALWAYS, skip_condition, why_skipped


@pytest.mark.parametrize(
    ("tags", "condition"),
    [
        ([], None),
        (["skip"], ALWAYS),
        (["other", "skip-if: quick"], "quick"),
        (["skip-if:quick"], "quick"),
        (["skip-if:"], None),
        (["NBVAL_SKIP"], None),
        (["skipper"], None),
        ([3], None),
    ],
)
def test_the_condition_comes_from_the_tags(tags: list[object], condition: str | None) -> None:
    assert skip_condition(Cell("code", "1", {"tags": tags})) == condition


def test_a_name_decides_by_its_truth() -> None:
    cell = Cell("code", "1", {"tags": ["skip-if: quick"]})
    assert why_skipped(cell, {"quick": False}) is None
    assert why_skipped(cell, {}) is None
    assert why_skipped(cell, {"quick": 1}) == "tagged `skip-if: quick`, and `quick` is 1"
    assert why_skipped(Cell("code", "1", {"tags": ["skip"]}), {}) == "tagged `skip`"
    assert why_skipped(Cell("code", "1"), {"quick": True}) is None
