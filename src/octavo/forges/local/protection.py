"""What a base asks for before something is merged into it."""

from __future__ import annotations

from collections.abc import Iterable

from octavo.errors import ConflictError
from octavo.forges.local.said import Judgement
from octavo.forges.local.stored import Person
from octavo.forges.port import Awaited, Status
from octavo.value import Value


class Protection(Value):
    """How many approvals and which statuses a merge needs.

    Only approvals of the newest commit count, and none by whoever opened the proposal.
    """

    approvals: int = 0
    statuses: tuple[str, ...] = ()


def missing_of(
    protection: Protection,
    author: Person,
    head: str,
    verdicts: Iterable[Judgement],
    statuses: Iterable[Status],
) -> list[str]:
    """What is missing, in words."""
    newest = {
        each.author.key: each
        for each in verdicts
        if each.verdict != "comment" and each.commit == head and each.author.key != author.key
    }
    approvals = sum(each.verdict == "approved" for each in newest.values())
    missing = []
    if approvals < protection.approvals:
        missing.append(f"an approval ({approvals} of {protection.approvals})")
    if protection.approvals:
        missing += [
            f"the changes that {each.author} asks for"
            for each in newest.values()
            if each.verdict == "changes"
        ]
    return missing + [each.words for each in awaited_of(protection, statuses)]


def awaited_of(protection: Protection, statuses: Iterable[Status]) -> tuple[Awaited, ...]:
    """The statuses that are asked for and not green."""
    states = {each.context: each.state for each in statuses}
    return tuple(
        Awaited(name, states.get(name))
        for name in protection.statuses
        if states.get(name) != "success"
    )


def not_mergeable(number: int, missing: tuple[str, ...], *, conflict: bool) -> ConflictError:
    """The error when a proposal is not merged."""
    words = ", ".join(missing)
    tells_itself = conflict or words.startswith("it is")
    hint = "merge the base into the branch, solve the conflict there, and push it"
    return ConflictError(
        "proposal-not-mergeable",
        f"proposal {number} cannot be merged{': ' if tells_itself else '; missing: '}{words}",
        place=str(number),
        hint=hint if conflict else "bring what is missing, and try again",
        details={"missing": list(missing)},
    )
