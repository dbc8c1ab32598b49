"""A branch and its base made into commits, without any index or checkout.

Git merges in a folder that holds nothing but the base's `.gitattributes`, so that its merge drivers
are the ones that the repository asks for, whatever somebody has checked out.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from octavo.errors import ConflictError
from octavo.forges.local.chains import is_ancestor
from octavo.git.objects import write_commit
from octavo.git.program import Git, GitFailed
from octavo.git.repository import Repository
from octavo.value import EMPTY, Value

_ATTRIBUTES = ".gitattributes"
_CONFLICT = 1


class Combined(Value):
    """The tree of two commits merged; `conflicts` are the files where that is not possible."""

    tree: str
    conflicts: tuple[str, ...] = ()


class Unrelated(ValueError):
    """Two commits have no history in common, or it was cut off."""


Combine = Callable[[str, str], Combined]


@contextmanager
def combining(repository: Repository, base: str) -> Iterator[Combine]:
    """A function that merges commits with the attributes of a base."""
    with tempfile.TemporaryDirectory(prefix="octavo-attributes-") as folder:
        _write_attributes(repository, base, Path(folder))
        git = Git(folder, repository.git.environ)
        variables = {"GIT_DIR": os.fspath(repository.folder), "GIT_WORK_TREE": folder}
        yield lambda ours, theirs: _combined(git, variables, ours, theirs)


def _write_attributes(repository: Repository, base: str, folder: Path) -> None:
    for line in repository.git.lines("ls-tree", "-r", "-z", "--full-tree", base):
        facts, _, path = line.partition("\t")
        mode, _, sha = facts.split()
        if path.rpartition("/")[2] == _ATTRIBUTES and mode.startswith("100"):
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(repository.git.run("cat-file", "blob", sha))


def _combined(git: Git, variables: Mapping[str, str], ours: str, theirs: str) -> Combined:
    command = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs)
    code, out, said = git.call(*command, variables=variables)
    if "unrelated histories" in said:
        raise Unrelated(said.strip())
    if code not in (0, _CONFLICT):
        raise GitFailed(command, code, said)
    tree, *names = out.decode("utf-8", "surrogateescape").rstrip("\0").split("\0")
    return Combined(tree, tuple(names))


def merge_commit(
    repository: Repository, base: str, head: str, message: str, variables: Mapping[str, str] = EMPTY
) -> str:
    """A commit with base and head as parents."""
    tree = _clean_tree(repository, base, head)
    return write_commit(repository.git, tree, (base, head), message, variables)


def squash_commit(
    repository: Repository, base: str, head: str, message: str, variables: Mapping[str, str] = EMPTY
) -> str:
    """One commit on the base with all changes of a branch, by the author of its newest commit."""
    tree = _clean_tree(repository, base, head)
    author = {**variables, **_author(repository.git, head)}
    return write_commit(repository.git, tree, (base,), message, author)


def _clean_tree(repository: Repository, base: str, head: str) -> str:
    with combining(repository, base) as combine:
        combined = combine(base, head)
    if combined.conflicts:
        raise conflict(combined.conflicts)
    return combined.tree


def rebased(
    repository: Repository, base: str, head: str, variables: Mapping[str, str] = EMPTY
) -> str:
    """The commits of a branch put on top of a base one by one; the last of them."""
    git = repository.git
    if is_ancestor(git, base, head):
        return head
    tip = base
    with combining(repository, base) as combine:
        for commit in git.lines(
            "rev-list", "--reverse", "--topo-order", "--no-merges", f"{base}..{head}"
        ):
            tip = _picked(git, combine, tip, commit, variables)
    return tip


def _picked(git: Git, combine: Combine, tip: str, commit: str, variables: Mapping[str, str]) -> str:
    """A commit on top of another one; that one itself when it has the change already."""
    parent = git.maybe("rev-parse", "--verify", "--quiet", f"{commit}^")
    if parent is None:
        raise Unrelated(f"{commit} has no parent here")
    # Beside the commit, on its own parent, the tip's files: their merge base is that parent.
    beside = write_commit(git, f"{tip}^{{tree}}", (parent,), "for a merge", variables)
    combined = combine(beside, commit)
    if combined.conflicts:
        raise conflict(combined.conflicts)
    trees = git.text("rev-parse", f"{tip}^{{tree}}", f"{commit}^{{tree}}", f"{parent}^{{tree}}")
    of_tip, of_commit, of_parent = trees.split()
    if combined.tree == of_tip and of_commit != of_parent:
        return tip
    message = git.text("log", "-1", "--encoding=UTF-8", "--format=%B", commit)
    return write_commit(git, combined.tree, (tip,), message, {**variables, **_author(git, commit)})


def _author(git: Git, commit: str) -> dict[str, str]:
    shape = "--format=%an%x00%ae%x00%ad"
    facts = git.text("log", "-1", "--encoding=UTF-8", "--date=raw", shape, commit).split("\0")
    return dict(zip(("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE"), facts, strict=True))


def conflict(names: tuple[str, ...]) -> ConflictError:
    """The error when a branch does not merge."""
    return ConflictError(
        "merge-conflict",
        f"the branch does not merge: {', '.join(names[:5])}{' …' if len(names) > 5 else ''}",
        hint="merge the base into the branch, solve the conflict there, and push it",
        details={"files": list(names)},
    )
