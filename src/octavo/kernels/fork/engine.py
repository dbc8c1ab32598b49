"""The fork engine: kernels forked from a warmed interpreter."""

from __future__ import annotations

import asyncio
import os
import socket
from typing import Any

from octavo.environments.launch import Launch
from octavo.errors import EnvironmentFailure, InfrastructureError, KernelFailure
from octavo.kernels.fork import resident
from octavo.kernels.fork.ends import Ends
from octavo.kernels.fork.kernel import ForkKernel
from octavo.kernels.fork.zygote import Zygote, key, spawn
from octavo.kernels.local.wire import Connection, send_launch
from octavo.kernels.port import Sink

START_SECONDS = 60.0


class _Lost(KernelFailure):
    """A zygote ended with the request unread, as a resident one does that was idle for long."""


class ForkEngine:
    """Starts kernels; holds one zygote for each interpreter that they need."""

    name = "fork"

    def __init__(
        self, *, started: Zygote | None = None, resident_folder: str | None = None
    ) -> None:
        self._zygotes: dict[tuple[object, ...], Zygote] = {}
        self._controls: dict[tuple[object, ...], Connection] = {}
        self._booted: dict[tuple[object, ...], asyncio.Task[None]] = {}
        self._resident_folder = resident_folder
        if started is not None:
            self._zygotes[started.key] = started

    async def start(self, launch: Launch, sink: Sink) -> ForkKernel:
        """Fork a kernel for this launch and wait until it answers."""
        try:
            return await self._start(launch, sink)
        except _Lost:
            self._forget(_key(launch))
            return await self._start(launch, sink)

    async def _start(self, launch: Launch, sink: Sink) -> ForkKernel:
        ours, theirs = Ends.open()
        try:
            await self._send(launch, theirs)
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        kernel = ForkKernel(ours.streams(), sink, _limits(launch))
        patience = launch.start_seconds or START_SECONDS
        try:
            await asyncio.wait_for(kernel.ready(), patience)
        except TimeoutError:
            kernel.abandon()
            self._forget(_key(launch))
            raise KernelFailure(
                "kernel-start",
                f"the kernel did not answer within {patience:g} s",
                hint="look at what --preload and PYTHONSTARTUP load, then try again",
            ) from None
        except asyncio.CancelledError:
            kernel.abandon()
            raise
        except KernelFailure as error:
            await self._check_booted(launch)
            if kernel.death is not None and kernel.death.cause == "lost":
                raise _Lost(error.kind, error.message, hint=error.hint) from error
            raise
        return kernel

    async def _send(self, launch: Launch, ends: Ends) -> None:
        """Ask for a kernel. A zygote that still boots finds the request when it is done."""
        message = _message(launch)
        wanted = _key(launch)
        if wanted not in self._zygotes and self._resident_folder:
            connection = resident.connect(self._resident_folder, wanted)
            if connection is not None:
                with connection:
                    send_launch(connection, message, ends.descriptors())
                return
        for attempt in (1, 2):
            try:
                await self._control(launch).send(message, ends.descriptors())
                return
            except OSError as error:  # the zygote could not boot, or somebody has ended it
                await self._check_booted(launch)
                self._forget(wanted)
                if attempt == 2:
                    raise KernelFailure(
                        "kernel-start", f"no kernel was forked: {error}", hint="try again"
                    ) from error

    def _control(self, launch: Launch) -> Connection:
        wanted = _key(launch)
        if wanted not in self._controls:
            zygote = self._zygotes.get(wanted) or self._spawn(launch)
            self._zygotes[wanted] = zygote
            control = Connection(socket.socket(fileno=os.dup(zygote.control)))
            self._controls[wanted] = control
            self._booted[wanted] = asyncio.ensure_future(_await_boot(zygote, control, launch))
        return self._controls[wanted]

    async def _check_booted(self, launch: Launch) -> None:
        """Raises what kept the zygote of this launch from booting, if that is why it failed."""
        wanted = _key(launch)
        booted = self._booted.get(wanted)
        if booted is None:
            return
        try:
            await asyncio.shield(booted)
        except InfrastructureError:
            self._forget(wanted)
            raise

    def _forget(self, wanted: tuple[object, ...]) -> None:
        """A zygote that is of no use; the next kernel gets a new one."""
        self._hang_up(wanted)
        zygote = self._zygotes.pop(wanted, None)
        if zygote is not None:
            zygote.end()

    def _hang_up(self, wanted: tuple[object, ...]) -> None:
        booted, control = self._booted.pop(wanted, None), self._controls.pop(wanted, None)
        if booted is not None and not booted.done():
            booted.cancel()
        if control is not None:
            control.close()

    def _spawn(self, launch: Launch) -> Zygote:
        environment = launch.environment
        try:
            return spawn(
                environment.python, dict(launch.variables), launch.preload, environment.overlay
            )
        except OSError as error:
            raise EnvironmentFailure(
                "interpreter-missing",
                f"{environment.python} cannot be started: {error.strerror or error}",
                place=environment.why,
                hint="recreate the environment, or choose another interpreter with --python",
            ) from error

    def release(self) -> None:
        """Let the zygotes go while their last records are written."""
        for wanted in list(self._controls):
            self._hang_up(wanted)
        for zygote in self._zygotes.values():
            zygote.dismiss()

    async def close(self) -> None:
        """End the zygotes; kernels that still run are ended by their keepers."""
        self.release()
        for zygote in self._zygotes.values():
            zygote.end()
        self._zygotes.clear()


async def _await_boot(zygote: Zygote, control: Connection, launch: Launch) -> None:
    """Until a zygote says that it is ready, or why it cannot be."""
    message = await control.receive()
    if message is not None and message["type"] == "zygote-ready":
        return
    if message is not None and message.get("preload"):
        raise EnvironmentFailure(
            "environment-broken",
            f"--preload {message['message']}",
            place=launch.environment.python,
            hint="install it in that environment, or leave it out of --preload",
        )
    words = zygote.last_words()
    reason = message["message"] if message else words.splitlines()[-1] if words else "it ended"
    raise EnvironmentFailure(
        "environment-broken",
        f"{launch.environment.python} cannot run notebooks: {reason}",
        place=launch.environment.why,
        hint=f"try: {launch.environment.python} -m pip install ipython",
        details={"stderr": words[-2000:]},
    )


def _key(launch: Launch) -> tuple[object, ...]:
    return key(
        launch.environment.python,
        dict(launch.variables),
        launch.preload,
        launch.environment.overlay,
    )


def _limits(launch: Launch) -> dict[str, Any]:
    limits = launch.limits
    return {
        "memory": limits.memory,
        "processes": limits.processes,
        "cpu_seconds": limits.cpu_seconds,
        "file_size": limits.file_size,
    }


def _message(launch: Launch) -> dict[str, Any]:
    return {
        "op": "launch",
        "cwd": launch.cwd,
        "variables": dict(launch.variables),
        "limits": _limits(launch),
        "uv": launch.uv,
        "managed": launch.environment.managed,
        "scrapbook_shim": launch.scrapbook_shim,
        "observe": launch.observe,
        "coverage": launch.coverage,
    }
