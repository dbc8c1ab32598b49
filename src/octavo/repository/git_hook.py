"""`octavo git-hook NAME`, which git's hooks call.

What is committed is in step; what is checked out has its `.ipynb`.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from octavo.authoring.base import Bases
from octavo.authoring.pairs import Pair, find_pairs
from octavo.authoring.syncing import GENERATED, IN_STEP, REGENERATED, plan
from octavo.errors import OctavoError, UsageError
from octavo.git.repository import Repository
from octavo.repository.context import RepositoryContext
from octavo.repository.hooks import NAMES
from octavo.repository.staged import Index, pairs_in
from octavo.repository.stepping import Step, plan_step, refuse_partial, take
from octavo.repository.unfinished import refuse_unfinished
from octavo.requests import Request, argument
from octavo.value import Value

#: Folders that are there while git works through many commits: files are made at its end.
_UNDERWAY = ("rebase-merge", "rebase-apply", "BISECT_LOG")


class GitHookRequest(Request):
    """The hook that git runs, and what git tells it."""

    name: str = argument("pre-commit, post-checkout, post-merge, post-rewrite…", metavar="HOOK")
    words: tuple[str, ...] = argument("what git gives the hook", metavar="WORD", default=())


class GitHookResult(Value):
    """What was done: files that were staged anew or written, and what to tell besides."""

    hook: str
    wrote: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    error: OctavoError | None = None

    @property
    def exit_code(self) -> int:
        return 1 if self.error else 0

    def to_json(self) -> dict[str, Any]:
        return {
            "hook": self.hook,
            "wrote": list(self.wrote),
            "notes": list(self.notes),
            **({"error": self.error.to_json()} if self.error else {}),
        }


async def git_hook(request: GitHookRequest, context: RepositoryContext) -> GitHookResult:
    """Do what a hook is for. One that runs after git's work never fails."""
    if request.name not in NAMES:
        hint = f"known are {', '.join(NAMES)}"
        raise UsageError("wrong-argument", f"no hook {request.name!r} is served", hint=hint)
    try:
        repository = Repository.around(context.cwd, context.environ)
    except UsageError:
        return GitHookResult(request.name)
    if request.name.startswith("pre-"):
        return before_commit(repository, context, request.name)
    if request.name != "post-rewrite" and _is_underway(repository):
        return GitHookResult(request.name)
    try:
        return GitHookResult(request.name, tuple(_regenerated(repository, context)))
    except (OctavoError, OSError) as error:
        return GitHookResult(request.name, notes=(f"notebooks were not made anew: {error}",))


def before_commit(
    repository: Repository, context: RepositoryContext, name: str = "pre-commit"
) -> GitHookResult:
    """Bring what is staged into step. Where a person must decide, nothing is changed."""
    folders = context.settings_at(str(repository.top)).notebooks
    index = Index(repository, context.environ)
    changed = index.changed(folders)
    if not changed:
        return GitHookResult(name)
    try:
        refuse_unfinished(repository.git, index, folders, changed)
        pairs = pairs_in(repository.git, index.entries(folders), changed)
        steps = [step for pair in pairs if (step := plan_step(repository, *pair))]
    except OctavoError as error:
        return GitHookResult(name, error=_told(error))
    if steps and not index.is_whole:
        return GitHookResult(name, error=refuse_partial(steps[0]))
    return _taken(repository, index, steps, name)


def _taken(repository: Repository, index: Index, steps: list[Step], name: str) -> GitHookResult:
    wrote: list[str] = []
    notes: list[str] = []
    bases = Bases(repository.top)
    for step in steps:
        left = take(repository, index, step)
        wrote += step.names
        _remember(repository, bases, step)
        notes += [f"{each} in the folder has other edits: run octavo sync" for each in left]
    return GitHookResult(name, tuple(wrote), tuple(notes))


def _remember(repository: Repository, bases: Bases, step: Step) -> None:
    """Where the files in the folder are in step too, later edits go on from there."""
    pair = Pair(repository.top / step.script.name, repository.top / step.notebook.name)
    with suppress(OctavoError, OSError):
        planned = plan(pair, bases)
        if planned.status == IN_STEP:
            planned.carry_out(bases)


def _told(error: OctavoError) -> OctavoError:
    """The error with the way around it."""
    error.hint = f"{error.hint}; then git add and commit again (--no-verify skips this check)"
    return error


def _regenerated(repository: Repository, context: RepositoryContext) -> list[str]:
    """Make notebooks that are missing or behind their text; the names of those files.

    One that was edited and not synced is left as it is.
    """
    top = repository.top
    folders = context.settings_at(str(top)).notebooks
    there = [str(top / folder) for folder in folders if (top / folder).exists()]
    bases = Bases(top)
    removed = _removed(repository)
    return [
        repository.name_of(pair.notebook)
        for pair in find_pairs(there, str(top))
        if _is_regenerated(pair, bases, repository.name_of(pair.notebook) in removed)
    ]


def _is_underway(repository: Repository) -> bool:
    folder = repository.git.text("rev-parse", "--path-format=absolute", "--git-dir")
    return any(Path(folder, each).exists() for each in _UNDERWAY)


def _removed(repository: Repository) -> set[str]:
    """Tracked files that a person has deleted, and not said so to git yet."""
    return set(repository.git.lines("ls-files", "--deleted", "-z"))


def _is_regenerated(pair: Pair, bases: Bases, removed: bool) -> bool:
    try:
        planned = plan(pair, bases)
        if removed or planned.status not in (IN_STEP, GENERATED, REGENERATED):
            return False
        planned.carry_out(bases)
    except (OctavoError, OSError):
        return False
    return planned.status != IN_STEP
