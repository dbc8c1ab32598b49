"""The document of a session: its cells, and how far the kernel's state goes in them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Self

from octavo.events.types import BoundCell
from octavo.notebook.addresses import Directory
from octavo.notebook.edits import Edit, locate
from octavo.notebook.identity import handle
from octavo.notebook.model import Cell, CellKind, Notebook
from octavo.notebook.skipping import why_skipped
from octavo.sessions.document import planning
from octavo.sessions.document.cells import DocumentCell, Mark, Plan, Remembering, Result, Step
from octavo.sessions.document.snapshots import Snapshots
from octavo.sessions.values import CellInfo, DocumentStatus
from octavo.value import EMPTY

_WIDTH = 60
_Code = tuple[tuple[int, ...], tuple[DocumentCell, ...]]


class Document(Remembering):
    """Cells, and a state of the kernel: what executing `cells[0:position]` from the top gives.

    `steps` are the executions that the kernel's own state is made of. They may be of another
    state than the one at `position` until something is executed: going back is put off until
    then. With `live` they count as the state all the same (`--only-affected`), and it is unproven;
    `due` are the keys of cells that were to be executed there, and were not. A changed document
    is a new one.
    """

    cells: tuple[DocumentCell, ...] = ()
    position: int = 0
    steps: tuple[Step, ...] = ()
    live: bool = False
    due: frozenset[str] = frozenset()
    results: Mapping[str, Result] = EMPTY
    metadata: Mapping[str, Any] = EMPTY
    made: int = 0

    @classmethod
    def of(
        cls,
        cells: Iterable[BoundCell],
        metadata: Mapping[str, Any] = EMPTY,
        values: Mapping[str, Any] | None = None,
    ) -> Document:
        """A document of which nothing has been executed. `values` decide which cells are skipped,
        as in a run; `metadata` are those of the notebook.
        """
        made = tuple(
            _begun(f"c{number}", cell, values) for number, cell in enumerate(cells, start=1)
        )
        return cls(cells=made, metadata=metadata, made=len(made))

    # What there is.

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def notebook(self) -> Notebook:
        """The cells as they are now, as a notebook."""
        return Notebook(tuple(each.cell for each in self.cells), self.metadata)

    @property
    def line(self) -> tuple[int, ...]:
        """The cells of the record that make up the kernel's state, in order."""
        return tuple(step.record_cell for step in self.steps)

    @property
    def is_clean(self) -> bool:
        """Whether the kernel holds the state at `position`, and nothing else."""
        return self.ran == self.runnable(self.position)

    @property
    def unproven(self) -> bool:
        """Whether the state came about in another way than by running the cells from the top."""
        return self.live and not self.is_clean

    @property
    def proven(self) -> int:
        """The first cell whose result is unproven; `position` when none is."""
        if not self.unproven:
            return self.position
        indices = self.indices(0, self.position)
        in_order = 0
        for index, step in zip(indices, self.steps, strict=False):
            if step.cell != self.cells[index]:
                break
            in_order += 1
        later = {step.key for step in self.steps[in_order:]}
        found = (index for index in indices if self.cells[index].key in later)
        return min(*indices[in_order : in_order + 1], *found, self.position, self.position)

    @cached_property
    def ran(self) -> tuple[DocumentCell, ...]:
        """The cells that the kernel has executed, as they were written then."""
        return tuple(step.cell for step in self.steps)

    @cached_property
    def _code(self) -> _Code:
        """The cells that are executed, and where they are."""
        indices = tuple(at for at, each in enumerate(self.cells) if each.runs)
        return indices, tuple(self.cells[at] for at in indices)

    def runnable(self, stop: int) -> tuple[DocumentCell, ...]:
        """The cells before an index that are executed."""
        indices, cells = self._code
        return cells[: bisect_left(indices, stop)]

    def indices(self, start: int, stop: int) -> tuple[int, ...]:
        """The cells between two indices that are executed."""
        indices, _ = self._code
        return indices[bisect_left(indices, start) : bisect_left(indices, stop)]

    def replace(self, **changes: Any) -> Self:
        made = super().replace(**changes)
        for field, known in (("cells", "_code"), ("steps", "ran")):
            if field not in changes and known in self.__dict__:
                made.__dict__[known] = self.__dict__[known]
        return made

    def find(self, address: int | str) -> int:
        """The cell that is meant: by key, index, name, tag, id or handle."""
        keys = [each.key for each in self.cells]
        if isinstance(address, str) and address in keys:
            return keys.index(address)
        return Directory(self.notebook.cells).find(address)

    def check(self, index: int, expect: str | None) -> None:
        """Refuse as stale what was meant for another content of a cell."""
        if expect:
            locate((Edit("replace", cell=index, expect=expect),), self.notebook)

    def status(self, index: int) -> DocumentStatus:
        """Whether a cell's result belongs to the state, and whether it may be relied upon."""
        each = self.cells[index]
        result = self.results.get(each.key)
        if not each.runs:
            return "fresh"
        if result is None:
            return "new"
        if index >= self.position or (self.live and each.key in self.due):
            return "stale"
        if result.failed:
            return "failed"
        return "unproven" if self.unproven and index >= self.proven else "fresh"

    def info(self, index: int) -> CellInfo:
        """A cell as answers hold it."""
        each = self.cells[index]
        result = self.results.get(each.key)
        return CellInfo(
            index=index,
            key=each.key,
            handle=handle(each.cell),
            kind=each.cell.kind,
            name=each.cell.name,
            first_line=_first_line(each.cell.source),
            status=self.status(index),
            record_cell=None if result is None else result.record_cell,
        )

    # What a host is to do.

    def plan_exec(self, code: str, snapshots: Snapshots) -> Plan:
        """Execute code as a new cell at the end of the state."""
        return planning.plan_exec(self, code, snapshots)

    def plan_cell(self, index: int, snapshots: Snapshots, *, live: bool = False) -> Plan:
        """Execute a cell in the state before it; with `live` in the state as it is, together with
        the cells that depend on it.
        """
        if not live:
            return planning.plan_cell(self, index, snapshots)
        from octavo.sessions.document.affected import plan_affected

        return plan_affected(self, snapshots, also=index)

    def plan_all(self, snapshots: Snapshots, *, fresh: bool = False) -> Plan:
        """Execute what is not in the state yet, and what is unproven; with `fresh` everything, in
        a new kernel.
        """
        return planning.plan_fresh(self) if fresh else planning.plan_all(self, snapshots)

    def plan_affected(self, snapshots: Snapshots, *, to_end: bool = False) -> Plan:
        """After edits: execute in the live state what the static graph says depends on them, and
        with `to_end` the cells that are not in the state yet. Where the graph cannot tell, all
        from the first edit on are executed, from the state before it.
        """
        from octavo.sessions.document.affected import plan_affected

        return plan_affected(self, snapshots, to_end=to_end)

    def plan_rewind(self, index: int, snapshots: Snapshots) -> Plan:
        """Go to the state before a cell (`len(document)`: after the last). Forward only where a
        snapshot has been left.
        """
        return planning.plan_rewind(self, index, snapshots)

    # What became of it.

    def went_back(self, mark: Mark | None) -> Document:
        """The kernel is the one that was resumed from a snapshot; without one, a new one."""
        steps = () if mark is None else mark.steps
        known = {step.key: Result(step.record_cell, step.failed, step.source) for step in steps}
        return self.replace(steps=steps, due=frozenset(), results={**self.results, **known})

    def executed(self, index: int, record_cell: int, status: str) -> Document:
        """A cell was executed as it is written now, as this cell of the record. `status` is that
        of the record; with `kernel-died` the state is lost.
        """
        each = self.cells[index]
        failed = status != "succeeded"
        results = {**self.results, each.key: Result(record_cell, failed, each.cell.source)}
        if status == "kernel-died":
            return self.replace(results=results).lost()
        return self._with_step(Step(each, record_cell, failed)).replace(
            position=self._position_after(index, failed),
            results=results,
            due=self.due - {each.key},
        )

    def _with_step(self, step: Step) -> Document:
        made = self.replace(steps=(*self.steps, step))
        made.__dict__["ran"] = (*self.ran, step.cell)
        return made

    def _position_after(self, index: int, failed: bool) -> int:
        """A cell that was executed again and failed as never before ends the way back."""
        unexpected = failed and not self.live and not self.has_failed(index)
        return index + 1 if unexpected else max(self.position, index + 1)

    def executed_other(self, source: str, record_cell: int) -> Document:
        """Code that is no cell was executed in the kernel itself: the state is unproven."""
        other = DocumentCell("", Cell("code", source))
        return self._with_step(Step(other, record_cell)).replace(live=True)

    def lost(self) -> Document:
        """The kernel is gone, or a new one: nothing is in the state."""
        return self.replace(steps=(), position=0, live=False, due=frozenset())

    # What somebody writes. The state goes back to before what was changed, once it is needed.

    def replaced(self, index: int, source: str) -> Document:
        """A cell with another source."""
        each = self.cells[index]
        if each.cell.source == source:
            return self
        written = each.replace(cell=each.cell.replace(source=source, line=0))
        cells = (*self.cells[:index], written, *self.cells[index + 1 :])
        return self._before(index, each).replace(cells=cells)

    def inserted(self, index: int, source: str, kind: CellKind = "code") -> Document:
        """A new cell before an index (`len(document)`: at the end)."""
        each = DocumentCell(f"c{self.made + 1}", Cell(kind, source))
        back = self if each.runs else self.replace(position=self.position + (index < self.position))
        cells = (*self.cells[:index], each, *self.cells[index:])
        made = back._before(index, each).replace(cells=cells, made=self.made + 1)
        if each.runs:
            made.__dict__["_code"] = self._code_with(index, each)
        return made

    def _code_with(self, index: int, each: DocumentCell) -> _Code:
        """With one more cell; at the end of a long document this costs little."""
        indices, cells = self._code
        at = bisect_left(indices, index)
        moved = (*indices[:at], index, *(later + 1 for later in indices[at:]))
        return moved, (*cells[:at], each, *cells[at:])

    def deleted(self, index: int) -> Document:
        """Without a cell."""
        each = self.cells[index]
        back = self if each.runs else self.replace(position=self.position - (index < self.position))
        cells = (*self.cells[:index], *self.cells[index + 1 :])
        return back._before(index, each).replace(cells=cells)

    def _before(self, index: int, each: DocumentCell) -> Document:
        """The state before a cell that is changed, if it is part of the state."""
        return self.at(index) if each.runs and index < self.position else self

    def at(self, index: int) -> Document:
        """The state before a cell of it is wanted; if that is unproven, before the first such."""
        return self.replace(position=min(index, self.proven), live=False)

    def knows(self, index: int) -> bool:
        """Whether a cell has been executed as it is written now."""
        result = self.results.get(self.cells[index].key)
        return result is not None and result.source == self.cells[index].cell.source

    def has_failed(self, index: int) -> bool:
        """Whether a cell as it is written now failed when it was last executed."""
        return self.knows(index) and self.results[self.cells[index].key].failed


def _begun(key: str, bound: BoundCell, values: Mapping[str, Any] | None) -> DocumentCell:
    kind: Any = bound.kind
    cell = Cell(kind, bound.source, bound.metadata, bound.id, bound.attachments, bound.line)
    skipped = why_skipped(cell, values) if kind == "code" else None
    return DocumentCell(key, cell, bound.origin, skipped or "")


def _first_line(source: str) -> str:
    line = source.strip().partition("\n")[0]
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
