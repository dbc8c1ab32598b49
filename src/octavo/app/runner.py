"""The program of a detached run: `python -m octavo.app.runner`, started by `sessions.detached`.

On standard input comes the work, on standard output goes what whoever started it must know; then
both lead nowhere.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import sys
from typing import Any

from octavo.app.context import Context
from octavo.errors import OctavoError
from octavo.sessions.jobs.runner import Kept, Work, serve


def main() -> None:
    """Take the work, leave the process that started us, and do it."""
    content = _taken()
    if content is None or os.fork():
        # The parent of what goes on is the system: nobody is left with a dead child.
        os._exit(0)
    cwd, environ, work = pickle.loads(content)
    asyncio.run(_do(work, Context(cwd=cwd, environ=environ)))
    os._exit(0)


def _taken() -> bytes | None:
    """What was handed over; None when whoever did was killed meanwhile."""
    reader = sys.stdin.buffer
    length = int.from_bytes(reader.read(8), "big")
    content = reader.read(length)
    return content if content and len(content) == length else None


async def _do(work: Work, context: Context) -> None:
    try:
        os.chdir(context.cwd)
        kept = await serve(work, context, lambda message: _tell(message, last=not work.followed))
        if kept is not None:
            await _hold(kept, work, context)
        elif work.followed:
            _tell({"session": None}, last=True)
    finally:
        await context.close()


async def _hold(kept: Kept, work: Work, context: Context) -> None:
    """Be a session for as long as it lives."""
    from octavo.sessions.jobs.held import become_session

    try:
        host, live = await become_session(kept.hold, kept.run, kept.plan, work.request, context)
    except (OctavoError, OSError) as error:
        if kept.hold.kernel is not None:
            await kept.hold.kernel.kill()
        _tell({"session": None, "why": str(error)}, last=True)
        return
    _tell({"session": live.short}, last=True)
    await host.until_over()


def _tell(message: dict[str, Any], *, last: bool) -> None:
    """A line for whoever started us; they may be gone."""
    try:
        os.write(1, json.dumps(message).encode() + b"\n")
    except OSError:
        pass
    if last:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nowhere, number)
        os.close(nowhere)


if __name__ == "__main__":
    main()
