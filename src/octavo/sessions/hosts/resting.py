"""When the sessions of a process have been idle for a while, they are handed over to sleep."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from octavo.errors import OctavoError
from octavo.kernels.choice import FORK
from octavo.sessions import places
from octavo.sessions.context import SessionContext
from octavo.sessions.hosts import sleeping
from octavo.sessions.hosts.host import Host, Sleeper
from octavo.sessions.hosts.parcel import Parcel, pack
from octavo.sessions.hosts.spawning import dormitory, surroundings

#: It is never looked more often than this whether something goes on.
_LOOK = 0.05
#: How long at most until it is tried again, where sessions cannot be handed over.
_LONGEST = 3600.0
#: So many rounds of the event loop after a signal came it is being acted upon.
_ROUNDS = 3


async def sleep_when_idle(host: Host, known: str, context: SessionContext) -> None:
    """Wait until nothing goes on, then end this process in favour of one that sleeps.

    `known` is the identity of the program that this process was forked from. Where sessions
    cannot be handed over they stay here, and it is tried again much later.
    """
    after = context.sleep_after
    while after > 0:
        if not _at_rest(host):
            host.stirred = time.monotonic()
        left = after - (time.monotonic() - host.quiet_since)
        if left > 0:
            await asyncio.sleep(max(left, _LOOK))
            continue
        await _try_to_sleep(host, known, context)
        host.stirred = time.monotonic()
        after = max(after, min(2 * after, _LONGEST))


async def _try_to_sleep(host: Host, known: str, context: SessionContext) -> None:
    """Does not return where it succeeds."""
    begun = time.monotonic()
    connection = await asyncio.to_thread(_bed, known, context)
    if connection is None:
        return
    with connection, sleeping.heeding() as came:
        for _ in range(_ROUNDS):
            await asyncio.sleep(0)
        # Whoever called meanwhile is likely to call again.
        if not _at_rest(host) or host.quiet_since > begun:
            return
        for live in host.lives:
            await live.settle_down()
        # From here to the end nothing is waited for, so that nothing begins.
        if _at_rest(host):
            _sleep(host, connection, came, surroundings(known, context), context)


def _at_rest(host: Host) -> bool:
    """Besides this task only the one that serves; a client that just comes is a task for a moment,
    before the sessions know of it.
    """
    return host.at_rest and len(asyncio.all_tasks()) == 2


def _bed(known: str, context: SessionContext) -> socket.socket | None:
    """A connection to the dormitory, which waits for sessions."""
    try:
        connection = dormitory(known, context)
    except OSError:  # there is no room for another process, or a file
        return None
    if connection is None or sleeping.is_welcome(connection):
        return connection
    connection.close()
    return None


def _sleep(
    host: Host,
    connection: socket.socket,
    came: Sequence[int],
    around: Mapping[str, Any],
    context: SessionContext,
) -> None:
    """Returns where the sessions stay here."""
    sleepers = host.sleepers()
    parcel = _packed(sleepers, context)
    if parcel is None:
        return
    number = {each: index for index, each in enumerate(parcel.descriptors)}
    watched = [number[each] for sleeper in sleepers for each in sleeper.watched]
    until = min(each.live.lease_ends for each in sleepers)
    pid = sleeping.hand_over(
        connection, parcel, watched=watched, until=until, surroundings=dict(around)
    )
    if pid is not None and not came:
        with suppress(OctavoError):
            for each in sleepers:
                told = each.live.info.replace(pid=pid).to_json()
                places.write(each.place.noting(pid=pid, asleep=told))
            if not came:
                sleeping.let_go(connection)
        for each in sleepers:
            with suppress(OctavoError):
                places.write(each.place)


def _packed(sleepers: list[Sleeper], context: SessionContext) -> Parcel | None:
    """None where something is in them that cannot be moved: it costs memory, and nothing else."""
    try:
        return pack(sleepers, context, FORK)
    except Exception:
        return None
