"""One side of a comparison: a finished run, or an executed notebook file, as the same value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import inf
from typing import Any

from octavo.errors import NotebookError, OctavoError
from octavo.records.plain import compact, utf8
from octavo.records.reading import ReadNotebook, Scrap, notebook_at, notebook_of
from octavo.records.run_dir import RunDir
from octavo.records.scraps import PLAIN
from octavo.records.times import from_iso, iso
from octavo.runs.context import RunContext
from octavo.runs.looking.listing import found
from octavo.runs.looking.show import (
    Shown,
    ShownCell,
    ShowRequest,
    file_meant,
    shown_file,
    shown_run,
)
from octavo.value import EMPTY, Value

INJECTED = "injected-parameters"


class About(Value):
    """What is known of a side as a whole; of a plain file less than of a run."""

    run_id: str | None
    path: str
    notebook: str | None
    status: str | None
    reason: str | None
    started: float | None
    duration_seconds: float | None

    def to_json(self) -> dict[str, Any]:
        return {**self.to_dict(), "started": iso(self.started)}


class Side(Value):
    """All that is compared. `packages` is empty where they are not known."""

    about: About
    parameters: Mapping[str, Any]
    scraps: Mapping[str, Any]
    cells: tuple[ShownCell, ...]
    facts: Mapping[str, Any] = EMPTY
    packages: Mapping[str, str] = EMPTY


def side_of(name: str, context: RunContext) -> Side:
    """What a person means: a run as everywhere, or an executed `.ipynb` file."""
    path = file_meant(name, context)
    if path is None:
        return _of_run(found(name, context))
    if not path.endswith(".ipynb"):
        raise NotebookError(
            "wrong-argument",
            f"{name} is a notebook's source, which has no outputs",
            hint="name runs (octavo runs lists them) or executed .ipynb files",
        )
    return _of_file(path)


def _of_run(run: RunDir) -> Side:
    record = run.record()
    shown = shown_run(run, ShowRequest())
    kernel, git = record.kernel or {}, record.git or {}
    about = About(
        record.run_id, str(run.notebook_path), record.source.get("path"), record.status,
        record.reason, record.started, record.duration_seconds,
    )  # fmt: skip
    facts = {
        "python": kernel.get("python"),
        "interpreter": record.environment.get("python"),
        "engine": record.engine,
        "octavo": record.host.get("octavo"),
        "machine": record.host.get("node"),
        "git commit": git.get("commit"),
        "git branch": git.get("branch"),
        "uncommitted changes": git.get("dirty"),
    }
    return Side(
        about,
        {**record.defaults, **record.parameters},
        _scraps(notebook_of(run)),
        shown.cells,
        _known(facts),
        record.packages,
    )


def _of_file(path: str) -> Side:
    read = notebook_at(path)
    shown = shown_file(path, ShowRequest())
    papermill, ours = (_mapping(read.metadata, key) for key in ("papermill", "octavo"))
    about = About(
        read.run_id, path, read.source, *_ending(papermill, ours),
        _moment(papermill.get("start_time")), _number(papermill.get("duration")),
    )  # fmt: skip
    info = _mapping(read.metadata, "language_info")
    facts = {info.get("name") or "language": info.get("version")}
    parameters = {**_mapping(papermill, "default_parameters"), **read.parameters}
    return Side(about, parameters, _scraps(read), _timed(shown), _known(facts))


def _ending(papermill: Mapping[str, Any], ours: Mapping[str, Any]) -> tuple[Any, Any]:
    """Status and reason; Papermill says only whether there was an exception."""
    if "status" in ours:
        return ours["status"], ours.get("reason")
    if not papermill:
        return None, None
    return ("error", "cell-error") if papermill.get("exception") else ("success", None)


def _timed(shown: Shown) -> tuple[ShownCell, ...]:
    """Cells of a file with what its metadata says of their run."""
    return tuple(_timed_cell(cell) for cell in shown.cells)


def _timed_cell(cell: ShownCell) -> ShownCell:
    papermill, ours = (_mapping(cell.metadata, key) for key in ("papermill", "octavo"))
    tags = cell.metadata.get("tags")
    injected = isinstance(tags, (list, tuple)) and INJECTED in tags
    return cell.replace(
        index=None if injected else cell.index,
        status=ours.get("status"),
        duration_seconds=_number(papermill.get("duration")) if cell.kind == "code" else None,
    )


def _scraps(read: ReadNotebook) -> dict[str, Any]:
    return {name: _told(scrap) for name, scrap in read.scraps.items()}


def _told(scrap: Scrap) -> Any:
    """The value; of a table or a display, its description and a digest that tells it apart."""
    told = scrap.summary()
    if scrap.times and scrap.encoder in PLAIN:
        return told if not isinstance(told, Mapping) or "file" not in told else _payload(scrap)
    content = _payload(scrap) if scrap.times else scrap.display
    return {**told, "sha256": _digest(content)} if isinstance(told, Mapping) else told


def _payload(scrap: Scrap) -> Any:
    try:
        return scrap.payload
    except OctavoError:
        return None


def _digest(content: Any) -> str:
    from hashlib import sha256

    return sha256(utf8(compact(content))).hexdigest()


def _known(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if value is not None}


def _mapping(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = values.get(key)
    return found if isinstance(found, Mapping) else EMPTY


def _number(value: Any) -> float | None:
    """A duration; anybody can write a file in which it is none."""
    try:
        number = float(value) if isinstance(value, (int, float)) else -1.0
    except OverflowError:
        return None
    return number if 0 <= number < inf else None


def _moment(text: Any) -> float | None:
    try:
        return from_iso(text)
    except (TypeError, ValueError):
        return None


def plain_json(value: Any) -> str:
    """A value as text that can be compared line by line."""
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True, default=str)
