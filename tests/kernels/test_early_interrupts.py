"""An interrupt that comes before its cell has begun is not lost, and hits no other cell."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

from octavo.kernels.conformance import Probe
from octavo.kernels.fork.kernel import ForkKernel
from octavo.kernels.port import Code

pytestmark = pytest.mark.kernel


def test_an_interrupt_before_the_cell_has_begun(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        assert (await probe.run("x = 1")).ok
        kernel = probe.kernel
        assert isinstance(kernel, ForkKernel)
        os.kill(kernel.pid, signal.SIGSTOP)
        running = asyncio.ensure_future(kernel.execute(Code(7, "while True: pass")))
        await asyncio.sleep(0)
        await kernel.interrupt()
        await kernel._calm.wait()  # the signal has been sent
        os.kill(kernel.pid, signal.SIGCONT)
        outcome = await asyncio.wait_for(running, 60)
        assert outcome.status == "error"
        assert (await probe.run("x")).ok

    probed(drive)
