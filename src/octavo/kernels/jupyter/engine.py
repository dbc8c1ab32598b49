"""The jupyter engine: any kernel that Jupyter knows, over Jupyter's own protocol."""

from __future__ import annotations

import asyncio

from octavo.environments.launch import Launch
from octavo.errors import KernelFailure
from octavo.kernels.jupyter.command import Command, resolve
from octavo.kernels.jupyter.connection import Transport, open_connection
from octavo.kernels.jupyter.kernel import JupyterKernel
from octavo.kernels.jupyter.running import Begin, begin_kept, begin_plainly, can_be_kept
from octavo.kernels.port import Sink

START_SECONDS = 60.0


class JupyterEngine:
    """Starts kernels; remembers which of them do not speak ipc.

    `kept` says whether they are watched by keepers: by itself wherever the system can.
    """

    name = "jupyter"

    def __init__(self, *, kept: bool | None = None) -> None:
        _check_installed()
        keep = can_be_kept() if kept is None else kept
        self._begin: Begin = begin_kept if keep else begin_plainly
        self._deaf_to_ipc: set[tuple[str, ...]] = set()

    async def start(self, launch: Launch, sink: Sink) -> JupyterKernel:
        """Start the kernel of a launch and wait until it answers."""
        command = resolve(launch)
        transport = command.transport
        if command.spec.argv in self._deaf_to_ipc:
            transport = "tcp"
        try:
            return await self._start(command, transport, launch, sink)
        except KernelFailure as failure:
            if transport == "tcp" or failure.kind != "kernel-start":
                raise
            kernel = await self._start_over_tcp(command, launch, sink, failure)
        self._deaf_to_ipc.add(command.spec.argv)
        return kernel

    async def _start(
        self, command: Command, transport: Transport, launch: Launch, sink: Sink
    ) -> JupyterKernel:
        connection = open_connection(transport)
        try:
            kernel = JupyterKernel(command, connection, launch, sink, self._begin)
            await kernel.ready(launch.start_seconds or START_SECONDS)
        except BaseException:
            connection.remove()
            raise
        return kernel

    async def _start_over_tcp(
        self, command: Command, launch: Launch, sink: Sink, failure: KernelFailure
    ) -> JupyterKernel:
        """Once more, over ports; where that fails too, what was wrong at first is told."""
        if command.is_ipykernel:
            raise failure
        try:
            return await self._start(command, "tcp", launch, sink)
        except KernelFailure:
            raise failure from None

    def release(self) -> None:
        """Nothing waits for kernels here."""

    async def close(self) -> None:
        """Kernels end by themselves, or with their keepers."""
        await asyncio.sleep(0)


def _check_installed() -> None:
    from importlib.util import find_spec

    from octavo.kernels.jupyter.failures import not_installed

    if find_spec("jupyter_client") is None or find_spec("zmq") is None:
        raise not_installed()
