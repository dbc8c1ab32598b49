"""Ids: stable while a cell can be recognized, made from content when it is new."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from notebook_documents import notebooks
from octavo.notebook.identity import assign_ids, handle
from octavo.notebook.model import Cell, Notebook


def code(*sources: str) -> Notebook:
    return Notebook(tuple(Cell("code", source) for source in sources))


def ids(notebook: Notebook) -> list[str | None]:
    return [cell.id for cell in notebook.cells]


def bare(notebook: Notebook) -> Notebook:
    """The notebook as a percent file gives it: without ids."""
    return notebook.replace(cells=tuple(cell.replace(id=None) for cell in notebook.cells))


many = notebooks(code=("x", "y", "f(1)", "print(2)", "", "import os"), text=("# A", "words", ""))


@given(many)
def test_ids_are_valid_unique_and_always_the_same(notebook: Notebook) -> None:
    given_ids = ids(assign_ids(notebook))
    assert all(known and re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", known) for known in given_ids)
    assert len(set(given_ids)) == len(given_ids)
    assert ids(assign_ids(notebook)) == given_ids


@given(many)
def test_generating_again_changes_nothing(notebook: Notebook) -> None:
    before = assign_ids(notebook)
    assert assign_ids(notebook, before) == before
    assert assign_ids(before, before) is before


@given(many, st.data())
def test_inserting_a_cell_changes_no_other_id(notebook: Notebook, data: st.DataObject) -> None:
    before = assign_ids(notebook)
    at = data.draw(st.integers(0, len(notebook.cells)))
    cells = (*notebook.cells[:at], Cell("code", "something_new()"), *notebook.cells[at:])
    after = ids(assign_ids(bare(Notebook(cells)), before))
    assert after[:at] + after[at + 1 :] == ids(before)
    assert after[at] == handle(cells[at])


@given(many, st.data())
def test_deleting_a_cell_changes_no_other_id(notebook: Notebook, data: st.DataObject) -> None:
    before = assign_ids(notebook)
    at = data.draw(st.integers(0, max(len(notebook.cells) - 1, 0)))
    kept = notebook.cells[:at] + notebook.cells[at + 1 :]
    left = ids(before)[:at] + ids(before)[at + 1 :]
    contents = {(cell.kind, cell.source.rstrip("\n")) for cell in notebook.cells}
    if len(contents) == len(notebook.cells):
        assert ids(assign_ids(bare(Notebook(kept)), before)) == left


@settings(max_examples=50)
@given(st.permutations(["a = 1", "b()", "import c", "d + e", "print(f)", "for g in h: pass"]))
def test_moved_cells_keep_their_ids(order: list[str]) -> None:
    before = assign_ids(code(*sorted(order)))
    known = {cell.source: cell.id for cell in before.cells}
    assert ids(assign_ids(code(*order), before)) == [known[source] for source in order]


def test_an_edited_cell_keeps_its_id() -> None:
    before = assign_ids(code("import os", "x = 1\ny = 2", "print(x)"))
    after = assign_ids(code("import os", "x = 1\ny = 3\nz = 4", "print(x)"), before)
    assert ids(after) == ids(before)


def test_a_cell_that_was_moved_and_edited_keeps_its_id() -> None:
    before = assign_ids(code("load_the_table(path)\nclean_it()", "a", "b", "c"))
    after = assign_ids(code("a", "b", "c", "load_the_table(other)\nclean_it()"), before)
    assert after.cells[3].id == before.cells[0].id


def test_a_rewritten_cell_between_the_same_neighbours_keeps_its_id() -> None:
    before = assign_ids(code("a", "x = 1", "b"))
    assert ids(assign_ids(code("a", "import json", "b"), before)) == ids(before)


def test_a_new_cell_gets_its_id_from_its_content_not_its_place() -> None:
    one = assign_ids(code("a", "b", "c"))
    other = assign_ids(code("c", "b", "a"))
    assert {c.source: c.id for c in one.cells} == {c.source: c.id for c in other.cells}


def test_copies_get_numbers() -> None:
    first, second, third = ids(assign_ids(code("x", "x", "x")))
    assert (second, third) == (f"{first}-2", f"{first}-3")


def test_a_new_copy_above_leaves_the_ids_below() -> None:
    before = assign_ids(code("a", "x", "b"))
    after = assign_ids(code("x", "a", "x", "b"), before)
    assert ids(after)[1:] == ids(before)


def test_invalid_and_repeated_ids_are_replaced() -> None:
    cells = tuple(Cell("code", str(n), id=known) for n, known in enumerate(["a b", "ok", "ok"]))
    first, second, third = ids(assign_ids(Notebook(cells)))
    assert second == "ok"
    assert len({first, second, third}) == 3
    assert first == handle(cells[0])


def test_a_handle_follows_content_and_nothing_else() -> None:
    cell = Cell("code", "x = 1")
    assert handle(cell) == handle(cell.replace(id="a", metadata={"tags": ["t"]}, line=9))
    assert handle(cell) != handle(cell.replace(source="x = 2"))
    assert handle(cell) != handle(cell.replace(kind="markdown"))
    assert handle(cell) == "591a31cd"
