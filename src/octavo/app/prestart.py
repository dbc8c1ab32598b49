"""Starting the interpreter of a notebook before the command line has even been parsed.

A guess: it costs nothing when it is wrong (the process is ended, it has run no code of anybody),
and it hides our own start-up behind that of the kernel when it is right.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from octavo.kernels.fork.zygote import Zygote

NOTEBOOKS = (".py", ".ipynb", ".md")
RUNS_NOTHING = ("-h", "--help", "--help-notebook", "--prepare-only", "--detach", "--hold")
TAKE_A_VALUE = ("--python", "--preload", "--engine")
FORKED = "fork"


def prestart(arguments: list[str]) -> Zygote | None:
    """A zygote for the first notebook on the command line, None when there is any doubt."""
    try:
        return _prestart(arguments)
    except Exception:
        return None


def _prestart(arguments: list[str]) -> Zygote | None:
    if any(word in RUNS_NOTHING for word in arguments):
        return None
    notebook = next((word for word in arguments if word.endswith(NOTEBOOKS)), None)
    options = _options(arguments)
    if notebook is None or not os.path.isfile(notebook):
        return None
    if options.get("--engine", FORKED) != FORKED:
        return None
    from octavo.config import cache_folder
    from octavo.environments.choose import choose
    from octavo.environments.request import Request
    from octavo.environments.variables import variables
    from octavo.kernels.fork.zygote import spawn, supported

    if not supported():
        return None

    environ = dict(os.environ)
    with open(notebook, encoding="utf-8") as file:
        text = file.read()
    choice = choose(
        Request(
            notebook=os.path.abspath(notebook),
            text=text,
            cwd=os.getcwd(),
            current=sys.executable,
            cache=cache_folder(environ),
            environ=environ,
            python=options.get("--python"),
        )
    )
    if choice.work:
        return None
    environment = choice.environment
    preload = tuple(name for name in options.get("--preload", "").split(",") if name)
    passed = variables(environ, environment)
    return spawn(environment.python, passed, preload, environment.overlay)


def _options(arguments: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name in TAKE_A_VALUE:
            found[name] = value if equals else following
    return found
