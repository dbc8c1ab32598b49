"""Revisions of git as people name them, and the states of all files that they stand for."""

from __future__ import annotations

import os
import re
from typing import Literal

from octavo.errors import UsageError
from octavo.git.repository import Repository
from octavo.notebook.formats import is_notebook_name
from octavo.value import Value

_RANGE = re.compile(r"(?P<old>.*?)(?P<dots>\.\.\.?)(?P<new>.*)")
_RUN = re.compile(r"last(~\d+)?$|[0-9]{8}-|[a-z0-9]{8}$")


class Tree(Value):
    """A state of all files: a commit, the index, or the files on disk.

    `called` is how its files are named for people: `HEAD:nb.py`.
    """

    sort: Literal["commit", "index", "files"]
    commit: str = ""
    called: str = ""

    @classmethod
    def files(cls) -> Tree:
        return cls("files")

    @classmethod
    def index(cls) -> Tree:
        return cls("index", "", "staged ")

    @classmethod
    def head(cls, repository: Repository) -> Tree:
        """HEAD; before the first commit, nothing."""
        commit = repository.head()
        if commit is None:
            return cls("commit", repository.git.text("hash-object", "-t", "tree", os.devnull), "")
        return cls("commit", commit, "HEAD:")

    @classmethod
    def of(cls, repository: Repository, word: str, cwd: str) -> Tree:
        commit = resolved(repository, word)
        if commit is None:
            raise unknown_word(word, repository, cwd)
        return cls("commit", commit, f"{word}:")

    @classmethod
    def ends(cls, repository: Repository, word: str, cwd: str) -> tuple[Tree, Tree]:
        """Both ends of `A..B`; of `A...B` the first is where they parted."""
        found = _RANGE.fullmatch(word)
        assert found is not None
        old, new = (cls.of(repository, found[side] or "HEAD", cwd) for side in ("old", "new"))
        if found["dots"] == "..":
            return old, new
        base = repository.merge_base(old.commit, new.commit)
        if base is None:
            raise UsageError(
                "revision-unknown",
                f"{word}: the two have no commit in common",
                hint=f"compare them as they are: {word.replace('...', '..')}",
            )
        return cls("commit", base, f"{base[:8]}:"), new


def resolved(repository: Repository, word: str) -> str | None:
    """The commit that a word names; None when there is none."""
    return repository.commit(word) if word and not word.startswith("-") else None


def range_word(word: str) -> bool:
    """Whether a word is spelled as a range of commits."""
    return ":" not in word and not word.startswith("../") and _RANGE.fullmatch(word) is not None


def blob_word(word: str) -> bool:
    """Whether a word is spelled as a file in a revision: `main:nb.py`."""
    return ":" in word and not word.endswith(":")


def unknown_word(word: str, repository: Repository, cwd: str) -> UsageError:
    """The error for a word that names nothing, with what may have been meant."""
    from difflib import get_close_matches

    refs = repository.git.lines("for-each-ref", "--format=%(refname:short)")
    files = [name for name in _names(cwd) if is_notebook_name(name)]
    close = get_close_matches(word, [*refs, *files], 3, 0.6)
    hint = f"did you mean {' or '.join(close)}?"
    if not close and is_notebook_name(word):
        hint = "check the path"
    elif not close:
        is_run = _RUN.match(word)
        hint = "to compare runs: octavo compare" if is_run else "git branch --all lists branches"
    return UsageError(
        "revision-unknown",
        f"there is neither a file nor a revision {word!r}",
        place="octavo diff",
        hint=hint,
    )


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
