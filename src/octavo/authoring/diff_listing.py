"""The notebooks that differ between two states of a repository."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from octavo.authoring.diff_revisions import Tree, resolved, unknown_word
from octavo.authoring.diff_versions import Target, Version
from octavo.errors import NotebookError
from octavo.git.repository import Repository
from octavo.notebook.formats import is_notebook_name
from octavo.value import Value

_NONE = re.compile("0+")
_FILES = ("100644", "100755", "000000")


def listed(
    repository: Repository, old: Tree, new: Tree, names: Sequence[str], cwd: str
) -> list[Target]:
    """Files that differ and may be notebooks, in the order of their paths.

    With `names` only those files, and what is below those folders.
    """
    rows = [row for row in _rows(repository, old, new, names) if _may_be_notebook(row)]
    found = {row.new_name: _target(row, old, new, repository, names, cwd) for row in rows}
    known = {*found, *(row.old_name for row in rows)}
    for name in names:
        if name not in known and is_notebook_name(name):
            found[name] = _as_named(repository, name, old, new, cwd)
    if "files" in (old.sort, new.sort):
        filters = _filters(repository, [*found])
        found = {name: each.replace(filtered=filters.get(name, "")) for name, each in found.items()}
    if new.sort != "commit":
        unmerged = _unmerged(repository)
        found = {
            name: each.replace(unmerged=unmerged.get(name, "")) for name, each in found.items()
        }
    return [found[name] for name in sorted(found)]


def listed_one(repository: Repository, word: str, cwd: str) -> Version:
    """The version that `REV:path` names; `:path` is that in the index."""
    revision, _, path = word.partition(":")
    if revision and resolved(repository, revision) is None:
        raise unknown_word(revision, repository, cwd)
    name = repository.name_of(os.path.join(cwd, path)) if path.startswith(("./", "../")) else path
    known = repository.git.maybe("rev-parse", "--verify", "--quiet", f"{revision}:{name}")
    if known is None or repository.git.maybe("cat-file", "-t", known) != "blob":
        raise _not_in(repository, revision, name)
    return Version(word, path=name, object=known)


class _Row(Value):
    """A line of `git diff --raw`."""

    modes: tuple[str, str]
    objects: tuple[str, str]
    status: str
    old_name: str
    new_name: str


def _rows(repository: Repository, old: Tree, new: Tree, names: Sequence[str]) -> list[_Row]:
    rows = [*_listed_rows(repository, old, new, names)]
    if names and any(row.status in "AD" and is_notebook_name(row.new_name) for row in rows):
        # Git looks for the other name of a renamed file among the given ones only.
        rows = [row for row in _listed_rows(repository, old, new, ()) if _is_within(row, names)]
    return rows


def _is_within(row: _Row, names: Sequence[str]) -> bool:
    return any(
        each == name or name == "." or each.startswith(f"{name}/")
        for name in names
        for each in (row.old_name, row.new_name)
    )


def _listed_rows(
    repository: Repository, old: Tree, new: Tree, names: Sequence[str]
) -> Iterator[_Row]:
    ends = [each.commit for each in (old, new) if each.sort == "commit"]
    staged = ["--cached"] if "index" in (old.sort, new.sort) else []
    wanted = [f":(top,literal){name}" for name in names if name != "."]
    words = repository.git.lines(
        "diff", "--raw", "-z", "--no-abbrev", "-M", "--no-ext-diff", "--no-textconv",
        "--ignore-submodules", *staged, *ends, "--", *wanted,
    )  # fmt: skip
    left = iter(words)
    for head in left:
        old_mode, new_mode, old_object, new_object, status = head.removeprefix(":").split(" ")
        first = next(left)
        second = next(left) if status[0] in "RC" else first
        yield _Row((old_mode, new_mode), (old_object, new_object), status[0], first, second)


def _may_be_notebook(row: _Row) -> bool:
    return {*row.modes} <= {*_FILES} and is_notebook_name(row.new_name)


def _target(
    row: _Row, old: Tree, new: Tree, repository: Repository, names: Sequence[str], cwd: str
) -> Target:
    before = _version(row.old_name, row.objects[0], old, repository, cwd)
    after = _version(row.new_name, row.objects[1], new, repository, cwd)
    gone, come = row.status in "DU", row.status == "A"
    title = _near(repository, row.new_name, cwd)
    named = row.new_name in names or row.old_name in names
    return Target(title, None if come else before, None if gone else after, named)


def _version(name: str, known: str, tree: Tree, repository: Repository, cwd: str) -> Version:
    if tree.sort == "files" or _NONE.fullmatch(known):
        path = os.path.join(repository.top, name)
        return Version(_near(repository, name, cwd), path=path)
    return Version(f"{tree.called}{name}", path=name, object=known)


def _near(repository: Repository, name: str, cwd: str) -> str:
    """A file as seen from the current folder."""
    path = os.path.join(os.path.realpath(repository.top), name)
    near = os.path.relpath(path, os.path.realpath(cwd))
    return name if near.startswith("..") else near


def _as_named(repository: Repository, name: str, old: Tree, new: Tree, cwd: str) -> Target:
    """A file that somebody asked for and that git lists no difference of."""
    versions = [_there(repository, name, tree, cwd) for tree in (old, new)]
    if versions == [None, None]:
        raise _not_in(repository, new.called.rstrip(":") or old.called.rstrip(":"), name)
    return Target(_near(repository, name, cwd), versions[0], versions[1], named=True)


def _there(repository: Repository, name: str, tree: Tree, cwd: str) -> Version | None:
    if tree.sort == "files":
        path = os.path.join(repository.top, name)
        return Version(_near(repository, name, cwd), path=path) if os.path.isfile(path) else None
    where = f"{tree.commit}:{name}" if tree.sort == "commit" else f":{name}"
    known = repository.git.maybe("rev-parse", "--verify", "--quiet", where)
    return Version(f"{tree.called}{name}", path=name, object=known) if known else None


def _filters(repository: Repository, names: Sequence[str]) -> dict[str, str]:
    """The filters by which git stores files, by name; most have none."""
    notebooks = [name for name in names if name.endswith(".ipynb")]
    if not notebooks:
        return {}
    words = repository.git.lines("check-attr", "-z", "filter", "--", *notebooks)
    told = zip(words[::3], words[2::3], strict=False)
    return {name: value for name, value in told if value not in ("unspecified", "unset", "set")}


def _unmerged(repository: Repository) -> dict[str, str]:
    """For each file that a merge has left to people, the call that compares both sides."""
    from shlex import join

    stages: dict[str, set[str]] = {}
    for line in repository.git.lines("ls-files", "--unmerged", "-z", "--full-name"):
        head, _, name = line.partition("\t")
        stages.setdefault(name, set()).add(head.rpartition(" ")[2])
    return {
        name: join(["octavo", "diff", f":2:{name}", f":3:{name}"])
        if found >= {"2", "3"}
        else "git status"
        for name, found in stages.items()
    }


def _not_in(repository: Repository, revision: str, name: str) -> NotebookError:
    """The error for a file that a revision lacks, with the ones that may be meant."""
    from difflib import get_close_matches

    where = revision or "the index"
    known = repository.git.maybe("ls-tree", "-r", "--name-only", revision) if revision else ""
    names = [each for each in (known or "").split("\n") if is_notebook_name(each)]
    close = get_close_matches(name, names, 3, 0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else "git ls-tree -r lists its files"
    return NotebookError(
        "notebook-not-found", f"there is no such file in {where}", place=name, hint=hint
    )
