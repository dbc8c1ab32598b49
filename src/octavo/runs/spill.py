"""Keeps the output of a cell within bounds: what goes over lies in a file of the record.

Of a stream, the head stays in the journal, the whole goes to a file, and the notebook shows head
and tail. A display that is too large leaves a note that names the file it is in.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from octavo.events.spilled import size_text
from octavo.events.types import (
    Display,
    ErrorRaised,
    Event,
    ExecuteResult,
    OutputCleared,
    Spilled,
    Stream,
    StreamName,
)
from octavo.records.disk import is_full, release_reserve, storage_error, write_all
from octavo.records.scraps import is_scrap, left_out_note
from octavo.systems import OURS

CAP = 10_000_000
FILES = "files"

#: A cell leaves at most so many notes about displays; the others are only in the file.
_NOTES = 100
#: What is kept of a display's own text, of either end of an error, and searched for a line end.
_TEXT_KEPT = 1000
_ERROR_KEPT = 50_000
_LINE_SEARCH = 4096


class Spill:
    """Takes the events of a run in order and gives those that belong in the journal."""

    def __init__(self, run_dir: Path, cap: int = CAP) -> None:
        self._run_dir = run_dir
        self._cap = cap
        self._cells: dict[int, _CellOutput] = {}
        self._current = -1

    def admit(self, event: Event) -> list[Event]:
        """What is to be journalled for one event."""
        return self.apply((event,))

    def apply(self, events: Sequence[Event]) -> list[Event]:
        """What is to be journalled for a batch. Spilled text is in its file when this returns.

        StorageError `disk-full` when it is not; the reserve of the run has been given back then.
        """
        kept: list[Event] = []
        try:
            for event in events:
                _append(kept, self._limited(event))
        except OSError as error:
            if is_full(error):
                with suppress(OSError):
                    release_reserve(self._run_dir)
            raise storage_error(error, self._run_dir / FILES) from error
        return kept

    def close(self) -> None:
        """Close the files; safe to call twice."""
        for cell in self._cells.values():
            cell.rest()

    def _limited(self, event: Event) -> Iterable[Event]:
        if isinstance(event, Stream):
            return self._cell(event.cell).stream(event)
        if isinstance(event, Display | ExecuteResult):
            return self._cell(event.cell).bundle(event)
        if isinstance(event, ErrorRaised):
            return (self._cell(event.cell).error(event),)
        if isinstance(event, OutputCleared):
            self._cell(event.cell).shown = 0
        return (event,)

    def _cell(self, index: int) -> _CellOutput:
        cell = self._cells.get(index)
        if cell is None:
            cell = self._cells[index] = _CellOutput(index, self._run_dir, self._cap)
        if index > self._current:
            if self._current in self._cells:
                self._cells[self._current].rest()
            self._current = index
        return cell


def _append(kept: list[Event], events: Iterable[Event]) -> None:
    """Join neighbours that continue one file."""
    for event in events:
        last = kept[-1] if kept else None
        if (
            isinstance(event, Spilled)
            and isinstance(last, Spilled)
            and (last.cell, last.file) == (event.cell, event.file)
        ):
            kept[-1] = last.replace(length=last.length + event.length)
        else:
            kept.append(event)


class _CellOutput:
    """How much a cell has put out, and where the rest of it goes."""

    __slots__ = (
        "_cap",
        "_files",
        "_heads",
        "_index",
        "_notes",
        "_over",
        "_run_dir",
        "_used",
        "shown",
    )

    def __init__(self, index: int, run_dir: Path, cap: int) -> None:
        self._index = index
        self._run_dir = run_dir
        self._cap = cap
        self._used = 0
        self._over = False
        self._notes = 0
        self._heads: dict[str, list[str]] | None = {}
        self._files: dict[str, _File] = {}
        self.shown = 0

    def stream(self, event: Stream) -> Iterable[Event]:
        head_size = self._cap // 2
        text = event.text
        if not self._over:
            size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
            if self._used + size <= head_size:
                self._keep(event.name, text, size)
                return (event,)
        raw = text.encode("utf-8", "surrogatepass")
        kept: list[Event] = []
        if not self._over:
            self._over = True
            head = _cut(raw, head_size - self._used)
            raw = raw[len(head) :]
            if head:
                text = head.decode("utf-8", "surrogatepass")
                self._keep(event.name, text, len(head))
                kept.append(event.replace(text=text))
        kept.append(self._spill(event.name, raw))
        return kept

    def bundle(self, event: Display | ExecuteResult) -> Iterable[Event]:
        size = _size(event.data)
        counted = not is_scrap(event.data) and not (isinstance(event, Display) and event.update)
        if size <= self._cap and (not counted or self.shown + size <= self._cap):
            self.shown += size if counted else 0
            return (event,)
        line = json.dumps({"data": event.data, "metadata": event.metadata}, default=str)
        file = self._file("displays.jsonl")
        file.write(line.encode() + b"\n")
        self._notes += 1
        note = {"text/plain": self._note(event.data, file, size)}
        if is_scrap(event.data):
            told = left_out_note(event.data, event.metadata, file.name, self._notes, size)
            return (event.replace(data=note, metadata=told),)
        return () if self._notes > _NOTES else (event.replace(data=note),)

    def error(self, event: ErrorRaised) -> ErrorRaised:
        whole = (event.evalue, *event.traceback)
        if sum(map(len, whole)) <= self._cap:
            return event
        file = self._file("error.txt")
        file.write("\n".join(whole).encode("utf-8", "surrogatepass"))
        traceback = "\n".join(event.traceback)
        return event.replace(
            evalue=_ends(event.evalue, file.name),
            traceback=tuple(_ends(traceback, file.name).split("\n")),
        )

    def rest(self) -> None:
        """Let go of what is only needed while the cell runs."""
        self._heads = None
        for file in self._files.values():
            file.close()

    def _keep(self, name: str, text: str, size: int) -> None:
        self._used += size
        if self._heads is not None:
            self._heads.setdefault(name, []).append(text)

    def _spill(self, name: StreamName, raw: bytes) -> Spilled:
        file = self._file(f"{name}.txt")
        if not file.size:
            file.write(self._head(name))
        offset = file.size
        file.write(raw)
        tail = self._cap - self._cap // 2
        return Spilled(self._index, name, file.name, offset, len(raw), tail)

    def _head(self, name: str) -> bytes:
        """What the stream held until now, so that the file has the whole."""
        if self._heads is None:
            return b"(the beginning is in notebook.ipynb)\n"
        return "".join(self._heads.pop(name, ())).encode("utf-8", "surrogatepass")

    def _file(self, suffix: str) -> _File:
        name = f"{FILES}/cell-{self._index}-{suffix}"
        if name not in self._files:
            self._files[name] = _File(self._run_dir, name)
        return self._files[name]

    def _note(self, data: Mapping[str, Any], file: _File, size: int) -> str:
        own = str(data.get("text/plain", ""))[:_TEXT_KEPT]
        kinds = ", ".join(mime for mime in data if mime != "text/plain") or "text/plain"
        where = f"it is line {self._notes} of {file.name}"
        if self._notes == _NOTES:
            where += ", and so are all that follow"
        return f"{own}{own and chr(10)}… {kinds} ({size_text(size)}) left out, {where} …"


class _File:
    """A file of the record that only grows; opened when it is first written to."""

    __slots__ = ("_fd", "_path", "name", "size")

    def __init__(self, run_dir: Path, name: str) -> None:
        self._path = run_dir / name
        self._fd = -1
        self.name = name
        self.size = 0

    def write(self, data: bytes) -> None:
        if self._fd < 0:
            self._path.parent.mkdir(exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | OURS
            self._fd = os.open(self._path, flags, 0o666)
        write_all(self._fd, data)
        self.size += len(data)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _cut(raw: bytes, room: int) -> bytes:
    """The beginning of UTF-8 text that fits, up to the end of a line or at least a character."""
    newline = raw.rfind(b"\n", max(0, room - _LINE_SEARCH), room)
    if newline >= 0:
        return raw[: newline + 1]
    while room > 0 and room < len(raw) and raw[room] & 0xC0 == 0x80:
        room -= 1
    return raw[:room]


def _size(data: Mapping[str, Any]) -> int:
    """The bytes of a bundle, near enough; what is not text is counted as JSON."""
    return sum(
        len(value) if isinstance(value, str) else len(json.dumps(value, default=str))
        for value in data.values()
    )


def _ends(text: str, file: str) -> str:
    if len(text) <= 2 * _ERROR_KEPT:
        return text
    left_out = size_text(len(text) - 2 * _ERROR_KEPT)
    note = f"\n… {left_out} left out, the whole is in {file} …\n"
    return text[:_ERROR_KEPT] + note + text[-_ERROR_KEPT:]
