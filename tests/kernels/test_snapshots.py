"""Snapshots of forked kernels: many of them, what they refuse, and what is left when they end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kernels.processes import Watched, below, parent
from octavo.environments.launch import Limits
from octavo.errors import KernelFailure
from octavo.events.types import LimitExceeded
from octavo.kernels.conformance import Probe
from octavo.kernels.fork.copies import ForkSnapshot
from octavo.kernels.fork.kernel import ForkKernel
from octavo.kernels.port import Refusal

pytestmark = pytest.mark.kernel


async def _snapshot(probe: Probe, *connections: str) -> ForkSnapshot:
    kernel = probe.kernel
    assert isinstance(kernel, ForkKernel)
    found = await kernel.snapshot(connections)
    assert isinstance(found, ForkSnapshot), found
    return found


async def _refusal(probe: Probe, *connections: str) -> Refusal:
    kernel = probe.kernel
    assert isinstance(kernel, ForkKernel)
    found = await kernel.snapshot(connections)
    assert isinstance(found, Refusal)
    return found


def test_two_hundred_snapshots_each_have_their_moment(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.run("n = 0")
        snapshots = []
        for _ in range(200):
            await probe.run("n += 1")
            snapshots.append(await _snapshot(probe))
        keeper = parent(probe.kernel.pid)
        watched = Watched([keeper, *below(keeper)])
        for moment in (0, 99, 199):
            other = await probe.resume(snapshots[moment])
            assert (await other.run("n")).value == str(moment + 1)
            await other.close()
        for snapshot in snapshots:
            await snapshot.drop()
        await probe.kernel.stop()
        watched.assert_gone()

    probed(drive)


def test_going_back_again_and_again_leaves_no_chain(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.run("n = 0")
        keeper = parent(probe.kernel.pid)
        current, snapshot = probe, await _snapshot(probe)
        for _ in range(10):
            other = await current.resume(snapshot)
            await current.kernel.kill()
            await snapshot.drop()
            await other.run("n += 1")
            current, snapshot = other, await _snapshot(other)
        assert (await current.run("n")).value == "10"
        # The first keeper, the kernel and its own keeper, and one frozen copy.
        assert len([pid for pid in below(keeper) if _lives(pid)]) <= 4
        watched = Watched([keeper, *below(keeper)])
        await current.close()
        await snapshot.drop()
        watched.assert_gone()

    probed(drive)


def _lives(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


# What is refused


@pytest.mark.parametrize(
    ("source", "reason", "named"),
    [
        (
            "import _thread, time\n_ = _thread.start_new_thread(time.sleep, (60,))",
            "thread-pool",
            "",
        ),
        (
            "import mmap\na = mmap.mmap(-1, 300 << 20)",
            "unsupported",
            "300 MB of memory are shared",
        ),
        (
            "import sqlite3\nc = sqlite3.connect('a.db')\n_ = c.execute('create table t (a)')\n"
            "_ = c.execute('begin immediate')",
            "connections",
            "a.db",
        ),
        (
            "import asyncio\ns = await asyncio.start_server(lambda r, w: None, '127.0.0.1', 0)",
            "connections",
            "it listens on 127.0.0.1:",
        ),
        (
            "import mmap\nf = open('a.bin', 'w+b'); f.truncate(9); m = mmap.mmap(f.fileno(), 9)",
            "unsupported",
            "a.bin",
        ),
        (
            "import os\nif os.fork() == 0: os._exit(3)",
            "processes",
            "have not been waited for",
        ),
    ],
)
def test_what_a_copy_would_break_is_refused(
    source: str, reason: str, named: str, probed: Callable[[Any], Any]
) -> None:
    async def drive(probe: Probe) -> None:
        assert (await probe.run(source)).ok
        refusal = await _refusal(probe)
        assert refusal.reason == reason, refusal
        assert named in refusal.message
        assert (await probe.run("1 + 1")).value == "2"

    probed(drive)


def test_polars_after_a_query_is_refused_by_name(probed: Callable[[Any], Any]) -> None:
    pytest.importorskip("polars")

    async def drive(probe: Probe) -> None:
        await probe.run(
            "import polars\nd = polars.DataFrame({'a': range(10_000)})\n"
            "_ = d.group_by(polars.col('a') % 7).agg(polars.col('a').sum())"
        )
        refusal = await _refusal(probe)
        assert refusal.reason == "thread-pool"
        assert "Polars" in refusal.message

    probed(drive)


def test_threads_that_libraries_look_after_are_no_obstacle(probed: Callable[[Any], Any]) -> None:
    pytest.importorskip("pyarrow")

    async def drive(probe: Probe) -> None:
        await probe.run(
            "import numpy, os\na = numpy.random.rand(600, 600); _ = a @ a\n"
            "import pyarrow, pyarrow.parquet, pyarrow.compute\n"
            "pyarrow.parquet.write_table(pyarrow.table({'a': range(100_000)}), 'a.parquet')\n"
            "_ = pyarrow.parquet.read_table('a.parquet')"
        )
        other = await probe.resume(await _snapshot(probe))
        ran = await other.run(
            "(a @ a).shape, pyarrow.parquet.read_table('a.parquet')['a'].to_pandas().sum()"
        )
        assert ran.value is not None
        assert "4999950000" in ran.value
        await other.close()

    probed(drive)


def test_the_monitor_of_tqdm_is_no_obstacle(probed: Callable[[Any], Any]) -> None:
    pytest.importorskip("tqdm")

    async def drive(probe: Probe) -> None:
        ran = await probe.run(
            "from tqdm import tqdm\nfor _ in tqdm(range(3)): pass\n"
            "tqdm.monitor is not None and tqdm.monitor.is_alive()"
        )
        assert ran.value == "True"
        other = await probe.resume(await _snapshot(probe))
        assert (await other.run("[n for n in tqdm(range(3))]")).value == "[0, 1, 2]"
        await other.close()

    probed(drive)


def test_connections_are_refused_where_a_policy_names_them(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.run(
            "import socket\nlistener = socket.create_server(('127.0.0.1', 0))\n"
            "c = socket.create_connection(listener.getsockname())\n"
            "d, _ = listener.accept(); listener.close()"
        )
        refusal = await _refusal(probe, "127.0.0.*")
        assert refusal.reason == "connections"
        assert "127.0.0.1:" in refusal.message
        assert (await _refusal(probe, "*")).reason == "connections"
        await (await _snapshot(probe, "10.0.0.1", "*:5432")).drop()

    probed(drive)


# What a copy holds


def test_a_connection_ends_in_the_copy_and_not_in_the_kernel(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.run("import socket\na, b = socket.socketpair(); b.settimeout(30)")
        other = await probe.resume(await _snapshot(probe))
        assert (await other.run("b.recv(1)")).value == "b''"
        failed = await other.run("a.send(b'x'); a.send(b'x')")
        assert failed.error.ename == "BrokenPipeError"
        assert (await probe.run("a.send(b'y'), b.recv(1)")).value == "(1, b'y')"
        await other.close()

    probed(drive)


def test_shared_memory_is_not_shared_with_a_copy(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.run(
            "import multiprocessing\ncontext = multiprocessing.get_context('fork')\n"
            "lock, numbers = context.Lock(), context.Array('i', [1, 2, 3])\n"
            "def work(at):\n    with lock: numbers[at] *= 10\n"
            "def child(at):\n    p = context.Process(target=work, args=(at,)); p.start(); p.join()"
        )
        snapshot = await _snapshot(probe)
        await probe.run("child(0)")
        other = await probe.resume(snapshot)
        assert (await other.run("child(1); _ = lock.acquire(); numbers[:]")).value == "[1, 20, 3]"
        await other.kernel.kill()
        assert (await probe.run("child(2); numbers[:]")).value == "[10, 2, 30]"

    probed(drive)


def test_files_that_a_library_closes_in_every_fork_are_no_trouble(
    probed: Callable[[Any], Any],
) -> None:
    async def drive(probe: Probe) -> None:
        await probe.run(
            "import os\nfor n in range(3): open(f'{n}', 'w').close()\n"
            "kept = [open(f'{n}') for n in range(3)]\n"
            "os.register_at_fork(after_in_child=lambda: kept[0].close())"
        )
        other = await probe.resume(await _snapshot(probe))
        assert (await other.run("[f.closed for f in kept]")).value == "[True, False, False]"
        await other.close()

    probed(drive)


def test_text_that_was_redirected_stays_so(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.run(
            "import os\nsaved = os.dup(1)\nf = open('elsewhere', 'w')\n_ = os.dup2(f.fileno(), 1)"
        )
        other = await probe.resume(await _snapshot(probe))
        ran = await other.run(
            "_ = os.system('echo into the file')\n_ = os.dup2(saved, 1)\n"
            "_ = os.system('echo to the runner')\nprint(open('elsewhere').read())"
        )
        assert ran.text() == "to the runner\ninto the file\n\n"
        await other.close()

    probed(drive)


def test_frozen_copies_do_not_count_as_the_notebooks(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.start(limits=Limits(memory=300 << 20, processes=4))
        for n in range(8):
            await probe.run(f"block = bytes([{n}]) * (60 << 20)")
            await _snapshot(probe)
        ran = await probe.run("import time\nfor _ in range(4): time.sleep(0.1)")
        assert ran.ok, ran.events
        other = await probe.resume(await _snapshot(probe))
        ran = await other.run("blocks = []\nwhile True: blocks.append(b'x' * (8 << 20))")
        assert ran.outcome.status == "died"
        (event,) = [event for event in ran.events if isinstance(event, LimitExceeded)]
        assert event.limit == "memory"
        assert (await probe.run("len(block)")).value == str(60 << 20)
        await other.close()

    probed(drive)


# Whatever is killed, nothing stays

_ABANDONED = """\
import subprocess
child = subprocess.Popen(['sleep', '600'])
daemon = !setsid sh -c 'trap "" TERM HUP INT; sleep 600 >/dev/null 2>&1 & echo $!'
print(child.pid, daemon[0])
"""


async def _family(probe: Probe) -> tuple[ForkSnapshot, Probe, Watched]:
    """A kernel with a snapshot and a continuation, all with processes of their own."""
    await probe.run("import subprocess")
    snapshot = await _snapshot(probe)
    await probe.run(_ABANDONED)
    other = await probe.resume(snapshot)
    await other.run(_ABANDONED)
    keeper = parent(probe.kernel.pid)
    return snapshot, other, Watched([keeper, *below(keeper)])


@pytest.mark.fault
def test_killing_the_first_keeper_leaves_nothing(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        snapshot, other, watched = await _family(probe)
        os.kill(parent(probe.kernel.pid), signal.SIGKILL)
        watched.assert_gone()
        with pytest.raises(KernelFailure) as caught:
            await snapshot.resume(lambda events: None)
        assert caught.value.kind == "kernel-died"
        assert caught.value.hint
        assert (await other.run("1")).outcome.status == "died"

    probed(drive)


@pytest.mark.fault
def test_ending_the_kernel_spares_its_continuations(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.run("import subprocess")
        snapshot = await _snapshot(probe)
        ran = await probe.run(_ABANDONED)
        gone = Watched([probe.kernel.pid, *map(int, ran.text().split())])
        other = await probe.resume(snapshot)
        kept = [int(word) for word in (await other.run(_ABANDONED)).text().split()]
        os.kill(probe.kernel.pid, signal.SIGKILL)
        gone.assert_gone()
        assert (await other.run("child.poll() is None")).value == "True"
        third = await other.resume(snapshot)
        watched = Watched([*kept, other.kernel.pid, third.kernel.pid, snapshot.pid])
        await other.close()
        await third.close()
        await snapshot.drop()
        watched.assert_gone()

    probed(drive)


@pytest.mark.fault
def test_a_continuation_takes_what_it_started_along(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        snapshot = await _idle_snapshot(probe)
        other = await probe.resume(snapshot)
        pids = [int(word) for word in (await other.run(_ABANDONED)).text().split()]
        watched = Watched([other.kernel.pid, parent(other.kernel.pid), *pids])
        await other.kernel.kill()
        watched.assert_gone()
        assert (await probe.run("1 + 1")).value == "2"

    probed(drive)


async def _idle_snapshot(probe: Probe) -> ForkSnapshot:
    await probe.run("x = 1")
    return await _snapshot(probe)


@pytest.mark.fault
def test_killing_the_keeper_of_a_continuation_ends_it(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        snapshot = await _idle_snapshot(probe)
        other = await probe.resume(snapshot)
        keeper = parent(other.kernel.pid)
        watched = Watched([keeper, other.kernel.pid])
        os.kill(keeper, signal.SIGKILL)
        assert (await other.run("1")).outcome.status == "died"
        assert other.kernel.death is not None
        assert other.kernel.death.cause == "lost"
        watched.assert_gone()
        third = await probe.resume(snapshot)
        assert (await third.run("x")).value == "1"
        await third.close()

    probed(drive)


@pytest.mark.fault
def test_killing_a_frozen_copy_spares_who_went_on(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        snapshot = await _idle_snapshot(probe)
        other = await probe.resume(snapshot)
        os.kill(snapshot.pid, signal.SIGKILL)
        Watched([]).assert_gone()
        assert (await other.run("x")).value == "1"
        assert (await probe.run("x")).value == "1"
        with pytest.raises(KernelFailure):
            await snapshot.resume(lambda events: None)
        await other.close()

    probed(drive)


@pytest.mark.fault
def test_a_copy_that_hangs_is_given_up(
    probed: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("octavo.kernels.fork.copies.RESUME_SECONDS", 0.5)

    async def drive(probe: Probe) -> None:
        await probe.run(
            "import os, signal\nmade = 0\n"
            "def hang():\n"
            "    global made\n    made += 1\n"
            "    if made > 2: signal.pause()\n"
            "os.register_at_fork(after_in_child=hang)"
        )
        snapshot = await _snapshot(probe)
        with pytest.raises(KernelFailure) as caught:
            await snapshot.resume(lambda events: None)
        assert "within" in caught.value.message
        assert (await probe.run("1 + 1")).value == "2"

    probed(drive)


_RUNNER = """\
import asyncio, os, sys
from octavo.environments.launch import Environment, Launch
from octavo.kernels.fork.engine import ForkEngine
from octavo.kernels.port import Code

