"""The jupyter engine passes the suite: with ipykernel the whole of it, with others but for a list.

Whatever is on the list must really fail: a kernel that has learned something leaves it.
"""

from __future__ import annotations

import asyncio
import sys
from importlib.util import find_spec

import pytest

from kernels.deno import deno_kernel
from octavo.environments.launch import Kernelspec, Launch
from octavo.kernels.conformance import SUITE, Check, run_check
from octavo.kernels.jupyter.engine import JupyterEngine
from octavo.kernels.jupyter.lacking import LACKING, UNSTEADY

pytestmark = pytest.mark.kernel

#: What they show is data, which every engine hands on alike; the fork engine is asked for it.
_PLAIN_DATA = {"altair", "plotly"}
_ALONE = [
    check
    for check in SUITE
    if not check.lacking(("copies",)) and _PLAIN_DATA.isdisjoint(check.modules)
]
_ANY_LANGUAGE = [check for check in SUITE if not check.lacking(("python",))]
_BASH = Kernelspec(
    name="bash",
    argv=(sys.executable, "-m", "bash_kernel", "-f", "{connection_file}"),
    language="bash",
    display_name="Bash",
    variables={"PS1": "$"},
)


def _name(check: Check) -> str:
    return f"{check.room}-{check.name}"


@pytest.mark.parametrize("check", _ALONE, ids=_name)
def test_ipykernel_conforms(check: Check, loop: asyncio.Runner, launch: Launch) -> None:
    missing = [name for name in check.modules if find_spec(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    _drive(check, "ipykernel", loop, launch)


@pytest.mark.parametrize("check", _ANY_LANGUAGE, ids=_name)
def test_bash_conforms(check: Check, loop: asyncio.Runner, launch: Launch) -> None:
    if find_spec("bash_kernel") is None:
        pytest.skip("not installed: bash_kernel")
    _drive(check, "bash", loop, launch.replace(kernel=_BASH))


@pytest.mark.parametrize("check", _ANY_LANGUAGE, ids=_name)
def test_deno_conforms(check: Check, loop: asyncio.Runner, launch: Launch) -> None:
    _drive(check, "deno", loop, launch.replace(kernel=deno_kernel()))


def _drive(check: Check, kernel: str, loop: asyncio.Runner, launch: Launch) -> None:
    if check.name in UNSTEADY[kernel]:
        return
    reason = LACKING[kernel].get(check.name)
    if reason is None:
        loop.run(run_check(check, JupyterEngine(), launch))
        return
    try:
        loop.run(run_check(check, JupyterEngine(), launch))
    except AssertionError:
        return
    pytest.fail(f"{kernel} passes {check.name}: take it from the list ({reason})")


def test_the_list_names_checks_that_there_are() -> None:
    known = {check.name for check in SUITE}
    assert not LACKING["ipykernel"], "ipykernel lacks nothing"
    assert not UNSTEADY["ipykernel"], "nor is it a matter of luck"
    for table in (LACKING, UNSTEADY):
        assert {name for listed in table.values() for name in listed} <= known
