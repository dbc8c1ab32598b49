"""A run as the files of its folder on the branch, stored in git but on no branch yet."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from octavo.archive import entries
from octavo.archive.artifacts import Artifact, ArtifactStore
from octavo.archive.entries import CellHashes, Entry, entry_of
from octavo.archive.figures import FIGURES, figures_in
from octavo.archive.layout import ENTRY, PAGE, WHOLE_PAGE, name_of
from octavo.archive.outsized import slimmed
from octavo.archive.run_pages import run_page
from octavo.errors import OctavoError, StorageError
from octavo.git.program import Git
from octavo.git.repository import Repository
from octavo.git.trees import FILE, Folder, write_blobs
from octavo.records.disk import is_full
from octavo.records.executed_file import executed_document, unreadable
from octavo.records.output_hashes import outputs_hash, source_hash
from octavo.records.plain import utf8
from octavo.records.record import NOTEBOOK_NAME, RECORD_NAME, RunRecord
from octavo.records.run_dir import RunDir
from octavo.value import Value

POINTER = ".pointer.json"
FILES = "files"
NOTEBOOK_TYPE = "application/x-ipynb+json"


class Packed(Value):
    """A run that is ready: its entry, and the object of its folder."""

    entry: Entry
    tree: str


def pack(run: RunDir, repository: Repository, store: ArtifactStore, largest: int) -> Packed:
    """Store the files of a finished run in git; what is too large, in the artifact store."""
    record = run.record()
    entry = entry_of(record, name_of(record.source.get("path"), repository))
    try:
        return _packed(run, record, entry, repository, store, largest)
    except OSError as error:
        raise _trouble(run, error) from error
    except (ValueError, RecursionError) as error:
        raise unreadable(run, str(error)) from error


def _packed(
    run: RunDir,
    record: RunRecord,
    entry: Entry,
    repository: Repository,
    store: ArtifactStore,
    largest: int,
) -> Packed:
    with tempfile.TemporaryDirectory(prefix="octavo-archive-") as folder:
        packing = _Packing(Path(folder), store, largest)
        entry = packing.take(run, record, entry)
        return Packed(entry, packing.write(repository.git))


def _trouble(run: RunDir, error: OSError) -> StorageError:
    why = (error.strerror or str(error)).lower()
    return StorageError(
        "disk-full" if is_full(error) else "storage",
        f"the run cannot be archived: {why}",
        place=str(error.filename or run.path),
        hint="free some space, see that the files can be read, and archive it again",
    )


class _Packing:
    """Gathers the files of one run in a folder for a while."""

    def __init__(self, folder: Path, store: ArtifactStore, largest: int) -> None:
        self._folder = folder
        self._store = store
        self._largest = largest
        self._files: dict[str, Path] = {}
        self._artifacts: list[Artifact] = []

    def take(self, run: RunDir, record: RunRecord, entry: Entry) -> Entry:
        """All files of a run; the entry that tells of them."""
        document = executed_document(run)
        cells = tuple(_hashes(document, record))
        figures = self._figures(document)
        self._notebook(run.notebook_path, document)
        self._file(RECORD_NAME, run.record_path)
        for path in sorted(run.path.glob("source.*")):
            self._file(path.name, path)
        for path in sorted((run.path / FILES).glob("*")):
            if path.is_file():
                self._file(f"{FILES}/{path.name}", path)
        self._page_for_browsers(document, record, entry)
        digests = tuple(dict.fromkeys(each.sha256 for each in self._artifacts))
        entry = entry.replace(figures=figures, artifacts=digests, cells=cells)
        self._keep(ENTRY, entries.dump(entry))
        self._keep(PAGE, utf8(run_page(entry, record, sorted(self._files))))
        return entry

    def _page_for_browsers(self, document: dict[str, Any], record: RunRecord, entry: Entry) -> None:
        """The run as one page, where what makes pages is installed, unless it is too large."""
        from octavo.render.page import about_run, page

        try:
            content = utf8(page(document, about_run(record, entry.notebook)))
        except OctavoError:
            return
        if len(content) <= self._largest:
            self._keep(WHOLE_PAGE, content)

    def write(self, git: Git) -> str:
        """The object of the folder."""
        names = list(self._files)
        blobs = write_blobs(git, [str(self._files[name]) for name in names])
        top = Folder(git, None)
        for name, blob in zip(names, blobs, strict=True):
            above, _, last = name.rpartition("/")
            folder = top.folder(above, make=True) if above else top
            assert folder is not None
            folder.put(last, FILE, blob)
        written = top.write()
        assert written is not None
        return written

    def _figures(self, document: Mapping[str, Any]) -> tuple[str, ...]:
        names = []
        for number, (suffix, content) in enumerate(figures_in(document), 1):
            if len(content) <= self._largest:
                names.append(f"{FIGURES}/{number}{suffix}")
                self._keep(names[-1], content)
        return tuple(names)

    def _notebook(self, path: Path, document: dict[str, Any]) -> None:
        if path.stat().st_size <= self._largest:
            self._file(NOTEBOOK_NAME, path)
            return
        content, put = slimmed(document, self._largest, self._store)
        self._artifacts += put
        if len(content) <= self._largest:
            self._keep(NOTEBOOK_NAME, content)
        else:
            self._file(NOTEBOOK_NAME, path)

    def _file(self, name: str, path: Path) -> None:
        if path.stat().st_size <= self._largest:
            self._files[name] = path
        else:
            self._point(name, self._store.put_file(path, _media_type(name)))

    def _point(self, name: str, artifact: Artifact) -> None:
        self._artifacts.append(artifact)
        pointer = json.dumps(artifact.to_json(), indent=1) + "\n"
        self._keep(f"{name}{POINTER}", pointer.encode())

    def _keep(self, name: str, content: bytes) -> None:
        path = self._folder / str(len(self._files))
        path.write_bytes(content)
        self._files[name] = path


def _media_type(name: str) -> str:
    if name == NOTEBOOK_NAME:
        return NOTEBOOK_TYPE
    return guess_type(name)[0] or "application/octet-stream"


def _hashes(document: Mapping[str, Any], record: RunRecord) -> Iterator[CellHashes]:
    """Of every code cell of the author, what it was and what it gave."""
    origins = [cell.origin for cell in record.cells]
    for at, cell in enumerate(document.get("cells", ())):
        if cell.get("cell_type") == "code" and at < len(origins) and origins[at] is not None:
            outputs = outputs_hash(cell.get("outputs", ()))
            yield CellHashes(origins[at], source_hash(cell.get("source")), outputs)
