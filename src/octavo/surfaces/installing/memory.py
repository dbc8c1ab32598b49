"""What was written into other programs' folders, so that undoing takes back that and no more."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from octavo.authoring.files import unwritable
from octavo.records.disk import replacing
from octavo.surfaces.installing.splice import Splice
from octavo.value import Value


class Noted(Value):
    """Of a file: how it was left, and what is to be put back."""

    sha256: str
    splice: Splice

    def is_as_left(self, now: bytes | None) -> bool:
        return now is not None and digest(now) == self.sha256

    def before(self, now: bytes | None) -> bytes | None:
        """What was there before a file that is as we left it; None where there was none."""
        return self.splice.undone(now or b"") if self.splice.existed else None


class Memory:
    """Files by their paths, in one note of the user's."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "installed.json"

    def files(self) -> dict[str, Noted]:
        """What is known; nothing where nothing was done, or where the note is damaged."""
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            known: dict[str, Any] = json.loads(self._path.read_text("utf-8"))["files"]
            return {
                path: Noted(str(each["sha256"]), Splice.from_json(each["splice"]))
                for path, each in known.items()
            }
        return {}

    def of(self, path: Path) -> Noted | None:
        return self.files().get(str(path))

    def note(self, changed: dict[Path, tuple[bytes | None, bytes | None]]) -> None:
        """Remember changes before they are made; a file that goes is forgotten.

        A file that we had written before, and that is as we left it, goes back to what was there
        at first.
        """
        known = self.files()
        for path, (before, after) in changed.items():
            if after is None:
                known.pop(str(path), None)
                continue
            first = _first(known.get(str(path)), before)
            known[str(path)] = Noted(digest(after), Splice.between(first, after))
        self._write(known)

    def forget(self, paths: list[Path]) -> None:
        known = self.files()
        for path in paths:
            known.pop(str(path), None)
        self._write(known)

    def _write(self, known: dict[str, Noted]) -> None:
        files = {
            path: {"sha256": each.sha256, "splice": each.splice.to_json()}
            for path, each in known.items()
        }
        try:
            if files:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                with replacing(self._path) as file:
                    file.write(json.dumps({"files": files}, indent=1).encode())
            else:
                self._path.unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(error, self._path) from error
        if not files:
            with suppress(OSError):
                self._path.parent.rmdir()


def _first(known: Noted | None, before: bytes | None) -> bytes | None:
    """What was there before our first change of a file that is as we left it."""
    if known is None or before is None or not known.is_as_left(before):
        return before
    return known.before(before)


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
