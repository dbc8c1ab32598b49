"""The branch of the archive: what it is at, and how entries get on it and off it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from octavo.archive import indexes
from octavo.archive.entries import Entry
from octavo.archive.indexes import NEWEST, NotebookIndex, Summary, notebook_index, root_index
from octavo.archive.layout import INDEX, PAGE, TOP, split
from octavo.archive.packing import Packed
from octavo.archive.pages import notebook_page, root_page
from octavo.errors import ConflictError, OctavoError
from octavo.git.objects import ABSENT, move_ref, wants_signatures, write_blob, write_commit
from octavo.git.program import Git
from octavo.git.repository import Repository
from octavo.git.trees import FOLDER, Tree, contents
from octavo.git.worktrees import checked_out
from octavo.records.disk import storage_error
from octavo.records.plain import utf8
from octavo.systems import OURS, lock

_ATTEMPTS = 20
#: Whom a commit is by where git knows nobody, as on most runners of a CI.
_NOBODY = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "octavo"), ("EMAIL", "octavo@localhost"))
}


class Branch:
    """The branch in one repository. `remote` is the name of the remote that it is shared by."""

    def __init__(self, repository: Repository, name: str, remote: str | None) -> None:
        self.repository = repository
        self.git: Git = repository.git
        self.name = name
        self.ref = f"refs/heads/{name}"
        self.tracking = f"refs/remotes/{remote}/{name}" if remote else None
        #: Where we last were in step with the remote; `git fetch` does not move it.
        self._joined = f"refs/octavo/archive/{remote}/{name}" if remote else None

    def here(self) -> str | None:
        """What the branch is at in this repository."""
        return self.repository.commit(self.ref)

    def seen(self) -> str | None:
        """What it was at on the remote when that was last looked at."""
        return self.repository.commit(self.tracking) if self.tracking else None

    def joined(self) -> str | None:
        """The last commit of the remote's that this branch was on top of."""
        known = self.repository.commit(self._joined) if self._joined else None
        if known is not None:
            return known
        here, seen = self.here(), self.seen()
        return seen if seen and (here is None or self.contains(here, seen)) else None

    def join(self, commit: str) -> None:
        """Remember that the branch is on top of a commit of the remote's."""
        if self._joined is not None:
            self.git.run("update-ref", self._joined, commit)

    def base(self) -> str | None:
        """What new entries are put on: the branch here, else what is known of the remote's."""
        return self.here() or self.seen()

    def newest(self) -> str | None:
        """What is read: the branch here, or the remote's where that has all of it and more."""
        here, seen = self.here(), self.seen()
        return seen if seen and (here is None or self.contains(seen, here)) else here

    def contains(self, commit: str, ancestor: str) -> bool:
        return commit == ancestor or self.git.succeeds(
            "merge-base", "--is-ancestor", ancestor, commit
        )

    def runs(self, commit: str | None) -> dict[str, str]:
        """The folders of runs in a commit, with their objects."""
        if commit is None:
            return {}
        top = self.git.maybe("rev-parse", "--verify", "--quiet", f"{commit}:{TOP}")
        return {} if top is None else indexes.run_folders(self.git, top)

    def refuse_others_work(self) -> None:
        """A branch that somebody works on, or that holds something else, is not ours to move."""
        for folder, ref in checked_out(self.repository):
            if ref == self.ref:
                raise ConflictError(
                    "branch-exists",
                    f"{self.name} is checked out, and its files would not follow",
                    place=str(folder),
                    hint="switch to another branch there: git switch main",
                )
        tip = self.base()
        if tip is not None and not is_archive(self.git, tip):
            raise ConflictError(
                "branch-exists",
                f"the branch {self.name} is no archive: it has other work on it",
                place=self.name,
                hint='name another one: archive_branch = "executions" in octavo.toml',
            )

    def change(self, make: Callable[[str | None], tuple[str, str] | None]) -> str | None:
        """Move the branch here by a commit; what it is at then.

        `make` gives a tree and a message for what the branch is at, or None where there is nothing
        to do. Whoever else moves the branch meanwhile, it is done again on top of theirs.
        """
        with self._turn():
            for attempt in range(_ATTEMPTS):
                here, base, joined = self.here(), self.base(), self.joined()
                made = make(base)
                if made is None:
                    return base
                if joined is not None:
                    self.join(joined)
                commit = commit_of(self.git, *made, parent=base)
                try:
                    move_ref(self.git, self.ref, commit, here or ABSENT, "octavo archive")
                except ConflictError as error:
                    if error.kind != "branch-moved" or attempt == _ATTEMPTS - 1:
                        raise
                else:
                    return commit
        raise AssertionError("the last attempt returns or raises")

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """One process of this repository at a time, in the order of their coming."""
        folder = self.repository.folder / "octavo"
        try:
            folder.mkdir(exist_ok=True)
            held = os.open(folder / "archive.lock", os.O_CREAT | os.O_RDWR | OURS, 0o600)
        except OSError as error:
            raise storage_error(error, folder) from error
        try:
            lock(held, wait=True)
            yield
        finally:
            os.close(held)


