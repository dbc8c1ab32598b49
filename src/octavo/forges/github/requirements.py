"""What a branch demands of a proposal, and what of that is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import quote

from octavo.errors import OctavoError
from octavo.forges.github import answers
from octavo.forges.github.api import GitHubApi
from octavo.forges.http import Refused
from octavo.forges.port import Awaited, Status
from octavo.value import Value


class Requirements(Value):
    """What a branch demands. Contexts are the names of statuses."""

    approvals: int = 0
    contexts: tuple[str, ...] = ()
    code_owner: bool = False
    threads: bool = False

    def with_(self, other: Requirements) -> Requirements:
        """Both: rules and protection of a branch hold together."""
        return Requirements(
            max(self.approvals, other.approvals),
            tuple(dict.fromkeys((*self.contexts, *other.contexts))),
            self.code_owner or other.code_owner,
            self.threads or other.threads,
        )


def requirements_of(
    api: GitHubApi, path: str, branch: str, rule: Callable[[], Mapping[str, Any]]
) -> Requirements:
    """What a branch demands, as far as the token may see it.

    Rules are for every reader. The protection of a branch is for administrators; `rule` is what
    others see of it.
    """
    name = quote(branch, safe="")
    rules = _rules(_or_none(api, f"{path}/rules/branches/{name}", per_page=100) or [])
    protection = _or_none(api, f"{path}/branches/{name}/protection")
    if protection is None:
        return rules.with_(_update_rule(rule()))
    return rules.with_(_protection(protection))


def _update_rule(rule: Mapping[str, Any]) -> Requirements:
    return Requirements(
        rule.get("requiredApprovingReviewCount") or 0,
        tuple(rule.get("requiredStatusCheckContexts") or ()),
        rule.get("requiresCodeOwnerReviews", False),
        rule.get("requiresConversationResolution", False),
    )


def _or_none(api: GitHubApi, path: str, **query: Any) -> Any:
    """An answer; None where there is nothing, or nothing for us."""
    try:
        return api.get(path, **query)
    except Refused as error:
        if error.status in (403, 404):
            return None
        raise
    except OctavoError as error:
        if error.kind == "token-scope":
            return None
        raise


def _rules(rules: Iterable[Mapping[str, Any]]) -> Requirements:
    found = Requirements()
    for rule in rules:
        parameters = rule.get("parameters") or {}
        if rule["type"] == "pull_request":
            found = found.with_(
                Requirements(
                    parameters.get("required_approving_review_count", 0),
                    code_owner=parameters.get("require_code_owner_review", False),
                    threads=parameters.get("required_review_thread_resolution", False),
                )
            )
        elif rule["type"] == "required_status_checks":
            checks = parameters.get("required_status_checks", ())
            found = found.with_(Requirements(contexts=tuple(each["context"] for each in checks)))
    return found


def _protection(protection: Mapping[str, Any]) -> Requirements:
    reviews = protection.get("required_pull_request_reviews") or {}
    checks = protection.get("required_status_checks") or {}
    listed = (each["context"] for each in checks.get("checks") or ())
    return Requirements(
        reviews.get("required_approving_review_count", 0),
        tuple(dict.fromkeys((*(checks.get("contexts") or ()), *listed))),
        reviews.get("require_code_owner_reviews", False),
        (protection.get("required_conversation_resolution") or {}).get("enabled", False),
    )


def missing_of(
    wanted: Requirements, reviews: Iterable[Mapping[str, Any]], statuses: Iterable[Status]
) -> tuple[str, ...]:
    """What is missing, in words."""
    verdicts = _newest_verdicts(reviews)
    approvals = sum(state == "APPROVED" for state in verdicts.values())
    missing = []
    if approvals < wanted.approvals:
        missing.append(f"an approval ({approvals} of {wanted.approvals})")
    if wanted.approvals:
        missing += [
            f"the changes that {name} asks for"
            for name, state in verdicts.items()
            if state == "CHANGES_REQUESTED"
        ]
    return (*missing, *(each.words for each in awaited_of(wanted, statuses)))


def awaited_of(wanted: Requirements, statuses: Iterable[Status]) -> tuple[Awaited, ...]:
    """The statuses that are asked for and not green."""
    states = {each.context: each.state for each in statuses}
    return tuple(
        Awaited(name, states.get(name)) for name in wanted.contexts if states.get(name) != "success"
    )


def _newest_verdicts(reviews: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The verdict of every reviewer that counts; comments leave an earlier verdict as it is."""
    found: dict[str, str] = {}
    for each in reviews:
        if each["state"] in ("APPROVED", "CHANGES_REQUESTED", "DISMISSED"):
            found[answers.login(each["user"])] = each["state"]
    return found
