"""What became of each cell, and the lines and words that changed in it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from notebook.test_diff import _notebooks, _pairs, code, notebook, stream, text
from octavo.notebook.diff import PARTS, changes, diff, patch
from octavo.notebook.diff.cells import PART_OF_KEY
from octavo.notebook.diff.changes import MISSING
from octavo.notebook.diff.hunks import line_hunks, split

Document = dict[str, Any]
UNHURRIED = settings(deadline=None, max_examples=30, suppress_health_check=[*HealthCheck])
CELLS = [code(f"step_{n}(value)", f"c{n}") for n in range(6)]


def told(old: Document | None, new: Document | None, **how: Any) -> list[tuple[Any, ...]]:
    return [(each.how, each.old_index, each.new_index) for each in changes(old, new, **how).cells]


def test_each_cell_is_told_once_and_where_it_is() -> None:
    edited = {**CELLS[2], "source": "step_2(value, more)"}
    new = notebook(CELLS[0], CELLS[4], text("New", "n"), edited, CELLS[3], CELLS[5])
    assert told(notebook(*CELLS), new) == [
        ("moved", 4, 1), ("added", None, 2), ("removed", 1, None), ("edited", 2, 3),
    ]  # fmt: skip
    assert changes(notebook(*CELLS), new).same == 3


def test_a_cell_that_moved_and_was_edited_is_both() -> None:
    last = {**CELLS[5], "source": "step_5(value, more)"}
    found = changes(notebook(*CELLS), notebook(last, *CELLS[:5]))
    assert [each.how for each in found.cells] == ["moved and edited"]
    assert found.cells[0].parts == {"sources"}


def test_a_notebook_that_is_not_there_has_no_cells() -> None:
    assert told(None, notebook(*CELLS[:2])) == [("added", None, 0), ("added", None, 1)]
    assert told(notebook(*CELLS[:2]), None) == [("removed", 0, None), ("removed", 1, None)]
    assert not changes(None, None)


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("sources", {"source": "other"}),
        ("outputs", {"outputs": [stream("x\n")]}),
        ("metadata", {"metadata": {"tags": ["a"]}}),
        ("details", {"execution_count": 7}),
        ("ids", {"id": "another"}),
    ],
)
def test_a_part_that_is_ignored_is_no_change(part: str, change: Document) -> None:
    old, new = notebook(CELLS[0]), notebook({**CELLS[0], **change})
    [found] = changes(old, new).cells
    assert found.parts == {part}
    assert diff(old, new)
    assert not changes(old, new, frozenset({part}))
    assert diff(old, new, frozenset({part})) == []


def test_metadata_is_told_by_the_way_to_it() -> None:
    old = notebook(kernelspec={"name": "a", "language": "python"}, gone=1)
    new = notebook(kernelspec={"name": "b", "language": "python"}, come=[1])
    assert [(each.name, each.old, each.new) for each in changes(old, new).metadata] == [
        ("come", MISSING, [1]), ("gone", 1, MISSING), ("kernelspec.name", "a", "b"),
    ]  # fmt: skip


@UNHURRIED
@given(_pairs(), st.sets(st.sampled_from(PARTS)))
def test_every_cell_of_both_sides_is_accounted_for(
    pair: tuple[Document, Document], ignore: set[str]
) -> None:
    old, new = pair
    found = changes(old, new, frozenset(ignore))
    gone = [each for each in found.cells if each.how == "removed"]
    come = [each for each in found.cells if each.how == "added"]
    both = len(found.cells) - len(gone) - len(come) + found.same
    assert both + len(gone) == len(old["cells"])
    assert both + len(come) == len(new["cells"])
    assert len({(each.old_index, each.new_index) for each in found.cells}) == len(found.cells)


@UNHURRIED
@given(_pairs(), st.sets(st.sampled_from(PARTS)))
def test_a_diff_without_some_parts_can_be_applied_and_leaves_them(
    pair: tuple[Document, Document], ignore: set[str]
) -> None:
    old, new = pair
    made = patch(old, diff(old, new, frozenset(ignore)))
    assert without(made, ignore) == without(new, ignore)


def without(document: Document, parts: set[str]) -> list[Document]:
    return [
        {key: value for key, value in cell.items() if PART_OF_KEY.get(key) not in parts}
        for cell in document["cells"]
    ]


@UNHURRIED
@given(_notebooks())
def test_the_same_notebook_has_no_changes(document: Document) -> None:
    assert not changes(document, copy.deepcopy(document))


def test_lines_and_words_that_changed_are_shown_with_three_lines_around_them() -> None:
    old = "".join(f"line {n}\n" for n in range(1, 31))
    new = (
        old.replace("line 5\n", "line 5 more\n").replace("line 20\n", "").replace("line 30", "end")
    )
    hunks = line_hunks(old, new)
    assert [hunk.head for hunk in hunks] == [
        "@@ -2,7 +2,7 @@", "@@ -17,7 +17,6 @@", "@@ -27,4 +26,4 @@",
    ]  # fmt: skip
    signs = ["".join(line.sign for line in hunk.lines) for hunk in hunks]
    assert signs == ["   -+   ", "   -   ", "   -+"]
    marked = [line.text[start:end] for line in hunks[0].lines for start, end in line.marks]
    assert marked == [" more"]


texts = st.text("ab\n\r\x0c ", max_size=30) | st.lists(
    st.sampled_from(("a = 1", "b = 2", "a = 10", "")), max_size=12
).map("\n".join)


@UNHURRIED
@given(texts, texts, st.integers(0, 4))
def test_passages_hold_every_change_and_nothing_twice(old: str, new: str, context: int) -> None:
    rows = [line for hunk in line_hunks(old, new, context) for line in hunk.lines]
    before, after = split(old), split(new)
    gone = {line.old for line in rows if line.sign == "-"}
    come = {line.new for line in rows if line.sign == "+"}
    kept = [line for n, line in enumerate(before, 1) if n not in gone]
    assert kept == [line for n, line in enumerate(after, 1) if n not in come]
    numbers = [line.old for line in rows if line.old is not None]
    assert numbers == sorted(set(numbers)) or gone
    assert all(line.text == before[line.old - 1] for line in rows if line.old is not None)
    assert all(line.text == after[line.new - 1] for line in rows if line.new is not None)
