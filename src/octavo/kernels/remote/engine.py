"""The remote engine: kernels of a Jupyter server, one that runs already or new ones."""

from __future__ import annotations

import asyncio

from octavo.environments.launch import Launch
from octavo.errors import InfrastructureError
from octavo.kernels.port import Sink
from octavo.kernels.remote import failures
from octavo.kernels.remote.finding import Running, choose, running
from octavo.kernels.remote.kernel import RemoteKernel
from octavo.kernels.remote.server import Server, call

START_SECONDS = 60.0


class RemoteEngine:
    """Uses a kernel that runs in a server, and leaves it there: the one called `kernel`, else that
    of `notebook`, else the only one. With `new` it starts kernels of its own there.
    """

    name = "remote"

    def __init__(
        self,
        server: Server,
        kernel: str | None = None,
        notebook: str | None = None,
        *,
        new: bool = False,
    ) -> None:
        self.server = server
        self.chosen: Running | None = None
        self._kernel = kernel
        self._notebook = notebook
        self._new = new
        self._used: RemoteKernel | None = None

    async def start(self, launch: Launch, sink: Sink) -> RemoteKernel:
        """Connect to the kernel and wait until it answers.

        Somebody else's is never restarted: asked for a second one while the first lives, this
        refuses; after the person has restarted it, this connects again.
        """
        if self._used is not None and self._used.death is None:
            raise failures.not_ours(self.server.url)
        identity = await self._start_new(launch) if self._new else (await self.choose()).id
        kernel = RemoteKernel(self.server, identity, sink, owned=self._new)
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
        if not self._new:
            self._used = kernel
        return kernel

    async def choose(self) -> Running:
        """Which kernel is used; the one that was chosen first stays the one."""
        if self.chosen is None:
            self.chosen = await choose(self.server, self._kernel, self._notebook)
        return self.chosen

    async def _start_new(self, launch: Launch) -> str:
        body = {"name": launch.kernel.name} if launch.kernel else {}
        made = await call(self.server, "POST", "api/kernels", body)
        if not isinstance(made, dict) or not isinstance(made.get("id"), str):
            raise failures.strange(self.server.url, "it does not say which kernel it has started")
        return str(made["id"])

    async def _no_kernel(self, identity: str) -> Exception:
        known = ", ".join(each.words() for each in await running(self.server))
        return failures.no_kernel(self.server.url, identity, known)

    def release(self) -> None:
        """Nothing waits for kernels here."""

    async def close(self) -> None:
        """Connections end with their kernels."""
        await asyncio.sleep(0)
