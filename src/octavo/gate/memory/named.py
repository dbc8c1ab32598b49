"""Files that a notebook names in its text, for libraries that open files without telling Python.

Polars, DuckDB and the like read with code of their own, which no audit hook hears of. What stands
between quotes in the notebook and in the modules that it imports, or is given as a parameter, and
is the path of a file, is then taken for read. A path that is put together while running is not
found: such data is to be declared.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from glob import escape, iglob
from pathlib import Path
from typing import Any

from octavo.records.record import RunRecord
from octavo.value import Value

_QUOTED = re.compile(r"""(["'])([^"'\n\\]{2,300})\1""")
#: More than this in one text are no names of files.
_MOST, _MOST_PATTERNS = 2_000, 50
_NO_DATA = ("/dev/", "/proc/", "/sys/", "/etc/", "/usr/")


class Named(Value):
    """Paths of files, and patterns of such paths."""

    files: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


def named_in_text(record: RunRecord) -> Named:
    """What a run may have read unseen; nothing where it used no library that does that."""
    seen = record.files or {}
    if not any(str(fact).startswith("native:") for fact in seen.get("facts", ())):
        return Named()
    folder = str(record.environment.get("cwd") or "")
    files: dict[str, None] = {}
    patterns: dict[str, None] = {}
    for word in dict.fromkeys(_words(record)):
        path = os.path.normpath(os.path.join(folder, word))
        if path.startswith(_NO_DATA) or path == folder or "\0" in path:
            continue
        if "*" in word:
            pattern = os.path.normpath(os.path.join(escape(folder), word))
            if len(patterns) < _MOST_PATTERNS and any(iglob(pattern, recursive=True)):
                patterns[pattern] = None
        elif os.path.isdir(path) and path.startswith(f"{folder}{os.sep}"):
            patterns[os.path.join(escape(path), "*")] = None
        elif os.path.isfile(path) and not _is_product(path, record.started):
            files[path] = None
    return Named(tuple(files), tuple(patterns))


def _words(record: RunRecord) -> Iterator[str]:
    """Everything that stands between quotes, and every text among the parameters."""
    modules = (record.files or {}).get("modules", ())
    for source in (*sorted(record.directory.glob("source.*")), *map(Path, modules)):
        try:
            text = source.read_text("utf-8", "replace")
        except OSError:
            continue
        found = _QUOTED.finditer(text.replace('\\"', '"'))
        yield from (each[2] for each, _ in zip(found, range(_MOST), strict=False))
    for values in (record.parameters, record.defaults):
        yield from _texts(values)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _texts(each)


def _is_product(path: str, started: float) -> bool:
    """Whether the run wrote it, as far as its time tells."""
    return os.stat(path).st_mtime > started
