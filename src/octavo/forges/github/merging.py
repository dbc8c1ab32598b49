"""Whether GitHub allows a merge, and what stands in its way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from octavo.forges.github.api import GitHubApi
from octavo.forges.github.requirements import Requirements, awaited_of, missing_of
from octavo.forges.port import Mergeable, MergeMethod, Status

_POLLS = 8
_FREE = ("clean", "unstable", "has_hooks")


def settled(api: GitHubApi, pull: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
    """A pull request once GitHub has worked out whether it merges, which it does when asked."""
    found = pull()
    for attempt in range(1, _POLLS):
        if found["mergeable"] is not None or found["state"] != "open":
            break
        api.pause(min(attempt, 4))
        found = pull()
    return found


def judged(pull: Mapping[str, Any]) -> Mergeable | None:
    """What the pull request itself tells; None when the rules of its base are to be asked."""
    if pull["merged"]:
        return Mergeable(False, ("it is merged already",))
    if pull["state"] != "open":
        return Mergeable(False, ("it is closed",))
    if pull["mergeable"] is None:
        return Mergeable(False, ("GitHub has not found out yet whether it merges",))
    if not pull["mergeable"] or pull["mergeable_state"] == "dirty":
        return Mergeable(False, (f"it conflicts with {pull['base']['ref']}",), conflict=True)
    if pull.get("draft"):
        return Mergeable(False, ("it is a draft",))
    if pull["mergeable_state"] == "behind":
        return Mergeable(False, (f"the newest commits of {pull['base']['ref']}",))
    return Mergeable(True) if pull["mergeable_state"] in _FREE else None


def blocked(
    pull: Mapping[str, Any],
    demands: Requirements,
    reviews: list[Mapping[str, Any]],
    statuses: tuple[Status, ...],
    open_threads: int,
) -> Mergeable:
    """What the base demands and the proposal does not have."""
    missing = list(missing_of(demands, reviews, statuses))
    if demands.threads and open_threads:
        missing.append(f"an end to all discussions ({open_threads} open)")
    if not missing and demands.code_owner:
        missing.append("an approval of a code owner")
    unknown = f"GitHub does not allow it ({pull['mergeable_state']}), and does not tell us why"
    awaited = awaited_of(demands, statuses)
    return Mergeable(
        False, tuple(missing) or (unknown,), awaited=awaited, required=demands.contexts
    )


def wanted(method: MergeMethod, head: str, title: str, body: str) -> dict[str, str]:
    """What a merge is asked for with; GitHub writes the message where none is given."""
    words = {"sha": head, "merge_method": method, "commit_title": title, "commit_message": body}
    return {name: word for name, word in words.items() if word}
