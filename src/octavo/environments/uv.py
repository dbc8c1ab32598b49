"""Where `uv` is."""

from __future__ import annotations

import os

from octavo.errors import EnvironmentFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from octavo.environments.request import Request


def find_uv(explicit: str | None, current: str, search_path: str) -> str | None:
    """The `uv` that is named, else the one beside the current interpreter, else on PATH."""
    if explicit:
        return explicit if is_executable(explicit) else None
    beside = os.path.join(os.path.dirname(current), "uv")
    return beside if is_executable(beside) else on_path("uv", search_path)


def required_uv(request: Request, purpose: str) -> str:
    """The path of `uv`, or an error that says how to get it."""
    found = find_uv(request.uv, request.current, request.environ.get("PATH", ""))
    if found:
        return found
    raise EnvironmentFailure(
        "extra-missing",
        f"{purpose} needs uv, which "
        + (f"is not at {request.uv}" if request.uv else "is not installed"),
        hint="install it with: pip install 'octavo[uv]'",
    )


def on_path(name: str, search_path: str) -> str | None:
    """The first executable of that name in a list of folders."""
    for folder in filter(None, search_path.split(os.pathsep)):
        candidate = os.path.join(folder, name)
        if is_executable(candidate):
            return candidate
    return None


def is_executable(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
