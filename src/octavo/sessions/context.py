"""What sessions need from the program around them."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from octavo.runs.context import RunContext, RunSettings


class SessionSettings(RunSettings, Protocol):
    """The part of the configuration that sessions look at."""

    @property
    def no_snapshot_with(self) -> tuple[str, ...]: ...


class SessionContext(RunContext, Protocol):
    """Handed to every operation of this room, and to the hosts of sessions."""

    runtime: str

    @property
    def settings(self) -> SessionSettings: ...

    @property
    def project(self) -> Path:
        """The root of the project around the current folder."""

    @property
    def jupyter_server(self) -> tuple[str, str]:
        """The address of a Jupyter server and the token for it, as far as they are known."""
