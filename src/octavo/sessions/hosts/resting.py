"""When the sessions of a process have been idle for a while, they are handed over to sleep."""

from __future__ import annotations

import asyncio
import json
import socket
import time

from octavo.kernels.choice import FORK
from octavo.sessions import places
from octavo.sessions.context import SessionContext
from octavo.sessions.hosts import sleeping
from octavo.sessions.hosts.host import Host
from octavo.sessions.hosts.parcel import pack
from octavo.sessions.hosts.spawning import nursery

#: How often it is looked whether something still goes on, once nobody has called for long.
_LOOK = 1.0


async def sleep_when_idle(host: Host, known: str, context: SessionContext) -> None:
    """Wait until nothing goes on, then end this process in favour of one that sleeps.

    `known` is the identity of the program that this process was forked from. Where sessions
    cannot be handed over they stay here, and it is tried again much later.
    """
    after = context.sleep_after
    while after > 0:
        left = after - (time.monotonic() - host.stirred)
        if left > 0 or not _at_rest(host):
            await asyncio.sleep(max(left, min(_LOOK, after)))
            continue
        await _try_to_sleep(host, known, context)
        host.stirred = time.monotonic()
        after *= 2


async def _try_to_sleep(host: Host, known: str, context: SessionContext) -> None:
    """Does not return where it succeeds."""
    connection = await asyncio.to_thread(nursery, known, context)
    if connection is None:
        return
    with connection:
        if _at_rest(host):
            for live in host.lives:
                await live.settle_down()
        # From here to the end nothing is waited for, so that nothing begins.
        if _at_rest(host):
            _sleep(host, connection, known, context)


def _at_rest(host: Host) -> bool:
    """Besides this task only the one that serves; a client that just comes is a task for a moment,
    before the sessions know of it.
    """
    return host.at_rest and len(asyncio.all_tasks()) == 2


def _sleep(host: Host, connection: socket.socket, known: str, context: SessionContext) -> None:
    sleepers = host.sleepers()
    parcel = pack(sleepers, context, FORK)
    watched = [number for each in sleepers for number in each.watched]
    until = min(each.live.lease_ends for each in sleepers)
    asked = {
        "identity": known,
        "cwd": context.cwd,
        "environ": dict(context.environ),
        "sleep": sleeping.described(parcel, watched, until),
    }
    pid = sleeping.hand_over(connection, json.dumps(asked).encode() + b"\n", parcel)
    if pid is not None:
        for each in sleepers:
            places.write(each.place.replace(note={**each.place.note, "pid": pid}))
        sleeping.let_go(connection)
