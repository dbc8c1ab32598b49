"""Deno, whose kernel is not Python: from the path, or installed once for all test runs."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from octavo.environments.launch import Kernelspec


def deno() -> str:
    """The program; the test is skipped where it can neither be found nor installed."""
    found = shutil.which("deno")
    if found:
        return found
    tools = os.environ.get("OCTAVO_TEST_TOOLS")
    folder = Path(tools) if tools else Path.home() / ".cache" / "octavo-tests"
    program = folder / "deno" / "node_modules" / ".bin" / "deno"
    if not program.exists():
        _install(folder / "deno", program)
    return str(program)


def deno_kernel() -> Kernelspec:
    """What `deno jupyter --install` would write, but for the way it is interrupted."""
    return Kernelspec(
        name="deno",
        argv=(deno(), "jupyter", "--kernel", "--conn", "{connection_file}"),
        language="typescript",
        display_name="Deno",
        variables={"NO_COLOR": "1"},
        interrupt_mode="message",
    )


def _install(folder: Path, program: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("neither deno nor npm, which could install it, is installed")
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if program.exists():
            return
        command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), "deno"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    if not program.exists():
        pytest.skip(f"npm could not install deno: {done.stderr.strip()[-300:]}")
