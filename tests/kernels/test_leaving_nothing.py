"""Whatever is killed, nothing that a kernel started goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kernels.processes import Watched, below, parent
from octavo.environments.launch import Launch
from octavo.kernels.conformance import Probe
from octavo.kernels.fork.engine import ForkEngine

pytestmark = [pytest.mark.kernel, pytest.mark.fault]

_START = """\
import subprocess, threading, multiprocessing, time
child = subprocess.Popen(['sleep', '600'])
daemon = !setsid sh -c 'trap "" TERM HUP INT; sleep 600 >/dev/null 2>&1 & echo $!'
worker = multiprocessing.get_context('fork').Process(target=time.sleep, args=(600,))
worker.start()
print(child.pid, daemon[0], worker.pid)
"""

_RUNNER = """\
import asyncio, os, sys
from octavo.environments.launch import Environment, Launch
from octavo.kernels.fork.engine import ForkEngine
from octavo.kernels.port import Code

async def main():
    launch = Launch(environment=Environment(python=sys.executable, why="test"), cwd=os.getcwd(),
                    variables=dict(os.environ))
    texts = []
    kernel = await ForkEngine().start(launch, texts.extend)
    await kernel.execute(Code(0, sys.argv[1]))
    print(kernel.pid, *[e.text for e in texts], flush=True)
    await kernel.execute(Code(1, "while True: pass"))

asyncio.run(main())
"""


async def _start(probe: Probe) -> tuple[int, Watched]:
    """The keeper of a kernel that has started processes, and all that must end."""
    ran = await probe.run(_START)
    started = [int(word) for word in ran.text().split()]
    assert len(started) == 3, ran.events
    keeper = parent(probe.kernel.pid)
    return keeper, Watched([probe.kernel.pid, keeper, *started])


def test_stopping_leaves_nothing(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        _, watched = await _start(probe)
        await probe.kernel.stop()
        watched.assert_gone()

    probed(drive)


def test_killing_the_keeper_leaves_nothing(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        keeper, watched = await _start(probe)
        os.kill(keeper, signal.SIGKILL)
        assert (await probe.run("1 + 1")).outcome.status == "died"
        assert probe.kernel.death is not None
        assert probe.kernel.death.cause == "lost"
        watched.assert_gone()

    probed(drive)


def test_killing_the_kernel_leaves_nothing(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        _, watched = await _start(probe)
        os.kill(probe.kernel.pid, signal.SIGKILL)
        assert (await probe.run("1 + 1")).outcome.status == "died"
        watched.assert_gone()

    probed(drive)


def test_killing_the_zygote_spares_its_kernels(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        keeper, watched = await _start(probe)
        os.kill(parent(keeper), signal.SIGKILL)
        assert (await probe.run("1 + 1")).value == "2"
        other = Probe(probe.engine, probe.launch)
        assert (await other.run("2 + 2")).value == "4"
        await other.close()
        await probe.kernel.stop()
        watched.assert_gone()

    probed(drive)


def test_a_zygote_that_ends_with_the_request_unread_is_replaced(
    probed: Callable[[Any], Any],
) -> None:
    async def drive(probe: Probe) -> None:
        keeper, watched = await _start(probe)
        zygote = parent(keeper)
        os.kill(zygote, signal.SIGSTOP)
        other = Probe(probe.engine, probe.launch)
        answer = asyncio.ensure_future(other.run("2 + 2"))
        await asyncio.sleep(0)
        os.kill(zygote, signal.SIGKILL)
        assert (await answer).value == "4"
        await other.close()
        await probe.kernel.stop()
        watched.assert_gone()

    probed(drive)


def test_killing_the_runner_leaves_nothing(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _RUNNER, _START], stdout=subprocess.PIPE, cwd=tmp_path
    ) as runner:
        assert runner.stdout is not None
        pids = [int(word) for word in runner.stdout.readline().split()]
        assert len(pids) == 4
        watched = Watched({*pids, *below(runner.pid)})
        runner.kill()
    watched.assert_gone()


def test_a_kernel_that_goes_on_forking_is_ended(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        cell = probe.begin(
            "import os, time\nprint('started')\n"
            "while True:\n"
            "    if os.fork() == 0:\n"
            "        time.sleep(0.05)\n"
            "        os.setsid()\n"
            "        while True: time.sleep(0.05)\n"
            "    time.sleep(0.002)"
        )
        await probe.seen("started")
        keeper = parent(probe.kernel.pid)
        watched = Watched([keeper, *below(keeper)])
        await probe.kernel.kill()
        assert (await cell).outcome.status == "died"
        watched.assert_gone()

    probed(drive)


def test_a_kernel_has_a_group_and_a_session_of_its_own(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        ran = await probe.run("import os\nos.getpgrp() == os.getpid(), os.getsid(0) == os.getpid()")
        assert ran.value == "(True, True)"
        assert os.getpgid(parent(probe.kernel.pid)) != os.getpgrp()

    probed(drive)


def test_descriptors_of_the_runner_stay_there(launch: Launch, loop: asyncio.Runner) -> None:
    read, write = os.pipe()
    os.set_inheritable(write, True)

    async def drive() -> None:
        engine = ForkEngine()
        probe = Probe(engine, launch)
        ran = await probe.run(f"import os\nos.fstat({write}).st_ino")
        assert ran.value != str(os.fstat(write).st_ino)
        await probe.close()
        await engine.close()

    try:
        loop.run(drive())
    finally:
        os.close(read)
        os.close(write)


def test_no_descriptor_is_handed_on(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        ran = await probe.run("import os\n_ = os.system('ls /proc/self/fd')")
        # `ls` opens one for the folder that it lists.
        assert ran.text().split() == ["0", "1", "2", "3"]

    probed(drive)
