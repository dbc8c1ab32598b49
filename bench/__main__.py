"""The command line of the benchmark: `python -m bench`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from bench import kept
from bench.cases import FULL, QUICK, Case, all_cases
from bench.checking import NBVAL
from bench.diffing import NBDIME
from bench.environments import Environments, Unavailable
from bench.page import as_page
from bench.processes import Disturbance, become_subreaper
from bench.report import CaseReport, Facts, Report, case_report
from bench.rounds import measure, warm_up
from bench.snapshots import KISHU, OCTAVO_BACK
from bench.terminal import case_text, facts_text, summary_text
from bench.tools import OURS as OUR_RUNNERS
from bench.tools import PEERS as RUNNERS
from bench.tools import Tool
from bench.track import Track

OURS = (*OUR_RUNNERS, OCTAVO_BACK)
PEERS = (*RUNNERS, NBDIME, NBVAL, KISHU)
PROJECT = Path(__file__).resolve().parent.parent
PAGE = PROJECT / "docs" / "performance.md"
FIGURES = PROJECT / "bench" / "figures.json"


def main(words: Sequence[str] | None = None) -> int:
    """0 if every target is met, 1 if not, 2 for wrong use."""
    options = _parser().parse_args(words)
    cases = _chosen(options)
    if options.write and (options.quick or options.peers != _all_peers()):
        print("--write takes whole cases: no --quick, no --peers", file=sys.stderr)
        return 2
    become_subreaper()
    with tempfile.TemporaryDirectory(prefix="octavo-bench-", ignore_cleanup_errors=True) as scratch:
        report = _measured(cases, Path(scratch), quick=options.quick)
    print(summary_text(report))
    print(facts_text(report.facts))
    if options.json:
        options.json.write_text(json.dumps(asdict(report), indent=2) + "\n")
    if options.write:
        _write(report)
    return 0 if report.all_met else 1


def _write(report: Report) -> None:
    """The figures that are kept, and the page that is made from them."""
    names = [case.name for case in all_cases(FULL)]
    figures = kept.renewed(kept.read(FIGURES), report, names)
    kept.write(FIGURES, figures)
    PAGE.write_text(as_page([*figures.values()]))


def _parser() -> argparse.ArgumentParser:
    names = ", ".join(case.name for case in all_cases(FULL))
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="Octavo and its peers, side by side in one run.",
        epilog=f"Cases: {names}.",
    )
    parser.add_argument("--only", metavar="CASE", action="append", help="this case; repeatable")
    parser.add_argument("--quick", action="store_true", help="less work and fewer rounds")
    parser.add_argument("--peers", metavar="A,B", default=_all_peers(), help="default: %(default)s")
    parser.add_argument("--json", metavar="FILE", type=Path, help="all figures, for machines")
    parser.add_argument(
        "--write",
        action="store_true",
        help="write docs/performance.md; with --only, those cases in it",
    )
    return parser


def _all_peers() -> str:
    return ",".join(peer.name for peer in PEERS)


def _chosen(options: argparse.Namespace) -> list[Case]:
    peers = set(filter(None, options.peers.split(",")))
    if unknown := peers - {peer.name for peer in PEERS}:
        _parser().error(f"unknown peer {', '.join(sorted(unknown))}; there are {_all_peers()}")
    cases = all_cases(QUICK if options.quick else FULL)
    names = {case.name for case in cases}
    if unknown := set(options.only or ()) - names:
        _parser().error(f"unknown case {', '.join(sorted(unknown))}")
    wanted = set(options.only or names)
    ours = {tool.name for tool in OURS}
    return [case.only_with({*ours, *peers}) for case in cases if case.name in wanted]


def _measured(cases: Sequence[Case], scratch: Path, *, quick: bool) -> Report:
    started = time.monotonic()
    needed = {entrant.tool.name for case in cases for entrant in case.entrants}
    tools = [tool for tool in (*OURS, *PEERS) if tool.name in needed]
    environments = Environments(PROJECT)
    track = _built(tools, environments, scratch)
    warm_up(tools, track)
    disturbance = Disturbance()
    reports = [_told(case, track) for case in cases]
    versions = {
        tool.name: tool.version(environments) for tool in tools if tool.name in track.programs
    }
    facts = Facts(
        date=datetime.now(UTC).date().isoformat(),
        python=platform.python_version(),
        cores=os.cpu_count() or 1,
        versions={name: version for name, version in versions.items() if version},
        others=disturbance.share(),
        seconds=time.monotonic() - started,
        quick=quick,
    )
    return Report(facts, tuple(reports))


def _built(tools: Sequence[Tool], environments: Environments, scratch: Path) -> Track:
    programs: dict[str, Path] = {}
    unavailable: dict[str, str] = {}
    for tool in tools:
        _tell(f"environment of {tool.label}")
        try:
            programs[tool.name] = tool.install(environments)
        except Unavailable as error:
            unavailable[tool.name] = f"not available: {error}"
    return Track(programs, scratch, unavailable)


def _told(case: Case, track: Track) -> CaseReport:
    disturbance = Disturbance()
    results = measure(case, track, _tell)
    report = case_report(case, results, disturbance.share())
    _tell("")
    print(case_text(report), flush=True)
    return report


def _tell(text: str) -> None:
    """Progress, on one line that is written over; nothing where nobody looks."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
