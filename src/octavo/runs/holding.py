"""Keeping the kernel of a run that fails, as it stands at the failing cell."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

from octavo.errors import OctavoError
from octavo.events.types import KernelEvent
from octavo.kernels.port import Copying, Kernel, Refusal, Sink, Snapshot
from octavo.runs.driver import Ending

#: Why a run ends whose kernel is worth keeping: its state is that at the failing cell.
HELD = frozenset(("cell-error", "cell-timeout", "run-timeout", "silence-timeout"))
#: So many cells are copied before whatever they cost: most notebooks have no more.
ALWAYS = 16
#: Later a copy has to be worth it: executing what lies behind it takes so many times as long.
_WORTH = 5.0


class Hold:
    """Handed to one run. Afterwards `kernel` is its live kernel, or None when none was kept.

    `cell` is the cell (of the bound notebook) at which it is paused, `snapshot` the state before
    `copied_at`, which is that cell or one shortly before it; `refusal` says why there is none of
    a later one.
    """

    def __init__(self) -> None:
        self.kernel: Kernel | None = None
        self.cell: int | None = None
        self.snapshot: Snapshot | None = None
        self.copied_at = 0
        self.refusal: Refusal | None = None
        self._sink: Sink = _nowhere
        self._copies = 0
        self._seconds = 0.0
        self._since = 0.0

    def through(self, sink: Sink) -> Sink:
        """What the kernel is to emit to; it can be told later to emit somewhere else."""
        self._sink = sink
        return self._hand_on

    def redirect(self, sink: Sink) -> None:
        """From now on what the kernel emits goes here."""
        self._sink = sink

    async def before_cell(self, kernel: Kernel, cell: int) -> None:
        """Note the state before a cell, so that the cell can be changed and executed again."""
        self.cell = cell
        if not isinstance(kernel, Copying) or not self._is_worth_it():
            return
        begun = time.monotonic()
        copy = await _copied(kernel)
        self._since = time.monotonic()
        self._copies += 1
        self._seconds += self._since - begun
        self.refusal = copy if isinstance(copy, Refusal) else None
        if not isinstance(copy, Refusal):
            before, self.snapshot, self.copied_at = self.snapshot, copy, cell
            await _dropped(before)

    def _is_worth_it(self) -> bool:
        """Whether executing again what came after the last copy takes longer than a new one."""
        if self._copies < ALWAYS:
            return True
        worked = time.monotonic() - self._since
        return worked > _WORTH * self._seconds / self._copies

    def keeps(self, kernel: Kernel, ending: Ending) -> bool:
        """Whether the kernel stays; from then on it belongs to whoever asked for it."""
        if kernel.death is not None or ending.reason not in HELD:
            return False
        self.kernel = kernel
        return True

    async def let_go(self) -> None:
        """Nothing is kept."""
        copy, self.snapshot = self.snapshot, None
        await _dropped(copy)

    def _hand_on(self, events: Sequence[KernelEvent]) -> None:
        self._sink(events)


async def _copied(kernel: Copying) -> Snapshot | Refusal:
    """A copy of the kernel. A run never fails because there can be none."""
    try:
        return await kernel.snapshot()
    except OctavoError as error:
        return Refusal("unsupported", error.message)


async def _dropped(copy: Snapshot | None) -> None:
    if copy is not None:
        with suppress(OctavoError, OSError):
            await copy.drop()


def _nowhere(events: Sequence[KernelEvent]) -> None:
    """Where a kernel emits to as long as nobody listens."""
