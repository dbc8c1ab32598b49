"""Versions of files, where each can be read, and pairs of them to compare."""

from __future__ import annotations

from octavo.value import Value


class Version(Value):
    """A file on one side, called `name`: at a path of this system, or an object of git.

    For an object, `path` is that in the repository.
    """

    name: str
    path: str
    object: str = ""


class Target(Value):
    """Two versions to compare; None for one that is not there.

    `named` says that somebody asked for just this file. With `filtered` git stores the file in
    another form than it has on disk; it is the name of the filter. For a file that is not merged
    yet, `unmerged` is the call that tells more.
    """

    title: str
    old: Version | None
    new: Version | None
    named: bool = False
    filtered: str = ""
    unmerged: str = ""

    @property
    def sides(self) -> str:
        """What is compared with what, for people."""
        return " → ".join("nothing" if each is None else each.name for each in (self.old, self.new))
