"""`octavo.run` and its async twin."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from octavo.app.context import Context, current
from octavo.errors import UsageError
from octavo.records.result import RunResult
from octavo.requests import seconds, size
from octavo.runs.request import DEFAULT_OUTPUT_CAP, RunRequest
from octavo.surfaces.python.ctrl_c import CtrlC

Path = str | os.PathLike[str]
Emit = Callable[[Any], None]


def run(
    path: Path,
    parameters: Mapping[str, Any] | None = None,
    *,
    allow_unknown: bool = False,
    output: Path | None = None,
    python: Path | None = None,
    kernel: str | None = None,
    engine: str | None = None,
    cwd: Path | None = None,
    env: Sequence[str] = (),
    env_files: Sequence[Path] = (),
    preload: Sequence[str] = (),
    cell_timeout: float | str | None = None,
    timeout: float | str | None = None,
    silence_timeout: float | str | None = None,
    start_timeout: float | str | None = None,
    memory: int | str | None = None,
    processes: int | None = None,
    cpu: float | str | None = None,
    file_size: int | str | None = None,
    output_cap: int | str = DEFAULT_OUTPUT_CAP,
    offline: bool = False,
    parent_run: str | None = None,
    on_event: Emit | None = None,
) -> RunResult:
    """Run a notebook and give back how that ended; a failing notebook does not raise.

    Times may be given in seconds or as `"5m"`, sizes in bytes or as `"2GiB"`. `on_event` is
    called with everything that happens, in another thread. Ctrl-C interrupts the run, lets its
    record be finished, and is then raised.
    """
    request = _request(locals())
    return _Worker(request, on_event).wait()


async def run_async(
    path: Path,
    parameters: Mapping[str, Any] | None = None,
    *,
    allow_unknown: bool = False,
    output: Path | None = None,
    python: Path | None = None,
    kernel: str | None = None,
    engine: str | None = None,
    cwd: Path | None = None,
    env: Sequence[str] = (),
    env_files: Sequence[Path] = (),
    preload: Sequence[str] = (),
    cell_timeout: float | str | None = None,
    timeout: float | str | None = None,
    silence_timeout: float | str | None = None,
    start_timeout: float | str | None = None,
    memory: int | str | None = None,
    processes: int | None = None,
    cpu: float | str | None = None,
    file_size: int | str | None = None,
    output_cap: int | str = DEFAULT_OUTPUT_CAP,
    offline: bool = False,
    parent_run: str | None = None,
    on_event: Emit | None = None,
) -> RunResult:
    """As `run`, without holding up the event loop; cancelling it interrupts the run."""
    request = _request(locals())
    return await _Worker(request, on_event).wait_async()


_TIMES = ("cell_timeout", "timeout", "silence_timeout", "start_timeout", "cpu")
_SIZES = ("memory", "file_size", "output_cap")
_PATHS = ("output", "python", "cwd")


def _request(given: dict[str, Any]) -> RunRequest:
    """The request that the arguments of a call stand for."""
    fields = {name: value for name, value in given.items() if name != "on_event"}
    for name in _TIMES:
        fields[name] = _number(name, fields[name], seconds)
    for name in _SIZES:
        fields[name] = _number(name, fields[name], size)
    for name in _PATHS:
        fields[name] = None if fields[name] is None else os.fspath(fields[name])
    return RunRequest(
        paths=(os.fspath(fields.pop("path")),),
        values=dict(fields.pop("parameters") or {}),
        env=_words(fields.pop("env")),
        env_files=tuple(map(os.fspath, fields.pop("env_files"))),
        preload=_words(fields.pop("preload")),
        **fields,
    )


def _number(name: str, value: Any, parse: Callable[[str], Any]) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return parse(value)
    except ValueError as error:
        hint = "give a number, or text such as '5m' or '2GiB'"
        raise UsageError("wrong-argument", str(error), place=name, hint=hint) from None


def _words(names: Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


class _Worker:
    """A run in a thread with an event loop of its own.

    So it works the same in a script, in a notebook, within another event loop and from many
    threads, and no code of the caller can keep the kernel waiting.
    """

    def __init__(self, request: RunRequest, on_event: Emit | None) -> None:
        self._request = request
        self._on_event = on_event
        self._done: Future[RunResult] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._context: Context | None = None
        self._stop_asked = 0
        # A second Ctrl-C may arrive while the first is being handled.
        self._lock = threading.RLock()
        threading.Thread(target=self._work, name="octavo-run", daemon=True).start()

    def wait(self) -> RunResult:
        """The result. Ctrl-C stops the run first, and is passed on when the record is written."""
        with CtrlC(self.stop):
            return self._done.result()

    async def wait_async(self) -> RunResult:
        """The result. When the waiting task is cancelled, the run is stopped and waited for."""
        ended = asyncio.wrap_future(self._done)
        try:
            return await asyncio.shield(ended)
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
            result = asyncio.run(self._run())
        except BaseException as error:
            self._done.set_exception(error)
        else:
            self._done.set_result(result)

    async def _run(self) -> RunResult:
        from octavo.runs.operation import run as operation

        context = current(emit=self._on_event or _ignore)
        with self._lock:
            self._loop, self._context = asyncio.get_running_loop(), context
            for _ in range(self._stop_asked):
                context.stop.request("stopped before it began")
        try:
            report = await operation(self._request, context)
            return report.results[0]
        finally:
            with self._lock:
                self._loop = None
            await context.close()


def _ignore(event: Any) -> None:
    pass
