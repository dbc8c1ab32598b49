"""The document of a session: plans, statuses, edits, and what depends on an edit."""

from __future__ import annotations

from typing import Any

import pytest

from octavo.errors import OctavoError
from octavo.events.types import BoundCell
from octavo.notebook.identity import handle
from octavo.sessions.document import Document, Plan, Snapshots

NOTHING = Snapshots()


def document_of(*sources: str) -> Document:
    return Document.of([BoundCell("code", source, f"id-{n}") for n, source in enumerate(sources)])


def executed(document: Document, *, failing: tuple[int, ...] = ()) -> Document:
    """With all cells executed, in order."""
    for index in document.indices(document.position, len(document)):
        status = "failed" if index in failing else "succeeded"
        document = document.executed(index, index, status)
    return document


def statuses(document: Document) -> list[str]:
    return [document.status(index) for index in range(len(document))]


def snapshots_at(document: Document, *counts: int) -> Snapshots:
    snapshots = NOTHING
    for count in counts:
        snapshots, _ = snapshots.add(document.replace(steps=document.steps[:count]), 1)
    return snapshots


def test_code_becomes_a_cell_behind_the_state_and_what_follows_is_as_it_was() -> None:
    document = document_of("a = 1", "b = 2").executed(0, 0, "succeeded")

    plan = document.plan_exec("print(a)", NOTHING)

    assert [each.cell.source for each in plan.document.cells] == ["a = 1", "print(a)", "b = 2"]
    assert (plan.goes_back, plan.again, plan.run) == (False, (), (1,))
    done = plan.document.executed(1, 1, "succeeded")
    assert (done.position, statuses(done)) == (2, ["fresh", "fresh", "new"])
    assert [each.key for each in done.cells] == ["c1", "c3", "c2"]


def test_the_first_code_comes_below_the_title() -> None:
    document = document_of("a = 1").inserted(0, "# Title", "markdown")

    plan = document.plan_exec("first = 1", NOTHING)

    sources = [each.cell.source for each in plan.document.cells]
    assert (sources, plan.run) == (["# Title", "first = 1", "a = 1"], (1,))


def test_a_cell_further_down_is_executed_after_those_before_it() -> None:
    assert document_of("1", "2", "3", "4").plan_cell(2, NOTHING).run == (0, 1, 2)


def test_a_cell_of_the_state_is_executed_in_the_state_before_it_by_the_nearest_snapshot() -> None:
    document = executed(document_of("1", "2", "3", "4", "5"))
    snapshots = snapshots_at(document, 0, 2, 5)

    plan = document.plan_cell(3, snapshots)

    assert (plan.back_to, plan.resume, plan.again, plan.run) == (3, 2, (2,), (3,))
    assert plan.notes == ("went back to before cell 3 by a snapshot, and executed 1 cell again",)


def test_without_snapshots_the_kernel_is_new_and_the_cells_are_executed_again() -> None:
    plan = executed(document_of("1", "2", "3")).plan_cell(2, NOTHING)

    assert (plan.restarts, plan.back_to, plan.again, plan.run) == (True, 2, (0, 1), (2,))
    assert plan.notes == ("restarted the kernel, and executed 2 cells again",)


def test_an_edit_makes_what_follows_stale_and_the_kernel_goes_back_when_it_is_needed() -> None:
    document = executed(document_of("a = 1", "b = a", "c = b"))

    edited = document.replaced(1, "b = a + 1")

    assert (edited.position, statuses(edited)) == (1, ["fresh", "stale", "stale"])
    assert edited.line == (0, 1, 2)
    plan = edited.plan_all(snapshots_at(document, 1))
    assert (plan.resume, plan.again, plan.run) == (1, (), (1, 2))


def test_prose_can_be_changed_without_going_back() -> None:
    document = executed(document_of("a = 1", "b = 2")).inserted(1, "# Title", "markdown")

    edited = document.replaced(1, "# Another")

    assert (edited.position, statuses(edited)) == (3, ["fresh", "fresh", "fresh"])
    assert edited.is_clean
    assert edited.deleted(1).position == 2


