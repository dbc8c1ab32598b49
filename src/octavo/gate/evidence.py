"""Committed outputs must have been computed: by the check's own runs, or by an archived one.

This holds against results that were pasted or went stale. It does not hold against somebody who
forges an archived record: that takes records that are signed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from octavo.archive.reading import find
from octavo.errors import OctavoError
from octavo.gate.comparing.outputs import compare
from octavo.gate.comparing.rules import Rules
from octavo.gate.judging import read_executed
from octavo.gate.verdicts import UNPROVEN, Finding, Severity
from octavo.git.repository import Repository
from octavo.notebook.formats import ipynb
from octavo.records.output_hashes import outputs_hash, source_hash
from octavo.records.record import RunRecord
from octavo.sources import SourceFile

_MESSAGE = "no known run produced this output: neither this check nor an archived run"
_HINT = "commit what a run gave, or archive the run that gave it: octavo archive RUN"

Outputs = Sequence[Mapping[str, Any]]


class Evidence:
    """What is known of the outputs that a repository holds. `archive` names branches of records."""

    def __init__(self, folder: Path, environ: Mapping[str, str], archive: Sequence[str]) -> None:
        self._folder = folder
        self._environ = environ
        self._archive = archive
        #: By the path of a notebook, the files of git by which the answer on it may change.
        self.rests_on: dict[str, tuple[str, ...]] = {}

    @cached_property
    def _repository(self) -> Repository | None:
        try:
            return Repository.around(self._folder, self._environ)
        except OctavoError:
            return None

    def unproven(
        self,
        source: SourceFile,
        records: Iterable[RunRecord],
        rules: Rules,
        *,
        required: bool,
    ) -> tuple[Finding, ...]:
        """A finding for every committed output that none of these runs and no archived one gave."""
        committed = self._committed(Path(source.path).with_suffix(".ipynb"), source.path)
        if not committed:
            return ()
        path, cells = committed
        given = [_outputs_by_source(read_executed(record)) for record in records]
        exact = rules.replace(image_threshold=rules.image_threshold or 0.0, image_folder=None)
        doubtful = {
            at: cell
            for at, cell in cells.items()
            if not any(_gave(each, cell, exact) for each in given)
        }
        if doubtful:
            self._note(source.path, "packed-refs", *self._archive)
        known = self._archived(path) if doubtful else set()
        severity: Severity = "error" if required else "warning"
        return tuple(
            Finding(UNPROVEN, severity, _MESSAGE, path, cell=at, hint=_HINT)
            for at, cell in doubtful.items()
            if (source_hash(cell["source"]), outputs_hash(cell["outputs"])) not in known
        )

    def _committed(
        self, path: Path, notebook: str
    ) -> tuple[str, dict[int, Mapping[str, Any]]] | None:
        """The cells with outputs of a notebook as git has it; None where there are none."""
        repository = self._repository
        if repository is None or b'"output_type"' not in (there := _content(path)):
            return None
        try:
            name = repository.name_of(path)
            content = repository.read("", name)
            if content is None or _lines(content) != _lines(there):
                self._note(notebook, "index")
            if content is None:
                return None
            document = ipynb.parse(content.decode("utf-8"), name)
        except (OctavoError, ValueError):
            return None
        cells = {at: cell for at, cell in enumerate(document["cells"]) if cell.get("outputs")}
        return (name, cells) if cells else None

    def _note(self, notebook: str, *names: str) -> None:
        """Remember which files in git's own folder were asked."""
        if self._repository is not None:
            asked = [word for name in names for word in ("--git-path", name)]
            files = self._repository.git.text("rev-parse", "--path-format=absolute", *asked)
            self.rests_on[notebook] = (*self.rests_on.get(notebook, ()), *files.splitlines())

    def _archived(self, notebook: str) -> set[tuple[str, str]]:
        """What archived runs of a notebook gave: hashes of sources with those of their outputs."""
        repository = self._repository
        if repository is None:
            return set()
        return {
            (cell.source, cell.outputs)
            for ref in self._archive
            for entry in find(repository, notebook, ref)
            for cell in entry.cells
        }


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.is_file() else b""
    except OSError:
        return b""


def _lines(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")


def _outputs_by_source(executed: Mapping[str, Any]) -> dict[str, list[Outputs]]:
    found: dict[str, list[Outputs]] = {}
    for cell in executed["cells"]:
        if cell["cell_type"] == "code":
            found.setdefault(source_hash(cell["source"]), []).append(cell.get("outputs", ()))
    return found


def _gave(given: Mapping[str, Sequence[Outputs]], cell: Mapping[str, Any], rules: Rules) -> bool:
    """Whether a run of the same source gave the same output."""
    outputs = given.get(source_hash(cell["source"]), ())
    return any(not compare(cell["outputs"], each, rules) for each in outputs)
