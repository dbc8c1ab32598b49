"""What is particular to Gitea, on a real one: tokens, drafts, protections, attachments, paths."""

from __future__ import annotations

from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from forges.gitea_bench import GiteaBench
from forges.hostile_server import Asked, Hostile, Says
from octavo.forges.conformance.attachments import PNG
from octavo.forges.conformance.bench import head, proposed, push, refused
from octavo.forges.gitea import GiteaForge
from octavo.forges.port import Status
from octavo.git.credentials import Token
from servers.gitea import Gitea


@pytest.fixture
def bench(gitea: Gitea, tmp_path: Path) -> GiteaBench:
    return GiteaBench(gitea, tmp_path)


def with_scopes(bench: GiteaBench, *scopes: str) -> GiteaForge:
    token = Token(bench.server.token(bench.ada.name, scopes), "a test")
    return GiteaForge(bench.server.address, bench.ada.name, bench.repository, token)


def test_a_scope_that_a_token_lacks_is_named(bench: GiteaBench) -> None:
    number = proposed(bench).number
    reader = with_scopes(bench, "read:repository", "read:issue", "read:user")
    assert reader.about().user == bench.ada.name
    assert reader.proposal(number).number == number
    for scope, call in (
        ("write:issue", lambda: reader.comment(number, "Hello.")),
        ("write:repository", lambda: reader.update(number, title="No")),
        ("write:repository", lambda: reader.review(number, "comment", "Hello.")),
        ("write:repository", lambda: reader.set_status("main", Status("a", "success"))),
        ("write:issue", lambda: reader.attach(number, "a.png", PNG, "image/png")),
        ("write:repository", lambda: reader.merge(number, "merge", reader.proposal(number).head)),
        ("write:repository", lambda: reader.delete_branch("agent/change")),
    ):
        error = refused("token-scope", call)
        assert f"the scope {scope}" in error.message, error.message
        assert "/user/settings/applications" in error.hint
    assert reader.proposal(number).state == "open"


def test_a_token_that_may_not_say_whose_it_is(bench: GiteaBench) -> None:
    forge = with_scopes(bench, "write:repository", "write:issue")
    push(bench, "agent/one", {"one.txt": "one\n"})
    opened = forge.open("agent/one", "main", "One", "", draft=False)
    assert forge.about().user == ""
    assert forge.comment(opened.number, "Hello.").author == bench.ada.name


def test_a_wrong_token_is_refused(bench: GiteaBench) -> None:
    wrong = Token("0" * 40, "GITEA_TOKEN")
    forge = GiteaForge(bench.server.address, bench.ada.name, bench.repository, wrong)
    error = refused("token-refused", forge.about)
    assert "GITEA_TOKEN" in error.message


def test_a_private_repository_of_somebody_else_is_as_good_as_none(gitea: Gitea) -> None:
    ada, eve = gitea.person("ada"), gitea.person("eve")
    name = gitea.repository(ada, private=True)
    eves = GiteaForge(gitea.address, ada.name, name, Token(eve.token, "a test"))
    for call in (eves.about, eves.proposals, lambda: eves.proposal(1), lambda: eves.find("x")):
        error = refused("forge-refused", call)
        assert "may not see it" in error.message
    strangers = GiteaForge(gitea.address, ada.name, name, None)
    refused("token-missing", strangers.proposals)
    refused("token-missing", lambda: strangers.proposal(1))


def test_what_is_public_can_be_read_without_a_token(bench: GiteaBench) -> None:
    opened = proposed(bench)
    stranger = GiteaForge(bench.server.address, bench.ada.name, bench.repository, None)
    assert stranger.proposals() == (opened,)
    assert stranger.comments(opened.number) == ()
    refused("token-missing", stranger.about)
    refused("token-missing", lambda: stranger.comment(opened.number, "Hello."))
    refused("token-missing", lambda: stranger.update(opened.number, title="No"))


def test_a_draft_is_known_by_its_title(bench: GiteaBench) -> None:
    number = proposed(bench, draft=True).number
    path = f"{bench.path}/pulls/{number}"
    assert bench.ada.api.get(path)["title"] == "WIP: Change of agent/change"
    for title in ("[WIP] Other", "wip: Other", "WIP:Other"):
        bench.ada.api.call("PATCH", path, {"title": title})
        found = bench.forge.proposal(number)
        assert (found.draft, found.title) == (True, "Other")
    ready = bench.forge.update(number, draft=False)
    assert (ready.draft, ready.title) == (False, "Other")
    assert not bench.forge.update(number, title="WIP: Not a draft").draft


