"""The archive on the remote: what others put there meanwhile stays, and ours goes on top of it.

Entries have folders of their own, so those of two clones never conflict; the pages are made anew.
Nothing is ever forced.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping

from octavo.archive.branch import Branch, changed_tree, commit_of, is_archive
from octavo.archive.context import ArchiveContext
from octavo.errors import ConflictError, OctavoError, UsageError
from octavo.git import remotes
from octavo.git.credentials import for_git
from octavo.git.objects import move_ref
from octavo.git.remotes import Remote
from octavo.git.repository import Repository
from octavo.render.figures import counted

_ATTEMPTS = 20
#: The depth that git itself takes for all of a history.
_WHOLE = 2**31 - 1
#: What git or a server says to the one that comes second.
_RACES = (
    "stale info", "[rejected]", "non-fast-forward", "fetch first", "cannot lock ref",
    "failed to lock", "failed to update ref", "incorrect old value", "reference already exists",
)  # fmt: skip


class Shared:
    """The remote that an archive is shared by."""

    def __init__(self, branch: Branch, remote: Remote, context: ArchiveContext) -> None:
        self._branch = branch
        self._git = branch.git
        self._name = remote.name
        self._variables, self._configuration = _login(branch.repository, remote, context)

    def join(self, *, rejoin: bool = False) -> str | None:
        """Bring the branch here on top of what is on the remote; what it is at there.

        With `rejoin`, also where somebody made the remote's history anew.
        """
        branch = self._branch
        before = branch.joined()
        there = self._fetched(branch.seen())
        here = branch.here()
        if there is None:
            return None
        if not is_archive(self._git, there):
            raise ConflictError(
                "branch-exists",
                f"the branch {branch.name} on {self._name} is no archive: it has other work on it",
                place=branch.name,
                hint='name another one: archive_branch = "executions" in octavo.toml',
            )
        rewritten = before is not None and not self._follows(there, before)
        if rewritten and before is not None and not rejoin:
            raise _rewritten(branch, self._name, before, there)
        if rewritten and here is not None:
            # Nothing is lost: what the branch was at can still be had by this name.
            self._git.run("update-ref", f"refs/octavo/archive-before/{here[:12]}", here)
        if here is not None and not branch.contains(here, there):
            self._on_top(there, here, before)
        branch.join(there)
        return there

    def push(self, *, rejoin: bool = False) -> str:
        """Bring the branch to the remote, on top of whatever others put there meanwhile."""
        for attempt in range(_ATTEMPTS):
            try:
                there = self.join(rejoin=rejoin)
                here = self._branch.here()
                if here is None or here == there:
                    return here or there or ""
                self._send(here, there)
            except ConflictError as error:
                if not _came_second(error) or attempt == _ATTEMPTS - 1:
                    raise
                time.sleep(random.uniform(0.05, 0.2) * (attempt + 1))
            else:
                return here
        raise AssertionError("the last attempt returns or raises")

    def _send(self, commit: str, there: str | None) -> None:
        ref, tracking = self._branch.ref, self._branch.tracking
        remotes.push(
            self._git, self._name, commit, ref, there, self._variables, self._configuration
        )
        if tracking is not None:
            self._git.call("update-ref", tracking, commit)
        self._branch.join(commit)

    def _fetched(self, seen: str | None) -> str | None:
        branch = self._branch
        there = remotes.ref_there(
            self._git, self._name, branch.ref, self._variables, self._configuration
        )
        if there is None or there == seen:
            return there
        # A clone that was cut short stays so: CI need not load all that was ever archived.
        known = seen or branch.here() or branch.joined()
        self._fetch(depth=1 if known is None and branch.repository.is_shallow() else None)
        return branch.seen()

    def _follows(self, there: str, before: str) -> bool:
        """Whether the remote's history goes on from a commit. One that was cut short is loaded
        whole before it is said that it does not.
        """
        branch = self._branch
        if branch.contains(there, before):
            return True
        if branch.repository.is_shallow():
            self._fetch(depth=_WHOLE)
        return branch.contains(there, before)

    def _fetch(self, depth: int | None) -> None:
        remotes.fetch(
            self._git,
            self._name,
            f"+{self._branch.ref}:{self._branch.tracking}",
            variables=self._variables,
            configuration=self._configuration,
            depth=depth,
        )

    def _on_top(self, there: str, here: str, before: str | None) -> None:
        """Put what was changed here since the histories parted on top of theirs."""
        branch = self._branch
        if branch.contains(there, here):
            move_ref(self._git, branch.ref, there, here, "octavo archive: as on the remote")
            return
        common = branch.repository.merge_base(here, before or there)
        old, new, theirs = (branch.runs(each) for each in (common, here, there))
        added = {place: oid for place, oid in new.items() if place not in {*old, *theirs}}
        removed = [place for place in old if place not in new and place in theirs]
        if not added and not removed:
            move_ref(self._git, branch.ref, there, here, "octavo archive: as on the remote")
            return
        tree = changed_tree(self._git, there, added, removed)
        commit = commit_of(self._git, tree, _message(added, removed), parent=there)
        move_ref(self._git, branch.ref, commit, here, "octavo archive: on top of the remote")


def _message(added: Mapping[str, str], removed: list[str]) -> str:
    told = [f"Archive {counted(len(added), 'run')}"] if added else []
    told += [f"drop {counted(len(removed), 'run')}"] if removed else []
    listed = "".join(f"run {place.rpartition('/')[2]}\n" for place in list(added)[:100])
    return f"{', '.join(told)}\n\n{listed}"


def _came_second(error: OctavoError) -> bool:
    """Whether somebody else pushed, or moved the branch here, before us. Hooks and rules that
    refuse a push will do so again.
    """
    if error.kind == "branch-moved":
        return "was" not in error.details
    said = str(error.details.get("git", ""))
    return error.kind == "push-rejected" and any(sign in said for sign in _RACES)


def _rewritten(branch: Branch, remote: str, before: str, there: str) -> ConflictError:
    here, known, theirs = (branch.runs(each) for each in (branch.here(), before, there))
    ours = [place for place in here if place not in known and place not in theirs]
    lost = [place for place in known if place not in theirs]
    return ConflictError(
        "branch-moved",
        f"somebody made the history of {branch.name} on {remote} anew: "
        f"{counted(len(lost), 'run')} that had been there {_is(len(lost))} gone, "
        f"{counted(len(ours), 'run')} of this clone never got there; nothing was changed",
        place=f"{remote}/{branch.name}",
        hint="octavo archive --push --rejoin takes the new history, and puts on it what was only"
        " here; then archive the run again: records in .octavo/runs are not touched",
        details={"gone": lost[:100], "only_here": ours[:100], "was": before, "is": there},
    )


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _login(
    repository: Repository, remote: Remote, context: ArchiveContext
) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """How git logs in; a remote that is no forge, or takes no password, needs nothing of ours."""
    if remote.scheme not in ("http", "https"):
        return {}, ()
    try:
        _, token = context.forge(repository, remote, "")
    except OctavoError:
        return {}, ()
    return for_git(token, remote)


def no_remote(repository: Repository) -> UsageError:
    """The error where there is nowhere to push to."""
    return UsageError(
        "no-remote",
        "there is no remote to push the archive to",
        place=str(repository.top),
        hint="git remote add origin ADDRESS, or leave out --push",
    )
