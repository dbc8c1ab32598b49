"""The repository, its remote and its forge, as one place that a proposal goes to."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from octavo.errors import UsageError
from octavo.forges.port import Forge
from octavo.forges.request import ForgeRequest
from octavo.git import remotes
from octavo.git.credentials import for_git
from octavo.git.remotes import Remote, remote_of
from octavo.git.repository import Repository
from octavo.proposals.context import ProposalContext
from octavo.runs.context import Said


class Site:
    """Where proposals of a repository are kept, and how to get there."""

    def __init__(
        self,
        repository: Repository,
        remote: Remote | None,
        forge: Forge,
        login: tuple[Mapping[str, str], tuple[str, ...]],
    ) -> None:
        self.repository = repository
        self.remote = remote
        self.forge = forge
        self._variables, self._configuration = login

    def base_branch(self, asked: str = "") -> str:
        """The branch that a proposal is for."""
        if asked:
            return asked
        if self.remote is None or self.forge.name == "local":
            return self.repository.default_branch(self.remote.name if self.remote else None)
        return self.forge.about().default_branch

    def base_commit(self, branch: str) -> str:
        """The newest commit of a base branch, brought here from the remote where there is one."""
        if self.remote is not None:
            tracking = self._fetched(branch)
            if tracking is not None:
                return tracking
        found = self.repository.commit(f"refs/heads/{branch}")
        if found is None:
            where = self.remote.name if self.remote else "this repository"
            raise UsageError(
                "wrong-argument",
                f"{where} has no branch {branch}",
                place="--base",
                hint="name a branch that exists: --base BRANCH",
            )
        return found

    def there(self, branch: str) -> str | None:
        """The newest commit of a branch on the remote, brought here; None when it is not there."""
        return self._fetched(branch) if self.remote is not None else None

    def _fetched(self, branch: str) -> str | None:
        assert self.remote is not None
        remote, ref = self.remote.name, f"refs/heads/{branch}"
        tip = remotes.ref_there(
            self.repository.git, remote, ref, self._variables, self._configuration
        )
        tracking = f"refs/remotes/{remote}/{branch}"
        if tip is not None and self.repository.commit(tracking) != tip:
            remotes.fetch(
                self.repository.git,
                remote,
                f"+{ref}:{tracking}",
                variables=self._variables,
                configuration=self._configuration,
            )
        return tip

    def push(self, commit: str, branch: str, expected: str | None) -> None:
        """Set a branch on the remote, where there is one."""
        if self.remote is not None and commit != expected:
            remotes.push(
                self.repository.git,
                self.remote.name,
                commit,
                f"refs/heads/{branch}",
                expected,
                self._variables,
                self._configuration,
            )


@contextmanager
def site_for(request: ForgeRequest, context: ProposalContext, folder: str = "") -> Iterator[Site]:
    """The place that proposals from a folder (default: the current one) go to.

    What a forge noticed on the way, such as a remote that is down, is told at the end.
    """
    folder = folder or context.cwd
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    repository = Repository.around(folder, context.environ)
    named = request.remote or context.settings.remote
    remote = remote_of(repository.git, named or None)
    forge, token = context.forge(repository, remote, request.forge)
    try:
        yield Site(repository, remote, forge, for_git(token, remote))
    finally:
        for line in _noticed(forge):
            context.emit(Said(line))


def _noticed(forge: Forge) -> Iterator[str]:
    for trouble in getattr(forge, "troubles", ()):
        yield f"{trouble.message}; {trouble.hint}" if trouble.hint else trouble.message
    for old, new in getattr(forge, "renumbered", {}).items():
        yield f"proposal {old} is number {new} now: the remote had another one of that number"
