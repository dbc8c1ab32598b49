"""A GitHub that is down, slow, busy or unwilling: told in plain words, nothing done twice."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from forges.github_bench import GitHubBench, github
from forges.github_server import Fault
from forges.github_state import User
from octavo.errors import OctavoError
from octavo.forges.conformance.bench import proposed, push, refused
from octavo.forges.github import GitHubForge
from octavo.forges.http import Refused
from octavo.forges.port import Status

HTML = {"Content-Type": "text/html"}

#: What GitHub says of its API comes from npm, once.
pytestmark = pytest.mark.network


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[GitHubBench]:
    with github(tmp_path) as made:
        yield made


def _said(bench: GitHubBench) -> list[str]:
    return [each.body for pull in bench.hosted.pulls.values() for each in pull.remarks]


@pytest.mark.parametrize("how", ["answer", "close"])
@pytest.mark.parametrize("after", [True, False], ids=["after the work", "before the work"])
def test_nothing_is_done_twice_when_an_answer_is_lost(
    how: str, after: bool, bench: GitHubBench
) -> None:
    def lose(method: str, path: str) -> None:
        bench.server.faults.append(Fault(method, path, how=how, after=after))

    commit = push(bench, "agent/one", {"notes.txt": "one\ntwo\n"})
    lose("POST", "/pulls")
    number = bench.forge.open("agent/one", "main", "One", "", draft=True).number
    assert len(bench.hosted.pulls) == 1
    lose("POST", "/graphql")
    assert not bench.forge.update(number, draft=False).draft
    lose("POST", f"/issues/{number}/comments")
    bench.other.comment(number, "Once.")
    assert _said(bench) == ["Once."]
    lose("POST", f"/pulls/{number}/comments")
    bench.other.comment(number, "Here.", path="notes.txt", line=2)
    assert [each.body for each in bench.hosted.pulls[number].findings] == ["Here."]
    lose("POST", f"/pulls/{number}/reviews")
    bench.other.review(number, "approved")
    assert [each.verdict for each in bench.forge.reviews(number)] == ["approved"]
    for part in ("/git/blobs", "/git/trees", "/git/commits", "/git/refs"):
        lose("POST", part)
    address = bench.forge.attach(number, "a.png", b"A", "image/png")
    assert bench.fetch(address) == b"A"
    assert bench.forge.attach(number, "a.png", b"A", "image/png") == address
    lose("POST", "/statuses/")
    bench.forge.set_status(commit, Status("octavo/run", "success"))
    assert bench.forge.statuses(commit) == (Status("octavo/run", "success"),)
    lose("PUT", "/merge")
    merged = bench.forge.merge(number, "merge", commit)
    assert bench.hosted.branch("main") == merged
    lose("DELETE", "/git/refs/")
    bench.forge.delete_branch("agent/one")
    assert bench.hosted.branch("agent/one") is None
    assert not any(each.times for each in bench.server.faults)


def test_what_was_cut_off_goes_on_when_it_is_called_again(bench: GitHubBench) -> None:
    number = proposed(bench).number
    bench.server.faults.append(Fault("POST", "/git/refs", times=4))
    refused("forge-down", lambda: bench.forge.attach(number, "a.png", b"A", "image/png"))
    address = bench.forge.attach(number, "a.png", b"A", "image/png")
    assert bench.fetch(address) == b"A"


def test_too_many_calls_are_waited_for(bench: GitHubBench) -> None:
    number = proposed(bench).number
    secondary = b'{"message": "You have exceeded a secondary rate limit."}'
    bench.server.faults.append(Fault("POST", "/comments", 403, {"Retry-After": "7"}, secondary))
    bench.server.faults.append(Fault("POST", "/comments", 429, {"Retry-After": "9"}, secondary))
    bench.forge.comment(number, "Patience.")
    assert bench.waits == [7.0, 9.0]
    assert _said(bench) == ["Patience."]


def test_a_limit_that_is_used_up_is_waited_for_when_it_is_soon(bench: GitHubBench) -> None:
    used_up = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1020"}
    bench.server.faults.append(Fault("GET", "/user", 403, used_up, b"{}"))
    assert bench.of(bench.ada, now=1000.0).about().user == "ada"
    assert bench.waits == [20.0]


def test_a_limit_that_is_used_up_for_long_is_told(bench: GitHubBench) -> None:
    used_up = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4600"}
    told = b'{"message": "API rate limit exceeded for user ID 1."}'
    bench.server.faults.append(Fault("", "/user", 403, used_up, told, times=9))
    error = refused("forge-down", lambda: bench.of(bench.ada, now=1000.0).about())
    assert "until 01:16:40 UTC" in error.message
    assert "API rate limit exceeded" in error.message
    assert bench.waits == []


def test_limits_that_never_end_are_given_up(bench: GitHubBench) -> None:
    bench.server.faults.append(Fault("", "/user", 429, {"Retry-After": "25"}, b"{}", times=99))
    refused("forge-down", lambda: bench.of(bench.ada).about())
    assert bench.waits == [25.0, 25.0]


def test_a_busy_github_is_asked_again_and_then_told(bench: GitHubBench) -> None:
    bench.server.faults.append(Fault("GET", "/pulls", 503, HTML, times=2))
    assert bench.forge.proposals() == ()
    assert len(bench.waits) == 2
    bench.server.faults.append(Fault("GET", "/pulls", 500, HTML, times=99))
    error = refused("forge-down", bench.forge.proposals)
    assert "500" in error.message
    assert len(bench.waits) == 5


def test_a_page_instead_of_json_is_told(bench: GitHubBench) -> None:
    bench.server.faults.append(Fault("GET", "/pulls", 200, HTML, times=9))
    error = refused("forge-answer", bench.forge.proposals)
    assert "a page" in error.message


@pytest.mark.parametrize("nonsense", [b"{}", b"[3]", b'"no"', b"null", b'[{"number": 1}]'])
def test_json_that_is_not_githubs_is_told(nonsense: bytes, bench: GitHubBench) -> None:
    number = proposed(bench).number
    bench.server.faults.append(Fault("", "/repos/", 200, {}, nonsense, times=99))
    forge = bench.of(bench.ada)
    refused("forge-answer", forge.about)
    refused("forge-answer", lambda: forge.proposal(number))
    if nonsense not in (b"{}",):
        refused("forge-answer", forge.proposals)


def test_a_github_that_is_not_there_is_told(bench: GitHubBench) -> None:
    bench.server.close()
    error = refused("forge-down", bench.forge.about)
    assert "cannot be reached" in error.message
    assert len(bench.waits) == 3


def test_a_github_that_does_not_answer_in_time_is_told(bench: GitHubBench) -> None:
    bench.server.faults.append(Fault("", "/repos/", how="hang", times=99))
    error = refused("forge-down", bench.of(bench.ada, timeout=0.1).about)
    assert "in time" in error.message


def test_another_host_is_not_followed_with_the_token(bench: GitHubBench, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    with github(tmp_path / "elsewhere") as elsewhere:
        there = {"Location": f"{elsewhere.server.address}/api/v3/user"}
        bench.server.faults.append(Fault("GET", "/repos/", 301, there, b"{}", times=9))
        error = refused("forge-answer", bench.forge.about)
        assert "elsewhere" in error.message
        assert elsewhere.server.heard == []


def test_a_token_that_is_wrong_is_told(bench: GitHubBench) -> None:
    unknown = User("eve", "ghp_unknown0123456789", 1)
    error = refused("token-refused", bench.of(unknown).about)
    assert "Bad credentials" in error.message


def test_a_token_that_is_missing_is_told_before_anything_is_called(bench: GitHubBench) -> None:
    number = proposed(bench).number
    bench.server.calls.clear()
    forge = bench.of(None)
    calls: list[Callable[[], object]] = [
        forge.about,
        lambda: forge.open("agent/change", "main", "A", "", draft=False),
        lambda: forge.update(number, title="A"),
        lambda: forge.close(number),
        lambda: forge.attach(number, "a", b"A", "image/png"),
        lambda: forge.comment(number, "A"),
        lambda: forge.review(number, "approved"),
        lambda: forge.set_status("0" * 40, Status("a", "success")),
        lambda: forge.merge(number, "merge", "0" * 40),
        lambda: forge.delete_branch("agent/change"),
    ]
    for call in calls:
        error = refused("token-missing", call)
        assert "GH_TOKEN" in error.hint
    assert bench.server.calls == []


def test_a_permission_that_a_token_lacks_is_named(bench: GitHubBench) -> None:
    push(bench, "agent/one", {"a.txt": "a\n"})
    reader = bench.hub.user("reader", lacks="pull_requests=write")
    error = refused(
        "token-scope", lambda: bench.of(reader).open("agent/one", "main", "A", "", draft=False)
    )
    assert "it needs pull_requests=write" in error.message
    assert bench.hosted.pulls == {}


def test_a_scope_that_a_token_lacks_is_named(bench: GitHubBench) -> None:
    bench.hosted.private = True
    error = refused("token-scope", bench.of(bench.hub.user("reader", scopes="gist")).about)
    assert "it needs repo, and has gist" in error.message


def test_a_token_that_single_sign_on_wants_authorized_is_told(bench: GitHubBench) -> None:
    wanted = {"X-GitHub-SSO": "required; url=https://github.com/orgs/acme/sso"}
    told = b'{"message": "Resource protected by organization SAML enforcement."}'
    bench.server.faults.append(Fault("GET", "/repos/", 403, wanted, told))
    error = refused("token-scope", bench.of(bench.ada).about)
    assert "https://github.com/orgs/acme/sso" in error.hint


def test_a_repository_that_is_not_seen_may_be_missing_or_private(bench: GitHubBench) -> None:
    api = bench.github.api
    absent = GitHubForge(bench.server.address, "ada", "nothing", api.token, api=api)
    for call in (absent.about, absent.proposals, lambda: absent.proposal(1)):
        error = refused("forge-refused", call)
        assert "no repository ada/nothing" in error.message
        assert "or the token may not see it" in error.message
    bench.hosted.private = True
    error = refused("forge-refused", bench.of(None).proposals)
    assert "or it is private and no token is set" in error.message


def _failures(bench: GitHubBench, number: int) -> Iterator[OctavoError]:
    """Everything that can go wrong, with the page of a proxy that shows what it was sent."""
    secret = bench.ada.token.encode()
    shown = b"<pre>Authorization: Bearer " + secret + b"</pre>"
    told = b'{"message": "no: ' + secret + b'", "errors": ["' + secret + b'"]}'
    for status, body in (
        (200, shown),
        (401, told),
        (403, told),
        (404, told),
        (422, told),
        (502, shown),
    ):
        for call in (
            bench.of(bench.ada).about,
            lambda: bench.of(bench.ada).comment(number, "A"),
            lambda: bench.of(bench.ada).open("agent/two", "main", "A", "", draft=False),
        ):
            bench.server.faults[:] = [Fault("", "/api/", status, {}, body, times=99)]
            with pytest.raises(OctavoError) as caught:
                call()
            yield caught.value
    for how in ("close", "hang"):
        bench.server.faults[:] = [Fault("", "/api/", how=how, times=99)]
        with pytest.raises(OctavoError) as caught:
            bench.of(bench.ada, timeout=0.1).about()
        yield caught.value
    bench.server.faults.clear()


def test_no_failure_shows_the_token(bench: GitHubBench, caplog: pytest.LogCaptureFixture) -> None:
    number = proposed(bench).number
    push(bench, "agent/two", {"a.txt": "a\n"})
    secret = bench.ada.token
    assert secret not in repr(bench.github.api.token)
    seen = 0
    for error in _failures(bench, number):
        shown = [str(error), repr(error), repr(error.to_json()), *traceback.format_exception(error)]
        if isinstance(error, Refused):
            shown.append(repr(error.answer))
        assert not any(secret in text for text in shown), error.kind
        seen += 1
    assert seen == 20
    assert secret not in caplog.text
    assert not any(secret in call for call in bench.server.calls)
