"""Copies of a kernel: what a snapshot keeps, and who is at work when it goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from octavo.kernels.conformance.check import Room
from octavo.kernels.conformance.probe import Probe
from octavo.kernels.port import Asking, Copying, Refusal, Snapshot

room = Room("snapshots", "python", "copies")


async def _snapshot(probe: Probe) -> Snapshot:
    kernel = probe.kernel
    assert isinstance(kernel, Copying), "the kernel cannot be copied"
    found = await kernel.snapshot()
    assert not isinstance(found, Refusal), found
    return found


async def _refusal(probe: Probe) -> Refusal:
    kernel = probe.kernel
    assert isinstance(kernel, Copying), "the kernel cannot be copied"
    found = await kernel.snapshot()
    assert isinstance(found, Refusal), "a snapshot was made"
    return found


@asynccontextmanager
async def _resumed(probe: Probe, snapshot: Snapshot) -> AsyncIterator[Probe]:
    other = await probe.resume(snapshot)
    try:
        yield other
    finally:
        await other.close()


async def _after(probe: Probe, first: str, second: str, third: str) -> tuple[Any, Any]:
    """What `third` gives where `second` has run meanwhile, and where it has not."""
    assert (await probe.run(first)).ok
    snapshot = await _snapshot(probe)
    assert (await probe.run(second)).ok
    try:
        async with _resumed(probe, snapshot) as other:
            return await probe.run(third), await other.run(third)
    finally:
        await snapshot.drop()


@room.check()
async def a_snapshot_has_the_names_as_they_were(probe: Probe) -> None:
    here, there = await _after(probe, "x = [1]", "x.append(2); y = 3", "x, 'y' in globals()")
    assert (here.value, there.value) == ("([1, 2], True)", "([1], False)")


@room.check()
async def what_cannot_be_pickled_comes_back(probe: Probe) -> None:
    first = (
        "import threading, sys, re\n"
        "g = (n * n for n in range(9)); next(g); next(g)\n"
        "lock = threading.Lock(); held = lock.acquire()\n"
        "match = re.match('(a)(b)', 'ab'); function = lambda: match.group(2)"
    )
    here, there = await _after(
        probe, first, "next(g); lock.release()", "next(g), lock.locked(), function()"
    )
    assert (here.value, there.value) == ("(9, False, 'b')", "(4, True, 'b')")


@room.check()
async def two_continuations_draw_the_same_random_numbers(probe: Probe) -> None:
    assert (await probe.run("import random\nrandom.seed(7); _ = random.random()")).ok
    snapshot = await _snapshot(probe)
    draw = "[random.random() for _ in range(5)]"
    async with _resumed(probe, snapshot) as one, _resumed(probe, snapshot) as other:
        values = [(await each.run(draw)).value for each in (probe, one, other)]
    assert len(set(values)) == 1, values


@room.check(modules=("numpy",))
async def the_generators_of_numpy_go_on_from_where_they_were(probe: Probe) -> None:
    first = "import numpy\nnumpy.random.seed(3); g = numpy.random.default_rng(3)"
    third = "float(numpy.random.rand()), float(g.random())"
    assert (await probe.run(first)).ok
    snapshot = await _snapshot(probe)
    here = await probe.run(third)
    async with _resumed(probe, snapshot) as other:
        assert (await other.run(third)).value == here.value


@room.check()
async def open_files_stand_where_they_stood(probe: Probe) -> None:
    first = (
        "open('lines', 'w').write('a\\nb\\nc\\n')\n"
        "reading = open('lines'); reading.readline()\n"
        "raw = open('lines', 'rb', buffering=0); raw.read(2)"
    )
    third = "reading.readline(), raw.read(2)"
    here, there = await _after(probe, first, "reading.read(); raw.read()", third)
    assert (here.value, there.value) == ("('', b'')", "('b\\n', b'b\\n')")


@room.check()
async def a_file_that_is_written_goes_on_where_it_was(probe: Probe) -> None:
    first = "out = open('log', 'w'); _ = out.write('one '); out.flush()"
    third = "_ = out.write('three'); out.flush()\nopen('log').read()"
    _, there = await _after(probe, first, "_ = out.write('second'); out.flush()", third)
    assert there.value is not None
    assert there.value.startswith("'one three")


@room.check()
async def a_deleted_file_is_still_there_for_who_has_it(probe: Probe) -> None:
    first = (
        "import tempfile\nf = tempfile.TemporaryFile('w+')\n"
        "_ = f.write('abc'); f.flush(); _ = f.seek(1)"
    )
    here, there = await _after(probe, first, "_ = f.read()", "f.read()")
    assert (here.value, there.value) == ("''", "'bc'")


@room.check()
async def each_continuation_is_heard_by_its_own_runner(probe: Probe) -> None:
    assert (await probe.run("name = 'first'")).ok
    snapshot = await _snapshot(probe)
    show = (
        "import os, sys\nprint(name); print('err', file=sys.stderr)\n"
        "_ = os.system('echo child')\ndisplay(name)\nname"
    )
    async with _resumed(probe, snapshot) as one, _resumed(probe, snapshot) as other:
        await one.run("name = 'one'")
        await other.run("name = 'other'")
        for each, name in ((probe, "first"), (one, "one"), (other, "other")):
            ran = await each.run(show)
            assert ran.text() == f"{name}\nchild\n"
            assert ran.stderr == "err\n"
            assert ran.displays == [{"text/plain": f"'{name}'"}]
            assert ran.value == f"'{name}'"


@room.check()
async def counting_and_history_go_on(probe: Probe) -> None:
    await probe.run("1 + 1")
    here, there = await _after(probe, "20 + 1", "99", "_, In[-1], sorted(Out)")
    assert there.outcome.execution_count == here.outcome.execution_count - 1
    assert there.value == "(21, '_, In[-1], sorted(Out)', [1, 2])"


@room.check()
async def tasks_of_the_notebook_go_on(probe: Probe) -> None:
    first = (
        "import asyncio\nseen = []; go = asyncio.Event()\n"
        "async def work():\n    await go.wait()\n    seen.append('went')\n"
        "task = asyncio.ensure_future(work()); await asyncio.sleep(0)"
    )
    here, there = await _after(
        probe, first, "task.cancel()", "go.set(); await asyncio.sleep(0.01); seen"
    )
    assert (here.value, there.value) == ("[]", "['went']")


@room.check()
async def callbacks_from_threads_wake_the_loop(probe: Probe) -> None:
    third = "await asyncio.to_thread(lambda: 6 * 7)"
    _, there = await _after(probe, "import asyncio", "1", third)
    assert there.value == "42"


@room.check()
async def a_continuation_can_be_interrupted(probe: Probe) -> None:
    await probe.run("x = 1")
    snapshot = await _snapshot(probe)
    async with _resumed(probe, snapshot) as other:
        cell = other.begin("print('started', flush=True)\nwhile True: pass")
        await other.seen("started")
        await other.kernel.interrupt()
        ran = await cell
        assert ran.error.ename == "KeyboardInterrupt"
        assert (await other.run("x")).value == "1"
        assert (await probe.run("x + 1")).value == "2"


@room.check()
async def an_error_in_a_continuation_is_its_own(probe: Probe) -> None:
    await probe.run("x = 1")
    snapshot = await _snapshot(probe)
    async with _resumed(probe, snapshot) as other:
        failed = await other.run("y = 0\n1 / 0")
        assert (failed.error.ename, failed.error.line) == ("ZeroDivisionError", 2)
        assert (await probe.run("x")).ok


@room.check()
async def a_snapshot_outlives_the_kernel_that_it_is_of(probe: Probe) -> None:
    await probe.run("x = 'kept'")
    snapshot = await _snapshot(probe)
    await probe.kernel.kill()
    async with _resumed(probe, snapshot) as other:
        assert (await other.run("x")).value == "'kept'"
        await snapshot.drop()
        assert (await other.run("x")).value == "'kept'"


@room.check()
async def a_continuation_can_be_copied_in_turn(probe: Probe) -> None:
    await probe.run("trail = ['first']")
    snapshot = await _snapshot(probe)
    async with _resumed(probe, snapshot) as other:
        await other.run("trail.append('second')")
        second = await _snapshot(other)
        await other.kernel.kill()
        async with _resumed(other, second) as third:
            assert (await third.run("trail")).value == "['first', 'second']"
        await second.drop()
    assert (await probe.run("trail")).value == "['first']"


@room.check()
async def processes_of_a_continuation_can_be_waited_for(probe: Probe) -> None:
    await probe.run("import subprocess, sys, os")
    snapshot = await _snapshot(probe)
    run = (
        "subprocess.run([sys.executable, '-c', 'print(5)'], capture_output=True).stdout, "
        "subprocess.Popen(['false']).wait()"
    )
    async with _resumed(probe, snapshot) as other:
        assert (await other.run(run)).value == "(b'5\\n', 1)"
    assert (await probe.run(run)).value == "(b'5\\n', 1)"


@room.check()
async def the_notebook_does_not_see_its_copies(probe: Probe) -> None:
    await probe.run("import os")
    snapshot = await _snapshot(probe)
    waiting = (
        "try:\n    found = os.waitpid(-1, os.WNOHANG)\n"
        "except ChildProcessError:\n    found = 'no child'\nfound"
    )
    assert (await probe.run(waiting)).value == "'no child'"
    async with _resumed(probe, snapshot) as other:
        assert (await other.run(waiting)).value == "'no child'"


@room.check()
async def whoever_reads_from_the_kernel_sees_it_close(probe: Probe) -> None:
    await probe.run("import os\nreading, writing = os.pipe()")
    snapshot = await _snapshot(probe)
    async with _resumed(probe, snapshot):
        ran = await probe.run("os.write(writing, b'x'); os.close(writing); open(reading).read()")
        assert ran.value == "'x'"


@room.check()
async def processes_of_the_notebook_refuse_a_snapshot(probe: Probe) -> None:
    """A continuation could not wait for them, and would believe that they have succeeded."""
    await probe.run("import subprocess\np = subprocess.Popen(['cat'], stdin=subprocess.PIPE)")
    refusal = await _refusal(probe)
    assert refusal.reason == "processes"
    assert "cat" in refusal.message
    await probe.run("p.communicate()")
    await (await _snapshot(probe)).drop()


@room.check()
async def the_folder_and_the_variables_are_those_of_the_moment(probe: Probe) -> None:
    first = "import os\nos.mkdir('a'); os.mkdir('b'); os.chdir('a'); os.environ['WHERE'] = 'a'"
    second = "os.chdir('../b'); os.environ['WHERE'] = 'b'"
    third = "os.path.basename(os.getcwd()), os.popen('echo $WHERE').read()"
    here, there = await _after(probe, first, second, third)
    assert (here.value, there.value) == ("('b', 'b\\n')", "('a', 'a\\n')")


@room.check()
async def threads_of_the_notebook_refuse_a_snapshot(probe: Probe) -> None:
    await probe.run(
        "import threading\nstop = threading.Event()\n"
        "t = threading.Thread(target=stop.wait, name='the worker'); t.start()"
    )
    refusal = await _refusal(probe)
    assert refusal.reason == "threads"
    assert "the worker" in refusal.message
    await probe.run("stop.set(); t.join()")
    await (await _snapshot(probe)).drop()


@room.check()
async def a_dropped_snapshot_may_be_dropped_again(probe: Probe) -> None:
    await probe.run("x = 1")
    snapshot = await _snapshot(probe)
    assert await snapshot.memory() > 0
    await snapshot.drop()
    await snapshot.drop()
    assert (await probe.run("x")).value == "1"


@room.check()
async def a_question_is_answered_in_a_copy(probe: Probe) -> None:
    await probe.run("x = 1\nclass Odd:\n    def __bool__(self): globals()['x'] = 2; return True")
    kernel = probe.kernel
    assert isinstance(kernel, Asking)
    assert await kernel.ask("asking:names", {}, 10.0) == ["Odd", "x"]
    assert (await probe.run("x")).value == "1"


@room.check()
async def a_question_is_answered_where_there_can_be_no_copy(probe: Probe) -> None:
    await probe.run(
        "import threading\nstop = threading.Event()\n"
        "t = threading.Thread(target=stop.wait); t.start()"
    )
    kernel = probe.kernel
    assert isinstance(kernel, Asking)
    assert "stop" in await kernel.ask("asking:names", {}, 10.0)
    assert (await probe.run("stop.set(); t.join()")).ok
