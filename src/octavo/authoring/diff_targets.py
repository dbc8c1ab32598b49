"""Which versions of which files a command line of `octavo diff` names."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from shlex import join
from typing import Literal

from octavo.authoring.diff_listing import listed, listed_one
from octavo.authoring.diff_revisions import (
    Tree,
    blob_word,
    range_word,
    resolved,
    unknown_word,
)
from octavo.authoring.diff_versions import Target, Version
from octavo.errors import OctavoError, UsageError
from octavo.git.repository import Repository
from octavo.sources import read_text

NOTHING = "/dev/null"
Sort = Literal["file", "folder", "blob", "range", "revision"]


class Asked:
    """The words of a command line, and the paths after `--`."""

    def __init__(
        self,
        words: Sequence[str],
        paths: Sequence[str],
        *,
        staged: bool,
        cwd: str,
        environ: Mapping[str, str],
    ) -> None:
        self.words = tuple(words)
        self.paths = tuple(paths)
        self.staged = staged
        self.cwd = cwd
        self._environ = environ
        self._repository: Repository | None = None

    @property
    def repository(self) -> Repository:
        if self._repository is None:
            self._repository = Repository.around(self.cwd, self._environ)
        return self._repository

    def in_folder(self, word: str) -> str:
        return os.path.normpath(os.path.join(self.cwd, word))


def targets(asked: Asked) -> list[Target]:
    """What is to be compared. A word that names a file is that file; else it is a revision."""
    sorts = [_sort(word, asked) for word in asked.words]
    if not asked.paths and not asked.staged:
        if sorts == ["file", "file"]:
            return [_two(asked, *(_file(word, asked) for word in asked.words))]
        if "blob" in sorts:
            return [_blobs(asked, sorts)]
    revisions = [w for w, sort in zip(asked.words, sorts, strict=True) if sort in _REVISIONS]
    paths = [w for w, sort in zip(asked.words, sorts, strict=True) if sort not in _REVISIONS]
    if "blob" in sorts:
        raise _wrong("REV:path names a file already", "leave the other paths out")
    old, new = _trees(revisions, sorts, asked)
    return _between(asked, old, new, [*paths, *asked.paths])


_REVISIONS = ("range", "revision")


def _sort(word: str, asked: Asked) -> Sort:
    path = asked.in_folder(word)
    if word == NOTHING or os.path.lexists(path):
        return "folder" if os.path.isdir(path) else "file"
    try:
        repository = asked.repository
    except OctavoError:
        if blob_word(word) or range_word(word):
            raise
        read_text(path)  # it tells what is there instead
        raise
    if resolved(repository, word) is not None:
        return "revision"
    if range_word(word):
        return "range"
    if blob_word(word):
        return "blob"
    if _was_there(path, repository):
        return "file"
    raise unknown_word(word, repository, asked.cwd)


def _was_there(path: str, repository: Repository) -> bool:
    """Whether a file that is gone is in HEAD or in the index."""
    try:
        name = repository.name_of(path)
    except OctavoError:
        return False
    return any(repository.git.succeeds("cat-file", "-e", f"{at}:{name}") for at in ("HEAD", ""))


def _file(word: str, asked: Asked) -> Version | None:
    return None if word == NOTHING else Version(word, path=asked.in_folder(word))


def _two(asked: Asked, old: Version | None, new: Version | None) -> Target:
    one, other = old or new, new or old
    if one is None or other is None:
        raise _wrong(f"{NOTHING} is nothing, on both sides", "name a notebook")
    title = one.name if one.name == other.name else other.name
    return Target(title, old, new, named=True)


def _blobs(asked: Asked, sorts: Sequence[Sort]) -> Target:
    """`REV:path REV:path`, one of them perhaps a file; or one against the file of its path."""
    if len(asked.words) > 2 or not {*sorts} <= {"blob", "file"}:
        hint = "octavo diff main:nb.py branch:nb.py"
        raise _wrong("REV:path is compared with another REV:path or a file", hint)
    versions: list[Version | None] = []
    for word, sort in zip(asked.words, sorts, strict=True):
        if sort == "file":
            versions.append(_file(word, asked))
        else:
            versions.append(listed_one(asked.repository, word, asked.cwd))
    if len(versions) == 1:
        [only] = versions
        assert only is not None
        path = os.path.join(asked.repository.top, only.path)
        versions.append(Version(os.path.relpath(path, asked.cwd), path=path))
    return _two(asked, *versions)


def _trees(revisions: Sequence[str], sorts: Sequence[Sort], asked: Asked) -> tuple[Tree, Tree]:
    """The two states to compare: commits, the index, or the files as they are."""
    repository = asked.repository
    now = Tree.index() if asked.staged else Tree.files()
    if not revisions:
        return Tree.head(repository), now
    if len(revisions) == 1 and "range" in sorts:
        if asked.staged:
            raise _wrong("--staged compares with one revision", "octavo diff --staged HEAD")
        return Tree.ends(repository, revisions[0], asked.cwd)
    if "range" in sorts:
        raise _wrong(f"{revisions[0]!r} is not the only revision", "octavo diff main..branch")
    trees = [Tree.of(repository, word, asked.cwd) for word in revisions]
    if len(trees) > 2 or (len(trees) == 2 and asked.staged):
        raise _wrong("these are too many revisions", "octavo diff main branch -- nb.py")
    return (trees[0], trees[1]) if len(trees) == 2 else (trees[0], now)


def _between(asked: Asked, old: Tree, new: Tree, paths: Sequence[str]) -> list[Target]:
    repository = asked.repository
    names = [repository.name_of(asked.in_folder(path)) for path in paths]
    for name in names:
        _refuse_inner(name, repository)
    return listed(repository, old, new, names, asked.cwd)


def _refuse_inner(name: str, repository: Repository) -> None:
    """What is in a submodule, or in another repository, is unknown to this one."""
    parts = name.split("/") if name != "." else []
    for end in range(1, len(parts) + 1):
        inner, rest = "/".join(parts[:end]), "/".join(parts[end:])
        if os.path.lexists(os.path.join(repository.top, inner, ".git")):
            message = f"it is in another repository, {inner}"
            call = ["octavo", "diff", "--", rest] if rest else ["octavo", "diff"]
            hint = f"{join(['cd', inner])} && {join(call)}"
            raise UsageError("not-a-repository", message, place=name, hint=hint)


def _wrong(message: str, hint: str) -> UsageError:
    return UsageError("wrong-argument", message, place="octavo diff", hint=hint)
