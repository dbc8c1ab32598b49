"""`octavo archive`: executed notebooks with their records, on a branch of their own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from octavo.archive import branch as branches
from octavo.archive.artifacts import ArtifactStore
from octavo.archive.branch import Branch
from octavo.archive.context import ArchiveContext
from octavo.archive.entries import Entry
from octavo.archive.packing import pack
from octavo.archive.pushing import Shared, no_remote
from octavo.errors import ConflictError, OctavoError, UsageError
from octavo.git.remotes import Remote, remote_of
from octavo.git.repository import Repository
from octavo.records.run_dir import RunDir
from octavo.requests import Request, argument, option
from octavo.runs.looking.listing import found_here
from octavo.value import Value

RETENTION = "What is kept"


class ArchiveRequest(Request):
    """Which runs to put on the branch; or what to take off it."""

    runs: tuple[str, ...] = argument(
        "runs (ids or parts of them, `last`, `last~1`, folders of runs)", metavar="RUN", default=()
    )
    checked: str = option(
        "--checked",
        help="the runs that a check made, from its --report",
        default="",
        metavar="PATH",
    )
    push: bool = option("--push", help="bring the branch to the remote too", default=False)
    branch: str = option(
        "--branch", help="the branch (default: archive_branch)", default="", metavar="NAME"
    )
    remote: str = option(
        "--remote", help="the remote to push to (default: origin)", default="", metavar="NAME"
    )
    rejoin: bool = option(
        "--rejoin",
        help="with --push, where somebody made the branch's history anew: go on from theirs",
        default=False,
    )
    prune: bool = option(
        "--prune", help="take old runs off the branch", default=False, group=RETENTION
    )
    keep: int | None = option(
        "--keep",
        help="keep the newest N runs of each notebook",
        metavar="N",
        group=RETENTION,
    )
    keep_days: float | None = option(
        "--keep-days", help="keep runs of the last D days", metavar="D", group=RETENTION
    )
    dry_run: bool = option(
        "--dry-run", help="only say what --prune would delete", default=False, group=RETENTION
    )
    yes: bool = option(
        "-y", "--yes", help="--prune without being asked", default=False, group=RETENTION
    )


class ArchiveResult(Value):
    """What is in the archive now. `added` are the runs that were not there before.

    `pruned` were taken off the branch, or would have been (`dry_run`, `declined`): so many bytes
    are `freed`.
    """

    branch: str
    commit: str | None
    entries: tuple[Entry, ...] = ()
    added: tuple[str, ...] = ()
    pushed_to: str | None = None
    pruned: tuple[Entry, ...] = ()
    freed: int = 0
    dry_run: bool = False
    pruning: bool = False
    declined: bool = False

    def to_json(self) -> dict[str, Any]:
        runs = [_told(entry, self.added) for entry in self.entries]
        plain: dict[str, Any] = {
            "branch": self.branch,
            "commit": self.commit,
            "pushed_to": self.pushed_to,
            "runs": runs,
        }
        if self.pruning:
            plain["pruned"] = [_told(entry, ()) for entry in self.pruned]
            plain |= {"freed_bytes": self.freed, "dry_run": self.dry_run}
            plain["declined"] = self.declined
        return plain


def _told(entry: Entry, added: Sequence[str]) -> dict[str, Any]:
    return {
        "run_id": entry.run_id,
        "notebook": entry.notebook,
        "status": entry.status,
        "path": entry.place,
        "added": entry.run_id in added,
        "artifacts": list(entry.artifacts),
    }


class Place(Value):
    """The repository, the branch and the remote that a request is about."""

    repository: Repository
    branch: Branch
    remote: Remote | None

    def shared(self, context: ArchiveContext) -> Shared:
        if self.remote is None:
            raise no_remote(self.repository)
        return Shared(self.branch, self.remote, context)


async def archive(request: ArchiveRequest, context: ArchiveContext) -> ArchiveResult:
    """Put runs on the branch of the archive, or take old ones off it."""
    _check(request)
    place = place_for(context, branch=request.branch, remote=request.remote)
    if request.prune:
        from octavo.archive.retention import prune

        return prune(request, place, context)
    if request.checked:
        return _archive_checked(request, place, context)
    only_push = request.push and not request.runs and request.rejoin
    runs = [] if only_push else [found_here(name, context) for name in request.runs or ("last",)]
    return archived(runs, place, context, push=request.push, rejoin=request.rejoin)


def _archive_checked(
    request: ArchiveRequest, place: Place, context: ArchiveContext
) -> ArchiveResult:
    """A check that had nothing to run has nothing to archive, which is no mistake."""
    from octavo.archive.checked import checked_runs

    names = (*request.runs, *checked_runs(request.checked, context.cwd))
    if not names:
        return ArchiveResult(place.branch.name, place.repository.commit(place.branch.name))
    runs = [found_here(name, context) for name in names]
    return archived(runs, place, context, push=request.push, rejoin=request.rejoin)


def archived(
    runs: Sequence[RunDir],
    place: Place,
    context: ArchiveContext,
    *,
    push: bool,
    rejoin: bool = False,
) -> ArchiveResult:
    """Put runs on the branch, and bring it to the remote if that is asked for."""
    branch = place.branch
    shared = place.shared(context) if push else None
    branch.refuse_others_work()
    store = artifact_store(context)
    largest = int(context.settings.archive_largest)
    packed = [pack(run, place.repository, store, largest) for run in runs]
    away = _joined(shared, rejoin=rejoin)
    commit, new = branches.add(branch, packed)
    if away is not None:
        raise away
    if shared is not None:
        commit = shared.push(rejoin=rejoin)
    return ArchiveResult(
        branch=branch.name,
        commit=commit,
        entries=tuple(each.entry for each in packed),
        added=tuple(each.entry.run_id for each in new),
        pushed_to=place.remote.name if push and place.remote else None,
    )


def _joined(shared: Shared | None, *, rejoin: bool) -> OctavoError | None:
    """Begin from what is on the remote. One that cannot be reached does not keep runs from being
    archived here; what is wrong with it is given back.
    """
    try:
        if shared is not None:
            shared.join(rejoin=rejoin)
    except ConflictError:
        raise
    except OctavoError as error:
        return error
    return None


def place_for(
    context: ArchiveContext,
    repository: Repository | None = None,
    *,
    branch: str = "",
    remote: str = "",
) -> Place:
    """Where the archive is: of the repository around the current folder, as configured."""
    repository = repository or Repository.around(context.cwd, context.environ)
    settings = context.settings
    shared = remote_of(repository.git, remote or settings.remote or None)
    name = branch or settings.archive_branch
    if not repository.git.succeeds("check-ref-format", "--branch", name):
        raise UsageError(
            "wrong-argument",
            f"{name!r} is no name for a branch",
            place="archive_branch",
            hint='archive_branch = "reports"',
        )
    return Place(repository, Branch(repository, name, shared.name if shared else None), shared)


def artifact_store(context: ArchiveContext) -> ArtifactStore:
    """Where things go that are too large for git."""
    name = context.settings.artifact_store
    return ArtifactStore(Path(context.project) / name, name)


def _check(request: ArchiveRequest) -> None:
    if request.prune and request.runs:
        raise UsageError(
            "wrong-argument",
            "--prune takes runs off the branch, naming runs puts them on it",
            hint="octavo archive --prune --keep 50",
        )
    pruning = (request.keep, request.keep_days) != (None, None) or request.dry_run or request.yes
    if pruning and not request.prune:
        raise UsageError(
            "wrong-argument",
            "--keep, --keep-days, --dry-run and --yes are for --prune",
            hint="octavo archive --prune --keep 50",
        )
    if request.rejoin and not request.push:
        raise UsageError(
            "wrong-argument", "--rejoin is for --push", hint="octavo archive --push --rejoin"
        )
