"""Merging by cell: its laws, and the cases that people meet."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.notebook.identity import assign_ids
from octavo.notebook.merge import Conflict, MetadataConflict, merge
from octavo.notebook.model import Cell, Notebook

WORDS = ("alpha()", "beta = 2", "import gamma", "delta(1, 2)", "epsilon", "zeta + eta", "theta[0]")
pieces = st.builds(
    Cell,
    st.sampled_from(("code", "markdown")),
    st.sampled_from(WORDS),
    st.sampled_from(({}, {"tags": ["t"]})),
)
documents = st.lists(pieces, max_size=8).map(lambda found: Notebook(tuple(found)))


def code(*sources: str, **metadata: Any) -> Notebook:
    return Notebook(tuple(Cell("code", source) for source in sources), metadata)


def sources(notebook: Notebook) -> list[str]:
    return [cell.source for cell in notebook.cells]


@given(documents, documents)
def test_only_theirs_changed(base: Notebook, theirs: Notebook) -> None:
    assert merge(base, base, theirs).notebook == theirs


@given(documents, documents)
def test_only_ours_changed(base: Notebook, ours: Notebook) -> None:
    assert merge(base, ours, base).notebook == ours


@given(documents, documents)
def test_both_changed_the_same_way(base: Notebook, both: Notebook) -> None:
    assert merge(base, both, both).notebook == both


@given(documents, documents, documents)
def test_nothing_that_a_side_wrote_is_lost(
    base: Notebook, ours: Notebook, theirs: Notebook
) -> None:
    merged = merge(base, ours, theirs)
    held = {cell for piece in merged.cells for cell in _versions(piece)}
    old = {(cell.kind, cell.source) for cell in base.cells}
    for side in (ours, theirs):
        for cell in side.cells:
            assert (cell.kind, cell.source) in held | old


def _versions(piece: Cell | Conflict) -> list[tuple[str, str]]:
    if isinstance(piece, Cell):
        return [(piece.kind, piece.source)]
    return [(cell.kind, cell.source) for cell in (piece.ours, piece.theirs) if cell]


DISTINCT = [f"cell_{name}({number})" for number, name in enumerate("abcdefgh")]


@settings(max_examples=100)
@given(st.data())
def test_edits_of_different_cells_merge_the_same_from_both_sides(data: st.DataObject) -> None:
    base = code(*DISTINCT)
    edited = data.draw(st.dictionaries(st.integers(0, 7), st.booleans(), max_size=6))
    ours, theirs, both = list(DISTINCT), list(DISTINCT), list(DISTINCT)
    for at, is_ours in edited.items():
        changed = DISTINCT[at] + "  # changed"
        (ours if is_ours else theirs)[at] = changed
        both[at] = changed
    merged = merge(base, code(*ours), code(*theirs))
    assert sources(merged.notebook) == both
    assert merge(base, code(*theirs), code(*ours)).notebook == merged.notebook


@given(st.integers(0, 8), st.integers(0, 8))
def test_insertions_at_different_places_merge_the_same_from_both_sides(one: int, two: int) -> None:
    base = code(*DISTINCT)
    ours = code(*DISTINCT[:one], "ours()", *DISTINCT[one:])
    theirs = code(*DISTINCT[:two], "theirs()", *DISTINCT[two:])
    merged = sources(merge(base, ours, theirs).notebook)
    assert [source for source in merged if source in DISTINCT] == DISTINCT
    assert {"ours()", "theirs()"} <= set(merged)
    if one != two:
        assert sources(merge(base, theirs, ours).notebook) == merged


@given(st.permutations(DISTINCT), st.permutations(DISTINCT))
def test_moves_on_both_sides_keep_every_cell(one: list[str], two: list[str]) -> None:
    merged = sources(merge(code(*DISTINCT), code(*one), code(*two)).notebook)
    assert sorted(merged) == sorted(DISTINCT)


def test_the_same_cell_changed_differently_is_a_conflict_with_both() -> None:
    merged = merge(code("a", "x = 1"), code("a", "x = 2"), code("a", "x = 3"))
    (conflict,) = merged.conflicts
    assert conflict.ours
    assert conflict.theirs
    assert (conflict.ours.source, conflict.theirs.source) == ("x = 2", "x = 3")
    assert merged.cells[0] == Cell("code", "a")
    assert not merged.clean


def test_an_edit_of_a_cell_that_the_other_side_deleted_is_a_conflict() -> None:
    (conflict,) = merge(code("a", "x = 1"), code("a"), code("a", "x = 3")).conflicts
    assert conflict.ours is None
    assert conflict.theirs == Cell("code", "x = 3")


def test_a_deletion_of_an_untouched_cell_is_taken() -> None:
    assert sources(merge(code("a", "b", "c"), code("a", "c"), code("a", "b", "c!")).notebook) == [
        "a",
        "c!",
    ]


def test_a_move_and_an_edit_of_the_same_cell_merge() -> None:
    base = code("first(1)", "second(2)", "third(3)")
    ours = code("third(3)", "first(1)", "second(2)")
    theirs = code("first(1)", "second(2)", "third(33)")
    assert sources(merge(base, ours, theirs).notebook) == ["third(33)", "first(1)", "second(2)"]


def test_a_tag_and_a_source_change_of_the_same_cell_merge() -> None:
    base = code("x = 1")
    theirs = Notebook((Cell("code", "x = 1", {"tags": ["parameters"]}),))
    merged = merge(base, code("x = 2"), theirs).notebook
    assert merged.cells == (Cell("code", "x = 2", {"tags": ["parameters"]}),)


def tagged(*tags: str, **metadata: Any) -> Notebook:
    return Notebook((Cell("code", "x", {"tags": list(tags), **metadata}),))


def test_tags_are_merged_as_a_set() -> None:
    merged = merge(tagged("kept", "gone"), tagged("kept", "ours"), tagged("theirs", "gone"))
    assert merged.notebook.cells[0].tags == ("ours", "theirs")


def test_a_key_of_a_cell_changed_differently_is_a_conflict_that_names_it() -> None:
    (conflict,) = merge(tagged(), tagged(name="a"), tagged(name="b")).conflicts
    assert conflict.about == ("metadata name",)


def test_edits_of_different_lines_of_a_cell_merge() -> None:
    base = code("a = 1\nb = 2\nc = 3\nd = 4")
    ours, theirs = code("a = 10\nb = 2\nc = 3\nd = 4"), code("a = 1\nb = 2\nc = 3\nd = 40\ne = 5")
    assert sources(merge(base, ours, theirs).notebook) == ["a = 10\nb = 2\nc = 3\nd = 40\ne = 5"]


def test_edits_of_adjoining_lines_are_a_conflict() -> None:
    base = code("a = 1\nb = 2")
    assert not merge(base, code("a = 10\nb = 2"), code("a = 1\nb = 20")).clean


def test_lines_that_do_not_parse_together_are_a_conflict() -> None:
    base = code("if x:\n    a()\n    b()\n    c()\n    d()")
    ours = code("if x:\n    a()\n    b()\n    c()\nd()")
    theirs = code(
        "if x:\n    try:\n        a()\n        b()\n    finally:\n        c()\n        d()"
    )
    assert len(merge(base, ours, theirs).conflicts) == 1
    ours = code("for y in z:\n    a()\n    b()\n    c()\n    d()")
    theirs = code("if x:\n    a()\n    b()\n    c()\n    d()\nelse:\n    e()")
    assert sources(merge(base, ours, theirs).notebook) == [
        "for y in z:\n    a()\n    b()\n    c()\n    d()\nelse:\n    e()"
    ]
    theirs = code("if x:\n    a()\n    b()\n    c()\n    d()\nelif w:\n    e()")
    assert len(merge(base, ours, theirs).conflicts) == 1


def test_a_deletion_of_a_cell_that_was_only_run_is_taken() -> None:
    run = Notebook((Cell("code", "x", {"execution": {"iopub.status.busy": "2024"}}),))
    assert merge(code("x"), Notebook(()), run).notebook.cells == ()


def test_what_views_and_runs_leave_never_conflicts() -> None:
    sides = [
        Notebook((Cell("code", "x", {"collapsed": flag, "ExecuteTime": {"end": end}}),), head)
        for flag, end, head in (
            (True, "2024-01-01", {"language_info": {"version": "3.9.1"}}),
            (False, "2024-01-02", {"language_info": {"version": "3.10.0"}}),
        )
    ]
    merged = merge(code("x"), *sides).notebook
    assert merged.metadata == {"language_info": {"version": "3.10.0"}}
    assert merged.cells[0].metadata["ExecuteTime"] == {"end": "2024-01-02"}
    assert merge(code("x"), *sides[::-1]).notebook == merged


def kernel(name: str, display: str) -> Notebook:
    return code("x", kernelspec={"name": name, "display_name": display})


def test_the_names_of_a_kernel_stay_together() -> None:
    base = kernel("python3", "Python 3")
    merged = merge(base, kernel("env", "My env"), kernel("python3", "Python 3 (ipykernel)"))
    assert merged.notebook == kernel("env", "My env")
    (conflict,) = merge(base, kernel("env", "E"), kernel("other", "O")).metadata_conflicts
    assert conflict.key == "kernelspec"


def test_true_and_one_are_different_values() -> None:
    merged = merge(code("x", flag=1), code("x", flag=1), code("x", flag=True))
    assert merged.metadata["flag"] is True


def test_nested_keys_merge_and_their_conflict_is_named() -> None:
    base = code("x", a={"b": 1, "c": 1})
    assert merge(base, code("x", a={"b": 2, "c": 1}), code("x", a={"b": 1, "c": 2})).metadata == {
        "a": {"b": 2, "c": 2}
    }
    merged = merge(base, code("x", a={"b": 2, "c": 1}), code("x", a={"b": 3, "c": 1}))
    assert merged.metadata_conflicts == (MetadataConflict("a.b", 2, 3),)


def test_files_that_both_sides_added_are_one_where_they_are_alike() -> None:
    ours = code("import a", "x = compute(1, 2, 3)", "ours()")
    theirs = code("import a", "x = compute(1, 2, 4)")
    merged = merge(Notebook(()), ours, theirs)
    (conflict,) = merged.conflicts
    assert conflict.base is None
    assert [cell.source for cell in merged.cells if isinstance(cell, Cell)] == [
        "import a",
        "ours()",
    ]


def named(cell_id: str, source: str) -> Cell:
    return Cell("code", source, id=cell_id)


def test_a_cell_that_both_sides_took_over_and_changed_is_one_cell() -> None:
    base = Notebook((named("first", "a()"),))
    sides = [Notebook((*base.cells, named("taken", source))) for source in ("b(1)", "b(2)")]
    assert len(merge(base, *sides).conflicts) == 1


def test_a_cell_in_place_of_another_is_another_cell() -> None:
    base = Notebook((named("first", "a()"), named("gone", "old(1)")))
    ours = Notebook((named("first", "a()"),))
    theirs = Notebook((named("first", "a()"), named("new", "something = else_")))
    assert merge(base, ours, theirs).notebook == theirs


def test_ids_come_from_the_side_that_has_them() -> None:
    theirs = assign_ids(code("a", "b"))
    merged = merge(theirs, code("a", "b", "c"), theirs).notebook
    assert [cell.id for cell in merged.cells] == [theirs.cells[0].id, theirs.cells[1].id, None]


def test_notebook_metadata_merges_by_key() -> None:
    base = code(kernel="a", title="t", gone=1)
    merged = merge(base, code(kernel="b", title="t", gone=1), code(kernel="a", title="u", new=2))
    assert merged.metadata == {"kernel": "b", "title": "u", "new": 2}


def test_a_metadata_key_changed_differently_is_a_conflict() -> None:
    merged = merge(code(kernel="a"), code(kernel="b"), code(kernel="c"))
    assert merged.metadata_conflicts == (MetadataConflict("kernel", "b", "c"),)


def test_the_same_cell_added_on_both_sides_is_there_once() -> None:
    both = code("a", "new()", "b")
    assert sources(merge(code("a", "b"), both, code("a", "new()", "other()", "b")).notebook) == [
        "a",
        "new()",
        "other()",
        "b",
    ]


def test_equal_cells_added_at_different_places_are_both_kept() -> None:
    merged = merge(code("a", "b"), code("show()", "a", "b"), code("a", "b", "show()"))
    assert sources(merged.notebook) == ["show()", "a", "b", "show()"]
