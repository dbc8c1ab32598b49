"""Proposals and what became of them, for people."""

from __future__ import annotations

import os
import time
from typing import Any

from octavo.render.columns import one_line
from octavo.render.figures import counted
from octavo.render.proposals import (
    proposal_line,
    review_lines,
    run_line,
    value_change_lines,
)
from octavo.render.tables import table
from octavo.surfaces.cli.pager import Pager
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen


def proposed(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """The proposal, the runs that speak for it, and what they gave."""
    from octavo.proposals.body import scrap_changes

    style, shown, facts = out.style, result.proposal, result.to_json()
    what = "opened" if result.opened else "updated" if result.committed else "up to date"
    draft = "draft " if shown.draft else ""
    arrow = style.pick("→", "->")
    out.print(
        f"{style.sign('success')} {what} {draft}{style.paint(f'#{shown.number}', 'bold')} "
        f"{one_line(shown.title, 100)}",
        style.paint(f"  {shown.branch} {arrow} {shown.base}, {result.commit[:10]}", "dim"),
    )
    if shown.url:
        out.print(f"  {shown.url}")
    for label in ("before", "after"):
        if facts[label]:
            out.print(f"  {run_line(label, facts[label], style)}")
    out.print(*(f"    {line}" for line in value_change_lines(scrap_changes(result.facts), style)))
    if result.left_alone:
        told = counted(len(result.left_alone), "other changed file")
        names = ", ".join(one_line(name, 60) for name in result.left_alone[:3])
        more = ", …" if len(result.left_alone) > 3 else ""
        out.print(style.paint(f"  left alone: {told} ({names}{more})", "dim"))
    out.print(style.paint(f"  next    octavo review {shown.number}", "dim"))


def listing(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """Proposals, a line each."""
    if not result.proposals:
        which = "" if result.state == "all" else f"{result.state} "
        out.print(f"there are no {which}proposals; octavo propose notebook.py makes one")
        return
    now = time.time()
    lines = table([proposal_line(each, out.style, now) for each in result.proposals])
    if result.total > len(result.proposals):
        lines.append(out.style.paint(f"{result.total:,} in all; more with --limit", "dim"))
    Pager(out, os.environ, wanted=not asked.options.no_pager).print(lines)


def reviewed(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """A proposal and what was said about it."""
    lines = list(review_lines(result, out.style, out.columns))
    if result.exported:
        lines.append(f"{out.style.sign('success')} {result.exported}")
    Pager(out, os.environ, wanted=not asked.options.no_pager).print(lines)


def commented(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """That something was said, and where."""
    made = result.comment
    place = f" on {made.path}:{made.line}" if made.path else ""
    out.print(f"{out.style.sign('success')} commented on #{result.number}{place}")
    if made.url:
        out.print(f"  {made.url}")


def approved(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """The verdict that was given."""
    verdict = {"approved": "approved", "changes": "asked for changes of"}[result.review.verdict]
    at = out.style.paint(f"at {result.review.commit[:10]}", "dim")
    out.print(f"{out.style.sign('success')} {verdict} #{result.number} {at}")


def merged(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """The commit that the base is at now."""
    shown = result.proposal
    out.print(
        f"{out.style.sign('success')} merged #{shown.number} into {shown.base} "
        f"({result.method}), {result.commit[:10]}"
    )
    if result.branch_deleted:
        out.print(out.style.paint(f"  the branch {shown.branch} is deleted", "dim"))


def executed(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """How the run ended, and where the executed notebook is."""
    from octavo.render.summary import summary

    cwd = os.getcwd()
    path = asked.request.path
    out.print(
        *summary(result.result, path, style=out.style, columns=out.columns, cwd=cwd, project=cwd)
    )
    out.print(f"  output  {result.output_path}")


def committed(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """The branch and its commit."""
    what = "committed to" if result.changed else "nothing new on"
    pushed = ", pushed" if result.pushed else ""
    sign = out.style.sign("success")
    out.print(f"{sign} {what} {result.branch}, {result.commit[:10]}{pushed}")
    out.print(*(f"  {name}" for name in result.files))


def opened(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """The pull request."""
    arrow = out.style.pick("→", "->")
    number = out.style.paint(f"#{result.number}", "bold")
    out.print(
        f"{out.style.sign('success')} {number} {one_line(result.title, 100)}",
        out.style.paint(f"  {result.branch} {arrow} {result.base}", "dim"),
    )
    if result.url:
        out.print(f"  {result.url}")