def test_an_issue_is_no_proposal(bench: GiteaBench) -> None:
    issue = bench.ada.api.call("POST", f"{bench.path}/issues", {"title": "An issue"}).body
    refused("proposal-not-found", lambda: bench.forge.proposal(issue["number"]))
    refused("proposal-not-found", lambda: bench.forge.comments(issue["number"]))


def test_a_fork_may_have_a_branch_of_the_same_name(bench: GiteaBench, gitea: Gitea) -> None:
    eve = gitea.person("eve", ("all",))
    eve.api.call("POST", f"{bench.path}/forks", {})
    content = {"content": "", "message": "x", "new_branch": "agent/same"}
    eve.api.call("POST", f"repos/{eve.name}/{bench.repository}/contents/x.txt", content)
    asked = {"head": f"{eve.name}:agent/same", "base": "main", "title": "From a fork"}
    eve.api.call("POST", f"{bench.path}/pulls", asked)
    assert bench.forge.find("agent/same") is None
    assert [each.title for each in bench.forge.proposals()] == ["From a fork"]
    assert proposed(bench, "agent/same").author == bench.ada.name


def test_an_archived_repository(bench: GiteaBench) -> None:
    push(bench, "agent/one", {"one.txt": "one\n"})
    bench.ada.api.call("PATCH", bench.path, {"archived": True})
    error = refused("forge-refused", lambda: proposed(bench, "agent/one"))
    assert "archived" in error.message


@pytest.mark.parametrize(
    ("rule", "missing"),
    [
        ({"block_on_rejected_reviews": True}, "the changes that {ben} asks for"),
        ({"block_on_outdated_branch": True}, "the newest commits of main"),
        ({"enable_status_check": True, "status_check_contexts": ["ci/*"]}, "the status ci/*"),
        ({"enable_merge_whitelist": True}, "the right to merge into main"),
    ],
)
def test_other_protections_are_named_too(bench: GiteaBench, rule: dict, missing: str) -> None:  # type: ignore[type-arg]
    bench.ada.api.call("POST", f"{bench.path}/branch_protections", {"rule_name": "main", **rule})
    opened = proposed(bench)
    bench.other.review(opened.number, "changes", "Please not.")
    if "block_on_outdated_branch" in rule:
        bench.ada.api.call("PATCH", f"{bench.path}/branch_protections/main", {"enable_push": True})
        push(bench, "main", {"later.txt": "later\n"})
    wanted = missing.format(ben=bench.ben.name)
    assert bench.forge.mergeable(opened.number).missing == (wanted,)
    if "block_on_outdated_branch" in rule:
        return  # Gitea counts the commits behind in the background, and may not have done so yet.
    error = refused(
        "proposal-not-mergeable", lambda: bench.forge.merge(opened.number, "merge", opened.head)
    )
    assert wanted in error.message


def test_a_pattern_is_met_by_any_status_that_fits(bench: GiteaBench) -> None:
    bench.protect(statuses=("ci/*",))
    opened = proposed(bench)
    bench.forge.set_status(opened.head, Status("ci/lint", "success"))
    assert bench.forge.mergeable(opened.number).allowed


def test_a_stale_approval_counts_unless_the_rule_says_otherwise(bench: GiteaBench) -> None:
    rule = {"rule_name": "main", "required_approvals": 1, "ignore_stale_approvals": True}
    bench.ada.api.call("POST", f"{bench.path}/branch_protections", rule)
    opened = proposed(bench)
    bench.other.review(opened.number, "approved")
    assert bench.forge.mergeable(opened.number).allowed
    push(bench, opened.branch, {"notes.txt": "another\n"})
    assert bench.forge.reviews(opened.number)[0].stale


@pytest.mark.parametrize("person", ["ada", "ben"])
def test_an_approval_that_a_push_dismisses_does_not_count_until_then(
    bench: GiteaBench, person: str
) -> None:
    """Gitea dismisses it a moment after the push, and would merge in between."""
    rule = {"rule_name": "main", "required_approvals": 1, "dismiss_stale_approvals": True}
    bench.ada.api.call("POST", f"{bench.path}/branch_protections", rule)
    number = proposed(bench).number
    bench.other.review(number, "approved")
    push(bench, "agent/change", {"more.txt": "more\n"})
    forge = bench.forge if person == "ada" else bench.other
    assert forge.mergeable(number).missing == ("an approval (0 of 1)",)


def test_a_verdict_on_what_is_merged_is_refused_in_plain_words(bench: GiteaBench) -> None:
    number = proposed(bench).number
    bench.forge.close(number)
    error = refused("forge-refused", lambda: bench.other.review(number, "approved"))
    assert "closed" in error.message and "proposals" in error.hint


