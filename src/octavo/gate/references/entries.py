"""Cells in a reference file: what is kept of their outputs, and which cell an entry is about."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from octavo.gate.comparing.outputs import as_shown
from octavo.notebook.identity import handle
from octavo.notebook.model import Cell
from octavo.value import Value

_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{6,16}\b")


class Entry(Value):
    """The expected outputs of a cell, and how the cell is known again.

    `handle` is that of the cell when they were accepted, `between` has those of the code cells
    before and after it (empty where there was none), `values` is the set of values it ran with.
    """

    handle: str
    outputs: tuple[Mapping[str, Any], ...]
    name: str = ""
    between: tuple[str, str] = ("", "")
    values: str = ""


def matched(entries: Sequence[Entry], cells: Sequence[Cell]) -> dict[int, int]:
    """The place of the entry for each code cell that has one, by the index of the cell.

    Cells are known by what they hold, else by their name, else by the code around them.
    """
    code = [at for at, cell in enumerate(cells) if cell.kind == "code"]
    handles = {at: handle(cells[at]) for at in code}
    around = {at: _around(code, place, handles) for place, at in enumerate(code)}
    found = _by_handle(entries, handles, around)
    _add_by_name(found, entries, {at: cells[at].name or "" for at in code})
    _add_by_neighbours(found, entries, around)
    return found


def _around(code: Sequence[int], place: int, handles: Mapping[int, str]) -> tuple[str, str]:
    """The handles of the code cells before and after one."""
    before = handles[code[place - 1]] if place else ""
    return before, handles[code[place + 1]] if place + 1 < len(code) else ""


def _by_handle(
    entries: Sequence[Entry], handles: Mapping[int, str], around: Mapping[int, tuple[str, str]]
) -> dict[int, int]:
    """Copies of a cell are told apart by what they follow, and else taken in their order."""
    places: dict[str, list[int]] = defaultdict(list)
    for at, known in handles.items():
        places[known].append(at)
    found: dict[int, int] = {}
    late = []
    for number, entry in enumerate(entries):
        free = [at for at in places[entry.handle] if at not in found]
        near = [at for at in free if around[at][0] == entry.between[0]]
        if near:
            found[near[0]] = number
        elif free:
            late.append(number)
    for number in late:
        free = [at for at in places[entries[number].handle] if at not in found]
        if free:
            found[free[0]] = number
    return found


def _add_by_name(found: dict[int, int], entries: Sequence[Entry], names: Mapping[int, str]) -> None:
    called = Counter(entry.name for entry in entries)
    cells = Counter(names.values())
    where = {name: at for at, name in names.items() if name and cells[name] == 1}
    taken = set(found.values())
    for number, entry in enumerate(entries):
        at = where.get(entry.name)
        if at is not None and number not in taken and at not in found and called[entry.name] == 1:
            found[at] = number


def _add_by_neighbours(
    found: dict[int, int], entries: Sequence[Entry], around: Mapping[int, tuple[str, str]]
) -> None:
    """A cell that was rewritten stands where it stood: between the same two as before."""
    times = Counter(around.values())
    where = {both: at for at, both in around.items() if times[both] == 1}
    taken = set(found.values())
    for number, entry in enumerate(entries):
        here = where.get(entry.between)
        if number not in taken and here is not None and here not in found:
            found[here] = number


def entry_of(
    cells: Sequence[Cell], at: int, outputs: Sequence[Mapping[str, Any]], values: str
) -> Entry:
    """The entry for a cell that has these outputs."""
    code = [place for place, cell in enumerate(cells) if cell.kind == "code"]
    handles = {place: handle(cells[place]) for place in code}
    between = _around(code, code.index(at), handles)
    return Entry(handles[at], tuple(outputs), cells[at].name or "", between, values)


def stable(outputs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Outputs without what no two runs have in common: counts, metadata, tracebacks, addresses in
    memory. The pieces of a stream are one text.
    """
    found: list[Mapping[str, Any]] = []
    streams: dict[str, list[str]] = {}
    for output in outputs:
        kind = output["output_type"]
        if kind == "stream":
            name = output.get("name", "stdout")
            if name not in streams:
                found.append({"output_type": "stream", "name": name})
            streams.setdefault(name, []).append(output["text"])
        elif kind == "error":
            told = {key: _without_addresses(output.get(key, "")) for key in ("ename", "evalue")}
            found.append({"output_type": "error", **told})
        else:
            data = {mime: _without_addresses(value) for mime, value in output["data"].items()}
            found.append({"output_type": kind, "data": data})
    return [
        {**each, "text": _without_addresses(as_shown("".join(streams[each["name"]])))}
        if each["output_type"] == "stream"
        else each
        for each in found
    ]


def _without_addresses(value: Any) -> Any:
    if isinstance(value, str) and " 0x" in value:
        return _ADDRESS.sub("at 0x…", value)
    return value
