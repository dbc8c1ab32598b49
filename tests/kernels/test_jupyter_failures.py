"""Kernels that are broken, each in its own way: told apart, never a hang, nothing left behind."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from octavo.environments.launch import Environment, Kernelspec, Launch
from octavo.errors import InfrastructureError
from octavo.events.types import ErrorRaised, ExitRequested, KernelEvent, Stream
from octavo.kernels.conformance import Probe, Ran
from octavo.kernels.jupyter import kernel as kernel_module
from octavo.kernels.jupyter.engine import JupyterEngine
from octavo.kernels.port import Code

pytestmark = pytest.mark.kernel

ODD = str(Path(__file__).with_name("odd_kernel.py"))


def odd(way: str) -> Kernelspec:
    argv = (sys.executable, ODD, way, "{connection_file}")
    return Kernelspec(name="odd", argv=argv, language="python", folder="/kernels/odd")


def refused(loop: asyncio.Runner, launch: Launch) -> InfrastructureError:
    with pytest.raises(InfrastructureError) as caught:
        loop.run(JupyterEngine().start(launch, lambda events: None))
    assert caught.value.hint
    return caught.value


def ran(loop: asyncio.Runner, launch: Launch, way: str, source: str = "x") -> Ran:
    async def drive() -> Ran:
        probe = Probe(JupyterEngine(), launch.replace(kernel=odd(way)))
        try:
            return await probe.run(source)
        finally:
            await probe.close()

    return loop.run(drive())


def test_a_program_that_is_gone(loop: asyncio.Runner, launch: Launch) -> None:
    spec = Kernelspec("r", ("/opt/r/bin/R", "{connection_file}"), "r", folder="/kernels/ir")
    error = refused(loop, launch.replace(kernel=spec))
    assert error.kind == "kernel-broken"
    assert "/opt/r/bin/R" in error.message
    assert error.place == "/kernels/ir/kernel.json"


def test_a_program_that_is_not_one(loop: asyncio.Runner, launch: Launch, tmp_path: Path) -> None:
    program = tmp_path / "kernel"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)
    spec = Kernelspec("x", (str(program), "{connection_file}"), "x", folder="/kernels/x")
    error = refused(loop, launch.replace(kernel=spec))
    assert (error.kind, error.place) == ("kernel-broken", "/kernels/x")
    assert str(program) in error.message


def test_a_folder_that_is_gone(loop: asyncio.Runner, launch: Launch) -> None:
    error = refused(loop, launch.replace(cwd="/no/such/folder", kernel=odd("silent")))
    assert error.kind == "kernel-start"
    assert "folder" in error.message


def test_a_kernel_that_ends_at_once(loop: asyncio.Runner, launch: Launch) -> None:
    error = refused(loop, launch.replace(kernel=odd("ends")))
    assert error.kind == "kernel-start"
    assert "exit code 7" in error.message
    assert "the licence has expired" in error.message


def test_a_kernel_that_never_answers(loop: asyncio.Runner, launch: Launch) -> None:
    error = refused(loop, launch.replace(kernel=odd("silent"), start_seconds=4))
    assert error.kind == "kernel-start"
    assert "within 4 s" in error.message
    assert "waiting for the moon" in str(error.details["stderr"])


@pytest.mark.parametrize("way", ["unsigned", "garbage", "shapeless"])
def test_a_kernel_that_answers_nonsense(way: str, loop: asyncio.Runner, launch: Launch) -> None:
    error = refused(loop, launch.replace(kernel=odd(way)))
    assert error.kind == "kernel-nonsense"
    assert "protocol" in error.message


def test_an_environment_without_ipykernel(
    loop: asyncio.Runner, launch: Launch, tmp_path: Path
) -> None:
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.base_prefix}/bin/python3" -I -S "$@"\n')
    bare.chmod(0o755)
    environment = Environment(python=str(bare), why="a test")
    error = refused(loop, launch.replace(environment=environment))
    assert error.kind == "kernel-missing"
    assert error.hint == f"try: {bare} -m pip install ipykernel"


def test_messages_to_others_and_of_unknown_kinds_are_ignored(
    loop: asyncio.Runner, launch: Launch
) -> None:
    cell = ran(loop, launch, "strangers")
    assert cell.ok
    assert cell.text() == "yours\n"


def test_half_a_surrogate_pair_does_not_end_the_kernel(
    loop: asyncio.Runner, launch: Launch
) -> None:
    assert ran(loop, launch, "strangers", "x = '\ud800'").ok


def test_malformed_messages_are_mentioned(loop: asyncio.Runner, launch: Launch) -> None:
    cell = ran(loop, launch, "malformed")
    assert cell.text() == "yours\n"
    assert cell.stderr.count("a malformed event was dropped") == 2
    assert len(cell.errors) == 1


@pytest.mark.parametrize(("way", "status"), [("no-reply", "error"), ("never-idle", "ok")])
def test_half_an_answer_is_no_hang(
    way: str,
    status: str,
    loop: asyncio.Runner,
    launch: Launch,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kernel_module, "PATIENCE_SECONDS", 0.5)
    cell = ran(loop, launch, way)
    assert cell.text() == "yours\n"
    assert cell.outcome.status == status
    assert [error.ename for error in cell.errors] == (["NoReply"] if status == "error" else [])


def test_an_error_that_only_the_reply_tells(loop: asyncio.Runner, launch: Launch) -> None:
    cell = ran(loop, launch, "asks-input")
    assert cell.outcome.status == "error"
    assert isinstance(cell.events[-1], ErrorRaised)
    assert (cell.error.ename, cell.error.evalue) == ("NoInput", "nobody is there")


def test_a_sink_that_cannot_write_ends_the_kernel(loop: asyncio.Runner, launch: Launch) -> None:
    def full(events: Sequence[KernelEvent]) -> None:
        raise OSError(28, "No space left on device")

    async def drive() -> None:
        kernel = await JupyterEngine().start(launch.replace(kernel=odd("plain")), full)
        with pytest.raises(OSError, match="No space left"):
            await kernel.execute(Code(0, "x"))
        await kernel.stop()
        assert kernel.death is not None
        assert kernel.death.cause == "killed"

    loop.run(drive())


def test_a_kernel_may_ask_to_leave(loop: asyncio.Runner, launch: Launch) -> None:
    assert isinstance(ran(loop, launch, "leaves").events[-1], ExitRequested)


def test_nothing_is_left_of_a_kernel_that_failed(
    loop: asyncio.Runner, launch: Launch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    refused(loop, launch.replace(kernel=odd("ends")))
    assert os.listdir(tmp_path) == []


def test_a_flood_of_small_messages_arrives_whole_before_a_slow_reader(
    loop: asyncio.Runner, launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel is held while more lies here than may: little memory, no message lost."""
    monkeypatch.setattr("octavo.kernels.jupyter.wire.HELD_ABOVE_BYTES", 1 << 20)
    monkeypatch.setattr("octavo.kernels.jupyter.wire.LET_GO_BELOW_BYTES", 1 << 18)
    monkeypatch.setattr("octavo.kernels.jupyter.wire.PORTION_BYTES", 1 << 17)
    count = 30_000
    texts: list[str] = []
    held: list[bool] = []
    holding = threading.Event()

    def sink(events: Sequence[KernelEvent]) -> None:
        holding.wait(60)  # as slow as it can be: until the kernel has been stopped
        texts.extend(event.text for event in events if isinstance(event, Stream))

    def braking(brake: Callable[[bool], None]) -> Callable[[bool], None]:
        def note(on: bool) -> None:
            brake(on)
            held.append(on)
            holding.set()

        return note

    async def drive() -> None:
        kernel: Any = await JupyterEngine().start(launch.replace(kernel=odd("flood")), sink)
        wire = kernel._client.wire
        wire._brake = braking(wire._brake)
        assert (await kernel.execute(Code(0, str(count)))).status == "ok"
        assert wire.largest_backlog < 8 << 20
        await kernel.stop()

    loop.run(drive())
    assert texts == [*(f"{number:099d}\n" for number in range(count)), "yours\n"]
    assert held[:2] == [True, False]
