"""A kernel that a person uses in a real Jupyter server, used by us too."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from octavo.environments.launch import Launch
from octavo.errors import InfrastructureError, OctavoError, UsageError
from octavo.events.types import ErrorRaised, ExecuteResult, KernelEvent, Stream
from octavo.kernels.port import Asking, Code
from octavo.kernels.remote.engine import RemoteEngine
from octavo.kernels.remote.finding import choose, running
from octavo.kernels.remote.kernel import RemoteKernel
from octavo.kernels.remote.server import server_at
from servers.jupyter import JupyterServer, jupyter_server

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

_SECONDS = 60


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    root = tmp_path_factory.mktemp("root")
    with jupyter_server(root, tmp_path_factory.mktemp("home")) as running_server:
        yield running_server


class Ours:
    """A kernel that we use, and what it has told."""

    def __init__(self, server: JupyterServer, kernel: str, launch: Launch) -> None:
        self.engine = RemoteEngine(server_at(server.url, server.token), kernel)
        self.launch = launch
        self.events: list[KernelEvent] = []
        self.news = asyncio.Event()
        self._cells = 0

    async def start(self) -> RemoteKernel:
        self.kernel = await self.engine.start(self.launch, self._take)
        return self.kernel

    def _take(self, events: Any) -> None:
        self.events.extend(events)
        self.news.set()

    def begin(self, source: str) -> asyncio.Task[Any]:
        self._cells += 1
        return asyncio.ensure_future(self.kernel.execute(Code(self._cells, source)))

    async def run(self, source: str) -> Any:
        return await asyncio.wait_for(self.begin(source), _SECONDS)

    async def seen(self, text: str) -> None:
        while text not in self.text:
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), _SECONDS)

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, Stream))


def drive(
    server: JupyterServer, kernel: str, launch: Launch, steps: Callable[[Ours], Awaitable[Any]]
) -> Ours:
    async def run() -> Ours:
        ours = Ours(server, kernel, launch)
        await ours.start()
        try:
            await steps(ours)
        finally:
            await ours.kernel.stop()
        return ours

    return asyncio.run(run())


def test_state_is_shared_and_the_kernel_stays(server: JupyterServer, launch: Launch) -> None:
    kernel = server.start_kernel()

    async def first(ours: Ours) -> None:
        assert (await ours.run("left = 'for others'")).status == "ok"

    async def second(ours: Ours) -> None:
        await ours.run("left")

    drive(server, kernel, launch, first)
    assert kernel in server.kernels()
    seen = drive(server, kernel, launch, second)
    (result,) = [event for event in seen.events if isinstance(event, ExecuteResult)]
    assert result.data["text/plain"] == "'for others'"


def test_what_others_execute_is_not_ours(server: JupyterServer, launch: Launch) -> None:
    kernel = server.start_kernel()

    async def both(ours: Ours) -> None:
        other = Ours(server, kernel, launch)
        await other.start()
        theirs = other.begin("print('theirs', flush=True)\nimport time\ntime.sleep(0.5)")
        await other.seen("theirs")
        # The person's cell runs: ours waits for its turn, and is not the one that is interrupted.
        mine = ours.begin("print('mine')\nwhile True: pass")
        await asyncio.sleep(0)  # so that it has been sent
        await ours.kernel.interrupt()
        assert (await asyncio.wait_for(theirs, _SECONDS)).status == "ok"
        assert (await asyncio.wait_for(mine, _SECONDS)).status == "error"
        assert ours.text in ("", "mine\n")
        assert other.text == "theirs\n"
        await other.kernel.stop()

    ours = drive(server, kernel, launch, both)
    assert [e.ename for e in ours.events if isinstance(e, ErrorRaised)] == ["KeyboardInterrupt"]


def test_a_kernel_that_the_person_restarts(server: JupyterServer, launch: Launch) -> None:
    kernel = server.start_kernel()

    async def steps(ours: Ours) -> None:
        await ours.run("known = 1")
        cell = ours.begin("print('began', flush=True)\nimport time\ntime.sleep(60)")
        await ours.seen("began")
        server.call("POST", f"kernels/{kernel}/restart", {})
        assert (await asyncio.wait_for(cell, _SECONDS)).status == "died"
        assert ours.kernel.death is not None
        assert "restarted" in ours.kernel.death.message
        assert (await ours.run("known")).status == "died"
        await ours.start()  # connected again, with nothing in it
        assert (await ours.run("known")).status == "error"

    drive(server, kernel, launch, steps)


def test_a_kernel_that_the_person_shuts_down(server: JupyterServer, launch: Launch) -> None:
    kernel = server.start_kernel()

    async def steps(ours: Ours) -> None:
        cell = ours.begin("print('began', flush=True)\nimport time\ntime.sleep(60)")
        await ours.seen("began")
        server.call("DELETE", f"kernels/{kernel}")
        assert (await asyncio.wait_for(cell, _SECONDS)).status == "died"

    drive(server, kernel, launch, steps)


def test_it_is_not_restarted_by_us(server: JupyterServer, launch: Launch) -> None:
    async def steps(ours: Ours) -> None:
        await ours.run("kept = 1")
        used = ours.kernel
        with pytest.raises(UsageError) as caught:
            await ours.start()
        assert caught.value.kind == "jupyter-kernel"
        ours.kernel = used
        assert (await ours.run("kept")).status == "ok"

    drive(server, server.start_kernel(), launch, steps)


def test_a_server_that_goes_away(tmp_path_factory: pytest.TempPathFactory, launch: Launch) -> None:
    root, home = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home")
    with jupyter_server(root, home) as leaving:
        kernel = leaving.start_kernel()

        async def steps(ours: Ours) -> None:
            pid = (await ours.run("import os; print(os.getpid())")) and int(ours.text)
            cell = ours.begin("print('began', flush=True)\nimport time\ntime.sleep(60)")
            await ours.seen("began")
            leaving.kill()
            with suppress(ProcessLookupError):  # without its server it ends by itself, some time
                os.kill(pid, signal.SIGKILL)
            assert (await asyncio.wait_for(cell, _SECONDS)).status == "died"
            assert ours.kernel.death is not None
            assert "went away" in ours.kernel.death.message
            assert ours.text.endswith("began\n")

        drive(leaving, kernel, launch, steps)


def test_a_connection_that_breaks_is_made_again(server: JupyterServer, launch: Launch) -> None:
    async def steps(ours: Ours) -> None:
        cell = ours.begin("print('one', flush=True)\nimport time\ntime.sleep(1)\nprint('two')")
        await ours.seen("one")
        ours.kernel._channels._socket.close()
        assert (await asyncio.wait_for(cell, _SECONDS)).status == "ok"
        assert ours.text == "one\ntwo\n"
        assert (await ours.run("1")).status == "ok"

    drive(server, server.start_kernel(), launch, steps)


def test_its_names_can_be_looked_at(server: JupyterServer, launch: Launch) -> None:
    async def steps(ours: Ours) -> None:
        await ours.run("answer = 42")
        assert isinstance(ours.kernel, Asking)
        told = await ours.kernel.ask("variables:listing", {}, 10.0)
        assert [each["name"] for each in told["variables"]] == ["answer"]

    drive(server, server.start_kernel(), launch, steps)


def test_the_older_protocol_is_spoken_too(
    tmp_path_factory: pytest.TempPathFactory, launch: Launch
) -> None:
    root, home = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home")
    older = "--GatewayWebSocketConnection.kernel_ws_protocol="
    words = (older, "--ZMQChannelsWebsocketConnection.kernel_ws_protocol=")
    with jupyter_server(root, home, *words) as old:

        async def steps(ours: Ours) -> None:
            assert ours.kernel._channels._protocol != "v1.kernel.websocket.jupyter.org"
            assert (await ours.run("print('né 😀')")).status == "ok"

        assert drive(old, old.start_kernel(), launch, steps).text == "né 😀\n"


def refused(server: JupyterServer, token: str, kernel: str | None, launch: Launch) -> OctavoError:
    async def start() -> None:
        engine = RemoteEngine(server_at(server.url, token), kernel)
        await engine.start(launch, lambda events: None)

    with pytest.raises(OctavoError) as caught:
        asyncio.run(start())
    assert caught.value.hint
    return caught.value


def test_a_wrong_token_and_none(server: JupyterServer, launch: Launch) -> None:
    kernel = server.start_kernel()
    wrong = refused(server, "not-the-token", kernel, launch)
    assert (wrong.kind, wrong.exit_code) == ("jupyter-token", 3)
    assert "not-the-token" not in str(wrong.to_json())
    none = refused(server, "", kernel, launch)
    assert none.kind == "jupyter-token"
    assert "none was given" in none.message


@pytest.mark.parametrize("token", ["token\nX-Other: 1", "tokén-’"])
def test_a_token_that_can_be_none_is_not_shown(
    server: JupyterServer, token: str, launch: Launch
) -> None:
    error = refused(server, token, None, launch)
    assert error.kind == "jupyter-token"
    assert token not in str(error.to_json())


def test_something_else_listens_there(launch: Launch) -> None:
    import socket
    import threading

    with socket.create_server(("127.0.0.1", 0)) as other:

        def talk() -> None:
            connection, _ = other.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"220 this is a mail server\r\n")

        thread = threading.Thread(target=talk)
        thread.start()
        with pytest.raises(InfrastructureError) as caught:
            asyncio.run(choose(server_at(f"http://127.0.0.1:{other.getsockname()[1]}"), None, None))
        thread.join()
    assert caught.value.kind == "jupyter-server"
    assert caught.value.hint


def test_a_kernel_that_is_none(server: JupyterServer, launch: Launch) -> None:
    known = server.start_kernel()
    unknown = refused(server, server.token, "0000-none", launch)
    assert isinstance(unknown, UsageError)
    assert unknown.kind == "jupyter-kernel"
    assert known in unknown.hint


def test_nobody_listens(launch: Launch) -> None:
    async def start() -> None:
        await RemoteEngine(server_at("http://127.0.0.1:1")).start(launch, lambda events: None)

    with pytest.raises(InfrastructureError) as caught:
        asyncio.run(start())
    assert caught.value.kind == "jupyter-server"


def test_a_kernel_is_found_by_its_notebook(server: JupyterServer) -> None:
    for name in ("found.ipynb", "other.ipynb"):
        (server.root / name).write_text(
            '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
        )
    kernel, other = server.open_notebook("found.ipynb"), server.open_notebook("other.ipynb")
    known = server_at(server.url, server.token)
    assert asyncio.run(choose(known, None, "/somewhere/found.py")).id == kernel
    assert asyncio.run(choose(known, other[:8], None)).notebooks == ("other.ipynb",)
    listed = {each.id: each.notebooks for each in asyncio.run(running(known))}
    assert listed[kernel] == ("found.ipynb",)
    with pytest.raises(UsageError):
        asyncio.run(choose(known, None, "none.ipynb"))
    with pytest.raises(UsageError):
        asyncio.run(choose(known, None, None))
