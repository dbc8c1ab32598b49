"""Whoever is killed while a copy is made, or while a kernel goes on from one: nothing stays."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

from kernels.processes import Watched, below, parent
from octavo.errors import KernelFailure
from octavo.kernels.conformance import Probe
from octavo.kernels.fork.copies import ForkSnapshot
from octavo.kernels.fork.kernel import ForkKernel
from octavo.kernels.port import Kernel

pytestmark = [pytest.mark.kernel, pytest.mark.fault]

#: How often the loop of the runner turns before the blow falls.
MOMENTS = (0, 1, 2, 3, 5, 8)


async def _turn(times: int) -> None:
    for _ in range(times):
        await asyncio.sleep(0)


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


async def _started(probe: Probe) -> tuple[ForkKernel, int]:
    assert (await probe.run("x = bytearray(20 << 20)")).ok
    assert isinstance(probe.kernel, ForkKernel)
    return probe.kernel, parent(probe.kernel.pid)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("victim", ["kernel", "keeper"])
def test_killing_while_a_copy_is_made(
    victim: str, moment: int, probed: Callable[[Any], Any]
) -> None:
    async def drive(probe: Probe) -> None:
        kernel, keeper = await _started(probe)
        making = asyncio.ensure_future(kernel.snapshot())
        await _turn(moment)
        watched = Watched([keeper, *below(keeper)])
        _kill(kernel.pid if victim == "kernel" else keeper)
        with contextlib.suppress(KernelFailure):
            made = await making
            assert isinstance(made, ForkSnapshot)
            await made.drop()
        assert (await probe.run("1")).outcome.status == "died"
        watched.assert_gone()

    probed(drive)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("victim", ["kernel", "keeper", "copy"])
def test_killing_while_a_kernel_goes_on(
    victim: str, moment: int, probed: Callable[[Any], Any]
) -> None:
    async def drive(probe: Probe) -> None:
        kernel, keeper = await _started(probe)
        snapshot = await kernel.snapshot()
        assert isinstance(snapshot, ForkSnapshot)
        events: list[Any] = []
        resuming: asyncio.Future[Kernel] = asyncio.ensure_future(snapshot.resume(events.extend))
        await _turn(moment)
        watched = Watched([keeper, *below(keeper)])
        _kill({"kernel": kernel.pid, "keeper": keeper, "copy": snapshot.pid}[victim])
        with contextlib.suppress(KernelFailure):
            await (await resuming).kill()
        await snapshot.drop()
        await kernel.kill()
        watched.assert_gone()

    probed(drive)


def test_what_a_killed_keeper_leaves_ends_with_the_family(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        kernel, _ = await _started(probe)
        snapshot = await kernel.snapshot()
        assert isinstance(snapshot, ForkSnapshot)
        await kernel.kill()
        one, other = await probe.resume(snapshot), await probe.resume(snapshot)
        ran = await one.run("d = !setsid sh -c 'sleep 600 >/dev/null 2>&1 & echo $!'\nprint(d[0])")
        watched = Watched([int(ran.text())])
        _kill(parent(one.kernel.pid))
        watched.assert_gone()
        assert (await other.run("len(x) >> 20")).value == "20"
        await other.close()
        await snapshot.drop()

    probed(drive)
