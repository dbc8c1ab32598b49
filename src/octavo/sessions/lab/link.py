"""What a session in somebody's Jupyter server shares with them: the kernel and the notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from octavo.errors import OctavoError, UsageError
from octavo.kernels.remote.server import Server
from octavo.sessions.document import Document, Plan
from octavo.sessions.hosts.executing import Execution
from octavo.sessions.lab.editing import Change, find, make, open_notebook
from octavo.sessions.requests import EditCellRequest

_IN_PLACE = (
    "executed in the state as it is, which is unproven: the kernel belongs to whoever works in"
    " the Jupyter server, and is not restarted"
)


class LabLink:
    """A kernel of a server, and the notebook that is open with it, if the session has it too.

    `keys` are the cells of the session that the notebook on the server has as well.
    """

    def __init__(self, server: Server, path: str | None, keys: Iterable[str]) -> None:
        self.server = server
        self.path = path
        self._keys = set(keys)

    @property
    def note(self) -> str:
        """What is to be known of such a session."""
        shared = f", edits go to {self.path} there" if self.path else ""
        return f"works in a kernel of {self.server.url}, with whoever else uses it{shared}"

    def refuse_restart(self) -> None:
        raise UsageError(
            "jupyter-kernel",
            "the kernel belongs to whoever works in the Jupyter server; it is not restarted here",
            place=self.server.url,
            hint="restart it there; or start a session with a kernel of its own",
        )

    def in_live_state(self, plan: Plan) -> Plan:
        """The same cells without going back."""
        document = plan.document.replace(live=True)
        return Plan(document, run=plan.run, notes=(_IN_PLACE,) if plan.run else ())

    async def edit(self, document: Document, index: int, request: EditCellRequest) -> str:
        """Make a change where the person sees it; what is to be told of it.

        ConflictError, and nothing is changed, where they have changed the cell.
        """
        change = self._change(document, index, request)
        if change is None or self.path is None:
            return ""
        opened = await open_notebook(self.server, self.path)
        try:
            return await make(opened, change)
        finally:
            await opened.close()

    def inserted(self, key: str | None) -> None:
        """A cell that was inserted is in both from now on."""
        if key is not None and self.path is not None:
            self._keys.add(key)

    async def show(
        self,
        document: Document,
        executions: Sequence[Execution],
        read_spilled: Callable[[str, int, int], bytes],
        note: Callable[[str], None],
    ) -> None:
        """Let the person see what cells gave. It never fails what was executed."""
        ran = {each.wanted.key: each for each in executions if each.wanted.key in self._keys}
        if self.path is None or not ran:
            return
        try:
            await self._show(self.path, document, ran, read_spilled)
        except OctavoError as error:
            note(f"the outputs could not be shown in the Jupyter server: {error.message}")

    async def _show(
        self,
        path: str,
        document: Document,
        ran: Mapping[str, Execution],
        read_spilled: Callable[[str, int, int], bytes],
    ) -> None:
        opened = await open_notebook(self.server, path)
        try:
            if opened.how != "shared":
                return
            cells = await opened.cells()
            for index, each in enumerate(document.cells):
                execution = ran.get(each.key)
                at = find(cells, each.cell.source, index) if execution is not None else None
                if execution is not None and at is not None:
                    await opened.show(at, execution.outputs(read_spilled), execution.count)
        finally:
            await opened.close()

    def _change(self, document: Document, index: int, request: EditCellRequest) -> Change | None:
        """The change in the terms of the notebook on the server; None for a cell that is ours."""
        if request.insert:
            return self._insertion(document, index, request)
        each = document.cells[index]
        if each.key not in self._keys:
            return None
        op = "delete" if request.delete else "replace"
        found = each.cell
        return Change(op, index, found.source, request.source, id=found.id)  # type: ignore[arg-type]

    def _insertion(self, document: Document, index: int, request: EditCellRequest) -> Change:
        """Beside the cell itself, else behind the last one before it that both have."""
        source, kind = request.source, request.kind
        side: Any = request.insert
        for at in range(index, -1, -1):
            each = document.cells[at]
            if each.key in self._keys:
                return Change("insert", at, each.cell.source, source, kind, side, each.cell.id)
            side = "after"
        return Change("insert", 0, None, source, kind)
