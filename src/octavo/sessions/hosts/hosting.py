"""From what was asked to a session that is served, in a process of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from octavo.kernels.choice import FORK
from octavo.sessions.context import SessionContext
from octavo.sessions.hosts.beginning import begin
from octavo.sessions.hosts.host import Host
from octavo.sessions.hosts.live import Live
from octavo.sessions.hosts.parcel import Parcel, unpack
from octavo.sessions.hosts.resting import sleep_when_idle
from octavo.sessions.requests import StartRequest


async def host(
    asked: Mapping[str, Any],
    context: SessionContext,
    announce: Callable[[Mapping[str, Any]], None],
) -> None:
    """Begin the session that is asked for, say so, and serve it until it ends."""
    serving = Host(context.runtime)
    if "restore" in asked:
        live = await _restored(asked, context)
    else:
        live = await begin(start_request(asked["request"]), context)
    await serving.serve(live)
    announce({"answer": live.info.to_json()})
    await _served(serving, asked, context)


async def go_on(
    parcel: Parcel, signalled: str, asked: Mapping[str, Any], context: SessionContext
) -> None:
    """Serve the sessions that slept in this process; a signal may have awoken them."""
    serving = Host(context.runtime)
    serving.heed_signals()
    if signalled:
        serving.terminated(signalled)
    await serving.go_on(unpack(parcel, context, FORK))
    await _served(serving, asked, context)


async def _served(serving: Host, asked: Mapping[str, Any], context: SessionContext) -> None:
    drowsing = asyncio.ensure_future(sleep_when_idle(serving, asked["identity"], context))
    await serving.until_over()
    drowsing.cancel()


async def _restored(asked: Mapping[str, Any], context: SessionContext) -> Live:
    """A session from the record of one that ended; it has begun to execute its cells."""
    from octavo.sessions.hosts.restoring import Past, begin_again

    past = Past(Path(asked["restore"]))
    live = await begin(
        start_request(asked["request"]),
        context,
        source=past.source,
        parent=past.started.run_id,
        document=past.document,
    )
    begin_again(live, past)
    return live


def start_request(plain: Mapping[str, Any]) -> StartRequest:
    """The request that was sent as JSON."""
    given = dict(plain)
    given["parameters"] = tuple(map(tuple, given.get("parameters", ())))
    given["env"] = tuple(given.get("env", ()))
    return StartRequest(**given)
