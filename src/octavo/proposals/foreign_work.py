"""Work on a branch that the notebook in the work tree knows nothing of, and would undo.

A branch that nobody named is the notebook's own only as long as nobody else used it.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from octavo.errors import ConflictError
from octavo.git.repository import Repository
from octavo.proposals.change import Change
from octavo.proposals.naming import slug

#: What the branch's log says of commits that were made from the files in the work tree.
MOVED_BY_US = "octavo: propose"


def refuse_other_work(
    repository: Repository, change: Change, branch: str, tip: str, fork: str, prefix: str
) -> None:
    """ConflictError where the branch is another notebook's, or was edited by hand since."""
    changed = set(_between(repository, fork, tip))
    if changed and not changed.intersection(change.files):
        other = branch_with_folder(change.name, prefix)
        raise ConflictError(
            "branch-exists",
            f"{branch} is there already, and is about {min(changed)}",
            place=branch,
            hint=f"--branch {other} starts another one; --branch {branch} adds to it",
        )
    seen = _last_moved_by_us(repository, branch) or fork
    edited = changed.intersection(_between(repository, seen, tip), change.files)
    if any(repository.read(tip, name) != change.files[name] for name in edited):
        raise ConflictError(
            "branch-exists",
            f"{branch} has edits of {change.name} that are not in your file",
            place=branch,
            hint=f"git switch {branch} and edit it there; --branch {branch} puts yours on top",
        )


def branch_with_folder(notebook: str, prefix: str) -> str:
    """The branch of a notebook whose name alone is taken."""
    path = PurePosixPath(notebook)
    return f"{prefix}{slug(str(path.with_suffix('')))}"


def _between(repository: Repository, old: str, new: str) -> list[str]:
    return repository.git.lines("diff", "-z", "--name-only", "--no-renames", old, new, "--")


def _last_moved_by_us(repository: Repository, branch: str) -> str | None:
    log = repository.git.lines(
        "log", "--walk-reflogs", "--format=%H %gs", "--end-of-options", f"refs/heads/{branch}"
    )
    for line in log:
        commit, _, why = line.partition(" ")
        if why == MOVED_BY_US:
            return commit
    return None
