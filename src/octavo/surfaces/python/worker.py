"""A run in a thread of its own, for callers who wait for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

from octavo.app.context import Context, current
from octavo.records.result import RunResult
from octavo.runs.operation import RunReport
from octavo.runs.request import RunRequest
from octavo.surfaces.python.ctrl_c import CtrlC

Emit = Callable[[Any], None]
_END = object()


class Worker:
    """A run in a thread with an event loop of its own.

    So it works the same in a script, in a notebook, within another event loop and from many
    threads, and no code of the caller can keep the kernel waiting.
    """

    def __init__(
        self,
        request: RunRequest,
        on_event: Emit | None = None,
        make_context: Callable[[Emit], Context] = current,
    ) -> None:
        self._request = request
        self._happened: SimpleQueue[Any] = SimpleQueue()
        self._on_event = on_event or self._happened.put
        self._make_context = make_context
        self._done: Future[RunReport] = Future()
        self._done.add_done_callback(lambda _: self._happened.put(_END))
        self._loop: asyncio.AbstractEventLoop | None = None
        self._context: Context | None = None
        self._stop_asked = 0
        # A second Ctrl-C may arrive while the first is being handled.
        self._lock = threading.RLock()
        threading.Thread(target=self._work, name="octavo-run", daemon=True).start()

    def wait(self) -> RunResult:
        """The result. Ctrl-C stops the run first, and is passed on when the record is written."""
        with CtrlC(self.stop):
            return self._done.result().results[0]

    def follow(self, take: Emit) -> RunReport:
        """As `wait`, and everything that happens meanwhile is handed over in this thread.

        When `take` fails the run is stopped, and waited for before that is raised.
        """
        failure: BaseException | None = None
        with CtrlC(self.stop):
            while (happened := self._happened.get()) is not _END:
                if failure is None:
                    try:
                        take(happened)
                    except BaseException as error:
                        failure = error
                        self.stop("the caller could not go on")
            if failure is not None:
                raise failure
            return self._done.result()

    async def wait_async(self) -> RunResult:
        """The result. When the waiting task is cancelled, the run is stopped and waited for."""
        ended = asyncio.wrap_future(self._done)
        try:
            return (await asyncio.shield(ended)).results[0]
        except asyncio.CancelledError:
            self.stop("cancelled")
            await asyncio.wait([ended])
            raise

    def stop(self, message: str) -> None:
        """Ask the run to stop; again, to stop at once."""
        with self._lock:
            self._stop_asked += 1
            if self._loop is not None and self._context is not None:
                self._loop.call_soon_threadsafe(self._context.stop.request, message)

    def _work(self) -> None:
        try:
            report = asyncio.run(self._run())
        except BaseException as error:
            self._done.set_exception(error)
        else:
            self._done.set_result(report)

    async def _run(self) -> RunReport:
        from octavo.runs.operation import run as operation

        context = self._make_context(self._on_event)
        with self._lock:
            self._loop, self._context = asyncio.get_running_loop(), context
            for _ in range(self._stop_asked):
                context.stop.request("stopped before it began")
        try:
            return await operation(self._request, context)
        finally:
            with self._lock:
                self._loop = None
            await context.close()


def ignore(event: Any) -> None:
    """For callers who do not want to know."""
