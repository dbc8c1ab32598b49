"""The server of the tests holds everybody to GitHub's description, itself too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from forges.github_bench import GitHubBench, github
from forges.github_description import Description, Mismatch, description
from forges.github_graphql import read_query
from forges.github_server import GitHubServer
from octavo.forges.conformance.bench import proposed
from octavo.forges.http import Refused

REPOSITORY = "/repos/ada/notes"

#: What GitHub says of its API comes from npm, once.
pytestmark = pytest.mark.network


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[GitHubBench]:
    with github(tmp_path) as made:
        yield made


@pytest.fixture
def github_says() -> Description:
    return description()


@pytest.mark.parametrize(
    ("method", "path", "query", "body", "why"),
    [
        ("GET", "/repos/ada/notes/proposals", "", None, "has no GET /repos/ada/notes/proposals"),
        ("PUT", "/user", "", None, "has no PUT /user"),
        ("GET", f"{REPOSITORY}/pulls", "limit=50", None, "no parameter 'limit'"),
        ("GET", f"{REPOSITORY}/pulls", "state=merged", None, "'merged' is not one of"),
        ("GET", f"{REPOSITORY}/pulls/first", "", None, "'first' is not of type 'integer'"),
        ("GET", f"{REPOSITORY}/pulls", "", {"state": "open"}, "takes no body"),
        ("POST", f"{REPOSITORY}/pulls", "", {"head": "a"}, "'base' is a required property"),
        ("POST", f"{REPOSITORY}/pulls", "", {"head": "a", "base": 3}, "3 is not of type 'string'"),
        ("POST", f"{REPOSITORY}/statuses/0", "", {"state": "good"}, "'good' is not one of"),
        ("POST", f"{REPOSITORY}/statuses/0", "", {"state": "error", "url": ""}, "takes no 'url'"),
        ("POST", f"{REPOSITORY}/statuses/0", "", None, "None is not of type 'object'"),
    ],
)
def test_requests_are_held_to_the_description(
    method: str, path: str, query: str, body: Any, why: str, github_says: Description
) -> None:
    with pytest.raises(Mismatch) as caught:
        github_says.check_request(method, path, query, body)
    assert why in str(caught.value)


def test_names_with_slashes_are_one_word_where_github_says_so(github_says: Description) -> None:
    operation, words = github_says.check_request(
        "DELETE", f"{REPOSITORY}/git/refs/heads/a/%23b", "", None
    )
    assert (repr(operation), words["ref"]) == (
        "DELETE /repos/{owner}/{repo}/git/refs/{ref}",
        "heads/a/#b",
    )


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"number": "1"}, "'1' is not of type 'integer'"),
        ({"created_at": "yesterday"}, "'yesterday' is not a 'date-time'"),
        ({"state": "merged"}, "'merged' is not one of"),
        ({"html_url": "here"}, "'here' is not a 'uri'"),
        ({"user": {"login": "ada"}}, "is a required property"),
        ({"head": None}, "None is not of type 'object'"),
    ],
)
def test_answers_are_held_to_the_description(
    change: dict[str, Any], why: str, bench: GitHubBench
) -> None:
    number = proposed(bench).number
    says = bench.server.description
    operation, _ = says.check_request("GET", f"{REPOSITORY}/pulls/{number}", "", None)
    answer = bench.server.answers.pull(bench.hosted, bench.hosted.pulls[number], whole=True)
    says.check_answer(operation, 200, answer)
    with pytest.raises(Mismatch) as caught:
        says.check_answer(operation, 200, {**answer, **change})
    assert why in str(caught.value)
    with pytest.raises(Mismatch, match="does not answer 201"):
        says.check_answer(operation, 201, answer)


def test_answers_have_no_names_that_github_does_not_know(github_says: Description) -> None:
    with pytest.raises(Mismatch, match="has no 'merged_by_us'"):
        github_says.filled("pull-request", {"merged_by_us": True})


@pytest.mark.parametrize(
    ("query", "variables", "why"),
    [
        ("query { viewer { name2 } }", {}, "GitHub's User has no field 'name2'"),
        ("query { viewer }", {}, "Query.viewer is User"),
        ("mutation { openPullRequest { id } }", {}, "has no field 'openPullRequest'"),
        ("query { repository(title: 3) { id } }", {}, "takes no 'title'"),
        ("query($id: ID!) { node(id: $id) { id } }", {}, "needs the variable id"),
        ("query { node(id: $id) { id } }", {}, "does not declare $id"),
        (
            "mutation($id: ID!) { convertPullRequestToDraft(input: {id: $id}) { actor } }",
            {"id": "1"},
            "has no field 'id'",
        ),
    ],
)
def test_queries_are_held_to_the_schema(query: str, variables: dict[str, Any], why: str) -> None:
    with pytest.raises(Mismatch) as caught:
        read_query(query, variables)
    assert why in str(caught.value)


def test_what_does_not_fit_is_kept_for_the_end_of_the_test(tmp_path: Path) -> None:
    server = GitHubServer(tmp_path / "github")
    try:
        bench = GitHubBench(server, tmp_path)
        with pytest.raises(Refused, match="no parameter 'limit'"):
            bench.github.api.get(f"{REPOSITORY}/pulls", limit=1)
        status, _, body = server.call("GET", "/api/v3/user", {"user-agent": "x"}, b"")
        assert (status, "accept" in json.dumps(body)) == (400, True)
        assert len(server.mismatches) == 2
    finally:
        server.close()
