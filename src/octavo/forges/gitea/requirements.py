"""What a merge on Gitea needs, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from octavo.errors import UsageError
from octavo.forges.gitea.answers import who
from octavo.forges.gitea.api import RepositoryApi, branch_path
from octavo.forges.http import Refused, segment, understood
from octavo.forges.port import Awaited, Status


def of_base(api: RepositoryApi, base: str) -> Mapping[str, Any]:
    """The protection of a branch as everybody sees it, and its details where we may."""
    with understood("branch"):
        branch = dict(api.get(f"branches/{branch_path(base)}"))
    rule = branch.get("effective_branch_protection_name")
    if not rule:
        return branch
    try:
        return {**api.get(f"branch_protections/{segment(rule)}"), **branch}
    except (Refused, UsageError):
        return branch


def lacking(
    branch: Mapping[str, Any],
    pull: Mapping[str, Any],
    reviews: Iterable[Mapping[str, Any]],
    statuses: Iterable[Status],
) -> tuple[str, ...]:
    """What the protection of the base asks for and a pull request does not have."""
    with understood("branch protection"):
        may = branch.get("user_can_merge", True)
        rights = () if may else (f"the right to merge into {branch['name']}",)
        if not branch["protected"]:
            return rights
        known = tuple(reviews)
        return (
            *_approvals(branch, known),
            *_rejections(branch, known),
            *(each.words for each in awaited(branch, statuses)),
            *_freshness(branch, pull),
            *rights,
        )


def may_become_stale(
    branch: Mapping[str, Any], reviews: Iterable[Mapping[str, Any]], head: str
) -> bool:
    """Whether an approval counts that is of an earlier commit, and perhaps will not for long.

    Who does not administer the repository is not told whether that matters.
    """
    with understood("review"):
        matters = ("dismiss_stale_approvals", "ignore_stale_approvals")
        return any(branch.get(name, True) for name in matters) and any(
            review["state"] == "APPROVED"
            and bool(review["official"])
            and not review["dismissed"]
            and not review["stale"]
            and review["commit_id"] != head
            for review in reviews
        )


def _approvals(branch: Mapping[str, Any], reviews: tuple[Mapping[str, Any], ...]) -> Iterator[str]:
    wanted = int(branch["required_approvals"])
    given = sum(
        review["state"] == "APPROVED"
        and bool(review["official"])
        and not review["dismissed"]
        and not (branch.get("ignore_stale_approvals") and review["stale"])
        for review in reviews
    )
    if given < wanted:
        yield f"an approval ({given} of {wanted})"


def _rejections(branch: Mapping[str, Any], reviews: tuple[Mapping[str, Any], ...]) -> Iterator[str]:
    for review in reviews:
        if not review["official"] or review["dismissed"]:
            continue
        name = _reviewer(review)
        if branch.get("block_on_rejected_reviews") and review["state"] == "REQUEST_CHANGES":
            yield f"the changes that {name} asks for"
        if branch.get("block_on_official_review_requests") and review["state"] == "REQUEST_REVIEW":
            yield f"the review of {name}, who was asked for it"


def required(branch: Mapping[str, Any]) -> tuple[str, ...]:
    """The patterns of statuses that a branch asks for; `*` where it names none and wants all."""
    with understood("branch protection"):
        if not branch.get("protected") or not branch["enable_status_check"]:
            return ()
        return tuple(map(str, branch["status_check_contexts"] or ())) or ("*",)


def awaited(branch: Mapping[str, Any], statuses: Iterable[Status]) -> tuple[Awaited, ...]:
    """The statuses that are asked for and not green; one without a name where any would do."""
    known = tuple(statuses)
    return tuple(each for pattern in required(branch) for each in _fitting(pattern, known))


def _fitting(pattern: str, statuses: tuple[Status, ...]) -> Iterator[Awaited]:
    fitting = [each for each in statuses if fnmatchcase(each.context, pattern)]
    if not fitting:
        yield Awaited("" if pattern == "*" else pattern)
    for each in fitting:
        if each.state != "success":
            yield Awaited(each.context, each.state)


def _freshness(branch: Mapping[str, Any], pull: Mapping[str, Any]) -> Iterator[str]:
    if branch.get("block_on_outdated_branch") and pull["merge_base"] != pull["base"]["sha"]:
        yield f"the newest commits of {branch['name']}"


def _reviewer(review: Mapping[str, Any]) -> str:
    team = review.get("team")
    return f"the team {team['name']}" if team and not review["user"] else who(review["user"])
