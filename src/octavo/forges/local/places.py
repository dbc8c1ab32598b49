"""Where a line of an older commit is in a newer one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from octavo.git.program import Git
from octavo.value import Value

_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--unified=0", "--inter-hunk-context=0")


class Place(Value):
    """A line of a file in a commit; `line` is None for the file as a whole, or when it is gone."""

    commit: str
    path: str
    line: int | None


class Hunk(Value):
    """Lines that were replaced: `removed` from line `at` on, by `added` others."""

    at: int
    removed: int
    added: int


class Places:
    """Follows places to one commit. What two places have in common is asked of git once."""

    def __init__(self, git: Git, head: str) -> None:
        self._git = git
        self._head = head
        self._renames: dict[str, dict[str, str] | None] = {}
        self._hunks: dict[tuple[str, str], tuple[Hunk, ...] | None] = {}

    def now(self, place: Place) -> Place:
        """Where a place is now. It stays where it is when its commit is not here any more."""
        if place.commit == self._head:
            return place
        changed = self._changed(place.commit)
        if changed is None:
            return place
        if place.path not in changed:
            return place.replace(commit=self._head)
        path = changed[place.path]
        if not path:
            return place.replace(line=None)
        if place.line is None:
            return Place(self._head, path, None)
        hunks = self._between(place.commit, place.path, path)
        line = None if hunks is None else moved(place.line, hunks)
        return place.replace(line=None) if line is None else Place(self._head, path, line)

    def _changed(self, commit: str) -> dict[str, str] | None:
        """The names of changed files, old to new; empty for those that are gone."""
        if commit not in self._renames:
            code, out, _ = self._git.call(
                "diff", "--name-status", "--find-renames", "-z", "--no-ext-diff", commit, self._head
            )
            words = iter(out.decode("utf-8", "surrogateescape").split("\0"))
            self._renames[commit] = dict(_changes(words)) if code == 0 else None
        return self._renames[commit]

    def _between(self, commit: str, old: str, new: str) -> tuple[Hunk, ...] | None:
        key = (commit, old)
        if key not in self._hunks:
            code, out, _ = self._git.call("diff", *_PLAIN, f"{commit}:{old}", f"{self._head}:{new}")
            self._hunks[key] = _hunks(out) if code == 0 else None
        return self._hunks[key]


def _changes(words: Iterable[str]) -> Iterable[tuple[str, str]]:
    words = iter(words)
    for kind in words:
        if kind[:1] in ("R", "C"):
            old, new = next(words), next(words)
            if kind[0] == "R":
                yield old, new
        elif kind:
            name = next(words)
            yield name, "" if kind == "D" else name


def _hunks(diff: bytes) -> tuple[Hunk, ...] | None:
    if b"\nBinary files " in diff:
        return None
    return tuple(
        Hunk(int(at), int(removed or 1), int(added or 1))
        for at, removed, _, added in _HUNK.findall(diff)
    )


def moved(line: int, hunks: Iterable[Hunk]) -> int | None:
    """A line after some were replaced; None when it is one of them."""
    shift = 0
    for hunk in hunks:
        if hunk.removed and hunk.at <= line < hunk.at + hunk.removed:
            return None
        if line > hunk.at:
            shift += hunk.added - hunk.removed
    return line + shift
