"""One event loop and one zygote for each test module, and a kernel for whoever asks."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.register_assert_rewrite("octavo.kernels.conformance")

from octavo.environments.launch import Environment, Launch  # noqa: E402
from octavo.kernels.conformance import Probe  # noqa: E402
from octavo.kernels.fork.engine import ForkEngine  # noqa: E402

Drive = Callable[[Probe], Awaitable[Any]]


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def engine(loop: asyncio.Runner) -> Iterator[ForkEngine]:
    """A fork engine whose zygote serves all tests of a module."""
    made = ForkEngine()
    yield made
    loop.run(made.close())


@pytest.fixture
def launch(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Launch:
    """The interpreter of the tests, in an empty folder, with few variables."""
    home = tmp_path_factory.getbasetemp() / "home"
    home.mkdir(exist_ok=True)
    return Launch(
        environment=Environment(python=sys.executable, why="it runs the tests"),
        cwd=str(tmp_path),
        variables={"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"},
    )


@pytest.fixture
def probed(loop: asyncio.Runner, engine: ForkEngine, launch: Launch) -> Callable[[Drive], Any]:
    """Run a coroutine function with a probe of its own: `probed(drive)`."""

    async def run(drive: Drive) -> Any:
        probe = Probe(engine, launch)
        try:
            return await drive(probe)
        finally:
            await probe.close()

    return lambda drive: loop.run(run(drive))
