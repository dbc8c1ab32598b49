"""From what a run was seen to read to what a verdict on it rests on."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

from octavo.gate.memory.entries import Inputs
from octavo.gate.memory.named import named_in_text
from octavo.gate.memory.stamps import ENDLESS, UNREADABLE, Stamps, of_names
from octavo.records.record import RunRecord

_PATHS = ("read", "missing", "listed", "modules")


def why_not_memorable(record: RunRecord) -> str:
    """Why the verdict on a run cannot be kept, as far as its record tells; empty if it can."""
    files = record.files
    if files is None:
        return "nobody saw which files it read"
    if not files.get("complete"):
        return "it used more files than are kept count of"
    paths = [path for name in _PATHS for path in files[name]]
    if any("[redacted:" in path or "\ufffd" in path for path in paths):
        return "the names of its files cannot be written down"
    return _changed(files, record.started)


def inputs_of_record(
    record: RunRecord, stamps: Stamps, declared: Iterable[str], also: Iterable[str]
) -> Inputs | None:
    """The files of a run with their hashes now; None where they may not be what it read."""
    seen = record.files
    if seen is None or why_not_memorable(record):
        return None
    named = named_in_text(record)
    patterns = [stamps.name(_beside(record, pattern)) for pattern in declared]
    patterns += map(stamps.name, named.patterns)
    matches = {pattern: stamps.matches(pattern) for pattern in patterns}
    used = (*seen["read"], *seen["missing"], *seen["modules"], *named.files, *also)
    names = {stamps.name(path) for path in used}
    names.update(name for found in matches.values() for name in found)
    files = {name: stamps.digest(name) for name in sorted(names)}
    if not {UNREADABLE, ENDLESS}.isdisjoint(files.values()):
        return None
    listed = sorted({stamps.name(path) for path in seen["listed"]})
    inputs = Inputs(
        files,
        {name: stamps.listing(name) for name in listed},
        {pattern: of_names(found) for pattern, found in matches.items()},
    )
    # What was written while it was being read here is in no hash that could be trusted.
    return None if why_not_memorable(record) else inputs


def _beside(record: RunRecord, pattern: str) -> str:
    from glob import escape

    folder = os.path.dirname(str(record.source.get("path") or ""))
    return os.path.normpath(os.path.join(escape(folder), pattern))


def _changed(files: Mapping[str, Any], started: float) -> str:
    """What of a run's files was changed since it began, so that nobody knows what it read."""
    for path in (*files["read"], *files["modules"], *files["missing"]):
        if _touched(path) > started:
            return f"{path} was changed while it ran"
    for path in files["read"]:
        if not os.path.lexists(path):
            return f"{path} was removed while it ran"
    filled = {os.path.dirname(path) for path in files["written"]}
    for path in files["listed"]:
        if path not in filled and _touched(path) > started:
            return f"the folder {path} was changed while it ran"
    return ""


def _touched(path: str) -> float:
    """When something was last changed, or a link on the way to it was set to something else.

    The time of its content can be set to any other.
    """
    try:
        latest = os.stat(path).st_ctime_ns
    except OSError:
        latest = 0
    for at in (path, *map(str, PurePath(path).parents)):
        if os.path.islink(at):
            latest = max(latest, os.lstat(at).st_ctime_ns)
    return latest / 1e9
