"""Idle kernels of a resident zygote share what they can: few pages are a process's own.

Counted where the pages are: those of a process that no other process has. The bounds have air;
without the rehearsal a kernel has more than twice as many.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kernels.processes import Watched, parent
from octavo.environments.launch import Launch
from octavo.kernels.conformance import Probe
from octavo.kernels.fork import resident
from octavo.kernels.fork.copies import ForkSnapshot
from octavo.kernels.fork.engine import ForkEngine
from octavo.kernels.fork.kernel import ForkKernel

pytestmark = pytest.mark.kernel

KEEPER_KB = 1_500
KERNEL_KB = 4_500
IDLE_SECONDS = 600.0


def _private_kb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


@contextmanager
def _resident(folder: Path, launch: Launch) -> Iterator[str]:
    python, variables = launch.environment.python, dict(launch.variables)
    path = resident.start(str(folder), python, variables, (), None, IDLE_SECONDS)
    try:
        yield str(folder)
    finally:
        resident.stop(path)


async def _held(engine: ForkEngine, launch: Launch) -> tuple[int, int]:
    """What the keeper and the kernel of one session hold, when others have come after it."""
    probes = [Probe(engine, launch) for _ in range(3)]
    try:
        for probe in probes:
            await probe.run("x = 1")
            assert isinstance(probe.kernel, ForkKernel)
            snapshot = await probe.kernel.snapshot()
            assert isinstance(snapshot, ForkSnapshot)
            copy = Watched([snapshot.pid])
            await snapshot.drop()
            copy.assert_gone()  # it shares pages with its kernel as long as it is there
        pid = probes[0].kernel.pid
        return _private_kb(parent(pid)), _private_kb(pid)
    finally:
        for probe in probes:
            await probe.close()


@pytest.mark.skipif(
    not Path("/proc/self/smaps_rollup").exists(), reason="this system does not count private pages"
)
def test_an_idle_kernel_and_its_keeper_have_few_pages_of_their_own(
    loop: asyncio.Runner, launch: Launch, tmp_path: Path
) -> None:
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    with _resident(folder, launch) as where:
        engine = ForkEngine(resident_folder=where)
        keeper, kernel = loop.run(_held(engine, launch))
        loop.run(engine.close())
    assert keeper < KEEPER_KB
    assert kernel < KERNEL_KB
