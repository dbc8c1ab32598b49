"""An archived run as a folder on disk, as if it had run here; made when somebody looks at it."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from octavo.archive.artifacts import Artifact, ArtifactStore
from octavo.archive.outsized import restored
from octavo.archive.packing import POINTER
from octavo.errors import OctavoError, StorageError
from octavo.git.program import Git
from octavo.git.trees import contents
from octavo.records.plain import utf8
from octavo.records.record import NOTEBOOK_NAME, RECORD_NAME
from octavo.records.run_dir import RunDir

#: What is taken from the folder of a run; anything else somebody else put there.
_WANTED = re.compile(
    r"(record\.json|notebook\.ipynb|source\.[a-z]{1,8}|files/[A-Za-z0-9._-]{1,80})(\.pointer\.json)?"
)


def unpacked(
    git: Git,
    place: str,
    oid: str,
    folder: Path,
    store: ArtifactStore,
    said: Callable[[OctavoError], None],
) -> RunDir:
    """The files of an archived run below a folder for such things; what is missing is told."""
    target = folder / oid / place.rpartition("/")[2]
    if target.is_dir():
        return RunDir(target)
    making = folder / f".{oid[:12]}-{uuid4().hex[:8]}"
    try:
        making.mkdir(parents=True)
        whole = _fill(git, oid, making, store, said)
        if not (making / RECORD_NAME).is_file() or not (making / NOTEBOOK_NAME).is_file():
            raise _incomplete(place)
        if not whole:
            target = folder / f"{oid}-partial" / target.name
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):
            if not whole:
                shutil.rmtree(target, ignore_errors=True)
            os.rename(making, target)
        return RunDir(target)
    except OSError as error:
        raise _unwritable(folder, error) from error
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _fill(
    git: Git, oid: str, target: Path, store: ArtifactStore, said: Callable[[OctavoError], None]
) -> bool:
    """Write the files; whether nothing is missing."""
    listed = [line.partition("\t") for line in git.lines("ls-tree", "-r", "-z", oid)]
    wanted = [(name, about.split(" ")[2]) for about, _, name in listed if _WANTED.fullmatch(name)]
    whole = True
    for (name, _), content in zip(wanted, contents(git, [e[1] for e in wanted]), strict=True):
        (target / name).parent.mkdir(exist_ok=True)
        try:
            _write(target, name, content or b"", store)
        except OctavoError as error:
            whole = False
            said(error)
    missing = _put_outputs_back(target / NOTEBOOK_NAME, store)
    for each in missing:
        said(each)
    return whole and not missing


def _write(target: Path, name: str, content: bytes, store: ArtifactStore) -> None:
    if not name.endswith(POINTER):
        (target / name).write_bytes(content)
        return
    artifact = _pointer(content)
    if artifact is None:
        raise StorageError(
            "artifact",
            "a pointer to the artifact store cannot be read",
            place=name,
            hint="somebody edited it: look at the history of the branch",
        )
    shutil.copyfile(store.get(artifact), target / name.removesuffix(POINTER))


def _pointer(content: bytes) -> Artifact | None:
    try:
        return Artifact.from_json(json.loads(content))
    except (ValueError, RecursionError):
        return None


def _put_outputs_back(path: Path, store: ArtifactStore) -> list[OctavoError]:
    try:
        raw = path.read_bytes()
        if b'"artifact"' not in raw:
            return []
        document = json.loads(raw)
    except (OSError, ValueError, RecursionError):
        return []
    troubles = list(restored(document, store))
    path.write_bytes(utf8(json.dumps(document, indent=1, ensure_ascii=False) + "\n"))
    return troubles


def _incomplete(place: str) -> StorageError:
    return StorageError(
        "artifact",
        "the archived run has no record or no notebook",
        place=place,
        hint="somebody edited the branch, or its artifact is missing: see what was said above",
    )


def _unwritable(folder: Path, error: OSError) -> StorageError:
    return StorageError(
        "storage",
        f"an archived run cannot be unpacked: {(error.strerror or str(error)).lower()}",
        place=str(folder),
        hint="free some space there, or set OCTAVO_CACHE to another folder",
    )
