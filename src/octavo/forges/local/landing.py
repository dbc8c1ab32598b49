"""A proposal merged into its base.

The commit that the base is to be at is noted in the proposal before the base moves. Whoever was
killed in between finds by ancestry, the next time, that it has happened, and goes on from there.
"""

from __future__ import annotations

from collections.abc import Sequence

from octavo.errors import ConflictError, OctavoError, UsageError
from octavo.forges.local import chains, checkouts, combining, store
from octavo.forges.local.clone import Clone, Sight
from octavo.forges.local.discussion import Discussion
from octavo.forges.local.protection import Protection, awaited_of, missing_of, not_mergeable
from octavo.forges.local.said import MERGES, Intent, in_order, read_intent
from octavo.forges.local.store import Change, Kept
from octavo.forges.port import Mergeable, MergeMethod, Status
from octavo.git.objects import delete_ref


class Landing:
    """The merge of one proposal, as base and branch are seen now."""

    def __init__(
        self,
        clone: Clone,
        sight: Sight,
        kept: Kept,
        protection: Protection,
        statuses: Sequence[Status],
    ) -> None:
        self._clone = clone
        self._sight = sight
        self._kept = kept
        self._document = kept.document
        self._protection = protection
        self._statuses = statuses
        self._open = kept.document["state"] == "open"
        self._branch = sight.commit(kept.document.branch) if self._open else None
        self._base = sight.commit(kept.document.base) if self._open else None

    def mergeable(self) -> Mergeable:
        """Whether it can be merged now, and what is missing."""
        document = self._document
        if not self._open:
            state = document["state"]
            told = "it is merged already" if state == "merged" else f"it is {state}"
            return Mergeable(False, (told,))
        if self._branch is None or self._base is None:
            gone = document.base if self._branch else document.branch
            return Mergeable(False, (f"the branch {gone}, which is gone",))
        conflicts = self._conflicts(self._base, self._branch)
        missing = ["it is a draft"] if document["draft"] else []
        missing += conflicts
        missing += missing_of(
            self._protection,
            document.author,
            self._branch,
            Discussion(self._clone, self._kept, self._branch).judgements(),
            self._statuses,
        )
        return Mergeable(
            not missing,
            tuple(missing),
            conflict=bool(conflicts),
            awaited=awaited_of(self._protection, self._statuses),
            required=self._protection.statuses,
        )

    def _conflicts(self, base: str, head: str) -> list[str]:
        if chains.is_ancestor(self._clone.git, head, base):
            return []
        try:
            with combining.combining(self._clone.repository, base) as combine:
                names = combine(base, head).conflicts
        except combining.Unrelated:
            return [self._unrelated()]
        return [f"a conflict with {self._document.base} in {_some(names)}"] if names else []

    def _unrelated(self) -> str:
        if self._clone.repository.is_shallow():
            return "the history that this shallow clone lacks (git fetch --unshallow)"
        return f"a conflict with {self._document.base}: they have no history in common"

    def land(self, method: MergeMethod, head: str, title: str, body: str) -> str | None:
        """Merge it; the commit that the base is at then. None when the base moved meanwhile."""
        if self._document["state"] == "merged":
            return str(self._document["merged"])
        done = self._landed()
        if done is not None:
            return self._record(done, self._document["head"])
        if self._open and self._branch and self._branch != head:
            raise _moved(self._document.branch, self._branch, head)
        self._refuse_what_is_missing()
        assert self._base is not None
        if chains.is_ancestor(self._clone.git, head, self._base):
            return self._record(self._base, head)
        made = self._commit(method, self._base, head, title, body)
        return self._move(self._base, made, head)

    def _refuse_what_is_missing(self) -> None:
        found = self.mergeable()
        if not found.allowed:
            raise not_mergeable(self._kept.number, found.missing, conflict=found.conflict)

    def _landed(self) -> str | None:
        """The commit of an earlier merge that moved the base, and was cut off then."""
        found, _ = store.read_folder(self._clone.git, self._kept, MERGES, read_intent)
        for intent in in_order(found) if self._base else ():
            if chains.is_ancestor(self._clone.git, intent.id, str(self._base)):
                return str(intent.id)
        return None

    def _commit(self, method: MergeMethod, base: str, head: str, title: str, body: str) -> str:
        repository, identity = self._clone.repository, self._clone.identity
        number, name = self._kept.number, self._document["title"]
        try:
            if method == "rebase":
                return combining.rebased(repository, base, head, identity)
            if method == "squash":
                message = _message(title or f"{name} (#{number})", body, number)
                return combining.squash_commit(repository, base, head, message, identity)
            message = _message(title or f"Merge proposal #{number}: {name}", body, number)
            return combining.merge_commit(repository, base, head, message, identity)
        except combining.Unrelated:
            missing = (self._unrelated(),)
        except ConflictError as error:
            if error.kind != "merge-conflict":
                raise
            files = error.details["files"]
            assert isinstance(files, list)
            missing = (f"a conflict with {self._document.base} in {_some(tuple(files))}",)
        raise not_mergeable(number, missing, conflict=True)

    def _move(self, base: str, made: str, head: str) -> str | None:
        """Move the base; None when somebody else did meanwhile."""
        name = self._document.base
        if self._clone.exchange is None:
            checkouts.refuse_if_in_the_way(self._clone.repository, name, base, made)
        self._intend(made, head)
        try:
            if self._clone.exchange is None:
                checkouts.advance(self._clone.repository, name, base, made)
            else:
                self._clone.exchange.push_branch(name, made, base)
        except ConflictError:
            if self._clone.online().head(name) == base:
                raise
            return None
        return self._record(made, head)

    def _intend(self, made: str, head: str) -> None:
        def build(kept: Kept) -> Change | None:
            at = self._clone.now(kept.document["updated"])
            path = f"{MERGES}/{made}.json"
            if path in kept.entries:
                return None
            files = {path: Intent(made, head, at).content()}
            return Change("About to merge", kept.document, files, (made,))

        self._clone.change(self._sight, self._kept.number, build)

    def _record(self, commit: str, head: str) -> str:
        def build(kept: Kept) -> Change | None:
            at = self._clone.now(kept.document["updated"])
            document = kept.document.setting(at, state="merged", merged=commit, head=head)
            return None if document == kept.document else Change("Merge", document, {}, (head,))

        self._clone.change(self._sight, self._kept.number, build)
        return commit


