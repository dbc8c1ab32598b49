"""What is in a session: its variables, one of them in part, the packages of its environment.

Secrets are replaced by the host before anything leaves it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from octavo.errors import InfrastructureError, OctavoError, UsageError
from octavo.sessions.client import SessionClient
from octavo.sessions.context import SessionContext
from octavo.sessions.requests import PreviewRequest, VarsRequest
from octavo.sessions.values import Answer
from octavo.value import EMPTY

#: How long a look may take, and one in which an object may speak for itself.
LOOK, SPEAK = 10.0, 3.0
#: How long a session that executes something is waited for.
PATIENCE = 15.0
#: Errors after which an object is looked at without being asked for its own text.
_SILENT = ("variable-unreadable", "kernel-nonsense")


class Variables(Answer):
    """The variables of a session, or the packages of its environment; `omitted` are more."""

    session: str
    variables: tuple[Mapping[str, Any], ...] = ()
    packages: tuple[Mapping[str, Any], ...] = ()
    total: int = 0
    omitted: int = 0
    notes: tuple[str, ...] = ()
    lease_ends: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Without the list that was not asked for."""
        empty = "variables" if self.packages else "packages"
        return {name: each for name, each in super().to_json().items() if name != empty}


class Preview(Answer):
    """One variable in part; what `shown` has depends on its kind."""

    session: str
    shown: Mapping[str, Any] = EMPTY
    notes: tuple[str, ...] = ()
    lease_ends: float | None = None

    def to_json(self) -> dict[str, Any]:
        told = {name: each for name, each in self.shown.items() if name != "notes"}
        rest = {"notes": list(self.notes), "lease_ends": self.lease_ends}
        return {"session": self.session, **told, **rest}


async def variables(request: VarsRequest, context: SessionContext) -> Variables:
    """What a session holds, by name, type, shape, size and a glance."""
    what = "packages" if request.packages else "variables"
    function = "variables_packages:packages" if request.packages else "variables:listing"
    _check(request.limit, "--limit")
    async with await SessionClient.open(context.runtime, request.session) as client:
        given = {"pattern": request.pattern, "limit": request.limit}
        found = await _ask(client, function, given, LOOK)
        value = found["value"]
        listed = tuple(value[what])
        total = int(value["total"])
        return Variables(
            session=client.place.short,
            total=total,
            omitted=total - len(listed),
            notes=tuple(found.get("notes") or ()),
            lease_ends=found.get("lease_ends"),
            **{what: listed},
        )


async def preview(request: PreviewRequest, context: SessionContext) -> Preview:
    """One variable of a session, or what a path of items and attributes leads to, in part."""
    _check(request.rows, "--rows")
    _check(request.columns, "--columns")
    given = {"name": request.variable, "rows": request.rows, "columns": request.columns}
    async with await SessionClient.open(context.runtime, request.session) as client:
        found, notes = await _looked(client, given)
        shown = found["value"]
        if "problem" in shown:
            raise _not_found(shown, request)
        return Preview(
            session=client.place.short,
            shown=shown,
            notes=(*shown.get("notes", ()), *notes, *(found.get("notes") or ())),
            lease_ends=found.get("lease_ends"),
        )


async def _looked(
    client: SessionClient, given: Mapping[str, Any]
) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """With the object's own text if it gives one in time, else without."""
    try:
        return await _ask(client, "variables:preview", given, SPEAK), ()
    except InfrastructureError as error:
        if error.kind not in _SILENT:
            raise
    found = await _ask(client, "variables:preview", {**given, "safe": True}, LOOK)
    return found, ("its own repr takes too long or crashes, so it was not asked",)


async def _ask(
    client: SessionClient, function: str, given: Mapping[str, Any], seconds: float
) -> Mapping[str, Any]:
    asking = client.call(
        "ask", function=function, arguments=dict(given), seconds=seconds, as_is=True
    )
    try:
        found: Mapping[str, Any] = await asyncio.wait_for(asking, PATIENCE + seconds)
    except TimeoutError:
        raise await _busy(client) from None
    return found


async def _busy(client: SessionClient) -> OctavoError:
    short = client.place.short
    executing = ""
    with suppress(OctavoError, TimeoutError):
        info = await asyncio.wait_for(client.call("info"), 2.0)
        executing = f" ({info['queue']} queued)" if info.get("queue") else ""
    return UsageError(
        "session-busy",
        f"the session {short} executes something{executing}; its variables come after that",
        hint=f"octavo job list; octavo session interrupt {short} ends what is executed",
    )


def _check(number: int, option: str) -> None:
    if number < 1:
        raise UsageError(
            "wrong-argument",
            f"{option} is {number}, and at least one can be shown",
            place="octavo session",
            hint=f"{option} 10",
        )


def _not_found(shown: Mapping[str, Any], request: PreviewRequest) -> UsageError:
    near = [str(each) for each in shown.get("near") or ()]
    hint = f"octavo session vars {request.session}"
    if near:
        hint = f"did you mean {' or '.join(near)}? {hint} lists what there is"
    return UsageError(
        "variable-not-found", str(shown["problem"]), place=request.variable[:200], hint=hint
    )
