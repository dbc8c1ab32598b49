"""What this clone and its remote tell each other about proposals.

The remote's refs are kept in `refs/octavo-remote/REMOTE/`, so that fetching never overwrites what
was written here; both are joined, and what the remote does not have is pushed with a lease.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping

from octavo.errors import ConflictError, InfrastructureError, OctavoError
from octavo.forges.local import chains, store
from octavo.forges.local.joining import Joining
from octavo.forges.local.turns import CHANGE, EXCHANGE, turn
from octavo.git.remotes import LoginRefused, Remote, fetch, push, push_each, refs_there
from octavo.git.repository import Repository
from octavo.value import EMPTY, Value

_OURS = "refs/octavo/"
_KINDS = ("proposals", "statuses")
_HEADS = "refs/heads/"
_ROUNDS = 20


class Notes(Value):
    """What went wrong without keeping a call from its work, and proposals whose number was taken
    by another one on the remote.
    """

    troubles: tuple[OctavoError, ...]
    renumbered: Mapping[int, int]


class Exchange:
    """Talks to one remote. `variables` and `configuration` are what git needs to log in."""

    def __init__(
        self,
        repository: Repository,
        remote: Remote,
        variables: Mapping[str, str] = EMPTY,
        configuration: tuple[str, ...] = (),
        identity: Mapping[str, str] = EMPTY,
    ) -> None:
        self._repository = repository
        self._git = repository.git
        self.remote = remote
        self._login = variables, configuration
        self._identity = identity
        self._tracking = f"refs/octavo-remote/{remote.name}/"
        self._apart: frozenset[str] = frozenset()
        self._troubles: list[OctavoError] = []
        self._renumbered: dict[int, int] = {}

    def notes(self) -> Notes:
        """What happened since this was last asked."""
        notes = Notes(tuple(self._troubles), dict(self._renumbered))
        self._troubles.clear()
        self._renumbered.clear()
        return notes

    def look(self) -> dict[str, str]:
        """The refs of the remote, once ours and theirs are joined and ours are pushed."""
        with turn(self._repository.folder, EXCHANGE):
            for attempt in range(_ROUNDS):
                there = self._refs()
                self._apart = self._bring(there)
                if self._send(there):
                    return there
                time.sleep(random.uniform(0, 0.01 * 2 ** min(attempt, 6)))
        raise chains.busy(self.remote.name)

    def share(self, there: dict[str, str]) -> None:
        """Push what is new here, when the remote is still as it was seen; else look again."""
        with turn(self._repository.folder, EXCHANGE):
            done = self._send(there)
        if not done:
            there.update(self.look())

    def need(self, there: Mapping[str, str], branch: str) -> str | None:
        """The commit of a branch of the remote, fetched if it is not here."""
        commit = there.get(_HEADS + branch)
        if commit is not None and self._repository.commit(commit) is None:
            spec = f"+{_HEADS}{branch}:{self._tracking}heads/{branch}"
            with turn(self._repository.folder, EXCHANGE):
                self._fetch(spec)
        return commit

    def seen(self) -> dict[str, str]:
        """The branches of the remote as they were when they were last seen, and their commits."""
        places = (f"refs/remotes/{self.remote.name}/", f"{self._tracking}heads/")
        found = chains.refs_under(self._git, *places)
        return {
            ref.removeprefix(place): sha
            for place in places
            for ref, sha in found.items()
            if ref.startswith(place)
        }

    def highest(self) -> int:
        """The highest number of a proposal that was seen on the remote."""
        refs = self._git.lines("for-each-ref", "--format=%(refname)", f"{self._tracking}proposals")
        known = (store.number_of(_OURS + ref.removeprefix(self._tracking)) for ref in refs)
        return max((number for number in known if number), default=0)

    def push_branch(self, branch: str, commit: str, expected: str | None) -> None:
        """Set a branch of the remote that is where it was seen; an empty commit deletes it."""
        variables, configuration = self._login
        push(
            self._git,
            self.remote.name,
            commit,
            _HEADS + branch,
            expected,
            variables,
            configuration,
        )

    def _refs(self) -> dict[str, str]:
        variables, configuration = self._login
        return refs_there(
            self._git,
            self.remote.name,
            f"{_HEADS}*",
            *(f"{_OURS}{kind}/*" for kind in _KINDS),
            variables=variables,
            configuration=configuration,
        )

    def _fetch(self, *specs: str) -> None:
        variables, configuration = self._login
        fetch(
            self._git,
            self.remote.name,
            *specs,
            variables=variables,
            configuration=configuration,
        )

    def _bring(self, there: Mapping[str, str]) -> frozenset[str]:
        """Fetch what is new there and join it with ours; refs that cannot be joined come back."""
        known = self._known()
        theirs = {ref: sha for ref, sha in there.items() if store.is_known(ref)}
        if any(known.get(ref) != sha for ref, sha in theirs.items()):
            self._fetch(*(f"+{_OURS}{kind}/*:{self._tracking}{kind}/*" for kind in _KINDS))
            known = self._known()
        theirs = {ref: known[ref] for ref in theirs if ref in known}
        with turn(self._repository.folder, CHANGE):
            settled = Joining(self._git, theirs, self._identity).settle()
        self._troubles += settled.troubles
        self._renumbered.update(settled.renumbered)
        return settled.apart

    def _known(self) -> dict[str, str]:
        tracked = chains.refs_under(self._git, *(self._tracking + kind for kind in _KINDS))
        return {_OURS + ref.removeprefix(self._tracking): sha for ref, sha in tracked.items()}

    def _send(self, there: dict[str, str]) -> bool:
        """Push what the remote does not have; False when the remote has changed meanwhile."""
        mine = chains.refs_under(self._git, store.PROPOSALS, store.STATUSES)
        moves = {
            ref: (sha, there.get(ref))
            for ref, sha in mine.items()
            if there.get(ref) != sha and ref not in self._apart and store.is_known(ref)
        }
        numbers = {store.number_of(ref): ref for ref in moves.keys() - there.keys()}
        new = [numbers[number] for number in sorted(filter(None, numbers))]
        known = {ref: move for ref, move in moves.items() if ref not in new}
        # One new number after the other: when the first is taken, the others are not true either.
        return all(self._push(there, each) for each in (known, *({ref: moves[ref]} for ref in new)))

    def _track(self, sent: Mapping[str, str]) -> None:
        """What was pushed need not be fetched."""
        lines = (f"update {self._tracking}{ref.removeprefix(_OURS)} {sent[ref]}\n" for ref in sent)
        self._git.call("update-ref", "--stdin", input="".join(lines).encode())

    def _push(self, there: dict[str, str], moves: Mapping[str, tuple[str, str | None]]) -> bool:
        if not moves:
            return True
        variables, configuration = self._login
        refused = push_each(self._git, self.remote.name, moves, variables, configuration)
        sent = {ref: sha for ref, (sha, _) in moves.items() if ref not in refused}
        there.update(sent)
        self._track(sent)
        final = [error for error in refused.values() if not _is_race(error)]
        self._troubles += final[:1]
        return len(final) == len(refused)


def _is_race(error: OctavoError) -> bool:
    """Whether a push was refused only because somebody else was quicker."""
    if not isinstance(error, ConflictError):
        return False
    said = str(error.details.get("git", ""))
    signs = ("stale info", "[rejected]", "cannot lock ref", "failed to update ref", "fetch first")
    return any(sign in said for sign in signs)


def offline(remote: Remote, error: OctavoError) -> OctavoError:
    """The trouble when a remote does not answer: what was written waits here."""
    refused = isinstance(error, LoginRefused)
    trouble = LoginRefused if refused else InfrastructureError
    return trouble(
        error.kind if refused else "forge-down",
        f"{remote.name} cannot be reached, so this is what is known here: {error.message}",
        place=remote.url,
        hint="what was written is kept and goes there with the next command that reaches it",
    )
