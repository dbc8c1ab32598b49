"""A session that is played through before sessions are forked, so that they share more.

Python adapts code where it lies when it is first executed; what was executed before the fork has
been adapted already, and its memory stays shared.
"""

from __future__ import annotations

from octavo.kernels.fake import FakeEngine, result
from octavo.sessions.context import SessionContext
from octavo.sessions.hosts.asked import Asked
from octavo.sessions.hosts.beginning import planned_for, recorded, run_request
from octavo.sessions.hosts.host import Host
from octavo.sessions.requests import StartRequest

_CODE = "1 + 1"


async def rehearse(context: SessionContext, times: int = 12) -> None:
    """Begin, execute, look and end, without a kernel."""
    request = StartRequest()
    asked = run_request(request)
    planned = planned_for(request, asked, context)
    engine = FakeEngine({_CODE: [result("2")]})
    live = recorded(request, asked, planned, engine, context)
    await live.restart()
    host = Host(context.runtime)
    await host.serve(live)

    async def stop(message: str) -> None:
        pass

    session = Asked(live, stop)
    for _ in range(times):
        await session.answer("exec", {"code": _CODE}, lambda event: None)
        await session.answer("info", {}, lambda event: None)
    await host.end()
