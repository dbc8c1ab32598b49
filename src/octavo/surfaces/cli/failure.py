"""Errors for people and machines: kind, message, place and hint, never a traceback of ours."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping

from octavo.errors import InfrastructureError, OctavoError
from octavo.render.columns import plain
from octavo.surfaces.cli.screen import Screen


def present(error: OctavoError, out: Screen, err: Screen, *, as_json: bool) -> None:
    """Tell an error: on standard error, or as JSON on standard output."""
    if as_json:
        out.print(json.dumps({"error": error.to_json()}, default=str))
    else:
        err.print(*_lines(error, err))


def _lines(error: OctavoError, err: Screen) -> list[str]:
    style = err.style
    ours = error.place.startswith("octavo ")
    who = f"{error.place}:" if ours else "octavo:"
    place = f"{error.place}: " if error.place and not ours else ""
    first, *more = map(plain, f"{place}{error.message}".splitlines() or [""])
    lines = [f"{style.paint(who, 'red', 'bold')} {first}"]
    lines += [f"  {line}" for line in more]
    if error.hint:
        lines.append(f"  {style.paint('hint:', 'cyan')} {plain(error.hint)}")
    return lines


def internal(error: BaseException, cache: str, environ: Mapping[str, str]) -> OctavoError:
    """A mistake of ours as an error that says where its details are."""
    import traceback

    details = "".join(traceback.format_exception(error))
    if environ.get("OCTAVO_DEBUG"):
        hint = ""
    else:
        path = _written(details, cache)
        hint = f"the details are in {path}" if path else "OCTAVO_DEBUG=1 shows the details"
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    told = InfrastructureError("internal", f"internal error: {what}", hint=hint)
    if not hint:
        told.details["traceback"] = details
    return told


def _written(details: str, cache: str) -> str | None:
    """The file that now holds the details of an internal error."""
    folder = os.path.join(cache, "errors")
    path = os.path.join(folder, f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(details)
    except OSError:
        return None
    return path