def delete_branch(clone: Clone, sight: Sight, branch: str) -> None:
    """Delete a branch on the remote and here; what keeps it here is told."""
    ref = f"refs/heads/{branch}"
    if clone.exchange is not None and sight.there and ref in sight.there:
        clone.exchange.push_branch(branch, "", sight.there[ref])
    tip = clone.repository.commit(ref)
    if tip is None:
        return
    kept = _what_keeps(clone, branch, tip)
    if kept is None:
        delete_ref(clone.git, ref, tip)
        clone.git.call("config", "--remove-section", f"branch.{branch}")
    elif clone.exchange is None:
        raise kept
    else:
        clone.tell(kept)


def _what_keeps(clone: Clone, branch: str, tip: str) -> OctavoError | None:
    folder = checkouts.checkout_of(clone.repository, branch)
    if folder is not None:
        return UsageError(
            "forge-refused",
            f"the branch {branch} stays here: it is checked out in {folder}",
            place=branch,
            hint=f"switch to another branch there, then: git branch -D {branch}",
        )
    shape = ("for-each-ref", "--format=%(refname)", f"--contains={tip}")
    if clone.git.lines(*shape) != [f"refs/heads/{branch}"]:
        return None
    return UsageError(
        "forge-refused",
        f"the branch {branch} stays here: it has commits that are nowhere else",
        place=branch,
        hint=f"if they are not needed: git branch -D {branch}",
    )


def _message(title: str, body: str, number: int) -> str:
    parts = (title.strip(), body.strip(), f"Octavo-Proposal: {number}")
    return "\n\n".join(part for part in parts if part) + "\n"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _moved(branch: str, now: str, expected: str) -> ConflictError:
    return ConflictError(
        "branch-moved",
        f"{branch} is at {now[:12]} now, not at {expected[:12]}",
        place=branch,
        hint="look at what is new, and merge that",
    )
