"""`octavo init`: a repository in which notebooks are reviewed like code, or all of a user's."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from octavo.authoring.pairs import scripts_in
from octavo.errors import UsageError
from octavo.git.program import Git
from octavo.git.repository import Repository
from octavo.repository import attributes
from octavo.repository.blocks import bytes_of, text_of, with_block
from octavo.repository.changes import (
    Change,
    ConfigChange,
    FileChange,
    Planned,
    content_of,
    file_change,
)
from octavo.repository.context import RepositoryContext
from octavo.repository.existing import Sources, kept_notes, sources_of
from octavo.repository.files import plan_files
from octavo.repository.hooks import plan_hooks
from octavo.repository.launching import configuration, program_of
from octavo.repository.memory import Memory
from octavo.requests import Request, argument, option
from octavo.value import Value

LOCAL, GLOBAL = "--local", "--global"
ATTRIBUTES = ".gitattributes"


class InitRequest(Request):
    """What to set up, or to take back."""

    path: str = argument(
        "a folder of the repository (default: the current one)", metavar="PATH", default="."
    )
    dry_run: bool = option("--dry-run", help="show every change, make none", default=False)
    take_over: bool = option(
        "--replace",
        help="put Octavo in the place of nbstripout, nbdime or another set-up for notebooks",
        default=False,
    )
    undo: bool = option("--undo", help="take back what init did here", default=False)
    ci: bool = option(
        "--ci",
        help="also write workflows that check notebooks on Gitea and GitHub",
        default=False,
    )
    everywhere: bool = option(
        "--global", help="for all repositories of this user: git's own settings", default=False
    )


class InitResult(Value):
    """The changes that were made, or would be; and what else a person should know."""

    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()
    made: bool = True
    undone: bool = False
    place: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "place": self.place,
            "made": self.made,
            "undone": self.undone,
            "changes": [change.to_json() for change in self.changes],
            "notes": list(self.notes),
        }


async def init(request: InitRequest, context: RepositoryContext) -> InitResult:
    """Set up, or take back; a second call finds nothing to do."""
    folder = os.path.join(context.cwd, request.path)
    if not os.path.isdir(folder):
        raise UsageError(
            "wrong-argument", "there is no such folder", place=request.path, hint="octavo init ."
        )
    if request.everywhere:
        _refuse_workflows(request)
        return _everywhere(request, context, folder)
    repository = Repository.around(folder, context.environ)
    memory = Memory(repository.folder)
    if request.undo:
        from octavo.repository.undo import plan_undo

        planned = plan_undo(repository, memory)
    else:
        planned = plan_init(repository, context, replace=request.take_over)
        if request.ci:
            planned = _with_workflows(planned, repository, memory)
    if not request.dry_run:
        _make(planned, repository, memory, undo=request.undo)
    return _result(request, planned, str(repository.top))


def _refuse_workflows(request: InitRequest) -> None:
    if request.ci:
        raise UsageError(
            "wrong-argument",
            "--ci is for one repository, --global for all",
            place="--ci",
            hint="octavo init --ci",
        )


def _with_workflows(planned: Planned, repository: Repository, memory: Memory) -> Planned:
    from octavo.repository.workflows import plan_workflows

    changes, notes = plan_workflows(repository, memory.files())
    return Planned((*planned.changes, *changes), (*planned.notes, *notes))


def _result(request: InitRequest, planned: Planned, place: str) -> InitResult:
    return InitResult(planned.changes, planned.notes, not request.dry_run, request.undo, place)


def _make(planned: Planned, repository: Repository, memory: Memory, *, undo: bool) -> None:
    """Make the changes. What undoing needs is noted before, so that a kill loses nothing."""
    for change in planned.changes:
        change.refuse_unwritable()
    own = {
        change.name: (change.before, change.after)
        for change in planned.changes
        if isinstance(change, FileChange)
    }
    if own and not undo:
        memory.remember(own)
    planned.make()
    if undo:
        memory.forget()


def plan_init(
    repository: Repository, context: RepositoryContext, *, replace: bool = False
) -> Planned:
    """Everything that a repository lacks."""
    settings = context.settings_at(str(repository.top))
    program = program_of(context.python)
    sources = sources_of(repository, settings.notebooks)
    hooks, hook_notes = plan_hooks(repository, program)
    changes: list[Change] = [
        *plan_files(repository, settings.notebooks),
        *plan_attributes(repository, settings.notebooks, sources, replace=replace),
        *plan_configuration(repository.git, LOCAL, configuration(program)),
        *hooks,
    ]
    notes = [*kept_notes(sources.effective(), replace=replace), *hook_notes]
    return Planned(tuple(changes), tuple(notes))


def plan_attributes(
    repository: Repository, folders: Sequence[str], sources: Sources, *, replace: bool
) -> list[Change]:
    """Our block at the end of `.gitattributes`; other tools' lines where they are replaced."""
    changes: list[Change] = []
    for path, name in sources.replaceable if replace else ():
        before = content_of(path)
        after = attributes.replace_settings(text_of(before), wins=True)
        if path.name != ATTRIBUTES or path.parent != repository.top:
            changes += file_change(path, name, before, bytes_of(after))
    path = repository.top / ATTRIBUTES
    before = content_of(path)
    text = attributes.replace_settings(text_of(before)) if replace else text_of(before)
    taken = () if replace else sources.taken()
    lines = attributes.our_lines(folders, taken, alone(repository, folders))
    after = with_block(text, attributes.ABOUT, lines)
    return [*changes, *file_change(path, ATTRIBUTES, before, bytes_of(after))]


def alone(repository: Repository, folders: Sequence[str]) -> list[str]:
    """Tracked notebooks in these folders that have no text beside them."""
    there = [folder for folder in folders if (repository.top / folder).is_dir()]
    if not there:
        return []
    texts = {
        path.with_suffix("") for folder in there for path in scripts_in(repository.top / folder)
    }
    named = [f":(top,literal){folder}" for folder in there]
    tracked = repository.git.lines("ls-files", "-z", "--", *named)
    return sorted(
        name
        for name in tracked
        if name.endswith(".ipynb")
        and Path(repository.top / name).with_suffix("") not in texts
        and not set(name.split("/")[:-1]) & set(attributes.EXEMPT)
    )


def plan_configuration(git: Git, scope: str, wanted: dict[str, str]) -> list[Change]:
    """The settings of git that are missing or other than wanted."""
    changes: list[Change] = []
    for key, value in wanted.items():
        before = git.maybe("config", scope, "--get", key)
        if before != value:
            changes.append(ConfigChange(git, scope, key, before, value))
    return changes


def _everywhere(request: InitRequest, context: RepositoryContext, folder: str) -> InitResult:
    from octavo.repository.everywhere import plan_everywhere, unplan_everywhere

    git = Git(folder, context.environ)
    if request.undo:
        planned = unplan_everywhere(git, context)
    else:
        planned = plan_everywhere(git, context, replace=request.take_over)
    if not request.dry_run:
        planned.make()
    return _result(request, planned, "git config --global")
