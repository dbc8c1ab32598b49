"""What every kernel owes its caller, whatever language it runs. The fake passes these too."""

from __future__ import annotations

from octavo.events.types import ErrorRaised, ExecuteResult, Stream
from octavo.kernels.conformance.check import Room
from octavo.kernels.conformance.probe import Probe

room = Room("port")


@room.check()
async def text_arrives_before_the_outcome(probe: Probe) -> None:
    ran = await probe.run(probe.language.hello)
    assert {(type(event), event.cell) for event in ran.events} == {(Stream, 0)}
    assert ran.text() == "hello\n"
    assert ran.outcome.status == "ok"


@room.check()
async def executions_are_counted(probe: Probe) -> None:
    first, second = await probe.run(probe.language.hello), await probe.run(probe.language.hello)
    assert [first.outcome.execution_count, second.outcome.execution_count] == [1, 2]


@room.check("values")
async def the_value_of_a_cell_is_its_result(probe: Probe) -> None:
    await probe.run(probe.language.two)
    ran = await probe.run(probe.language.two)
    results = [event for event in ran.events if isinstance(event, ExecuteResult)]
    assert [result.execution_count for result in results] == [2]
    assert "2" in results[0].data["text/plain"]


@room.check()
async def events_carry_the_cell_that_made_them(probe: Probe) -> None:
    await probe.run(probe.language.hello)
    ran = await probe.run(probe.language.hello)
    assert {event.cell for event in ran.events} == {1}


@room.check()
async def an_error_leaves_the_kernel_usable(probe: Probe) -> None:
    failed = await probe.run(probe.language.fail)
    assert failed.outcome.status == "error"
    assert isinstance(failed.events[-1], ErrorRaised)
    assert failed.error.ename == probe.language.ename
    assert failed.error.line == probe.language.line
    assert (await probe.run(probe.language.hello)).ok


@room.check()
async def a_kernel_knows_its_process(probe: Probe) -> None:
    kernel = await probe.start()
    assert kernel.pid > 0
    assert kernel.death is None


@room.check()
async def an_interrupt_ends_the_cell_and_not_the_kernel(probe: Probe) -> None:
    cell = probe.begin(probe.language.spin)
    await probe.seen("started")
    await probe.kernel.interrupt()
    ran = await cell
    assert ran.outcome.status == "error"
    assert ran.error.ename == "KeyboardInterrupt"
    assert (await probe.run(probe.language.hello)).text() == "hello\n"


@room.check()
async def killing_ends_the_running_cell(probe: Probe) -> None:
    cell = probe.begin(probe.language.spin)
    await probe.seen("started")
    await probe.kernel.kill()
    assert (await cell).outcome.status == "died"
    assert probe.kernel.death is not None
    assert probe.kernel.death.cause == "killed"


@room.check()
async def a_dead_kernel_answers_died(probe: Probe) -> None:
    kernel = await probe.start()
    await kernel.kill()
    assert (await probe.run(probe.language.hello)).outcome.status == "died"


@room.check()
async def a_kernel_may_be_stopped_twice(probe: Probe) -> None:
    kernel = await probe.start()
    await kernel.stop()
    await kernel.stop()
    assert kernel.death is not None


@room.check("python")
async def an_idle_kernel_ends_in_its_own_way(probe: Probe) -> None:
    kernel = await probe.start()
    await kernel.stop()
    assert kernel.death is not None
    assert kernel.death.exit_code == 0


@room.check()
async def kernels_of_one_engine_are_apart(probe: Probe) -> None:
    await probe.run(probe.language.hello)
    other = Probe(probe.engine, probe.launch)
    try:
        ran = await other.run(probe.language.hello)
        assert ran.outcome.execution_count == 1
        assert ran.text() == "hello\n"
        assert len([event for event in probe.events if isinstance(event, Stream)]) == 1
    finally:
        await other.close()
