"""A check in Markdown: for the summary of a CI step, and as the comment on a pull request.

Text of notebooks is only in code, which it cannot close.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from octavo.gate.reports.places import Problem, address, difference_text, of_notebook
from octavo.gate.verdicts import CellVerdict, CheckReport, Difference, NotebookVerdict
from octavo.render.check_words import (
    cell_line,
    cell_name,
    failed_cells,
    headline,
    not_run_cells,
    rest,
    traceback_end,
    what_went_wrong,
    why,
    without_colours,
    worst_first,
)
from octavo.render.columns import one_line
from octavo.render.figures import counted, duration, value_text
from octavo.render.marks import code_span, fenced, table
from octavo.render.scraps import scrap_text
from octavo.value import EMPTY, Value

#: By this our comment is known again; it is the last line.
MARKER = "<!-- octavo:check -->"
#: In characters; forges take a little more.
LONGEST = 60_000
_MOST_ROWS = 50
_MOST_CELLS = 10
_MOST_FINDINGS = 20
_MOST_SCRAPS = 8
_LONGEST_BLOCK = 4000
_ADDRESS = re.compile(r"https?://[^\s()<>\"'\\]+\Z|(?:[\w.-]+/)*[\w.-]+\Z")


class Links(Value):
    """Where a reader can go. `source` is an address that the path of a file is put behind.

    `images` are addresses of files that a difference names, `run` is the page of the CI run.
    """

    source: str = ""
    run: str = ""
    commit: str = ""
    images: Mapping[str, str] = EMPTY


NO_LINKS = Links()


def markdown(report: CheckReport, *, links: Links = NO_LINKS) -> str:
    """The summary, failures first, in at most 60,000 characters, with the marker at its end."""
    text = Bounded(LONGEST - len(MARKER) - 300)
    text.add(_head(report, links))
    bad = worst_first(report.verdicts)
    text.add(_failures(bad, links))
    for at, verdict in enumerate(bad):
        if not any(text.add(_details(verdict, links, most)) for most in (_MOST_CELLS, 3, 1)):
            left = counted(len(bad) - at, "more notebook")
            text.end(f"*The details of {left} do not fit here.*")
            break
    good = [each for each in report.verdicts if each.ok]
    for part in (_warnings(good, links), _passed(good, links), _unaffected(report)):
        if not text.add(part):
            text.end("*The list of what passed does not fit here.*")
    return f"{text.joined()}\n\n{MARKER}\n"


class Bounded:
    """Parts of a text, as long as they fit."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._parts: list[str] = []

    def add(self, part: str) -> bool:
        """Whether a part was taken; an empty one takes no room."""
        if not part:
            return True
        if len(part) + 2 > self._room:
            return False
        self._room -= len(part) + 2
        self._parts.append(part)
        return True

    def end(self, note: str) -> None:
        """A short line, for which there is always room, once."""
        if note not in self._parts:
            self._parts.append(note)

    def joined(self) -> str:
        return "\n\n".join(self._parts)


def _head(report: CheckReport, links: Links) -> str:
    sign = "✅" if report.passed else "❌"
    told = rest(report)
    if report.since:
        told.append(f"since {code_span(report.since, 60)}")
    if links.commit:
        # As code it is no link: looking for what to link to can bring a Gitea down.
        told.append(f"at {code_span(links.commit[:10])}")
    if _ADDRESS.match(links.run):
        told.append(f"[the run]({links.run})")
    return f"### {sign} octavo check: {headline(report)}\n\n{' · '.join(told)}"


def _failures(bad: Sequence[NotebookVerdict], links: Links) -> str:
    if not bad:
        return ""
    rows = []
    for verdict in bad[:_MOST_ROWS]:
        cells = failed_cells(verdict)
        place = _place(verdict, cells[0] if cells else None, links)
        others = f" and {len(cells) - 1} more" if len(cells) > 1 else ""
        where = f"{code_span(cell_name(cells[0]), 40)}{others}" if cells else "–"
        rows.append((place, where, code_span(why(verdict, 160), 160)))
    if len(bad) > _MOST_ROWS:
        rows.append((counted(len(bad) - _MOST_ROWS, "more notebook"), "", ""))
    return table(("notebook", "cell", "what"), rows)


def _place(verdict: NotebookVerdict, cell: CellVerdict | None, links: Links) -> str:
    line = cell_line(verdict.path, cell) if cell else None
    values = f" {code_span(f'[{verdict.values}]', 60)}" if verdict.values else ""
    return f"{_link(verdict.path, line, links)}{values}"


def _link(path: str, line: int | None, links: Links) -> str:
    shown = code_span(f"{path}:{line}" if line else path, 200)
    if not _ADDRESS.match(links.source) or not shown:
        return shown
    anchor = f"#L{line}" if line else ""
    return f"[{shown}]({links.source.rstrip('/')}/{address(path)}{anchor})"


def _details(verdict: NotebookVerdict, links: Links, most: int) -> str:
    """All about a notebook that did not pass, with at most so many cells and differences."""
    return _folded(_summary(verdict), *_within(verdict, links, most))


def _summary(verdict: NotebookVerdict) -> str:
    reason = f" · <code>{escape(one_line(verdict.reason, 40))}</code>" if verdict.reason else ""
    return f"❌ <code>{escape(one_line(verdict.label, 200))}</code>{reason}"


def _folded(summary: str, *parts: str) -> str:
    shown = [f"<details><summary>{summary}</summary>", *filter(None, parts), "</details>"]
    return "\n\n".join(shown)


