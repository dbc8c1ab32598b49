"""The branch of a proposal: which one it is, what is on it here and there, and what is added."""

from __future__ import annotations

from octavo.errors import ConflictError, UsageError
from octavo.git.objects import ABSENT, move_ref, no_room, wants_signatures, write_commit, write_tree
from octavo.git.repository import Repository
from octavo.git.worktrees import checked_out
from octavo.proposals.change import Change
from octavo.proposals.foreign_work import MOVED_BY_US, refuse_other_work
from octavo.proposals.naming import branch_for, refuse_bad_branch
from octavo.proposals.site import Site
from octavo.value import Value


class Target(Value):
    """A branch to commit to. `parent` is what a new commit stands on, `fork` where it left the
    base. `here` and `there` are its tips in this repository and on the remote.
    """

    branch: str
    base: str
    parent: str
    fork: str
    here: str | None
    there: str | None
    checked_out: bool = False


def target_for(site: Site, change: Change, *, branch: str, base: str, prefix: str) -> Target:
    """The branch that a change goes to.

    That is the one that was named, else the one that is checked out, else (on the base branch) one
    of the notebook's own.
    """
    repository = site.repository
    current = repository.branch()
    chosen = branch or _usual(current, base, change.name, prefix)
    refuse_bad_branch(repository.git, chosen)
    if chosen == base:
        raise UsageError(
            "wrong-argument",
            f"a proposal for {base} needs a branch of its own",
            place="--branch",
            hint=f"--branch {branch_for(change.name, prefix)}",
        )
    _refuse_elsewhere(repository, chosen)
    _refuse_no_room(repository, chosen)
    base_commit = site.base_commit(base)
    fork = _fork(repository, base_commit)
    here, there = repository.commit(f"refs/heads/{chosen}"), site.there(chosen)
    if here is not None and current == chosen:
        parent = _newest(site, change, chosen, here, there)
    else:
        parent = _parent(site, change, chosen, here, there, fork, named=bool(branch))
    if parent != fork:
        fork = repository.merge_base(parent, base_commit) or fork
    target = Target(chosen, base, parent, fork, here, there, checked_out=current == chosen)
    if not branch and here == parent and not target.checked_out:
        refuse_other_work(repository, change, chosen, parent, fork, prefix)
    return target


def _usual(current: str | None, base: str, notebook: str, prefix: str) -> str:
    if current is None:
        raise UsageError(
            "detached-head",
            "no branch is checked out",
            place="HEAD",
            hint=f"name one: --branch {branch_for(notebook, prefix)}",
        )
    return current if current != base else branch_for(notebook, prefix)


def _fork(repository: Repository, base_commit: str) -> str:
    """The newest commit of the base that the work tree is made from."""
    head = repository.head()
    if head is None:
        raise UsageError(
            "git-history",
            "the repository has no commit yet",
            place=str(repository.top),
            hint="commit something to the base branch first, and push it",
        )
    found = repository.merge_base(head, base_commit)
    if found is not None:
        return found
    if repository.is_shallow():
        raise UsageError(
            "shallow",
            "this clone is shallow: it does not know where the branch left its base",
            place=str(repository.top),
            hint="git fetch --unshallow",
        )
    raise UsageError(
        "git-history",
        "the work tree and the base branch have no history in common",
        place=str(repository.top),
        hint="name the right base: --base BRANCH",
    )


def _refuse_elsewhere(repository: Repository, branch: str) -> None:
    """A branch that somebody has checked out in another worktree is theirs."""
    for folder, ref in checked_out(repository):
        if ref == f"refs/heads/{branch}" and folder != repository.top:
            raise ConflictError(
                "branch-exists",
                f"{branch} is checked out in another worktree",
                place=str(folder),
                hint="propose from there, or use another --branch",
            )


def _refuse_no_room(repository: Repository, branch: str) -> None:
    """Git keeps branches like files: `agent` leaves no room for `agent/x`, nor that for more."""
    for other in repository.branches():
        if other.startswith(f"{branch}/") or branch.startswith(f"{other}/"):
            raise no_room(branch, other)


def _parent(
    site: Site,
    change: Change,
    branch: str,
    here: str | None,
    there: str | None,
    fork: str,
    *,
    named: bool,
) -> str:
    if here is None and there is None:
        return fork
    if here is None:
        if named:
            return str(there)
        raise ConflictError(
            "branch-exists",
            f"there is a branch {branch} already, and it was not made here",
            place=branch,
            hint=f"--branch {branch} adds to it; --branch {branch}-2 starts another one",
        )
    if _is_finished(site, branch, here, there):
        return fork
    return _newest(site, change, branch, here, there)


def _newest(site: Site, change: Change, branch: str, here: str, there: str | None) -> str:
    """The tip that has all commits, here or there."""
    if there is None or _contains(site.repository, here, there):
        return here
    # The files of a branch that is checked out would not follow.
    may_follow = site.repository.branch() != branch and _contains(site.repository, there, here)
    if may_follow and not _changed(site, change, here, there):
        return there
    raise ConflictError(
        "push-rejected",
        f"{branch} has commits on {site.remote.name if site.remote else ''} that are not here",
        place=branch,
        hint=f"git fetch, take them in (git switch {branch} && git pull), and propose again",
    )


def _is_finished(site: Site, branch: str, here: str, there: str | None) -> bool:
    """Whether what is left here is the branch of a proposal that was merged, or closed.

    One that was closed, and whose branch is on the remote still, may be gone on with.
    """
    if there not in (None, here) or site.forge.find(branch) is not None:
        return False
    return any(
        each.branch == branch and each.head == here and (there is None or each.state == "merged")
        for each in site.forge.proposals("closed")
    )


def _contains(repository: Repository, commit: str, ancestor: str) -> bool:
    return commit == ancestor or repository.git.succeeds(
        "merge-base", "--is-ancestor", ancestor, commit
    )


def _changed(site: Site, change: Change, old: str, new: str) -> bool:
    return not site.repository.git.succeeds("diff", "--quiet", old, new, "--", *change.files)


def commit_for(repository: Repository, target: Target, change: Change, message: str) -> str:
    """The commit that the branch is to be at; it is not there yet. None is made for no change."""
    tree = write_tree(repository.git, target.parent, change.files, filtered=True)
    if tree == tree_of(repository, target.parent):
        if target.parent == target.fork:
            raise UsageError(
                "nothing-to-propose",
                f"{change.name} is as it is on {target.base}",
                place=change.name,
                hint="edit the notebook first",
            )
        return target.parent
    signed = wants_signatures(repository.git)
    return write_commit(repository.git, tree, (target.parent,), message, signed=signed)


def tree_of(repository: Repository, commit: str) -> str:
    """The tree of a commit."""
    return repository.git.text("rev-parse", f"{commit}^{{tree}}")


def advance(site: Site, target: Target, commit: str, change: Change) -> None:
    """Move the branch to a commit, here and then on the remote.

    Where the branch is checked out its files are as committed already; the index is told.
    """
    repository = site.repository
    if target.here != commit:
        ref = f"refs/heads/{target.branch}"
        move_ref(repository.git, ref, commit, target.here or ABSENT, MOVED_BY_US)
    if target.checked_out:
        repository.git.run("reset", "--quiet", "--", *(f":(literal){n}" for n in change.files))
    site.push(commit, target.branch, target.there)
