"""From what was asked to a session that is served, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from octavo.sessions.context import SessionContext
from octavo.sessions.hosts.beginning import begin
from octavo.sessions.hosts.host import Host
from octavo.sessions.hosts.live import Live
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
    await serving.until_over()


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
