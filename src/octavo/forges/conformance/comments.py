"""What is said about a proposal, and about its lines."""

from __future__ import annotations

from octavo.forges.conformance.bench import (
    README,
    Bench,
    more_than_a_page,
    proposed,
    push,
    refused,
)
from octavo.forges.conformance.check import Room

room = Room("comments")


@room.check()
def a_comment_comes_back(bench: Bench) -> None:
    number = proposed(bench).number
    said = bench.other.comment(number, "Looks good.\n")
    assert bench.forge.comments(number) == (said,)
    assert (said.body, said.path, said.line) == ("Looks good.\n", None, None)
    assert said.author == bench.other.about().user
    assert said.created[:2] == "20"
    assert said.id


@room.check()
def a_comment_on_a_line_has_its_place(bench: Bench) -> None:
    opened = proposed(bench)
    said = bench.other.comment(opened.number, "Why two?", path="notes.txt", line=2)
    assert (said.path, said.line, said.old) == ("notes.txt", 2, False)
    assert (said.commit, said.resolved) == (opened.head, False)
    assert said.author == bench.other.about().user
    assert bench.forge.comments(opened.number) == (said,)


@room.check()
def a_comment_on_a_line_is_no_verdict(bench: Bench) -> None:
    number = proposed(bench).number
    bench.other.comment(number, "Why two?", path="notes.txt", line=2)
    assert bench.forge.reviews(number) == ()


@room.check()
def who_proposes_can_comment_on_a_line_too(bench: Bench) -> None:
    number = proposed(bench).number
    said = bench.forge.comment(number, "Look here.", path="notes.txt", line=3)
    assert (said.path, said.line) == ("notes.txt", 3)


@room.check()
def comments_of_both_kinds_are_in_order(bench: Bench) -> None:
    number = proposed(bench).number
    bench.other.comment(number, "first")
    bench.other.comment(number, "second", path="notes.txt", line=1)
    bench.forge.comment(number, "third")
    bench.other.comment(number, "fourth", path="notes.txt", line=3)
    bodies = [each.body for each in bench.forge.comments(number)]
    assert bodies == ["first", "second", "third", "fourth"]


@room.check()
def a_comment_keeps_its_place_when_the_branch_goes_on(bench: Bench) -> None:
    opened = proposed(bench)
    bench.other.comment(opened.number, "Why two?", path="notes.txt", line=2)
    push(bench, opened.branch, {"notes.txt": "zero\none\ntwo\nthree\n"})
    (said,) = bench.forge.comments(opened.number)
    lines = {opened.head: 2, bench.forge.proposal(opened.number).head: 3}
    assert said.line is None or said.line == lines[said.commit or ""]
    assert (said.path, said.body) == ("notes.txt", "Why two?")


@room.check()
def comments_on_one_line_are_one_discussion(bench: Bench) -> None:
    number = proposed(bench).number
    bench.other.comment(number, "Why?", path="notes.txt", line=2)
    bench.forge.comment(number, "Because.", path="notes.txt", line=2)
    bench.other.comment(number, "Elsewhere.", path="notes.txt", line=3)
    why, because, elsewhere = bench.forge.comments(number)
    assert why.thread == because.thread != ""
    assert elsewhere.thread != why.thread


@room.check()
def the_same_said_twice_is_said_once(bench: Bench) -> None:
    number = proposed(bench).number
    first = bench.forge.comment(number, "Same.")
    placed = bench.forge.comment(number, "Same.", path="notes.txt", line=1)
    written = bench.written()
    assert bench.forge.comment(number, "Same.") == first
    assert bench.forge.comment(number, "Same.", path="notes.txt", line=1) == placed
    assert bench.written() == written
    assert len(bench.forge.comments(number)) == 2


@room.check()
def the_same_can_be_said_again_after_an_answer(bench: Bench) -> None:
    number = proposed(bench).number
    bench.forge.comment(number, "Please look.")
    bench.other.comment(number, "Done.")
    bench.forge.comment(number, "Please look.")
    bodies = [each.body for each in bench.forge.comments(number)]
    assert bodies == ["Please look.", "Done.", "Please look."]


