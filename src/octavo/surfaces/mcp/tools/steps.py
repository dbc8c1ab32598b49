"""Answers of steps that processes of their own do: the same at once, or later from a job."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from octavo.surfaces.mcp.results import Anything, Committed, Opened, Result, Reviewed
from octavo.surfaces.mcp.tools.verdicts import checked

_BODY = 4000
#: As many letters of a commit name it.
_COMMIT = 12
#: Characters of an answer that is told as it is.
_LONGEST = 40_000


def committed(plain: dict[str, Any]) -> Committed:
    """A commit, and what follows it."""
    told = {**plain, "commit": plain["commit"][:_COMMIT], "pushed": plain["pushed"] or None}
    return Committed(**told, next=f'notebook_pr(branch="{plain["branch"]}", …)')


def opened(plain: dict[str, Any]) -> Opened:
    """A pull request, and what follows it."""
    return Opened(**plain, next=f"notebook_review(number={plain['number']})")


def reviewed(plain: dict[str, Any]) -> Reviewed:
    """What is said about a pull request."""
    proposal = plain["proposal"]
    return Reviewed(
        number=proposal.get("number"),
        title=proposal.get("title"),
        state=proposal.get("state"),
        url=proposal.get("url"),
        findings=[_short(each) for each in plain["findings"][:50]],
        reviews=[_short(each) for each in plain["reviews"]],
        statuses=[_short(each) for each in plain["statuses"]],
        mergeable=plain["mergeable"],
        hidden=plain["hidden"] or None,
    )


def anything(plain: Any) -> Anything:
    """The answer of an operation as it is, but not longer than an agent can read."""
    text = json.dumps(plain, ensure_ascii=False, default=str)
    if len(text) <= _LONGEST:
        return Anything(result=plain)
    return Anything(result={"text": text[:_LONGEST], "omitted": len(text) - _LONGEST})


_SHAPES: dict[str, Callable[[dict[str, Any]], Result]] = {
    "check": checked,
    "commit": committed,
    "pr": opened,
    "review": reviewed,
}


def answer_of(kind: str, plain: dict[str, Any]) -> dict[str, Any]:
    """What the tool would have answered that began a work of some kind."""
    shape: Callable[[dict[str, Any]], Result] = _SHAPES.get(kind, anything)
    return shape(plain).model_dump(mode="json", exclude_none=True)


def _short(plain: dict[str, Any]) -> dict[str, Any]:
    """Without what is empty; long texts cut."""
    told = {name: each for name, each in plain.items() if each not in (None, "", [], {}, False)}
    return {
        name: f"{each[:_BODY]}…" if isinstance(each, str) and len(each) > _BODY else each
        for name, each in told.items()
    }
