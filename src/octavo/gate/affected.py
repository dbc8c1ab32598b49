"""Which notebooks a change reaches: by their own files, by what they read, by what they import.

What a run was seen to read is known from an earlier check. Where there was none, as on a new
machine, the text of the notebook and of the modules that it imports tells what it can: imports,
declared data, and every changed file that such a text mentions. In doubt a notebook is affected.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from octavo.errors import OctavoError, UsageError
from octavo.gate.block import check_block
from octavo.gate.imports import local_files
from octavo.gate.mentions import Text
from octavo.git.repository import Repository
from octavo.sources import read_source
from octavo.value import Value

#: A change of these may change what any notebook does.
_FOR_ALL = (
    *("pyproject.toml", "uv.lock", "pylock.toml", "pylock.*.toml", "requirements*.txt"),
    *("octavo.toml", "setup.py", "setup.cfg", "environment.yml", "environment.yaml", ".env"),
)


_BRANCH = re.compile(r"\w[\w./-]*")
_HEXADECIMAL = re.compile(r"[0-9a-f]{7,64}")


class Changes(Value):
    """The files that differ from a base, with slashes, from the top of the repository."""

    since: str
    base: str
    names: frozenset[str]

    @property
    def reaches_all(self) -> bool:
        """Whether something changed that every notebook stands on."""
        last = {PurePosixPath(name).name for name in self.names}
        return any(fnmatch(name, pattern) for name in last for pattern in _FOR_ALL)


def changes_since(repository: Repository, revision: str) -> Changes:
    """What was changed since this branch left the revision, committed or not, new files too."""
    tip = repository.commit(revision)
    if tip is None:
        raise _unknown(repository, revision)
    head = repository.head()
    base = repository.merge_base(tip, head) if head else tip
    if base is None:
        raise _nothing_in_common(repository, revision)
    changed = repository.git.lines("diff", "--name-only", "--no-renames", "-z", base, "--")
    new = repository.git.lines("ls-files", "-z", "--others", "--exclude-standard", "--full-name")
    return Changes(revision, base, frozenset((*changed, *new)))


def _unknown(repository: Repository, revision: str) -> UsageError:
    shallow = repository.is_shallow()
    said = (
        f"{revision} is not in this shallow clone"
        if shallow
        else f"git knows no revision {revision}"
    )
    return UsageError(
        "shallow" if shallow else "revision-unknown",
        said,
        place=str(repository.top),
        hint=_how_to_have(repository, revision, shallow=shallow),
    )


def _how_to_have(repository: Repository, revision: str, *, shallow: bool) -> str:
    """The command that brings a revision. A clone of one branch is not told of others by a fetch
    that does not say where to put them.
    """
    remotes = sorted(repository.git.lines("remote"), key=lambda name: name != "origin")
    whole = "git fetch --unshallow" if shallow else "git fetch"
    if not remotes:
        return f"this clone has no remote; name one of its branches: {_branches(repository)}"
    remote = next((name for name in remotes if revision.startswith(f"{name}/")), None)
    branch = revision.removeprefix(f"{remote}/") if remote else revision
    if not _BRANCH.fullmatch(branch) or _HEXADECIMAL.fullmatch(branch):
        return f"{whole}, or name another with --since"
    remote = remote or remotes[0]
    fetch = f"{whole} {remote} +{branch}:refs/remotes/{remote}/{branch}"
    if revision == f"{remote}/{branch}":
        return f"{fetch}, or name another with --since"
    if repository.commit(f"{remote}/{branch}"):
        return f"--since {remote}/{branch}"
    return f"{fetch}, then --since {remote}/{branch}"


def _branches(repository: Repository) -> str:
    return ", ".join(repository.branches()[:5]) or "there are none yet"


def _nothing_in_common(repository: Repository, revision: str) -> UsageError:
    if repository.is_shallow():
        return UsageError(
            "shallow",
            f"this shallow clone does not reach back to where it left {revision}",
            place=str(repository.top),
            hint="git fetch --unshallow, or --deepen by enough commits",
        )
    return UsageError(
        "git-history",
        f"this branch and {revision} have no commit in common",
        place=str(repository.top),
        hint="name another revision with --since, or check all notebooks without it",
    )


class Affected:
    """Tells whether changes reach a notebook. `seen` gives what its last known run read.

    `common` are files that all verdicts rest on.
    """

    def __init__(
        self,
        repository: Repository,
        changes: Changes,
        seen: Callable[[str], Iterable[str] | None],
        common: Iterable[str] = (),
    ) -> None:
        self._repository = repository
        self._changes = changes
        self._seen = seen
        self._reaches_all = changes.reaches_all or self._changed(map(self._name, common))
        self._texts: dict[Path, Text] = {}

    def __call__(self, path: Path) -> bool:
        if self._reaches_all or self._changed(self._own(path)):
            return True
        if not self._changes.names:
            return False
        return self._read(path) or self._told(path)

    def _changed(self, names: Iterable[str]) -> bool:
        """Whether one of these is among the changes, or lies in a submodule that is."""
        changed = self._changes.names
        return any(
            name in changed or any(str(each) in changed for each in PurePosixPath(name).parents)
            for name in names
        )

    def _own(self, path: Path) -> set[str]:
        """The notebook, what it is paired with, and what its outputs are held against."""
        stem = path.with_suffix("")
        files = [path, *(stem.with_suffix(suffix) for suffix in (".py", ".md", ".ipynb"))]
        files += [Path(f"{stem}.expected.toml"), Path(os.path.realpath(path))]
        own = {self._name(each) for each in files}
        folder = f"{self._name(stem)}.expected/"
        return own | {name for name in self._changes.names if name.startswith(folder)}

    def _name(self, path: str | os.PathLike[str]) -> str:
        """A path as changes name it; one outside of the repository is none of them."""
        try:
            return self._repository.name_of(path)
        except OctavoError:
            return str(path)

    def _read(self, path: Path) -> bool:
        """Whether its last known run read a file that changed, or looked into its folder."""
        found = self._seen(str(path)) or ()
        seen = {self._name(each) for name in found for each in (name, os.path.realpath(name))}
        return self._changed(seen) or any(
            str(PurePosixPath(name).parent) in seen for name in self._changes.names
        )

    def _told(self, path: Path) -> bool:
        """Whether its text has to do with a file that changed."""
        try:
            source = read_source(path)
            declared = check_block(source).data
        except OctavoError:
            return True
        if self._matches(path.parent, declared):
            return True
        local = local_files(source, self._repository.top)
        if self._changed(map(self._name, local)):
            return True
        texts = (Text(source.text), *map(self._text, local))
        if any(text.mentions(name) for name in self._changes.names for text in texts):
            return True
        named = (path.parent / each for text in texts for each in text.paths())
        return self._changed(self._name(os.path.realpath(each)) for each in named)

    def _text(self, module: Path) -> Text:
        if module not in self._texts:
            try:
                self._texts[module] = Text(module.read_text("utf-8", "replace"))
            except OSError:
                self._texts[module] = Text("")
        return self._texts[module]

    def _matches(self, folder: Path, patterns: Iterable[str]) -> bool:
        """Whether a pattern, or a folder that is declared as a whole, has a change in it."""
        wanted = [self._name(folder / pattern) for pattern in patterns]
        every = {*wanted, *(each.replace("**/", "") for each in wanted)}
        every |= {f"{each}/*" for each in every}
        return any(fnmatch(name, pattern) for name in self._changes.names for pattern in every)
