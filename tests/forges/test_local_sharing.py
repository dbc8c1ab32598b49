"""Proposals that travel between clones: online, offline, and at the same time."""

from __future__ import annotations

from pathlib import Path

import pytest

from forges.local_forges import branch, cut_off, forge_in, proposed, reconnect, two_clones
from git_repositories import commit_files, git
from octavo.errors import OctavoError
from octavo.forges.local import Protection
from octavo.forges.port import Status


def refs(top: Path) -> str:
    return git(top, "for-each-ref", "--format=%(refname) %(objectname)", "refs/octavo")


def settled(ada: Path, bob: Path) -> None:
    """Both clones and the bare repository are the same, and nothing more is to be told."""
    forge_in(ada).proposals()
    forge_in(bob).proposals()
    forge_in(ada).proposals()
    assert refs(ada) == refs(bob) == refs(ada.parent / "origin.git")


def test_offline_work_is_shared_when_the_remote_is_back(tmp_path: Path) -> None:
    ada_top, bob_top = two_clones(tmp_path)
    ada, bob = forge_in(ada_top), forge_in(bob_top, "Bob")
    number = proposed(ada).number
    assert bob.proposal(number).title == "Title of agent/x"
    for top in (ada_top, bob_top):
        cut_off(top)
    ada.comment(number, "from Ada, offline")
    ada.update(number, title="Ada's title")
    assert [each.kind for each in ada.troubles] == ["forge-down"]
    assert "next command" in ada.troubles[0].hint
    bob.comment(number, "from Bob, offline", path="notes.txt", line=2)
    bob.update(number, body="Bob's body")
    bob.update(number, draft=True)
    bob.review(number, "changes", "Please.")
    for top in (ada_top, bob_top):
        reconnect(top)
    settled(ada_top, bob_top)
    for forge in (ada, bob):
        found = forge.proposal(number)
        assert (found.title, found.body, found.draft) == ("Ada's title", "Bob's body", True)
        bodies = {each.body for each in forge.comments(number)}
        assert bodies == {"from Ada, offline", "from Bob, offline"}
        assert [each.verdict for each in forge.reviews(number)] == ["changes"]


def test_the_later_of_two_titles_stands(tmp_path: Path) -> None:
    ada_top, bob_top = two_clones(tmp_path)
    ada, bob = forge_in(ada_top), forge_in(bob_top, "Bob")
    number = proposed(ada).number
    bob.proposals()
    cut_off(ada_top)
    ada.update(number, title="earlier")
    bob.update(number, title="later")
    reconnect(ada_top)
    assert ada.proposal(number).title == "later"
    settled(ada_top, bob_top)


def test_a_merge_is_not_undone_by_a_later_close_elsewhere(tmp_path: Path) -> None:
    ada_top, bob_top = two_clones(tmp_path)
    ada, bob = forge_in(ada_top), forge_in(bob_top, "Bob")
    opened = proposed(ada)
    bob.proposals()
    cut_off(bob_top)
    commit = ada.merge(opened.number, "merge", opened.head)
    bob.close(opened.number)
    reconnect(bob_top)
    assert bob.proposal(opened.number).state == "merged"
    assert bob.merge(opened.number, "merge", opened.head) == commit
    settled(ada_top, bob_top)


def test_two_proposals_with_one_number_become_two(tmp_path: Path) -> None:
    ada_top, bob_top = two_clones(tmp_path)
    branch(bob_top, "agent/bob", {"bob.txt": "bob\n"})
    git(bob_top, "push", "--quiet", "origin", "agent/bob")
    ada, bob = forge_in(ada_top), forge_in(bob_top, "Bob")
    cut_off(bob_top)
    mine = proposed(bob, "agent/bob")
    bob.comment(mine.number, "about mine")
    assert proposed(ada).number == mine.number == 1
    reconnect(bob_top)
    said = bob.comment(mine.number, "still about mine")
    assert bob.renumbered == {1: 2}
    settled(ada_top, bob_top)
    assert [(each.number, each.branch) for each in ada.proposals()] == [
        (2, "agent/bob"),
        (1, "agent/x"),
    ]
    assert [each.body for each in ada.comments(2)] == ["about mine", said.body]
    assert ada.comments(1) == ()


