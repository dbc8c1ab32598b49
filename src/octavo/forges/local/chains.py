"""Refs whose commits hold small files: read in bulk, appended to by compare-and-swap."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from octavo.errors import ConflictError
from octavo.forges.local.stored import Unreadable
from octavo.git.objects import ABSENT, move_ref, write_blob, write_commit
from octavo.git.program import Git
from octavo.value import EMPTY, Value

#: How often somebody else may be quicker before we give up.
ATTEMPTS = 40
_MOST_ENTRIES = 50_000
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}")
_MODE = "100644"


class Blob(Value):
    """A file of a chain."""

    sha: str
    size: int


Entries = Mapping[str, Blob]


class Addition(Value):
    """What is to be put on top of a chain. `parents` are commits that it keeps alive."""

    files: Mapping[str, bytes]
    message: str
    parents: tuple[str, ...] = ()


def refs_under(git: Git, *places: str) -> dict[str, str]:
    """The refs below some places, with their commits; what is not at a commit is passed over."""
    shape = "--format=%(objecttype) %(objectname) %(refname)"
    lines = (line.split(" ", 2) for line in git.lines("for-each-ref", shape, *places))
    return {ref: sha for kind, sha, ref in lines if kind == "commit"}


def commit_at(git: Git, ref: str) -> str | None:
    """The commit that a ref is at."""
    return git.maybe("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")


def entries_of(git: Git, commit: str) -> dict[str, Blob]:
    """The plain files in a commit of a chain, at most one folder deep."""
    found: dict[str, Blob] = {}
    for line in git.lines("ls-tree", "-r", "-z", "-l", "--full-tree", commit):
        facts, _, path = line.partition("\t")
        mode, kind, sha, size = facts.split()
        if mode == _MODE and kind == "blob" and size.isdigit() and _is_ours(path):
            found[path] = Blob(sha, int(size))
    if len(found) > _MOST_ENTRIES:
        raise Unreadable("it has too many entries")
    return found


def _is_ours(path: str) -> bool:
    parts = path.split("/")
    return len(parts) <= 2 and all(_NAME.fullmatch(part) for part in parts)


def blobs_at(git: Git, names: Iterable[str]) -> dict[str, Blob]:
    """The blobs that names such as `COMMIT:FILE` are of; those that are none are left out."""
    asked = list(names)
    printed = git.run("cat-file", "--batch-check", input=_lines(asked)).decode().splitlines()
    found = {}
    for name, line in zip(asked, printed, strict=True):
        facts = line.split(" ")
        if len(facts) == 3 and facts[1] == "blob":
            found[name] = Blob(facts[0], int(facts[2]))
    return found


def contents_of(git: Git, blobs: Iterable[Blob], largest: int) -> dict[str, bytes]:
    """The contents of blobs by their sha; those that are too large are left out."""
    asked = list({blob.sha for blob in blobs if blob.size <= largest})
    if not asked:
        return {}
    printed = git.run("cat-file", "--batch", input=_lines(asked))
    found, position = {}, 0
    while position < len(printed):
        end = printed.index(b"\n", position)
        facts = printed[position:end].decode().split(" ")
        position = end + 1
        if len(facts) == 3:
            end = position + int(facts[2])
            found[facts[0]] = printed[position:end]
            position = end + 1
    return found


def _lines(words: Iterable[str]) -> bytes:
    return "".join(f"{word}\n" for word in words).encode()


def write_entries(git: Git, entries: Mapping[str, str]) -> str:
    """The tree of files that are at most one folder deep, given by path and blob."""
    folders: dict[str, list[str]] = {}
    root: list[str] = []
    for path, sha in entries.items():
        folder, _, name = path.rpartition("/")
        line = f"{_MODE} blob {sha}\t{name}\0"
        (folders.setdefault(folder, []) if folder else root).append(line)
    if folders:
        listed = "\0".join("".join(lines) for lines in folders.values())
        trees = git.run("mktree", "-z", "--batch", input=listed.encode()).decode().split()
        root += [f"040000 tree {tree}\t{name}\0" for name, tree in zip(folders, trees, strict=True)]
    return git.run("mktree", "-z", input="".join(root).encode()).decode().strip()


def write(
    git: Git,
    tip: str | None,
    entries: Entries,
    addition: Addition,
    variables: Mapping[str, str] = EMPTY,
) -> str:
    """A commit on top of a chain with some files more. No ref is at it yet."""
    shas = {path: blob.sha for path, blob in entries.items()}
    shas |= {path: write_blob(git, content) for path, content in addition.files.items()}
    parents = tuple(dict.fromkeys([*([tip] if tip else []), *addition.parents]))
    return write_commit(git, write_entries(git, shas), parents, addition.message, variables)


Build = Callable[[str | None, Entries], Addition | None]


def append(git: Git, ref: str, build: Build, variables: Mapping[str, str] = EMPTY) -> str | None:
    """Put on top of a chain what `build` makes of its newest state; None writes nothing."""
    for _ in range(ATTEMPTS):
        tip = commit_at(git, ref)
        entries = entries_of(git, tip) if tip else {}
        addition = build(tip, entries)
        if addition is None:
            return tip
        commit = write(git, tip, entries, addition, variables)
        try:
            move_ref(git, ref, commit, tip or ABSENT, addition.message)
        except ConflictError:
            continue
        return commit
    raise busy(ref)


def busy(ref: str) -> ConflictError:
    """The error when others were quicker too often."""
    return ConflictError(
        "branch-moved",
        f"{ref} is changed by others all the time",
        place=ref,
        hint="run the same command again",
    )


def is_ancestor(git: Git, old: str, new: str) -> bool:
    """Whether a commit is part of the history of another."""
    return old == new or git.succeeds("merge-base", "--is-ancestor", old, new)
