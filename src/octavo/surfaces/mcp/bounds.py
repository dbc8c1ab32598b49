"""How many live sessions and running jobs one client may have, so that a loop cannot take all of
the machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

from octavo import config
from octavo.errors import UsageError
from octavo.records.journal import goes_on
from octavo.records.store import Store
from octavo.render.figures import counted
from octavo.sessions import places
from octavo.sessions.jobs import notes
from octavo.sessions.jobs.claims import is_known
from octavo.surfaces.mcp.caller import caller
from octavo.surfaces.mcp.ownership import Owners
from octavo.surfaces.mcp.works import Works

#: How many are named of those that could be ended.
_NAMED = 8


class Bounds:
    """Counts what the caller has in one project, whatever server began it."""

    def __init__(self, project: str, runtime: str, owners: Owners, works: Works) -> None:
        self._project = project
        self._runtime = runtime
        self._owners = owners
        self._works = works
        #: Sessions that are being started, and cannot be found yet.
        self._starting: Counter[str] = Counter()

    @asynccontextmanager
    async def new_session(self) -> AsyncIterator[None]:
        """Room for one more session while it is started; UsageError where there is none."""
        who = caller().identity
        most = int(config.settings(self._project).mcp_sessions)
        if most and self._starting[who] + self._noted(who) >= most:
            alive = list(self._alive(who))
            if self._starting[who] + len(alive) >= most:
                raise _too_many("session", most, alive, "session_stop")
        self._starting[who] += 1
        try:
            yield
        finally:
            self._starting[who] -= 1

    def room_for_jobs(self, count: int = 1, request_id: str = "") -> int:
        """How many of so many more jobs may go on at once; UsageError where none may. A request
        that is known begins nothing, so there is room for it."""
        who = caller().identity
        most = int(config.settings(self._project).mcp_jobs)
        if not most or (request_id and is_known(Store(Path(self._project)), who, request_id)):
            return count
        running = list(self._running(who))
        if len(running) >= most:
            raise _too_many("job", most, running, "job_cancel")
        return min(count, most - len(running))

    def _places(self, who: str) -> Iterator[places.Place]:
        for place in places.places(self._runtime):
            if place.is_in(self._project) and self._owners.has(place.short, who):
                yield place

    def _noted(self, who: str) -> int:
        return sum(1 for _ in self._places(who))

    def _alive(self, who: str) -> Iterator[str]:
        return (place.short for place in self._places(who) if place.answers())

    def _running(self, who: str) -> Iterator[str]:
        for run in Store(Path(self._project)).begun():
            note = notes.of(run)
            if note is not None and note.owner == who and goes_on(run.path):
                yield run.run_id[-8:]
        yield from (job for job in self._works.under_way() if self._owners.has(job, who))


def _too_many(what: str, most: int, there: list[str], tool: str) -> UsageError:
    named = ", ".join(there[:_NAMED]) + (", …" if len(there) > _NAMED else "")
    return UsageError(
        "too-many",
        f"one client may have {counted(most, what)} at once",
        hint=f"end one with {tool}, or wait: {named}",
    )
