"""From events to the outputs of a cell, as a notebook holds them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from octavo.events.spilled import ReadSpilled, Stretch, Tail, no_spilled
from octavo.events.types import (
    Display,
    ErrorRaised,
    Event,
    ExecuteResult,
    OutputCleared,
    Spilled,
    Stream,
)

#: The events that an `OutputFold` understands.
OutputEvent = Stream | Spilled | Display | ExecuteResult | ErrorRaised | OutputCleared
OUTPUT_EVENTS = (Stream, Spilled, Display, ExecuteResult, ErrorRaised, OutputCleared)

#: The newest content of a display, by its id.
Latest = Callable[[str], Display | None]


class _Text:
    """A stream output while it grows."""

    __slots__ = ("name", "parts")

    def __init__(self, name: str) -> None:
        self.name = name
        self.parts: list[str | Stretch] = []


def no_latest(display_id: str) -> Display | None:
    return None


class OutputFold:
    """The outputs of one cell, or of one output widget, as its events arrive.

    Consecutive pieces of one stream become one output; carriage returns stay as they came.
    """

    __slots__ = ("_clear_next", "_shown")

    def __init__(self, before: Iterable[dict[str, Any]] = ()) -> None:
        self._shown: list[_Text | Display | ExecuteResult | ErrorRaised | dict[str, Any]] = []
        self._clear_next = False
        for output in before:
            if output.get("output_type") == "stream":
                self._stream(output["name"]).parts.append(_as_text(output["text"]))
            else:
                self._shown.append(output)

    def apply(self, event: OutputEvent) -> None:
        """Take one event of this cell into account."""
        if isinstance(event, Stream):
            if event.text:
                self._stream(event.name).parts.append(event.text)
        elif isinstance(event, Spilled):
            self._spilled(event)
        elif isinstance(event, OutputCleared):
            self._clear(event.wait)
        elif not (isinstance(event, Display) and event.update):
            self._make_room()
            self._shown.append(event)

    def outputs(
        self, latest: Latest = no_latest, read_spilled: ReadSpilled = no_spilled
    ) -> list[dict[str, Any]]:
        """The outputs as nbformat spells them."""
        tail = Tail(self._stretches(), read_spilled)
        folded = []
        for item in self._shown:
            if isinstance(item, _Text):
                text = tail.join(item.parts)
                if text:
                    folded.append({"output_type": "stream", "name": item.name, "text": text})
            elif isinstance(item, Display):
                folded.append(_display_output(item, latest))
            elif isinstance(item, ExecuteResult):
                folded.append(_result_output(item))
            elif isinstance(item, ErrorRaised):
                folded.append(_error_output(item))
            else:
                folded.append(item)
        return folded

    def _make_room(self) -> None:
        if self._clear_next:
            self._shown.clear()
            self._clear_next = False

    def _clear(self, wait: bool) -> None:
        self._clear_next = wait
        if not wait:
            self._shown.clear()

    def _stream(self, name: str) -> _Text:
        self._make_room()
        last = self._shown[-1] if self._shown else None
        if isinstance(last, _Text) and last.name == name:
            return last
        text = _Text(name)
        self._shown.append(text)
        return text

    def _spilled(self, event: Spilled) -> None:
        if not event.length:
            return
        parts = self._stream(event.name).parts
        last = parts[-1] if parts else None
        end = event.offset + event.length
        if isinstance(last, Stretch) and (last.file, last.end) == (event.file, event.offset):
            last.end = end
        else:
            parts.append(Stretch(event.file, event.offset, end, event.tail))

    def _stretches(self) -> list[Stretch]:
        return [
            part
            for item in self._shown
            if isinstance(item, _Text)
            for part in item.parts
            if isinstance(part, Stretch)
        ]


def fold_outputs(
    events: Iterable[Event], read_spilled: ReadSpilled = no_spilled
) -> dict[int, list[dict[str, Any]]]:
    """The outputs of every cell that has any, from events held in memory; for small runs."""
    folds: dict[int, OutputFold] = {}
    newest: dict[str, Display] = {}
    for event in events:
        if isinstance(event, OUTPUT_EVENTS):
            folds.setdefault(event.cell, OutputFold()).apply(event)
        if isinstance(event, Display) and event.display_id is not None:
            newest[event.display_id] = event
    folded = {cell: fold.outputs(newest.get, read_spilled) for cell, fold in folds.items()}
    return {cell: outputs for cell, outputs in folded.items() if outputs}


def _display_output(event: Display, latest: Latest) -> dict[str, Any]:
    newest = latest(event.display_id) if event.display_id is not None else None
    shown = newest or event
    return {
        "output_type": "display_data",
        "data": valid_bundle(shown.data),
        "metadata": dict(shown.metadata),
    }


def _result_output(event: ExecuteResult) -> dict[str, Any]:
    return {
        "output_type": "execute_result",
        "execution_count": event.execution_count,
        "data": valid_bundle(event.data),
        "metadata": dict(event.metadata),
    }


def _error_output(event: ErrorRaised) -> dict[str, Any]:
    return {
        "output_type": "error",
        "ename": event.ename,
        "evalue": event.evalue,
        "traceback": list(event.traceback),
    }


def valid_bundle(data: Mapping[str, Any]) -> dict[str, Any]:
    """A MIME bundle that nbformat accepts: only JSON types may hold anything but text."""
    return {
        mime: value if isinstance(value, str) or _is_json(mime) else _as_text(value)
        for mime, value in data.items()
    }


def _is_json(mime: str) -> bool:
    return mime == "application/json" or (
        mime.startswith("application/") and mime.endswith("+json")
    )


def _as_text(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "".join(value)
    # Renderers that take an object by such a name parse its text: it must be JSON, not a repr.
    return json.dumps(value, ensure_ascii=False)
