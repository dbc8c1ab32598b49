"""Where there is no keeper, and where ipykernel is used as it is: less is promised, and kept."""

from __future__ import annotations

import asyncio

import pytest

from octavo.environments.launch import Launch, Limits
from octavo.errors import InfrastructureError
from octavo.kernels.conformance import SUITE, Check, Probe, run_check
from octavo.kernels.jupyter.engine import JupyterEngine

pytestmark = pytest.mark.kernel

#: Needs a keeper, or a guest in the kernel that tells before it ends.
_BEYOND = {"limits", "usage", "python"}
_UNTOLD = {"last_words_are_heard", "what_a_cell_has_started_ends_with_the_kernel"}
_CHECKS = [check for check in SUITE if not check.lacking(_BEYOND) and check.name not in _UNTOLD]


@pytest.mark.parametrize("check", _CHECKS, ids=lambda check: check.name)
def test_a_plain_kernel_conforms(check: Check, loop: asyncio.Runner, launch: Launch) -> None:
    loop.run(run_check(check, JupyterEngine(kept=False), launch))


def test_a_plain_kernel_finds_the_line_of_an_error(loop: asyncio.Runner, launch: Launch) -> None:
    async def drive() -> None:
        probe = Probe(JupyterEngine(kept=False), launch)
        try:
            await probe.run("def broken():\n    raise KeyError('deep')")
            ran = await probe.run("x = 1\n\nbroken()")
            assert (ran.error.ename, ran.error.line) == ("KeyError", 3)
        finally:
            await probe.close()

    loop.run(drive())


def test_limits_are_refused_where_nobody_watches_them(loop: asyncio.Runner, launch: Launch) -> None:
    limited = launch.replace(limits=Limits(memory=1 << 30))
    with pytest.raises(InfrastructureError) as caught:
        loop.run(JupyterEngine(kept=False).start(limited, lambda events: None))
    assert caught.value.kind == "platform"
    assert "memory" in caught.value.message