def is_archive(git: Git, commit: str) -> bool:
    """Whether a commit has an archive in it, or nothing at all."""
    tree = Tree(git, commit)
    items = tree.items()
    if TOP in items and items[TOP][0] != FOLDER:
        return False
    oid = tree.oid(INDEX)
    if oid is not None and indexes.is_ours(next(contents(git, [oid]))):
        return True
    if not items:
        return True
    return set(items) <= {TOP, INDEX, PAGE} and _has_runs(git, items)


def _has_runs(git: Git, items: Mapping[str, tuple[str, str]]) -> bool:
    """A folder of the name of ours may still be somebody's own."""
    return TOP in items and bool(indexes.run_folders(git, items[TOP][1]))


def commit_of(git: Git, tree: str, message: str, *, parent: str | None) -> str:
    """A commit by whoever git says, or by nobody in particular."""
    parents = (parent,) if parent else ()
    try:
        return write_commit(git, tree, parents, message, signed=wants_signatures(git))
    except OctavoError as error:
        if error.kind != "git-identity":
            raise
        return write_commit(git, tree, parents, message, _NOBODY)


def changed_tree(
    git: Git,
    base: str | None,
    added: Mapping[str, str],
    removed: Sequence[str] = (),
    known: Mapping[str, Entry] | None = None,
) -> str:
    """The tree of a commit with folders of runs added and removed, and all pages as they are then.

    `added` has the objects of folders by their places, `known` the entries of some of them.
    """
    tree = Tree(git, base)
    root = root_index(tree)
    notebooks = dict(root.notebooks)
    for folder in sorted({each[0] for each in map(split, (*added, *removed)) if each}):
        new = {place: oid for place, oid in added.items() if _is_in(place, folder)}
        gone = [place for place in removed if _is_in(place, folder)]
        index = _changed_notebook(tree, folder, new, gone, known or {})
        notebooks.pop(folder, None)
        if index.runs:
            notebooks[folder] = Summary(index.total, index.runs[0])
            _put(tree, f"{folder}/{INDEX}", indexes.dump(index.to_json(), folder))
            _put(tree, f"{folder}/{PAGE}", utf8(notebook_page(folder, index)))
        else:
            tree.remove(f"{folder}/{INDEX}")
            tree.remove(f"{folder}/{PAGE}")
    root = root.replace(notebooks=notebooks)
    _put(tree, INDEX, indexes.dump(root.to_json(), tree.oid(TOP) or ""))
    _put(tree, PAGE, utf8(root_page(root)))
    return tree.write()


def _is_in(place: str, folder: str) -> bool:
    parts = split(place)
    return parts is not None and parts[0] == folder


def _put(tree: Tree, path: str, content: bytes) -> None:
    tree.put(path, write_blob(tree.git, content))


def _changed_notebook(
    tree: Tree,
    folder: str,
    added: Mapping[str, str],
    removed: Sequence[str],
    known: Mapping[str, Entry],
) -> NotebookIndex:
    """The index of a notebook after its runs in the tree were changed."""
    before = notebook_index(tree, folder)
    for place, oid in added.items():
        tree.put(place, oid, FOLDER)
    for place in removed:
        tree.remove(place)
    if removed and before.total > len(before.runs):
        return notebook_index(tree, folder)  # older ones move up
    unknown = {place: oid for place, oid in added.items() if place not in known}
    new = [
        *(known[each] for each in added if each in known),
        *indexes.entries_in(tree.git, unknown),
    ]
    fresh = {each.run_id for each in new}
    kept = [e for e in before.runs if e.run_id not in fresh and e.place not in set(removed)]
    runs = sorted([*kept, *new], key=lambda each: each.run_id, reverse=True)[:NEWEST]
    return NotebookIndex(tuple(runs), _counted(tree, folder, before, [*added, *removed]))


def _counted(
    tree: Tree, folder: str, before: NotebookIndex, places: Sequence[str]
) -> dict[str, tuple[int, str]]:
    days = dict(before.days)
    for date in {parts[1] for parts in map(split, places) if parts}:
        oid = tree.oid(f"{folder}/{date}")
        days.pop(date, None)
        if oid is not None:
            days[date] = (len(tree.items(f"{folder}/{date}")), oid)
    return dict(sorted(days.items()))


def add(branch: Branch, packed: Sequence[Packed]) -> tuple[str | None, tuple[Packed, ...]]:
    """Put runs on the branch; what it is at then, and those that were not there before."""
    new: tuple[Packed, ...] = ()

    def made(base: str | None) -> tuple[str, str] | None:
        nonlocal new
        there = Tree(branch.git, base)
        new = tuple(each for each in packed if there.oid(each.entry.place) is None)
        if not new:
            return None
        added = {each.entry.place: each.tree for each in new}
        entries = {each.entry.place: each.entry.short() for each in new}
        tree = changed_tree(branch.git, base, added, known=entries)
        return tree, message_for([each.entry for each in new])

    return branch.change(made), new


def message_for(added: Sequence[Entry]) -> str:
    """The message of a commit that adds runs."""
    if len(added) == 1:
        [entry] = added
        return f"Archive {_plain(entry.notebook)}: {entry.status}\n\nrun {entry.run_id}\n"
    listed = "".join(f"run {e.run_id} of {_plain(e.notebook)}: {e.status}\n" for e in added[:100])
    return f"Archive {len(added)} runs\n\n{listed}"


def _plain(name: str) -> str:
    shown = "".join(each if each.isprintable() else "?" for each in name)
    return shown.encode("utf-8", "replace").decode()[:200]
