"""`octavo skill install` and `octavo skill show`: a page that teaches agents the workflow."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from octavo.errors import UsageError
from octavo.repository.changes import content_of
from octavo.requests import Request, argument, option
from octavo.surfaces.installing.planning import (
    InstallContext,
    Installed,
    Plan,
    chosen,
    real,
    refuse_none,
    remove_empty,
)
from octavo.value import Value

NAME = "octavo"
PAGE = "SKILL.md"


class SkillInstallRequest(Request):
    """Which agents are to know the skill, or to forget it."""

    claude: bool = option("--claude", help="for Claude Code", default=False)
    codex: bool = option("--codex", help="for Codex", default=False)
    hermes: bool = option("--hermes", help="for Hermes", default=False)
    folder: str | None = option(
        "--dir", help="into this folder of skills; .claude/skills is a project's own", metavar="DIR"
    )
    dry_run: bool = option("--dry-run", help="show every change, make none", default=False)
    replace_changed: bool = option(
        "--replace", help="also overwrite pages that somebody wrote or changed", default=False
    )
    undo: bool = option("--undo", help="take back what was installed", default=False)


class SkillShowRequest(Request):
    """Which page of the skill."""

    page: str = argument("SKILL.md, or another page of it", metavar="PAGE", default=PAGE)


class SkillPage(Value):
    """A page of the skill, and what others there are."""

    page: str
    text: str
    others: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {**self.to_dict(), "others": list(self.others)}


async def skill_install(request: SkillInstallRequest, context: InstallContext) -> Installed:
    """Write the skill to where each agent looks for it; a second call finds nothing to do."""
    folders = [each.skills(context.environ) for each in chosen(request)]
    if request.folder is not None:
        folders.append(Path(context.cwd, request.folder).absolute())
    if not folders:
        raise refuse_none("skill install", "--dir DIR")
    plan = Plan(context.environ, undo=request.undo)
    for folder in folders:
        if request.undo:
            _unplan(plan, folder / NAME)
        else:
            _plan(plan, folder / NAME, replace=request.replace_changed)
    done = plan.result(dry_run=request.dry_run, next="start the agent anew: it reads skills once")
    if request.undo and not request.dry_run:
        remove_empty([each / NAME / "references" for each in folders])
        remove_empty([each / NAME for each in folders])
    return done


async def skill_show(request: SkillShowRequest, context: InstallContext) -> SkillPage:
    """A page of the skill as it would be installed."""
    known = pages()
    if request.page not in known:
        raise UsageError(
            "wrong-argument",
            f"the skill has no page {request.page!r}",
            place="octavo skill show",
            hint=f"it has {', '.join(known)}",
        )
    others = tuple(name for name in known if name != request.page)
    return SkillPage(request.page, known[request.page].decode(), others)


def pages() -> dict[str, bytes]:
    """The files of the skill, the one that is read first at the front."""
    root = files("octavo.surfaces.installing") / "skill"
    more = sorted(each.name for each in (root / "references").iterdir())
    names = [PAGE, *(f"references/{name}" for name in more if name.endswith(".md"))]
    return {name: (root / name).read_bytes() for name in names}


def _plan(plan: Plan, folder: Path, *, replace: bool) -> None:
    for name, content in pages().items():
        path = real(folder / name)
        before = content_of(path)
        noted = plan.memory.of(path)
        foreign = before not in (None, content) and not (noted and noted.is_as_left(before))
        if foreign and not replace:
            raise UsageError(
                "output-exists",
                "somebody wrote or changed this page; nothing has been written",
                place=str(path),
                hint="--replace overwrites it (--undo brings it back), --dry-run --replace shows",
            )
        plan.change(path, before, content)


def _unplan(plan: Plan, folder: Path) -> None:
    for name in pages():
        path = real(folder / name)
        noted, now = plan.memory.of(path), content_of(path)
        if noted is None:
            if now is not None:
                plan.notes.append(f"{path} was not written by `skill install`: it stays")
            continue
        if noted.is_as_left(now):
            plan.change(path, now, noted.before(now))
        elif now is not None:
            plan.notes.append(f"{path} was changed since: it stays")
        plan.settled(path)