def _within(verdict: NotebookVerdict, links: Links, most: int) -> Iterator[str]:
    yield _parameters(verdict)
    cells = failed_cells(verdict)
    for cell in cells[:most]:
        yield from _cell(verdict, cell, links, most)
    if len(cells) > most:
        yield f"{counted(len(cells) - most, 'more cell')} failed."
    if missing := not_run_cells(verdict):
        yield f"{counted(len(missing), 'cell')} not run."
    if verdict.message and not cells:
        yield _block(verdict.message)
    yield _findings(verdict, links)
    yield f"Hint: {code_span(verdict.hint, 300)}" if verdict.hint else ""
    yield _scraps(verdict)
    yield f"Run {code_span(verdict.run_id, 80)}" if verdict.run_id else ""


def _parameters(verdict: NotebookVerdict) -> str:
    if not verdict.parameters:
        return ""
    given = list(verdict.parameters.items())[:20]
    told = (f"{code_span(name, 60)} = {code_span(value_text(value), 60)}" for name, value in given)
    return f"With {', '.join(told)}"


def _cell(verdict: NotebookVerdict, cell: CellVerdict, links: Links, most: int) -> Iterator[str]:
    place = _link(verdict.path, cell_line(verdict.path, cell), links)
    name, what = code_span(cell_name(cell), 60), code_span(what_went_wrong(cell), 200)
    yield f"**{name}** {place}: {what}"
    for difference in cell.differences[:most]:
        yield from _difference(difference, links)
    if len(cell.differences) > most:
        yield f"{counted(len(cell.differences) - most, 'more difference')}."
    yield _block("\n".join(traceback_end(cell.traceback, 30)))


def _difference(difference: Difference, links: Links) -> Iterator[str]:
    names = [name for name in (difference.expected_file, difference.got_file) if name]
    images = [links.images.get(name, "") for name in names]
    if len(names) == 2 and all(map(_ADDRESS.match, images)):
        shown = tuple(f"![{label}]({address})" for label, address in
                      zip(("expected", "got"), images, strict=True))  # fmt: skip
        yield table(("expected", "got"), [shown])
    lines = list(difference_text(difference))
    yield _block("\n".join(lines), "diff")


def _block(text: str, language: str = "text") -> str:
    shown = without_colours(text).strip("\n")
    if not shown.strip():
        return ""
    if len(shown) > _LONGEST_BLOCK:
        shown = "…\n" + shown[-_LONGEST_BLOCK:]
    return fenced(shown, language)


def _findings(verdict: NotebookVerdict, links: Links) -> str:
    found = [each for each in of_notebook(verdict) if not each.rule.startswith("cell-")]
    rows = [_finding(each, links) for each in found[:_MOST_FINDINGS]]
    if len(found) > _MOST_FINDINGS:
        rows.append((f"{len(found) - _MOST_FINDINGS} more", "", ""))
    return table(("place", "rule", "finding"), rows) if rows and verdict.findings else ""


def _finding(problem: Problem, links: Links) -> tuple[str, str, str]:
    place = _link(problem.path, problem.line, links)
    if problem.line is None and problem.name.startswith("cell "):
        place = f"{place}, {problem.name}"
    told = " – ".join(filter(None, (problem.message, problem.hint)))
    return place, f"{problem.severity} {code_span(problem.rule, 40)}", code_span(told, 300)


def _warnings(good: Sequence[NotebookVerdict], links: Links) -> str:
    found = [problem for each in good for problem in of_notebook(each)]
    if not found:
        return ""
    rows = [_finding(each, links) for each in found[:_MOST_ROWS]]
    if len(found) > _MOST_ROWS:
        rows.append((f"{len(found) - _MOST_ROWS} more", "", ""))
    summary = f"⚠️ {counted(len(found), 'finding')} in notebooks that passed"
    return _folded(summary, table(("place", "rule", "finding"), rows))


def _passed(good: Sequence[NotebookVerdict], links: Links) -> str:
    if not good:
        return ""
    rows = [_good_row(each, links) for each in good[:_MOST_ROWS]]
    if len(good) > _MOST_ROWS:
        rows.append((counted(len(good) - _MOST_ROWS, "more notebook"), "", ""))
    summary = f"✅ {counted(len(good), 'notebook')} in order"
    return _folded(summary, table(("notebook", "how", "scraps"), rows))


def _good_row(verdict: NotebookVerdict, links: Links) -> tuple[str, str, str]:
    took = verdict.duration_seconds
    how = duration(took) if took is not None else ""
    if verdict.outcome == "skipped":
        how = "skipped"
    elif verdict.reused:
        run = f" in run {code_span(verdict.run_id, 80)}" if verdict.run_id else ""
        how = f"unchanged since it passed{run}"
    elif verdict.updated:
        how += f", accepted {counted(len(verdict.updated), 'cell')}"
    return _place(verdict, None, links), how, _scrap_list(verdict, 40)


def _scraps(verdict: NotebookVerdict) -> str:
    told = _scrap_list(verdict, 60)
    return f"Scraps: {told}" if told else ""


def _scrap_list(verdict: NotebookVerdict, columns: int) -> str:
    shown = list(verdict.scraps.items())[:_MOST_SCRAPS]
    told = [f"{code_span(name, 40)} = {code_span(scrap_text(value, columns), columns)}"
            for name, value in shown]  # fmt: skip
    if len(verdict.scraps) > _MOST_SCRAPS:
        told.append(f"{len(verdict.scraps) - _MOST_SCRAPS} more")
    return ", ".join(told)


def _unaffected(report: CheckReport) -> str:
    if not report.unaffected:
        return ""
    shown = [f"- {code_span(each, 200)}" for each in report.unaffected[:_MOST_ROWS]]
    if len(report.unaffected) > _MOST_ROWS:
        shown.append(f"- {len(report.unaffected) - _MOST_ROWS:,} more")
    told = f"{counted(len(report.unaffected), 'notebook')} not affected"
    return _folded(told, "\n".join(shown))
