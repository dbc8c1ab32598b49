"""An interpreter of a given version, wherever one is installed."""

from __future__ import annotations

import os
from collections.abc import Iterator

from octavo.environments.probe import probe
from octavo.environments.request import Request
from octavo.environments.specifier import satisfies
from octavo.environments.uv import find_uv, is_executable, on_path
from octavo.environments.uvcall import UvFailed, call_uv
from octavo.errors import EnvironmentFailure


def find_interpreter(request: Request, version: str) -> str:
    """The path of an interpreter that fits `version` ("3.12", ">=3.11")."""
    for candidate in _candidates(request, version):
        try:
            facts = probe(candidate, request.environ)
        except EnvironmentFailure:
            continue  # a shim for a version that is not installed, for example
        if satisfies(str(facts["version"]), version):
            return str(facts["executable"])
    raise EnvironmentFailure(
        "interpreter-missing",
        f"there is no Python {version} here",
        place=f"--python {version}",
        hint=f"install it with: uv python install {version}",
    )


def _candidates(request: Request, version: str) -> Iterator[str]:
    search_path = request.environ.get("PATH", "")
    if version[0].isdigit():
        found = on_path(f"python{'.'.join(version.split('.')[:2])}", search_path)
        if found:
            yield found
    yield from _of_uv(request, version, search_path)
    yield from _of_pyenv(request, version)
    found = on_path("python3", search_path)
    if found:
        yield found


def _of_uv(request: Request, version: str, search_path: str) -> Iterator[str]:
    uv = find_uv(request.uv, request.current, search_path)
    if uv:
        command = [uv, "python", "find", "--system", "--no-project", version]
        try:
            yield call_uv(command, request.environ, cwd="/").strip()
        except UvFailed:
            return


def _of_pyenv(request: Request, version: str) -> Iterator[str]:
    root = request.environ.get("PYENV_ROOT") or os.path.join(
        request.environ.get("HOME", "/"), ".pyenv"
    )
    folder = os.path.join(root, "versions")
    try:
        installed = sorted(os.listdir(folder), reverse=True)
    except OSError:
        return
    for name in installed:
        python = os.path.join(folder, name, "bin", "python")
        if name[0].isdigit() and satisfies(name, version) and is_executable(python):
            yield python
