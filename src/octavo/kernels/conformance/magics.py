"""IPython's own syntax: magics, shell commands, history."""

from __future__ import annotations

import re

from octavo.kernels.conformance.check import Room
from octavo.kernels.conformance.probe import Probe

room = Room("magics", "python")


@room.check()
async def shell_commands_print(probe: Probe) -> None:
    ran = await probe.run("name = 'world'\n!echo hello {name}; echo again $name")
    assert ran.text() == "hello world\nagain world\n"
    assert (await probe.run("!exit 3\n_exit_code")).value == "3"


@room.check()
async def shell_output_can_be_assigned(probe: Probe) -> None:
    ran = await probe.run("lines = !printf 'a\\nb\\n'\nlines.n, list(lines), lines.s")
    assert ran.value == r"('a\nb', ['a', 'b'], 'a b')"
    assert (await probe.run("%sx echo hi")).value == "['hi']"


@room.check()
async def other_languages_run_in_cells(probe: Probe) -> None:
    assert (await probe.run("%%bash\nfor i in 1 2; do echo $i; done")).text() == "1\n2\n"
    assert (await probe.run("%%sh\necho err >&2")).stderr == "err\n"
    ran = await probe.run("%%bash --out caught\necho taken")
    assert ran.text() == ""
    assert (await probe.run("caught")).value == r"'taken\n'"
    assert (await probe.run("%%bash\nexit 4")).error.ename == "CalledProcessError"


@room.check()
async def time_is_told(probe: Probe) -> None:
    ran = await probe.run("%%time\nx = sum(range(1000))\nx")
    assert "Wall time:" in ran.text()
    assert ran.value == "499500"
    assert "Wall time:" in (await probe.run("%time y = 1")).text()
    assert "loop" in (await probe.run("%timeit -n 2 -r 2 1 + 1")).text()


@room.check()
async def output_can_be_captured(probe: Probe) -> None:
    ran = await probe.run(
        "%%capture taken\nimport sys\nprint('out')\nprint('err', file=sys.stderr)\n"
        "display('shown')\n!echo shell\n'value'"
    )
    assert ran.events == ()
    ran = await probe.run("taken.stdout, taken.stderr, len(taken.outputs)")
    assert ran.value == r"('out\nshell\n', 'err\n', 2)"
    assert (await probe.run("taken()")).text() == "out\nshell\n"


@room.check()
async def variables_and_folders_can_be_changed(probe: Probe) -> None:
    await probe.run("%env OCTAVO_PROBE=set")
    assert (await probe.run("!echo $OCTAVO_PROBE")).text() == "set\n"
    await probe.run("%mkdir -p below")
    assert (await probe.run("%cd -q below\nimport os\nos.path.basename(os.getcwd())")).value == (
        "'below'"
    )
    assert (await probe.run("!basename $PWD")).text() == "below\n"


@room.check()
async def scripts_run_in_the_namespace(probe: Probe) -> None:
    await probe.run("%%writefile script.py\nprint('ran as', __name__)\nfound = 5")
    ran = await probe.run("%run script.py\nfound")
    assert ran.text() == "ran as __main__\n"
    assert ran.value == "5"


@room.check()
async def notebooks_run_in_the_namespace(probe: Probe) -> None:
    await probe.run(
        "%%writefile other.ipynb\n"
        '{"cells": [{"cell_type": "code", "source": ["inner = 9\\n"], "metadata": {},'
        ' "outputs": [], "execution_count": null}], "metadata": {}, "nbformat": 4,'
        ' "nbformat_minor": 4}'
    )
    ran = await probe.run("%run other.ipynb\ninner")
    assert not ran.errors or "nbformat" in str(ran.error)
    assert ran.errors or ran.value == "9"


@room.check()
async def extensions_load(probe: Probe) -> None:
    assert (await probe.run("%load_ext autoreload\n%autoreload 2")).ok
    await probe.run(
        "%%writefile my_extension.py\ndef load_ipython_extension(shell):\n    print('loaded')"
    )
    assert (await probe.run("%load_ext my_extension")).text() == "loaded\n"


@room.check()
async def history_is_kept_in_memory(probe: Probe) -> None:
    await probe.run("a = 1")
    await probe.run("b = 2")
    assert (await probe.run("%history")).text().splitlines()[:2] == ["a = 1", "b = 2"]
    assert (await probe.run("In[1:3]")).value == "['a = 1', 'b = 2']"
    assert (await probe.run("%recall 1")).ok
    assert "a = 1" in (await probe.run("%history -n 1-2")).text()


@room.check()
async def a_transcript_can_be_kept(probe: Probe) -> None:
    assert (await probe.run("%logstart -q transcript.py\nx = 1")).ok
    await probe.run("y = 2")
    ran = await probe.run("%logstop\nprint(open('transcript.py').read())")
    assert "y = 2" in ran.text(), ran.events


@room.check()
async def help_is_shown(probe: Probe) -> None:
    ran = await probe.run("def f(x):\n    'what f does'\nhelp(f)")
    assert "what f does" in ran.text()
    assert (await probe.run("f?")).ok
    assert (await probe.run("%lsmagic")).ok
    assert (await probe.run("%quickref")).ok


@room.check()
async def names_are_listed_and_deleted(probe: Probe) -> None:
    await probe.run("alpha, beta = 1, 'two'")
    assert (await probe.run("%who_ls")).value == "['alpha', 'beta']"
    assert "alpha" in (await probe.run("%whos")).text()
    await probe.run("%reset -f")
    assert (await probe.run("alpha")).error.ename == "NameError"
    assert (await probe.run("1 + 1")).value == "2"


@room.check()
async def debug_is_refused_clearly(probe: Probe) -> None:
    await probe.run("1 / 0")
    ran = await probe.run("%debug")
    assert ran.outcome.status == "error"
    assert ran.error.ename == "StdinNotImplementedError"


@room.check(modules=("pip",))
async def pip_belongs_to_the_environment(probe: Probe) -> None:
    ran = await probe.run("%pip --version")
    assert re.search(r"(pip|uv) ?[\w-]* \d", ran.text() + ran.stderr), ran.events


@room.check()
async def a_magic_may_be_made_in_the_notebook(probe: Probe) -> None:
    await probe.run(
        "from IPython.core.magic import register_cell_magic\n"
        "@register_cell_magic\ndef shout(line, cell):\n    print(cell.strip().upper())"
    )
    assert (await probe.run("%%shout\nhello")).text() == "HELLO\n"


@room.check()
async def values_can_be_stored_for_the_session(probe: Probe) -> None:
    ran = await probe.run("kept = 3\n%store kept\ndel kept\n%store -r kept\nkept")
    assert ran.value == "3", ran.events
