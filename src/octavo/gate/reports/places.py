"""What in a check did not pass, each with its place in a file: what programs mark lines with."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from octavo.gate.verdicts import CellVerdict, CheckReport, Difference, NotebookVerdict, Severity
from octavo.render.check_words import (
    cell_line,
    cell_name,
    difference_lines,
    failed_cells,
    traceback_end,
    what_went_wrong,
    without_colours,
)
from octavo.render.columns import one_line, plain
from octavo.render.figures import counted
from octavo.value import Value

_TRACEBACK = 30
_DIFF = 30
_MOST_DIFFERENCES = 5
_WIDEST = 400
_LONGEST_DETAIL = 8000

#: What it means that a cell, or a whole notebook, has a problem of this kind.
RULES = {
    "cell-error": "A cell raised an error",
    "cell-output": "The output of a cell is not that of the reference",
    "cell-timeout": "A cell took too long",
    "cell-died": "The kernel died in a cell",
    "cell-limit": "A cell went over a limit",
    "cell-interrupted": "A cell was interrupted",
    "notebook": "A notebook did not pass",
}
_ACCEPT = "if it is right, accept it: the same check with --update"


class Problem(Value):
    """One thing to be looked at. `name` is what it is about, `details` may have many lines."""

    rule: str
    severity: Severity
    path: str
    line: int | None
    name: str
    message: str
    details: str = ""
    hint: str = ""
    values: str = ""


def problems(report: CheckReport) -> list[Problem]:
    """All that a report has, the gravest first; else in the order of the paths."""
    found = [each for verdict in report.verdicts for each in of_notebook(verdict)]
    ranks = ("error", "warning", "note")
    return sorted(found, key=lambda each: ranks.index(each.severity))


def of_notebook(verdict: NotebookVerdict) -> Iterator[Problem]:
    """Cells that failed, findings, and what is wrong with the notebook as a whole."""
    bad = failed_cells(verdict)
    yield from (of_cell(verdict, cell) for cell in bad)
    yield from of_findings(verdict)
    told = bad or any(each.severity == "error" for each in verdict.findings)
    if not verdict.ok and not told:
        yield of_whole(verdict)


def of_cell(verdict: NotebookVerdict, cell: CellVerdict) -> Problem:
    """A cell that failed."""
    return Problem(
        rule=f"cell-{cell.cause or 'error'}",
        severity="error",
        path=verdict.path,
        line=cell_line(verdict.path, cell),
        name=cell_name(cell),
        message=what_went_wrong(cell),
        details=cell_details(cell),
        hint=_ACCEPT if cell.cause == "output" else "",
        values=one_line(verdict.values, 80),
    )


def of_findings(verdict: NotebookVerdict) -> Iterator[Problem]:
    """What was seen without running the notebook."""
    for each in verdict.findings:
        yield Problem(
            rule=each.rule,
            severity=each.severity,
            path=each.path,
            line=None if each.path.endswith(".ipynb") else each.line,
            name=each.rule if each.cell is None else f"cell {each.cell}",
            message=one_line(each.message, 400),
            hint=one_line(each.hint, 400),
            values=one_line(verdict.values, 80),
        )


def of_whole(verdict: NotebookVerdict) -> Problem:
    """A notebook that did not pass for a reason that no cell or line stands for."""
    words = plain(verdict.message) or verdict.reason or verdict.outcome
    return Problem(
        rule=one_line(verdict.reason, 60) or "notebook",
        severity="error",
        path=verdict.path,
        line=None,
        name="notebook",
        message=one_line(words, 400),
        details=words[:_LONGEST_DETAIL] if "\n" in words else "",
        hint=one_line(verdict.hint, 400),
        values=one_line(verdict.values, 80),
    )


def address(path: str) -> str:
    """A path as a relative address; names that are no text keep their bytes."""
    try:
        named = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        named = path.encode("utf-8", "replace")
    return quote(named, safe="/")


def cell_details(cell: CellVerdict) -> str:
    """The differences and the end of the traceback of a cell, bounded."""
    parts = ["\n".join(difference_text(each)) for each in cell.differences[:_MOST_DIFFERENCES]]
    more = len(cell.differences) - len(parts)
    if more > 0:
        parts.append(f"… {more} more")
    parts.append(without_colours("\n".join(traceback_end(cell.traceback, _TRACEBACK))))
    text = "\n\n".join(filter(None, parts))
    return text if len(text) <= _LONGEST_DETAIL else f"{text[:_LONGEST_DETAIL]}\n…"


def difference_text(difference: Difference, most: int = _DIFF) -> Iterator[str]:
    """A small diff: what differs, files of images, and the lines of both sides."""
    yield one_line(": ".join(filter(None, (difference.key, difference.message))), _WIDEST)
    for label, name in (("expected", difference.expected_file), ("got", difference.got_file)):
        if name:
            yield f"{label}: {one_line(name, _WIDEST)}"
    lines, more = difference_lines(difference, most, _WIDEST)
    yield from (f"{line.sign} {line.text}".rstrip() for line in lines)
    if more:
        yield f"… {counted(more, 'more line')}"
