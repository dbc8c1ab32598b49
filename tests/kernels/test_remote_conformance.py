"""The remote engine passes the suite but for what needs a process of ours beside the kernel.

Whatever is on the list must really fail: what has come leaves it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from octavo.environments.launch import Launch
from octavo.kernels.conformance import SUITE, Check, run_check
from octavo.kernels.remote.engine import RemoteEngine
from octavo.kernels.remote.lacking import LACKING, UNSTEADY, WITHOUT
from octavo.kernels.remote.server import Server, server_at
from servers.jupyter import jupyter_server

pytestmark = pytest.mark.kernel

_CHECKS = [check for check in SUITE if not check.lacking(WITHOUT) and check.name not in UNSTEADY]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("root")
    with jupyter_server(root, tmp_path_factory.mktemp("home")) as running:
        yield server_at(running.url, running.token)


@pytest.mark.parametrize("check", _CHECKS, ids=lambda check: f"{check.room}-{check.name}")
def test_a_kernel_of_a_server_conforms(
    check: Check, loop: asyncio.Runner, server: Server, launch: Launch
) -> None:
    missing = [name for name in check.modules if find_spec(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    reason = LACKING.get(check.name)
    if reason is None:
        loop.run(run_check(check, RemoteEngine(server, new=True), launch))
        return
    try:
        loop.run(run_check(check, RemoteEngine(server, new=True), launch))
    except (AssertionError, OSError):
        return
    pytest.fail(f"a kernel of a server passes {check.name}: take it from the list ({reason})")


def test_it_is_measured_by_most_of_the_suite() -> None:
    assert {*LACKING} <= {check.name for check in _CHECKS}
    assert {*UNSTEADY} <= {check.name for check in SUITE}
    assert len(_CHECKS) > len(SUITE) / 2
