"""What sessions need from the program around them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from octavo.runs.context import RunContext, RunSettings


class SessionSettings(RunSettings, Protocol):
    """The part of the configuration that sessions look at."""

    @property
    def no_snapshot_with(self) -> tuple[str, ...]: ...


class SessionContext(RunContext, Protocol):
    """Handed to every operation of this room, and to the hosts of sessions."""

    runtime: str
    #: After how many idle seconds sessions sleep; 0: never.
    sleep_after: float
    #: Told of what code in a session does, as it does it; None where nobody looks.
    heard: Callable[[dict[str, Any]], None] | None

    @property
    def settings(self) -> SessionSettings: ...

    @property
    def project(self) -> Path:
        """The root of the project around the current folder."""

    @property
    def jupyter_server(self) -> tuple[str, str]:
        """The address of a Jupyter server and the token for it, as far as they are known."""
