"""The fork engine passes the whole suite."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec

import pytest

from octavo.environments.launch import Launch
from octavo.kernels.conformance import SUITE, Check, run_check
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
