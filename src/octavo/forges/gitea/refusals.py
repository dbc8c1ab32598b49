"""What cannot be done on a Gitea, in words."""

from __future__ import annotations

from octavo.errors import UsageError
from octavo.forges.port import Proposal


def no_proposal(number: int) -> UsageError:
    """No proposal has that number."""
    return UsageError(
        "proposal-not-found",
        f"there is no proposal {number}",
        place=str(number),
        hint="`octavo proposals --state all` lists those that there are",
    )


def over(found: Proposal) -> UsageError:
    """A verdict on what is not open any more."""
    return UsageError(
        "forge-refused",
        f"proposal {found.number} is {found.state}: it takes no verdict any more",
        place=found.url,
        hint="`octavo proposals` lists those that are open",
    )


def no_commit(commit: str) -> UsageError:
    """The forge has not got the commit."""
    return UsageError(
        "forge-refused",
        f"the commit {commit[:12]} is not on the forge",
        place=commit,
        hint="push the branch that it is on first",
    )


def no_line(path: str, line: int) -> UsageError:
    """A comment on a line that there is not."""
    return UsageError(
        "forge-refused",
        f"{path} has no line {line} in the newest commit of the proposal",
        place=f"{path}:{line}",
        hint="name a file of the proposal, and a line that it has there",
    )
