"""What the server in the tests answers to GraphQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from forges.github_calls import Denied
from forges.github_graphql import Query, selected
from forges.github_state import Hosted, Hub, Pull, User


class GraphCalls:
    """Queries and mutations on the repositories of a hub."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub

    def do(self, user: User, query: Query) -> dict[str, Any]:
        """What GraphQL answers."""
        found = {each.name: self._asked(user, each.name, each) for each in query.fields}
        return {each.name: selected(each.fields, found[each.name]) for each in query.fields}

    def _asked(self, user: User, name: str, field: Any) -> Any:
        if name == "viewer":
            return {"login": user.login}
        if name == "repository":
            return self._seen(
                self.hub.repositories[field.arguments["owner"], field.arguments["name"]], field
            )
        node = str(field.arguments["input"]["pullRequestId"]).split("_")
        hosted = next(each for each in self.hub.repositories.values() if str(each.id) == node[1])
        pull = hosted.pulls[int(node[2])]
        if not hosted.drafts:
            raise Denied(200, "Draft pull requests are not supported in this repository.")
        pull.draft = name == "convertPullRequestToDraft"
        pull.updated = self.hub.time()
        return {"pullRequest": {"isDraft": pull.draft}}

    def _seen(self, hosted: Hosted, field: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for each in field.fields:
            if each.name == "ref":
                branch = each.arguments["qualifiedName"].removeprefix("refs/heads/")
                found["ref"] = {"refUpdateRule": self._rule(hosted, branch)}
            if each.name == "pullRequest":
                threads = each.fields[0].arguments
                found["pullRequest"] = self._threads(
                    hosted.pulls[each.arguments["number"]], threads
                )
        return found

    def _rule(self, hosted: Hosted, branch: str) -> dict[str, Any] | None:
        wanted = hosted.protection.get(branch)
        return wanted and {
            "requiredApprovingReviewCount": wanted.approvals or None,
            "requiredStatusCheckContexts": list(wanted.contexts),
            "requiresCodeOwnerReviews": False,
            "requiresConversationResolution": wanted.threads,
        }

    def _threads(self, pull: Pull, asked: Mapping[str, Any]) -> dict[str, Any]:
        firsts = [each for each in pull.findings if each.reply_to is None]
        start = int(asked.get("after") or 0)
        end = start + min(asked["first"], 20)
        nodes = [
            {"isResolved": each.resolved, "comments": {"nodes": [{"databaseId": each.id}]}}
            for each in firsts[start:end]
        ]
        more = {"hasNextPage": end < len(firsts), "endCursor": str(end)}
        return {"reviewThreads": {"pageInfo": more, "nodes": nodes}}
