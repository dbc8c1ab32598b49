"""Where calls are answered: operations of the table, each in a thread with a loop of its own.

So an operation that waits for git or a forge keeps no other client waiting, and a client that
goes away ends nothing.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from octavo import config
from octavo.app.context import Context
from octavo.app.table import find, load
from octavo.errors import InfrastructureError, OctavoError, UsageError
from octavo.sessions.wire import told
from octavo.surfaces.mcp.bounds import Bounds
from octavo.surfaces.mcp.caller import caller
from octavo.surfaces.mcp.confinement import confined
from octavo.surfaces.mcp.ownership import Owners
from octavo.surfaces.mcp.wording import wording_for
from octavo.surfaces.mcp.works import OF_SERVERS, About, Works, began

#: No answer takes longer than this, in seconds.
LIMIT = 30.0
#: What is kept for the way back to the client.
_MARGIN = 3.0
_AT_ONCE = 64
#: How often a caller who waits is told so, in seconds.
_STEP = 1.0
#: How the names of jobs begin that this server does itself, which end with it.
WORK = OF_SERVERS
#: How many results of long work are kept for whoever asks for them again.
_KEPT = 200


class StillRunning(Exception):
    """The time of a call is over and its work goes on, as a job."""

    def __init__(self, job: str) -> None:
        super().__init__(job)
        self.job = job


class Work:
    """Something that this server does for somebody, in a thread."""

    def __init__(self, owner: str, future: asyncio.Future[Any]) -> None:
        self.owner = owner
        self.future = future


class Desk:
    """What the tools of one server share."""

    def __init__(self, project: str, environ: Mapping[str, str], limit: float = LIMIT) -> None:
        self.project = project
        self._environ = environ
        self.limit = min(limit, LIMIT)
        self.owners = Owners(project)
        self.on_disk = Works(project)
        runtime = config.runtime_folder(environ)
        self.wording = wording_for(project, environ, runtime)
        self.bounds = Bounds(project, runtime, self.owners, self.on_disk)
        self.works: dict[str, Work] = {}
        self._under_way: set[asyncio.Future[Any]] = set()
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="octavo-mcp")

    @property
    def patience(self) -> float:
        """How long a call may wait for what it started."""
        return max(0.05, self.limit - min(_MARGIN, self.limit / 4))

    @property
    def asking(self) -> float:
        """How long a call may ask a session to wait, and still have time to tell what it says."""
        return self.patience * 0.9

    def path(self, path: str, what: str = "path") -> str:
        """A path of the project, as an operation takes it."""
        return confined(path, self.project, what=what)

    def relative(self, path: str) -> str:
        """A path as clients name it."""
        return os.path.relpath(path, self.project) if os.path.isabs(path) else path

    def context(self) -> Context:
        """A context of one call, in the project."""
        return Context(cwd=self.project, environ=self.environ, emit=caller().teller())

    @property
    def environ(self) -> dict[str, str]:
        """The environment of what is done for the caller: what they make is noted as theirs."""
        return config.in_name_of(caller().identity, self._environ)

    async def operate(self, name: str, request: Any) -> Any:
        """What the operation of a name gives; StillRunning when it takes too long."""
        entry = find(name)
        if entry is None:
            hint = "this version of Octavo does not have it"
            raise UsageError("wrong-argument", f"there is no operation {name!r}", hint=hint)
        operation = entry.target

        async def work(context: Context) -> Any:
            target: Any = load(operation)
            return await target(request, context)

        return await self.bounded(work)

    async def bounded(self, work: Callable[[Context], Any]) -> Any:
        """The result of work with a context of its own; after the limit it goes on as a job."""
        future = self.begun(work)
        self._under_way.add(future)
        future.add_done_callback(self._under_way.discard)
        if await self._done(future):
            return future.result()
        job = f"{WORK}{secrets.token_hex(6)}"
        self._keep(job, Work(caller().identity, future))
        self._note(job, future)
        raise StillRunning(job)

    async def _done(self, future: asyncio.Future[Any]) -> bool:
        """Whether it is done within the time of a call; meanwhile the caller is told of it."""
        began = time.monotonic()
        while (passed := time.monotonic() - began) < self.patience:
            await asyncio.wait({future}, timeout=min(_STEP, self.patience - passed))
            if future.done():
                return True
            caller().tell(f"at work for {time.monotonic() - began:.0f} s")
        return future.done()

    def begun(self, work: Callable[[Context], Any]) -> asyncio.Future[Any]:
        """Work in a thread of its own; giving up the future does not end it."""
        context = self.context()
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(self._threads, _in_own_loop, work, context)
        future.add_done_callback(_seen)
        return future

    def work_of(self, job: str) -> Work | None:
        """The work of this server that a job of the caller's stands for."""
        work = self.works.get(job)
        return work if work is not None and work.owner == caller().identity else None

    async def close(self) -> None:
        """Bring what was begun to its end, such as a commit, for as long as a call may take; who
        only waits for a job is let go."""
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=LIMIT)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _note(self, job: str, future: asyncio.Future[Any]) -> None:
        """Write down that we do it and what came of it: a later server tells the truth."""
        works = self.on_disk
        with suppress(OSError):
            works.make(job)
            self.owners.note(job, caller().identity)
            works.note(job, About(os.getpid(), began(os.getpid()), "work", caller().tool))

        def done(future: asyncio.Future[Any]) -> None:
            with suppress(OSError):
                works.answered(job, _as_told(future))

        future.add_done_callback(done)

    def _keep(self, job: str, work: Work) -> None:
        ended = [name for name, each in self.works.items() if each.future.done()]
        for name in ended[: max(0, len(self.works) - _KEPT)]:
            del self.works[name]
        self.works[job] = work


def _seen(future: asyncio.Future[Any]) -> None:
    """An error that nobody waits for any more is not worth a complaint."""
    if not future.cancelled():
        future.exception()


def _as_told(future: asyncio.Future[Any]) -> dict[str, Any]:
    """A result or an error as JSON has it."""
    error = future.exception()
    if isinstance(error, OctavoError):
        return {"error": told(error)}
    if error is not None:
        failure = InfrastructureError("internal", f"{type(error).__name__}", hint="call it again")
        return {"error": told(failure)}
    return as_plain(future.result())


def as_plain(result: Any) -> dict[str, Any]:
    """The result of an operation as `--json` tells it."""
    plain = result.to_json() if hasattr(result, "to_json") else str(result)
    return plain if isinstance(plain, dict) else {"value": plain}


def _in_own_loop(work: Callable[[Context], Any], context: Context) -> Any:
    async def whole() -> Any:
        try:
            return await work(context)
        finally:
            await context.close()

    return asyncio.run(whole())
