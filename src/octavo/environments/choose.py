"""Which interpreter a notebook runs in, and why.

In this order: what the user asked for (`--python`); the script block in the notebook; the
nearest `.venv` at or above the notebook's folder; the current interpreter. This runs before
anything else of a run does, so it imports little, starts nothing and writes nothing.
"""

from __future__ import annotations

import os
import sys

from octavo.environments.known import Known, recall
from octavo.environments.launch import Environment
from octavo.environments.layout import (
    EXECUTABLE,
    Venv,
    ipython_version,
    is_older,
    is_venv,
    read_venv,
)
from octavo.environments.request import OLDEST_IPYTHON, OLDEST_PYTHON, Choice, Request
from octavo.environments.script import script_environment
from octavo.environments.specifier import satisfies
from octavo.environments.uv import is_executable, on_path
from octavo.errors import EnvironmentFailure, UsageError
from octavo.notebook.comment_blocks import CommentBlock, find_block

TOOL_RECEIPTS = ("uv-receipt.toml", "pipx_metadata.json")


def choose(request: Request) -> Choice:
    """The environment of a notebook, as far as it can be told without starting anything."""
    notebook = os.path.join(request.cwd, request.notebook)
    version = request.python if request.python and is_version(request.python) else None
    if request.python and not version:
        return _asked_for(request, request.python)
    block = find_block(request.text, notebook)
    if block:
        return _declared(request, block, version)
    return _nearest(request, os.path.dirname(os.path.normpath(notebook)), version)


def is_version(python: str) -> bool:
    """Whether `--python` names a version ("3.12", ">=3.11") and not a path or a command."""
    return (python[0].isdigit() and os.sep not in python) or python[0] in "<>=~!"


def _asked_for(request: Request, python: str) -> Choice:
    why = f"--python {python}"
    path = os.path.join(request.cwd, python)
    if os.path.isdir(path):
        return _of_folder(request, os.path.normpath(path), why)
    if os.sep not in python and not os.path.lexists(path):
        found = on_path(python, request.environ.get("PATH", ""))
        if not found:
            raise UsageError(
                "wrong-argument",
                f"--python: there is no interpreter, folder or command {python!r}",
                hint="give a version (3.12), an interpreter, or the folder of an environment",
            )
        path = found
    return _of_interpreter(request, os.path.normpath(path), why)


def _of_folder(request: Request, folder: str, why: str) -> Choice:
    for root in (folder, os.path.join(folder, ".venv")):
        if is_venv(root):
            return _of_venv(request, read_venv(root), "python", why)
    python = os.path.join(folder, EXECUTABLE)
    if not os.path.lexists(python):
        raise UsageError(
            "wrong-argument",
            f"--python: {folder} is not an environment",
            hint=f"it has no bin/python; make one with: uv venv {folder}",
        )
    return _of_interpreter(request, python, why)


def _declared(request: Request, block: CommentBlock, version: str | None) -> Choice:
    place = script_environment(block, request.cache, version)
    why = f"the script block at {block.place()}" + (f", --python {version}" if version else "")
    environment = Environment(place.python, why, "script", place.root, managed=True)
    work = "" if place.is_ready() else "build"
    return Choice(environment, work, block, version or "")


def _nearest(request: Request, folder: str, version: str | None) -> Choice:
    """The environment that belongs to the notebook's folder or one above it.

    With a version, one that does not fit is passed over.
    """
    home = request.environ.get("HOME")
    note = ""
    while True:
        root = _environment_of(request, folder)
        project = os.path.isfile(os.path.join(folder, "uv.lock"))
        if root and _fits(venv := read_venv(root), version):
            kind = "project" if project else "venv"
            why = f"the {'uv project' if project else '.venv'} in {folder}{note}"
            return _of_venv(request, venv, kind, _asked(version, why))
        if project and not root and not note:
            note = f" (the uv project in {folder} has no environment yet: `uv sync` makes it)"
        parent = os.path.dirname(folder)
        if folder in (home, parent):
            return _elsewhere(request, version, note)
        folder = parent


def _elsewhere(request: Request, version: str | None, note: str) -> Choice:
    if version is None or satisfies("{}.{}.{}".format(*sys.version_info), version):
        return _current(request, version, note)
    known = recall(request.cache, f"version {version}")
    if known is None:
        return Choice(Environment("", f"--python {version}", "python"), "find", version=version)
    return _of_interpreter(request, known.python, f"--python {version}")


def _fits(venv: Venv, version: str | None) -> bool:
    return version is None or satisfies(venv.full_version, version)


