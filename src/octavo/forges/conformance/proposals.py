"""Opening, finding, listing, changing and closing proposals."""

from __future__ import annotations

from octavo.forges.conformance.bench import (
    Bench,
    head,
    more_than_a_page,
    proposed,
    push,
    refused,
)
from octavo.forges.conformance.check import Room

room = Room("proposals")


@room.check()
def about_tells_the_default_branch_and_who_we_are(bench: Bench) -> None:
    about = bench.forge.about()
    assert about.default_branch == bench.base
    assert about.user
    assert about.url
    assert bench.other.about().user != about.user


@room.check()
def a_proposal_is_as_it_was_opened(bench: Bench) -> None:
    commit = push(bench, "agent/one", {"one.txt": "one\n"})
    opened = bench.forge.open("agent/one", bench.base, "One", "What it is.\n", draft=False)
    assert (opened.title, opened.body, opened.draft) == ("One", "What it is.\n", False)
    assert (opened.branch, opened.base, opened.head) == ("agent/one", bench.base, commit)
    assert (opened.state, opened.author) == ("open", bench.forge.about().user)
    assert opened.number > 0
    assert opened.url
    assert opened.created[:2] == "20"
    assert opened.updated >= opened.created
    assert bench.forge.proposal(opened.number) == opened


@room.check()
def opening_twice_gives_one(bench: Bench) -> None:
    opened = proposed(bench, "agent/twice")
    written = bench.written()
    again = bench.forge.open("agent/twice", bench.base, "Another title", "Another", draft=True)
    assert again == opened
    assert bench.written() == written
    assert len(bench.forge.proposals("all")) == 1


@room.check()
def a_branch_that_is_not_there_cannot_be_proposed(bench: Bench) -> None:
    call = bench.forge.open
    refused("forge-refused", lambda: call("agent/none", bench.base, "None", "", draft=False))
    assert bench.forge.proposals("all") == ()


@room.check()
def a_base_that_is_not_there_is_refused(bench: Bench) -> None:
    push(bench, "agent/one", {"one.txt": "one\n"})
    call = bench.forge.open
    refused("forge-refused", lambda: call("agent/one", "no-such-base", "One", "", draft=False))
    assert bench.forge.proposals("all") == ()


@room.check()
def a_new_commit_is_the_head_at_once(bench: Bench) -> None:
    number = proposed(bench, "agent/grows").number
    commit = push(bench, "agent/grows", {"more.txt": "more\n"})
    assert bench.forge.proposal(number).head == commit
    assert bench.forge.proposals()[0].head == commit


@room.check()
def a_proposal_is_found_by_its_branch_while_it_is_open(bench: Bench) -> None:
    opened = proposed(bench, "agent/found")
    proposed(bench, "agent/found-too")
    assert bench.forge.find("agent/found") == opened
    assert bench.forge.find("found") is None
    assert bench.forge.find("agent/nowhere") is None
    bench.forge.close(opened.number)
    assert bench.forge.find("agent/found") is None


@room.check()
def proposals_are_listed_newest_first_by_state(bench: Bench) -> None:
    one, two, three = (proposed(bench, f"agent/{name}").number for name in ("a", "b", "c"))
    bench.forge.close(two)
    assert [each.number for each in bench.forge.proposals()] == [three, one]
    assert [each.number for each in bench.forge.proposals("closed")] == [two]
    assert [each.number for each in bench.forge.proposals("all")] == [three, two, one]


@room.check()
def an_empty_list_is_empty(bench: Bench) -> None:
    assert bench.forge.proposals() == bench.forge.proposals("all") == ()


