"""Where a comment goes, and whether it was made before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from octavo.forges.port import Comment


def is_at(comment: Comment, path: str | None, line: int | None, head: str) -> bool:
    """Whether a comment is about a line of the head, or about the whole where no file is named."""
    if path is None:
        return comment.path is None
    at = (comment.path, comment.line, comment.commit, comment.old)
    return at == (path, line, head, False)


def said_last(there: Sequence[Comment], user: str, body: str) -> Comment | None:
    """What a user said after everybody else, in these words; a call that was cut off said it."""
    for comment in reversed(there):
        if comment.author != user:
            return None
        if comment.body == body:
            return comment
    return None


def place(there: Sequence[Comment], head: str, path: str, line: int | None) -> dict[str, Any]:
    """Where a comment is to be: in the discussion that is open there, else in a new one."""
    where: dict[str, Any] = {"commit_id": head, "path": path}
    going = next((each.thread for each in there if not each.resolved), None)
    if going is not None:
        return {**where, "in_reply_to": int(going.removeprefix("discussion_r"))}
    return {**where, **({"subject_type": "file"} if line is None else _line(line))}


def kept_at(comment: Comment) -> str:
    """Where a comment is changed, below the path of its repository."""
    placed = comment.id.startswith("discussion_r")
    number = comment.id.removeprefix("discussion_r").removeprefix("issuecomment-")
    return f"{'pulls' if placed else 'issues'}/comments/{int(number)}"


def _line(line: int) -> dict[str, Any]:
    return {"line": line, "side": "RIGHT"}
