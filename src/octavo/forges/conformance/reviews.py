"""Verdicts, and when they are of an older state."""

from __future__ import annotations

from octavo.forges.conformance.bench import Bench, proposed, push, refused
from octavo.forges.conformance.check import Room

room = Room("reviews")


@room.check()
def verdicts_come_back_oldest_first(bench: Bench) -> None:
    opened = proposed(bench)
    given = (
        bench.other.review(opened.number, "comment", "Hm."),
        bench.other.review(opened.number, "changes", "Please not."),
        bench.other.review(opened.number, "approved", "Now."),
    )
    assert bench.forge.reviews(opened.number)[-1] == given[-1]
    verdicts = [(each.verdict, each.body) for each in given]
    assert verdicts == [("comment", "Hm."), ("changes", "Please not."), ("approved", "Now.")]
    found = bench.forge.reviews(opened.number)
    assert [each.body for each in found] == ["Hm.", "Please not.", "Now."]
    assert {each.author for each in found} == {bench.other.about().user}
    assert {each.commit for each in found} == {opened.head}


@room.check()
def an_approval_needs_no_words(bench: Bench) -> None:
    number = proposed(bench).number
    given = bench.other.review(number, "approved")
    assert (given.verdict, given.stale) == ("approved", False)
    assert [each.verdict for each in bench.forge.reviews(number)] == ["approved"]


@room.check()
def changes_can_be_asked_for_without_words(bench: Bench) -> None:
    number = proposed(bench).number
    assert bench.other.review(number, "changes").verdict == "changes"


@room.check()
def a_verdict_is_stale_after_a_new_commit(bench: Bench) -> None:
    opened = proposed(bench)
    bench.other.review(opened.number, "approved", "Good.")
    commit = push(bench, opened.branch, {"notes.txt": "one\nanother\nthree\n"})
    (old,) = bench.forge.reviews(opened.number)
    assert (old.stale, old.commit, old.verdict) == (True, opened.head, "approved")
    bench.other.review(opened.number, "approved", "Good again.")
    new = bench.forge.reviews(opened.number)[-1]
    assert (new.stale, new.commit, new.body) == (False, commit, "Good again.")


@room.check()
def the_same_verdict_twice_is_given_once(bench: Bench) -> None:
    number = proposed(bench).number
    first = bench.other.review(number, "approved", "Good.")
    assert bench.other.review(number, "approved", "Good.") == first
    assert len(bench.forge.reviews(number)) == 1


@room.check("own-approval-refused")
def ones_own_proposal_cannot_be_approved(bench: Bench) -> None:
    number = proposed(bench).number
    refused("forge-refused", lambda: bench.forge.review(number, "approved"))
    assert bench.forge.reviews(number) == ()


@room.check()
def a_proposal_nobody_looked_at_has_no_verdict(bench: Bench) -> None:
    assert bench.forge.reviews(proposed(bench).number) == ()
