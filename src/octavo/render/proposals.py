"""Proposals for people in a terminal: what was offered, what was said, what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from octavo.render.columns import one_line, plain
from octavo.render.figures import ago, counted, duration
from octavo.render.scraps import scrap_text
from octavo.render.style import Style
from octavo.render.tables import table

_SIGNS = {"success": "success", "failure": "failed", "error": "failed", "pending": "pending"}
_VERDICTS = {"approved": "success", "changes": "failed", "comment": "pending"}


def value_change_lines(changes: Sequence[Any], style: Style) -> list[str]:
    """Values before and after, those that changed first; equal ones are left out."""
    arrow = style.pick("→", "->")
    rows = []
    for each in changes:
        if each.change == "equal":
            continue
        old = "" if each.change == "added" else scrap_text(each.a, 30)
        new = "gone" if each.change == "removed" else scrap_text(each.b, 30)
        rows.append((style.paint(one_line(each.name, 40), "cyan"), old, arrow, new))
    return table(rows)


def run_line(label: str, facts: Mapping[str, Any] | None, style: Style) -> str:
    """One of the two runs: how it ended, how long it took, and whether it was there before."""
    if facts is None:
        return ""
    took = facts["duration_seconds"]
    told = [facts["problem"] or (duration(took) if took is not None else "")]
    told.append(style.paint(f"run {facts['run_id'][-8:]}", "dim") if facts["run_id"] else "")
    told.append(style.paint("from an earlier run", "dim") if facts["reused"] else "")
    words = "  ".join(one_line(each, 100) for each in told if each)
    return f"{style.sign(facts['status'])} {label:<7}{words}"


def proposal_line(proposal: Any, style: Style, now: float) -> tuple[str, ...]:
    """A proposal as a row: number, state, title, branch, who and when."""
    from octavo.render.moments import seconds_of

    state = "draft" if proposal.draft and proposal.state == "open" else proposal.state
    colour = {"open": "green", "merged": "magenta", "closed": "red"}.get(state, "dim")
    when = seconds_of(proposal.updated)
    return (
        style.paint(f"#{proposal.number}", "bold"),
        style.paint(state, colour),
        one_line(proposal.title, 60),
        style.paint(one_line(proposal.branch, 40), "cyan"),
        one_line(proposal.author, 24),
        style.paint(ago(max(0.0, now - when)) if when else "", "dim"),
    )


def review_lines(result: Any, style: Style, columns: int) -> Iterator[str]:
    """A proposal with its findings, verdicts, statuses, and what is missing for a merge."""
    shown = result.proposal
    state = "draft" if shown.draft and shown.state == "open" else shown.state
    yield style.paint(f"#{shown.number} {one_line(shown.title, 200)}", "bold")
    arrow = style.pick("→", "->")
    about = f"{state}, {shown.branch} {arrow} {shown.base}, by {shown.author}, {shown.head[:10]}"
    yield style.paint(one_line(about, columns), "dim")
    if shown.url:
        yield style.paint(one_line(shown.url, columns), "dim")
    for status in result.statuses:
        sign = style.sign(_SIGNS.get(status.state, "pending"))
        yield f"{sign} {one_line(status.context, 40)}  {one_line(status.description, 80)}"
    for review in result.reviews:
        stale = style.paint("  (of an earlier commit)", "dim") if review.stale else ""
        words = f"  {one_line(review.body, 80)}" if review.body.strip() else ""
        sign = style.sign(_VERDICTS[review.verdict])
        yield f"{sign} {one_line(review.author, 40)}: {review.verdict}{words}{stale}"
    for finding in result.findings:
        yield ""
        yield from _finding_lines(finding, style, columns)
    if not result.findings:
        yield style.paint("no findings", "dim")
    if result.hidden:
        told = counted(result.hidden, "finding")
        yield style.paint(f"{told} resolved or outdated; --all shows them", "dim")
    yield from _missing_lines(result.mergeable, shown.number, style)


def _finding_lines(finding: Any, style: Style, columns: int) -> Iterator[str]:
    place = finding.path or "the proposal"
    if finding.line is not None:
        place += f":{finding.line}"
    cell = f", cell {finding.cell} ({finding.handle})" if finding.cell is not None else ""
    marks = [word for word in ("resolved", "outdated") if getattr(finding, word)]
    told = f" [{', '.join(marks)}]" if marks else ""
    yield f"{style.paint(one_line(place, columns), 'bold')}{cell}{style.paint(told, 'dim')}"
    if finding.text:
        bar = style.pick("│", "|")
        yield style.paint(f"  {bar} {one_line(finding.text, columns - 4)}", "dim")
    author = style.paint(f"{one_line(finding.author, 24)}:", "cyan")
    first, *rest = plain(finding.body).splitlines() or [""]
    yield f"  {author} {first}"
    yield from (f"  {line}" for line in rest)


def _missing_lines(mergeable: Any, number: int, style: Style) -> Iterator[str]:
    if mergeable is None:
        return
    yield ""
    if mergeable.allowed:
        yield f"{style.sign('success')} can be merged: octavo merge {number}"
    else:
        missing = " and ".join(mergeable.missing) or "no reason is given"
        yield f"{style.sign('pending')} cannot be merged yet; missing: {one_line(missing, 200)}"
