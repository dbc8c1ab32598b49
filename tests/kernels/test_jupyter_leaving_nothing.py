"""Whatever is killed, nothing that a Jupyter kernel started goes on, and no file stays."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kernels.processes import Watched, below, parent
from octavo.environments.launch import Launch
from octavo.kernels.conformance import Probe
from octavo.kernels.jupyter.engine import JupyterEngine

pytestmark = [pytest.mark.kernel, pytest.mark.fault]

_START = """\
import subprocess
child = subprocess.Popen(['sleep', '600'])
daemon = !setsid sh -c 'trap "" TERM HUP INT; sleep 600 >/dev/null 2>&1 & echo $!'
print(child.pid, daemon[0])
"""

_RUNNER = """\
import asyncio, os, sys, tempfile
tempfile.tempdir = sys.argv[2]
from octavo.environments.launch import Environment, Launch
from octavo.kernels.jupyter.engine import JupyterEngine
from octavo.kernels.port import Code

async def main():
    launch = Launch(environment=Environment(python=sys.executable, why="test"), cwd=os.getcwd(),
                    variables={"PATH": os.environ["PATH"], "HOME": os.getcwd()})
    texts = []
    kernel = await JupyterEngine().start(launch, texts.extend)
    await kernel.execute(Code(0, sys.argv[1]))
    print(kernel.pid, *[e.text for e in texts], flush=True)
    await kernel.execute(Code(1, "while True: pass"))

asyncio.run(main())
"""


@pytest.mark.parametrize("victim", ["kernel", "keeper", "outer"])
def test_killing_one_leaves_nothing(victim: str, loop: asyncio.Runner, launch: Launch) -> None:
    async def drive() -> None:
        probe = Probe(JupyterEngine(), launch)
        ran = await probe.run(_START)
        started = [int(word) for word in ran.text().split()]
        keeper = parent(probe.kernel.pid)
        outer = parent(keeper)
        watched = Watched([probe.kernel.pid, keeper, outer, *started])
        pid = {"kernel": probe.kernel.pid, "keeper": keeper, "outer": outer}[victim]
        os.kill(pid, signal.SIGKILL)
        if victim == "outer":
            assert (await probe.run("1 + 1")).value == "2"
            await probe.kernel.stop()
        else:
            # The kernel of a keeper that was killed may still answer while it is being ended.
            while (await probe.run("1 + 1")).ok:
                pass
            assert probe.kernel.death is not None
        watched.assert_gone()

    loop.run(drive())


def test_killing_the_runner_leaves_nothing(tmp_path: Path) -> None:
    sockets = tmp_path / "s"
    sockets.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", _RUNNER, _START, str(sockets)], stdout=subprocess.PIPE, cwd=tmp_path
    ) as runner:
        assert runner.stdout is not None
        pids = [int(word) for word in runner.stdout.readline().split()]
        assert len(pids) == 3
        watched = Watched({*pids, *below(runner.pid)})
        runner.kill()
    watched.assert_gone()
    assert os.listdir(sockets) == []


def test_a_kernel_inherits_nothing(loop: asyncio.Runner, launch: Launch) -> None:
    read, write = os.pipe()
    os.set_inheritable(write, True)

    async def drive() -> None:
        probe = Probe(JupyterEngine(), launch)
        try:
            ran = await probe.run("import os\n_ = os.system('ls /proc/self/fd')")
            # `ls` opens one for the folder that it lists.
            assert ran.text().split() == ["0", "1", "2", "3"]
        finally:
            await probe.close()

    try:
        loop.run(drive())
    finally:
        os.close(read)
        os.close(write)
