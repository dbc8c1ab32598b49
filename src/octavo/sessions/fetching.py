"""The document of a live session and what its record holds, for those who write files of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from octavo.errors import StorageError
from octavo.events.statuses import RunFold
from octavo.notebook.model import Cell
from octavo.records.journal import JOURNAL_NAME
from octavo.records.outline import read_outline
from octavo.records.outputs import CellOutputs
from octavo.sessions.client import ask
from octavo.sessions.context import SessionContext
from octavo.sessions.document import Document, DocumentCell
from octavo.sessions.values import CellInfo
from octavo.sources import SourceFile
from octavo.value import Value


class Fetched(Value):
    """What a session says of its document. `notebook` is the file that it began with."""

    id: str
    cells: tuple[DocumentCell, ...]
    infos: tuple[CellInfo, ...]
    metadata: Mapping[str, Any]
    position: int
    unproven: bool
    notebook: str | None
    project: str
    record: Path
    lease_ends: float | None = None

    @property
    def short(self) -> str:
        return self.id[-8:]

    @property
    def document(self) -> Document:
        """The cells alone; nothing of it is executed."""
        return Document(self.cells, metadata=self.metadata, made=len(self.cells))

    @property
    def base(self) -> SourceFile | None:
        """The notebook as it was when the session read it."""
        if self.notebook is None:
            return None
        from octavo.notebook import formats
        from octavo.sources import read_text

        text = read_text(self.record / f"source{formats.suffix_of(self.notebook)}")
        return SourceFile(self.notebook, text, formats.read(text, self.notebook))


async def fetch(context: SessionContext, session: str) -> Fetched:
    """The document of the session that a word means, as it is now."""
    plain = await ask(context.runtime, session, "document")
    return Fetched(
        id=str(plain["id"]),
        cells=tuple(map(_cell, plain["cells"])),
        infos=tuple(CellInfo.from_json(cell["info"]) for cell in plain["cells"]),
        metadata=plain["metadata"],
        position=int(plain["position"]),
        unproven=bool(plain["unproven"]),
        notebook=plain["notebook"],
        project=str(plain["project"]),
        record=Path(plain["record"]),
        lease_ends=plain.get("lease_ends"),
    )


def _cell(plain: Mapping[str, Any]) -> DocumentCell:
    cell = Cell(
        plain["kind"],
        plain["source"],
        plain["metadata"],
        plain["id"],
        plain["attachments"],
        plain["line"],
    )
    return DocumentCell(plain["key"], cell, plain["origin"], plain["skipped"])


class Results:
    """What the cells of a session's record left; read from its journal while it is written."""

    def __init__(self, record: Path) -> None:
        self._record = record
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    @cached_property
    def _outputs(self) -> tuple[RunFold, CellOutputs]:
        try:
            journal = self._open.enter_context((self._record / JOURNAL_NAME).open("rb"))
        except OSError as error:
            hint = "the record of the session was deleted; its document can be saved as text"
            message = "the record of the session cannot be read"
            place = str(self._record)
            raise StorageError("storage", message, place=place, hint=hint) from error
        outline = read_outline(journal)
        return outline.run, CellOutputs(journal, outline, self._record)

    @property
    def run(self) -> RunFold:
        """How the session went so far."""
        return self._outputs[0]

    def outputs(self, record_cell: int) -> list[dict[str, Any]]:
        """The outputs of an execution, as nbformat spells them."""
        return self._outputs[1].of(record_cell)

    def of(self, record_cell: int) -> dict[str, Any]:
        """Outputs and count of an execution."""
        progress = self.run.cells.get(record_cell)
        count = None if progress is None else progress.execution_count
        return {"outputs": self.outputs(record_cell), "execution_count": count}
