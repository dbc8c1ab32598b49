"""Events as lines of JSON and back."""

from __future__ import annotations

import json
from json.encoder import encode_basestring_ascii
from typing import Any

from octavo.events.types import (
    EVENT_TYPES,
    BoundCell,
    CellBound,
    CommMessage,
    ErrorRaised,
    Event,
    FilesSeen,
    RunStarted,
    ScrapsChecked,
    StateRestored,
    Stream,
)
from octavo.value import Value

_BY_NAME: dict[str, Any] = {cls.type: cls for cls in EVENT_TYPES}  # type: ignore[attr-defined]
_load = json.JSONDecoder().decode
_dump = json.JSONEncoder(separators=(",", ":"), default=str).encode
_WITH_TUPLES: dict[type, tuple[str, ...]] = {
    ErrorRaised: ("traceback",),
    CommMessage: ("buffers",),
    ScrapsChecked: ("problems",),
    StateRestored: ("line",),
    FilesSeen: ("read", "missing", "written", "listed", "modules", "facts"),
}
_KINDS: tuple[type[Value], ...] = (*EVENT_TYPES, BoundCell)
_FIELDS: dict[type, tuple[str, ...]] = {cls: cls._fields for cls in _KINDS}


class UnknownEvent(ValueError):
    """A line that is not an event of this version."""


def to_dict(event: Event) -> dict[str, Any]:
    """The event as plain JSON values, `type` first."""
    cls = type(event)
    plain: dict[str, Any] = {"type": cls.type}
    for name in _FIELDS[cls]:
        plain[name] = getattr(event, name)
    if cls is RunStarted:
        plain["cells"] = [_plain_cell(cell) for cell in plain["cells"]]
    elif cls is CellBound:
        plain["bound"] = _plain_cell(plain["bound"])
    return plain


def encode(event: Event) -> str:
    """One line of a journal, without its newline. Lone surrogates survive as escapes."""
    if type(event) is Stream:  # most of a journal: spelled out, it costs a third
        text = encode_basestring_ascii(event.text)
        return f'{{"type":"stream","cell":{event.cell},"name":"{event.name}","text":{text}}}'
    return _dump(to_dict(event))


def from_dict(plain: dict[str, Any]) -> Event:
    """The event that `to_dict` made; fields that a newer writer added are dropped."""
    return _build(dict(plain))


def decode(line: str | bytes) -> Event:
    """The event on a line of a journal; ValueError when it is torn or not an event."""
    plain = _load(line if isinstance(line, str) else line.decode())
    if not isinstance(plain, dict):
        raise UnknownEvent("not an event")
    return _build(plain)


def _build(values: dict[str, Any]) -> Event:
    """The event of these values, which are used up."""
    name = values.pop("type", "")
    cls = _BY_NAME.get(name) if isinstance(name, str) else None
    if cls is None:
        raise UnknownEvent(f"unknown event type {name!r}")
    if values.keys() - _FIELDS[cls]:
        values = {field: values[field] for field in _FIELDS[cls] if field in values}
    try:
        if cls is RunStarted:
            values["cells"] = tuple(_bound_cell(cell) for cell in values["cells"])
        elif cls is CellBound:
            values["bound"] = _bound_cell(values["bound"])
        for field in _WITH_TUPLES.get(cls, ()):
            values[field] = tuple(values.get(field, ()))
        event: Event = cls(**values)
    except (TypeError, KeyError) as error:
        raise UnknownEvent(f"{name}: {error}") from error
    return event


def _plain_cell(cell: BoundCell) -> dict[str, Any]:
    return {name: getattr(cell, name) for name in _FIELDS[BoundCell]}


def _bound_cell(values: dict[str, Any]) -> BoundCell:
    return BoundCell(**{name: values[name] for name in _FIELDS[BoundCell] if name in values})
