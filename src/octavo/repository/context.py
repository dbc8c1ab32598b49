"""What the operations of this room need from the program around them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from octavo.authoring.context import AuthoringSettings


class RepositoryContext(Protocol):
    """Handed to every operation of this room."""

    cwd: str
    environ: Mapping[str, str]
    #: The interpreter that this program runs in.
    python: str

    @property
    def project(self) -> Path: ...

    @property
    def settings(self) -> AuthoringSettings: ...

    @property
    def emit(self) -> Callable[[Any], None]: ...

    def settings_at(self, folder: str) -> AuthoringSettings:
        """The settings of the project that has its root there."""
