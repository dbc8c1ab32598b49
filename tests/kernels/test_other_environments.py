"""The suite in other environments: Python 3.9, and the oldest IPythons that are served.

Of an IPython is asked what it has a part in. Later Pythons run the suite by themselves
(`make test-others`).
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from octavo.environments.launch import Environment, Launch
from octavo.kernels.conformance import SUITE, Check, run_check
from octavo.kernels.fork.engine import ForkEngine

pytestmark = [pytest.mark.kernel, pytest.mark.network, pytest.mark.slow]

#: A Python (None: the one that runs the tests), and what is installed in it.
ENVIRONMENTS = [
    ("3.9", ("ipython==8.18.1",)),
    (None, ("ipython==8.37.0",)),
    (None, ("ipython==9.0.2",)),
]
#: IPython has no part in how kernels begin, end, are limited and copied.
WITHOUT_IPYTHON = {"port", "anywhere", "parallel", "endings", "snapshots"}


def _environment(folder: Path, python: str | None, packages: tuple[str, ...]) -> str:
    """The interpreter of an environment that is made once and kept."""
    uv = Path(sys.executable).with_name("uv")
    if not uv.exists():
        pytest.skip("uv is not installed")
    place = folder / "-".join([python or f"{sys.version_info.minor}", *packages])
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "made").exists():
            wanted = _interpreter(uv, python) if python else sys.executable
            _call([uv, "venv", "-q", "--clear", "--no-python-downloads", "--python", wanted, place])
            _call([uv, "pip", "install", "-q", "--compile-bytecode", "--python", place, *packages])
            (place / "made").touch()
    return str(place / "bin" / "python")


def _interpreter(uv: Path, version: str) -> str:
    """A Python of some version that is on this machine, uv's to find or pyenv's."""
    found = subprocess.run(
        [uv, "python", "find", "--no-python-downloads", "--system", version],
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode == 0:
        return found.stdout.strip()
    versions = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    if not versions:
        pytest.skip(f"there is no Python {version} here")
    return str(versions[-1])


def _call(command: list[str | Path]) -> None:
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        pytest.skip(f"the environment cannot be made here: {ran.stderr.strip()[-300:]}")


def _fits(check: Check, python: str | None, packages: tuple[str, ...]) -> bool:
    if python is None and check.room in WITHOUT_IPYTHON:
        return False
    old = python is not None and int(python.split(".")[1]) < 11
    lacks = ("python-3.11",) if old else ()
    return not check.lacking(lacks) and set(check.modules) <= set(packages)


async def _run_suite(python: str, checks: list[Check], home: Path) -> list[str]:
    engine, failed = ForkEngine(), []
    for check in checks:
        with tempfile.TemporaryDirectory() as folder:
            launch = Launch(
                environment=Environment(python=python, why="a test"),
                cwd=folder,
                variables={"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"},
            )
            try:
                await run_check(check, engine, launch)
            except Exception as error:
                failed.append(f"{check.name}: {error!r}")
    await engine.close()
    return failed


@pytest.mark.parametrize(("python", "packages"), ENVIRONMENTS)
def test_the_suite_passes(
    python: str | None, packages: tuple[str, ...], pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    cache = getattr(pytestconfig, "cache", None)
    if cache is None:
        pytest.skip("without a cache folder the environments would be made each time")
    interpreter = _environment(cache.mkdir("environments"), python, packages)
    checks = [check for check in SUITE if _fits(check, python, packages)]
    assert asyncio.run(_run_suite(interpreter, checks, tmp_path)) == []
