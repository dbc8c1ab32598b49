"""What a merge needs, what it does, and what keeps it from being done."""

from __future__ import annotations

from octavo.forges.conformance.bench import (
    README,
    Bench,
    content,
    head,
    message,
    parents,
    proposed,
    push,
    refused,
)
from octavo.forges.conformance.check import Room
from octavo.forges.port import Awaited, Status

room = Room("merging")


@room.check()
def what_nothing_stands_against_is_mergeable(bench: Bench) -> None:
    found = bench.forge.mergeable(proposed(bench).number)
    assert (found.allowed, found.missing, found.conflict) == (True, (), False)


@room.check()
def a_merge_has_two_parents(bench: Bench) -> None:
    before, opened = head(bench, bench.base), proposed(bench)
    commit = bench.forge.merge(opened.number, "merge", opened.head, title="Merged", body="Why.")
    assert head(bench, bench.base) == commit
    assert parents(bench, commit) == [before, opened.head]
    assert message(bench, commit).startswith("Merged\n\nWhy.")
    assert bench.forge.proposal(opened.number).state == "merged"


@room.check()
def a_squash_has_one_parent_and_all_changes(bench: Bench) -> None:
    before, branch = head(bench, bench.base), "agent/squash"
    push(bench, branch, {"a.txt": "a\n"})
    push(bench, branch, {"b.txt": "b\n"})
    opened = proposed(bench, branch)
    commit = bench.forge.merge(opened.number, "squash", opened.head, title="Squashed", body="Why.")
    assert head(bench, bench.base) == commit
    assert parents(bench, commit) == [before]
    assert message(bench, commit).startswith("Squashed\n\nWhy.")
    assert [content(bench, bench.base, name) for name in ("a.txt", "b.txt")] == ["a\n", "b\n"]


@room.check()
def a_rebase_puts_the_commits_on_top(bench: Bench) -> None:
    branch = "agent/rebase"
    push(bench, branch, {"a.txt": "a\n"}, "first of two")
    push(bench, branch, {"b.txt": "b\n"}, "second of two")
    base = push(bench, bench.base, {"c.txt": "c\n"})
    opened = proposed(bench, branch)
    commit = bench.forge.merge(opened.number, "rebase", opened.head)
    assert head(bench, bench.base) == commit
    assert message(bench, commit).strip() == "second of two"
    (first,) = parents(bench, commit)
    assert message(bench, first).strip() == "first of two"
    assert parents(bench, first) == [base]


@room.check()
def a_merged_proposal_gives_its_commit_again(bench: Bench) -> None:
    opened = proposed(bench)
    commit = bench.forge.merge(opened.number, "squash", opened.head)
    written = bench.written()
    assert bench.forge.merge(opened.number, "squash", opened.head) == commit
    assert bench.written() == written
    bench.forge.delete_branch(opened.branch)
    push(bench, bench.base, {"later.txt": "later\n"})
    assert bench.forge.merge(opened.number, "squash", opened.head) == commit


@room.check()
def a_merged_proposal_is_among_the_closed(bench: Bench) -> None:
    opened = proposed(bench)
    bench.forge.merge(opened.number, "merge", opened.head)
    bench.forge.delete_branch(opened.branch)
    assert bench.forge.proposals() == ()
    (found,) = bench.forge.proposals("closed")
    assert (found.state, found.branch, found.head) == ("merged", opened.branch, opened.head)
    assert bench.forge.find(opened.branch) is None


@room.check()
def a_head_that_moved_is_not_merged(bench: Bench) -> None:
    opened = proposed(bench)
    moved, before = push(bench, opened.branch, {"more.txt": "more\n"}), head(bench, bench.base)
    error = refused("branch-moved", lambda: bench.forge.merge(opened.number, "merge", opened.head))
    assert moved[:7] in error.message
    assert head(bench, bench.base) == before
    assert bench.forge.proposal(opened.number).state == "open"


@room.check()
def a_draft_is_not_merged(bench: Bench) -> None:
    opened = proposed(bench, draft=True)
    found = bench.forge.mergeable(opened.number)
    assert not found.allowed
    assert any("draft" in each for each in found.missing)
    error = refused(
        "proposal-not-mergeable",
        lambda: bench.forge.merge(opened.number, "merge", opened.head),
    )
    assert "draft" in error.message
    assert bench.forge.proposal(opened.number).state == "open"


@room.check()
def a_closed_proposal_is_not_merged(bench: Bench) -> None:
    opened = proposed(bench)
    bench.forge.close(opened.number)
    assert not bench.forge.mergeable(opened.number).allowed
    error = refused(
        "proposal-not-mergeable",
        lambda: bench.forge.merge(opened.number, "merge", opened.head),
    )
    assert "closed" in error.message


@room.check()
def a_merged_proposal_is_not_closed(bench: Bench) -> None:
    opened = proposed(bench)
    bench.forge.merge(opened.number, "merge", opened.head)
    refused("forge-refused", lambda: bench.forge.close(opened.number))
    assert bench.forge.proposal(opened.number).state == "merged"


