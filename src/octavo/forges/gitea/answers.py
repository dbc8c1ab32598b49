"""What Gitea's JSON says, as values of the port."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from octavo.forges.http import understood
from octavo.forges.port import Comment, Proposal, Review, Status, StatusState, Verdict

#: Beginnings of titles that make a proposal a draft, in any case of letters.
DRAFTS = ("WIP:", "[WIP]")
_VERDICTS: dict[str, Verdict] = {
    "APPROVED": "approved",
    "REQUEST_CHANGES": "changes",
    "COMMENT": "comment",
}
#: Gitea lets a warning block a merge as a failure does, and what was skipped pass.
_STATES: dict[str, StatusState] = {
    "pending": "pending",
    "success": "success",
    "skipped": "success",
    "failure": "failure",
    "warning": "failure",
    "error": "error",
}


def bare_title(title: str) -> str:
    """A title without what marks a draft."""
    for mark in DRAFTS:
        if title[: len(mark)].upper() == mark:
            return bare_title(title[len(mark) :].lstrip())
    return title


def proposal(data: Mapping[str, Any]) -> Proposal:
    """A pull request. Once its branch is gone only the label still names it."""
    with understood("pull request"):
        draft = bool(data["draft"])
        title = str(data["title"])
        return Proposal(
            number=int(data["number"]),
            title=bare_title(title) if draft else title,
            body=data["body"] or "",
            branch=data["head"]["label"] or data["head"]["ref"],
            base=data["base"]["ref"],
            head=data["head"]["sha"],
            state="merged" if data["merged"] else data["state"],
            draft=draft,
            url=data["html_url"],
            author=who(data["user"]),
            created=data["created_at"],
            updated=data["updated_at"],
        )


def is_from_here(data: Mapping[str, Any]) -> bool:
    """Whether a pull request's branch is in the repository itself, not in a fork."""
    with understood("pull request"):
        return bool(data["head"]["repo_id"] == data["base"]["repo_id"])


def who(user: Mapping[str, Any] | None) -> str:
    """The name of an account; one that was deleted is a ghost."""
    return str(user["login"]) if user else "ghost"


def remark(data: Mapping[str, Any]) -> Comment:
    """A comment without a place."""
    with understood("comment"):
        return Comment(
            id=str(data["id"]),
            author=who(data["user"]),
            body=data["body"],
            created=data["created_at"],
            thread=str(data["id"]),
            url=data["html_url"],
        )


def placed(data: Mapping[str, Any], commit: str) -> Comment:
    """A comment on a line. Its numbers are those of the commit that was reviewed."""
    with understood("review comment"):
        old = bool(data["original_position"])
        line = int(data["original_position"] or data["position"]) or None
        return Comment(
            id=str(data["id"]),
            author=who(data["user"]),
            body=data["body"],
            created=data["created_at"],
            path=data["path"],
            line=line,
            old=old,
            commit=commit,
            thread=f"{data['path']}:{'-' if old else ''}{line}@{commit[:12]}",
            resolved=data.get("resolver") is not None,
            url=data["html_url"],
        )


def in_order(comments: Iterable[Comment]) -> tuple[Comment, ...]:
    """Comments the oldest first; all of a discussion are resolved when one of them is."""
    known = sorted(comments, key=lambda each: int(each.id))
    resolved = {each.thread for each in known if each.resolved}
    return tuple(each.replace(resolved=True) if each.thread in resolved else each for each in known)


def is_verdict(data: Mapping[str, Any]) -> bool:
    """Whether a review says something itself, and is not just what holds its comments."""
    with understood("review"):
        return data["state"] in _VERDICTS and (data["state"] != "COMMENT" or bool(data["body"]))


def review(data: Mapping[str, Any], head: str) -> Review:
    """A verdict on a proposal whose newest commit is `head`."""
    with understood("review"):
        commit = str(data["commit_id"])
        return Review(
            id=str(data["id"]),
            author=who(data["user"]),
            verdict=_VERDICTS[data["state"]],
            body=data["body"],
            commit=commit,
            created=data["submitted_at"],
            stale=commit != head or bool(data.get("dismissed")),
        )


def status(data: Mapping[str, Any]) -> Status:
    """What a check says."""
    with understood("status"):
        state = _STATES[data["status"]]
        return Status(data["context"], state, data["description"], data["target_url"])
