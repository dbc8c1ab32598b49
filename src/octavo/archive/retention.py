"""`octavo archive --prune`: old runs go off the branch, after somebody has agreed to it.

It is a new commit without them: the history of the branch still has all that was ever archived.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING

from octavo.archive.branch import Branch, changed_tree
from octavo.archive.context import ArchiveContext
from octavo.archive.entries import Entry
from octavo.archive.indexes import entries_in
from octavo.archive.layout import TOP, split
from octavo.errors import UsageError
from octavo.events.spilled import size_text
from octavo.records.identity import time_of
from octavo.render.figures import counted
from octavo.runs.context import Said
from octavo.value import Value

if TYPE_CHECKING:
    from octavo.archive.operation import ArchiveRequest, ArchiveResult, Place

_DAY = 86400.0
#: So many runs are named before the question; all of them by `--dry-run --json`.
_NAMED = 10


class Bounds(Value):
    """How many runs of a notebook are kept, and from when on; None for no bound."""

    keep: int | None
    since: float | None

    def spares(self, rank: int, run_id: str) -> bool:
        """Whether the run of a rank (0 is the newest) is within the bounds."""
        by_count = self.keep is None or rank < self.keep
        return by_count and (self.since is None or (time_of(run_id) or 0.0) >= self.since)


def prune(request: ArchiveRequest, place: Place, context: ArchiveContext) -> ArchiveResult:
    """Take the runs off the branch that are beyond the bounds, if whoever is there agrees."""
    from octavo.archive.operation import ArchiveResult

    bounds = _bounds(request, context)
    branch = place.branch
    branch.refuse_others_work()
    shared = place.shared(context) if request.push else None
    if shared is not None:
        shared.join(rejoin=request.rejoin)
    tip = branch.base()
    gone = beyond(branch, tip, bounds)
    pruned = tuple(entries_in(branch.git, gone))
    freed = _size(branch, tip, gone)
    told = ArchiveResult(
        branch.name, tip, pruned=pruned, freed=freed, dry_run=request.dry_run, pruning=True
    )
    if request.dry_run:
        return told
    if gone and not _agreed(request, context, pruned, freed, branch.name):
        return told.replace(declined=True)
    if gone:
        told = told.replace(commit=_without(branch, list(gone)))
    if shared is None:
        return told
    # Also where nothing is to go: a command that was cut off had not come so far.
    pushed = shared.push(rejoin=request.rejoin)
    return told.replace(commit=pushed, pushed_to=place.remote.name if place.remote else None)


def _bounds(request: ArchiveRequest, context: ArchiveContext) -> Bounds:
    settings = context.settings
    keep = request.keep if request.keep is not None else int(settings.archive_keep) or None
    days = request.keep_days if request.keep_days is not None else settings.archive_keep_days
    if keep is None and not days:
        raise UsageError(
            "wrong-argument",
            "--prune is not told what to keep",
            hint="--keep 50, --keep-days 90, or archive_keep and archive_keep_days in octavo.toml",
        )
    if keep is not None and keep < 1:
        raise UsageError(
            "wrong-argument",
            f"--keep {keep}: at least the newest run of a notebook is kept",
            hint="to be rid of all of them: git branch -D, and delete it on the remote",
        )
    if days < 0 or days != days:
        raise UsageError("wrong-argument", f"--keep-days {days:g}: not a number of days",
                         hint="--keep-days 90")  # fmt: skip
    return Bounds(keep, time.time() - days * _DAY if days else None)


def beyond(branch: Branch, tip: str | None, bounds: Bounds) -> dict[str, str]:
    """The runs that are not kept, with their objects, notebook by notebook, the newest first."""
    found: dict[str, str] = {}
    for runs in _by_notebook(branch.runs(tip)):
        out = [
            place
            for rank, place in enumerate(runs)
            if not bounds.spares(rank, place.rpartition("/")[2])
        ]
        spared = _newest_success(branch, runs) if out else None
        found |= {place: runs[place] for place in out if place != spared}
    return found


def _by_notebook(places: Mapping[str, str]) -> Iterator[dict[str, str]]:
    known = sorted((parts, place) for place in places if (parts := split(place)))
    for _, group in groupby(known, lambda each: each[0][0]):
        ordered = sorted(group, key=lambda each: each[0][2], reverse=True)
        yield {place: places[place] for _, place in ordered}


def _newest_success(branch: Branch, runs: Mapping[str, str]) -> str | None:
    """The run that shows last that the notebook works: it is kept whatever its age."""
    places = list(runs)
    for start in range(0, len(places), 100):
        part = {place: runs[place] for place in places[start : start + 100]}
        for place, entry in zip(part, entries_in(branch.git, part), strict=True):
            if entry.ok:
                return place
    return None


def _size(branch: Branch, tip: str | None, places: Collection[str]) -> int:
    """The bytes of all files in folders of runs; git keeps them compressed."""
    if tip is None or not places:
        return 0
    total = 0
    for line in branch.git.lines("ls-tree", "-r", "-l", "-z", tip, "--", TOP):
        about, _, name = line.partition("\t")
        size = about.split()[-1]
        if _place_above(name) in places and size.isdecimal():
            total += int(size)
    return total


def _place_above(name: str) -> str:
    """The folder of a run that a file lies in; files of runs are at most one folder down."""
    above = name.rpartition("/")[0]
    return above if split(above) else above.rpartition("/")[0]


def _agreed(
    request: ArchiveRequest,
    context: ArchiveContext,
    pruned: tuple[Entry, ...],
    freed: int,
    branch: str,
) -> bool:
    if request.yes:
        return True
    question = f"delete {counted(len(pruned), 'run')} ({size_text(freed)}) from {branch}?"
    if context.ask is None:
        raise UsageError(
            "wrong-argument",
            f"nobody is there to agree: {question}",
            place="--prune",
            hint="--yes agrees, --dry-run shows what it would be",
        )
    for entry in pruned[:_NAMED]:
        context.emit(Said(f"  {entry.place}"))
    if len(pruned) > _NAMED:
        context.emit(Said(f"  and {len(pruned) - _NAMED:,} more"))
    return context.ask(question)


def _without(branch: Branch, places: list[str]) -> str | None:
    def made(base: str | None) -> tuple[str, str] | None:
        there = branch.runs(base)
        gone = [place for place in places if place in there]
        if not gone:
            return None
        tree = changed_tree(branch.git, base, {}, gone)
        return tree, f"Drop {counted(len(gone), 'run')}\n\n{_listed(gone)}"

    return branch.change(made)


def _listed(places: list[str]) -> str:
    return "".join(f"run {place.rpartition('/')[2]}\n" for place in places[:100])
