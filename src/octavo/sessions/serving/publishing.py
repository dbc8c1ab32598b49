"""Events of a session in the words of Jupyter's protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Event = Mapping[str, Any]
Message = tuple[str, dict[str, Any]]

_SPILLED = "[octavo: there is more; the record of the session has it all]\n"


def message(event: Event) -> Message | None:
    """The message that shows an event (as JSON); None for those that show nothing."""
    make = _MAKERS.get(str(event.get("type")))
    return make(event) if make is not None else None


def _stream(event: Event) -> Message:
    return "stream", {"name": event["name"], "text": event["text"]}


def _spilled(event: Event) -> Message:
    return "stream", {"name": event["name"], "text": _SPILLED}


def _display(event: Event) -> Message:
    identity = event.get("display_id")
    content = {
        "data": dict(event["data"]),
        "metadata": dict(event.get("metadata") or {}),
        "transient": {} if identity is None else {"display_id": identity},
    }
    return "update_display_data" if event.get("update") else "display_data", content


def _result(event: Event) -> Message:
    return "execute_result", {
        "execution_count": event["execution_count"],
        "data": dict(event["data"]),
        "metadata": dict(event.get("metadata") or {}),
    }


def _error(event: Event) -> Message:
    return "error", {
        "ename": event["ename"],
        "evalue": event["evalue"],
        "traceback": list(event.get("traceback") or ()),
    }


def _clear(event: Event) -> Message:
    return "clear_output", {"wait": bool(event.get("wait"))}


_MAKERS: dict[str, Callable[[Event], Message]] = {
    "stream": _stream,
    "spilled": _spilled,
    "display": _display,
    "execute-result": _result,
    "error": _error,
    "clear-output": _clear,
}