def test_who_may_not_see_the_rules_learns_the_reason_when_merging(bench: GiteaBench) -> None:
    rule = {"rule_name": "main", "block_on_rejected_reviews": True}
    bench.ada.api.call("POST", f"{bench.path}/branch_protections", rule)
    opened = proposed(bench)
    bench.other.review(opened.number, "changes", "Please not.")
    error = refused(
        "proposal-not-mergeable", lambda: bench.other.merge(opened.number, "merge", opened.head)
    )
    assert "requested changes" in error.message


def test_a_method_that_the_repository_does_not_allow(bench: GiteaBench) -> None:
    bench.ada.api.call("PATCH", bench.path, {"allow_rebase": False, "has_pull_requests": True})
    opened = proposed(bench)
    error = refused(
        "forge-refused", lambda: bench.forge.merge(opened.number, "rebase", opened.head)
    )
    assert "rebase" in error.message
    assert "merge, squash" in error.hint


def test_an_attachment_that_is_too_large_or_of_a_wrong_kind(bench: GiteaBench) -> None:
    number = proposed(bench).number
    large = refused(
        "forge-refused", lambda: bench.forge.attach(number, "a.png", PNG * 80_000, "image/png")
    )
    assert "takes no attachment of" in large.message
    assert "MAX_SIZE" in large.hint
    kind = refused("forge-refused", lambda: bench.forge.attach(number, "a.exe", b"MZ", "x/y"))
    assert "ALLOWED_TYPES" in kind.hint


def test_attachments_of_a_private_repository_need_a_token(gitea: Gitea, tmp_path: Path) -> None:
    bench = GiteaBench(gitea, tmp_path)
    bench.ada.api.call("PATCH", bench.path, {"private": True})
    address = bench.forge.attach(proposed(bench).number, "a.png", PNG, "image/png")
    assert bench.fetch(address) == PNG
    with pytest.raises(HTTPError):
        urlopen(address, timeout=30)


def test_comments_of_a_review_that_is_not_sent_are_nobodys_business(bench: GiteaBench) -> None:
    number = proposed(bench).number
    place = {"path": "notes.txt", "body": "Not yet.", "new_position": 1}
    asked = {"event": "PENDING", "body": "Not yet.", "comments": [place]}
    bench.ada.api.call("POST", f"{bench.path}/pulls/{number}/reviews", asked)
    assert bench.forge.comments(number) == ()
    assert bench.forge.reviews(number) == ()


@pytest.mark.parametrize(("path", "line"), [("no-such-file.txt", 1), ("notes.txt", 999)])
def test_a_comment_on_a_line_that_is_not_there(bench: GiteaBench, path: str, line: int) -> None:
    number = proposed(bench).number
    error = refused(
        "forge-refused", lambda: bench.forge.comment(number, "Where?", path=path, line=line)
    )
    assert f"{path} has no line {line}" in error.message
    assert bench.forge.comments(number) == ()


def test_the_author_who_left_is_a_ghost(bench: GiteaBench, gitea: Gitea) -> None:
    eve = gitea.person("eve")
    number = proposed(bench).number
    bench.forge_of(eve).comment(number, "Hello.")
    gitea.admin.call("DELETE", f"admin/users/{eve.name}")
    (said,) = bench.forge.comments(number)
    assert said.body == "Hello."
    assert said.author.lower() == "ghost"


def test_a_branch_that_is_protected_is_not_deleted(bench: GiteaBench) -> None:
    push(bench, "kept", {"a.txt": "a\n"})
    bench.ada.api.call("POST", f"{bench.path}/branch_protections", {"rule_name": "kept"})
    refused("forge-refused", lambda: bench.forge.delete_branch("kept"))
    assert head(bench, "kept")


def test_a_gitea_below_a_path(bench: GiteaBench, hostile: Hostile) -> None:
    """Everything goes below the path where its pages begin."""

    def behind_a_proxy(asked: Asked) -> Says:
        assert asked.path.startswith("/git/api/v1/"), asked.path
        address = f"{bench.server.address}{asked.path.removeprefix('/git')}"
        headers = {"Authorization": asked.authorization, "Content-Type": "application/json"}
        request = Request(address, asked.body or None, headers, method=asked.method)
        with urlopen(request, timeout=30) as response:
            told = response.headers.get("X-Total-Count")
            return Says(
                response.status,
                response.read().decode(),
                {"X-Total-Count": told} if told else {},
            )

    hostile.answers = behind_a_proxy
    token = Token(bench.ada.token, "a test")
    forge = GiteaForge(f"{hostile.address}/git/", bench.ada.name, bench.repository, token)
    opened = proposed(bench)
    assert forge.proposals() == (opened,)
    assert forge.comment(opened.number, "Hello.").body == "Hello."
