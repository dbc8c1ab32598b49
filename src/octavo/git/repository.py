"""Where a repository is, what is checked out, and what its branches are called."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from octavo.errors import UsageError
from octavo.git.program import Git, GitFailed, no_repository


class Repository:
    """The repository around a folder.

    `top` is the root of the checked-out files, `folder` the `.git` that all worktrees share.
    """

    def __init__(self, git: Git, top: Path, folder: Path) -> None:
        self.git = git
        self.top = top
        self.folder = folder

    @classmethod
    def around(cls, folder: str | os.PathLike[str], environ: Mapping[str, str]) -> Repository:
        """The repository around a folder; UsageError `not-a-repository` when there is none."""
        git, wanted = Git(folder, environ), ("--show-toplevel", "--git-common-dir")
        found = git.maybe("rev-parse", "--path-format=absolute", *wanted)
        if found is None:
            raise _why_none(folder, environ)
        paths = found.split("\n")
        if len(paths) != len(wanted):  # there are line ends in the names of folders
            paths = [git.text("rev-parse", "--path-format=absolute", each) for each in wanted]
        top, common = paths
        return cls(Git(top, environ), Path(top), Path(common))

    def name_of(self, path: str | os.PathLike[str]) -> str:
        """A file's path within the repository, with slashes; it need not exist."""
        absolute = Path(os.path.abspath(path))
        real = Path(os.path.realpath(absolute.parent)) / absolute.name
        for whole, top in ((absolute, self.top), (real, Path(os.path.realpath(self.top)))):
            if whole.is_relative_to(top):
                return whole.relative_to(top).as_posix()
        raise UsageError(
            "not-a-repository",
            f"the file is not in the repository {self.top}",
            place=str(path),
            hint="name a file of this repository",
        )

    def head(self) -> str | None:
        """The commit that is checked out; None before the first one."""
        return self.commit("HEAD")

    def branch(self) -> str | None:
        """The branch that is checked out; None where the head is detached."""
        return self.git.maybe("symbolic-ref", "--quiet", "--short", "HEAD")

    def commit(self, revision: str) -> str | None:
        """The commit that a revision names; None when there is none."""
        return self.git.maybe(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
        )

    def default_branch(self, remote: str | None = None) -> str:
        """The branch that proposals are for: the remote's, else `main` or `master`, else this."""
        if remote:
            known = self.git.maybe("symbolic-ref", "--quiet", f"refs/remotes/{remote}/HEAD")
            if known:
                return known.removeprefix(f"refs/remotes/{remote}/")
        configured = self.git.maybe("config", "init.defaultBranch")
        there = set(self.branches())
        for name in (configured, "main", "master"):
            if name in there:
                return str(name)
        if remote:
            for name in ("main", "master"):
                if self.commit(f"refs/remotes/{remote}/{name}"):
                    return name
        return self.branch() or "main"

    def branches(self) -> list[str]:
        """The local branches."""
        return self.git.lines("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")

    def is_shallow(self) -> bool:
        """Whether history was cut off by a shallow clone."""
        return self.git.text("rev-parse", "--is-shallow-repository") == "true"

    def read(self, revision: str, name: str) -> bytes | None:
        """A file as it is in a commit; None when it is not there."""
        try:
            return self.git.run("cat-file", "blob", f"{revision}:{name}")
        except GitFailed:
            return None

    def merge_base(self, one: str, other: str) -> str | None:
        """The newest commit that two have in common."""
        return self.git.maybe("merge-base", "--end-of-options", one, other)

    def dirty(self, *names: str) -> list[str]:
        """Files, of those named, that are not as they are in HEAD; untracked ones too."""
        listed = self.git.lines(
            "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", *names
        )
        return [line[3:] for line in listed]

    def is_ignored(self, name: str) -> bool:
        """Whether git is told to pass a file over."""
        return self.git.succeeds("check-ignore", "--quiet", "--", name)


def _why_none(folder: str | os.PathLike[str], environ: Mapping[str, str]) -> UsageError:
    asked = ("rev-parse", "--is-bare-repository", "--is-inside-git-dir")
    told = (Git(folder, environ).maybe(*asked) or "").split()
    if told[1:] == ["true"] and told[0] != "true":
        return UsageError(
            "not-a-repository",
            "this is git's own folder: it has no files to work on",
            place=os.fspath(folder),
            hint="go to the files of the repository",
        )
    if told[:1] == ["true"]:
        return UsageError(
            "not-a-repository",
            "this repository is bare: it has no files to work on",
            place=os.fspath(folder),
            hint="clone it, and work in the clone",
        )
    return no_repository(os.fspath(folder))
