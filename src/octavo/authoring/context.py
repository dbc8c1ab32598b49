"""What the operations of this room need from the program around them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol


class AuthoringSettings(Protocol):
    """The part of the configuration that is about notebook files."""

    @property
    def notebooks(self) -> tuple[str, ...]:
        """Files and folders, relative to the project, that `sync` looks at by itself."""


class AuthoringContext(Protocol):
    """Handed to every operation of this room."""

    cwd: str

    @property
    def project(self) -> Path:
        """The root of the project."""

    @property
    def settings(self) -> AuthoringSettings: ...

    @property
    def emit(self) -> Callable[[Any], None]:
        """Told what happens while the operation works."""
