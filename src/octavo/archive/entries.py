"""What an index tells of a run in the archive."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from octavo.archive.layout import place_of
from octavo.records.plain import compact, utf8
from octavo.records.record import RunRecord
from octavo.records.times import from_iso, iso
from octavo.render.scraps import scrap_text
from octavo.value import EMPTY, Value

SCHEMA = 1
_STATUSES = ("success", "error", "unreadable")
_FIGURE = re.compile(r"figures/\d{1,4}\.(png|jpg|gif|webp)")
#: So many values of a run are told, and values of so many characters as they are.
_MOST_VALUES, _LONGEST_VALUE, _LONGEST_TEXT = 40, 300, 300
_LARGEST_NUMBER = 1e15


class CellHashes(Value):
    """A code cell: its place in the author's notebook, and hashes of its source and outputs."""

    origin: int | None
    source: str
    outputs: str


class Entry(Value):
    """A run in the archive. `notebook` is its name in the repository it ran in.

    Long values are cut; the record has them whole. `cells` is empty in an index.
    """

    run_id: str
    notebook: str
    status: str
    reason: str | None
    message: str
    started: float
    duration_seconds: float | None
    cells_executed: int
    parameters: Mapping[str, Any]
    defaults: Mapping[str, Any]
    scraps: Mapping[str, Any]
    commit: str | None
    dirty: bool
    source_sha256: str | None
    parent_run: str | None
    figures: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    cells: tuple[CellHashes, ...] = ()

    @property
    def place(self) -> str:
        """Its folder on the branch."""
        return place_of(self.notebook, self.run_id)

    @property
    def ok(self) -> bool:
        return self.status == "success"

    def short(self) -> Entry:
        """As it stands in an index."""
        return self.replace(cells=())

    def to_json(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in self._fields if name != "cells"}
        plain["started"] = iso(self.started)
        plain["figures"], plain["artifacts"] = list(self.figures), list(self.artifacts)
        if self.cells:
            plain["cells"] = [[each.origin, each.source, each.outputs] for each in self.cells]
        return plain

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Entry:
        """The inverse of `to_json`; ValueError for what is none."""
        try:
            known = {name: plain[name] for name in cls._fields if name in plain}
            known["started"] = float(from_iso(plain["started"]) or 0.0)
            known["figures"] = tuple(map(str, plain.get("figures", ())))
            known["artifacts"] = tuple(map(str, plain.get("artifacts", ())))
            known["cells"] = tuple(CellHashes(*each) for each in plain.get("cells", ()))
            return checked(cls(**known))
        except (KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(str(error)) from error


def checked(entry: Entry) -> Entry:
    """The entry; ValueError for one that no page can be made from.

    Who may push to the branch may write any nonsense into it.
    """
    texts = (entry.run_id, entry.notebook, entry.message)
    words = (entry.reason, entry.commit, entry.source_sha256, entry.parent_run)
    tables = (entry.parameters, entry.defaults, entry.scraps)
    numbers = (entry.duration_seconds, entry.cells_executed)
    sound = (
        entry.status in _STATUSES
        and all(isinstance(each, str) for each in texts)
        and all(each is None or isinstance(each, str) for each in words)
        and all(isinstance(each, dict) for each in tables)
        and all(each is None or _is_number(each) for each in numbers)
        and all(map(_FIGURE.fullmatch, entry.figures))
    )
    if not sound:
        raise ValueError("not an entry of an archive")
    return entry


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and abs(value) < _LARGEST_NUMBER


def entry_of(record: RunRecord, notebook: str) -> Entry:
    """The entry of a run; figures, artifacts and hashes are added by who has its notebook."""
    git = record.git or EMPTY
    return Entry(
        run_id=record.run_id,
        notebook=notebook,
        status=record.status,
        reason=record.reason,
        message=record.message[:_LONGEST_TEXT],
        started=record.started,
        duration_seconds=record.duration_seconds,
        cells_executed=record.cells_executed,
        parameters=_bounded(record.parameters),
        defaults=_bounded(record.defaults),
        scraps=_bounded(record.scraps),
        commit=git.get("commit"),
        dirty=bool(git.get("dirty")),
        source_sha256=record.source.get("sha256"),
        parent_run=record.parent_run,
    )


def _bounded(values: Mapping[str, Any]) -> dict[str, Any]:
    first = list(values.items())[:_MOST_VALUES]
    return {str(name)[:_LONGEST_TEXT]: _short(value) for name, value in first}


def _short(value: Any) -> Any:
    return value if len(compact(value)) <= _LONGEST_VALUE else scrap_text(value, 60)


def dump(entry: Entry) -> bytes:
    """`entry.json`."""
    return utf8(
        json.dumps(json.loads(compact(entry.to_json())), indent=1, ensure_ascii=False) + "\n"
    )


def load(content: bytes | None) -> Entry | None:
    """The entry in a file; None where it is none."""
    try:
        return Entry.from_json(json.loads(content or b""))
    except (ValueError, RecursionError):
        return None
