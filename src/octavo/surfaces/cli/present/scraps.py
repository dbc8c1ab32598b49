"""Scraps for people, spreadsheets and shells."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Sequence
from typing import Any

from octavo.errors import UsageError
from octavo.render.columns import plain
from octavo.render.figures import counted
from octavo.render.places import near_path
from octavo.render.scraps import scrap_table
from octavo.render.summary import scrap_lines, short_id
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen

#: What a spreadsheet would take for a formula when a text begins with it.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
#: So many rows of a table that was handed out are shown.
ROWS_SHOWN = 40


def scraps(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """As asked for; else one as it is, those of one run in two columns, of many in a table."""
    options = asked.options
    if options.csv and options.table:
        hint = "leave out one of them"
        raise UsageError("wrong-argument", "--csv and --table are two things", hint=hint)
    if options.csv:
        text = _csv(*(_frame(result.table) if result.table is not None else _grid(result.rows)))
        out.write(plain(text) if out.is_terminal else text)
    elif result.table is not None:
        _print_frame(result.table, out)
    elif options.table or not result.single:
        _print_table(result.rows, out)
    elif result.name is not None:
        value = result.rows[0].scraps[result.name]
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        out.print(plain(text) if out.is_terminal else text)
    else:
        _print_one(result.rows[0], out)


def _print_one(row: Any, out: Screen) -> None:
    if not row.scraps:
        out.print("the run handed out no scraps")
        return
    out.print(*scrap_lines(row.scraps, style=out.style, columns=out.columns, indent=""))
    for name, times in row.repeated.items():
        told = f"{plain(name)} was handed out {counted(times, 'time')}, this is the last value"
        out.print(out.style.paint(told, "dim"))


def _print_table(rows: Sequence[Any], out: Screen) -> None:
    width = out.columns if out.is_terminal else None
    labelled = [(_label(row), row.scraps) for row in rows]
    out.print(*scrap_table(labelled, style=out.style, columns=width))
    if not any(row.scraps for row in rows):
        out.print(out.style.paint("none of them handed out scraps", "dim"))


def _label(row: Any) -> str:
    """A notebook by its path; a run by what was run, and its id."""
    if row.run_id is None or os.path.basename(os.path.dirname(row.path)) != row.run_id:
        return near_path(row.path, os.getcwd())
    return f"{os.path.basename(row.notebook or '?')} {short_id(row.run_id)}"


def _print_frame(frame: Any, out: Screen) -> None:
    head, rows = _frame(frame.head(ROWS_SHOWN))
    if not len(frame):
        out.print(plain(f"an empty table: {', '.join(head)}" if head else "an empty table"))
        return
    labelled = [(str(row[0]), dict(zip(head[1:], row[1:], strict=True))) for row in rows]
    width = out.columns if out.is_terminal else None
    lines = scrap_table(labelled, style=out.style, columns=width, first=head[0])
    out.print(*lines)
    if len(frame) > ROWS_SHOWN:
        left = f"… {counted(len(frame) - ROWS_SHOWN, 'more row')}, --csv has all"
        out.print(out.style.paint(left, "dim"))


def _grid(rows: Sequence[Any]) -> tuple[list[str], Iterable[Sequence[Any]]]:
    """A line for each notebook: where it is, its run, and every scrap."""
    names = list(dict.fromkeys(name for row in rows for name in row.scraps))
    own = ("filename", "run_id")
    head = [*own, *(f"{name} (scrap)" if name in own else name for name in names)]
    lines = [
        [near_path(row.path, os.getcwd()), row.run_id or "", *(row.scraps.get(n) for n in names)]
        for row in rows
    ]
    return head, lines


def _frame(frame: Any) -> tuple[list[str], Iterable[Sequence[Any]]]:
    from octavo.runs.looking.scraps import table_records, with_index

    head = [str(column) for column in with_index(frame).columns]
    return head, [list(record.values()) for record in table_records(frame)]


def _csv(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([_cell(name) for name in head])
    writer.writerows([_cell(value) for value in row] for row in rows)
    return file.getvalue()


def _cell(value: Any) -> str:
    """Text as it is, but never as a formula; everything else as JSON; nothing for what is not."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False, default=str)
    return f"'{value}" if value.startswith(FORMULA) and not _is_number(value) else value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
