"""Every kernel for Python can be looked into, and is afterwards as it was."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from octavo.environments.launch import Launch
from octavo.errors import OctavoError
from octavo.kernels.conformance import Probe
from octavo.kernels.fork.engine import ForkEngine
from octavo.kernels.jupyter.engine import JupyterEngine
from octavo.kernels.jupyter.looking import check_language
from octavo.kernels.port import Asking, Engine
from octavo.kernels.remote.engine import RemoteEngine
from octavo.kernels.remote.server import Server, server_at
from servers.jupyter import jupyter_server

pytestmark = pytest.mark.kernel

_ENGINES: dict[str, Callable[[Server], Engine]] = {
    "fork": lambda server: ForkEngine(),
    "jupyter": lambda server: JupyterEngine(),
    "plain": lambda server: JupyterEngine(kept=False),
    "remote": lambda server: RemoteEngine(server, new=True),
}
_HOSTILE = """
import time
class Endless:
    def __repr__(self):
        while True:
            try:
                time.sleep(1)
            except BaseException:
                pass
class Spoken:
    def __repr__(self):
        print("noise")
        global changed
        changed = True
        return "said by itself"
endless, spoken, changed, words = Endless(), Spoken(), False, "lone \\ud800"
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("root")
    with jupyter_server(root, tmp_path_factory.mktemp("home")) as running:
        yield server_at(running.url, running.token)


@pytest.fixture(params=list(_ENGINES))
def drive(
    request: pytest.FixtureRequest, loop: asyncio.Runner, launch: Launch, server: Server
) -> Callable[[Callable[[Probe], Awaitable[Any]]], Any]:
    async def run(what: Callable[[Probe], Awaitable[Any]]) -> Any:
        engine = _ENGINES[request.param](server)
        probe = Probe(engine, launch)
        try:
            return await what(probe)
        finally:
            await probe.close()
            await engine.close()

    return lambda what: loop.run(run(what))


async def ask(probe: Probe, function: str, seconds: float = 20.0, **arguments: Any) -> Any:
    kernel: Any = probe.kernel
    assert isinstance(kernel, Asking)
    return await kernel.ask(function, arguments, seconds)


def test_a_kernel_is_looked_into_and_stays_as_it_is(drive: Any) -> None:
    async def what(probe: Probe) -> None:
        await probe.run("import sys\nnumber = 41; words = 'a' * 50\nbefore = set(sys.modules)")
        count = len(probe.events)
        listed = await ask(probe, "variables:listing", pattern="*")
        assert [(each["name"], each["type"]) for each in listed["variables"]] == [
            ("number", "int"),
            ("words", "str"),
            ("before", "set"),
        ]
        looked = await ask(probe, "variables:preview", name="words")
        assert looked["head"] == "a" * 50
        packages = await ask(probe, "variables_packages:packages", pattern="ipython")
        assert [each["name"] for each in packages["packages"]] == ["ipython"]
        assert len(probe.events) == count
        ran = await probe.run(
            "left = {n for n in sys.modules if n.startswith('octavo_runtime.variables')} - before\n"
            "print(sorted(left), [n for n in dir() if 'octavo' in n], len(In))"
        )
        assert ran.sequence[-1].startswith("[] [] ")
        assert ran.outcome.execution_count == 2

    drive(what)


def test_objects_that_hang_print_and_change_things_do_none_of_it(drive: Any) -> None:
    async def what(probe: Probe) -> None:
        assert (await probe.run(_HOSTILE)).ok
        listed = await ask(probe, "variables:listing")
        assert {"endless", "spoken"} <= {each["name"] for each in listed["variables"]}
        looked = await ask(probe, "variables:preview", name="spoken")
        assert looked["text"] in ("said by itself", "<Spoken>")
        try:
            await ask(probe, "variables:preview", 1.0, name="endless")
        except TimeoutError:
            found = await ask(probe, "variables:preview", name="endless", safe=True)
            assert found["text"] == "<Endless>"
        ran = await probe.run("print(changed)")
        assert ran.sequence == ["False"]

    drive(what)


def test_what_cannot_be_asked_is_an_error_and_the_kernel_lives(drive: Any) -> None:
    async def what(probe: Probe) -> None:
        await probe.run("x = 1")
        with pytest.raises(OctavoError):
            await ask(probe, "nothing:at_all")
        assert (await ask(probe, "variables:listing"))["total"] == 1

    drive(what)


def test_kernels_of_other_languages_say_that_they_cannot() -> None:
    with pytest.raises(OctavoError) as caught:
        check_language({"language_info": {"name": "bash"}})
    assert "bash" in caught.value.message
    assert caught.value.hint
