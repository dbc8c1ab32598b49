"""Programs of other projects, forked from a process that has loaded what they need.

Each of them compiles a grammar of addresses when it is started alone, which takes seconds; this way
it happens once for all tests of a worker. What is called is the program itself, as its package
declares it, in a process, a folder and an environment of its own.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

LOADED = ("papermill.cli", "jupytext.cli", "nbdime.nbdiffapp", "nbdime.nbshowapp")
NAMES = ("papermill", "jupytext", "nbdiff", "nbshow", "pytest")


def call(
    words: list[str], cwd: Path, env: Mapping[str, str], text: str | None, seconds: int
) -> subprocess.CompletedProcess[str]:
    """Like `subprocess.run`, with its outputs as text."""
    with TemporaryDirectory() as folder:
        streams = [Path(folder, name) for name in ("in", "out", "err")]
        streams[0].write_text(text or "", encoding="utf-8")
        request = {"words": words, "cwd": str(cwd), "env": dict(env), "seconds": seconds}
        code = _ask({**request, "streams": list(map(str, streams))})
        out, err = (path.read_text(encoding="utf-8") for path in streams[1:])
    return subprocess.CompletedProcess(words, code, out, err)


def _ask(request: dict[str, Any]) -> int:
    server = _server()
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(json.dumps(request) + "\n")
    server.stdin.flush()
    return int(server.stdout.readline())


@cache
def _server() -> subprocess.Popen[str]:
    """It ends when its questions end, with whoever started it."""
    command = [sys.executable, __file__]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(server.communicate)
    return server


def _serve() -> Callable[[], Any] | None:
    """Answer calls with exit codes; in the process of a call, what it is to do."""
    for name in LOADED:
        importlib.import_module(name)
    gc.freeze()
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    for line in requests:
        child = os.fork()
        if child == 0:
            return _become(json.loads(line))
        answers.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        answers.flush()
    return None


def _become(request: dict[str, Any]) -> Callable[[], Any]:
    signal.alarm(request["seconds"])
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    _redirect(request["streams"])
    if "PYTHONWARNINGS" in request["env"]:
        warnings.simplefilter(request["env"]["PYTHONWARNINGS"])
    sys.argv = request["words"]
    (program,) = entry_points(group="console_scripts", name=sys.argv[0])
    found: Callable[[], Any] = program.load()
    return found


def _redirect(streams: list[str]) -> None:
    for number, path in enumerate(streams):
        flags = os.O_WRONLY | os.O_CREAT if number else os.O_RDONLY
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", closefd=False)


def _run(program: Callable[[], Any]) -> None:
    """Run it as a script does; taking down all that was loaded would take as long as the call."""
    code: Any = 1
    try:
        code = program()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
    if isinstance(code, str):
        print(code, file=sys.stderr)
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(code if isinstance(code, int) else bool(code))


if __name__ == "__main__":
    sys.path.remove(str(Path(__file__).parent))
    program = _serve()
    if program:
        _run(program)