def test_a_cell_that_failed_is_part_of_the_state_and_executing_it_goes_back() -> None:
    document = executed(document_of("a = 1", "a += 1; 1 / 0"), failing=(1,))

    assert (document.position, statuses(document)) == (2, ["fresh", "failed"])
    plan = document.plan_cell(1, snapshots_at(document, 1))
    assert (plan.back_to, plan.run) == (1, (1,))


def test_a_cell_may_fail_again_as_before_and_one_that_fails_anew_ends_the_way_back() -> None:
    document = executed(document_of("1 / 0", "b = 2", "c = 3"), failing=(0,))
    plan = document.plan_cell(2, NOTHING)
    assert (plan.again, plan.may_fail) == ((0, 1), (0,))
    assert not plan.stops(0, "failed")
    assert plan.stops(0, "interrupted")
    assert plan.stops(1, "failed")

    way = plan.document.went_back(None).executed(0, 3, "failed").executed(1, 4, "failed")

    assert (way.position, statuses(way)) == (2, ["failed", "failed", "stale"])
    assert way.line == (3, 4)


def test_a_kernel_that_died_has_nothing_in_its_state_and_snapshots_lead_back() -> None:
    before = executed(document_of("a = 1", "b = 2", "crash()"))
    snapshots = snapshots_at(before, 2)
    document = document_of("a = 1", "b = 2", "crash()")
    for index, status in enumerate(["succeeded", "succeeded", "kernel-died"]):
        document = document.executed(index, index, status)

    assert (document.position, document.line) == (0, ())
    assert statuses(document) == ["stale", "stale", "stale"]
    assert document.plan_rewind(2, snapshots).resume == 1
    again = document.plan_rewind(2, NOTHING)
    assert (again.goes_back, again.again, again.document.position) == (False, (0, 1), 0)
    with pytest.raises(OctavoError, match="cell 1 was never executed as written now"):
        document.replaced(1, "b = 3").plan_rewind(2, NOTHING)


def test_going_back_and_forth_by_snapshots_executes_nothing() -> None:
    document = executed(document_of("1", "2", "3"))
    snapshots = snapshots_at(document, 1, 3)
    back = document.plan_rewind(1, snapshots)
    there = back.document.went_back(snapshots.mark(back.resume or 0))
    assert (there.position, there.line, statuses(there)) == (1, (0,), ["fresh", "stale", "stale"])

    forth = there.plan_rewind(3, snapshots)

    assert (forth.again, forth.run) == ((), ())
    end = forth.document.went_back(snapshots.mark(forth.resume or 0))
    assert (end.position, end.line, statuses(end)) == (3, (0, 1, 2), ["fresh"] * 3)


def test_cells_that_their_author_wants_left_out_are_no_part_of_the_state() -> None:
    cells = [BoundCell("code", "1", "x", {"tags": ["skip"]}), BoundCell("code", "2", "y")]
    document = Document.of(cells, values={})

    assert document.plan_all(NOTHING).run == (1,)
    with pytest.raises(OctavoError, match="is skipped: tagged"):
        document.plan_cell(0, NOTHING)


def test_a_cell_is_found_by_key_index_and_handle_and_a_stale_edit_is_refused() -> None:
    document = document_of("a = 1", "b = 2").inserted(0, "# Title", "markdown")
    known = handle(document.cells[2].cell)

    assert [document.find(each) for each in ("c2", "2", 2, known, -1)] == [2, 2, 2, 2, 2]
    document.check(2, known)
    with pytest.raises(OctavoError) as caught:
        document.check(1, known)
    assert caught.value.kind == "stale"
    with pytest.raises(OctavoError) as caught:
        document.find("c9")
    assert caught.value.kind == "cell-not-found"


