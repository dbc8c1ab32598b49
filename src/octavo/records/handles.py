"""The whole of an output of which an answer had only the two ends: `<run>:<cell>:<output>`.

The cell is that of the record. What was too large for the notebook is read from its file; memory
does not grow with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from octavo.errors import StorageError, UsageError
from octavo.events.fold import OutputFold
from octavo.events.types import Spilled
from octavo.records.disk import cannot_read
from octavo.records.outline import outline_of
from octavo.records.outputs import CellOutputs
from octavo.records.run_dir import RunDir
from octavo.value import Value

#: As much of a text as is given at once when nobody says.
LENGTH = 20_000

_HANDLE = re.compile(r"([0-9A-Za-z][0-9A-Za-z-]{3,63}):([0-9]{1,9})(?::([0-9]{1,9}))?")
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])")
_SPILLED = re.compile(r"it is line (\d{1,9}) of (files/cell-\d{1,9}-displays\.jsonl)")
_SPILLED_ERROR = re.compile(r"files/cell-\d{1,9}-error\.txt")
_PLACEHOLDER = re.compile(r"<[^<>\n]{1,200}>$")
_TEXTS = ("text/plain", "text/markdown", "text/latex", "text/html", "image/svg+xml")
_CHUNK = 1 << 20
_LONGEST_LINE = 200_000_000


class Handle(Value):
    """A run, a cell of its record, and one of its outputs; without one, all of them."""

    run: str
    cell: int
    output: int | None = None

    def __str__(self) -> str:
        last = "" if self.output is None else f":{self.output}"
        return f"{self.run}:{self.cell}{last}"


class Part(Value):
    """A piece of a text from a character on; `left` characters come after it."""

    text: str
    left: int
    offset: int = 0


def is_handle(text: str) -> bool:
    """Whether a text looks like a handle."""
    return _HANDLE.fullmatch(text.strip()) is not None


def handle_of(text: str) -> Handle:
    """The handle that a text is."""
    found = _HANDLE.fullmatch(text.strip())
    if found is None:
        hint = "handles stand in answers, such as 3feb815f:1:0"
        raise UsageError("wrong-argument", f"{text[:80]!r} is no handle", hint=hint)
    run, cell, output = found.groups()
    return Handle(run, int(cell), None if output is None else int(output))


def whole(run: RunDir, handle: Handle, offset: int = 0, length: int = LENGTH) -> Part:
    """A piece of what a cell has put out."""
    try:
        return _piece(_pieces(run, handle), max(0, offset), max(0, length))
    except OSError as error:
        raise cannot_read(error, run.path) from error


def _piece(pieces: Iterator[str], offset: int, length: int) -> Part:
    """The characters that are wanted, and how many come after them."""
    taken: list[str] = []
    at, wanted, left = 0, offset + length, 0
    for piece in pieces:
        start, end = max(0, offset - at), max(0, wanted - at)
        taken.append(piece[start:end])
        left += max(0, len(piece) - max(start, end))
        at += len(piece)
    return Part("".join(taken), left, min(offset, at))


def _pieces(run: RunDir, handle: Handle) -> Iterator[str]:
    outputs, spilled = _outputs(run, handle.cell)
    if handle.output is not None and handle.output >= len(outputs):
        count = f"{len(outputs)} output{'s' * (len(outputs) != 1)}"
        raise UsageError(
            "wrong-argument",
            f"cell {handle.cell} of {run.run_id[-8:]} has {count}",
            place=str(handle),
            hint=f"octavo read {run.run_id[-8:]} tells what there is",
        )
    chosen = outputs if handle.output is None else [outputs[handle.output]]
    for at, output in enumerate(chosen):
        if at:
            yield "\n"
        file = spilled.get(str(output.get("name")), "")
        if output.get("output_type") == "stream" and file:
            yield from _file(run.path / file)
        else:
            yield _text(output, run.path)


def _outputs(run: RunDir, cell: int) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The outputs of a cell, and the files in which its streams are whole."""
    if not run.journal_path.is_file():
        return _saved(run, cell), {}
    outline = outline_of(run.journal_path)
    with run.journal_path.open("rb") as journal:
        reader = CellOutputs(journal, outline, run.path)
        found = list(reader.events(cell))
        files = {each.name: each.file for each in found if isinstance(each, Spilled)}
        fold = OutputFold()
        for event in found:
            fold.apply(event)
        outputs = reader.folded(fold)
    return outputs, {name: file for name, file in files.items() if (run.path / file).is_file()}


def _saved(run: RunDir, cell: int) -> list[dict[str, Any]]:
    """From the notebook, where nothing else is left of a run."""
    try:
        cells = json.loads(run.notebook_path.read_bytes())["cells"]
        outputs = cells[cell].get("outputs", []) if cell < len(cells) else []
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StorageError(
            "record-invalid",
            "the notebook of the run cannot be read",
            place=str(run.notebook_path),
            hint="octavo runs lists other runs",
        ) from error
    return [each for each in outputs if isinstance(each, dict)]


def _file(path: Path) -> Iterator[str]:
    """A file of the record, piece by piece."""
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield decoder.decode(chunk)
        yield decoder.decode(b"", final=True)


def _text(output: Mapping[str, Any], folder: Path) -> str:
    """What can be read of an output as nbformat spells it."""
    if output.get("output_type") == "stream":
        return _joined(output.get("text"))
    if output.get("output_type") == "error":
        return _error(output, folder)
    data = _whole_bundle(output.get("data") or {}, folder)
    plain = _joined(data.get("text/plain", ""))
    for mime in _TEXTS:
        is_said = mime != "text/plain" or not (len(data) > 1 and _PLACEHOLDER.match(plain))
        if mime in data and is_said:
            return _joined(data[mime])
    structured = next((mime for mime in data if mime.endswith("json")), None)
    if structured is not None:
        return json.dumps(data[structured], ensure_ascii=False)
    return plain or f"{', '.join(data)}: no text"


def _error(output: Mapping[str, Any], folder: Path) -> str:
    text = "\n".join(map(str, output.get("traceback") or ()))
    found = _SPILLED_ERROR.search(text)
    if found and (folder / found[0]).is_file():
        text = "".join(_file(folder / found[0]))
    text = text or f"{output.get('ename')}: {output.get('evalue')}"
    return _ESCAPE.sub("", text)


def _whole_bundle(data: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """A display that only left a note, from the file that it is in."""
    note = data.get("text/plain")
    found = _SPILLED.search(note) if isinstance(note, str) else None
    if found is None:
        return data
    try:
        with (folder / found[2]).open("rb") as file:
            for _ in range(int(found[1]) - 1):
                file.readline(_LONGEST_LINE)
            whole = json.loads(file.readline(_LONGEST_LINE))["data"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return data
    return whole if isinstance(whole, dict) else data


def _joined(value: Any) -> str:
    if isinstance(value, list):
        return "".join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
