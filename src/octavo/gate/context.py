"""What the operations of this room need from the program around them."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from octavo.gate.selection import SelectionSettings
from octavo.gate.verdicts import NotebookVerdict
from octavo.runs.context import RunContext, RunSettings
from octavo.value import Value


class GateSettings(RunSettings, SelectionSettings, Protocol):
    """The part of the configuration that checks look at."""

    @property
    def archive_branch(self) -> str: ...

    @property
    def remote(self) -> str: ...


class GateContext(RunContext, Protocol):
    """Handed to every operation of this room."""

    @property
    def project(self) -> Path:
        """The root of the project."""

    @property
    def settings(self) -> GateSettings: ...


class Judged(Value):
    """A notebook has its verdict; others may still be running."""

    verdict: NotebookVerdict
    done: int
    of: int
