"""The fork engine passes the whole suite."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

from octavo.environments.launch import Launch
from octavo.kernels.conformance import SUITE, Check, Probe, run_check
from octavo.kernels.fork.engine import ForkEngine

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("check", SUITE, ids=lambda check: f"{check.room}-{check.name}")
def test_the_fork_engine_conforms(
    check: Check, loop: asyncio.Runner, engine: ForkEngine, launch: Launch
) -> None:
    missing = [name for name in check.modules if find_spec(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    loop.run(run_check(check, engine, launch))


def test_a_forked_kernel_has_one_thread(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        ran = await probe.run("import os\nlen(os.listdir('/proc/self/task'))")
        assert ran.value == "1"

    probed(drive)
