"""What every view of a check says: counts, places, and what went wrong with a cell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from octavo.notebook.diff.hunks import Line, all_lines, excerpt, line_hunks
from octavo.render.columns import one_line, plain
from octavo.render.figures import counted, duration
from octavo.value import Value

_CAUSES = {
    "error": "it raised an error",
    "output": "its output is not that of the reference",
    "timeout": "it took too long",
    "died": "the kernel died",
    "limit": "it went over a limit",
    "interrupted": "it was interrupted",
    "earlier": "not run, because of an earlier cell",
}
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)
_COLOURS = re.compile("\x1b\\[[0-9;]*m")
_FRAME = re.compile(r"(?:File |Cell In)")
_ENDINGS = ("failed", "not-run", "passed", "skipped")


#: Characters at the end of a traceback that are looked at.
_LONGEST_TRACEBACK = 100_000
#: Characters of each side of a difference that are compared.
_LONGEST_SIDE = 6000


class Tally(Value):
    """How many verdicts there are of each kind; `reused` are among those that passed."""

    all: int
    failed: int
    not_run: int
    passed: int
    skipped: int
    reused: int
    warnings: int
    noun: str


def tally(report: Any) -> Tally:
    """The counts of a report. What is checked with several sets of values counts for each."""
    verdicts = report.verdicts
    by_outcome = {name: sum(each.outcome == name for each in verdicts) for name in _ENDINGS}
    several = len({each.path for each in verdicts}) < len(verdicts)
    return Tally(
        all=len(verdicts),
        failed=by_outcome["failed"],
        not_run=by_outcome["not-run"],
        passed=by_outcome["passed"],
        skipped=by_outcome["skipped"],
        reused=sum(each.reused for each in verdicts if each.outcome == "passed"),
        warnings=sum(
            finding.severity == "warning" for each in verdicts for finding in each.findings
        ),
        noun="check" if several else "notebook",
    )


def headline(report: Any) -> str:
    """The verdict of a whole check in a few words."""
    count = tally(report)
    if not count.all:
        since = one_line(str(report.since or ""), 60)
        return f"no notebook is affected since {since}" if since else "there are no notebooks"
    if count.failed:
        return f"{_share(count.failed, count)} failed"
    if count.not_run:
        return f"{_share(count.not_run, count)} without a verdict"
    told = counted(count.passed, count.noun)
    return f"{told} passed" if count.passed else f"{counted(count.skipped, count.noun)} skipped"


def _share(part: int, count: Tally) -> str:
    whole = counted(count.all, count.noun)
    return whole if part == count.all == 1 else f"{part:,} of {whole}"


def rest(report: Any) -> list[str]:
    """What else there is to say in the line of the headline, part by part."""
    count = tally(report)
    told = [
        f"{count.passed:,} passed" if count.passed and (count.failed or count.not_run) else "",
        f"{count.reused:,} unchanged" if count.reused else "",
        f"{count.not_run:,} not run" if count.not_run and count.failed else "",
        f"{count.skipped:,} skipped" if count.skipped and count.skipped != count.all else "",
        counted(count.warnings, "warning") if count.warnings else "",
        f"{len(report.unaffected):,} not affected" if report.unaffected else "",
        f"{report.coverage:.0f}% covered" if report.coverage is not None else "",
        duration(report.duration_seconds),
    ]
    return [each for each in told if each]


def worst_first(verdicts: Sequence[Any]) -> list[Any]:
    """Those that did not pass, the failed ones first; else in their order."""
    bad = [each for each in verdicts if not each.ok]
    return sorted(bad, key=lambda each: _ENDINGS.index(each.outcome))


def cell_name(cell: Any) -> str:
    """A cell as its author calls it: `cell load`, else by its number among all cells."""
    name = one_line(cell.name, 40)
    return f"cell {name}" if name else f"cell {cell.index}"


def cell_line(path: str, cell: Any) -> int | None:
    """The line of the file that a cell's verdict is about; of a `.ipynb` nobody sees lines."""
    if path.endswith(".ipynb"):
        return None
    line = cell.failed_line or cell.line
    return int(line) if line and line > 0 else None


