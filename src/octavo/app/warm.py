"""`octavo warm`: keep an interpreter and Octavo itself loaded for the next command."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from octavo.config import HOST_SOCKET, Settings
from octavo.environments.launch import Environment
from octavo.environments.request import Request as EnvironmentRequest
from octavo.environments.resolve import resolve
from octavo.environments.variables import variables
from octavo.errors import InfrastructureError
from octavo.kernels.fork import resident
from octavo.requests import Request, argument, option, seconds
from octavo.sessions.hosts.spawning import stop_nurseries
from octavo.sources import read_text
from octavo.value import Value


class WarmRequest(Request):
    """Keep kernels warm for notebooks, or for this folder."""

    paths: tuple[str, ...] = argument(
        "notebooks whose environments to keep warm (default: that of this folder)",
        metavar="NOTEBOOK",
        default=(),
    )
    python: str | None = option(
        "--python", help="interpreter, version or environment to keep warm", metavar="PYTHON"
    )
    preload: tuple[str, ...] = option(
        "--preload", help="modules to load beforehand", default=(), metavar="NAMES"
    )
    idle: float | None = option(
        "--idle",
        help="end after this long without work (default: 30m)",
        metavar="TIME",
        parse=seconds,
    )
    stop: bool = option("--stop", help="end everything that is kept warm", default=False)
    status: bool = option("--status", help="say what is kept warm", default=False)


class WarmResult(Value):
    """What is warm now; after `--stop`, what was ended."""

    host: bool
    environments: tuple[str, ...] = ()
    stopped: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "host": self.host,
            "environments": list(self.environments),
            "stopped": self.stopped,
        }


class WarmContext(Protocol):
    """What this operation needs."""

    cwd: str
    environ: Mapping[str, str]
    cache: str
    runtime: str
    python: str

    @property
    def settings(self) -> Settings: ...

    @property
    def emit(self) -> Callable[[Any], None]: ...


async def warm(request: WarmRequest, context: WarmContext) -> WarmResult:
    """Start what is not there yet. Without it everything works the same, only later."""
    if request.stop:
        return _stop(context.runtime)
    if request.status:
        return _status(context.runtime)
    idle = request.idle or context.settings.warm_idle_seconds
    environments = [_environment(path, request, context) for path in request.paths or ("",)]
    resident.make_folder(context.runtime)
    _start_host(context, idle)
    for environment in environments:
        _start_zygote(environment, request, context, idle)
    return WarmResult(True, tuple(dict.fromkeys(each.python for each in environments)))


def _environment(path: str, request: WarmRequest, context: WarmContext) -> Environment:
    absolute = os.path.join(context.cwd, path or "notebook.py")
    return resolve(
        EnvironmentRequest(
            notebook=absolute,
            text=read_text(absolute) if path else "",
            cwd=context.cwd,
            current=context.python,
            cache=context.cache,
            environ=context.environ,
            python=request.python,
        )
    )


def _start_zygote(
    environment: Environment, request: WarmRequest, context: WarmContext, idle: float
) -> None:
    passed = variables(context.environ, environment, names=context.settings.env)
    preload = tuple(name for names in request.preload for name in names.split(",") if name)
    resident.start(
        context.runtime, environment.python, dict(passed), preload, environment.overlay, idle
    )


def _start_host(context: WarmContext, idle: float) -> None:
    """Start the resident host unless one answers."""
    existing = resident.connect_to(os.path.join(context.runtime, HOST_SOCKET))
    if existing is not None:
        existing.close()
        return
    process = subprocess.Popen(
        [sys.executable, "-m", "octavo.surfaces.cli.host", context.runtime, str(idle)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env=dict(context.environ),
        cwd="/",
    )
    words = process.stdout.read() if process.stdout else b""
    if not words.rstrip().endswith(b"ready"):
        raise InfrastructureError(
            "kernel-start",
            "the resident host did not start",
            hint="everything works without it; try again, or see what it said with --json",
            details={"output": words.decode("utf-8", "replace")[-2000:]},
        )


def _stop(folder: str) -> WarmResult:
    stopped = sum(resident.stop(path) for path in resident.paths(folder))
    stopped += stop_nurseries(folder)
    host = resident.connect_to(os.path.join(folder, HOST_SOCKET))
    if host is not None:
        with host:
            host.sendall(len(b"stop").to_bytes(4, "big") + b"stop")
            host.settimeout(10.0)
            _await_end(host)
        stopped += 1
    return WarmResult(False, (), stopped)


def _await_end(connection: socket.socket) -> None:
    try:
        connection.recv(1)
    except OSError:
        pass


def _status(folder: str) -> WarmResult:
    host = resident.connect_to(os.path.join(folder, HOST_SOCKET))
    if host is not None:
        host.close()
    alive = []
    for path in resident.paths(folder):
        connection = resident.connect_to(path)
        if connection is not None:
            connection.close()
            alive.append(path)
    return WarmResult(host is not None, tuple(alive))