@room.check()
def another_may_say_the_same(bench: Bench) -> None:
    number = proposed(bench).number
    bench.forge.comment(number, "Same.")
    bench.other.comment(number, "Same.")
    authors = [each.author for each in bench.forge.comments(number)]
    assert authors == [bench.forge.about().user, bench.other.about().user]


@room.check()
def a_comment_without_words_is_refused(bench: Bench) -> None:
    number = proposed(bench).number
    refused("forge-refused", lambda: bench.forge.comment(number, " \n"))
    assert bench.forge.comments(number) == ()


@room.check()
def the_words_of_an_own_comment_can_be_changed(bench: Bench) -> None:
    number = proposed(bench).number
    first = bench.forge.comment(number, "Before.")
    bench.other.comment(number, "Between.")
    edited = bench.forge.edit_comment(number, first.id, "After.\n")
    assert (edited.id, edited.body, edited.author) == (first.id, "After.\n", first.author)
    bodies = [each.body for each in bench.other.comments(number)]
    assert bodies == ["After.\n", "Between."]


@room.check()
def words_that_are_there_already_are_not_written_again(bench: Bench) -> None:
    number = proposed(bench).number
    first = bench.forge.comment(number, "Before.")
    bench.forge.edit_comment(number, first.id, "After.")
    written = bench.written()
    assert bench.forge.edit_comment(number, first.id, "After.").body == "After."
    assert bench.written() == written


@room.check()
def an_edited_comment_on_a_line_keeps_its_place(bench: Bench) -> None:
    number = proposed(bench).number
    first = bench.forge.comment(number, "Why?", path="notes.txt", line=2)
    bench.forge.edit_comment(number, first.id, "Why two?")
    (said,) = bench.forge.comments(number)
    assert (said.body, said.path, said.line) == ("Why two?", "notes.txt", 2)


@room.check()
def comments_of_others_and_those_that_are_not_there_are_not_changed(bench: Bench) -> None:
    number = proposed(bench).number
    theirs = bench.other.comment(number, "Theirs.")
    ours = bench.forge.comment(number, "Ours.")
    refused("forge-refused", lambda: bench.forge.edit_comment(number, theirs.id, "Mine."))
    refused("forge-refused", lambda: bench.forge.edit_comment(number, "no-such-id", "Mine."))
    refused("forge-refused", lambda: bench.forge.edit_comment(number, ours.id, " \n"))
    assert [each.body for each in bench.forge.comments(number)] == ["Theirs.", "Ours."]


@room.check()
def more_comments_than_a_page_are_all_there(bench: Bench) -> None:
    number = proposed(bench).number
    said = [f"comment {n}" for n in range(more_than_a_page(bench))]
    for body in said:
        bench.other.comment(number, body)
    assert [each.body for each in bench.forge.comments(number)] == said


@room.check()
def more_comments_on_lines_than_a_page_are_all_there(bench: Bench) -> None:
    count = more_than_a_page(bench)
    lines = "".join(f"line {n}\n" for n in range(1, count + 1))
    push(bench, "agent/lines", {"lines.txt": lines})
    number = proposed(bench, "agent/lines").number
    for n in range(1, count + 1):
        bench.other.comment(number, f"on {n}", path="lines.txt", line=n)
    placed = [(each.line, each.body) for each in bench.forge.comments(number)]
    assert placed == [(n, f"on {n}") for n in range(1, count + 1)]


@room.check("old-side")
def a_comment_on_a_line_that_is_gone_is_of_the_base(bench: Bench) -> None:
    push(bench, bench.base, {README: "one\ntwo\nthree\n"})
    push(bench, "agent/shorter", {README: "one\nthree\n"})
    number = proposed(bench, "agent/shorter").number
    bench.remark_on_old(number, README, 2, "Why did it go?")
    (said,) = bench.forge.comments(number)
    assert (said.path, said.line, said.old) == (README, 2, True)


@room.check("resolving")
def a_resolved_discussion_is_known(bench: Bench) -> None:
    number = proposed(bench).number
    said = bench.other.comment(number, "Why two?", path="notes.txt", line=2)
    bench.other.comment(number, "And three?", path="notes.txt", line=3)
    bench.resolve(number, said)
    resolved = {each.body: each.resolved for each in bench.forge.comments(number)}
    assert resolved == {"Why two?": True, "And three?": False}
