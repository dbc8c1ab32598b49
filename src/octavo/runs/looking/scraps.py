"""The `scraps` operation: what runs and executed notebooks handed out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from octavo.errors import OctavoError, UsageError
from octavo.records.gathering import Place, distinct, is_many, is_path, places
from octavo.records.reading import ReadNotebook, notebook_at, notebook_of
from octavo.records.run_dir import RunDir
from octavo.requests import Request, argument, option
from octavo.runs.context import RunContext
from octavo.runs.looking.listing import found as run_meant
from octavo.runs.looking.listing import readable
from octavo.value import EMPTY, Value

#: A name that is not there is held against so many others; so many are told.
MOST_COMPARED, MOST_TOLD = 5000, 20


class ScrapsRequest(Request):
    """Whose scraps, and which of them."""

    what: tuple[str, ...] = argument(
        "runs (`last`, a part of an id), notebooks, folders or patterns; a scrap's name last",
        metavar="WHAT",
    )
    names: tuple[str, ...] = option(
        "--name", help="only the scrap of this name", default=(), metavar="NAME"
    )


class ScrapRow(Value):
    """The scraps of one notebook or run: plain values, and descriptions of all others.

    `repeated` has the names whose data was handed out more than once, and how often; it is not
    looked up where many runs are listed.
    """

    path: str
    scraps: Mapping[str, Any]
    run_id: str | None = None
    notebook: str | None = None
    repeated: Mapping[str, int] = EMPTY

    def to_json(self) -> dict[str, Any]:
        shown = {key: value for key, value in self.to_dict().items() if key != "repeated"}
        return {**shown, "repeated": dict(self.repeated)} if self.repeated else shown


class ScrapsResult(Value):
    """The rows; `single` says that one was asked for, `name` the one scrap that was.

    `table` is the content of that scrap where it is a table: a pandas DataFrame.
    """

    rows: tuple[ScrapRow, ...]
    single: bool
    name: str | None = None
    table: Any = None

    _uncompared = ("table",)

    def to_json(self) -> dict[str, Any]:
        if not self.single:
            return {"notebooks": [row.to_json() for row in self.rows]}
        row = self.rows[0].to_json()
        if self.table is not None:
            row["scraps"] = {self.name: table_records(self.table)}
        return row


async def scraps(request: ScrapsRequest, context: RunContext) -> ScrapsResult:
    """What was handed out; of a run that goes on, so far."""
    words, names = _words(request, context)
    found = distinct(place for word in words for place in _places(word, context))
    single = len(words) == 1 and not is_many(words[0], context.cwd)
    if single:
        return _single(found[0], names)
    rows = tuple(_row(place, names) for place in found)
    if names and not any(row.scraps for row in rows):
        raise _no_scrap(names[0], [name for place in found for name in _row(place, ()).scraps], "")
    return ScrapsResult(rows, False)


def _words(request: ScrapsRequest, context: RunContext) -> tuple[list[str], tuple[str, ...]]:
    """The words that mean notebooks, and the names of scraps."""
    words = list(request.what)
    if len(words) > 1 and not request.names and not _is_place(words[-1], context):
        return words[:-1], (words[-1],)
    return words, request.names


def _is_place(word: str, context: RunContext) -> bool:
    if word == "last" or is_path(word, context.cwd):
        return True
    try:
        run_meant(word, context)
    except OctavoError:
        return False
    return True


def _places(word: str, context: RunContext) -> list[Place]:
    if is_path(word, context.cwd):
        return places(word, context.cwd)
    run = run_meant(word, context)
    return [Place(str(run.notebook_path), run)]


def _single(place: Place, names: tuple[str, ...]) -> ScrapsResult:
    if place.run is not None:
        readable(place.run)
    read = _read(place)
    row = _row_of(read)
    missing = [name for name in names if name not in row.scraps]
    if missing:
        raise _no_scrap(missing[0], list(row.scraps), read.run_id or read.path)
    row = row.replace(**_only(row, names)) if names else row
    name = names[0] if len(names) == 1 else None
    is_table = name is not None and read.scraps[name].encoder == "pandas"
    return ScrapsResult((row,), True, name, read.scraps[name].data if name and is_table else None)


def _only(row: ScrapRow, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "scraps": {name: row.scraps[name] for name in names},
        "repeated": {name: n for name, n in row.repeated.items() if name in names},
    }


def _read(place: Place) -> ReadNotebook:
    return notebook_at(place.path) if place.run is None else notebook_of(place.run)


def _row(place: Place, names: tuple[str, ...]) -> ScrapRow:
    """The line of one among many: of a run from its record, which is quick to read."""
    if place.run is None:
        row = _row_of(notebook_at(place.path, light=True))
    else:
        row = _of_record(place.run)
    if not names:
        return row
    return row.replace(scraps={name: row.scraps[name] for name in names if name in row.scraps})


def _of_record(run: RunDir) -> ScrapRow:
    row = readable(run)
    return ScrapRow(str(run.notebook_path), row.scraps, row.run_id, row.notebook)


def _row_of(read: ReadNotebook) -> ScrapRow:
    repeated = {name: scrap.times for name, scrap in read.scraps.items() if scrap.times > 1}
    return ScrapRow(read.path, read.scraps.summaries(), read.run_id, read.source, repeated)


def table_records(table: Any) -> list[dict[str, Any]]:
    """The rows of a DataFrame as JSON has them, with its index unless that only counts them."""
    frame = with_index(table)
    names = [str(name) for name in frame.columns]
    columns = [map(_plain, frame.iloc[:, at].tolist()) for at in range(len(names))]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def with_index(table: Any) -> Any:
    """A DataFrame whose index is among its columns, unless it only counts the rows."""
    if type(table.index).__name__ == "RangeIndex":
        return table
    if not set(table.index.names).isdisjoint(table.columns):
        table = table.rename_axis([f"index {level}" for level in range(table.index.nlevels)])
    return table.reset_index()


def _plain(value: Any) -> Any:
    """A cell of a table: dates as text, nothing for what is missing."""
    from pandas import isna
    from pandas.api.types import is_scalar

    if value is None or (is_scalar(value) and isna(value)):
        return None
    if isinstance(value, bool | int | float | str | list | dict):
        return value
    for convert in ("isoformat", "tolist"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    return str(value)


def _no_scrap(name: str, known: Sequence[str], place: str) -> UsageError:
    from difflib import get_close_matches

    if not known:
        hint = "the run handed out no scraps; glue(name, value) in the notebook does"
    else:
        names = list(dict.fromkeys(known))
        close = get_close_matches(name, names[:MOST_COMPARED], 1)
        more = ", …" if len(names) > MOST_TOLD else ""
        told = f"there are: {', '.join(names[:MOST_TOLD])}{more}"
        hint = f"did you mean {close[0]}?" if close else told
    shown = os.path.basename(place) if os.sep in place else place
    return UsageError("scrap-not-found", f"no scrap {name!r}", place=shown, hint=hint)