@room.check()
def a_conflict_is_known_and_not_merged(bench: Bench) -> None:
    push(bench, "agent/conflict", {README: "of the branch\n"})
    before = push(bench, bench.base, {README: "of the base\n"})
    opened = proposed(bench, "agent/conflict")
    found = bench.forge.mergeable(opened.number)
    assert (found.allowed, found.conflict) == (False, True)
    assert any("conflict" in each for each in found.missing)
    error = refused(
        "proposal-not-mergeable",
        lambda: bench.forge.merge(opened.number, "merge", opened.head),
    )
    assert "conflict" in error.message
    assert head(bench, bench.base) == before


@room.check()
def a_conflict_that_is_solved_is_mergeable(bench: Bench) -> None:
    push(bench, "agent/conflict", {README: "of the branch\n"})
    push(bench, bench.base, {README: "of the base\n"})
    opened = proposed(bench, "agent/conflict")
    assert bench.forge.mergeable(opened.number).conflict
    git = bench.clone.git
    git.run("checkout", "--quiet", "agent/conflict")
    git.run("merge", "--quiet", "-X", "ours", "-m", "solved", f"origin/{bench.base}")
    git.run("push", "--quiet", "origin", "HEAD:refs/heads/agent/conflict")
    assert bench.forge.mergeable(opened.number).allowed
    solved = bench.forge.proposal(opened.number).head
    bench.forge.merge(opened.number, "merge", solved)
    assert content(bench, bench.base, README) == "of the branch\n"


@room.check("protection")
def a_missing_approval_is_named(bench: Bench) -> None:
    bench.protect(approvals=1)
    opened = proposed(bench)
    found = bench.forge.mergeable(opened.number)
    assert (found.allowed, found.missing) == (False, ("an approval (0 of 1)",))
    error = refused(
        "proposal-not-mergeable",
        lambda: bench.forge.merge(opened.number, "merge", opened.head),
    )
    assert "an approval (0 of 1)" in error.message
    bench.other.review(opened.number, "approved")
    assert bench.forge.mergeable(opened.number).allowed
    bench.forge.merge(opened.number, "merge", opened.head)


@room.check("protection")
def several_approvals_are_counted(bench: Bench) -> None:
    bench.protect(approvals=2)
    opened = proposed(bench)
    bench.other.review(opened.number, "approved")
    assert bench.forge.mergeable(opened.number).missing == ("an approval (1 of 2)",)


@room.check("protection")
def missing_statuses_are_named(bench: Bench) -> None:
    bench.protect(statuses=("octavo/gate", "ci/lint"))
    opened = proposed(bench)
    both = bench.forge.mergeable(opened.number)
    assert not both.allowed
    assert set(both.missing) == {"the status octavo/gate", "the status ci/lint"}
    bench.forge.set_status(opened.head, Status("ci/lint", "success"))
    bench.forge.set_status(opened.head, Status("octavo/gate", "failure", "2 cells failed"))
    (one,) = bench.forge.mergeable(opened.number).missing
    assert one == "the status octavo/gate (failure)"
    error = refused(
        "proposal-not-mergeable",
        lambda: bench.forge.merge(opened.number, "merge", opened.head),
    )
    assert one in error.message
    bench.forge.set_status(opened.head, Status("octavo/gate", "success"))
    assert bench.forge.mergeable(opened.number).allowed
    bench.forge.merge(opened.number, "merge", opened.head)


@room.check("protection")
def statuses_to_wait_for_are_told_as_values(bench: Bench) -> None:
    bench.protect(approvals=1, statuses=("octavo/gate", "ci/lint"))
    opened = proposed(bench)
    bench.forge.set_status(opened.head, Status("ci/lint", "success"))
    first = bench.forge.mergeable(opened.number)
    assert first.awaited == (Awaited("octavo/gate"),)
    assert set(first.required) == {"octavo/gate", "ci/lint"}
    bench.forge.set_status(opened.head, Status("octavo/gate", "pending"))
    assert bench.forge.mergeable(opened.number).awaited == (Awaited("octavo/gate", "pending"),)
    bench.forge.set_status(opened.head, Status("octavo/gate", "success"))
    assert bench.forge.mergeable(opened.number).awaited == ()


@room.check("protection")
def a_status_of_an_older_commit_does_not_count(bench: Bench) -> None:
    bench.protect(statuses=("octavo/gate",))
    opened = proposed(bench)
    bench.forge.set_status(opened.head, Status("octavo/gate", "success"))
    push(bench, opened.branch, {"more.txt": "more\n"})
    assert bench.forge.mergeable(opened.number).missing == ("the status octavo/gate",)


@room.check("protection")
def everything_that_is_missing_is_named_at_once(bench: Bench) -> None:
    bench.protect(approvals=1, statuses=("octavo/gate",))
    opened = proposed(bench)
    missing = bench.forge.mergeable(opened.number).missing
    assert set(missing) == {"an approval (0 of 1)", "the status octavo/gate"}
    error = refused(
        "proposal-not-mergeable",
        lambda: bench.forge.merge(opened.number, "merge", opened.head),
    )
    assert error.details["missing"] == list(missing)
