"""Whether a pull request on Gitea can be merged, and merging it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from octavo.errors import ConflictError, UsageError
from octavo.forges.gitea import answers, requirements
from octavo.forges.gitea.api import RepositoryApi
from octavo.forges.http import Refused, understood
from octavo.forges.port import Mergeable, MergeMethod, Proposal, Status

#: Gitea looks for conflicts and stale reviews in the background: it is given 0.1 s, then twice as
#: long, six seconds in all.
_LOOKS = 6
_FIRST_LOOK = 0.1
_LATER = "try again later"


class Merging:
    """The merges of one repository. `pull` gives the JSON of a pull request."""

    def __init__(
        self,
        api: RepositoryApi,
        pull: Callable[[int], Mapping[str, Any]],
        statuses: Callable[[str], tuple[Status, ...]],
    ) -> None:
        self._api = api
        self._pull = pull
        self._statuses = statuses
        #: Heads and bases that were seen not to fit, so that nobody waits for them again.
        self._conflicts: set[tuple[str, str]] = set()
        #: Heads whose older approvals were seen to last.
        self._reviewed: set[str] = set()

    def mergeable(self, number: int) -> Mergeable:
        """Whether it can be merged now, and what is missing."""
        pull = self._pull(number)
        found = answers.proposal(pull)
        if found.state != "open":
            return Mergeable(False, (f"it is {found.state} already",))
        conflict = not found.draft and self._has_conflict(pull)
        branch = requirements.of_base(self._api, found.base)
        statuses = self._statuses(found.head) if branch.get("protected") else ()
        missing = (
            *(("it is a draft",) if found.draft else ()),
            *((_conflict(found),) if conflict else ()),
            *self._lacking(found, pull, branch, statuses),
        )
        awaited = requirements.awaited(branch, statuses)
        return Mergeable(not missing, missing, conflict, awaited, requirements.required(branch))

    def _has_conflict(self, pull: Mapping[str, Any]) -> bool:
        """A pull request that is not mergeable may just be new: it is looked at again."""
        attempt = 0
        while True:
            with understood("pull request"):
                fits = bool(pull["mergeable"])
                sides = (pull["head"]["sha"], pull["base"]["sha"])
            if fits:
                return False
            attempt += 1
            if attempt > _LOOKS or sides in self._conflicts:
                self._conflicts.add(sides)
                return True
            self._api.http.pause(attempt, _FIRST_LOOK)
            pull = self._pull(pull["number"])

    def _lacking(
        self,
        found: Proposal,
        pull: Mapping[str, Any],
        branch: Mapping[str, Any],
        statuses: tuple[Status, ...],
    ) -> tuple[str, ...]:
        reviews = self._reviews(found, branch) if branch.get("protected") else ()
        return requirements.lacking(branch, pull, reviews, statuses)

    def _reviews(self, found: Proposal, branch: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
        """The verdicts. A push makes older ones stale in the background: that is waited for."""
        attempt = 0
        while True:
            reviews = tuple(self._api.pages(f"pulls/{found.number}/reviews"))
            attempt += 1
            if attempt > _LOOKS or found.head in self._reviewed:
                break
            if not requirements.may_become_stale(branch, reviews, found.head):
                return reviews
            self._api.http.pause(attempt, _FIRST_LOOK)
        self._reviewed.add(found.head)
        return reviews

    def merge(self, number: int, method: MergeMethod, head: str, title: str, body: str) -> str:
        """Merge it, unless it is; the commit of the merge."""
        asked = {
            "Do": method,
            "head_commit_id": head,
            "MergeTitleField": title,
            "MergeMessageField": body,
        }
        for attempt in range(1, _LOOKS + 1):
            pull = self._pull(number)
            if pull.get("merged"):
                return _commit(pull)
            self._check(answers.proposal(pull), head)
            try:
                self._api.http.once(lambda: self._post(number, asked), lambda: self._done(number))
            except Refused as error:
                self._explain(number, head, method, error)
                self._api.http.pause(attempt, _FIRST_LOOK)
        raise _refusal(number, Mergeable(False, ("a forge that is less busy",)))

    def _post(self, number: int, asked: Mapping[str, str]) -> bool:
        self._api.call("POST", f"pulls/{number}/merge", asked)
        return True

    def _done(self, number: int) -> bool | None:
        return True if self._pull(number).get("merged") else None

    def _check(self, found: Proposal, head: str) -> None:
        if found.state == "open" and found.head != head:
            raise _moved(found, head)
        if found.state != "open" or found.draft:
            raise _refusal(found.number, self.mergeable(found.number))

    def _explain(self, number: int, head: str, method: str, error: Refused) -> None:
        """Raise why a merge was refused; nothing is raised where another try can help."""
        if error.status not in (405, 409):
            raise error
        found = answers.proposal(self._pull(number))
        if found.state == "merged" or "push out of date" in error.said:
            return
        if "head out of date" in error.said:
            raise _moved(found, head) from error
        if "merge style" in error.said:
            raise _other_method(self._api, method) from error
        now = self.mergeable(number)
        if now.missing:
            raise _refusal(number, now) from error
        if _LATER not in error.said.lower():
            conflict = error.status == 409
            why = _conflict(found) if conflict else error.said
            raise _refusal(number, Mergeable(False, (why,), conflict)) from error


def _commit(pull: Mapping[str, Any]) -> str:
    with understood("merged pull request"):
        return str(pull["merge_commit_sha"])


def _conflict(found: Proposal) -> str:
    return f"it conflicts with {found.base}"


def _moved(found: Proposal, head: str) -> ConflictError:
    return ConflictError(
        "branch-moved",
        f"{found.branch} is at {found.head[:12]} now, not at {head[:12]}",
        place=found.branch,
        hint="look at what is new there, and merge again",
        details={"expected": head, "found": found.head},
    )


def _refusal(number: int, now: Mergeable) -> ConflictError:
    state = [each for each in now.missing if each.startswith("it ")]
    lacks = [each for each in now.missing if each not in state]
    words = "; ".join((*state, *((f"it lacks {', '.join(lacks)}",) if lacks else ())))
    hint = "get what is missing, and merge again"
    if now.conflict:
        hint = "merge its base into the branch, solve the conflict there, and push"
    return ConflictError(
        "proposal-not-mergeable",
        f"proposal {number} cannot be merged: {words}",
        place=str(number),
        hint=hint,
        details={"missing": list(now.missing), "conflict": now.conflict},
    )


def _other_method(api: RepositoryApi, method: str) -> UsageError:
    settings = api.get()
    names = {"merge": "merge_commits", "squash": "squash_merge", "rebase": "rebase"}
    allowed = [each for each, key in names.items() if settings.get(f"allow_{key}")]
    return UsageError(
        "forge-refused",
        f"this repository does not allow the method {method}",
        place=api.name,
        hint=f"it allows {', '.join(allowed) or 'none of ours'}",
    )
