"""Figures that were measured before, so that some cases can be measured without the others."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.cases import Claim, Metric
from bench.figures import Spread, Verdict
from bench.report import CaseReport, Facts, Finding, Line, Report


@dataclass(frozen=True)
class Kept:
    """A case as it was measured, and under which conditions."""

    facts: Facts
    case: CaseReport


def read(path: Path) -> dict[str, Kept]:
    """What is kept there, by the name of the case."""
    if not path.exists():
        return {}
    return {name: _kept(plain) for name, plain in json.loads(path.read_text()).items()}


def renewed(kept: dict[str, Kept], report: Report, names: Iterable[str]) -> dict[str, Kept]:
    """With the cases of a report in place of theirs, in the order of names; others are dropped."""
    fresh = {case.name: Kept(report.facts, case) for case in report.cases}
    together = {**kept, **fresh}
    return {name: together[name] for name in names if name in together}


def write(path: Path, kept: dict[str, Kept]) -> None:
    """Figures only: the samples behind them are not kept."""
    plain = {name: _plain(one) for name, one in kept.items()}
    path.write_text(json.dumps(plain, indent=1, ensure_ascii=False) + "\n")


def _plain(kept: Kept) -> dict[str, Any]:
    plain = asdict(kept)
    del plain["case"]["samples"]
    return plain


def _kept(plain: dict[str, Any]) -> Kept:
    case = plain["case"]
    lines = tuple(map(_line, case.pop("lines")))
    findings = tuple(map(_finding, case.pop("findings")))
    return Kept(
        Facts(**plain["facts"]), CaseReport(**case, lines=lines, findings=findings, samples={})
    )


def _line(plain: dict[str, Any]) -> Line:
    changed = {"metric": Metric(plain["metric"]), "figure": _spread(plain["figure"])}
    return Line(**{**plain, **changed})


def _finding(plain: dict[str, Any]) -> Finding:
    claim = Claim(**{**plain["claim"], "metric": Metric(plain["claim"]["metric"])})
    changed = {"claim": claim, "verdict": Verdict(plain["verdict"])}
    return Finding(**{**plain, **changed, "figure": _spread(plain["figure"])})


def _spread(plain: dict[str, Any] | None) -> Spread | None:
    return None if plain is None else Spread(**plain)
