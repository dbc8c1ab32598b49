"""What a kernel says in Jupyter's words, as the events that everything else speaks of."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any, Literal

from octavo.events.types import (
    CommMessage,
    Display,
    ErrorRaised,
    ExecuteResult,
    KernelEvent,
    OutputCleared,
    Stream,
)
from octavo.kernels.local.reports import complaint

Content = Mapping[str, Any]

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
#: Where kernels name the line of the cell: IPython's old and new ways.
_LINES = (
    re.compile(r"Cell In\s?\[(?P<count>\d+)\], line (?P<line>\d+)"),
    re.compile(r"Input In \[(?P<count>\d+)\], in <(?:cell )?line: (?P<line>\d+)>"),
    re.compile(r"<ipython-input-(?P<count>\d+)-\w+> in .*\n(?:.*\n)*?-+> ?(?P<line>\d+) "),
)


class Malformed(ValueError):
    """A message whose content is not what its type promises."""


def event(kind: str, content: Content, cell: int, buffers: list[Any]) -> KernelEvent | None:
    """The event in a message; None for those that show nothing, a complaint for broken ones."""
    make = _MAKERS.get(kind)
    if make is None:
        return None
    try:
        made = make(content, cell)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return complaint(cell, f"{kind}: {type(error).__name__}: {error}")
    if isinstance(made, CommMessage) and buffers:
        return made.replace(buffers=tuple(map(_text, buffers)))
    return made


def error(content: Content, cell: int) -> ErrorRaised:
    """An error, with the line of the cell where the traceback tells it."""
    lines = tuple(str(line) for line in content.get("traceback") or ())
    name = str(content.get("ename") or "")
    value = str(content.get("evalue") or "")
    return ErrorRaised(cell, name or "Error", value, lines, line_of(lines))


def line_of(traceback: tuple[str, ...]) -> int | None:
    """The line of the cell that a traceback speaks of last."""
    text = _ANSI.sub("", "\n".join(traceback))
    for pattern in _LINES:
        found = list(pattern.finditer(text))
        if found and "count" in pattern.groupindex:
            newest = max(int(each["count"]) for each in found)
            found = [each for each in found if int(each["count"]) == newest][-1:]
        if found:
            return int(found[0]["line"])
    return None


def _stream(content: Content, cell: int) -> Stream:
    name: Literal["stdout", "stderr"] = "stderr" if content["name"] == "stderr" else "stdout"
    return Stream(cell, name, _str(content["text"]))


def _display(content: Content, cell: int, update: bool = False) -> Display:
    identity = _dict(content.get("transient") or {}).get("display_id")
    return Display(
        cell,
        _dict(content["data"]),
        _dict(content.get("metadata") or {}),
        None if identity is None else str(identity),
        update,
    )


def _update(content: Content, cell: int) -> Display:
    return _display(content, cell, update=True)


def _result(content: Content, cell: int) -> ExecuteResult:
    count = content.get("execution_count")
    metadata = _dict(content.get("metadata") or {})
    return ExecuteResult(cell, int(count or 0), _dict(content["data"]), metadata)


def _clear(content: Content, cell: int) -> OutputCleared:
    return OutputCleared(cell, bool(content.get("wait")))


def _comm(action: Literal["open", "msg", "close"]) -> Callable[[Content, int], CommMessage]:
    def make(content: Content, cell: int) -> CommMessage:
        return CommMessage(
            cell,
            action,
            _str(content["comm_id"]),
            _dict(content.get("data") or {}),
            target_name=str(content.get("target_name") or ""),
        )

    return make


_MAKERS: dict[str, Callable[[Content, int], KernelEvent]] = {
    "stream": _stream,
    "display_data": _display,
    "update_display_data": _update,
    "execute_result": _result,
    "error": error,
    "clear_output": _clear,
    "comm_open": _comm("open"),
    "comm_msg": _comm("msg"),
    "comm_close": _comm("close"),
}


def _dict(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Malformed(f"{type(value).__name__} where a mapping belongs")
    return value


def _str(value: Any) -> str:
    if not isinstance(value, str):
        raise Malformed(f"{type(value).__name__} where text belongs")
    return value


def _text(buffer: Any) -> str:
    return buffer if isinstance(buffer, str) else b64encode(bytes(buffer)).decode("ascii")
