"""What is in the archive, read back: also from a clone that has nothing but its branch."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from pathlib import Path

from octavo.archive import entries
from octavo.archive.branch import Branch
from octavo.archive.entries import Entry
from octavo.archive.indexes import entries_in, root_index
from octavo.archive.layout import ENTRY, RUN_ID, folder_of, split
from octavo.errors import UsageError
from octavo.git.program import Git
from octavo.git.repository import Repository
from octavo.git.trees import FOLDER, Tree, contents

_AT_ONCE = 100


def reading_repository(folder: str, environ: dict[str, str]) -> Repository:
    """The repository around a folder; one without files will do, since only objects are read."""
    try:
        return Repository.around(folder, environ)
    except UsageError as error:
        git = Git(folder, environ)
        bare = git.maybe("rev-parse", "--is-bare-repository")
        common = git.maybe("rev-parse", "--path-format=absolute", "--git-common-dir")
        if bare != "true" or common is None:
            raise error
        return Repository(git, Path(folder), Path(common))


def commit_for(branch: Branch, ref: str = "") -> str:
    """The commit to read: what was asked for, else the branch here or on the remote."""
    found = branch.repository.commit(ref) if ref else branch.newest()
    if found is not None:
        return found
    if ref:
        raise UsageError(
            "revision-unknown",
            f"git knows no {ref}",
            place=ref,
            hint=f"git fetch origin {branch.name}, or name another --ref",
        )
    raise UsageError(
        "archive",
        f"there is no archive: neither a branch {branch.name} nor one of that name on a remote",
        place=branch.name,
        hint=f"octavo archive makes it; git fetch origin {branch.name} brings one that is there",
    )


def archived_entries(git: Git, commit: str) -> Iterator[Entry]:
    """The runs in an archive, the newest first; entries are read as they are asked for."""
    tree = Tree(git, commit)
    newest = [_of_notebook(tree, folder) for folder in root_index(tree).notebooks]
    yield from merge(*newest, key=lambda each: each.run_id, reverse=True)


def find(repository: Repository, notebook: str, ref: str) -> Iterator[Entry]:
    """The archived runs of a notebook (its name in the repository), the newest first.

    They have the hashes of their source and of what every cell gave. A notebook and its `.ipynb`
    share a folder of the archive, and are one.
    """
    commit = repository.commit(ref)
    if commit is not None:
        yield from _of_notebook(Tree(repository.git, commit), folder_of(notebook), whole=True)


def _of_notebook(tree: Tree, folder: str, *, whole: bool = False) -> Iterator[Entry]:
    days = [name for name, (mode, _) in tree.items(folder).items() if mode == FOLDER]
    for date in sorted(days, reverse=True):
        items = sorted(tree.items(f"{folder}/{date}").items(), reverse=True)
        places = {
            f"{folder}/{date}/{name}": oid
            for name, (mode, oid) in items
            if mode == FOLDER and split(f"{folder}/{date}/{name}")
        }
        names = list(places)
        for start in range(0, len(names), _AT_ONCE):
            part = {place: places[place] for place in names[start : start + _AT_ONCE]}
            yield from _whole(tree.git, part) if whole else entries_in(tree.git, part)


def _whole(git: Git, places: dict[str, str]) -> Iterator[Entry]:
    """Entries with their hashes; those that somebody edited have none."""
    read = contents(git, [f"{oid}:{ENTRY}" for oid in places.values()])
    for (place, oid), content in zip(places.items(), read, strict=True):
        entry = entries.load(content)
        if entry is not None and entry.place == place:
            yield entry
        else:
            yield from entries_in(git, {place: oid})


def may_be_id(name: str) -> bool:
    """Whether a word can be a part of the id of a run."""
    return len(name) >= 4 and set(name) <= set("0123456789abcdef-")


def matching(branch: Branch, commit: str, name: str) -> dict[str, str]:
    """The folders of runs whose id begins or ends so, with their objects."""
    return {
        place: oid
        for place, oid in branch.runs(commit).items()
        if RUN_ID.fullmatch(place.rpartition("/")[2]) and _named(place.rpartition("/")[2], name)
    }


def _named(run_id: str, name: str) -> bool:
    return run_id.startswith(name) or run_id.endswith(name)
