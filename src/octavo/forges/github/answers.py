"""GitHub's answers as the values of the port."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from octavo.forges.port import Comment, Proposal, Review, Status, StatusState, Verdict

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


def remark(item: Mapping[str, Any]) -> Comment:
    """A comment on the proposal as a whole."""
    return Comment(
        id=f"issuecomment-{item['id']}",
        author=login(item["user"]),
        body=text(item["body"]),
        created=item["created_at"],
        url=item["html_url"],
    )


def finding(item: Mapping[str, Any], resolved: Collection[int] = ()) -> Comment:
    """A comment with a place. Where later commits changed it, the place is that of its commit."""
    root = item.get("in_reply_to_id") or item["id"]
    outdated = item.get("line") is None
    return Comment(
        id=f"discussion_r{item['id']}",
        author=login(item["user"]),
        body=text(item["body"]),
        created=item["created_at"],
        path=item["path"],
        line=item.get("original_line") if outdated else item["line"],
        old=item.get("side") == "LEFT",
        commit=item["original_commit_id"] if outdated else item["commit_id"],
        thread=f"discussion_r{root}",
        resolved=root in resolved,
        url=item["html_url"],
    )


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


def status(item: Mapping[str, Any]) -> Status:
    return Status(
        context=item["context"],
        state=item["state"],
        description=item["description"] or "",
        url=item["target_url"] or "",
    )


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
