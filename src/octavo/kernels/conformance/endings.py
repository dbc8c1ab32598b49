"""How kernels end: by themselves, by others, and early on purpose."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from octavo.kernels.conformance.check import Room
from octavo.kernels.conformance.probe import Probe

room = Room("endings", "python")


@room.check("early-exit")
async def exit_ends_the_run_with_a_value(probe: Probe) -> None:
    ran = await probe.run(
        "import octavo_runtime\nprint('before')\noctavo_runtime.exit({'a': 1})\nprint('after')"
    )
    assert ran.ok
    assert ran.text() == "before\n"
    assert [event.value for event in ran.exits] == [{"a": 1}]
    assert not ran.errors


@room.check("early-exit")
async def an_early_exit_passes_by_except_exception(probe: Probe) -> None:
    ran = await probe.run(
        "import octavo_runtime\ntry:\n    octavo_runtime.exit(1)\nexcept Exception:\n    pass"
    )
    assert [event.value for event in ran.exits] == [1]


@room.check("early-exit")
async def leaving_without_an_error_is_an_early_exit(probe: Probe) -> None:
    for source in ("exit()", "quit()", "exit", "import sys; sys.exit()", "sys.exit(0)"):
        ran = await probe.run(source)
        assert ran.ok, source
        assert [event.value for event in ran.exits] == [None], source
        assert ran.outputs == [], source


@room.check()
async def leaving_with_an_error_is_an_error(probe: Probe) -> None:
    ran = await probe.run("import sys\nsys.exit(3)")
    assert (ran.error.ename, ran.error.evalue) == ("SystemExit", "3")
    ran = await probe.run("sys.exit('because')")
    assert (ran.error.ename, ran.error.evalue) == ("SystemExit", "because")
    assert (await probe.run("1 + 1")).value == "2"


@room.check()
async def a_process_that_exits_has_died(probe: Probe) -> None:
    ran = await probe.run("import os\nprint('last words', flush=True)\nos._exit(3)")
    assert ran.outcome.status == "died"
    assert ran.text() == "last words\n"
    assert probe.kernel.death is not None
    assert (probe.kernel.death.exit_code, probe.kernel.death.cause) == (3, "exit")


@room.check()
async def a_crash_says_which_and_where(probe: Probe) -> None:
    ran = await probe.run("print('before')\nimport ctypes\nctypes.string_at(0)")
    assert ran.outcome.status == "died"
    assert ran.text() == "before\n"
    assert probe.kernel.death is not None
    assert (probe.kernel.death.signal, probe.kernel.death.cause) == ("SIGSEGV", "signal")
    assert "segmentation fault" in probe.kernel.death.message
    assert "Fatal Python error" in ran.stderr
    assert "line 3 in <module>" in ran.stderr


@room.check()
async def a_kernel_killed_by_its_own_code_has_died(probe: Probe) -> None:
    ran = await probe.run("import os, signal\nprint('x')\nos.kill(os.getpid(), signal.SIGKILL)")
    assert ran.outcome.status == "died"
    assert ran.text() == "x\n"
    assert probe.kernel.death is not None
    assert (probe.kernel.death.signal, probe.kernel.death.cause) == ("SIGKILL", "signal")


@room.check("signals")
async def a_kernel_that_does_not_answer_can_be_killed(probe: Probe) -> None:
    cell = probe.begin("print('started')\nwhile True: pass")
    await probe.seen("started")
    os.kill(probe.kernel.pid, signal.SIGSTOP)
    await probe.kernel.interrupt()
    await probe.kernel.kill()
    assert (await cell).outcome.status == "died"


@room.check("signals")
async def a_kernel_that_is_killed_between_cells_answers_died(probe: Probe) -> None:
    kernel = await probe.start()
    os.kill(kernel.pid, signal.SIGKILL)
    assert (await probe.run("1 + 1")).outcome.status == "died"


@room.check()
async def exit_handlers_run_at_the_stop(probe: Probe) -> None:
    await probe.run("import atexit\natexit.register(print, 'farewell')")
    await probe.kernel.stop()
    assert "farewell\n" in "".join(getattr(event, "text", "") for event in probe.events)


@room.check()
async def files_that_nobody_closed_are_written(probe: Probe) -> None:
    await probe.run(
        "import types\n"
        "plain = open('plain.txt', 'w')\n_ = plain.write('plain')\n"
        "module = types.ModuleType('kept')\nimport sys\nsys.modules['kept'] = module\n"
        "module.file = open('module.txt', 'w')\n_ = module.file.write('module')\n"
        "class Node: pass\n"
        "node = Node()\nnode.me = node\nnode.file = open('cycle.bin', 'wb')\n"
        "_ = node.file.write(b'cycle')\ndel node"
    )
    await probe.kernel.stop()
    folder = Path(probe.launch.cwd)
    names = ("plain.txt", "module.txt", "cycle.bin")
    assert [(folder / name).read_text() for name in names] == ["plain", "module", "cycle"]


@room.check()
async def objects_are_let_go_at_the_stop(probe: Probe) -> None:
    await probe.run(
        "class Resource:\n    def __del__(self): print('let go')\n"
        "held = Resource()\nOut['kept'] = Resource()"
    )
    await probe.kernel.stop()
    assert "".join(getattr(event, "text", "") for event in probe.events) == "let go\nlet go\n"


@room.check()
async def threads_are_waited_for_at_the_stop(probe: Probe) -> None:
    await probe.run(
        "import threading, time\n"
        "def last():\n    time.sleep(0.05)\n    print('from the thread')\n"
        "threading.Thread(target=last).start()"
    )
    await probe.kernel.stop()
    assert "from the thread\n" in "".join(getattr(event, "text", "") for event in probe.events)


@room.check()
async def stopping_ends_a_running_cell(probe: Probe) -> None:
    cell = probe.begin("print('started')\nwhile True: pass")
    await probe.seen("started")
    await probe.kernel.stop()
    assert (await cell).outcome.status == "died"


@room.check("signals")
async def what_the_kernel_started_ends_with_it(probe: Probe) -> None:
    ran = await probe.run(
        "import subprocess\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        "daemon = !setsid sh -c 'sleep 600 >/dev/null 2>&1 & echo $!'\n"
        "print(child.pid, daemon[0])"
    )
    started = [int(word) for word in ran.text().split()]
    await probe.kernel.stop()
    for pid in started:
        assert not os.path.exists(f"/proc/{pid}")


@room.check("usage")
async def memory_and_time_belong_to_their_cell(probe: Probe) -> None:
    before = await probe.run("import time")
    during = await probe.run(
        "block = bytearray(b'x') * 200_000_000\ndel block\n"
        "end = time.process_time() + 0.2\nwhile time.process_time() < end: pass"
    )
    after = await probe.run("pass")
    peaks = [ran.outcome.usage.memory_peak or 0 for ran in (before, during, after)]
    assert peaks[1] - peaks[0] > 190_000_000
    assert peaks[2] < peaks[1] - 150_000_000
    seconds = [ran.outcome.usage.cpu_seconds or 0.0 for ran in (during, after)]
    assert seconds[0] >= 0.2
    assert seconds[1] < 0.2


@room.check("usage")
async def time_of_subprocesses_counts(probe: Probe) -> None:
    burn = "import time; e = time.process_time() + 0.2\nwhile time.process_time() < e: pass"
    ran = await probe.run(
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {burn!r}])"
    )
    assert (ran.outcome.usage.cpu_seconds or 0) >= 0.2
