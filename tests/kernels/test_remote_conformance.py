"""The remote engine passes the suite but for what needs a process of ours beside the kernel.

It reads messages as the jupyter engine does, which passes the whole of it: asked here is what the
way through a server touches, and what is on the list, which must really fail: what has come
leaves it.
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

#: What goes over the wire in both directions, and how kernels end.
_ROOMS = {"port", "anywhere", "streams", "displays", "widgets", "endings"}
_STEADY = [check for check in SUITE if not check.lacking(WITHOUT) and check.name not in UNSTEADY]
_CHECKS = [check for check in _STEADY if check.room in _ROOMS or check.name in LACKING]


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


def test_the_lists_name_checks_that_there_are() -> None:
    assert {*LACKING} <= {check.name for check in _CHECKS}
    assert {*UNSTEADY} <= {check.name for check in SUITE}
    assert {check.room for check in _CHECKS} >= _ROOMS
    assert len(_STEADY) > len(SUITE) / 2
