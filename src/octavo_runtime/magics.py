"""Magics and shell commands that differ from plain IPython's."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from octavo_runtime import process

#: Set by the launch: where uv is, and whether the environment belongs to Octavo.
uv: str | None = None
managed = False


def register(shell: Any) -> None:
    """Install `%pip` and the way `!command` is run."""
    shell.register_magic_function(_pip, "line", "pip")
    shell.system = lambda command: _system(shell, command)


def _system(shell: Any, command: str) -> None:
    """`!command`: output goes where Python's goes, errors merged, so that the order is exact."""
    expanded = shell.var_expand(command, depth=1)
    code = _call(["/bin/bash" if os.path.exists("/bin/bash") else "/bin/sh", "-c", expanded])
    shell.user_ns["_exit_code"] = code


def _call(arguments: list[str]) -> int:
    sys.stdout.flush()
    process.flush_c_streams()
    running = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)
    try:
        return running.wait()
    except KeyboardInterrupt:
        running.wait(timeout=2)
        raise


def _pip(line: str) -> None:
    """Run pip, or uv where pip is not installed, for the environment of this kernel."""
    import shlex
    from importlib.util import find_spec

    words = shlex.split(line)
    if managed and words[:1] == ["install"]:
        from IPython.core.error import UsageError

        raise UsageError(
            "%pip install: this environment is built from the notebook's script block and is "
            "shared between runs; add the package to `dependencies` in the block instead"
        )
    if find_spec("pip") is not None:
        arguments = [sys.executable, "-m", "pip", *words]
    elif uv:
        arguments = [uv, "pip", *words[:1], "--python", sys.executable, *words[1:]]
    else:
        from IPython.core.error import UsageError

        raise UsageError(
            f"%pip: neither pip nor uv is there; try `{sys.executable} -m ensurepip` in a terminal"
        )
    _call(arguments)
    print("Note: you may need to restart the kernel to use updated packages.")  # noqa: T201
