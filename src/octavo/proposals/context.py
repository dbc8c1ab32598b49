"""What the operations of this room need from the program around them."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from octavo.archive.context import ArchiveContext, ArchiveSettings
from octavo.authoring.context import AuthoringSettings
from octavo.forges.port import Forge
from octavo.git.credentials import Token
from octavo.git.remotes import Remote
from octavo.git.repository import Repository


class ProposalSettings(ArchiveSettings, AuthoringSettings, Protocol):
    """The part of the configuration that is about proposals."""

    @property
    def branch_prefix(self) -> str: ...

    @property
    def remote(self) -> str: ...


class ProposalContext(ArchiveContext, Protocol):
    """Handed to every operation of this room."""

    @property
    def project(self) -> Path:
        """The root of the project."""

    @property
    def settings(self) -> ProposalSettings: ...

    def forge(
        self, repository: Repository, remote: Remote | None, name: str
    ) -> tuple[Forge, Token | None]:
        """The forge of a name, or the one that the remote tells; and the token for it."""
