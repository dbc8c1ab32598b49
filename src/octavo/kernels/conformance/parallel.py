"""Processes and threads that a notebook starts."""

from __future__ import annotations

from octavo.kernels.conformance.check import Room
from octavo.kernels.conformance.probe import Probe

room = Room("parallel", "python")


@room.check()
async def classes_of_the_notebook_can_be_pickled(probe: Probe) -> None:
    ran = await probe.run(
        "import pickle\n"
        "class Point:\n    def __init__(self, x): self.x = x\n"
        "pickle.loads(pickle.dumps(Point(3))).x, Point.__module__"
    )
    assert ran.value == "(3, '__main__')"


@room.check("fork")
async def a_forked_pool_runs_functions_of_the_notebook(probe: Probe) -> None:
    ran = await probe.run(
        "import multiprocessing\n"
        "def double(n):\n    print('child', n)\n    return n * 2\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "    found = pool.map(double, range(4))\n"
        "found"
    )
    assert ran.value == "[0, 2, 4, 6]"
    assert sorted(ran.text().splitlines()) == [f"child {n}" for n in range(4)]


@room.check("fork")
async def a_forked_process_may_display(probe: Probe) -> None:
    ran = await probe.run(
        "import multiprocessing\n"
        "from IPython.display import HTML\n"
        "def show():\n    print('before')\n    display(HTML('<b>x</b>'))\n    print('after')\n"
        "p = multiprocessing.get_context('fork').Process(target=show)\n"
        "p.start()\np.join()\nprint('parent', p.exitcode)"
    )
    assert ran.sequence == ["before", "<IPython.core.display.HTML object>", "after", "parent 0"]
    assert ran.displays[0]["text/html"] == "<b>x</b>"


@room.check()
async def spawned_processes_work(probe: Probe) -> None:
    ran = await probe.run(
        "import concurrent.futures, math, multiprocessing\n"
        "results = []\n"
        "for way in ('spawn', 'forkserver'):\n"
        "    context = multiprocessing.get_context(way)\n"
        "    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:\n"
        "        results.append(pool.submit(math.sqrt, 16).result())\n"
        "results"
    )
    assert ran.value == "[4.0, 4.0]"


@room.check("fork")
async def a_process_pool_runs_functions_of_the_notebook(probe: Probe) -> None:
    ran = await probe.run(
        "import concurrent.futures, multiprocessing\n"
        "def square(n): return n * n\n"
        "context = multiprocessing.get_context('fork')\n"
        "with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:\n"
        "    found = list(pool.map(square, [1, 2, 3]))\n"
        "found"
    )
    assert ran.value == "[1, 4, 9]"


@room.check()
async def a_process_that_a_cell_forks_ends_with_the_cell(probe: Probe) -> None:
    ran = await probe.run(
        "import os\n"
        "pid = os.fork()\n"
        "if pid:\n    print('parent', os.waitpid(pid, 0)[1])\n"
        "else:\n    print('child')"
    )
    assert sorted(ran.text().splitlines()) == ["child", "parent 0"]
    assert (await probe.run("1 + 1")).value == "2"


@room.check("fork")
async def what_is_buffered_is_not_printed_twice(probe: Probe) -> None:
    ran = await probe.run(
        "import os\nfor i in range(50): print('.', end='')\n"
        "pid = os.fork()\nif not pid: os._exit(0)\n_ = os.waitpid(pid, 0)"
    )
    assert ran.text() == "." * 50


@room.check("fork")
async def a_failing_fork_is_its_own_affair(probe: Probe) -> None:
    ran = await probe.run(
        "import os\npid = os.fork()\n"
        "if not pid: raise ValueError('in the child')\n"
        "os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])"
    )
    assert ran.ok
    assert ran.value == "1"
    assert "in the child" in ran.stderr


@room.check()
async def thread_pools_work(probe: Probe) -> None:
    ran = await probe.run(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(4) as pool:\n"
        "    found = list(pool.map(lambda n: n + 1, range(4)))\n"
        "found"
    )
    assert ran.value == "[1, 2, 3, 4]"


@room.check()
async def threads_may_display(probe: Probe) -> None:
    ran = await probe.run(
        "import threading\n"
        "threads = [threading.Thread(target=lambda n=n: [display(n) for _ in range(10)])"
        " for n in range(4)]\n"
        "for t in threads: t.start()\n"
        "for t in threads: t.join()"
    )
    assert sorted(data["text/plain"] for data in ran.displays) == sorted("0123" * 10)


@room.check()
async def random_numbers_differ_between_kernels(probe: Probe) -> None:
    draw = "import random, uuid, tempfile\n(random.random(), uuid.uuid4().hex, tempfile.mktemp())"
    other = Probe(probe.engine, probe.launch)
    try:
        assert (await probe.run(draw)).value != (await other.run(draw)).value
    finally:
        await other.close()