def _asked(version: str | None, why: str) -> str:
    return f"--python {version}: {why}" if version else why


def _environment_of(request: Request, folder: str) -> str | None:
    """The environment that belongs to a folder: `.venv`, or where uv was told to put it."""
    elsewhere = request.environ.get("UV_PROJECT_ENVIRONMENT")
    if elsewhere and os.path.isfile(os.path.join(folder, "uv.lock")):
        root = os.path.join(folder, elsewhere)
        if is_venv(root):
            return root
    root = os.path.join(folder, ".venv")
    if os.path.islink(root) and not os.path.exists(root):
        raise EnvironmentFailure(
            "interpreter-missing",
            f"{root} leads to {os.readlink(root)}, which is gone",
            hint=f"remove the link, or make the environment again with: uv venv {root}",
        )
    return root if is_venv(root) else None


def _current(request: Request, version: str | None, note: str) -> Choice:
    reason = "no script block, no .venv" if version else "no --python, no script block, no .venv"
    active = request.environ.get("VIRTUAL_ENV")
    if active and _is_tool() and is_venv(active) and _fits(venv := read_venv(active), version):
        why = f"the active environment: {reason}{note}"
        return _of_venv(request, venv, "active", _asked(version, why))
    why = f"the interpreter that runs Octavo: {reason}{note}"
    return Choice(Environment(request.current, _asked(version, why), "current", _own_root()))


def _own_root() -> str | None:
    return sys.prefix if is_venv(sys.prefix) else None


def _is_tool() -> bool:
    """Whether Octavo lives in an environment of its own that nobody works in."""
    return any(os.path.isfile(os.path.join(sys.prefix, name)) for name in TOOL_RECEIPTS)


def _of_interpreter(request: Request, python: str, why: str) -> Choice:
    root = os.path.dirname(os.path.dirname(python))
    if is_venv(root):
        return _of_venv(request, read_venv(root), "python", why)
    check_present(python, why)
    if python == request.current:
        return Choice(Environment(python, why, "python", _own_root()))
    environment = Environment(python, why, "python")
    return _if_known(environment, recall(request.cache, python))


def _of_venv(request: Request, venv: Venv, kind: str, why: str) -> Choice:
    check_present(venv.python, why)
    environment = Environment(venv.python, why, kind, venv.root)
    check_python(venv.version, environment)
    version = ipython_version(venv.sites())
    if version is not None:
        check_ipython(version, environment)
        return Choice(environment)
    return _if_known(environment, recall(request.cache, venv.python))


def _if_known(environment: Environment, known: Known | None) -> Choice:
    if known is None:
        return Choice(environment, "probe")
    root = environment.root or known.root
    return Choice(environment.replace(python=known.python, overlay=known.overlay, root=root))


def check_present(python: str, why: str) -> None:
    """Refuse an interpreter that is not there, such as a link to one that was removed."""
    if is_executable(python):
        return
    message = f"there is no interpreter at {python}"
    if os.path.islink(python):
        message = f"{python} leads to {os.readlink(python)}, which is gone"
    root = os.path.dirname(os.path.dirname(python))
    hint = f"make it again with: uv venv --clear {root}" if is_venv(root) else "check --python"
    if os.path.isfile(os.path.join(os.path.dirname(root), "uv.lock")):
        hint = f"make it again with: uv sync --project {os.path.dirname(root)}"
    raise EnvironmentFailure("interpreter-missing", message, hint=hint, place=why)


def check_python(version: str, environment: Environment) -> None:
    """Refuse an interpreter that is too old for notebooks."""
    if is_older(version, OLDEST_PYTHON):
        oldest = ".".join(map(str, OLDEST_PYTHON))
        raise EnvironmentFailure(
            "environment-broken",
            f"{environment.python} is Python {version}; notebooks need {oldest} or newer",
            hint=f"make the environment with a newer Python, or choose one with --python {oldest}",
            place=environment.why,
        )


def check_ipython(version: str, environment: Environment) -> None:
    """Refuse an environment whose own IPython is too old."""
    if is_older(version, OLDEST_IPYTHON):
        raise EnvironmentFailure(
            "environment-broken",
            f"{environment.root or environment.python} has IPython {version}; "
            f"notebooks need {OLDEST_IPYTHON[0]} or newer",
            hint=f"upgrade it with: {install_command(environment.python)}",
            place=environment.why,
        )


def install_command(python: str) -> str:
    """The command that installs a good IPython into an environment."""
    return f"uv pip install --python {python} 'ipython>={OLDEST_IPYTHON[0]}'"
