"""Magics and shell commands that differ from plain IPython's."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

#: Set by the launch: where uv is, and whether the environment belongs to Octavo.
uv: str | None = None
managed = False


def register(shell: Any) -> None:
    """Install `%pip`, `%store` and the way `!command` is run."""
    shell.register_magic_function(_pip, "line", "pip")
    shell.register_magic_function(lambda line: _store(shell, line), "line", "store")
    shell.system = lambda command: _system(shell, command)


def _system(shell: Any, command: str) -> None:
    """`!command`: its output and errors are one stream, so that their order is exact."""
    expanded = shell.var_expand(command, depth=1)
    code = _call([_shell(), "-c", expanded])
    shell.user_ns["_exit_code"] = code
    if getattr(shell, "system_raise_on_error", False) and code != 0:
        raise subprocess.CalledProcessError(code, command)


def _shell() -> str:
    wanted = (os.environ.get("SHELL", ""), "/bin/bash")
    return next((path for path in wanted if os.access(path, os.X_OK)), "/bin/sh")


def _call(arguments: list[str]) -> int:
    """Run a command to its end. Where `sys.stdout` was replaced (`%%capture`), through that."""
    straight = sys.stdout is sys.__stdout__
    running = subprocess.Popen(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=None if straight else subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        if running.stdout is not None:
            _copy(running.stdout)
        return running.wait()
    except KeyboardInterrupt:
        _end(running)
        raise


def _copy(output: Any) -> None:
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    while True:
        data = output.read1(1 << 16)
        sys.stdout.write(decoder.decode(data, final=not data))
        if not data:
            return


def _end(running: subprocess.Popen[bytes]) -> None:
    """It got the interrupt too, as at a terminal; it has a moment to heed it."""
    try:
        running.wait(timeout=2)
    except subprocess.TimeoutExpired:
        running.kill()
        running.wait()


def _store(shell: Any, line: str) -> Any:
    """Load the extension when it is first used; what it stores lives as long as the kernel."""
    shell.extension_manager.load_extension("storemagic")
    return shell.run_line_magic("store", line)


def _pip(line: str) -> None:
    """Run pip, or uv where pip is not installed, for the environment of this kernel."""
    import shlex

    _call(_pip_command(shlex.split(line)))
    print("Note: you may need to restart the kernel to use updated packages.")  # noqa: T201


def _pip_command(words: list[str]) -> list[str]:
    from importlib.util import find_spec

    from IPython.core.error import UsageError

    if managed and words[:1] in (["install"], ["uninstall"]):
        raise UsageError(
            f"%pip {words[0]}: this environment is built from the notebook's script block and is "
            "shared between runs; change `dependencies` in the block instead"
        )
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", *words]
    if uv:
        return [uv, "pip", *words[:1], "--python", sys.executable, *words[1:]]
    raise UsageError(
        f"%pip: neither pip nor uv is there; try `{sys.executable} -m ensurepip` in a terminal"
    )
