"""Interrupting a cell, wherever it is."""

from __future__ import annotations

import asyncio
import re

from octavo.kernels.conformance.check import Room
from octavo.kernels.conformance.probe import Probe, Ran

room = Room("interrupts", "python", "signals")


async def _interrupt(probe: Probe, source: str) -> Ran:
    cell = probe.begin(source)
    await probe.seen("started")
    await probe.kernel.interrupt()
    ran = await cell
    assert (await probe.run("1 + 1")).value == "2"
    return ran


@room.check()
async def a_loop_is_interrupted_on_its_line(probe: Probe) -> None:
    ran = await _interrupt(probe, "print('started')\nwhile True:\n    pass")
    assert ran.error.ename == "KeyboardInterrupt"
    assert ran.error.line in (2, 3)


@room.check()
async def a_sleep_is_interrupted(probe: Probe) -> None:
    ran = await _interrupt(probe, "import time\nprint('started')\ntime.sleep(600)")
    assert ran.error.ename == "KeyboardInterrupt"
    assert ran.error.line in (2, 3)


@room.check()
async def an_await_is_interrupted(probe: Probe) -> None:
    ran = await _interrupt(probe, "import asyncio\nprint('started')\nawait asyncio.sleep(600)")
    assert ran.error.ename == "KeyboardInterrupt"
    assert ran.error.line in (2, 3)


@room.check()
async def a_loop_of_awaits_is_interrupted(probe: Probe) -> None:
    """Many times: the signal must never hit the event loop between two of its steps.

    Statements are compiled one by one: the loop itself tells that it has begun.
    """
    loop = "while True:\n    if not steps: print({!r})\n    steps += 1\n    await asyncio.sleep(0)"
    for turn in range(40):
        word = f"<started {turn}>"
        cell = probe.begin("import asyncio\nsteps = 0\n" + loop.format(word))
        await probe.seen(word)
        await probe.kernel.interrupt()
        assert (await cell).error.ename == "KeyboardInterrupt"


@room.check()
async def an_await_survives_a_busy_task(probe: Probe) -> None:
    ran = await _interrupt(
        probe,
        "import asyncio\n"
        "async def spin():\n    print('started')\n    while True: pass\n"
        "await asyncio.gather(spin(), asyncio.sleep(600))",
    )
    assert ran.error.ename == "KeyboardInterrupt"


@room.check()
async def a_background_task_outlives_the_interrupt(probe: Probe) -> None:
    await probe.run(
        "import asyncio\nasync def wait():\n    await asyncio.sleep(0.05)\n    return 'alive'\n"
        "task = asyncio.ensure_future(wait())"
    )
    await _interrupt(probe, "print('started')\nawait asyncio.sleep(600)")
    assert (await probe.run("await task")).value == "'alive'"


@room.check()
async def a_subprocess_is_interrupted_too(probe: Probe) -> None:
    ran = await _interrupt(probe, "!echo started; sleep 600")
    assert ran.error.ename == "KeyboardInterrupt"
    await probe.run("import subprocess")
    cell = probe.begin("subprocess.run('echo again; sleep 600', shell=True)")
    await probe.seen("again")
    await probe.kernel.interrupt()
    assert (await cell).error.ename == "KeyboardInterrupt"


@room.check()
async def code_may_catch_an_interrupt_and_go_on(probe: Probe) -> None:
    ran = await _interrupt(
        probe,
        "import time\ntry:\n    print('started')\n    time.sleep(600)\n"
        "except KeyboardInterrupt:\n    print('caught')",
    )
    assert ran.ok
    assert ran.text() == "started\ncaught\n"


@room.check()
async def cleaning_up_happens(probe: Probe) -> None:
    ran = await _interrupt(
        probe,
        "import asyncio\ntry:\n    print('started')\n    await asyncio.sleep(600)\n"
        "finally:\n    print('cleaned')",
    )
    assert ran.text().endswith("cleaned\n")


@room.check()
async def a_thread_that_is_waited_for_is_interrupted(probe: Probe) -> None:
    ran = await _interrupt(
        probe,
        "import threading\nstop = threading.Event()\n"
        "t = threading.Thread(target=stop.wait, daemon=True)\nt.start()\n"
        "print('started')\nt.join()",
    )
    assert ran.error.ename == "KeyboardInterrupt"


