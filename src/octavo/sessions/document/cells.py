"""The values that the document of a session is made of."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from octavo.events.types import BoundCell
from octavo.notebook.model import Cell
from octavo.value import Value

if TYPE_CHECKING:
    from octavo.sessions.document.document import Document

#: The tag of the cell that holds the values which a caller gave.
INJECTED = "injected-parameters"


class DocumentCell(Value):
    """A cell of a session. `key` names it for as long as the session lives; `origin` is its index
    in the author's file, None where it was not there; `skipped` says why it is never run.
    """

    key: str
    cell: Cell
    origin: int | None = None
    skipped: str = ""

    @property
    def runs(self) -> bool:
        """Whether it is code that is executed."""
        return self.cell.kind == "code" and not self.skipped

    @property
    def injected(self) -> bool:
        """Whether it holds values that the caller gave, and is no part of the author's text."""
        return self.origin is None and INJECTED in self.cell.tags

    @property
    def bound(self) -> BoundCell:
        """The cell as it is handed to the kernel."""
        cell = self.cell
        known: dict[str, Any] = {"origin": self.origin, "line": cell.line}
        return BoundCell(
            cell.kind, cell.source, cell.id or self.key, cell.metadata, cell.attachments, **known
        )


class Step(Value):
    """One execution that is part of a kernel's state: the cell as it was written then. Code that
    was no cell has no key.
    """

    cell: DocumentCell
    record_cell: int
    failed: bool = False

    @property
    def key(self) -> str:
        return self.cell.key

    @property
    def source(self) -> str:
        return self.cell.cell.source


class Result(Value):
    """The last execution of a cell."""

    record_cell: int
    failed: bool
    source: str


class Remembering(Value):
    """A value that also remembers what was computed from its fields."""

    def replace(self, **changes: Any) -> Self:
        known = {name: self.__dict__[name] for name in self._fields if name in self.__dict__}
        return type(self)(**{**known, **changes})


class Mark(Remembering):
    """Where a snapshot was taken: after these executions. `memory` is in bytes."""

    id: int
    steps: tuple[Step, ...]
    memory: int = 0

    @cached_property
    def ran(self) -> tuple[DocumentCell, ...]:
        """The cells that were executed, in order."""
        return tuple(step.cell for step in self.steps)

    def replace(self, **changes: Any) -> Self:
        made = super().replace(**changes)
        if "steps" not in changes and "ran" in self.__dict__:
            made.__dict__["ran"] = self.ran
        return made


class Plan(Value):
    """What a host is to do, in this order: adopt `document`; go back, where `goes_back`, to the
    snapshot `resume` or to a new kernel; execute the cells `again` (role `again`), then `run`.

    `back_to` is the cell before which the state is wanted. `may_fail` are cells that failed when
    they were executed before, and so are allowed to when they are executed again.
    """

    document: Document
    back_to: int | None = None
    resume: int | None = None
    again: tuple[int, ...] = ()
    run: tuple[int, ...] = ()
    may_fail: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def goes_back(self) -> bool:
        return self.back_to is not None

    @property
    def restarts(self) -> bool:
        """Whether a new kernel is needed, because there is no snapshot to go back to."""
        return self.goes_back and self.resume is None

    def stops(self, index: int, status: str) -> bool:
        """Whether what comes after this cell is not to be executed."""
        if status == "succeeded":
            return False
        return status != "failed" or index not in self.again or index not in self.may_fail
