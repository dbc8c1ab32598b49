"""What was set up in a repository, and what is amiss with it, for people."""

from __future__ import annotations

from shlex import join
from typing import Any

from octavo.render.figures import counted
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen

_DONE = {
    "create": "created",
    "change": "changed",
    "delete": "removed",
    "set": "set",
    "unset": "removed",
}


def initialized(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """A line for each change; every line of it where nothing is made."""
    style = out.style
    for change in result.changes:
        if result.made:
            out.print(f"{style.sign('success')} {_DONE[change.what]} {change.name}")
        else:
            out.print(style.paint(f"{change.what} {change.name}", "bold"))
            out.print(*(f"  {_painted(line, style)}" for line in change.lines()))
    if not result.changes:
        out.print("there is nothing to take back" if result.undone else "everything is set up")
    for note in result.notes:
        first, *more = note.splitlines()
        out.print(f"{style.paint('note:', 'yellow')} {first}", *(f"  {line}" for line in more))
    if result.made and result.changes and not result.undone:
        out.print(_next(result))


def examined(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """What was found, with the command that mends it below; how it stands at the end."""
    style = out.style
    signs = {"ok": "success", "advice": "interrupted", "problem": "failed"}
    for title, findings in (
        (result.place or "repository", result.repository),
        ("this machine", result.machine),
    ):
        out.print(style.paint(title, "bold"))
        for each in findings:
            out.print(f"  {style.sign(signs[each.level])} {each.message}")
            if each.mend:
                out.print(f"      {style.paint(each.mend, 'cyan')}")
    number = len(result.problems)
    out.print(counted(number, "problem") if number else "no problems")


def hooked(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """What a hook did to a commit, and what stopped it; the others are quiet."""
    style = out.style
    names = ", ".join(result.wrote)
    if names and result.hook == "pre-commit":
        out.print(f"octavo: brought into step for this commit: {names}")
    elif names and result.hook == "pre-merge-commit":
        out.print(f"octavo: brought into step and staged: {names}")
        out.print("  git commit --amend --no-edit takes it into the merge")
    out.print(*(f"octavo: {note}" for note in result.notes))
    if result.error is not None:
        place = f"{result.error.place}: " if result.error.place else ""
        out.print(f"{style.paint('octavo:', 'red', 'bold')} {place}{result.error.message}")
        out.print(f"  {style.paint('hint:', 'cyan')} {result.error.hint}")


def _painted(line: str, style: Any) -> str:
    colour = {"+": "green", "-": "red"}.get(line[:1])
    return str(style.paint(line, colour) if colour else style.paint(line, "dim"))


def _next(result: Any) -> str:
    files = [change.name for change in result.changes if change.what in ("create", "change")]
    shared = [name for name in files if not name.startswith((".git/", "/"))]
    if not shared:
        return "  octavo doctor tells whether all is well"
    return f"  commit what others share: git add {join(shared)}"
