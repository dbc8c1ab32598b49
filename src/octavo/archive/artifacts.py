"""The artifact store: what is too large for git, in a folder, by the hash of its content."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from octavo.errors import StorageError
from octavo.events.spilled import size_text
from octavo.records.disk import is_full, replacing
from octavo.value import Value

_SHA256 = re.compile(r"[0-9a-f]{64}")
_CHUNK = 1024 * 1024


class Artifact(Value):
    """What a pointer says of something in the store; `store` is the setting it was put with."""

    sha256: str
    size: int
    media_type: str
    store: str

    def to_json(self) -> dict[str, Any]:
        return {"octavo": "artifact", **self.to_dict()}

    @classmethod
    def from_json(cls, plain: Any) -> Artifact | None:
        """The artifact that a pointer names; None where it is no pointer."""
        if not isinstance(plain, dict) or plain.get("octavo") != "artifact":
            return None
        digest, size = plain.get("sha256"), plain.get("size")
        if not isinstance(digest, str) or not _SHA256.fullmatch(digest):
            return None
        if not isinstance(size, int) or size < 0:
            return None
        return cls(digest, size, str(plain.get("media_type")), str(plain.get("store")))


class ArtifactStore:
    """A folder that any number of processes put things into; nothing in it is ever changed."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.name = name

    def put(self, content: bytes, media_type: str) -> Artifact:
        """Keep a content; what is there already is not written again."""
        artifact = Artifact(
            hashlib.sha256(content).hexdigest(), len(content), media_type, self.name
        )
        with self._writing(artifact) as file:
            if file is not None:
                file.write(content)
        return artifact

    def put_file(self, path: Path, media_type: str) -> Artifact:
        """Keep a file, however large."""
        artifact = Artifact(_digest(path), path.stat().st_size, media_type, self.name)
        with self._writing(artifact) as file, path.open("rb") as source:
            while file is not None and (chunk := source.read(_CHUNK)):
                file.write(chunk)
        return artifact

    def path_of(self, artifact: Artifact) -> Path:
        return self.folder / "sha256" / artifact.sha256[:2] / artifact.sha256

    def get(self, artifact: Artifact) -> Path:
        """The file with a content that was checked; StorageError `artifact` where it is not so."""
        path = self.path_of(artifact)
        try:
            found = _digest(path)
        except OSError:
            raise _trouble(artifact, path, "is not in the artifact store") from None
        if found != artifact.sha256:
            raise _trouble(artifact, path, "is damaged: its content is another one")
        return path

    @contextmanager
    def _writing(self, artifact: Artifact) -> Iterator[BinaryIO | None]:
        path = self.path_of(artifact)
        if self._has(artifact):
            yield None
            return
        try:
            self._make(path.parent)
            with replacing(path) as file:
                yield file
        except OSError as error:
            raise _unwritable(error, self.folder) from error

    def _has(self, artifact: Artifact) -> bool:
        with suppress(OSError):
            return _digest(self.path_of(artifact)) == artifact.sha256
        return False

    def _make(self, folder: Path) -> None:
        """Within `.octavo` nothing is for git; a folder of the user's own is the user's."""
        folder.mkdir(parents=True, exist_ok=True)
        if self.folder.parent.name == ".octavo":
            ignore = self.folder.parent / ".gitignore"
            if not ignore.exists():
                with replacing(ignore, sync=False) as file:
                    file.write(b"*\n")


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _trouble(artifact: Artifact, path: Path, what: str) -> StorageError:
    about = f"{size_text(artifact.size)} of {artifact.media_type}"
    return StorageError(
        "artifact",
        f"{about} (sha256 {artifact.sha256[:12]}…) {what}",
        place=str(path),
        hint=f"it was put into {artifact.store}: copy it from where the run was archived, or set"
        " artifact_store to that folder",
    )


def _unwritable(error: OSError, folder: Path) -> StorageError:
    why = os.strerror(error.errno).lower() if error.errno else str(error)
    return StorageError(
        "disk-full" if is_full(error) else "storage",
        f"the artifact store cannot be written: {why}",
        place=str(folder),
        hint="free some space there, or set artifact_store to another folder",
    )
