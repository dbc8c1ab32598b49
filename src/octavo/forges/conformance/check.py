"""What a check of the suite is, and how checks are gathered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from octavo.forges.conformance.bench import Bench
from octavo.value import Value

#: What a forge may lack, and what that means.
CAPABILITIES = {
    "protection": "a branch can be protected: `Bench.protect`",
    "resolving": "a discussion can be marked as resolved: `Bench.resolve`",
    "old-side": "somebody can comment on a line that is gone: `Bench.remark_on_old`",
    "own-approval-refused": "nobody approves what is proposed by themselves",
}

Drive = Callable[[Bench], None]


class Check(Value):
    """One thing that every forge must do."""

    name: str
    room: str
    drive: Drive
    needs: frozenset[str] = frozenset()

    def lacking(self, without: Iterable[str]) -> frozenset[str]:
        """The capabilities that this check needs and a forge does not have."""
        return self.needs & frozenset(without)


class Room:
    """The checks of one module."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.checks: list[Check] = []

    def check(self, *needs: str) -> Callable[[Drive], Drive]:
        """Register a function as a check."""

        def register(drive: Drive) -> Drive:
            named: Any = drive
            assert frozenset(needs) <= CAPABILITIES.keys(), needs
            self.checks.append(Check(named.__name__, self.name, drive, frozenset(needs)))
            return drive

        return register
