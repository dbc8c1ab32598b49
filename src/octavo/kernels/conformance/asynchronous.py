"""Top-level await, and an event loop that lives across cells."""

from __future__ import annotations

from octavo.kernels.conformance.check import Room
from octavo.kernels.conformance.probe import Probe

room = Room("asynchronous", "python")


@room.check()
async def cells_may_await(probe: Probe) -> None:
    ran = await probe.run("import asyncio\nawait asyncio.sleep(0, 'done')")
    assert ran.value == "'done'"


@room.check()
async def async_comprehensions_and_context_managers_work(probe: Probe) -> None:
    ran = await probe.run(
        "import contextlib\n"
        "async def numbers():\n    for i in range(3): yield i\n"
        "@contextlib.asynccontextmanager\nasync def lock():\n    yield 'in'\n"
        "async with lock() as word: pass\n"
        "[i async for i in numbers()], word"
    )
    assert ran.value == "([0, 1, 2], 'in')"


@room.check()
async def tasks_live_across_cells(probe: Probe) -> None:
    await probe.run(
        "import asyncio\n"
        "gate = asyncio.Event()\n"
        "async def wait():\n    await gate.wait()\n    return 'through'\n"
        "task = asyncio.create_task(wait())"
    )
    await probe.run("gate.set()")
    assert (await probe.run("await task")).value == "'through'"


@room.check()
async def tasks_go_on_between_cells(probe: Probe) -> None:
    await probe.run(
        "import asyncio\n"
        "async def later():\n    await asyncio.sleep(0.01)\n    print('between cells')\n"
        "task = asyncio.ensure_future(later())"
    )
    await probe.seen("between cells")


@room.check()
async def a_loop_runs_in_every_cell(probe: Probe) -> None:
    ran = await probe.run("import asyncio\nasyncio.get_running_loop().is_running()")
    assert ran.value == "True"
    ran = await probe.run("asyncio.get_event_loop() is asyncio.get_running_loop()")
    assert ran.value == "True"


@room.check()
async def the_loop_is_one_and_the_same(probe: Probe) -> None:
    await probe.run("import asyncio\nfirst = asyncio.get_running_loop()")
    assert (await probe.run("asyncio.get_running_loop() is first")).value == "True"


@room.check()
async def asyncio_run_is_refused_as_everywhere(probe: Probe) -> None:
    ran = await probe.run(
        "import asyncio\nasync def f(): return 1\nc = f()\n"
        "try:\n    asyncio.run(c)\nfinally:\n    c.close()"
    )
    assert ran.error.ename == "RuntimeError"
    assert "running event loop" in ran.error.evalue


@room.check()
async def asyncio_run_works_in_a_thread(probe: Probe) -> None:
    ran = await probe.run(
        "import asyncio, concurrent.futures\n"
        "async def f(): return 7\n"
        "with concurrent.futures.ThreadPoolExecutor() as pool:\n"
        "    value = pool.submit(lambda: asyncio.run(f())).result()\n"
        "value"
    )
    assert ran.value == "7"


@room.check()
async def errors_in_awaited_code_have_their_line(probe: Probe) -> None:
    ran = await probe.run("import asyncio\nawait asyncio.sleep(0)\nraise ValueError('late')")
    assert (ran.error.ename, ran.error.line) == ("ValueError", 3)


@room.check("python-3.11")
async def a_failing_task_group_is_shown(probe: Probe) -> None:
    ran = await probe.run(
        "import asyncio\n"
        "async def bad(): raise ValueError('inside')\n"
        "async with asyncio.TaskGroup() as group:\n    group.create_task(bad())"
    )
    assert ran.error.ename == "ExceptionGroup"


@room.check()
async def awaiting_a_cancelled_task_is_an_error_of_that_name(probe: Probe) -> None:
    ran = await probe.run(
        "import asyncio\ntask = asyncio.ensure_future(asyncio.sleep(100))\n"
        "await asyncio.sleep(0)\ntask.cancel()\nawait task"
    )
    assert ran.error.ename == "CancelledError"
    assert (await probe.run("1 + 1")).value == "2"


@room.check()
async def subprocesses_of_asyncio_work(probe: Probe) -> None:
    ran = await probe.run(
        "import asyncio\n"
        "p = await asyncio.create_subprocess_exec('echo', 'hi', stdout=asyncio.subprocess.PIPE)\n"
        "(await p.communicate())[0]"
    )
    assert ran.value == r"b'hi\n'"


@room.check()
async def a_task_that_leaves_does_not_end_the_kernel(probe: Probe) -> None:
    await probe.run(
        "import asyncio, sys\nasync def leave(): sys.exit(3)\ntask = asyncio.ensure_future(leave())"
    )
    assert (await probe.run("1 + 1")).value == "2"
