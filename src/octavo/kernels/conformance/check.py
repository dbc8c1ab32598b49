"""What a check of the suite is, and how checks are gathered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

from octavo.kernels.conformance.probe import Probe

#: What an engine may lack, and what that means.
CAPABILITIES = {
    "code": "the kernel runs code: a fake does not",
    "values": "a cell may end in an expression, whose value is its result",
    "python": "the kernel runs Python with IPython's syntax",
    "python-3.11": "the kernel's Python knows groups of exceptions and notes on them",
    "exact-order": "text of subprocesses and C code is in order with everything else",
    "fork": "a process that a cell forks may print and display",
    "signals": "the kernel's process runs on this machine and can be sent signals",
    "usage": "outcomes carry peak memory and processor time",
    "limits": "limits of a launch are watched",
    "early-exit": "`octavo_runtime.exit` ends a run",
    "copies": "an idle kernel can be copied, and looked into",
    "launch": "variables and folder of the launch are honoured exactly",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that every engine must do. `modules` must be installed where the kernel runs."""

    name: str
    room: str
    drive: Callable[[Probe], Awaitable[None]]
    needs: frozenset[str] = frozenset()
    modules: tuple[str, ...] = ()

    def lacking(self, without: Iterable[str]) -> frozenset[str]:
        """The capabilities that this check needs and an engine does not have."""
        return self.needs & frozenset(without)


Drive = Callable[[Probe], Awaitable[None]]


class Room:
    """The checks of one module."""

    def __init__(self, name: str, *needs: str) -> None:
        self.name = name
        self.needs = needs
        self.checks: list[Check] = []

    def check(self, *needs: str, modules: tuple[str, ...] = ()) -> Callable[[Drive], Drive]:
        """Register a coroutine function as a check."""

        def register(drive: Drive) -> Drive:
            named: Any = drive
            every = frozenset((*self.needs, *needs))
            assert every <= CAPABILITIES.keys(), every
            self.checks.append(Check(named.__name__, self.name, drive, every, modules))
            return drive

        return register
