"""Edits as values: which cell an address means, and what edits make of the cells."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.errors import ConflictError, OctavoError, UsageError
from octavo.notebook.addresses import find_cell
from octavo.notebook.edits import Edit, Edited, apply, locate
from octavo.notebook.identity import digest, handle
from octavo.notebook.model import Cell, Notebook
from octavo.notebook.rebasing import rebase

CELLS = (
    Cell("markdown", "# Title"),
    Cell("code", "x = 1", {"name": "load", "tags": ["slow"]}),
    Cell("code", "y = x", {"title": "Work"}),
    Cell("code", "z = 1", {"tags": ["slow", "last"]}, id="abc"),
)
NOTEBOOK = Notebook(CELLS)


def sources(*edits: Edit, notebook: Notebook = NOTEBOOK) -> list[str]:
    return [cell.source for cell in done(*edits, notebook=notebook).cells]


def done(*edits: Edit, notebook: Notebook = NOTEBOOK) -> Edited:
    return apply(locate(edits, notebook), notebook)


def refused(*edits: Edit, notebook: Notebook = NOTEBOOK) -> OctavoError:
    with pytest.raises(OctavoError) as caught:
        done(*edits, notebook=notebook)
    assert caught.value.hint and caught.value.exit_code == 2
    return caught.value


MAKING = tuple(
    Cell(kind, source)
    for kind, source in (
        ("code", "import numpy as np\ndf = 1"),
        ("code", "df = df + 1\ntotals = sum(df)"),
        ("code", "if totals:\n    best = 1"),
        ("code", "def shout(inner):\n    return inner"),
        ("code", "face = 1"),
        ("code", "%matplotlib inline\nfiles = !ls"),
        ("code", "%%time\nwhole = 1"),
        ("markdown", "prose = 1"),
    )
)


@pytest.mark.parametrize(
    ("address", "index"),
    [
        (0, 0), (-1, 3), ("2", 2), ("-4", 0), ("load", 1), ("Work", 2), ("last", 3), ("abc", 3),
        (handle(CELLS[1]), 1), (handle(CELLS[1])[:4], 1), (digest(CELLS[2]), 2),
    ],
)  # fmt: skip
def test_a_cell_is_found(address: Any, index: int) -> None:
    assert find_cell(CELLS, address) == index


@pytest.mark.parametrize(
    "address", [4, -5, "4", "99999999999999999999", "nope", "", "abc1x", "x" * 999]
)
def test_a_cell_that_is_not_there(address: Any) -> None:
    with pytest.raises(UsageError) as caught:
        find_cell(CELLS, address, "a.py")
    assert caught.value.kind == "cell-not-found"
    assert "0 to 3" in caught.value.hint and "load, Work" in caught.value.hint
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("name", "index"),
    [("totals", 1), ("np", 0), ("best", 2), ("shout", 3), ("face", 4), ("files", 5), ("whole", 6)],
)
def test_a_cell_is_found_by_a_variable_that_it_makes(name: str, index: int) -> None:
    assert find_cell(MAKING, name) == index


def test_a_variable_that_two_cells_make_names_neither() -> None:
    with pytest.raises(UsageError) as caught:
        find_cell(MAKING, "df")
    assert caught.value.kind == "cell-ambiguous"


@pytest.mark.parametrize("name", ["inner", "prose", "total", "sum"])
def test_what_a_cell_only_mentions_is_not_its_name(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_cell(MAKING, name)
    assert caught.value.kind == "cell-not-found"


def test_the_name_of_a_cell_goes_before_a_variable() -> None:
    named = Cell("markdown", "x", metadata={"name": "totals"})
    assert find_cell((*MAKING, named), "totals") == len(MAKING)


def test_a_handle_that_no_cell_has_any_more_is_stale() -> None:
    with pytest.raises(ConflictError) as caught:
        find_cell(CELLS, "deadbeef")
    assert caught.value.kind == "stale"
    listed: Any = caught.value.details["cells"]
    assert [each["handle"] for each in listed] == [handle(cell) for cell in CELLS]


def test_an_address_of_several_cells_lists_them() -> None:
    with pytest.raises(UsageError) as caught:
        find_cell(CELLS, "slow")
    assert caught.value.kind == "cell-ambiguous"
    listed: Any = caught.value.details["candidates"]
    assert [(each["index"], each["first_line"]) for each in listed] == [(1, "x = 1"), (3, "z = 1")]
    assert handle(CELLS[3]) in caught.value.message


def test_equal_cells_have_one_handle_and_are_told_apart_by_index() -> None:
    with pytest.raises(UsageError) as caught:
        find_cell((CELLS[1], CELLS[1]), handle(CELLS[1]))
    assert caught.value.kind == "cell-ambiguous"


def test_a_handle_of_digits_is_a_handle_and_other_digits_are_an_index() -> None:
    sources = (Cell("code", f"x = {n}") for n in range(10_000))
    digits = next(cell for cell in sources if handle(cell).isdecimal())
    cells = (*CELLS, digits)
    assert find_cell(cells, handle(digits)) == 4
    assert find_cell(cells, "3") == 3


def test_a_number_can_be_a_name_where_it_is_no_index() -> None:
    cells = (*CELLS, Cell("code", "", {"name": "2024"}))
    assert find_cell(cells, "2024") == 4


def test_replacing_keeps_metadata_and_others() -> None:
    edited = done(Edit("replace", "load", "x = 2"))
    assert edited.cells[1] == CELLS[1].replace(source="x = 2")
    assert [edited.cells[at] for at in (0, 2, 3)] == [CELLS[at] for at in (0, 2, 3)]
    (touched,) = edited.touched
    assert (touched.before, touched.after) == (1, 1)


def test_addresses_mean_the_notebook_before_the_call() -> None:
    edits = (Edit("delete", 0), Edit("replace", 1, "one"), Edit("insert", source="new", anchor=1))
    assert sources(*edits) == ["one", "new", "y = x", "z = 1"]
    assert [(t.before, t.after) for t in done(*edits).touched] == [(0, None), (1, 0), (None, 1)]


def test_insertions_at_one_place_come_in_their_order() -> None:
    after = [Edit("insert", source=name, anchor=0) for name in "abc"]
    before = [Edit("insert", source=name, anchor=1, side="before") for name in "de"]
    assert sources(*after, *before)[:6] == ["# Title", "a", "b", "c", "d", "e"]


def test_insertions_at_the_ends() -> None:
    first = [Edit("insert", source=name, side="before") for name in "ab"]
    last = [Edit("insert", source=name) for name in "yz"]
    found = sources(*first, *last)
    assert (found[:3], found[-2:]) == (["a", "b", "# Title"], ["y", "z"])


def test_an_insertion_beside_a_deleted_cell_takes_its_place() -> None:
    assert sources(Edit("delete", 1), Edit("insert", source="new", anchor=1)) == [
        "# Title", "new", "y = x", "z = 1",
    ]  # fmt: skip


def test_moving() -> None:
    assert sources(Edit("move", 3, side="before", anchor=0))[0] == "z = 1"
    assert sources(Edit("move", 0, anchor=2)) == ["x = 1", "y = x", "# Title", "z = 1"]
    assert "itself" in refused(Edit("move", 1, anchor="load")).message


def test_names_and_tags() -> None:
    edited = done(
        Edit("rename", 1, name="read"),
        Edit("rename", 2, name="Think"),
        Edit("rename", 3, name="end"),
        Edit("tag", 1, tags=("slow", "new")),
        Edit("untag", 3, tags=("slow", "never")),
    ).cells
    assert edited[1].metadata == {"name": "read", "tags": ["slow", "new"]}
    assert edited[2].metadata == {"title": "Think"}
    assert edited[3].metadata == {"name": "end", "tags": ["last"]}
    assert done(Edit("rename", 1)).cells[1].name is None
    assert done(Edit("untag", 1, tags=("slow",))).cells[1].metadata == {"name": "load"}
    assert "already" in refused(Edit("rename", 3, name="load")).message


def test_kinds() -> None:
    pictured = Cell("markdown", "text", attachments={"a.png": {"image/png": "AA"}})
    edited = done(Edit("kind", 0, kind="code"), notebook=Notebook((pictured,)))
    assert edited.cells[0] == Cell("code", "text")
    assert done(Edit("kind", 1, kind="raw")).cells[1] == CELLS[1].replace(kind="raw")


def test_a_string_must_be_there_once() -> None:
    once = Edit("substitute", 1, "2", old="1")
    assert sources(once)[1] == "x = 2"
    stale = refused(once.replace(old="nope"))
    current: Any = stale.details["current"]
    assert (stale.kind, current["source"], current["index"]) == ("stale", "x = 1", 1)
    twice = Notebook((Cell("code", "a a"),))
    edit = Edit("substitute", 0, "b", old="a")
    assert "2 times" in refused(edit, notebook=twice).message
    assert sources(edit.replace(every=True), notebook=twice) == ["b b"]


def test_edits_of_one_cell_build_on_each_other() -> None:
    edits = (Edit("replace", 1, "x = 10"), Edit("substitute", 1, "20", old="10"))
    assert sources(*edits)[1] == "x = 20"
    assert "deleted" in refused(Edit("delete", 1), Edit("replace", 1, "")).message


def test_the_only_cell_is_not_deleted() -> None:
    assert "last cell" in refused(*(Edit("delete", at) for at in range(4))).message
    assert sources(*(Edit("delete", at) for at in range(4)), Edit("insert", source="n")) == ["n"]


@pytest.mark.parametrize("expected", [
    handle(CELLS[1]), digest(CELLS[1]), handle(CELLS[1])[:4], hashlib.sha256(b"x = 1").hexdigest(),
])  # fmt: skip
def test_what_was_expected_is_there(expected: str) -> None:
    assert sources(Edit("replace", 1, "x = 2", expect=expected))[1] == "x = 2"


@pytest.mark.parametrize("expected", [handle(CELLS[2]), "abc", "f" * 64, "nonsense"])
def test_what_was_expected_is_not_there(expected: str) -> None:
    error = refused(Edit("replace", 1, "x = 2", expect=expected))
    current: Any = error.details["current"]
    assert error.kind == "stale" and "x = 1" in error.message
    assert current == {
        "index": 1, "handle": handle(CELLS[1]), "kind": "code", "name": "load", "tags": ["slow"],
        "source": "x = 1",
    }  # fmt: skip


def rebased(current: Notebook, *edits: Edit) -> list[str]:
    moved = rebase(locate(edits, NOTEBOOK), NOTEBOOK, current)
    return [cell.source for cell in apply(moved, current).cells]


def with_cells(**sources: str) -> Notebook:
    cells = list(CELLS)
    for name, source in sources.items():
        cells[int(name[1:])] = cells[int(name[1:])].replace(source=source)
    return Notebook(tuple(cells))


def test_changes_of_others_to_other_cells_stay() -> None:
    others = Notebook((Cell("code", "new = 0"), *with_cells(c2="y = 99").cells))
    assert rebased(others, Edit("replace", 1, "x = 2")) == [
        "new = 0", "# Title", "x = 2", "y = 99", "z = 1",
    ]  # fmt: skip


def test_one_cell_changed_by_both_shows_both() -> None:
    with pytest.raises(ConflictError) as caught:
        rebased(with_cells(c1="x = 3"), Edit("replace", 1, "x = 2"))
    error = caught.value
    versions: Any = error.details
    assert error.kind == "conflict"
    assert [versions[key]["source"] for key in ("base", "ours", "theirs")] == [
        "x = 1", "x = 2", "x = 3",
    ]  # fmt: skip
    assert "x = 2" in error.message and "x = 3" in error.message


def test_the_same_change_by_both_is_one() -> None:
    assert rebased(with_cells(c1="x = 2"), Edit("substitute", 1, "2", old="1"))[1] == "x = 2"
    assert rebased(Notebook(CELLS[:3]), Edit("delete", 3)) == ["# Title", "x = 1", "y = x"]


def test_a_cell_that_others_deleted_or_changed_is_not_deleted_or_edited() -> None:
    with pytest.raises(ConflictError, match="deleted by somebody else"):
        rebased(Notebook(CELLS[:3]), Edit("replace", 3, "z = 2"))
    with pytest.raises(ConflictError, match="changed by somebody else"):
        rebased(with_cells(c3="z = 2"), Edit("delete", 3))


def test_tags_go_to_a_cell_that_others_edited() -> None:
    moved = rebase(
        locate((Edit("tag", 1, tags=("new",)),), NOTEBOOK), NOTEBOOK, with_cells(c1="x = 5")
    )
    cell = apply(moved, with_cells(c1="x = 5")).cells[1]
    assert (cell.source, cell.tags) == ("x = 5", ("slow", "new"))


def test_an_insertion_beside_a_cell_that_is_gone_stays_with_its_neighbour() -> None:
    gone = Notebook((CELLS[0], CELLS[2], CELLS[3]))
    assert rebased(gone, Edit("insert", source="n", anchor=1))[:2] == ["# Title", "n"]
    assert rebased(gone, Edit("insert", source="n", side="before", anchor=1))[1] == "n"
    assert rebased(Notebook(CELLS[1:]), Edit("insert", source="n", anchor=0))[0] == "n"
    assert (
        rebased(Notebook(CELLS[:3]), Edit("insert", source="n", side="before", anchor=3))[-1] == "n"
    )


edits = st.one_of(
    st.builds(Edit, st.just("replace"), st.integers(-4, 3), st.text(max_size=5)),
    st.builds(Edit, st.just("delete"), st.integers(0, 3)),
    st.builds(
        Edit,
        st.just("insert"),
        source=st.text(max_size=5),
        side=st.sampled_from(("before", "after")),
        anchor=st.none() | st.integers(0, 3),
    ),
    st.builds(
        Edit,
        st.just("move"),
        st.integers(0, 3),
        side=st.sampled_from(("before", "after")),
        anchor=st.integers(0, 3),
    ),
    st.builds(Edit, st.just("tag"), st.integers(0, 3), tags=st.just(("t",))),
)


@given(st.lists(edits, min_size=1, max_size=8))
def test_nothing_is_lost_or_doubled(asked: list[Edit]) -> None:
    """Cells that no edit deletes are there once; those that no edit changes are as they were."""
    try:
        edited = done(*asked)
    except UsageError:
        return
    deleted = {edit.cell for edit in asked if edit.op == "delete"}
    origins = [origin for origin in edited.origins if origin is not None]
    assert sorted(origins) == [at for at in range(4) if at not in deleted]
    assert edited.origins.count(None) == sum(edit.op == "insert" for edit in asked)
    changed = {locate((e,), NOTEBOOK)[0].cell for e in asked if e.op in ("replace", "tag")}
    for cell, origin in zip(edited.cells, edited.origins, strict=True):
        if origin is not None and origin not in changed:
            assert cell is CELLS[origin]
    if not any(edit.op == "move" for edit in asked):
        assert origins == sorted(origins)


def test_many_addresses_cost_little_more_than_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells are hashed once for a call, not once for every address in it."""
    cells = tuple(Cell("code", f"x{at} = 1") for at in range(200))
    handles = [handle(cell) for cell in cells]
    hashed = []
    monkeypatch.setattr(
        "octavo.notebook.addresses.digest", lambda cell: hashed.append(cell) or digest(cell)
    )
    located = locate([Edit("delete", known) for known in handles], Notebook(cells))
    assert [each.cell for each in located] == list(range(200))
    assert len(hashed) == 200


def test_a_name_that_another_cell_had_before_the_call_is_free() -> None:
    edits = (Edit("rename", "load", name="other"), Edit("rename", 0, name="load"))
    names = [cell.name for cell in done(*edits).cells]
    assert names == ["load", "other", None, None]
    assert (
        "cell 0 is named 'load' already" in refused(*edits, Edit("rename", 3, name="load")).message
    )
    inserted = Edit("insert", source="q = 1", name="fresh")
    assert "is named 'fresh' already" in refused(inserted, Edit("rename", 0, name="fresh")).message
