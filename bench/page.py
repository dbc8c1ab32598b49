"""`docs/performance.md`: the whole page is made from reports, so its figures are measured ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bench.figures import Verdict
from bench.kept import Kept
from bench.report import CaseReport, Facts, Finding
from bench.terminal import QUIET, disturbed, quantity, target, told
from bench.tools import PYTHON

INTRODUCTION = """\
# Performance

<!-- Written by `python -m bench --write`. Change bench/page.py, not this file. -->

How fast Octavo runs and compares notebooks, next to the tools that people use today. `make bench`
measures all of it again, side by side on your machine; absolute times will differ there, ratios
much less.
"""

METHOD = """\
## How it is measured

- **The whole command counts**, from the start of the process to its end, as a person or a scheduler
  would call it: `octavo run notebook.py`, `papermill notebook.ipynb out/notebook.ipynb`,
  `jupyter execute notebook.ipynb --output=out/notebook.ipynb` (nbclient),
  `ploomber-engine notebook.ipynb out/notebook.ipynb`. `python notebook.py` runs the same cells as a
  script, without notebook, outputs or record: it is the floor, not a competitor.
- **Octavo does all of its work in that time**: every event goes to the journal before anything else
  happens with it, and the executed notebook, the record and a copy of the source are written.
- **Cold** means that no process of Octavo's is alive when the command starts. The benchmark adopts
  every process that a command leaves behind, so it knows; a run that leaves one fails. File caches
  are warm for everybody: each tool has one run that does not count.
- **Resident** means that `octavo warm` was called before. Starting the zygote is not part of the
  figure.
- **Everybody is installed alike**: an environment of its own for each, made of the same
  interpreter, with compiled bytecode; for Octavo the core without extras, not editable. Every
  command has the same few environment variables, a home of the benchmark's own, and a fresh folder.
- **In turns**: contestants alternate in rounds, and each round starts with another one. A ratio
  compares runs of the same round only, so that a slow minute of the machine slows both sides.
  Cases in which somebody takes half a minute get fewer rounds, and in each of them Octavo runs
  more than once.
- **Noise is shown**: "spread" is the smallest and the largest value, over all runs for a time, over
  all pairs within a round for a ratio. The median decides whether a target is met; if the spread
  reaches over the target, the verdict says so.
- **A figure counts only if the job was done**: exit code 0, every cell's output compared with what
  the cell must print, and for Octavo a journal beside it. Otherwise there is a reason in place of a
  figure.
- **Memory** is sampled in runs of its own, every 10 ms: the peak of the command's own process, and
  the largest sum over all of its processes (which counts pages that they share more than once).
  Processor time is that of the process and the children that it waited for.
- **Comparing**: `octavo diff old.ipynb new.ipynb`, also with `--json`, and
  `nbdiff old.ipynb new.ipynb --out found.json` (nbdime). Cells have no ids, every output and ten
  sources differ. What was found is applied to the old notebook and must give the new one. nbdime
  is waited for only so long; where it gave up, a ratio takes it to have ended just then.
- **Sessions and going back** are measured from within: a process is started once, and tells how
  long one of its many steps took. `jupyter_client` calls `execute_interactive` on a kernel of
  ipykernel; Kishu goes back in an IPython shell without messages. Memory is what the session's own
  processes share with nobody (its host, the keeper, the kernel and its copies).
- **Output over the cap** (10 MB for one cell) stays whole in a file of Octavo's record; the
  notebook keeps head and tail. nbclient keeps all of it in the notebook. Of the two cases of
  growing output, one meets the cap and the other does not.
"""


def as_page(kept: Sequence[Kept]) -> str:
    """The page, whole."""
    cases = [one.case for one in kept]
    parts = [
        INTRODUCTION,
        _targets(cases),
        _losses(cases),
        *map(_case, cases),
        METHOD,
        _conditions(kept),
    ]
    return "\n".join(parts)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; bars within cells are escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(map(_escaped, line)) + " |\n" for line in lines)


def _targets(cases: Sequence[CaseReport]) -> str:
    header = ("work", "figure", "spread", "target", "verdict")
    rows = [
        (
            f"{one.title}: {one.claim.says}",
            *told(one),
            target(one.claim),
            one.failure or one.verdict,
        )
        for case in cases
        for one in case.findings
        if one.judged
    ]
    return "## What was to be reached\n\n" + table(header, rows)


def _losses(cases: Sequence[CaseReport]) -> str:
    told_losses = [f"- {loss}\n" for loss in _each_loss(cases)]
    none = "- Every target was met, and no peer was faster in any case.\n"
    return "## Where Octavo loses\n\n" + ("".join(told_losses) or none)


def _each_loss(cases: Sequence[CaseReport]) -> Iterator[str]:
    for one in (finding for case in cases for finding in case.findings):
        figure, noise = told(one)
        if one.verdict is Verdict.FAILED and one.judged:
            yield f"{one.title}: {one.claim.says} could not be measured ({one.failure})."
        elif one.verdict is Verdict.MISSED:
            missed = f"{figure} ({noise}), target {target(one.claim)}"
            yield f"{one.title}: {one.claim.says} is {missed}."
        elif _is_slower(one):
            floor = " (the floor)" if one.claim.against == PYTHON.label else ""
            yield f"{one.title}: {figure} times the time of {one.claim.against}{floor}."


def _is_slower(finding: Finding) -> bool:
    beaten_by = finding.claim.against
    is_growth = beaten_by is not None and beaten_by.startswith("octavo")
    if finding.figure is None or beaten_by is None or is_growth:
        return False
    return finding.figure.median > 1


def _case(case: CaseReport) -> str:
    rows = [
        (line.label, "failed", line.failure or "", "0")
        if line.figure is None
        else (
            line.label,
            quantity(line.figure.median, line.metric),
            f"{quantity(line.figure.low, line.metric)} – {quantity(line.figure.high, line.metric)}",
            str(line.figure.count),
        )
        for line in case.lines
    ]
    busy = f"{disturbed(case.others).capitalize()} meanwhile.\n\n" if case.others > QUIET else ""
    findings = [(one.claim.says, *told(one), target(one.claim)) for one in case.findings]
    return (
        f"## {case.title[0].upper()}{case.title[1:]}\n\n{busy}"
        + table(("who", "median", "spread", "runs"), rows)
        + "\n"
        + table(("figure", "median", "spread", "target"), findings)
    )


def _conditions(kept: Sequence[Kept]) -> str:
    """When and on what; cases that were measured together are told together."""
    together: dict[str, list[str]] = {}
    for one in kept:
        together.setdefault(_told_facts(one.facts), []).append(one.case.name)
    lines = [f"- {', '.join(names)}: {facts}.\n" for facts, names in together.items()]
    return "## Conditions of these figures\n\n" + "".join(lines)


def _told_facts(facts: Facts) -> str:
    tools = ", ".join(f"{name} {version}" for name, version in facts.versions.items())
    return (
        f"{facts.date}; {tools}; Python {facts.python} on Linux, {facts.cores} cores; "
        f"{disturbed(facts.others)} meanwhile; it took {facts.seconds:.0f} s"
    )


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")
