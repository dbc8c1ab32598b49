"""`octavo.run` and its async twin."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from octavo.errors import UsageError
from octavo.records.result import RunResult
from octavo.requests import seconds, size
from octavo.runs.request import DEFAULT_OUTPUT_CAP, RunRequest
from octavo.surfaces.python.worker import Emit, Worker, ignore

Path = str | os.PathLike[str]


def run(
    path: Path,
    parameters: Mapping[str, Any] | None = None,
    *,
    allow_unknown: bool = False,
    keep_going: bool = False,
    output: Path | None = None,
    autosave: float | str | None = None,
    report_mode: bool = False,
    stdout_file: Path | None = None,
    stderr_file: Path | None = None,
    inject_paths: bool = False,
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
    request = request_of(locals())
    return Worker(request, on_event or ignore).wait()


async def run_async(
    path: Path,
    parameters: Mapping[str, Any] | None = None,
    *,
    allow_unknown: bool = False,
    keep_going: bool = False,
    output: Path | None = None,
    autosave: float | str | None = None,
    report_mode: bool = False,
    stdout_file: Path | None = None,
    stderr_file: Path | None = None,
    inject_paths: bool = False,
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
    request = request_of(locals())
    return await Worker(request, on_event or ignore).wait_async()


_TIMES = ("autosave", "cell_timeout", "timeout", "silence_timeout", "start_timeout", "cpu")
_SIZES = ("memory", "file_size", "output_cap")
_PATHS = ("output", "stdout_file", "stderr_file", "python", "cwd")


def request_of(given: dict[str, Any]) -> RunRequest:
    """The request that the arguments of a call stand for."""
    fields = {name: value for name, value in given.items() if name != "on_event"}
    for name in _TIMES:
        fields[name] = number(name, fields[name], seconds)
    for name in _SIZES:
        fields[name] = number(name, fields[name], size)
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


def number(name: str, value: Any, parse: Callable[[str], Any]) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return parse(value)
    except ValueError as error:
        hint = "give a number, or text such as '5m' or '2GiB'"
        raise UsageError("wrong-argument", str(error), place=name, hint=hint) from None


def _words(names: Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
