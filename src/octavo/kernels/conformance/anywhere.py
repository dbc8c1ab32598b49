"""What kernels of all languages can be asked, each in its own."""

from __future__ import annotations

import asyncio
import os
import tempfile

from octavo.environments.launch import Limits
from octavo.events.types import LimitExceeded
from octavo.kernels.conformance.check import Room
from octavo.kernels.conformance.probe import Probe

room = Room("anywhere", "code")


@room.check()
async def state_lasts_from_cell_to_cell(probe: Probe) -> None:
    assert (await probe.run(probe.language.remember)).ok
    assert (await probe.run(probe.language.recall)).text() == "remembered\n"


@room.check()
async def complaints_go_to_stderr(probe: Probe) -> None:
    ran = await probe.run(probe.language.complain)
    assert (ran.stderr, ran.text()) == ("oops\n", "")


@room.check()
async def letters_of_all_kinds_arrive(probe: Probe) -> None:
    assert (await probe.run(probe.language.unicode)).text() == "é€😀\n"


@room.check()
async def many_lines_arrive_whole(probe: Probe) -> None:
    ran = await probe.run(probe.language.lines)
    assert ran.text() == "".join(f"{i}\n" for i in range(2000))


@room.check()
async def a_mistake_in_writing_is_an_error(probe: Probe) -> None:
    ran = await probe.run(probe.language.mistake)
    assert ran.outcome.status == "error"
    assert ran.error.ename
    assert (await probe.run(probe.language.hello)).text() == "hello\n"


@room.check()
async def nothing_is_said_of_an_empty_cell(probe: Probe) -> None:
    ran = await probe.run("")
    assert ran.ok
    assert ran.events == ()


@room.check("signals")
async def a_process_that_leaves_has_died(probe: Probe) -> None:
    ran = await probe.run(probe.language.leave)
    assert ran.outcome.status == "died"
    assert probe.kernel.death is not None
    assert probe.kernel.death.cause in ("exit", "signal")
    assert (await probe.run(probe.language.hello)).outcome.status == "died"


@room.check("signals")
async def last_words_are_heard(probe: Probe) -> None:
    ran = await probe.run(probe.language.leave)
    assert ran.text() == "last words\n"


@room.check("launch")
async def the_launch_gives_variables_and_folder(probe: Probe) -> None:
    with tempfile.TemporaryDirectory() as folder:
        variables = {**probe.launch.variables, "OCTAVO_PROBE": "né=w"}
        await probe.start(variables=variables, cwd=folder)
        assert (await probe.run(probe.language.variable)).text() == "né=w\n"
        assert (await probe.run(probe.language.folder)).text() == f"{folder}\n"


@room.check("signals")
async def what_a_cell_has_started_ends_with_the_kernel(probe: Probe) -> None:
    ran = await probe.run(probe.language.child)
    started = int(ran.text().split()[-1])
    assert os.path.exists(f"/proc/{started}")
    await probe.kernel.stop()
    assert not os.path.exists(f"/proc/{started}")


@room.check("usage")
async def what_a_cell_uses_is_told(probe: Probe) -> None:
    usage = (await probe.run(probe.language.lines)).outcome.usage
    assert (usage.memory_peak or 0) > 1 << 20
    assert usage.cpu_seconds is not None


@room.check("limits")
async def a_limit_ends_the_kernel(probe: Probe) -> None:
    await probe.start(limits=Limits(memory=500 << 20))
    ran = await probe.run(probe.language.hoard)
    assert ran.outcome.status == "died"
    assert [e.limit for e in ran.events if isinstance(e, LimitExceeded)] == ["memory"]


@room.check("signals")
async def stopping_ends_a_busy_kernel(probe: Probe) -> None:
    cell = probe.begin(probe.language.spin)
    await probe.seen("started")
    await asyncio.wait_for(probe.kernel.stop(), 60)
    assert (await cell).outcome.status == "died"