@room.check()
async def a_lock_is_interrupted(probe: Probe) -> None:
    ran = await _interrupt(
        probe,
        "import threading\nlock = threading.Lock()\nlock.acquire()\n"
        "print('started')\nlock.acquire()",
    )
    assert ran.error.ename == "KeyboardInterrupt"


@room.check()
async def a_flood_of_displays_is_interrupted_cleanly(probe: Probe) -> None:
    ran = await _interrupt(
        probe,
        "print('started')\nwhile True:\n    display({'text/plain': 'x' * 100_000}, raw=True)",
    )
    assert ran.error.ename == "KeyboardInterrupt"
    assert all(len(data["text/plain"]) == 100_000 for data in ran.displays)


@room.check()
async def a_flood_of_text_is_interrupted_cleanly(probe: Probe) -> None:
    ran = await _interrupt(
        probe,
        "import sys\nprint('started')\nwhile True:\n    print('out')\n"
        "    print('err', file=sys.stderr)",
    )
    assert ran.error.ename == "KeyboardInterrupt"


@room.check()
async def an_interrupt_between_cells_does_nothing(probe: Probe) -> None:
    await probe.run("x = 1")
    for _ in range(20):
        await probe.kernel.interrupt()
        assert (await probe.run("x")).value == "1"


@room.check()
async def an_interrupt_that_comes_too_late_spares_the_next_cell(probe: Probe) -> None:
    await probe.run("x = 1")
    for _ in range(20):
        cell = probe.begin("print('x')")
        await asyncio.sleep(0)
        await probe.kernel.interrupt()
        await cell
        assert (await probe.run("x")).value == "1"


@room.check()
async def a_handler_of_the_notebook_is_respected(probe: Probe) -> None:
    ran = await _interrupt(
        probe,
        "import signal, threading\ncame = threading.Event()\n"
        "old = signal.signal(signal.SIGINT, lambda *_: came.set())\n"
        "print('started')\ncame.wait()\n_ = signal.signal(signal.SIGINT, old)\nprint('mine')",
    )
    assert ran.ok
    assert ran.text() == "started\nmine\n"


@room.check()
async def an_alarm_may_break_off_anything(probe: Probe) -> None:
    ran = await probe.run(
        "import signal\n"
        "class Late(Exception): pass\n"
        "def ring(*_): raise Late\n"
        "signal.signal(signal.SIGALRM, ring)\n"
        "rounds = 0\n"
        "for i in range(30):\n"
        "    try:\n"
        "        signal.setitimer(signal.ITIMER_REAL, 0.001 + i / 20_000)\n"
        "        while True:\n"
        "            display({'text/plain': 'y' * 90_000}, raw=True)\n"
        "    except Late:\n"
        "        rounds += 1\n"
        "rounds"
    )
    assert ran.value == "30"
    assert (await probe.run("1 + 1")).value == "2"


@room.check()
async def text_is_never_written_twice(probe: Probe) -> None:
    ran = await probe.run(
        "import signal, sys\n"
        "class Late(Exception): pass\n"
        "def ring(*_): raise Late\n"
        "signal.signal(signal.SIGALRM, ring)\n"
        "n = 0\n"
        "for i in range(300):\n"
        "    try:\n"
        "        signal.setitimer(signal.ITIMER_REAL, 0.0003)\n"
        "        while True:\n"
        "            n += 1\n"
        "            _ = sys.stdout.write(f'<{n}>\\n')\n"
        "    except Late:\n"
        "        pass\n"
    )
    assert ran.ok, ran.events[-1]
    written = re.findall(r"<\d+>", ran.text())
    assert len(written) == len(set(written)) > 100


@room.check()
async def processes_do_not_inherit_a_deaf_ear(probe: Probe) -> None:
    ran = await probe.run("!grep SigIgn /proc/self/status")
    ignored = int(ran.text().split()[-1], 16)
    assert not ignored & (1 << (2 - 1)), "SIGINT is ignored"
