"""Archiving that nobody asks for by itself: after a run, after a merge.

The run or the merge is done by then. That it could not be archived is told, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path

from octavo.archive.branch import Branch
from octavo.archive.context import ArchiveContext
from octavo.archive.layout import name_of
from octavo.archive.operation import Place, archived, place_for
from octavo.errors import OctavoError
from octavo.git.repository import Repository
from octavo.notebook.formats import is_notebook_name
from octavo.records.heads import read_head
from octavo.records.result import RunResult
from octavo.records.run_dir import RunDir
from octavo.runs.context import Said

#: So many of the newest runs are looked at for those of what was merged.
_NEWEST = 200


def after_run(results: Sequence[RunResult], context: ArchiveContext) -> None:
    """Archive runs that have just ended, but for those that somebody interrupted."""
    ended = [each for each in results if each.reason != "interrupted"]
    _archive([RunDir(Path(each.record_path).parent) for each in ended], context)


def after_merge(repository: Repository, before: str, commit: str, context: ArchiveContext) -> None:
    """Archive the newest good run of every notebook that a merge changed, where there is one."""
    try:
        changed = _changed(repository, before, commit)
        runs = list(_runs_of(changed, repository, context))
    except (OctavoError, OSError) as error:
        context.emit(Said(f"not archived: {error}"))
        return
    _archive(runs, context)


def _archive(runs: Sequence[RunDir], context: ArchiveContext) -> None:
    if not runs:
        return
    place: Place | None = None
    try:
        place = place_for(context)
        done = archived(runs, place, context, push=context.settings.archive_push)
    except OctavoError as error:
        what = "not archived"
        if place is not None and _are_on(place.branch, runs):
            what = f"archived on {place.branch.name}, but not pushed"
        context.emit(Said(f"{what}: {error.message}; {error.hint}"))
    except (OSError, ValueError) as error:
        context.emit(Said(f"not archived: {error}"))
    else:
        pushed = f", pushed to {done.pushed_to}" if done.pushed_to else ""
        context.emit(Said(f"archived on {done.branch}{pushed}"))


def _are_on(branch: Branch, runs: Sequence[RunDir]) -> bool:
    """Whether runs got onto the branch before something went wrong."""
    known = {place.rpartition("/")[2] for place in branch.runs(branch.here())}
    return all(run.run_id in known for run in runs)


def _changed(repository: Repository, before: str, commit: str) -> dict[str, str]:
    """The notebooks that a merge changed, with the hashes of their new sources."""
    names = repository.git.lines(
        "diff", "--name-only", "--no-renames", "--diff-filter=d", "-z", before, commit
    )
    contents = {name: repository.read(commit, name) for name in names if is_notebook_name(name)}
    return {name: sha256(text).hexdigest() for name, text in contents.items() if text is not None}


def _runs_of(
    changed: Mapping[str, str], repository: Repository, context: ArchiveContext
) -> Iterator[RunDir]:
    wanted = dict(changed)
    for run in islice(context.store(context.cwd).runs(), _NEWEST) if wanted else ():
        head = read_head(run.path) or {}
        source = head.get("source")
        if head.get("status") != "success" or not isinstance(source, dict):
            continue
        name = name_of(source.get("path"), repository)
        if wanted.get(name) == source.get("sha256"):
            del wanted[name]
            yield run
