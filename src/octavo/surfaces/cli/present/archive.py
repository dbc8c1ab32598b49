"""What is in the archive now, for people."""

from __future__ import annotations

from typing import Any

from octavo.render.columns import one_line
from octavo.render.figures import counted, size_text
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen

_MOST = 20


def archived(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """A line for each run, and where it is."""
    if result.pruning:
        _pruned(result, out)
    else:
        _put(result, out)
    style = out.style
    where = f"{result.branch} at {result.commit[:10]}" if result.commit else result.branch
    if result.pushed_to:
        where += f", pushed to {result.pushed_to}"
    if result.commit and not result.dry_run and not result.declined:
        out.print(style.paint(f"  {where}", "dim"))


def _put(result: Any, out: Screen) -> None:
    style = out.style
    if not result.entries and not result.pushed_to:
        out.print("nothing to archive: the check ran nothing anew")
    for entry in result.entries:
        new = "archived" if entry.run_id in result.added else "was there already:"
        ended = "" if entry.ok else style.paint(f" {entry.reason or entry.status}", "red")
        name = f"{one_line(entry.notebook, 80)} {entry.run_id[-8:]}"
        out.print(f"{style.sign('success')} {new} {name}{ended}")
        out.print(style.paint(f"    {one_line(entry.place, 200)}", "dim"))
        if entry.artifacts:
            told = counted(len(entry.artifacts), "file or output", "files or outputs")
            out.print(style.paint(f"    {told} too large for git, in the artifact store", "dim"))


def _pruned(result: Any, out: Screen) -> None:
    if not result.pruned:
        out.print("nothing to delete: every run is to be kept")
        return
    number = counted(len(result.pruned), "run")
    if result.declined:
        out.print("nothing was deleted")
    elif result.dry_run:
        out.print(f"would delete {number} ({size_text(result.freed)}) from {result.branch}:")
        out.print(*(f"  {one_line(each.place, 200)}" for each in result.pruned[:_MOST]))
        if len(result.pruned) > _MOST:
            out.print(f"  and {len(result.pruned) - _MOST:,} more")
    else:
        sign = out.style.sign("success")
        out.print(f"{sign} deleted {number} ({size_text(result.freed)}) from {result.branch}")
