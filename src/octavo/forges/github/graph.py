"""What only GraphQL can do on GitHub: drafts made and unmade, and threads that are resolved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from octavo.errors import OctavoError, UsageError
from octavo.forges.github.api import GitHubApi

Answer = TypeVar("Answer")

_READY = """
mutation($id: ID!) {
  markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } }
}"""
_DRAFT = """
mutation($id: ID!) {
  convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { isDraft } }
}"""
_VIEWER = "query { viewer { login } }"
_THREADS = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { isResolved comments(first: 1) { nodes { databaseId } } }
      }
    }
  }
}"""

_RULE = """
query($owner: String!, $name: String!, $ref: String!) {
  repository(owner: $owner, name: $name) {
    ref(qualifiedName: $ref) {
      refUpdateRule {
        requiredApprovingReviewCount
        requiredStatusCheckContexts
        requiresCodeOwnerReviews
        requiresConversationResolution
      }
    }
  }
}"""


def set_draft(api: GitHubApi, node: str, draft: bool) -> None:
    """Make a proposal a draft, or ready for review."""
    _ask(api, _DRAFT if draft else _READY, id=node)


def viewer(api: GitHubApi) -> str:
    """Who the token belongs to, also where it is that of an app."""
    return str(_ask(api, _VIEWER)["viewer"]["login"])


def threads(api: GitHubApi, owner: str, name: str, number: int) -> dict[int, bool]:
    """The first comment of every thread, and whether the thread is resolved."""
    found: dict[int, bool] = {}
    after: str | None = None
    while True:
        data = _ask(api, _THREADS, owner=owner, name=name, number=number, after=after)
        page = data["repository"]["pullRequest"]["reviewThreads"]
        for thread in page["nodes"]:
            for comment in thread["comments"]["nodes"]:
                found[comment["databaseId"]] = thread["isResolved"]
        if not page["pageInfo"]["hasNextPage"]:
            return found
        after = page["pageInfo"]["endCursor"]


def update_rule(api: GitHubApi, owner: str, name: str, branch: str) -> Mapping[str, Any]:
    """What is demanded of a branch, as everybody may see it."""
    data = _ask(api, _RULE, owner=owner, name=name, ref=f"refs/heads/{branch}")
    rule: Mapping[str, Any] = (data["repository"]["ref"] or {}).get("refUpdateRule") or {}
    return rule


def known(api: GitHubApi, ask: Callable[[], Answer], otherwise: Answer) -> Answer:
    """What GraphQL answers; something else where it is not for us, so that reading goes on."""
    if api.token is None:
        return otherwise
    try:
        return ask()
    except OctavoError as error:
        if error.kind in ("forge-refused", "token-scope", "token-refused"):
            return otherwise
        raise


def _ask(api: GitHubApi, query: str, **variables: Any) -> Mapping[str, Any]:
    graph = api.graph()
    # A draft that is one already stays one: asking again after a failure does no harm.
    answer = graph.call(
        "POST", "/graphql", {"query": query, "variables": variables}, repeatable=True
    )
    body = answer.body if isinstance(answer.body, Mapping) else {}
    errors = body.get("errors")
    if errors or not body.get("data"):
        raise _refused(graph.base, errors or [])
    data: Mapping[str, Any] = body["data"]
    return data


def _refused(base: str, errors: list[Any]) -> UsageError:
    said = ", ".join(str(each.get("message", each)) for each in errors) or "no reason was given"
    scope = any(each.get("type") in ("FORBIDDEN", "INSUFFICIENT_SCOPES") for each in errors)
    return UsageError(
        "token-scope" if scope else "forge-refused",
        f"GitHub does not do it: {said}",
        place=f"{base}/graphql",
        hint="check that the token may write pull requests, and that the plan knows drafts",
        details={"said": said},
    )