def what_went_wrong(cell: Any, columns: int = 200) -> str:
    """Why a cell did not pass, in one line."""
    told = [cell.message] if cell.message else [each.message for each in cell.differences]
    words = one_line("; ".join(filter(None, told)), columns)
    return words or _CAUSES.get(cell.cause, cell.outcome)


def why(verdict: Any, columns: int = 200) -> str:
    """Why a notebook did not pass, in one line."""
    bad = failed_cells(verdict)
    errors = [each for each in verdict.findings if each.severity == "error"]
    if bad:
        return what_went_wrong(bad[0], columns)
    if verdict.message or not errors:
        return one_line(verdict.message or verdict.reason or verdict.outcome, columns)
    return one_line(errors[0].message, columns)


def failed_cells(verdict: Any) -> list[Any]:
    """Cells that failed, in their order; those that never had their turn are not among them."""
    return [each for each in verdict.cells if each.outcome == "failed"]


def telling_cells(failed: Sequence[Any], most: int) -> list[Any]:
    """Of cells that failed those to show, in their order: what ended the run, the first that
    raised, the first of all, then others whose output differs.
    """
    ended = [each for each in failed if each.cause not in ("output", "error")]
    raised = [each for each in failed if each.cause == "error"]
    differ = [each for each in failed if each.differences]
    wanted = [*ended[:1], *raised[:1], *failed[:1], *differ]
    chosen = {id(each): each for each in wanted}
    return sorted(list(chosen.values())[:most], key=lambda each: int(each.index))


def not_run_cells(verdict: Any) -> list[Any]:
    return [each for each in verdict.cells if each.outcome == "not-run"]


def traceback_end(traceback: Iterable[str], most: int) -> list[str]:
    """The last lines of a traceback, with the control characters that it came with."""
    text = "\n".join(traceback).rstrip()[-_LONGEST_TRACEBACK:]
    lines = text.replace("\r\n", "\n").split("\n")
    while lines and _says_nothing(plain(lines[0]).strip()):
        lines.pop(0)
    return _authors_frames(lines)[-most:]


def _authors_frames(lines: list[str]) -> list[str]:
    """Lines without the frames of our own code, in which an interrupt arrives."""
    kept: list[str] = []
    ours = False
    for line in lines:
        shown = plain(line)
        if _FRAME.match(shown):
            ours = "octavo_runtime" in shown and shown.startswith("File ")
        elif not shown.startswith((" ", "-")) and shown.strip():
            ours = False
        if not ours:
            kept.append(line)
    return kept


def _says_nothing(line: str) -> bool:
    """Whether a line of a traceback is only its head: a rule, or that it is one."""
    return not line.strip("-") or line.endswith("Traceback (most recent call last)")


def visible(text: str) -> str:
    """Text with its control characters spelled out: two that differ in them look different."""
    return _INVISIBLE.sub(_spelled, text.replace("\r\n", "\n"))


def without_colours(text: str) -> str:
    """Text as `visible` gives it, except for colours, which are left out."""
    return visible(_COLOURS.sub("", text))


def _spelled(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 32:
        return chr(0x2400 + code)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def _cut(text: str) -> str:
    """What of one side of a difference is looked at: comparing long texts takes long."""
    kept = text[:_LONGEST_SIDE]
    return kept if kept == text else f"{kept}…"


def difference_lines(difference: Any, most: int, columns: int) -> tuple[list[Line], int]:
    """The lines of a small diff, and how many were left out."""
    old, new = (
        visible(_cut(text)) if isinstance(text, str) else None
        for text in (difference.expected, difference.got)
    )
    if old is None and new is None:
        return [], 0
    if old is None or new is None:
        hunks = [all_lines("+" if old is None else "-", str(new if old is None else old))]
    else:
        hunks = line_hunks(old, new, 1)
    lines = [line for hunk in hunks for line in hunk.lines]
    return [excerpt(line, columns) for line in lines[:most]], max(0, len(lines) - most)
