"""Earlier contents of notebooks, by their hash: what an edit with `--base` was made for.

Kept in `.octavo/versions`, the newest of them only; what was committed last is known too. They are
a convenience: an edit whose base is not known any more is refused, never guessed.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from octavo.errors import OctavoError
from octavo.records.disk import replacing

_KEPT = 200
_LARGEST = 5_000_000
_ALL = 50_000_000
#: Where one of these is, a folder of ours does not make a project out of any folder.
_PROJECT = (".octavo", ".git", "octavo.toml", "pyproject.toml")
_HASH = re.compile(r"[0-9a-f]{64}")


class Versions:
    """The remembered contents of a project's notebooks."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._folder = project / ".octavo" / "versions"

    def remember(self, text: str, path: str) -> None:
        """Keep a content of the file at a path, for those who may read that file; a disk that does
        not take it is no reason to stop.
        """
        if len(text) > _LARGEST:
            return
        content = text.encode("utf-8")
        kept = self._folder / sha256(content).hexdigest()
        with suppress(OSError):
            if kept.exists():
                kept.touch()
                return
            self._make_folder()
            with replacing(kept, sync=False) as file:
                os.fchmod(file.fileno(), stat.S_IMODE(os.stat(path).st_mode) | stat.S_IWUSR)
                file.write(content)
            self._forget_oldest()

    def remember_reading(self, text: str, path: str) -> None:
        """The same after mere reading, which leaves nothing behind outside of projects."""
        if any(os.path.exists(self._project / name) for name in _PROJECT):
            within = os.path.relpath(os.path.realpath(path), os.path.realpath(self._project))
            if within.split(os.sep)[0] != "..":
                self.remember(text, path)

    def recall(self, digest: str, path: str, environ: Mapping[str, str]) -> str | None:
        """The content with a hash, kept or committed, of the file at a path."""
        if not _is_hash(digest):
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
        """What is beyond the bounds, oldest first; the newest is never too much."""
        kept = [(path.stat(), path) for path in self._folder.iterdir() if _is_hash(path.name)]
        kept.sort(key=lambda each: each[0].st_mtime_ns, reverse=True)
        total = 0
        for at, (known, path) in enumerate(kept):
            total += known.st_size
            if at >= _KEPT or total > _ALL:
                path.unlink(missing_ok=True)


def _is_hash(name: str) -> bool:
    return _HASH.fullmatch(name) is not None


def _committed(digest: str, path: str, environ: Mapping[str, str]) -> str | None:
    from octavo.git.repository import Repository

    with suppress(OctavoError, OSError, UnicodeDecodeError):
        repository = Repository.around(os.path.dirname(path), environ)
        content = repository.read("HEAD", repository.name_of(path))
        if content is not None and sha256(content).hexdigest() == digest:
            return content.decode("utf-8")
    return None
