"""What is told of a run above its notebook."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from octavo.records.record import RunRecord
from octavo.records.times import iso
from octavo.render.figures import counted, duration, value_text
from octavo.render.page.markup import table, text
from octavo.render.scraps import scrap_text
from octavo.render.summary import units_of
from octavo.value import EMPTY, Value

#: Longer values are cut; more of them are counted.
LONGEST_VALUE, MOST_VALUES = 400, 200
_SIGNS = {"success": "✓", "error": "✗", "running": "…"}


class About(Value):
    """Facts of a run; of a notebook that was not run, its `path` alone.

    `started` is in seconds since the epoch, `failed` says where and why it failed, `units` are
    those of scraps, `note` is one more line.
    """

    path: str = ""
    status: str = ""
    reason: str | None = None
    started: float | None = None
    duration_seconds: float | None = None
    cells_executed: int | None = None
    run_id: str = ""
    commit: str = ""
    branch: str = ""
    dirty: bool = False
    parameters: Mapping[str, Any] = EMPTY
    defaults: Mapping[str, Any] = EMPTY
    scraps: Mapping[str, Any] = EMPTY
    units: Mapping[str, str] = EMPTY
    failed: str = ""
    failed_cell: int | None = None
    note: str = ""

    @property
    def name(self) -> str:
        """What the notebook is called."""
        return os.path.basename(self.path) or "notebook"


def about_run(record: RunRecord, path: str = "") -> About:
    """The facts in a record. `path` is how the notebook is to be named, if not by its file."""
    git = record.git or {}
    failed = record.failed_cell
    return About(
        path=path or str(record.source.get("path") or ""),
        status=record.status,
        reason=record.reason,
        started=record.started,
        duration_seconds=record.duration_seconds,
        cells_executed=record.cells_executed,
        run_id=record.run_id,
        commit=str(git.get("commit") or ""),
        branch=str(git.get("branch") or ""),
        dirty=bool(git.get("dirty")),
        parameters=record.parameters,
        defaults=record.defaults,
        scraps=record.scraps,
        units=units_of(record.scraps_schema),
        failed=f"{failed.ename}: {failed.evalue}" if failed else _message(record),
        failed_cell=failed.index if failed else None,
        note="" if record.complete else "outputs were left out, the disk was full",
    )


def _message(record: RunRecord) -> str:
    return record.message if record.status == "error" else ""


def moment_text(moment: float) -> str:
    """A moment as people write it, in the time that is everywhere the same."""
    return str(iso(moment))[:16].replace("T", " ") + " UTC"


def status_words(about: About) -> str:
    """How it went, in a word or two."""
    if about.status == "success":
        return "ended early" if about.reason == "exited-early" else "succeeded"
    return (about.reason or "failed").replace("-", " ") if about.status == "error" else about.status


def header_html(about: About) -> str:
    """The head of the page."""
    return (
        f'<header class="about{"" if about.status else " plain"}">\n'
        f'<p class="what"><strong>{text(about.name)}</strong> {_status(about)}</p>\n'
        f"{_facts(about)}{_failure(about)}{_note(about)}{_tables(about)}</header>\n"
    )


def _status(about: About) -> str:
    if not about.status:
        return ""
    kind = about.status if about.status in _SIGNS else "running"
    return f'<span class="badge {kind}">{_SIGNS[kind]} {text(status_words(about))}</span>'


def _facts(about: About) -> str:
    facts = list(_each_fact(about))
    if not facts:
        return ""
    told = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>\n" for name, value in facts)
    return f"<dl>\n{told}</dl>\n"


def _each_fact(about: About) -> Iterator[tuple[str, str]]:
    if os.path.basename(about.path) != about.path:
        yield "notebook", text(about.path)
    if about.started is not None:
        when = iso(about.started)
        yield "run", f'<time datetime="{when}">{moment_text(about.started)}</time>'
    if about.duration_seconds is not None:
        cells = "" if about.cells_executed is None else counted(about.cells_executed, "cell")
        yield "took", ", ".join(filter(None, [duration(about.duration_seconds), cells]))
    if about.commit:
        dirty = " with changes" if about.dirty else ""
        branch = f" on {text(about.branch)}" if about.branch else ""
        yield "commit", f"<code>{text(about.commit[:12])}</code>{branch}{dirty}"
    if about.run_id:
        yield "run id", f"<code>{text(about.run_id)}</code>"


def _failure(about: About) -> str:
    if not about.failed:
        return ""
    lines = "\n".join(about.failed.splitlines()[:20])[:2000]
    where = ""
    if about.failed_cell is not None:
        where = f'<a href="#cell-{about.failed_cell}">cell {about.failed_cell}</a> '
    return f'<p class="failure">{where}{text(lines)}</p>\n'


def _note(about: About) -> str:
    return f'<p class="note">{text(about.note)}</p>\n' if about.note else ""


def _tables(about: About) -> str:
    tables = [_parameters(about), _scraps(about)]
    shown = "".join(filter(None, tables))
    return f'<div class="lists">\n{shown}</div>\n' if shown else ""


def _parameters(about: About) -> str:
    values = {**about.defaults, **about.parameters}
    rows = [
        (text(name), _value(value_text(value, LONGEST_VALUE)), _default(about, name))
        for name, value in list(values.items())[:MOST_VALUES]
    ]
    rows += [(more, "", "") for more in _more(values)]
    return table(("parameter", "value", "default"), rows, "values") if rows else ""


def _default(about: About, name: str) -> str:
    if name not in about.parameters or name not in about.defaults:
        return ""
    default = about.defaults[name]
    same = about.parameters[name] == default
    return "" if same else f'<span class="quiet">{text(value_text(default, 80))}</span>'


def _scraps(about: About) -> str:
    rows = []
    for name, value in list(about.scraps.items())[:MOST_VALUES]:
        unit = f" {about.units[name]}" if name in about.units else ""
        told = _value(scrap_text(value, LONGEST_VALUE))
        rows.append((text(name), f'{told}<span class="quiet">{text(unit)}</span>'))
    rows += [(more, "") for more in _more(about.scraps)]
    return table(("scrap", "value"), rows, "values") if rows else ""


def _more(values: Mapping[str, Any]) -> Iterator[str]:
    if len(values) > MOST_VALUES:
        yield f"… {len(values) - MOST_VALUES:,} more"


def _value(shown: str) -> str:
    return f"<code>{text(shown)}</code>" if shown else ""
