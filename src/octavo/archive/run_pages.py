"""The page of one run: how it ended, what it was given, what it handed out, its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from octavo.archive import wording
from octavo.archive.entries import Entry
from octavo.archive.layout import WHOLE_PAGE
from octavo.records.record import NOTEBOOK_NAME, RunRecord
from octavo.render.columns import plain
from octavo.render.marks import code_span, fenced, table

_WIDTH = 480
_LONGEST_TRACEBACK = 4000


def run_page(entry: Entry, record: RunRecord, files: Sequence[str]) -> str:
    """Markdown for the folder of a run."""
    return "\n\n".join(part for part in _parts(entry, record, files) if part) + "\n"


def _parts(entry: Entry, record: RunRecord, files: Sequence[str]) -> Iterator[str]:
    yield f"# {code_span(entry.notebook, 200)}"
    yield f"{wording.outcome(entry)} {wording.when(entry)} UTC, {wording.took(entry)}"
    if not entry.ok and entry.message:
        yield code_span(entry.message, 200)
    yield " · ".join(wording.link(_name(each), each) for each in files if "/" not in each)
    yield _table("parameter", {**record.defaults, **record.parameters})
    yield _table("scrap", entry.scraps)
    yield "\n".join(wording.image(each, _WIDTH) for each in entry.figures)
    yield _traceback(record)
    yield _facts(entry, record)


def _name(file: str) -> str:
    known = {NOTEBOOK_NAME: "**executed notebook**", WHOLE_PAGE: "page for browsers"}
    return known.get(file) or code_span(file, 60)


def _table(head: str, values: Mapping[str, Any]) -> str:
    rows = [(code_span(str(name), 60), wording.value(each)) for name, each in values.items()]
    return table((head, "value"), rows[:40]) if rows else ""


def _traceback(record: RunRecord) -> str:
    failed = record.failed_cell
    text = plain("\n".join(failed.traceback))[-_LONGEST_TRACEBACK:] if failed else ""
    return fenced(text, "text") if text.strip() else ""


def _facts(entry: Entry, record: RunRecord) -> str:
    python = (record.kernel or {}).get("python")
    told = [f"run {code_span(entry.run_id)}"]
    told += [f"commit {wording.commit(entry)}"] if entry.commit else []
    told += [f"Python {code_span(str(python), 20)}"] if python else []
    told += [f"source sha256 {code_span(entry.source_sha256)}"] if entry.source_sha256 else []
    return "  \n".join(told)
