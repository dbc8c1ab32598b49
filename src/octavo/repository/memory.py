"""What `octavo init` remembers in `.git/octavo`, so that `--undo` takes back that and no more."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from octavo.records.disk import replacing
from octavo.value import Value


class Remembered(Value):
    """Of a file: whether it was made, how it was left, whether its last line had no end."""

    created: bool = False
    sha256: str = ""
    unended: bool = False


class Memory:
    """The files of a repository that were changed, by name."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "octavo" / "init.json"

    def files(self) -> dict[str, Remembered]:
        """What is known; nothing where nothing was done, or where the note is damaged."""
        with suppress(OSError, ValueError, TypeError, AttributeError):
            known: dict[str, Any] = json.loads(self._path.read_text("utf-8"))["files"]
            return {
                name: Remembered(
                    bool(each.get("created")), str(each.get("sha256")), bool(each.get("unended"))
                )
                for name, each in known.items()
            }
        return {}

    def remember(self, changed: Mapping[str, tuple[bytes | None, bytes | None]]) -> None:
        """Note files before they are changed. What was true at first stays true.

        A file that a person has changed since is not as we left it, and never will be.
        """
        known = self.files()
        for name, (before, after) in changed.items():
            first = known.get(name)
            if first is None:
                known[name] = _remembered(before, after)
            elif before is None or digest(before) == first.sha256:
                known[name] = first.replace(sha256=digest(after))
        self._path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"files": {name: each.to_dict() for name, each in known.items()}})
        with replacing(self._path) as file:
            file.write(text.encode())

    def forget(self) -> None:
        """Everything has been taken back."""
        self._path.unlink(missing_ok=True)
        with suppress(OSError):
            self._path.parent.rmdir()


def _remembered(before: bytes | None, after: bytes | None) -> Remembered:
    """What to note of a change."""
    unended = bool(before) and not (before or b"").endswith(b"\n")
    return Remembered(before is None, digest(after), unended)


def digest(content: bytes | None) -> str:
    return hashlib.sha256(content or b"").hexdigest()
