"""Earlier contents of notebooks, by their hash: what an edit with `--base` was made for.

Kept in `.octavo/versions`, the newest of them only; what was committed last is known too. They are
a convenience: an edit whose base is not known any more is refused, never guessed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from octavo.errors import OctavoError
from octavo.records.disk import replacing

_KEPT = 200
_LARGEST = 5_000_000
_HASH = re.compile(r"[0-9a-f]{64}")


class Versions:
    """The remembered contents of a project's notebooks."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._folder = project / ".octavo" / "versions"

    def remember(self, text: str) -> None:
        """Keep a content; a disk that does not take it is no reason to stop."""
        if len(text) > _LARGEST:
            return
        content = text.encode("utf-8")
        path = self._folder / sha256(content).hexdigest()
        with suppress(OSError):
            if path.exists():
                path.touch()
                return
            self._make_folder()
            with replacing(path, sync=False) as file:
                file.write(content)
            self._forget_oldest()

    def recall(self, digest: str, path: str, environ: Mapping[str, str]) -> str | None:
        """The content with a hash, kept or committed, of the file at a path."""
        if not _HASH.fullmatch(digest):
            return None
        with suppress(OSError, UnicodeDecodeError):
            content = (self._folder / digest).read_bytes()
            if sha256(content).hexdigest() == digest:
                return content.decode("utf-8")
        return _committed(digest, path, environ)

    def _make_folder(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        ignore = self._project / ".octavo" / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n")

    def _forget_oldest(self) -> None:
        kept = [path for path in self._folder.iterdir() if _HASH.fullmatch(path.name)]
        if len(kept) > _KEPT:
            kept.sort(key=lambda path: path.stat().st_mtime_ns)
            for path in kept[: len(kept) - _KEPT]:
                path.unlink(missing_ok=True)


def _committed(digest: str, path: str, environ: Mapping[str, str]) -> str | None:
    from octavo.git.repository import Repository

    with suppress(OctavoError, OSError, UnicodeDecodeError):
        repository = Repository.around(os.path.dirname(path), environ)
        content = repository.read("HEAD", repository.name_of(path))
        if content is not None and sha256(content).hexdigest() == digest:
            return content.decode("utf-8")
    return None
