"""Starting kernels: what they load, what they are given, and what is said when they cannot."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from kernels.processes import parent
from octavo.environments.launch import Environment, Launch
from octavo.errors import EnvironmentFailure
from octavo.events.types import KernelEvent
from octavo.kernels.conformance import Probe
from octavo.kernels.fork.engine import ForkEngine
from octavo.kernels.port import Code

pytestmark = pytest.mark.kernel


def test_modules_can_be_preloaded(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.start(preload=("numpy", "json.tool"))
        ran = await probe.run("import sys\n'numpy' in sys.modules, 'json.tool' in sys.modules")
        assert ran.value == "(True, True)"
        other = Probe(probe.engine, probe.launch)
        draw = "import numpy.random\nfloat(numpy.random.random())"
        assert (await probe.run(draw)).value != (await other.run(draw)).value
        await other.close()

    probed(drive)


def test_preloaded_multiprocessing_starts_afresh(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        await probe.start(preload=("multiprocessing", "tempfile"))
        ran = await probe.run(
            "import multiprocessing.process as p, os\n"
            "p.ORIGINAL_DIR == os.getcwd(), len(p.current_process().authkey)"
        )
        assert ran.value == "(True, 32)"

    probed(drive)


def test_a_preload_that_fails_is_named(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        for _ in range(2):
            with pytest.raises(EnvironmentFailure) as caught:
                await probe.start(preload=("no_such_module",))
            assert caught.value.kind == "environment-broken"
            assert "--preload no_such_module" in caught.value.message
            assert "--preload" in caught.value.hint

    probed(drive)


def test_an_interpreter_that_is_gone_is_named(loop: asyncio.Runner, launch: Launch) -> None:
    missing = launch.replace(environment=Environment(python="/gone/bin/python", why="--python"))
    with pytest.raises(EnvironmentFailure) as caught:
        loop.run(ForkEngine().start(missing, lambda events: None))
    assert caught.value.kind == "interpreter-missing"
    assert "/gone/bin/python" in caught.value.message


def test_an_interpreter_that_is_none_is_told(
    loop: asyncio.Runner, launch: Launch, tmp_path: Path
) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'not a python' >&2\nexit 3\n")
    python.chmod(0o755)
    broken = launch.replace(environment=Environment(python=str(python), why="--python"))
    with pytest.raises(EnvironmentFailure) as caught:
        loop.run(ForkEngine().start(broken, lambda events: None))
    assert caught.value.kind == "environment-broken"
    assert "not a python" in caught.value.message


def test_a_folder_that_is_gone_is_told(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        with pytest.raises(Exception, match="did not start") as caught:
            await probe.start(cwd="/no/such/folder")
        assert getattr(caught.value, "kind", "") == "kernel-start"

    probed(drive)


def test_variables_are_in_no_process_listing(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        secret = "s3cr3t-value-of-a-test"
        await probe.start(variables={**probe.launch.variables, "API_TOKEN": secret})
        assert (await probe.run("import os\nos.environ['API_TOKEN']")).value == repr(secret)
        keeper = parent(probe.kernel.pid)
        for pid in (probe.kernel.pid, keeper, parent(keeper)):
            assert secret not in Path(f"/proc/{pid}/environ").read_text(errors="replace")
            assert secret not in Path(f"/proc/{pid}/cmdline").read_text(errors="replace")

    probed(drive)


def test_many_kernels_run_side_by_side(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        probes = [Probe(probe.engine, probe.launch) for _ in range(8)]
        cells = [each.run(f"for i in range(50): print({n})") for n, each in enumerate(probes)]
        for n, ran in enumerate(await asyncio.gather(*cells)):
            assert ran.text() == f"{n}\n" * 50
        await asyncio.gather(*(each.close() for each in probes))

    probed(drive)


def test_a_sink_that_fails_ends_the_cell(loop: asyncio.Runner, launch: Launch) -> None:
    """What cannot be written must not go on happening."""

    def full(events: Sequence[KernelEvent]) -> None:
        raise OSError(28, "No space left on device")

    async def drive() -> None:
        engine = ForkEngine()
        kernel = await engine.start(launch, full)
        with pytest.raises(OSError, match="No space left"):
            await kernel.execute(Code(0, "print('x')\nwhile True: pass"))
        assert kernel.death is not None
        await kernel.stop()
        await engine.close()

    loop.run(drive())


def test_code_that_speaks_to_the_runner_itself_does_no_harm(probed: Callable[[Any], Any]) -> None:
    async def drive(probe: Probe) -> None:
        ran = await probe.run(
            "import json\n"
            "sock = get_ipython().kernel.emitter._sock\n"
            "for message in (b'not json', b'[]', b'{}', b'{\"type\": 5}', b'@',"
            " json.dumps({'type': 'cell-finished', 'n': 'x'}).encode(),"
            " json.dumps({'type': 'display'}).encode()):\n"
            "    _ = sock.send(message)\n"
            "print('survived')"
        )
        assert ran.ok
        assert "survived\n" in ran.text()
        assert ran.stderr.count("a malformed event was dropped") >= 6
        assert (await probe.run("1 + 1")).value == "2"

    probed(drive)