def test_one_branch_proposed_in_two_clones_is_one_proposal(tmp_path: Path) -> None:
    ada_top, bob_top = two_clones(tmp_path)
    branch(ada_top, "agent/first", {"first.txt": "first\n"})
    git(ada_top, "push", "--quiet", "origin", "agent/first")
    git(bob_top, "fetch", "--quiet")
    ada, bob = forge_in(ada_top), forge_in(bob_top, "Bob")
    cut_off(bob_top)
    number = proposed(bob).number
    bob.comment(number, "said offline")
    proposed(ada, "agent/first")
    proposed(ada, "agent/x")
    reconnect(bob_top)
    assert bob.find("agent/x") == ada.find("agent/x")
    settled(ada_top, bob_top)
    assert [(each.number, each.branch) for each in ada.proposals("all")] == [
        (2, "agent/x"),
        (1, "agent/first"),
    ]
    assert [each.body for each in ada.comments(2)] == ["said offline"]


def test_statuses_written_apart_are_joined(tmp_path: Path) -> None:
    ada_top, bob_top = two_clones(tmp_path)
    ada, bob = forge_in(ada_top), forge_in(bob_top, "Bob")
    head = proposed(ada).head
    git(bob_top, "fetch", "--quiet")
    for top in (ada_top, bob_top):
        cut_off(top)
    ada.set_status(head, Status("octavo/run", "failure"))
    ada.set_status(head, Status("octavo/a", "success"))
    bob.set_status(head, Status("octavo/run", "success"))
    for top in (ada_top, bob_top):
        reconnect(top)
    settled(ada_top, bob_top)
    states = {each.context: each.state for each in ada.statuses(head)}
    assert states == {"octavo/run": "success", "octavo/a": "success"}


def test_a_merge_needs_the_remote(tmp_path: Path) -> None:
    ada_top, _ = two_clones(tmp_path)
    ada = forge_in(ada_top)
    opened = proposed(ada)
    cut_off(ada_top)
    before = git(ada_top, "for-each-ref")
    for call in (
        lambda: ada.merge(opened.number, "merge", opened.head),
        lambda: ada.delete_branch("agent/x"),
    ):
        with pytest.raises(OctavoError) as caught:
            call()
        assert caught.value.kind == "forge-down"
    assert git(ada_top, "for-each-ref") == before


def test_a_merge_on_the_remote_touches_no_checkout(tmp_path: Path) -> None:
    ada_top, bob_top = two_clones(tmp_path)
    ada, bob = forge_in(ada_top), forge_in(bob_top, "Bob")
    opened = proposed(ada)
    (bob_top / "README.md").write_text("an edit\n")
    before = git(bob_top, "rev-parse", "HEAD"), git(bob_top, "status", "--porcelain")
    commit = bob.merge(opened.number, "merge", opened.head)
    bob.delete_branch("agent/x")
    assert (git(bob_top, "rev-parse", "HEAD"), git(bob_top, "status", "--porcelain")) == before
    assert git(tmp_path / "origin.git", "rev-parse", "main") == commit
    assert git(tmp_path / "origin.git", "branch", "--list", "agent/x") == ""
    assert git(ada_top, "rev-parse", "agent/x") == opened.head
    assert ada.proposal(opened.number).head == opened.head


def test_a_branch_that_is_checked_out_stays_here_and_that_is_told(tmp_path: Path) -> None:
    ada_top, _ = two_clones(tmp_path)
    ada = forge_in(ada_top)
    opened = proposed(ada)
    git(ada_top, "checkout", "--quiet", "agent/x")
    ada.merge(opened.number, "squash", opened.head)
    ada.delete_branch("agent/x")
    assert git(tmp_path / "origin.git", "branch", "--list", "agent/x") == ""
    assert git(ada_top, "rev-parse", "--abbrev-ref", "HEAD") == "agent/x"
    assert "checked out" in ada.troubles[-1].message
    git(ada_top, "checkout", "--quiet", "main")
    ada.delete_branch("agent/x")
    assert git(ada_top, "branch", "--list", "agent/x") == ""


