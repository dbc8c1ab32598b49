"""Our decisions beside nbdime's, on generated merges: where they differ, the difference has a name.

The numbers are those of `design/merge.md`, which argues each of them.
"""

from __future__ import annotations

import copy
import logging
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from notebook_merges import Case, Document, case
from octavo.notebook.merging.documents import merge_documents

SEEDS = range(240)
PAGE = Path(__file__).parents[2] / "design" / "merge.md"

EQUAL = "both merge, with the same outcome"
BOTH_CONFLICT = "both find a conflict"
OUTPUTS = "both merge; nbdime leaves outputs or counts of a source that is gone"
ORDER = "both merge; a cell that moved or was added stands elsewhere"
CAME_BACK = "both merge; nbdime brings a cell back that one side deleted and the other moved"
MOVED = "nbdime finds a conflict: a cell that moved is one deleted and one added"
ONLY_RUN = "nbdime finds a conflict: a cell deleted that the other side only ran again"
BESIDE = "nbdime finds a conflict: a cell added beside one that the other side changed"
RUNS = "nbdime finds a conflict: outputs of two runs"
TAGS = "nbdime finds a conflict: a tag added on both sides"
LINES = "nbdime finds a conflict: lines that do not touch each other"

SUMMARY: dict[str, int] = {
    EQUAL: 109,
    BOTH_CONFLICT: 40,
    MOVED: 33,
    OUTPUTS: 25,
    RUNS: 11,
    BESIDE: 9,
    ONLY_RUN: 7,
    ORDER: 3,
    CAME_BACK: 1,
    LINES: 1,
    TAGS: 1,
}


def test_the_differences_are_known_and_counted() -> None:
    pytest.importorskip("nbdime")
    found = Counter(_compared(case(seed)) for seed in SEEDS)
    assert dict(found) == SUMMARY


def test_the_design_note_has_the_same_numbers() -> None:
    page = PAGE.read_text("utf-8")
    for name, count in SUMMARY.items():
        assert f"| {name} | {count} |" in page


def _compared(found: Case) -> str:
    ours, merged = merge_documents(*copy.deepcopy(found[:3]))
    theirs, conflicts = _by_nbdime(found)
    if not merged.clean:
        assert conflicts, "we find a conflict that nbdime does not"
        return BOTH_CONFLICT
    if conflicts:
        return _class_of_conflict(found, conflicts)
    return _class_of_difference(found, ours, theirs)


def _by_nbdime(found: Case) -> tuple[Document, list[Any]]:
    import nbformat
    from nbdime.merging import merge_notebooks

    logging.getLogger("nbdime").setLevel(logging.CRITICAL)
    sides = [nbformat.from_dict(copy.deepcopy(each)) for each in found[:3]]
    merged, decisions = merge_notebooks(*sides)
    return dict(merged), [each for each in decisions if each.conflict]


def _class_of_conflict(found: Case, conflicts: list[Any]) -> str:
    edits = (*found.our_edits, *found.their_edits)
    if "move_cell" in edits and conflicts[0].common_path[-1] != "outputs":
        return MOVED
    path = conflicts[0].common_path
    if path == ("cells",):
        return ONLY_RUN if conflicts[0].action == "base" else BESIDE
    return {"outputs": RUNS, "metadata": TAGS}.get(path[-1], LINES)


def _class_of_difference(found: Case, ours: Document, theirs: Document) -> str:
    if ours == theirs:
        return EQUAL
    one, other = (_sources(each) for each in (ours, theirs))
    if one == other:
        assert _without_results(ours) == _without_results(theirs)
        return OUTPUTS
    if sorted(one) == sorted(other):
        return ORDER
    back = set(other) - set(one)
    assert set(one) <= set(other)
    assert all(source not in _sources(found.ours) or source not in _sources(found.theirs)
               for source in back)  # fmt: skip
    return CAME_BACK


def _sources(document: Document) -> list[str]:
    return [cell["source"] for cell in document["cells"]]


def _without_results(document: Document) -> Document:
    results = ("outputs", "execution_count")
    cells = [{k: v for k, v in cell.items() if k not in results} for cell in document["cells"]]
    return {**document, "cells": cells}
