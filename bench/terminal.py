"""A report as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.cases import Claim, Metric
from bench.figures import Spread, Verdict
from bench.report import CaseReport, Facts, Finding, Line, Report

MARKS = {
    Verdict.MET: "✓",
    Verdict.NARROWLY: "≈",
    Verdict.MISSED: "✗",
    Verdict.FAILED: "!",
    Verdict.SHOWN: " ",
}


QUIET = 0.05
"""Others' share of the processors under which nothing needs to be said."""


def case_text(case: CaseReport) -> str:
    """One case: who took how long, and how Octavo stands to each."""
    rows = [_entrant_row(line) for line in case.lines]
    rows += [_finding_row(one) for one in case.findings if one.figure or one.judged]
    busy = f" ({disturbed(case.others)})" if case.others > QUIET else ""
    return "\n".join([f"{case.name}: {case.title}{busy}", *_aligned(rows, indent="    "), ""])


def summary_text(report: Report) -> str:
    """The targets alone."""
    rows = [["", "work", "figure", "spread", "target", "verdict"]]
    for one in report.judged:
        figure, noise = told(one)
        verdict = one.failure or one.verdict
        work = f"{one.case}: {one.claim.says}"
        rows.append([MARKS[one.verdict], work, figure, noise, target(one.claim), verdict])
    return "\n".join(["targets", *_aligned(rows, indent="    "), ""])


def facts_text(facts: Facts) -> str:
    """What was compared, in one line."""
    tools = ", ".join(f"{name} {version}" for name, version in facts.versions.items())
    size = "less work than the targets are meant for; " if facts.quick else ""
    machine = f"Python {facts.python}, {facts.cores} cores, {disturbed(facts.others)}"
    return f"{size}{tools}; {machine}; {facts.seconds:.0f} s"


def disturbed(share: float) -> str:
    """How much of the machine was not ours while we measured."""
    return f"other processes took {share:.0%} of the processors"


def told(finding: Finding) -> tuple[str, str]:
    """A finding's figure and its spread, as text."""
    if finding.figure is None:
        return "–", "–"
    claim = finding.claim
    return number(finding.figure.median, claim), between(finding.figure, claim)


def between(figure: Spread, claim: Claim) -> str:
    """The smallest and the largest value."""
    return f"{number(figure.low, claim)} – {number(figure.high, claim)}"


def target(claim: Claim) -> str:
    """What is to be reached."""
    return "" if claim.limit is None else f"≤ {number(claim.limit, claim)}"


def number(value: float, claim: Claim) -> str:
    """A claim's value in its unit; a ratio has none."""
    if claim.against is None:
        return quantity(value, claim.metric)
    return f"{value:.1f}" if value >= 10 else f"{value:.3g}" if value >= 1 else f"{value:.3f}"


def quantity(value: float, metric: Metric) -> str:
    """Seconds or megabytes, with about three digits."""
    if metric is Metric.TOLD_BYTES:
        return f"{value / 1e6:.1f} MB"
    if metric in (Metric.RUNNER, Metric.TREE):
        return f"{value / 1e6:.0f} MB"
    if value < 0.1:
        return f"{value * 1000:.1f} ms"
    return f"{value:.3f} s" if value < 1 else f"{value:.2f} s" if value < 10 else f"{value:.1f} s"


def _entrant_row(line: Line) -> list[str]:
    if line.figure is None:
        return ["", line.label, "failed", line.failure or "", "", ""]
    middle = quantity(line.figure.median, line.metric)
    low, high = (quantity(value, line.metric) for value in (line.figure.low, line.figure.high))
    return ["", line.label, middle, f"{low} – {high}", f"{line.figure.count} runs", ""]


def _finding_row(finding: Finding) -> list[str]:
    figure, noise = told(finding)
    verdict = "" if finding.verdict is Verdict.SHOWN else str(finding.verdict)
    return [
        MARKS[finding.verdict], finding.claim.says, figure, noise, target(finding.claim), verdict
    ]  # fmt: skip


def _aligned(rows: Sequence[Sequence[str]], indent: str) -> Iterator[str]:
    # The last filled cell of a row may be long (a reason): it widens no column.
    widths = [0] * max(map(len, rows), default=0)
    for row in rows:
        for column, cell in enumerate(row[: _last_filled(row)]):
            widths[column] = max(widths[column], len(cell))
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield (indent + "  ".join(cells)).rstrip()


def _last_filled(row: Sequence[str]) -> int:
    return max((column for column, cell in enumerate(row) if cell), default=0)
