"""How a run ended, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from octavo.records.result import RunResult
from octavo.render.columns import coloured, one_line, plain
from octavo.render.figures import counted, duration
from octavo.render.places import failed_place, near_path
from octavo.render.style import Style
from octavo.render.tables import table
from octavo.value import EMPTY

#: So many lines of a traceback are shown; the first ones are left out.
TRACEBACK_LINES = 60
#: A scrap's name is shown so wide at most.
WIDEST_NAME = 40


def short_id(run_id: str) -> str:
    """The end of a run's id: the part in which ids differ soonest."""
    return run_id[-8:]


def summary(
    result: RunResult, path: str, *, style: Style, columns: int, cwd: str, project: str = ""
) -> list[str]:
    """The end of one run: status, what failed and where, scraps, and what to do next.

    Runs outside of `project` are pointed to by their folder, as no id would find them.
    """
    lines = [_status_line(result, style, columns)]
    if result.failed_cell is not None:
        lines += _failure(result, near_path(path, cwd), style)
        if result.reason == "cell-error" and result.message:
            lines += [f"  hint: {line}" for line in plain(result.message).splitlines()]
    elif result.message and not result.ok:
        lines += [f"  {line}" for line in _message_lines(result)]
    units = units_of(result.scraps_schema)
    lines += scrap_lines(result.scraps, style=style, columns=columns, units=units)
    return [*lines, *_pointers(result, style, cwd, project)]


def several(
    results: Sequence[RunResult],
    paths: Sequence[str],
    *,
    style: Style,
    columns: int,
    cwd: str,
    project: str = "",
) -> list[str]:
    """The ends of several runs: each failure, then a count."""
    lines: list[str] = []
    for result, path in zip(results, paths, strict=True):
        if not result.ok:
            lines += [
                style.paint(near_path(path, cwd), "bold"),
                *summary(result, path, style=style, columns=columns, cwd=cwd, project=project),
                "",
            ]
    failed = sum(not result.ok for result in results)
    seconds = sum(result.duration_seconds for result in results)
    status = "error" if failed else "success"
    how = f"{len(results) - failed} succeeded" + (f", {failed} failed" if failed else "")
    total = f"{counted(len(results), 'run')}: {how}, {duration(seconds)} together"
    return [*lines, f"{style.sign(status)} {total}"]


def scrap_lines(
    scraps: Mapping[str, Any],
    *,
    style: Style,
    columns: int,
    indent: str = "  ",
    units: Mapping[str, str] = EMPTY,
) -> list[str]:
    """Names and values in two columns, with the units that are declared."""
    if not scraps:
        return []
    from octavo.render.scraps import scrap_text

    widest = min(WIDEST_NAME, max(len(name) for name in scraps))
    room = max(20, columns - widest - len(indent) - 3)
    rows = []
    for name, value in scraps.items():
        unit = f" {one_line(units[name], 24)}" if name in units else ""
        label = style.paint(one_line(name, WIDEST_NAME), "cyan")
        rows.append((label, scrap_text(value, room - len(unit)) + unit))
    return [indent + line for line in table(rows)]


def units_of(scraps_schema: Mapping[str, Any] | None) -> dict[str, str]:
    """The units in the schema of a notebook's declared scraps, by name."""
    declared = (scraps_schema or {}).get("properties", {})
    return {name: each["x-unit"] for name, each in declared.items() if "x-unit" in each}


def _message_lines(result: RunResult) -> list[str]:
    """Why a run failed; of scraps that are not as declared, one a line."""
    told = [plain(str(each["message"])) for each in result.scrap_problems]
    if result.reason == "scraps" and told:
        return told
    return plain(result.message).splitlines()


def _status_line(result: RunResult, style: Style, columns: int) -> str:
    took = duration(result.duration_seconds)
    cells = counted(result.cells_executed, "cell")
    if result.ok:
        early = ", ended early by the notebook" if result.reason == "exited-early" else ""
        return f"{style.sign('success')} {style.paint('success', 'bold')} in {took}, {cells}{early}"
    status = "interrupted" if result.reason == "interrupted" else "error"
    head = style.paint(str(result.reason), "bold")
    return f"{style.sign(status)} {head} after {took}, {cells}"


def _failure(result: RunResult, path: str, style: Style) -> list[str]:
    failed = result.failed_cell
    assert failed is not None
    place = failed_place(path, failed.index, failed.line)
    what = f"{failed.ename}: {failed.evalue}" if failed.evalue else failed.ename
    lines = [f"  {style.paint(place, 'bold')}  {one_line(what, 200)}"]
    traceback = "\n".join(failed.traceback).rstrip()
    if not traceback or result.reason == "interrupted":
        return lines
    shown = (coloured if style.colour else plain)(traceback).split("\n")
    if len(shown) > TRACEBACK_LINES:
        left_out = len(shown) - TRACEBACK_LINES
        shown = [style.paint(f"… {left_out} lines left out", "dim"), *shown[-TRACEBACK_LINES:]]
    return [*lines, "", *shown, ""]


def _pointers(result: RunResult, style: Style, cwd: str, project: str) -> list[str]:
    record = near_path(result.record_path, cwd)
    folder = result.record_path.rpartition("/")[0]
    inside = result.record_path.startswith(f"{project.rstrip('/')}/.octavo/")
    name = short_id(result.run_id) if inside else near_path(folder, cwd)
    errors = "" if result.ok or result.reason == "scraps" else " --errors"
    rows = [("record", record)]
    if not result.notebook_path.startswith(folder):
        rows.append(("notebook", near_path(result.notebook_path, cwd)))
    rows.append(("next", f"octavo show {name}{errors}"))
    return [style.paint(f"  {line}", "dim") for line in table(rows)]
