"""What has to happen in a process after a fork happens in every kernel."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from octavo.environments.launch import Launch
from octavo.kernels.conformance import Probe

pytestmark = pytest.mark.kernel

_WITH_A_HOOK = """\
import os
noted = []
os.register_at_fork(
    before=lambda: noted.append("before"), after_in_child=lambda: noted.append("child")
)
"""


def test_a_kernel_knows_its_own_thread(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        ran = await probe.run(
            "import threading\n"
            "main = threading.main_thread()\n"
            "main.native_id == threading.get_native_id(), main is threading.current_thread(), "
            "threading.active_count()"
        )
        assert ran.value == "(True, True, 1)"

    probed(drive)


def test_no_two_kernels_draw_the_same_numbers(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        other = Probe(probe.engine, probe.launch)
        draw = "import random, uuid\nrandom.random(), uuid.uuid4().hex"
        assert (await probe.run(draw)).value != (await other.run(draw)).value
        await other.close()

    probed(drive)


def test_hooks_of_what_was_preloaded_are_run(
    probed: Callable[[Any], Any], launch: Launch, tmp_path: Path
) -> None:
    (tmp_path / "with_a_hook.py").write_text(_WITH_A_HOOK)

    async def drive(probe: Probe) -> None:
        variables = {**launch.variables, "PYTHONPATH": str(tmp_path)}
        probe.launch = probe.launch.replace(variables=variables)
        await probe.start(preload=("with_a_hook",))
        ran = await probe.run("import with_a_hook\nwith_a_hook.noted")
        assert ran.value == "['before', 'child']"

    probed(drive)