async def main():
    launch = Launch(environment=Environment(python=sys.executable, why="test"), cwd=os.getcwd(),
                    variables=dict(os.environ))
    kernel = await ForkEngine().start(launch, lambda events: None)
    snapshot = await kernel.snapshot()
    await kernel.execute(Code(0, sys.argv[1]))
    other = await snapshot.resume(lambda events: None)
    await other.execute(Code(0, sys.argv[1]))
    print("there", flush=True)
    await other.execute(Code(1, "while True: pass"))

asyncio.run(main())
"""


@pytest.mark.fault
def test_killing_the_runner_leaves_nothing(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _RUNNER, _ABANDONED], stdout=subprocess.PIPE, cwd=tmp_path
    ) as runner:
        assert runner.stdout is not None
        assert runner.stdout.readline() == b"there\n"
        watched = Watched(below(runner.pid))
        runner.kill()
    watched.assert_gone()


# Asking


def test_a_question_that_takes_too_long_ends(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.run(
            "import octavo_runtime.asking as a, time\na.slow = lambda names: time.sleep(99)"
        )
        assert isinstance(probe.kernel, ForkKernel)
        with pytest.raises(TimeoutError):
            await probe.kernel.ask("asking:slow", {}, 0.2)
        assert (await probe.run("1 + 1")).value == "2"

    probed(drive)


def test_a_question_that_crashes_costs_a_copy_only(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.run(
            "import octavo_runtime.asking as a, os\n"
            "a.crash = lambda names: os.kill(os.getpid(), 11)\n"
            "a.large = lambda names: 'x' * 3_000_000\n"
            "a.loud = lambda names: print('heard') or names.__setitem__('x', 2)\n"
            "a.broken = lambda names: 1 / 0"
        )
        kernel = probe.kernel
        assert isinstance(kernel, ForkKernel)
        wrong = (
            ("crash", "crash"),
            ("large", "2 MB"),
            ("broken", "ZeroDivisionError"),
            ("no", "no"),
        )
        for name, words in wrong:
            with pytest.raises(KernelFailure, match=words):
                await kernel.ask(f"asking:{name}", {}, 10.0)
        assert await kernel.ask("asking:loud", {}, 10.0) is None
        ran = await probe.run("'x' in globals()")
        assert ran.value == "False"
        assert "heard" not in "".join(str(event) for event in probe.events)

    probed(drive)


def test_many_questions_at_once_are_all_answered(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.run("x = 1")
        kernel = probe.kernel
        assert isinstance(kernel, ForkKernel)
        answers = [kernel.ask("asking:names", {}, 30.0) for _ in range(20)]
        assert await asyncio.gather(*answers) == [["x"]] * 20

    probed(drive)


def test_a_dead_kernel_cannot_be_copied_nor_asked(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.run("x = 1")
        kernel = probe.kernel
        assert isinstance(kernel, ForkKernel)
        await kernel.kill()
        with contextlib.suppress(TimeoutError), pytest.raises(KernelFailure):
            await kernel.snapshot()
        with pytest.raises(KernelFailure):
            await kernel.ask("asking:names", {}, 1.0)

    probed(drive)
