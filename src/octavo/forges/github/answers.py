"""GitHub's answers as the values of the port."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping
from typing import Any, ParamSpec, TypeVar

from octavo.forges.http import understood
from octavo.forges.port import Comment, Proposal, Review, Status, StatusState, Verdict

_Given = ParamSpec("_Given")
_Read = TypeVar("_Read")
_VERDICTS: dict[str, Verdict] = {
    "APPROVED": "approved",
    "CHANGES_REQUESTED": "changes",
    "COMMENTED": "comment",
    "DISMISSED": "comment",
}
_CONCLUSIONS: dict[str, StatusState] = {
    "success": "success",
    "neutral": "success",
    "skipped": "success",
    "cancelled": "error",
    "stale": "error",
}


def login(user: Mapping[str, Any] | None) -> str:
    """A user's name; GitHub shows those who are gone as `ghost`."""
    return str(user["login"]) if user else "ghost"


def _from_answer(read: Callable[_Given, _Read]) -> Callable[_Given, _Read]:
    """A function that reads an answer; one that is not as GitHub describes it is told so."""

    @functools.wraps(read)
    def reading(*given: _Given.args, **named: _Given.kwargs) -> _Read:
        with understood("an answer of GitHub"):
            return read(*given, **named)

    return reading


@_from_answer
def user(found: Mapping[str, Any]) -> str:
    return str(found["login"])


@_from_answer
def repository(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is used of a repository."""
    used = {name: str(found[name]) for name in ("name", "default_branch", "html_url")}
    return {**used, "owner": {"login": str(found["owner"]["login"])}}


@_from_answer
def pull(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """A pull request that has what is asked of it when it is to be merged."""
    for name in ("node_id", "state", "merged", "mergeable", "mergeable_state", "merge_commit_sha"):
        found[name]
    proposal(found)
    return found


@_from_answer
def proposal(pull: Mapping[str, Any]) -> Proposal:
    return Proposal(
        number=pull["number"],
        title=pull["title"],
        body=text(pull["body"]),
        branch=_branch(pull),
        base=pull["base"]["ref"],
        head=pull["head"]["sha"],
        state="merged" if pull.get("merged_at") else pull["state"],
        draft=bool(pull.get("draft")),
        url=pull["html_url"],
        author=login(pull["user"]),
        created=pull["created_at"],
        updated=pull["updated_at"],
    )


def _branch(pull: Mapping[str, Any]) -> str:
    """The branch; that of a fork with its owner, so that nobody takes it for one of ours."""
    there, here = pull["head"]["repo"], pull["base"]["repo"]
    same = there is not None and there["id"] == here["id"]
    return str(pull["head"]["ref"] if same else pull["head"]["label"])


def text(body: str | None) -> str:
    """A text as it was written: forms on GitHub's pages end lines with two characters."""
    return (body or "").replace("\r\n", "\n")


@_from_answer
def remark(item: Mapping[str, Any]) -> Comment:
    """A comment on the proposal as a whole."""
    return Comment(
        id=f"issuecomment-{item['id']}",
        author=login(item["user"]),
        body=text(item["body"]),
        created=item["created_at"],
        url=item["html_url"],
    )


@_from_answer
def finding(item: Mapping[str, Any], resolved: Collection[int] = ()) -> Comment:
    """A comment with a place; no line when it is about a file, or when later commits changed it."""
    root = item.get("in_reply_to_id") or item["id"]
    whole = item.get("subject_type") == "file"
    outdated = item.get("line") is None and not whole
    return Comment(
        id=f"discussion_r{item['id']}",
        author=login(item["user"]),
        body=text(item["body"]),
        created=item["created_at"],
        path=item["path"],
        line=None if whole else item.get("line"),
        old=item.get("side") == "LEFT",
        commit=item["original_commit_id"] if outdated else item["commit_id"],
        thread=f"discussion_r{root}",
        resolved=root in resolved,
        url=item["html_url"],
    )


@_from_answer
def review(item: Mapping[str, Any], head: str) -> Review | None:
    """A verdict; None for one that is not given yet, or that only holds comments with places."""
    state = str(item["state"]).upper()
    if state not in _VERDICTS or (state == "COMMENTED" and not item["body"]):
        return None
    return Review(
        id=str(item["id"]),
        author=login(item["user"]),
        verdict=_VERDICTS[state],
        body=text(item["body"]),
        commit=item["commit_id"] or "",
        created=item.get("submitted_at") or "",
        stale=state == "DISMISSED" or item["commit_id"] != head,
    )


@_from_answer
def verdict(item: Mapping[str, Any], head: str) -> Review:
    """A verdict that was just given."""
    given = review(item, head)
    if given is None:
        raise ValueError(f"no verdict, but {item['state']}")
    return given


@_from_answer
def status(item: Mapping[str, Any]) -> Status:
    return Status(
        context=item["context"],
        state=item["state"],
        description=item["description"] or "",
        url=item["target_url"] or "",
    )


@_from_answer
def check(item: Mapping[str, Any]) -> Status:
    """A check run, which apps and GitHub's own actions report, as a status."""
    done = item["status"] == "completed"
    conclusion = item["conclusion"] or ""
    return Status(
        context=item["name"],
        state=_CONCLUSIONS.get(conclusion, "failure") if done else "pending",
        description=(item.get("output") or {}).get("title") or conclusion or item["status"],
        url=item["details_url"] or item["html_url"] or "",
    )