def test_everything_can_be_run_in_a_new_kernel() -> None:
    plan = executed(document_of("1", "2")).plan_all(NOTHING, fresh=True)

    assert (plan.restarts, plan.back_to, plan.run) == (True, 0, (0, 1))


# Only what an edit touches.


def affected(document: Document, **options: Any) -> Plan:
    return document.plan_affected(NOTHING, **options)


def test_only_what_depends_on_an_edit_is_executed_and_the_rest_is_named() -> None:
    document = executed(document_of("a = 1", "x = 5", "b = a", "y = x"))

    plan = affected(document.replaced(0, "a = 2"))

    assert (plan.goes_back, plan.run) == (False, (0, 2))
    assert "not run, because the edit does not touch them: cells 1, 3" in plan.notes
    done = plan.document.executed(0, 4, "succeeded").executed(2, 5, "succeeded")
    assert (done.position, done.unproven, done.line) == (4, True, (0, 1, 2, 3, 4, 5))
    assert statuses(done) == ["unproven", "unproven", "unproven", "unproven"]
    assert not NOTHING.wants(done)


def test_a_state_is_proven_again_by_running_all() -> None:
    document = executed(document_of("z = 0", "a = 1", "x = 5", "b = a"))
    snapshots = snapshots_at(document, 1)
    plan = affected(document.replaced(1, "a = 2"))
    live = plan.document.executed(1, 4, "succeeded").executed(3, 5, "succeeded")

    proof = live.plan_all(snapshots)

    assert (proof.back_to, proof.resume, proof.run) == (1, 1, (1, 2, 3))
    done = executed(proof.document.went_back(snapshots.mark(1)))
    assert (done.unproven, statuses(done)) == (False, ["fresh"] * 4)


def test_code_in_an_unproven_state_is_unproven_too() -> None:
    plan = affected(executed(document_of("a = 1", "x = 5", "b = a")).replaced(0, "a = 2"))
    live = plan.document.executed(0, 3, "succeeded").executed(2, 4, "succeeded")

    more = live.plan_exec("c = b", NOTHING)

    assert (more.goes_back, more.run) == (False, (3,))
    assert more.document.executed(3, 5, "succeeded").status(3) == "unproven"


def test_going_back_in_an_unproven_state_passes_cells_that_fail_and_tells_how_many_it_ran() -> None:
    plan = affected(executed(document_of("a = 1", "x = 5", "b = a")).replaced(0, "a = 2"))
    live = plan.document.executed(0, 3, "succeeded").executed(2, 4, "succeeded")
    live = live.plan_exec("1 / 0", NOTHING).document.executed(3, 5, "failed")
    live = live.plan_exec("c = b", NOTHING).document.executed(4, 6, "succeeded")

    back = live.plan_rewind(4, NOTHING)

    assert back.notes == ("restarted the kernel, and executed 4 cells again",)
    assert (back.again, back.stops(3, "failed")) == ((0, 1, 2, 3), False)
    assert live.plan_rewind(0, NOTHING).notes == ("restarted the kernel",)


def test_cells_that_were_due_and_did_not_come_to_it_are_stale_and_stay_due() -> None:
    document = executed(document_of("a = 1", "x = 5", "b = a", "c = b", "y = x"))
    plan = affected(document.replaced(0, "a = 2"))
    live = plan.document.executed(0, 5, "succeeded").executed(2, 6, "failed")

    assert statuses(live) == ["unproven", "unproven", "failed", "stale", "unproven"]
    again = live.plan_affected(NOTHING)
    assert {2, 3} <= set(again.run)


@pytest.mark.parametrize(
    ("sources", "edit", "why"),
    [
        (("a = 1", "%run other.py", "x = 5", "b = a"), "a = 2", "cell 1: "),
        (("a = 1; k = 1", "x = 5", "b = k"), "a = 2", "k would stay, which no cell makes now"),
        (("a = 1", "exec(text)", "x = 5", "b = a"), "a = 2", "cell 1: "),
    ],
)
def test_where_the_graph_cannot_tell_all_that_follows_is_executed(
    sources: tuple[str, ...], edit: str, why: str
) -> None:
    document = executed(document_of(*sources))

    plan = affected(document.replaced(0, edit))

    assert plan.goes_back
    assert plan.run == tuple(range(len(sources)))
    assert why in plan.notes[0]


