"""Paths that clients name stay inside the project, wherever links lead."""

from __future__ import annotations

import os

from octavo.errors import UsageError

#: Folders that are no place for notebooks: history (of repositories within too), and records.
_CLOSED = frozenset({".git", ".octavo"})
_LONGEST = 4096


def confined(path: str, project: str, *, what: str = "path") -> str:
    """A path relative to the project that lies inside of it; UsageError for any other."""
    if not path.strip():
        raise _refused(f"{what} is empty", "", "name a notebook, such as notebooks/report.py")
    if "\0" in path or len(os.fsencode(_encodable(path))) > _LONGEST:
        raise _refused(f"{what} is no path", path, "name a file of the project")
    if "://" in path or path == "-":
        raise _refused(f"{what} must be a file of the project", path, "save it in the project")
    root = os.path.realpath(project)
    real = os.path.realpath(os.path.join(root, path))
    if real != root and not real.startswith(os.path.join(root, "")):
        hint = "paths are relative to the project; nothing outside of it can be reached"
        raise _refused(f"{what} is outside of the project", path, hint)
    relative = os.path.relpath(real, root)
    # Some file systems take names for the same whatever their case.
    if not _CLOSED.isdisjoint(relative.casefold().split(os.sep)):
        raise _refused(
            f"{what} is in a folder that is not for notebooks",
            path,
            "runs are read by runs_list and run_result",
        )
    return relative


def _encodable(path: str) -> str:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise _refused("that is no path", repr(path)[:80], "name a file of the project") from None
    return path


def _refused(message: str, path: str, hint: str) -> UsageError:
    shown = path if len(path) <= 200 else f"{path[:200]}…"
    return UsageError("outside-project", message, place=shown.replace("\0", "\\0"), hint=hint)
