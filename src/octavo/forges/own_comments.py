"""Comments that may be changed: those of whoever the token belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.errors import UsageError
from octavo.forges.port import Comment


def own_comment(there: Sequence[Comment], id: str, user: str) -> Comment:
    """The comment with an id; UsageError when there is none, or when it is somebody else's."""
    found = next((each for each in there if each.id == id), None)
    if found is None:
        raise UsageError(
            "forge-refused",
            f"the proposal has no comment {id!r}",
            place=id,
            hint="it may have been deleted; say it in a new comment",
        )
    if found.author != user:
        raise UsageError(
            "forge-refused",
            f"the comment {id} is by {found.author}, and {user} changes only their own",
            place=found.url or id,
            hint="say it in a comment of your own",
        )
    return found


def with_words(body: str, what: str = "a comment") -> str:
    """A text that says something; UsageError when it does not."""
    if not body.strip():
        raise UsageError(
            "forge-refused", f"{what} needs words", hint="give the text that it should have"
        )
    return body
