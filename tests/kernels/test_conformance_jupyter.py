"""The jupyter engine passes the suite: with ipykernel the whole of it."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec

import pytest

from octavo.environments.launch import Launch
from octavo.kernels.conformance import SUITE, Check, run_check
from octavo.kernels.jupyter.engine import JupyterEngine

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("check", SUITE, ids=lambda check: f"{check.room}-{check.name}")
def test_ipykernel_conforms(check: Check, loop: asyncio.Runner, launch: Launch) -> None:
    missing = [name for name in check.modules if find_spec(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    loop.run(run_check(check, JupyterEngine(), launch))
