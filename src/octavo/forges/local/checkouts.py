"""Who has a branch checked out, and how their files follow when it moves."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from octavo.errors import ConflictError, UsageError
from octavo.git.objects import move_ref
from octavo.git.program import Git, GitFailed
from octavo.git.repository import Repository
from octavo.git.worktrees import checked_out
from octavo.notebook.cleaning import NotANotebook, cleaned_bytes

#: What git says when files of a person are in the way.
_IN_THE_WAY = ("would be overwritten", "MERGE_HEAD", "unmerged files", "CHERRY_PICK_HEAD")
_BEING_REBASED = ("rebase-merge/head-name", "rebase-apply/head-name")


def checkout_of(repository: Repository, branch: str) -> Path | None:
    """The worktree that has a branch checked out, also one in which it is being rebased."""
    ref = f"refs/heads/{branch}"
    for folder, at in checked_out(repository):
        if folder.is_dir() and ref in (at, _rebased_in(repository, folder)):
            return folder
    return None


def _rebased_in(repository: Repository, folder: Path) -> str:
    found = Git(folder, repository.git.environ).maybe("rev-parse", "--absolute-git-dir")
    for name in _BEING_REBASED if found else ():
        try:
            return (Path(str(found)) / name).read_text().strip()
        except OSError:
            continue
    return ""


def advance(repository: Repository, branch: str, old: str, new: str) -> None:
    """Move a branch of this repository on; the files of whoever has it checked out follow.

    ConflictError `branch-moved` when it is no longer at `old`, UsageError `dirty` when files that
    somebody changed are in the way.
    """
    folder = checkout_of(repository, branch)
    if folder is None:
        move_ref(repository.git, f"refs/heads/{branch}", new, old, "octavo: merged")
    else:
        _bring_along(repository, folder, branch, old, new)


def refuse_if_in_the_way(repository: Repository, branch: str, old: str, new: str) -> None:
    """Find out before anything is written whether `advance` would be refused."""
    folder = checkout_of(repository, branch)
    if folder is None:
        return
    there = Repository(Git(folder, repository.git.environ), folder, repository.folder)
    if there.branch() != branch or there.commit("MERGE_HEAD"):
        raise _in_the_way(branch, folder, ())
    names = [name for name in _touched_edits(there, old, new) if not _is_merged(there, name, new)]
    if names:
        raise _in_the_way(branch, folder, tuple(names))


def _touched_edits(there: Repository, old: str, new: str) -> list[str]:
    """The files that a step changes and that somebody has changed."""
    touched = there.git.lines("diff", "--name-only", "--no-renames", "-z", old, new)
    return sorted(set(touched) & set(there.dirty()))


def _is_merged(there: Repository, name: str, new: str) -> bool:
    """Whether somebody's edit of a file is the very one that comes, apart from outputs."""
    wanted = there.read(new, name)
    try:
        content = (there.top / name).read_bytes()
    except OSError:
        return False
    if name.endswith(".ipynb"):
        with suppress(NotANotebook):
            content = cleaned_bytes(content)
    return wanted is not None and content == wanted


def _take_over_merged(there: Repository, old: str, new: str) -> None:
    """Tell the index of files that are as they will be, so that git has nothing to write there."""
    names = [name for name in _touched_edits(there, old, new) if _is_merged(there, name, new)]
    if names:
        listed = there.git.run("ls-tree", "-r", "-z", new, "--", *names)
        there.git.run("update-index", "-z", "--index-info", input=listed)


def _bring_along(repository: Repository, folder: Path, branch: str, old: str, new: str) -> None:
    command = ("merge", "--ff-only", "--no-autostash", "--no-verify-signatures", "--quiet", new)
    git = Git(folder, repository.git.environ)
    _take_over_merged(Repository(git, folder, repository.folder), old, new)
    if repository.commit(f"refs/heads/{branch}") == old:
        code, _, said = git.call(*command)
        if code == 0:
            return
        if any(sign in said for sign in _IN_THE_WAY):
            names = tuple(line.strip() for line in said.splitlines() if line.startswith("\t"))
            raise _in_the_way(branch, folder, names)
        if repository.commit(f"refs/heads/{branch}") == old:
            raise GitFailed(command, code, said)
    raise ConflictError(
        "branch-moved",
        f"{branch} was changed by somebody else meanwhile",
        place=branch,
        hint="run the same command again",
    )


def _in_the_way(branch: str, folder: Path, names: tuple[str, ...]) -> UsageError:
    what = f"changes of {', '.join(names[:5])}" if names else "a merge or rebase that goes on"
    return UsageError(
        "dirty",
        f"{branch} is checked out in {folder}, and {what} would be lost",
        place=str(folder),
        hint="commit or stash the changes there, or finish what goes on, and try again",
        details={"files": list(names)},
    )