def test_the_base_may_move_while_a_merge_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada_top, bob_top = two_clones(tmp_path)
    ada = forge_in(ada_top)
    opened = proposed(ada)
    exchange = ada._clone.exchange
    assert exchange is not None
    push, moved = exchange.push_branch, []

    def somebody_is_quicker(branch: str, commit: str, expected: str | None) -> None:
        if not moved:
            moved.append(commit_files(bob_top, {"bob.txt": "bob\n"}, "of Bob"))
            git(bob_top, "push", "--quiet", "origin", "main")
        push(branch, commit, expected)

    monkeypatch.setattr(exchange, "push_branch", somebody_is_quicker)
    commit = ada.merge(opened.number, "squash", opened.head)
    origin = tmp_path / "origin.git"
    assert git(origin, "rev-parse", "main") == commit
    assert git(origin, "rev-parse", "main^") == moved[0]


def test_a_remote_that_refuses_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    ada_top, bob_top = two_clones(tmp_path)
    hook = tmp_path / "origin.git" / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho no proposals here; exit 1\n")
    hook.chmod(0o755)
    ada = forge_in(ada_top)
    opened = proposed(ada)
    assert [each.kind for each in ada.troubles] == ["push-rejected"]
    assert ada.find("agent/x") == opened
    hook.unlink()
    assert forge_in(ada_top).find("agent/x") is not None
    assert forge_in(bob_top, "Bob").find("agent/x") is not None


def test_a_base_that_is_protected_on_the_remote_keeps_the_proposal_open(tmp_path: Path) -> None:
    ada_top, _ = two_clones(tmp_path)
    ada = forge_in(ada_top)
    opened = proposed(ada)
    hook = tmp_path / "origin.git" / "hooks" / "update"
    hook.write_text('#!/bin/sh\ntest "$1" != refs/heads/main\n')
    hook.chmod(0o755)
    with pytest.raises(OctavoError) as caught:
        ada.merge(opened.number, "merge", opened.head)
    assert caught.value.kind == "push-rejected"
    assert ada.proposal(opened.number).state == "open"
    hook.unlink()
    ada.merge(opened.number, "merge", opened.head)
    assert git(tmp_path / "origin.git", "rev-list", "--count", "main") == "3"


def test_a_branch_of_somebody_else_is_fetched_when_it_is_needed(tmp_path: Path) -> None:
    ada_top, bob_top = two_clones(tmp_path)
    ada, bob = forge_in(ada_top), forge_in(bob_top, "Bob")
    number = proposed(ada).number
    head = branch(ada_top, "agent/x", {"notes.txt": "zero\none\ntwo\nthree\n"})
    git(ada_top, "push", "--quiet", "origin", "agent/x")
    assert bob.proposal(number).head == head
    bob.set_status(head, Status("octavo/gate", "success"))
    assert [each.state for each in ada.statuses(head)] == ["success"]
    said = bob.comment(number, "Zero?", path="notes.txt", line=1)
    assert (said.line, said.commit) == (1, head)
    assert bob.mergeable(number).allowed


@pytest.mark.parametrize("deep", [False, True])
def test_a_shallow_clone(tmp_path: Path, deep: bool) -> None:
    ada_top, _ = two_clones(tmp_path)
    for n in range(3):
        commit_files(ada_top, {"main.txt": f"{n}\n"})
    git(ada_top, "push", "--quiet", "origin", "main")
    number = proposed(forge_in(ada_top)).number
    origin = (tmp_path / "origin.git").as_uri()
    git(tmp_path, "clone", "--quiet", "--depth=1", origin, "shallow")
    shallow = tmp_path / "shallow"
    bob = forge_in(shallow, "Bob", Protection(approvals=1))
    bob.comment(number, "From a shallow clone.", path="notes.txt", line=1)
    bob.review(number, "approved")
    if deep:
        git(shallow, "fetch", "--quiet", "--unshallow")
    found = bob.mergeable(number)
    assert found.allowed or "git fetch --unshallow" in str(found.missing)
    assert found.allowed or not deep
    assert [each.verdict for each in forge_in(ada_top).reviews(number)] == ["approved"]
