"""What a script can make the fake do."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from octavo.environments.launch import Launch
from octavo.errors import KernelFailure
from octavo.events.types import ExitRequested, KernelEvent, LimitExceeded
from octavo.kernels import fake
from octavo.kernels.port import Code, Usage


async def _start(script: fake.Script, launch: Launch) -> tuple[fake.FakeKernel, list[KernelEvent]]:
    events: list[KernelEvent] = []
    return await fake.FakeEngine(script).start(launch, events.extend), events


def test_a_script_may_be_a_function(launch: Launch) -> None:
    async def drive() -> None:
        kernel, events = await _start(lambda code: [fake.text(code.source.upper())], launch)
        await kernel.execute(Code(3, "shout"))
        assert events == [fake.Stream(3, "stdout", "SHOUT")]
        assert [code.source for code in kernel.executed] == ["shout"]

    asyncio.run(drive())


def test_a_crash_ends_the_cell_and_the_kernel(launch: Launch) -> None:
    async def drive() -> None:
        kernel, _ = await _start({"x": [fake.die(signal="SIGSEGV"), fake.text("never")]}, launch)
        assert (await kernel.execute(Code(0, "x"))).status == "died"
        assert kernel.death is not None
        assert (kernel.death.signal, kernel.death.cause) == ("SIGSEGV", "signal")

    asyncio.run(drive())


def test_a_limit_ends_the_kernel(launch: Launch) -> None:
    async def drive() -> None:
        kernel, events = await _start({"x": fake.exceed("memory", 10, 20)}, launch)
        assert (await kernel.execute(Code(1, "x"))).status == "died"
        assert events == [LimitExceeded(1, "memory", 10, 20)]

    asyncio.run(drive())


def test_leaving_ends_the_cell_well(launch: Launch) -> None:
    async def drive() -> None:
        kernel, events = await _start({"x": [fake.leave(5), fake.text("never")]}, launch)
        assert (await kernel.execute(Code(0, "x"))).status == "ok"
        assert events == [ExitRequested(0, 5)]

    asyncio.run(drive())


def test_a_deaf_cell_must_be_killed(launch: Launch) -> None:
    async def drive() -> None:
        kernel, _ = await _start({"x": [fake.wait(deaf=True)]}, launch)
        running = asyncio.ensure_future(kernel.execute(Code(0, "x")))
        await asyncio.sleep(0)
        await kernel.interrupt()
        await asyncio.sleep(0)
        assert not running.done()
        await kernel.kill()
        assert (await running).status == "died"

    asyncio.run(drive())


def test_a_cell_may_wait_for_the_test(launch: Launch) -> None:
    async def drive() -> None:
        gate = asyncio.Event()
        kernel, _ = await _start({"x": [fake.wait(gate), fake.used(7, 0.5)]}, launch)
        running = asyncio.ensure_future(kernel.execute(Code(0, "x")))
        gate.set()
        outcome = await running
        assert (outcome.status, outcome.usage) == ("ok", Usage(7, 0.5))

    asyncio.run(drive())


def test_an_engine_may_fail_to_start(launch: Launch) -> None:
    def sink(events: Sequence[KernelEvent]) -> None:
        raise AssertionError("nothing was to happen")

    engine = fake.FakeEngine(failure=KernelFailure("kernel-start", "no"))
    with pytest.raises(KernelFailure):
        asyncio.run(engine.start(launch, sink))