@room.check()
def a_number_that_nothing_has_is_not_found(bench: Bench) -> None:
    proposed(bench)
    forge = bench.forge
    for number in (999_999, 0, -1):
        error = refused("proposal-not-found", lambda number=number: forge.proposal(number))  # type: ignore[misc]
        assert str(number) in error.message
    refused("proposal-not-found", lambda: forge.update(999_999, title="no"))
    refused("proposal-not-found", lambda: forge.close(999_999))
    refused("proposal-not-found", lambda: forge.comment(999_999, "no"))
    refused("proposal-not-found", lambda: forge.comments(999_999))
    refused("proposal-not-found", lambda: forge.reviews(999_999))
    refused("proposal-not-found", lambda: forge.review(999_999, "comment", "no"))
    refused("proposal-not-found", lambda: forge.mergeable(999_999))
    refused("proposal-not-found", lambda: forge.merge(999_999, "merge", "0" * 40))
    refused("proposal-not-found", lambda: forge.attach(999_999, "a.png", b"a", "image/png"))


@room.check()
def an_update_writes_what_changed(bench: Bench) -> None:
    opened = proposed(bench)
    changed = bench.forge.update(opened.number, title="Better", body="Better too.\n")
    assert (changed.title, changed.body) == ("Better", "Better too.\n")
    assert (changed.number, changed.head, changed.draft) == (opened.number, opened.head, False)
    only = bench.forge.update(opened.number, body="Once more.\n")
    assert (only.title, only.body) == ("Better", "Once more.\n")
    assert bench.forge.proposal(opened.number) == only


@room.check()
def an_update_that_changes_nothing_writes_nothing(bench: Bench) -> None:
    opened = proposed(bench)
    written = bench.written()
    same = bench.forge.update(opened.number, title=opened.title, body=opened.body, draft=False)
    assert same == opened
    assert bench.forge.update(opened.number) == opened
    assert bench.written() == written


@room.check()
def a_body_can_be_emptied(bench: Bench) -> None:
    number = proposed(bench).number
    assert bench.forge.update(number, body="").body == ""


@room.check()
def a_draft_becomes_ready_and_a_draft_again(bench: Bench) -> None:
    opened = proposed(bench, "agent/draft", draft=True)
    assert (opened.draft, opened.title) == (True, "Change of agent/draft")
    ready = bench.forge.update(opened.number, draft=False)
    assert (ready.draft, ready.title, ready.body) == (False, opened.title, opened.body)
    again = bench.forge.update(opened.number, draft=True, title="Another")
    assert (again.draft, again.title) == (True, "Another")
    still = bench.forge.update(opened.number, title="A third")
    assert (still.draft, still.title) == (True, "A third")
    written = bench.written()
    bench.forge.update(opened.number, draft=True, title="A third")
    assert bench.written() == written


@room.check()
def a_closed_proposal_keeps_its_branch(bench: Bench) -> None:
    opened = proposed(bench, "agent/closed")
    closed = bench.forge.close(opened.number)
    assert (closed.state, closed.number, closed.head) == ("closed", opened.number, opened.head)
    assert head(bench, "agent/closed") == opened.head
    written = bench.written()
    assert bench.forge.close(opened.number).state == "closed"
    assert bench.written() == written


@room.check()
def a_branch_is_proposed_anew_after_it_was_closed(bench: Bench) -> None:
    first = proposed(bench, "agent/again")
    bench.forge.close(first.number)
    second = proposed(bench, "agent/again")
    assert second.number != first.number
    assert second.state == "open"
    assert bench.forge.find("agent/again") == second


@room.check()
def lists_longer_than_a_page_are_whole(bench: Bench) -> None:
    git, count = bench.clone.git, more_than_a_page(bench)
    push(bench, "agent/many", {"many.txt": "many\n"})
    refs = [f"HEAD:refs/heads/agent/many-{n}" for n in range(count)]
    git.run("push", "--quiet", "origin", *refs)
    for n in range(count):
        bench.forge.open(f"agent/many-{n}", bench.base, f"Many {n}", "", draft=False)
    listed = bench.forge.proposals()
    assert [each.branch for each in listed] == [f"agent/many-{n}" for n in reversed(range(count))]
    found = bench.forge.find("agent/many-0")
    assert found is not None
    assert found.title == "Many 0"
