"""What checks say of a commit."""

from __future__ import annotations

from octavo.forges.conformance.bench import Bench, more_than_a_page, push, refused
from octavo.forges.conformance.check import Room
from octavo.forges.port import Status, StatusState

room = Room("statuses")
_STATES: tuple[StatusState, ...] = ("pending", "success", "failure", "error")


@room.check()
def a_status_comes_back(bench: Bench) -> None:
    commit = push(bench, "agent/status", {"a.txt": "a\n"})
    assert bench.forge.statuses(commit) == ()
    status = Status(
        "octavo/run", "success", "3 cells in 1.2 s — ünï", "https://example.org/run?a=1&b"
    )
    bench.forge.set_status(commit, status)
    assert bench.forge.statuses(commit) == (status,)


@room.check()
def every_state_can_be_set(bench: Bench) -> None:
    commit = push(bench, "agent/status", {"a.txt": "a\n"})
    for state in _STATES:
        bench.forge.set_status(commit, Status(f"octavo/{state}", state, state))
    found = {each.context: each.state for each in bench.forge.statuses(commit)}
    assert found == {f"octavo/{state}": state for state in _STATES}


@room.check()
def the_newest_of_a_context_counts(bench: Bench) -> None:
    commit = push(bench, "agent/status", {"a.txt": "a\n"})
    for state in (*_STATES, "success"):
        bench.forge.set_status(commit, Status("octavo/run", state, f"now {state}"))
    bench.forge.set_status(commit, Status("octavo/gate", "pending"))
    found = {each.context: (each.state, each.description) for each in bench.forge.statuses(commit)}
    assert found == {"octavo/run": ("success", "now success"), "octavo/gate": ("pending", "")}


@room.check()
def the_same_status_is_written_once(bench: Bench) -> None:
    commit = push(bench, "agent/status", {"a.txt": "a\n"})
    status = Status("octavo/run", "failure", "cell 3 raised ValueError")
    bench.forge.set_status(commit, status)
    written = bench.written()
    bench.forge.set_status(commit, status)
    assert bench.written() == written


@room.check()
def a_long_description_is_cut_and_written_once(bench: Bench) -> None:
    commit = push(bench, "agent/status", {"a.txt": "a\n"})
    status = Status("octavo/run", "failure", "sehr länglich 🚀 " * 200)
    bench.forge.set_status(commit, status)
    (found,) = bench.forge.statuses(commit)
    assert found.description == status.description or found.description.endswith("…")
    assert found.description.startswith("sehr länglich")
    written = bench.written()
    bench.forge.set_status(commit, status)
    assert bench.written() == written


@room.check()
def more_statuses_than_a_page_are_all_there(bench: Bench) -> None:
    commit = push(bench, "agent/status", {"a.txt": "a\n"})
    names = {f"check/{n}" for n in range(more_than_a_page(bench))}
    for name in sorted(names):
        bench.forge.set_status(commit, Status(name, "success"))
    assert {each.context for each in bench.forge.statuses(commit)} == names


@room.check()
def a_commit_that_is_not_there_has_no_status(bench: Bench) -> None:
    status = Status("octavo/run", "success")
    error = refused("forge-refused", lambda: bench.forge.set_status("0" * 39 + "1", status))
    assert "push" in error.hint
