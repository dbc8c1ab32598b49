"""The whole of an output that an answer had only the beginning and the end of."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from octavo.errors import UsageError
from octavo.records.outline import outline_of
from octavo.records.outputs import CellOutputs
from octavo.records.store import RunDir
from octavo.value import Value

_HANDLE = re.compile(r"([0-9A-Za-z-]+):([0-9]{1,9})(?::([0-9]{1,9}))?")


class Handle(Value):
    """A run, a cell of its record, and one of its outputs; without one, all of them."""

    run: str
    cell: int
    output: int | None


class Part(Value):
    """A piece of a text; `left` characters come after it."""

    text: str
    left: int


def handle_of(text: str) -> Handle:
    """The handle that a text is."""
    found = _HANDLE.fullmatch(text.strip())
    if found is None:
        hint = "handles stand in answers, such as 3feb815f:1:0"
        raise UsageError("wrong-argument", f"{text[:80]!r} is no handle", hint=hint)
    run, cell, output = found.groups()
    return Handle(run, int(cell), None if output is None else int(output))


def whole(run: RunDir, handle: Handle, offset: int, length: int) -> Part:
    """A piece of what was put out, from a character on."""
    outline = outline_of(run.journal_path)
    with run.journal_path.open("rb") as journal:
        outputs = CellOutputs(journal, outline, run.path).of(handle.cell)
    at = handle.output
    if at is not None and at >= len(outputs):
        hint = "ask run_result for the cell, which tells what it put out"
        raise UsageError("wrong-argument", "the cell has no such output", hint=hint)
    chosen = outputs if at is None else [outputs[at]]
    text = "\n".join(map(text_of, chosen))
    return Part(text[offset : offset + length], max(0, len(text) - offset - length))


def text_of(output: Mapping[str, Any]) -> str:
    """What can be read of an output as nbformat spells it."""
    from octavo.render.columns import plain

    if output.get("output_type") == "stream":
        return _joined(output.get("text"))
    if output.get("output_type") == "error":
        lines = [line for each in output.get("traceback", ()) for line in each.splitlines()]
        return "\n".join(map(plain, lines))
    data = output.get("data") or {}
    for mime in ("text/plain", "text/markdown", "text/latex", "text/html", "application/json"):
        if mime in data:
            return _joined(data[mime])
    return f"{', '.join(data)}: no text; images are resources of the run"


def _joined(value: Any) -> str:
    if isinstance(value, list):
        return "".join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
