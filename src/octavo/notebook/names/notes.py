"""What is written down about a cell while it is looked at."""

from __future__ import annotations

from octavo.notebook.names.things import Binding
from octavo.value import Value

#: How sure it is that a line runs: whatever happens, if its branch is taken, or nobody can say.
SURE, IF_RUN, SILENT = 2, 1, 0


class Undefined(Value):
    """A name that is not bound where a cell uses it. `line` is that of the cell (1-based).

    `sure` when running the cell must fail; else it fails if the line is reached. `later` is the
    cell below that binds it, `through` the function that uses it, `deleted` the cell that
    deleted it.
    """

    name: str
    line: int
    sure: bool = True
    later: int | None = None
    through: str = ""
    deleted: int | None = None


class Notes:
    """About one cell."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.defined: dict[str, None] = {}
        self.deleted: dict[str, None] = {}
        self.changed: dict[str, None] = {}
        self.used: dict[str, None] = {}
        #: By the cell that they come from: the names, and whether that is sure.
        self.sources: dict[int, dict[str, bool]] = {}
        #: Cells whose values it may leave where it binds, or deletes, the same names.
        self.kept: set[int] = set()
        self.undefined: dict[str, Undefined] = {}
        self.unknown = ""
        self.ended: int | None = None
        self.reached = True

    def use(self, name: str, binding: Binding) -> None:
        """The value of a name was read, with all that has a part in it."""
        own = {self.index}
        if binding.cells <= own and binding.sure:
            return
        for cell in binding.cells - own:
            names = self.sources.setdefault(cell, {})
            names[name] = names.get(name, False) or cell in binding.writers
        self.used[name] = None

    def cannot_tell(self, why: str) -> None:
        self.unknown = self.unknown or why

    def miss(self, found: Undefined) -> None:
        """A name was not there; the surest word on it stays."""
        self.used[found.name] = None
        known = self.undefined.get(found.name)
        if known is None or (found.sure and not known.sure):
            self.undefined[found.name] = found
