"""What branches and proposals are called when nobody says."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath

from octavo.errors import UsageError
from octavo.git.program import Git

_LONGEST = 60
_LONGEST_TITLE = 120


def slug(text: str) -> str:
    """A text as a part of a branch's name: small letters, digits and dashes."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    return words[:_LONGEST].strip("-") or "notebook"


def branch_for(notebook: str, prefix: str) -> str:
    """The branch on which changes of a notebook are proposed."""
    return f"{prefix}{slug(PurePosixPath(notebook).stem)}"


def title_from(message: str) -> str:
    """The first line of a message, as a title."""
    first = next((line.strip() for line in message.splitlines() if line.strip()), "")
    return first if len(first) <= _LONGEST_TITLE else first[: _LONGEST_TITLE - 1].rstrip() + "…"


def refuse_bad_branch(git: Git, branch: str) -> None:
    """UsageError unless git takes this as the name of a branch."""
    if branch.startswith("-") or not git.succeeds("check-ref-format", "--branch", branch):
        raise UsageError(
            "wrong-argument",
            f"{branch!r} is no name for a branch",
            place="--branch",
            hint="letters, digits, dashes and slashes, such as agent/raise-threshold",
        )
