"""A check as JUnit XML: a suite for each notebook, a case for each cell, as CI servers read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from octavo.gate.reports.places import cell_details, of_findings, of_whole
from octavo.gate.verdicts import CellVerdict, CheckReport, NotebookVerdict
from octavo.render.check_words import cell_line, what_went_wrong
from octavo.render.columns import one_line
from octavo.render.places import failed_place
from octavo.value import Value

Kind = Literal["passed", "failure", "error", "skipped"]
#: What is not allowed in XML 1.0, and what no reader shows.
_FORBIDDEN = re.compile("[^\t\n\r -\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONGEST_TEXT = 10_000
_LONGEST_NAME = 300
#: Of these causes it is not the code that failed, or not for a reason that it gave itself.
_NOT_ITS_FAULT = ("timeout", "died", "limit", "interrupted")
_REASONS_OF_CODE = ("lint", "outputs", "evidence", "scraps", "cell-error")


class Case(Value):
    """One case. `text` is what is to be read when it did not pass."""

    name: str
    kind: Kind = "passed"
    type: str = ""
    message: str = ""
    text: str = ""
    seconds: float = 0.0


def junit(report: CheckReport) -> str:
    """The report as a document."""
    suites = [(verdict, list(_cases(verdict))) for verdict in report.verdicts]
    everything = [case for _, cases in suites for case in cases]
    counts = " ".join(_counts(everything)[:3])
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<testsuites name="octavo check" {counts} time="{report.duration_seconds:.3f}">',
        *(line for verdict, cases in suites for line in _suite(verdict, cases)),
        "</testsuites>",
        "",
    ]
    return "\n".join(lines)


def visible(text: str) -> str:
    """Text in which what XML does not allow is spelled out."""
    return _FORBIDDEN.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"#x{code:02X}" if code < 256 else f"#x{code:04X}"


def _suite(verdict: NotebookVerdict, cases: list[Case]) -> Iterator[str]:
    counts = " ".join(_counts(cases))
    seconds = verdict.duration_seconds or 0.0
    name, file = _attribute(verdict.label), _attribute(verdict.path)
    yield f'<testsuite name={name} file={file} {counts} time="{seconds:.3f}">'
    yield from _properties(verdict)
    for case in cases:
        yield from _case(verdict, case)
    yield "</testsuite>"


def _counts(cases: list[Case]) -> list[str]:
    names = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    told = {name: sum(case.kind == kind for case in cases) for name, kind in names.items()}
    return [f'tests="{len(cases)}"', *(f'{name}="{count}"' for name, count in told.items())]


def _properties(verdict: NotebookVerdict) -> Iterator[str]:
    """Which run it was, or which earlier one the verdict rests on."""
    if verdict.run_id is None:
        return
    name = "reused-run" if verdict.reused else "run"
    value = _attribute(verdict.run_id)
    yield f'<properties><property name="{name}" value={value}/></properties>'


def _cases(verdict: NotebookVerdict) -> Iterator[Case]:
    """The cells, then findings; a case for the whole where nothing else says how it went."""
    yield from (_of_cell(verdict, cell) for cell in verdict.cells)
    errors = [each for each in of_findings(verdict) if each.severity == "error"]
    for each in errors:
        place = f"{each.path}:{each.line}" if each.line else each.path
        text = "\n".join(filter(None, (place, each.message, each.hint)))
        yield Case(f"lint {each.rule} {each.line or ''}".strip(), "failure", each.rule,
                   each.message, text)  # fmt: skip
    failed = bool(errors) or any(cell.outcome == "failed" for cell in verdict.cells)
    if not verdict.cells or (not verdict.ok and not failed):
        yield _of_whole(verdict, failed)


def _of_cell(verdict: NotebookVerdict, cell: CellVerdict) -> Case:
    # `Cell 3` is how nbval calls it: numbers of code cells, from 0.
    named = one_line(cell.name, 80)
    called = named and not named.isdigit()
    name = f"Cell {cell.number} ({named})" if called else f"Cell {cell.number}"
    if cell.outcome == "passed":
        return Case(name, seconds=cell.duration_seconds or 0.0)
    kind: Kind = "failure"
    if cell.outcome in ("skipped", "not-run"):
        kind = "skipped"
    elif cell.cause in _NOT_ITS_FAULT:
        kind = "error"
    words = what_went_wrong(cell)
    place = failed_place(verdict.path, cell.index, cell_line(verdict.path, cell))
    text = "" if kind == "skipped" else f"{place}\n{words}\n\n{cell_details(cell)}".rstrip()
    return Case(name, kind, cell.cause or cell.outcome, words, text, cell.duration_seconds or 0.0)


def _of_whole(verdict: NotebookVerdict, failed: bool) -> Case:
    seconds = verdict.duration_seconds or 0.0
    if verdict.ok or failed:
        skipped = verdict.outcome == "skipped"
        return Case("notebook", "skipped" if skipped else "passed", "skipped" if skipped else "",
                    one_line(verdict.message, 400), seconds=seconds)  # fmt: skip
    told = of_whole(verdict)
    kind: Kind = "failure" if verdict.reason in _REASONS_OF_CODE else "error"
    text = "\n".join(filter(None, (told.path, told.details or told.message, told.hint)))
    return Case("notebook", kind, told.rule, told.message, text, seconds)


def _case(verdict: NotebookVerdict, case: Case) -> Iterator[str]:
    begin = (
        f"<testcase classname={_attribute(verdict.label)} name={_attribute(case.name)} "
        f'time="{case.seconds:.3f}"'
    )
    if case.kind == "passed":
        yield f"{begin}/>"
        return
    inner = f"type={_attribute(case.type)} message={_attribute(case.message)}"
    text = escape(visible(case.text[:_LONGEST_TEXT]))
    yield f"{begin}><{case.kind} {inner}>{text}</{case.kind}></testcase>"


def _attribute(text: str) -> str:
    return quoteattr(visible(text)[:_LONGEST_NAME])
