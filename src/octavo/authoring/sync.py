"""`octavo sync`: keeps `.py` and `.ipynb` in step, in both directions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from octavo.authoring.base import Bases
from octavo.authoring.context import AuthoringContext
from octavo.authoring.files import ChangedMeanwhile
from octavo.authoring.pairs import Pair, default_paths, find_pairs
from octavo.authoring.syncing import IN_STEP, Plan, plan
from octavo.errors import ConflictError, OctavoError
from octavo.requests import Request, argument, option
from octavo.value import Value

CONFLICT = "conflict"
PROBLEM = "problem"
_ATTEMPTS = 3


class SyncRequest(Request):
    """Which notebooks to bring into step."""

    paths: tuple[str, ...] = argument(
        "text notebooks, .ipynb files or folders (default: the configured notebooks)",
        metavar="PATH",
        default=(),
    )
    check: bool = option(
        "--check", help="write nothing; fail when a file is out of step", default=False
    )
    watch: bool = option("--watch", help="go on, and sync whenever a file changes", default=False)


class SyncedFile(Value):
    """How it went with one pair.

    `status`: `in-step`, `generated` (there was no notebook), `regenerated` (from the script),
    `taken-back` (edits in the notebook are in the script now), `merged` (both), `conflict`, or
    `problem`. `wrote` are the files that were written, or would be.
    """

    script: str
    notebook: str
    status: str
    wrote: tuple[str, ...] = ()
    error: OctavoError | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "script": self.script,
            "notebook": self.notebook,
            "status": self.status,
            "wrote": list(self.wrote),
            **({"error": self.error.to_json()} if self.error else {}),
        }


class SyncResult(Value):
    """All pairs that were looked at. `checked` when nothing was to be written."""

    files: tuple[SyncedFile, ...]
    checked: bool = False

    @property
    def in_step(self) -> bool:
        """Whether every pair was in step already."""
        return all(file.status == IN_STEP for file in self.files)

    @property
    def exit_code(self) -> int:
        return 1 if self.checked and not self.in_step else 0

    def to_json(self) -> dict[str, Any]:
        return {"in_step": self.in_step, "files": [file.to_json() for file in self.files]}


async def sync(request: SyncRequest, context: AuthoringContext) -> SyncResult:
    """Bring scripts and notebooks into step. With a conflict anywhere nothing is written."""
    if request.watch and not request.check:
        from octavo.authoring.watch import watch

        return await watch(request, context)
    pairs = pairs_of(request, context)
    bases = Bases(context.project)
    if request.check:
        files = tuple(check_pair(pair, bases, context.cwd) for pair in pairs)
    else:
        plans = [plan(pair, bases) for pair in pairs]
        files = tuple(_carried_out(each, bases, context.cwd) for each in plans)
    for file in files:
        context.emit(file)
    return SyncResult(files, checked=request.check)


def pairs_of(request: SyncRequest, context: AuthoringContext) -> list[Pair]:
    """The pairs that a request names."""
    paths = request.paths or default_paths(context.settings.notebooks, context.project)
    return find_pairs(paths, context.cwd)


def check_pair(pair: Pair, bases: Bases, cwd: str) -> SyncedFile:
    """What sync would do with a pair; a conflict is a status here."""
    try:
        return _described(plan(pair, bases), cwd)
    except ConflictError as error:
        return _failed(pair, CONFLICT, error, cwd)


def sync_pair(pair: Pair, bases: Bases, cwd: str) -> SyncedFile:
    """Sync one pair; what goes wrong is told in the outcome."""
    try:
        return _carried_out(plan(pair, bases), bases, cwd)
    except ConflictError as error:
        return _failed(pair, CONFLICT, error, cwd)
    except OctavoError as error:
        return _failed(pair, PROBLEM, error, cwd)


def _carried_out(planned: Plan, bases: Bases, cwd: str) -> SyncedFile:
    """Write; when a file was changed meanwhile, look again."""
    for attempt in range(_ATTEMPTS):
        try:
            planned.carry_out(bases)
            break
        except ChangedMeanwhile:
            if attempt + 1 == _ATTEMPTS:
                raise
            planned = plan(planned.pair, bases)
    return _described(planned, cwd)


def _described(planned: Plan, cwd: str) -> SyncedFile:
    pair = planned.pair
    wrote = [
        _shown(path, cwd)
        for path, text in (
            (pair.script, planned.new_script),
            (pair.notebook, planned.new_notebook),
        )
        if text is not None
    ]
    return SyncedFile(
        _shown(pair.script, cwd), _shown(pair.notebook, cwd), planned.status, tuple(wrote)
    )


def _failed(pair: Pair, status: str, error: OctavoError, cwd: str) -> SyncedFile:
    return SyncedFile(_shown(pair.script, cwd), _shown(pair.notebook, cwd), status, (), error)


def _shown(path: Path, cwd: str) -> str:
    """A path as it is shown: relative to the current folder when it is inside."""
    relative = os.path.relpath(path, cwd)
    return str(path) if relative.startswith("..") else relative
