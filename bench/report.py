"""What was measured, as values to present: figures for entrants, findings for claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bench.cases import Case, Claim, Entrant, Metric
from bench.figures import Rounds, Spread, Verdict, less, ratio, spread, verdict
from bench.rounds import Measured, Results


@dataclass(frozen=True)
class Line:
    """One entrant's figure, or why it has none."""

    label: str
    figure: Spread | None
    failure: str | None
    metric: Metric


@dataclass(frozen=True)
class Finding:
    """One claim's figure and verdict, or why it has none."""

    case: str
    title: str
    claim: Claim
    figure: Spread | None
    verdict: Verdict
    failure: str | None

    @property
    def judged(self) -> bool:
        return self.claim.limit is not None


@dataclass(frozen=True)
class CaseReport:
    """Everything that is told about one case; `others` used that share of the processors."""

    name: str
    title: str
    lines: tuple[Line, ...]
    findings: tuple[Finding, ...]
    others: float
    samples: Results


@dataclass(frozen=True)
class Facts:
    """What was compared, on what, and when: without this the figures say nothing."""

    date: str
    python: str
    cores: int
    versions: Mapping[str, str]
    others: float
    seconds: float
    quick: bool


@dataclass(frozen=True)
class Report:
    """One run of the benchmark."""

    facts: Facts
    cases: tuple[CaseReport, ...]

    @property
    def judged(self) -> tuple[Finding, ...]:
        """The findings that have a target, in the order of the cases."""
        return tuple(one for case in self.cases for one in case.findings if one.judged)

    @property
    def all_met(self) -> bool:
        """Every target is met, and nobody failed, judged or not."""
        if any(line.failure for case in self.cases for line in case.lines):
            return False
        return all(one.verdict in (Verdict.MET, Verdict.NARROWLY) for one in self.judged)


def case_report(case: Case, results: Results, others: float) -> CaseReport:
    """Figures and verdicts of one measured case."""
    lines = tuple(_line(case, entrant, results[entrant.label]) for entrant in case.entrants)
    findings = tuple(_finding(case, claim, results) for claim in case.claims)
    return CaseReport(case.name, case.title, lines, findings, others, results)


def _line(case: Case, entrant: Entrant, measured: Measured) -> Line:
    if measured.failure is not None:
        return Line(entrant.label, None, measured.failure, case.metric)
    figure = spread(measured.values(case.metric))
    label = entrant.label
    if entrant.patience is not None and figure.high >= entrant.patience:
        label += f" (gave up after {entrant.patience:.0f} s)"
    return Line(label, figure, None, case.metric)


def _finding(case: Case, claim: Claim, results: Results) -> Finding:
    for label in (claim.subject, claim.against, claim.less):
        if label is not None and (reason := results[label].failure) is not None:
            why = f"{label}: {reason}"
            return Finding(case.name, case.title, claim, None, Verdict.FAILED, why)
    figure = _figure(claim, results)
    judged = verdict(figure, claim.limit)
    return Finding(case.name, case.title, claim, figure, judged, None)


def _figure(claim: Claim, results: Results) -> Spread:
    def values(label: str) -> Rounds:
        whole = results[label].values(claim.metric)
        return less(whole, results[claim.less].values(claim.metric)) if claim.less else whole

    if claim.against is None:
        return spread(values(claim.subject))
    return ratio(values(claim.subject), values(claim.against))
