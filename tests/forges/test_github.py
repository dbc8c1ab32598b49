"""What is GitHub's own: drafts, threads, dismissals, check runs, rules, figures on a side ref."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forges.github_bench import GitHubBench, github
from forges.github_state import Finding, Protection
from git_repositories import ENVIRON
from octavo.app.forges import choose
from octavo.config import Settings
from octavo.forges.conformance.bench import proposed, push, refused
from octavo.forges.github import answers, texts
from octavo.forges.github.api import api_address, graph_address
from octavo.forges.port import Status
from octavo.git.credentials import for_git
from octavo.git.remotes import push as push_ref
from octavo.git.remotes import remote_of
from octavo.git.repository import Repository

#: What GitHub says of its API comes from npm, once.
pytestmark = pytest.mark.network


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[GitHubBench]:
    with github(tmp_path) as made:
        yield made


@pytest.mark.parametrize(
    ("address", "api", "graph"),
    [
        ("https://github.com", "https://api.github.com", "https://api.github.com"),
        ("github.com", "https://api.github.com", "https://api.github.com"),
        ("https://ssh.github.com", "https://api.github.com", "https://api.github.com"),
        ("https://acme.ghe.com", "https://api.acme.ghe.com", "https://api.acme.ghe.com"),
        ("https://git.acme.org/", "https://git.acme.org/api/v3", "https://git.acme.org/api"),
        ("http://127.0.0.1:80", "http://127.0.0.1:80/api/v3", "http://127.0.0.1:80/api"),
    ],
)
def test_the_api_is_found_from_the_address_of_a_github(address: str, api: str, graph: str) -> None:
    assert api_address(address) == api
    assert graph_address(api) == graph


@settings(deadline=None)
@given(st.text(), st.integers(0, 70_000))
def test_a_text_that_was_cut_fits_and_is_not_cut_again(piece: str, length: int) -> None:
    text = (piece or "x") * (length // len(piece or "x") + 1)
    for cut, most in ((texts.body, 65536), (texts.title, 256), (texts.description, 140)):
        once = cut(text)
        assert len(once) <= most
        assert cut(once) == once


def test_where_drafts_cannot_be_had_it_is_told(bench: GitHubBench) -> None:
    bench.hosted.drafts = False
    push(bench, "agent/one", {"a.txt": "a\n"})
    error = refused(
        "forge-refused", lambda: bench.forge.open("agent/one", "main", "A", "", draft=True)
    )
    assert "plan" in error.message
    assert "--draft" in error.hint
    opened = bench.forge.open("agent/one", "main", "A", "", draft=False)
    error = refused("forge-refused", lambda: bench.forge.update(opened.number, draft=True))
    assert "not supported" in error.message


def test_a_branch_with_nothing_new_is_told(bench: GitHubBench) -> None:
    bench.clone.git.run("push", "--quiet", "origin", "HEAD:refs/heads/agent/same")
    error = refused(
        "forge-refused", lambda: bench.forge.open("agent/same", "main", "A", "", draft=False)
    )
    assert error.message == "the branch agent/same has nothing that main does not have"


def test_a_proposal_of_a_fork_has_its_owner_in_its_branch(bench: GitHubBench) -> None:
    number = proposed(bench).number
    pull: dict[str, Any] = bench.server.answers.pull(bench.hosted, bench.hosted.pulls[number])
    assert answers.proposal(pull).branch == "agent/change"
    fork = {**pull["head"], "label": "eve:agent/change"}
    for repository in ({**fork["repo"], "id": 1}, None):
        there = {**pull, "head": {**fork, "repo": repository}}
        assert answers.proposal(there).branch == "eve:agent/change"


def test_a_comment_on_a_line_that_is_not_shown_is_refused(bench: GitHubBench) -> None:
    number = proposed(bench).number
    for path, line in (("notes.txt", 40), ("README.md", 1)):
        error = refused(
            "forge-refused",
            lambda path=path, line=line: bench.forge.comment(number, "?", path=path, line=line),  # type: ignore[misc]
        )
        assert "only on lines that the proposal shows" in error.message
        assert error.place == f"{path}:{line}"
    refused("wrong-argument", lambda: bench.forge.comment(number, "?", line=1))


def test_a_comment_on_a_file_has_no_line(bench: GitHubBench) -> None:
    number = proposed(bench).number
    said = bench.forge.comment(number, "The whole file.", path="notes.txt")
    assert (said.path, said.line) == ("notes.txt", None)
    assert bench.forge.comment(number, "The whole file.", path="notes.txt").id == said.id


def test_a_comment_whose_line_was_changed_has_none_and_keeps_its_commit(bench: GitHubBench) -> None:
    opened = proposed(bench)
    bench.other.comment(opened.number, "Why two?", path="notes.txt", line=2)
    push(bench, opened.branch, {"notes.txt": "one\nanother\nthree\n"})
    (said,) = bench.forge.comments(opened.number)
    assert (said.path, said.line, said.commit) == ("notes.txt", None, opened.head)


def test_a_reply_is_in_the_thread_that_it_answers(bench: GitHubBench) -> None:
    opened = proposed(bench)
    first = bench.other.comment(opened.number, "Why?", path="notes.txt", line=2)
    known = bench.finding(opened.number, first)
    reply = Finding(
        9, "ghost", "So.", bench.hub.time(), "notes.txt", 2, "RIGHT", opened.head, known.id
    )
    bench.hosted.pulls[opened.number].findings.append(reply)
    _, answered = bench.forge.comments(opened.number)
    assert (answered.thread, answered.author) == (first.thread, "ghost")
    assert answered.url.endswith("#discussion_r9")


def test_what_is_said_after_a_thread_was_resolved_begins_another(bench: GitHubBench) -> None:
    number = proposed(bench).number
    first = bench.other.comment(number, "Why?", path="notes.txt", line=2)
    bench.resolve(number, first)
    second = bench.other.comment(number, "Again: why?", path="notes.txt", line=2)
    assert second.thread != first.thread


def test_more_threads_than_a_page_are_all_known(bench: GitHubBench) -> None:
    push(bench, "agent/lines", {"lines.txt": "".join(f"{n}\n" for n in range(25))})
    number = proposed(bench, "agent/lines").number
    head = bench.forge.proposal(number).head
    for line in range(1, 26):
        made = Finding(line, "bob", "?", bench.hub.time(), "lines.txt", line, "RIGHT", head)
        made.resolved = line > 20
        bench.hosted.pulls[number].findings.append(made)
    resolved = [each.line for each in bench.forge.comments(number) if each.resolved]
    assert resolved == [21, 22, 23, 24, 25]


def test_without_a_token_comments_are_read_but_not_what_is_resolved(bench: GitHubBench) -> None:
    number = proposed(bench).number
    bench.resolve(number, bench.other.comment(number, "Why?", path="notes.txt", line=2))
    (said,) = bench.of(None).comments(number)
    assert (said.body, said.resolved) == ("Why?", False)


def test_a_dismissed_approval_counts_no_more(bench: GitHubBench) -> None:
    number = proposed(bench).number
    bench.protect(approvals=1)
    bench.other.review(number, "approved")
    bench.hosted.pulls[number].reviews[-1].state = "DISMISSED"
    (dismissed,) = bench.forge.reviews(number)
    assert (dismissed.verdict, dismissed.stale) == ("comment", True)
    assert bench.forge.mergeable(number).missing == ("an approval (0 of 1)",)
    assert bench.other.review(number, "approved").id != dismissed.id
    assert bench.forge.mergeable(number).allowed


def test_a_verdict_is_given_again_after_another_one(bench: GitHubBench) -> None:
    number = proposed(bench).number
    bench.other.review(number, "approved")
    bench.other.review(number, "changes", "No.")
    bench.other.review(number, "approved")
    verdicts = [each.verdict for each in bench.forge.reviews(number)]
    assert verdicts == ["approved", "changes", "approved"]


def test_ones_own_proposal_is_refused_in_plain_words(bench: GitHubBench) -> None:
    number = proposed(bench).number
    error = refused("forge-refused", lambda: bench.forge.review(number, "approved"))
    assert "a proposal of their own" in error.message
    assert "another user" in error.hint


def test_a_review_that_is_not_given_yet_is_none(bench: GitHubBench) -> None:
    number = proposed(bench).number
    bench.other.review(number, "comment", "later")
    bench.hosted.pulls[number].reviews[-1].state = "PENDING"
    assert bench.forge.reviews(number) == ()


def test_check_runs_are_statuses_too(bench: GitHubBench) -> None:
    commit = push(bench, "agent/one", {"a.txt": "a\n"})
    states = {
        "success": "success",
        "neutral": "success",
        "skipped": "success",
        "failure": "failure",
        "timed_out": "failure",
        "action_required": "failure",
        "cancelled": "error",
    }
    bench.hosted.checks[commit] = [
        {"id": n, "name": f"build/{word}", "status": "completed", "conclusion": word}
        for n, word in enumerate(states)
    ]
    running = {"name": "build/running", "status": "in_progress", "conclusion": None}
    bench.hosted.checks[commit].append(running)
    bench.forge.set_status(commit, Status("octavo/run", "success"))
    found = {each.context: each.state for each in bench.forge.statuses(commit)}
    expected = {f"build/{word}": state for word, state in states.items()}
    assert found == {**expected, "build/running": "pending", "octavo/run": "success"}


def test_a_check_run_can_be_what_a_branch_demands(bench: GitHubBench) -> None:
    bench.protect(statuses=("build",))
    opened = proposed(bench)
    run = {"name": "build", "status": "completed", "conclusion": "failure"}
    bench.hosted.checks[opened.head] = [run]
    assert bench.forge.mergeable(opened.number).missing == ("the status build (failure)",)
    run["conclusion"] = "success"
    assert bench.forge.mergeable(opened.number).allowed


@pytest.mark.parametrize("who", ["administrator", "anybody who may write"])
def test_protection_of_a_branch_is_known_to(who: str, bench: GitHubBench) -> None:
    bench.hosted.protection["main"] = Protection(2, ("octavo/gate",), rules=False)
    number = proposed(bench).number
    forge = bench.forge if who == "administrator" else bench.other
    found = forge.mergeable(number)
    assert found.missing == ("an approval (0 of 2)", "the status octavo/gate")


@pytest.mark.parametrize("rules", [True, False])
def test_discussions_that_must_end_are_named(rules: bool, bench: GitHubBench) -> None:
    bench.hosted.protection["main"] = Protection(threads=True, rules=rules)
    number = proposed(bench).number
    said = bench.other.comment(number, "Why?", path="notes.txt", line=2)
    assert bench.forge.mergeable(number).missing == ("an end to all discussions (1 open)",)
    bench.resolve(number, said)
    assert bench.forge.mergeable(number).allowed


def test_who_asks_for_changes_is_named(bench: GitHubBench) -> None:
    bench.protect(approvals=1)
    number = proposed(bench).number
    bench.other.review(number, "changes", "No.")
    missing = bench.forge.mergeable(number).missing
    assert missing == ("an approval (0 of 1)", "the changes that bob asks for")


def test_what_github_does_not_tell_is_not_guessed(bench: GitHubBench) -> None:
    bench.protect(approvals=1)
    number = proposed(bench).number
    found = bench.of(None).mergeable(number)
    assert not found.allowed
    bench.hosted.undecided = True
    error = refused(
        "proposal-not-mergeable", lambda: bench.forge.merge(number, "merge", _head(bench))
    )
    assert "GitHub has not found out yet whether it merges" in error.message
    assert 5 <= len(bench.waits) <= 30


def _head(bench: GitHubBench) -> str:
    return bench.forge.proposals()[0].head


def test_a_way_of_merging_that_is_switched_off_is_told(bench: GitHubBench) -> None:
    bench.hosted.methods = ("squash",)
    opened = proposed(bench)
    error = refused("forge-refused", lambda: bench.forge.merge(opened.number, "merge", opened.head))
    assert "Merge commits are not allowed" in error.message
    assert bench.forge.merge(opened.number, "squash", opened.head)


def test_figures_are_on_a_ref_that_no_clone_fetches(bench: GitHubBench) -> None:
    number = proposed(bench).number
    address = bench.forge.attach(number, "loss.png", b"PNG", "image/png")
    commit = bench.hosted.commit(f"refs/octavo/figures/{number}")
    assert address.startswith(f"{bench.server.address}/ada/notes/raw/{commit}/")
    assert address.endswith("/loss.png")
    bench.clone.git.run("fetch", "--quiet", "origin")
    assert bench.clone.commit(str(commit)) is None


def test_an_address_stays_when_other_figures_come(bench: GitHubBench) -> None:
    number = proposed(bench).number
    first = bench.forge.attach(number, "a.png", b"A", "image/png")
    bench.forge.attach(number, "b.png", b"B", "image/png")
    written = bench.written()
    assert bench.forge.attach(number, "a.png", b"A", "image/png") == first
    assert bench.written() == written
    assert bench.fetch(first) == b"A"


def test_figures_that_are_put_at_once_are_all_there(bench: GitHubBench) -> None:
    number = proposed(bench).number

    def put(n: int) -> str:
        return bench.of(bench.ada).attach(number, "f.png", bytes([n]), "image/png")

    with ThreadPoolExecutor(3) as pool:
        addresses = list(pool.map(put, range(3)))
    assert [bench.fetch(each) for each in addresses] == [bytes([n]) for n in range(3)]


def test_the_token_of_an_app_has_a_user_too(bench: GitHubBench) -> None:
    app = bench.hub.user("octavo[bot]", is_app=True)
    assert bench.of(app).about().user == "octavo[bot]"
    number = proposed(bench).number
    assert bench.of(app).comment(number, "Hello.").author == "octavo[bot]"


def test_a_repository_that_was_renamed_is_followed(bench: GitHubBench) -> None:
    opened = proposed(bench)
    bench.hub.user("lovelace")
    bench.hub.rename(bench.hosted, "lovelace", "notebooks")
    forge = bench.of(bench.ada)
    assert forge.find(opened.branch) == forge.proposal(opened.number)
    again = forge.open(opened.branch, "main", "Another", "", draft=False)
    assert again.number == opened.number
    forge.comment(opened.number, "Still here.", path="notes.txt", line=1)
    assert [each.body for each in forge.comments(opened.number)] == ["Still here."]
    assert forge.attach(opened.number, "a.png", b"A", "image/png").startswith(
        f"{bench.server.address}/lovelace/notebooks/raw/"
    )


def test_a_public_repository_is_read_without_a_token(bench: GitHubBench) -> None:
    opened = proposed(bench)
    assert bench.of(None).proposal(opened.number) == opened
    assert bench.of(None).mergeable(opened.number).allowed


def test_every_call_of_a_proposal_is_few(bench: GitHubBench) -> None:
    push(bench, "agent/one", {"a.txt": "a\n"})
    forge = bench.of(bench.ada)
    bench.server.calls.clear()
    forge.open("agent/one", "main", "One", "", draft=False)
    assert bench.server.calls == [
        "GET /repos/ada/notes",
        "GET /repos/ada/notes/pulls",
        "POST /repos/ada/notes/pulls",
    ]


def test_a_remote_on_it_leads_to_it_and_git_logs_in_with_the_token(bench: GitHubBench) -> None:
    token = {**ENVIRON, "GH_TOKEN": bench.ada.token}
    clone = Repository.around(bench.clone.top, token)
    clone.git.run("config", "--unset-all", f"http.{bench.server.address}/.extraHeader")
    remote = remote_of(clone.git)
    forge, found = choose(clone, remote, Settings())
    assert forge.name == "github"
    assert forge.about().user == "ada"
    commit = clone.git.text("rev-parse", "HEAD")
    login = for_git(found, remote)
    push_ref(clone.git, "origin", commit, "refs/heads/agent/pushed", None, *login)
    assert bench.hosted.branch("agent/pushed") == commit
    assert bench.ada.token not in Path(clone.folder, "config").read_text()
