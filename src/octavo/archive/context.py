"""What the operations of this room need from the program around them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from octavo.forges.port import Forge
from octavo.git.credentials import Token
from octavo.git.remotes import Remote
from octavo.git.repository import Repository
from octavo.runs.context import RunContext, RunSettings


class ArchiveSettings(RunSettings, Protocol):
    """The part of the configuration that is about the archive."""

    @property
    def archive_branch(self) -> str: ...

    @property
    def archive_largest(self) -> float:
        """Files of more bytes go to the artifact store."""

    @property
    def archive_keep(self) -> float:
        """So many runs of a notebook are kept by `--prune`; 0 for all."""

    @property
    def archive_keep_days(self) -> float: ...

    @property
    def archive_after_run(self) -> bool: ...

    @property
    def archive_after_merge(self) -> bool: ...

    @property
    def archive_push(self) -> bool:
        """Whether what is archived automatically is pushed too."""

    @property
    def artifact_store(self) -> str:
        """A folder, relative to the project."""

    @property
    def remote(self) -> str: ...


class ArchiveContext(RunContext, Protocol):
    """Handed to every operation of this room."""

    #: Asks a person a question; None where nobody is there to answer.
    ask: Callable[[str], bool] | None

    @property
    def project(self) -> Path:
        """The root of the project."""

    @property
    def settings(self) -> ArchiveSettings: ...

    def forge(
        self, repository: Repository, remote: Remote | None, name: str
    ) -> tuple[Forge, Token | None]:
        """The forge of a name, or the one that the remote tells; and the token for it."""
