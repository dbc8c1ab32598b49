"""Limits end a kernel, also root's, and say what was allowed and what was used."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kernels.processes import Watched, parent
from octavo.environments.launch import Limits
from octavo.events.types import LimitExceeded
from octavo.kernels.conformance import Probe, Ran

pytestmark = pytest.mark.kernel


def _exceeded(probe: Probe, ran: Ran) -> LimitExceeded:
    assert ran.outcome.status == "died", ran.events
    (event,) = [event for event in ran.events if isinstance(event, LimitExceeded)]
    assert event.used >= event.allowed
    assert probe.kernel.death is not None
    assert f"{event.limit.replace('_', ' ')} limit" in probe.kernel.death.message
    return event


def test_memory_is_limited(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.start(limits=Limits(memory=200 << 20))
        assert (await probe.run("small = bytearray(10 << 20)")).ok
        ran = await probe.run(
            "print('before')\nblocks = []\nwhile True: blocks.append(b'x' * (8 << 20))"
        )
        event = _exceeded(probe, ran)
        assert (event.limit, event.allowed) == ("memory", 200 << 20)
        assert ran.text() == "before\n"

    probed(drive)


def test_memory_that_processes_share_counts_once(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.start(limits=Limits(memory=400 << 20))
        ran = await probe.run(
            "import multiprocessing, time\n"
            "block = bytearray(b'x') * (150 << 20)\n"
            "context = multiprocessing.get_context('fork')\n"
            "workers = [context.Process(target=time.sleep, args=(0.4,)) for _ in range(4)]\n"
            "for worker in workers: worker.start()\n"
            "for worker in workers: worker.join()"
        )
        assert ran.ok, ran.events

    probed(drive)


def test_memory_of_children_counts(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.start(limits=Limits(memory=200 << 20))
        ran = await probe.run(
            "import subprocess, sys\n"
            "code = 'b = []\\nwhile True: b.append(bytes([1]) * (8 << 20))'\n"
            "subprocess.run([sys.executable, '-c', code])"
        )
        assert _exceeded(probe, ran).limit == "memory"

    probed(drive)


def test_processes_are_limited(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.start(limits=Limits(processes=5))
        ran = await probe.run(
            "import subprocess\n"
            "many = [subprocess.Popen(['sleep', '600']) for _ in range(10)]\n"
            "many[0].wait()"
        )
        event = _exceeded(probe, ran)
        assert (event.limit, event.allowed) == ("processes", 5)

    probed(drive)


def test_processes_that_hide_are_counted(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.start(limits=Limits(processes=3))
        ran = await probe.run(
            "import time\n"
            "for _ in range(6):\n    !setsid sh -c 'sleep 600 >/dev/null 2>&1 &'\n"
            "time.sleep(600)"
        )
        assert _exceeded(probe, ran).limit == "processes"

    probed(drive)


def test_processor_time_is_limited(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.start(limits=Limits(cpu_seconds=0.5))
        event = _exceeded(probe, await probe.run("while True: pass"))
        assert (event.limit, event.allowed) == ("cpu_seconds", 0.5)

    probed(drive)


def test_the_size_of_files_is_limited(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.start(limits=Limits(file_size=100_000))
        assert (await probe.run("_ = open('small', 'wb').write(b'x' * 99_999)")).ok
        ran = await probe.run("print('before')\nopen('large', 'wb').write(b'x' * 200_000)")
        event = _exceeded(probe, ran)
        assert (event.limit, event.allowed) == ("file_size", 100_000)
        assert "line 2 in <module>" in ran.stderr

    probed(drive)


def test_output_is_no_file(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.start(limits=Limits(file_size=1000))
        ran = await probe.run(
            "print('x' * 100_000)\ndisplay({'text/plain': 'y' * 900_000}, raw=True)"
        )
        assert ran.ok, probe.kernel.death
        assert len(ran.text()) == 100_001

    probed(drive)


def test_a_kernel_within_its_limits_is_left_alone(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        limits = Limits(memory=4 << 30, processes=50, cpu_seconds=600, file_size=1 << 30)
        await probe.start(limits=limits)
        assert (await probe.run("import time\ntime.sleep(0.3)\n1 + 1")).value == "2"

    probed(drive)


def test_a_kernel_that_the_system_ends_for_memory_says_so(probed: Callable[[Any], Any]) -> None:
    group = Path(f"/sys/fs/cgroup/memory/octavo-test-{os.getpid()}")
    try:
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text(str(150 << 20))
    except OSError as error:
        pytest.skip(f"no control group of our own can be made here: {error}")

    async def drive(probe: Probe) -> None:
        kernel = await probe.start()
        pids = (parent(kernel.pid), kernel.pid)
        watched = Watched(pids)
        for pid in pids:
            (group / "cgroup.procs").write_text(str(pid))
        ran = await probe.run("blocks = []\nwhile True: blocks.append(b'x' * (8 << 20))")
        assert ran.outcome.status == "died"
        assert kernel.death is not None
        assert (kernel.death.cause, kernel.death.signal) == ("oom", "SIGKILL")
        assert "out of memory" in kernel.death.message
        watched.assert_gone()

    try:
        probed(drive)
    finally:
        group.rmdir()