def test_a_cell_that_may_bind_the_same_name_is_executed_as_well() -> None:
    document = executed(document_of("a = 1", "from m import *", "x = 5", "b = a"))

    assert affected(document.replaced(0, "a = 2")).run == (0, 1, 3)


def test_a_cell_that_was_deleted_or_had_failed_makes_all_be_executed() -> None:
    document = executed(document_of("a = 1", "x = 5", "b = a", "y = x"), failing=(1,))
    assert "cell 1 failed" in affected(document.replaced(0, "a = 2")).notes[0]
    document = executed(document_of("a = 1", "x = 5", "b = a", "y = x")).deleted(1)
    plan = affected(document)
    assert plan.run == (0, 1, 2)
    assert "deleted" in plan.notes[0]


def test_when_all_that_follows_is_touched_the_state_goes_back_and_stays_proven() -> None:
    document = executed(document_of("z = 0", "a = 1", "b = a", "c = b"))

    plan = document.replaced(1, "a = 2").plan_affected(snapshots_at(document, 1))

    assert (plan.resume, plan.run, plan.document.live) == (1, (1, 2, 3), False)


def test_other_languages_have_no_graph() -> None:
    document = executed(document_of("a = 1", "x = 5", "b = a"))
    other = document.replace(metadata={"kernelspec": {"language": "bash", "name": "bash"}})

    assert "bash cells" in affected(other.replaced(0, "a = 2")).notes[0]


def test_what_is_not_in_the_state_yet_is_executed_as_well_when_all_is_asked_for() -> None:
    document = document_of("a = 1", "x = 5", "b = a", "y = x")
    for index in range(3):
        document = document.executed(index, index, "succeeded")

    assert affected(document.replaced(0, "a = 2"), to_end=True).run == (0, 2, 3)
    assert affected(document, to_end=True).run == (3,)
    assert affected(document).run == ()


def test_a_cell_can_be_executed_in_the_live_state_with_what_depends_on_it() -> None:
    document = executed(document_of("a = 1", "x = 5", "b = a", "y = x"))

    plan = document.plan_cell(0, NOTHING, live=True)

    assert (plan.goes_back, plan.run, plan.document.live) == (False, (0, 2), True)


# Snapshots.


def test_snapshots_are_thinned_the_oldest_first_and_get_rarer_with_the_distance() -> None:
    document = executed(document_of(*("1" for _ in range(200))))
    snapshots = NOTHING
    for count in range(201):
        now = document.replace(steps=document.steps[:count], position=count)
        snapshots, _ = snapshots.add(now, 1)
        _, snapshots = snapshots.thinned(now, count=12)

    kept = sorted(len(mark.steps) for mark in snapshots.marks)
    assert (len(kept), kept[-1]) == (12, 200)
    distances = [200 - each for each in kept]
    assert sum(each < 16 for each in distances) >= 4
    assert any(each > 60 for each in distances)


def test_snapshots_of_what_is_written_otherwise_now_are_given_up() -> None:
    document = executed(document_of("1", "2", "3"))
    snapshots = snapshots_at(document, 1, 2, 3)

    gone, kept = snapshots.thinned(document.replaced(1, "two"))

    assert (gone, [len(mark.steps) for mark in kept.marks]) == ((2, 3), [1])


def test_a_snapshot_that_is_larger_than_the_bound_is_given_up() -> None:
    document = executed(document_of("1"))
    snapshots, mark = NOTHING.add(document, 0)

    gone, kept = snapshots.sized({mark.id: 100}).thinned(document, memory=99)

    assert (gone, len(kept)) == ((1,), 0)
