"""A check in a terminal: what failed first, then what passed, then the sum of it.

Text of notebooks stands behind a bar: so no line of it can be taken for a command by a runner.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from octavo.notebook.diff.hunks import Line
from octavo.render.check_words import (
    cell_line,
    cell_name,
    difference_lines,
    failed_cells,
    headline,
    not_run_cells,
    rest,
    telling_cells,
    traceback_end,
    what_went_wrong,
    worst_first,
)
from octavo.render.columns import closed, coloured, fit, one_line, pad, plain, width, wrap
from octavo.render.figures import counted, duration, value_text
from octavo.render.places import failed_place, near_path
from octavo.render.style import Style
from octavo.render.summary import short_id
from octavo.render.tables import table

#: More notebooks than this that passed are only counted.
MOST_PASSED = 20
#: So many cells and differences of a notebook are shown, one where many notebooks failed.
_MOST_DETAILED = 3
_FEW = 10
_TRACEBACK = 12
_DIFF = 12
_MOST_FINDINGS = 20
_COLOURS = {"-": ("red",), "+": ("green",), " ": ("dim",)}
_SEVERITIES = {"error": ("red",), "warning": ("yellow",), "note": ("dim",)}


class CheckView:
    """How a check is shown on a terminal of some width, to somebody in some folder."""

    def __init__(self, *, style: Style, columns: int, cwd: str, project: str) -> None:
        self._style = style
        self._columns = columns
        self._cwd = cwd
        self._project = project

    def lines(self, report: Any, *, quiet: bool = False) -> list[str]:
        """All of it; quietly, only what did not pass."""
        bad = worst_first(report.verdicts)
        lines: list[str] = []
        most = _MOST_DETAILED if len(bad) <= _FEW else 1
        for verdict in bad:
            lines += [*self._bad(verdict, most, strict=report.mode == "strict"), ""]
        if quiet and not bad:
            return []
        if not quiet:
            lines += self._good([each for each in report.verdicts if each.ok])
        return [*lines, *self.sum(report)]

    def sum(self, report: Any) -> list[str]:
        """The last line, or lines where it does not fit in one."""
        sign = "success" if report.passed else "failed"
        if report.passed and not report.verdicts:
            sign = "skipped"
        head = " ".join(self._style.paint(word, "bold") for word in headline(report).split())
        first, *more = wrap(", ".join([head, *rest(report)]), self._columns - 2)
        return [f"{self._style.sign(sign)} {first}", *(f"  {line}" for line in more)]

    def _bad(self, verdict: Any, most: int, *, strict: bool) -> Iterator[str]:
        style = self._style
        reason = style.paint(one_line(verdict.reason, 40), "red")
        values = _values(verdict.parameters, self._columns - 8)
        sign = style.sign("not-run" if verdict.outcome == "not-run" else "failed")
        yield f"{sign} {style.paint(self._label(verdict), 'bold')}  {reason}".rstrip()
        if values:
            yield style.paint(f"  with {values}", "dim")
        shown = failed_cells(verdict)
        yield from self._cells(verdict, shown, most)
        told = shown or any(each.severity == "error" for each in verdict.findings)
        if verdict.message and not told:
            yield from (f"  {line}" for line in self._foreign(verdict.message.splitlines()[:20]))
        yield from self._findings(verdict)
        if verdict.hint:
            yield f"  hint: {one_line(verdict.hint, 300)}"
        yield from self._next(verdict, shown, strict=strict)

    def _next(self, verdict: Any, shown: Sequence[Any], *, strict: bool) -> Iterator[str]:
        """The commands that help now. Of a cell whose output differs, the run knows no error."""
        if not verdict.run_id:
            return
        run = short_id(verdict.run_id)
        if not shown or any(each.cause != "output" for each in shown):
            errors = " --errors" if shown else ""
            yield self._style.paint(f"  next  octavo show {run}{errors}", "dim")
            return
        mode = " --strict" if strict else ""
        if any(each.key.startswith("image/") for cell in shown for each in cell.differences):
            # Without a threshold images are not compared, and so not accepted.
            mode += " --image-threshold 0"
        path = shlex.quote(one_line(self._near(verdict.path), 300))
        calls = {
            f"octavo check {path}{mode} --update": "accepts the output",
            f"octavo show {run}": "shows the run",
        }
        longest = max(map(width, calls))
        explained = longest + 10 + max(map(len, calls.values())) <= self._columns
        for label, (call, what) in zip(("next", ""), calls.items(), strict=True):
            told = f"{pad(call, longest)}  {what}" if explained else call
            yield self._style.paint(f"  {label:<4}  {told}", "dim")

    def _cells(self, verdict: Any, shown: Sequence[Any], most: int) -> Iterator[str]:
        """Cells that tell why, and others whose output differs; the rest in a line."""
        detailed = telling_cells(shown, most)
        for cell in detailed:
            yield from self._cell(verdict, cell, most)
        others = [each for each in shown if each not in detailed]
        if others:
            names = ", ".join(_number(each) for each in others[:12])
            more = ", …" if len(others) > 12 else ""
            words = what_went_wrong(others[0], 80)
            too = "then failed too" if others[0].index > detailed[-1].index else "also failed"
            told = f"{too}: {names}{more} ({words}{'; …' if len(others) > 1 else ''})"
            yield f"  {one_line(told, self._columns - 2)}"
        missing = not_run_cells(verdict)
        if missing:
            was = "was" if len(missing) == 1 else "were"
            yield self._style.paint(f"  {counted(len(missing), 'cell')} {was} not run", "dim")

    def _cell(self, verdict: Any, cell: Any, most: int) -> Iterator[str]:
        where, named = self._place(verdict.path, cell), cell_name(cell)
        place = self._style.paint(where, "bold")
        said = where.endswith(f", {named}")
        words = "  ".join((place, *(() if said else (named,)), what_went_wrong(cell)))
        first, *below = wrap(words, max(20, self._columns - 4))
        yield f"  {first}"
        yield from (f"    {line}" for line in below)
        told = 0
        for difference in cell.differences[:most]:
            told += 1
            yield from self._difference(difference, alone=len(cell.differences) == 1)
        if len(cell.differences) > told:
            more = counted(len(cell.differences) - told, "more difference")
            yield self._style.paint(f"    … {more}", "dim")
        yield from (
            f"  {line}" for line in self._foreign(traceback_end(cell.traceback, _TRACEBACK))
        )

    def _difference(self, difference: Any, *, alone: bool) -> Iterator[str]:
        if not alone:
            told = (
                f"{difference.key}: {difference.message}" if difference.message else difference.key
            )
            yield f"    {one_line(told, self._columns - 4)}"
        for label, name in (("expected", difference.expected_file), ("got", difference.got_file)):
            if name:
                yield f"    {label:<8} {self._near(name)}"
        lines, more = difference_lines(difference, _DIFF, max(20, self._columns - 10))
        yield from self._behind_bar([self._signed(line) for line in lines])
        if more:
            yield self._style.paint(f"    … {counted(more, 'more line')}", "dim")

    def _signed(self, line: Line) -> str:
        return self._style.paint(f"{line.sign} {line.text}".rstrip(), *_COLOURS[line.sign])

    def _foreign(self, lines: Sequence[str]) -> list[str]:
        keep = coloured if self._style.colour else plain
        room = max(20, self._columns - 6)
        fitted = [part for line in lines for part in fit(keep(line).expandtabs(4), room)]
        return [line[2:] for line in self._behind_bar(list(closed(fitted))[-2 * _TRACEBACK :])]

    def _behind_bar(self, lines: Sequence[str]) -> list[str]:
        bar = self._style.paint(self._style.pick("│", "|"), "dim")
        return [f"    {bar} {line}".rstrip() for line in lines]

    def _findings(self, verdict: Any) -> Iterator[str]:
        for same in _alike(_graver_first(verdict.findings)[:_MOST_FINDINGS]):
            yield from self._finding(same[0], [each.cell for each in same])
        if len(verdict.findings) > _MOST_FINDINGS:
            more = counted(len(verdict.findings) - _MOST_FINDINGS, "more finding")
            yield self._style.paint(f"  … {more}, `octavo lint` shows all", "dim")

    def _finding(self, finding: Any, cells: Sequence[int | None]) -> Iterator[str]:
        """Its place and what it says, with what to do about it below."""
        style, margin = self._style, " " * 10
        room = max(20, self._columns - len(margin))
        kind = style.paint(finding.severity, *_SEVERITIES.get(finding.severity, ()))
        where = self._finding_place(finding)
        if len(cells) > 1:
            where = f"{self._near(finding.path)}, cells {', '.join(map(str, cells))}"
        place = style.paint(where, "bold")
        rule = style.paint(one_line(finding.rule, 30), "dim")
        first, *more = wrap(f"{place}  {one_line(finding.message, 300)}  {rule}", room)
        yield f"  {pad(kind, 8)}{first}"
        yield from (f"{margin}{line}" for line in more)
        for line in wrap(one_line(finding.hint, 300), room) if finding.hint else ():
            yield margin + style.paint(line, "dim")

    def _good(self, verdicts: Sequence[Any]) -> Iterator[str]:
        counted_only = len(verdicts) > MOST_PASSED
        told = [each for each in verdicts if not counted_only or each.findings or each.updated]
        rows = [
            (
                f"{self._sign(each)} {self._label(each)}",
                self._style.paint(_how(each), "dim"),
            )
            for each in told
        ]
        for verdict, line in zip(told, table(rows), strict=True):
            yield line
            yield from self._findings(verdict)

    def _sign(self, verdict: Any) -> str:
        return self._style.sign("skipped" if verdict.outcome == "skipped" else "success")

    def _label(self, verdict: Any) -> str:
        values = f" [{one_line(verdict.values, 60)}]" if verdict.values else ""
        return f"{self._near(verdict.path)}{values}"

    def _near(self, path: str) -> str:
        return near_path(os.path.join(self._project, path), self._cwd)

    def _place(self, path: str, cell: Any) -> str:
        return failed_place(self._near(path), cell.index, cell_line(path, cell))

    def _finding_place(self, finding: Any) -> str:
        return failed_place(self._near(finding.path), finding.cell, finding.line) if (
            finding.cell is not None or finding.line is not None
        ) else self._near(finding.path)  # fmt: skip


def _number(cell: Any) -> str:
    name = one_line(cell.name, 20)
    return name if name and not name.isdigit() else str(cell.index)


def _how(verdict: Any) -> str:
    """How a verdict that is good came about."""
    if verdict.outcome == "skipped":
        return f"skipped{f': {one_line(verdict.message, 80)}' if verdict.message else ''}"
    took = verdict.duration_seconds
    told = [duration(took) if took is not None and not verdict.reused else ""]
    if verdict.reused:
        run = f" in run {short_id(verdict.run_id)}" if verdict.run_id else ""
        told.append(f"unchanged since it passed{run}")
    if verdict.updated:
        told.append(f"accepted the output of {counted(len(verdict.updated), 'cell')}")
    return ", ".join(filter(None, told))


def _values(parameters: Any, columns: int) -> str:
    told = (f"{name} = {value_text(value, 30)}" for name, value in parameters.items())
    return one_line(", ".join(told), columns)


def _graver_first(findings: Sequence[Any]) -> list[Any]:
    ranks = tuple(_SEVERITIES)
    return sorted(findings, key=lambda each: ranks.index(each.severity))


def _alike(findings: Sequence[Any]) -> list[list[Any]]:
    """Findings that say the same of several cells together, the others alone."""
    groups: dict[Any, list[Any]] = {}
    for at, each in enumerate(findings):
        whole = each.line is None and each.cell is not None
        key = (each.severity, each.rule, each.message, each.path, each.hint) if whole else at
        groups.setdefault(key, []).append(each)
    return list(groups.values())
