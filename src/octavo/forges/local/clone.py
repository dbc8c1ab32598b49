"""This clone: what it sees of branches and proposals, and how it writes to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from octavo.errors import InfrastructureError, OctavoError
from octavo.forges.local import chains, store
from octavo.forges.local.exchange import Exchange, offline
from octavo.forges.local.store import Change, Kept
from octavo.forges.local.stored import Person, person, stamp
from octavo.forges.local.turns import CHANGE, turn
from octavo.git.objects import nobody
from octavo.git.remotes import LoginRefused, Remote
from octavo.git.repository import Repository

_HEADS = "refs/heads/"


class Sight:
    """The branches as one call sees them: the remote's where it answers, else those known here."""

    def __init__(
        self, repository: Repository, exchange: Exchange | None, there: dict[str, str] | None
    ) -> None:
        self._repository = repository
        self._exchange = exchange
        self.there = there
        self._known: Mapping[str, str] | None = None
        self._brought: dict[str, str | None] = {}
        self._renumbered: dict[int, int] = {}

    def number(self, number: int) -> int:
        """What a number that the caller knows has become while this call looked at the remote."""
        return self._renumbered.get(number, number)

    def renumber(self, numbers: Mapping[int, int]) -> None:
        """Take note of proposals that had to change their number."""
        self._renumbered.update(numbers)

    def head(self, branch: str) -> str | None:
        """The commit that a branch is at. It need not be here."""
        if self._known is None:
            self._known = self._branches()
        return self._known.get(branch)

    def commit(self, branch: str) -> str | None:
        """The commit that a branch is at, brought here when it is not."""
        if self._exchange is None or self.there is None:
            return self.head(branch)
        if branch not in self._brought:
            self._brought[branch] = self._exchange.need(self.there, branch)
        return self._brought[branch]

    def bring(self, commit: str) -> bool:
        """Whether a commit is here, or is the newest of a branch and has been brought here."""
        for ref, sha in (self.there or {}).items():
            if sha == commit and ref.startswith(_HEADS):
                self.commit(ref.removeprefix(_HEADS))
                break
        return self._repository.commit(commit) == commit

    def _branches(self) -> dict[str, str]:
        if self.there is not None:
            refs = self.there
        else:
            refs = chains.refs_under(self._repository.git, _HEADS)
        found = {
            ref.removeprefix(_HEADS): sha for ref, sha in refs.items() if ref.startswith(_HEADS)
        }
        if self._exchange is not None and self.there is None:
            return {**self._exchange.seen(), **found}
        return found


class Clone:
    """A repository, and the remote that it shares proposals with."""

    def __init__(
        self,
        repository: Repository,
        remote: Remote | None,
        user: str,
        clock: Callable[[], float],
        variables: Mapping[str, str],
        configuration: tuple[str, ...],
    ) -> None:
        self.repository = repository
        self.git = repository.git
        self.remote = remote
        self._user = person(user) if user else None
        self._clock = clock
        self.identity = _as_git(self._user) if self._user else {}
        self.exchange = (
            Exchange(repository, remote, variables, configuration, self.identity)
            if remote
            else None
        )
        self.troubles: list[OctavoError] = []
        self.renumbered: dict[int, int] = {}

    def sight(self) -> Sight:
        """Look at the remote, where there is one; when it is down, go on with what is here."""
        if self.exchange is None:
            return Sight(self.repository, None, None)
        try:
            there = self.exchange.look()
        except (InfrastructureError, LoginRefused) as error:
            self.tell(offline(self.exchange.remote, error))
            return Sight(self.repository, self.exchange, None)
        sight = Sight(self.repository, self.exchange, there)
        self._take_notes(sight)
        return sight

    def online(self) -> Sight:
        """Like `sight`, for what cannot be done without the remote."""
        sight = self.sight()
        if self.exchange is not None and sight.there is None:
            raise self.troubles[-1]
        return sight

    def tell(self, *troubles: OctavoError) -> None:
        """Note what went wrong without keeping a call from its work; the newest stand last."""
        for error in troubles:
            same = [each for each in self.troubles if each.message == error.message]
            for each in same:
                self.troubles.remove(each)
            self.troubles.append(error)

    def me(self) -> Person:
        """Who works here, as git knows them."""
        if self._user is None:
            found = self.git.maybe("var", "GIT_AUTHOR_IDENT")
            if found is None:
                raise nobody()
            self._user = person(found)
        return self._user

    def now(self, after: str = "") -> str:
        """The time, later than another one."""
        return stamp(self._clock(), after)

    def change(self, sight: Sight, number: int, build: Callable[[Kept], Change | None]) -> None:
        """Write to a proposal, and share it."""
        with turn(self.repository.folder, CHANGE):
            store.change(self.git, number, build, self.identity)
        self.share(sight)

    def share(self, sight: Sight) -> None:
        """Push what is new here; when the remote is down it waits."""
        if self.exchange is None or sight.there is None:
            return
        try:
            self.exchange.share(sight.there)
        except (InfrastructureError, LoginRefused) as error:
            self.tell(offline(self.exchange.remote, error))
        self._take_notes(sight)

    def _take_notes(self, sight: Sight) -> None:
        if self.exchange is not None:
            notes = self.exchange.notes()
            self.tell(*notes.troubles)
            sight.renumber(notes.renumbered)
            self.renumbered.update(notes.renumbered)

    def highest(self) -> int:
        """The highest number that a proposal has, here or on the remote."""
        known = [0, *store.proposals_at(self.git)]
        return max(*known, self.exchange.highest() if self.exchange else 0)


def _as_git(who: Person) -> dict[str, str]:
    return {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", who.name), ("EMAIL", who.email))
    }
