"""Whether a proposal may be merged, and waiting until it is green: `octavo merge --when-green`.

While it waits nothing is changed, here or on the forge, so it may be ended at any moment.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import Any

from octavo.errors import ConflictError, OctavoError, UsageError
from octavo.forges.port import Awaited, Forge, Mergeable, Proposal
from octavo.render.figures import duration
from octavo.runs.context import Said

#: How long to wait when nobody says, in seconds.
LONGEST = 30 * 60.0
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 15.0
_FAILED = ("failure", "error")


async def until_green(
    forge: Forge, proposal: Proposal, limit: float, emit: Callable[[Any], None]
) -> Proposal:
    """The proposal once its statuses are green, with the head that they are of.

    Those that its base requires are waited for; where it requires none, those that are there. What
    else is missing ends the wait, as does a status that failed, a newer commit, or a closed
    proposal.
    """
    until = time.monotonic() + limit
    pause, told = _FIRST_PAUSE, ""
    while True:
        now, waiting, words = _look(forge, proposal)
        if now is not None and not waiting:
            return now
        left = until - time.monotonic()
        if left <= 0:
            raise _too_late(proposal, limit, waiting, words)
        if words != told:
            emit(Said(words))
            pause, told = _FIRST_PAUSE, words
        await asyncio.sleep(min(pause, left))
        pause = min(pause * 1.5, _LONGEST_PAUSE)


def _look(forge: Forge, proposal: Proposal) -> tuple[Proposal | None, tuple[Awaited, ...], str]:
    """The proposal, what it waits for, and that in words; no proposal while the forge is away."""
    try:
        found = forge.mergeable(proposal.number)
        # Asked for afterwards: what was found is of this head if that has not moved until now.
        now = forge.proposal(proposal.number)
        if now.state == "merged":
            return now, (), ""
        refuse_closed(now)
        _refuse_moved(proposal, now)
        waiting = _awaited(forge, found, now.head)
        aside = _aside(forge, now.head, waiting)
    except OctavoError as error:
        if error.kind != "forge-down":
            raise
        return None, (), f"waiting for the forge: {error.message}"
    _refuse_failed(now, waiting)
    if set(found.missing) - {each.words for each in waiting}:
        refuse_missing(now, found)
    return now, waiting, f"waiting for {_listed(waiting)}{aside}"


def _aside(forge: Forge, head: str, waiting: tuple[Awaited, ...]) -> str:
    """Statuses that failed though nobody asks for them: what sets the awaited one may have died."""
    if all(each.state for each in waiting):
        return ""
    failed = [each.context for each in forge.statuses(head) if each.state in _FAILED]
    return f", while {' and '.join(failed)} failed" if failed else ""


def _awaited(forge: Forge, found: Mergeable, head: str) -> tuple[Awaited, ...]:
    if found.required or not found.allowed:
        return found.awaited
    there = forge.statuses(head)
    return tuple(Awaited(each.context, each.state) for each in there if each.state != "success")


def refuse_closed(proposal: Proposal) -> None:
    """An error where a proposal was closed."""
    if proposal.state == "closed":
        raise UsageError(
            "proposal-not-mergeable",
            f"proposal {proposal.number} was closed without a merge",
            place=proposal.url,
            hint="open it again on the forge, or propose the notebook anew",
        )


def refuse_missing(proposal: Proposal, found: Mergeable) -> None:
    """An error where the forge does not allow the merge, which says what is missing."""
    if found.allowed:
        return
    if found.conflict:
        raise ConflictError(
            "merge-conflict",
            f"{proposal.branch} does not merge with {proposal.base}",
            place=proposal.url,
            hint=f"git switch {proposal.branch} && git merge {proposal.base}, then propose again",
        )
    missing = " and ".join(found.missing) or "the forge does not say what"
    wait = f", octavo merge {proposal.number} --when-green waits" if found.awaited else ""
    raise UsageError(
        "proposal-not-mergeable",
        f"proposal {proposal.number} cannot be merged yet; missing: {missing}",
        place=proposal.url,
        hint=f"octavo review {proposal.number} shows where it stands{wait}",
        details={"missing": list(found.missing)},
    )


def _refuse_moved(seen: Proposal, now: Proposal) -> None:
    if now.head != seen.head:
        raise ConflictError(
            "branch-moved",
            f"{now.branch} is at {now.head[:12]} now, not at {seen.head[:12]}",
            place=now.url,
            hint="look at what is new there, and merge again",
            details={"expected": seen.head, "found": now.head},
        )


def _refuse_failed(proposal: Proposal, waiting: Iterable[Awaited]) -> None:
    failed = [each for each in waiting if each.state in _FAILED]
    if failed:
        raise UsageError(
            "proposal-not-mergeable",
            f"proposal {proposal.number} will not be green: {_listed(failed)}",
            place=proposal.url,
            hint=f"octavo review {proposal.number} shows where it stands; mend it, propose again",
            details={"failed": [each.context for each in failed]},
        )


def _too_late(
    proposal: Proposal, limit: float, waiting: tuple[Awaited, ...], words: str
) -> OctavoError:
    return UsageError(
        "proposal-not-mergeable",
        f"proposal {proposal.number} is not green after {duration(limit)}; still {words}",
        place=proposal.url,
        hint=f"octavo merge {proposal.number} --when-green --timeout TIME waits longer",
        details={"missing": [each.words for each in waiting]},
    )


def _listed(waiting: Iterable[Awaited]) -> str:
    return " and ".join(each.words for each in waiting)
