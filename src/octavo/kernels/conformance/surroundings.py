"""What a cell finds around it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from octavo.kernels.conformance.check import Room
from octavo.kernels.conformance.probe import Probe

room = Room("surroundings", "python")


@room.check("launch")
async def variables_are_those_of_the_launch(probe: Probe) -> None:
    variables = {**probe.launch.variables, "OCTAVO_PROBE": "né=w", "TZ": "Asia/Tokyo"}
    await probe.start(variables=variables)
    ran = await probe.run("import os\nos.environ['OCTAVO_PROBE'], sorted(os.environ)")
    names = sorted({*variables, "MPLBACKEND"})
    assert ran.value is not None
    assert ran.value.replace("\n", "").replace(" ", "") == repr(("né=w", names)).replace(" ", "")
    assert (await probe.run("import time\ntime.tzname[0]")).value == "'JST'"
    assert (await probe.run("!echo $OCTAVO_PROBE")).text() == "né=w\n"


@room.check("launch")
async def the_folder_is_that_of_the_launch(probe: Probe) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "beside.py").write_text("here = __file__\n")
        await probe.start(cwd=folder)
        assert (await probe.run("import os\nos.getcwd()")).value == repr(folder)
        assert (await probe.run("!pwd")).text() == f"{folder}\n"
        assert (await probe.run("import beside\nbeside.here")).value == repr(f"{folder}/beside.py")


@room.check("launch")
async def a_module_beside_the_notebook_does_not_hide_the_library(probe: Probe) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "statistics.py").write_text("raise RuntimeError('mine')\n")
        await probe.start(cwd=folder)
        assert (await probe.run("import statistics\nstatistics.mean([1, 3])")).value == "2"


@room.check()
async def the_module_is_main(probe: Probe) -> None:
    assert (await probe.run("__name__")).value == "'__main__'"
    assert (await probe.run("__file__")).error.ename == "NameError"
    assert (await probe.run("import __main__\nx = 5\n__main__.x")).value == "5"
    assert (await probe.run("import sys\nlen(sys.argv) >= 1")).value == "True"


@room.check()
async def builtins_are_those_of_a_notebook(probe: Probe) -> None:
    ran = await probe.run("callable(display), get_ipython() is not None, __builtins__ is not None")
    assert ran.value == "(True, True, True)"


@room.check()
async def input_is_refused_clearly(probe: Probe) -> None:
    ran = await probe.run("name = input('who? ')")
    assert ran.error.ename == "StdinNotImplementedError"
    assert ran.error.line == 1


@room.check()
async def getpass_is_refused_clearly(probe: Probe) -> None:
    for source in (
        "import getpass\ngetpass.getpass()",
        "from getpass import getpass\ngetpass('?')",
    ):
        ran = await probe.run(source)
        assert ran.error.ename == "StdinNotImplementedError"


@room.check()
async def breakpoints_are_refused_clearly(probe: Probe) -> None:
    for source in ("breakpoint()", "import pdb\npdb.set_trace()"):
        ran = await probe.run(source)
        assert ran.outcome.status == "error", source
        assert ran.error.ename in ("StdinNotImplementedError", "BdbQuit"), source
    assert (await probe.run("1 + 1")).value == "2"


@room.check()
async def sources_can_be_inspected(probe: Probe) -> None:
    await probe.run("def f():\n    return 'visible'")
    ran = await probe.run("import inspect\ninspect.getsource(f)")
    assert ran.value == repr("def f():\n    return 'visible'\n")


@room.check()
async def future_imports_last(probe: Probe) -> None:
    await probe.run("from __future__ import annotations")
    ran = await probe.run("def f(x: not_defined_anywhere): pass\nf.__annotations__")
    assert ran.value == "{'x': 'not_defined_anywhere'}"


@room.check("launch")
async def nothing_is_written_to_the_home_folder(probe: Probe) -> None:
    with tempfile.TemporaryDirectory() as home:
        await probe.start(variables={**probe.launch.variables, "HOME": home})
        await probe.run("x = 1\n%history\n!true")
        await probe.run("import IPython\nget_ipython().history_manager.get_tail")
        await probe.run("1 / 0")
        await probe.kernel.stop()
        assert sorted(str(path) for path in Path(home).rglob("*")) == []


@room.check("signals")
async def no_port_is_opened(probe: Probe) -> None:
    await probe.run("import asyncio\nawait asyncio.sleep(0)")
    held = _ports(probe.kernel.pid)
    if held:  # what a library asks of the network while it is loaded is soon closed again
        await probe.run("1 + 1")
        held &= _ports(probe.kernel.pid)
    assert not held


def _ports(kernel: int) -> set[str]:
    """The sockets of a kernel and its parent that the network can reach, by their numbers."""
    found: set[str] = set()
    for pid in (kernel, _parent(kernel)):
        opened = [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()]
        inodes = {link[8:-1] for link in opened if link.startswith("socket:[")}
        for table in ("tcp", "tcp6", "udp", "udp6"):
            lines = Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]
            found |= inodes & {line.split()[9] for line in lines}
    return found


def _parent(pid: int) -> int:
    stat = Path(f"/proc/{pid}/stat").read_text()
    return int(stat.rpartition(")")[2].split()[1])
