"""What two clones wrote apart from each other, joined without a person.

Files are added and hardly ever changed, so the union of both sides is what both wanted. Where both
have a file of one name, the later one stands; the facts of `proposal.json` are joined one by one.
"""

from __future__ import annotations

from collections.abc import Mapping

from octavo.errors import OctavoError
from octavo.forges.local import chains, store
from octavo.forges.local.chains import Addition, Blob, Entries
from octavo.forges.local.document import Document
from octavo.forges.local.said import edited_at
from octavo.forges.local.stored import LARGEST_ENTRY, Unreadable, decoded, is_stamp
from octavo.git.objects import ABSENT, move_ref
from octavo.git.program import Git
from octavo.value import EMPTY, Value


class Settled(Value):
    """What came of bringing two sides together.

    `apart` are refs that could not be joined. Proposals that were opened here have another number
    when somebody else's of the same number was shared first: `renumbered` says which.
    """

    apart: frozenset[str]
    renumbered: Mapping[int, int]
    troubles: tuple[OctavoError, ...]


class Joining:
    """Brings the refs of this clone together with those of another."""

    def __init__(
        self, git: Git, theirs: Mapping[str, str], variables: Mapping[str, str] = EMPTY
    ) -> None:
        self._git = git
        self._theirs = {ref: sha for ref, sha in theirs.items() if store.is_known(ref)}
        self._variables = variables
        self._renumbered: dict[int, int] = {}

    def settle(self) -> Settled:
        """Make every ref of theirs part of ours. Nothing of ours is lost."""
        mine = chains.refs_under(self._git, store.PROPOSALS, store.STATUSES)
        self._take_new({ref: sha for ref, sha in self._theirs.items() if ref not in mine})
        apart, troubles = [], []
        for ref, sha in self._theirs.items():
            if ref in mine and mine[ref] != sha:
                try:
                    self._settle_one(ref, mine[ref], sha)
                except Unreadable as error:
                    apart.append(ref)
                    troubles.append(store.unreadable(store.number_of(ref) or 0, error))
        return Settled(frozenset(apart), self._renumbered, tuple(troubles))

    def _take_new(self, new: Mapping[str, str]) -> None:
        if new:
            lines = "".join(f"create {ref} {sha}\n" for ref, sha in new.items())
            self._git.run("update-ref", "--stdin", input=lines.encode())

    def _settle_one(self, ref: str, mine: str, theirs: str) -> None:
        if chains.is_ancestor(self._git, theirs, mine):
            return
        if chains.is_ancestor(self._git, mine, theirs):
            move_ref(self._git, ref, theirs, mine, "octavo: fetched")
        elif store.number_of(ref) is None or self._uid(mine) == self._uid(theirs):
            move_ref(self._git, ref, self._joined(theirs, mine), mine, "octavo: joined")
        else:
            self._make_room(ref, mine, theirs)

    def _uid(self, commit: str) -> str:
        return self._document(commit).uid

    def _document(self, commit: str) -> Document:
        return store.document_in(self._git, chains.entries_of(self._git, commit))

    def _make_room(self, ref: str, mine: str, theirs: str) -> None:
        """Two proposals have one number: theirs is known to others, so ours goes elsewhere."""
        number = store.number_of(ref) or 0
        ours = self._document(mine)
        same = self._same_branch(ours)
        if same is None:
            same = self._elsewhere(ours.uid, number)
            if same is None:
                same = store.take_number(self._git, mine, self._highest())
        elif same == number:
            theirs = self._joined(theirs, mine)
        else:
            self._join_into(same, mine)
        move_ref(self._git, ref, theirs, mine, "octavo: made room")
        if same != number:
            self._renumbered[number] = same

    def _same_branch(self, ours: Document) -> int | None:
        """Their open proposal of the branch that ours is of."""
        if ours["state"] != "open":
            return None
        numbers = {store.number_of(ref): sha for ref, sha in self._theirs.items()}
        tips = {number: sha for number, sha in numbers.items() if number is not None}
        for each in store.listing(self._git, tips)[0]:
            if each.document["state"] == "open" and each.document.branch == ours.branch:
                return each.number
        return None

    def _elsewhere(self, uid: str, number: int) -> int | None:
        """Where our proposal has been put by one who was killed before room was made."""
        listed, _ = store.listing(self._git)
        numbers = [each.number for each in listed if each.document.uid == uid]
        return next((each for each in numbers if each != number), None)

    def _highest(self) -> int:
        theirs = [store.number_of(ref) or 0 for ref in self._theirs]
        return max([0, *store.proposals_at(self._git), *theirs])

    def _join_into(self, number: int, other: str) -> None:
        ref = store.reference(number)
        tip = chains.commit_at(self._git, ref)
        if tip is None or not chains.is_ancestor(self._git, other, tip):
            joined = self._joined(tip or self._theirs[ref], other)
            move_ref(self._git, ref, joined, tip or ABSENT, "octavo: joined")

    def _joined(self, kept: str, other: str) -> str:
        """A commit with all that two chains hold; the proposal is the one in `kept`."""
        git = self._git
        ours, theirs = chains.entries_of(git, kept), chains.entries_of(git, other)
        union = {**theirs, **ours, **self._later(ours, theirs)}
        files = {}
        if store.DOCUMENT in ours:
            mine, its = store.document_in(git, ours), store.document_in(git, theirs)
            joined = mine.joined(its)
            files[store.DOCUMENT] = joined.content()
            side = ours if joined.facts["body"] == mine.facts["body"] else theirs
            union |= {path: blob for path, blob in side.items() if path == store.BODY}
        addition = Addition(files, "Join what was written apart", (other,))
        return chains.write(git, kept, union, addition, self._variables)

    def _later(self, ours: Entries, theirs: Entries) -> dict[str, Blob]:
        """The later one of every entry that both sides have differently."""
        both = [
            path
            for path in ours.keys() & theirs.keys() - {store.DOCUMENT, store.BODY}
            if ours[path] != theirs[path]
        ]
        sides = [side[path] for path in both for side in (ours, theirs)]
        contents = chains.contents_of(self._git, sides, LARGEST_ENTRY)

        def rank(blob: Blob) -> tuple[str, str]:
            return (_time(contents.get(blob.sha, b"")), blob.sha)

        return {path: max(ours[path], theirs[path], key=rank) for path in both}


def _time(content: bytes) -> str:
    try:
        found = decoded(content, at=is_stamp)
        return edited_at(found) or str(found["at"])
    except Unreadable:
        return ""
