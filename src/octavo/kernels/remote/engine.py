"""The remote engine: kernels of a Jupyter server, one that runs already or new ones."""

from __future__ import annotations

import asyncio

from octavo.environments.launch import Launch
from octavo.errors import InfrastructureError
from octavo.kernels.port import Sink
from octavo.kernels.remote import failures
from octavo.kernels.remote.finding import running
from octavo.kernels.remote.kernel import RemoteKernel
from octavo.kernels.remote.server import Server, call

START_SECONDS = 60.0


class RemoteEngine:
    """Uses the kernel `kernel` of a server, which stays there; without one, starts new ones."""

    name = "remote"

    def __init__(self, server: Server, kernel: str | None = None) -> None:
        self._server = server
        self._kernel = kernel

    async def start(self, launch: Launch, sink: Sink) -> RemoteKernel:
        """Connect to the kernel and wait until it answers."""
        owned = self._kernel is None
        identity = self._kernel or await self._start_new(launch)
        kernel = RemoteKernel(self._server, identity, sink, owned=owned)
        try:
            await kernel.ready(launch.start_seconds or START_SECONDS)
        except InfrastructureError as error:
            await kernel.kill()
            if error.details.get("status") == 404:
                raise await self._no_kernel(identity) from None
            raise
        except BaseException:
            await kernel.kill()
            raise
        return kernel

    async def _start_new(self, launch: Launch) -> str:
        body = {"name": launch.kernel.name} if launch.kernel else {}
        made = await call(self._server, "POST", "api/kernels", body)
        if not isinstance(made, dict) or not isinstance(made.get("id"), str):
            raise failures.strange(self._server.url, "it does not say which kernel it has started")
        return str(made["id"])

    async def _no_kernel(self, identity: str) -> Exception:
        known = ", ".join(each.words() for each in await running(self._server))
        return failures.no_kernel(self._server.url, identity, known)

    def release(self) -> None:
        """Nothing waits for kernels here."""

    async def close(self) -> None:
        """Connections end with their kernels."""
        await asyncio.sleep(0)
