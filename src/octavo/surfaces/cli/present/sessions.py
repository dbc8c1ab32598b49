"""Sessions for people: what was executed, what there is, what was done."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

from octavo.render.columns import coloured, plain
from octavo.render.style import Style
from octavo.render.tables import table
from octavo.sessions.values import (
    UNDER_WAY,
    CellInfo,
    Done,
    Edited,
    Executed,
    ExecutedAll,
    Rewound,
    SessionInfo,
    Sessions,
    Shown,
)
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.progress.outputs import LiveOutputs
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen

_MANNER = {"fresh": "green", "failed": "red", "stale": "yellow", "unproven": "yellow", "new": "dim"}


def started(info: SessionInfo, asked: Asked, view: View, out: Screen) -> None:
    """The id of a session, and how to go on."""
    style = out.style
    about = plain(_of(info))
    out.print(f"{style.sign('success')} session {style.paint(info.short, 'bold')}  {about}")
    for note in info.notes:
        out.print(style.paint(f"  {plain(note)}", "dim"))
    left = info.position < info.cells
    follow = "run-all" if left else "exec"
    code = "" if left else " 'print(1 + 1)'"
    out.print(style.paint(f"  octavo session {follow} {info.short}{code}", "dim"))


def executed(result: Executed, asked: Asked, view: View, out: Screen) -> None:
    """What was shown and is not on the screen yet, and below it what else there is to know."""
    _rest(result, view, out)
    _tail(result, out)


def executed_all(result: ExecutedAll, asked: Asked, view: View, out: Screen) -> None:
    """Every cell with what it has shown, as far as that is not on the screen yet."""
    for each in result.executed:
        _one_of_all(each, view, out)
    if not result.executed and result.status == "succeeded":
        out.print("nothing was left to execute")
    _below(result.notes, result.next, out)


def _one_of_all(each: Executed, view: View, out: Screen) -> None:
    number = int(each.job.rpartition(".")[2])
    told = view.cells is not None and number in view.cells.told
    shown = view.cells.of(number) if view.cells is not None else None
    rest = _unseen(each, shown, out)
    if told and not rest:
        return
    style, cell = out.style, each.cell
    name = f"cell {cell.index}  {plain(cell.first_line)}" if cell else f"job {each.job}"
    if told:
        out.print(f"  {name}")
    elif each.status in UNDER_WAY:
        out.print(f"  {name}  {style.paint(each.status, 'dim')}")
    else:
        sign = style.sign("success" if each.status == "succeeded" else "error")
        out.print(f"{sign} {name}  {style.paint(_took(each.seconds), 'dim')}")
    out.print(*rest)


def edited(result: Edited | Executed, asked: Asked, view: View, out: Screen) -> None:
    """What became of an edit."""
    if isinstance(result, Executed):
        executed(result, asked, view, out)
        return
    style = out.style
    done = {"replace": "changed", "insert": "inserted", "delete": "deleted"}[result.op]
    if result.cell is None:
        out.print(f"{style.sign('success')} {done}")
    else:
        handle = style.paint(result.cell.handle, "dim")
        out.print(f"{style.sign('success')} cell {result.cell.index} {done}  {handle}")
    _below(result.notes, result.next, out)


def shown(result: Shown, asked: Asked, view: View, out: Screen) -> None:
    """The document, with a line where the state ends."""
    style = out.style
    info = result.session
    out.print(f"session {style.paint(info.short, 'bold')}  {info.state}  {plain(_of(info))}")
    rows = [_cell_row(cell, style) for cell in result.cells]
    lines = table(rows, head=("", "key", "handle", "status", ""), style=style) if rows else []
    end = style.paint(style.pick("── the state ends here ──", "-- the state ends here --"), "dim")
    if lines and 0 < result.position < len(rows):
        lines.insert(1 + result.position, end)
    out.print(*lines)
    if info.unproven:
        out.print(style.paint("unproven: octavo session run-all proves the state", "yellow"))
    _below(info.notes, "", out)


def listing(result: Sessions, asked: Asked, view: View, out: Screen) -> None:
    """One line for each session."""
    style = out.style
    if not result.sessions:
        where = "" if asked.request.all else " in this project"
        out.print(f"no sessions{where}; octavo session start begins one")
        return
    rows = [_session_row(each, style) for each in result.sessions]
    head = ("session", "state", "cells", "snapshots", "lease", "notebook", "")
    out.print(*table(rows, head=head, style=style))


def rewound(result: Rewound, asked: Asked, view: View, out: Screen) -> None:
    """Where the state is now, and what lies in the folder since then."""
    style = out.style
    out.print(f"{style.sign('success')} the state is that before cell {result.position}")
    for file in result.files:
        why = f"  {plain(str(file['why']))}" if file.get("why") else ""
        kept = "  restored" if file.get("restored") else why
        out.print(f"  {file.get('change')}  {plain(str(file.get('path')))}{kept}")
    _below(result.notes, result.next, out)


def done(result: Done, asked: Asked, view: View, out: Screen) -> None:
    """Something small."""
    if result.done == "nothing":
        out.print(f"{result.session}: {', '.join(result.notes)}")
        return
    out.print(f"{out.style.sign('success')} {result.session} {result.done}")
    _below(result.notes, result.next, out)


def attached(result: Any, asked: Asked, view: View, out: Screen) -> None:
    """Nothing: all that there was has been shown."""


def _rest(result: Executed, view: View, out: Screen) -> None:
    """What came while the code was executed has been shown; its images and errors have not."""
    out.print(*_unseen(result, view.outputs, out))


def _unseen(result: Executed, shown: LiveOutputs | None, out: Screen) -> list[str]:
    lines = [line for item in result.outputs for line in item_lines(item, out.style)]
    left = lines if shown is None else shown.rest(lines)
    if left is None:
        unseen = [item for item in result.outputs if item.get("type") in ("image", "error")]
        left = [line for item in unseen for line in item_lines(item, out.style)]
    return left


def item_lines(item: Mapping[str, Any], style: Style) -> list[str]:
    """An output of an answer, for people."""
    kind = item.get("type")
    text = item.get("text")
    lines = [coloured(line) for line in str(text).splitlines()] if text else []
    if kind == "image":
        size = f"{item.get('width')}×{item.get('height')}"
        lines.insert(0, f"image {size}  {plain(str(item.get('path') or ''))}")
    elif kind == "error":
        where = f"  {plain(str(item['where']))}" if item.get("where") else ""
        named = ": ".join(plain(str(item[key])) for key in ("name", "message") if item.get(key))
        lines = [*map(plain, item.get("lines", ())), style.paint(named, "red") + where]
    elif kind == "omitted":
        outputs = f"{item.get('outputs')} outputs"
        left_out = f"{item['cells']} cells" if item.get("cells") else outputs
        lines = [style.paint(f"{left_out} left out", "dim")]
    if item.get("omitted") and kind != "omitted":
        lines.append(style.paint(f"cut; octavo read {item.get('handle')} has it whole", "dim"))
    return lines


def _tail(result: Executed, out: Screen) -> None:
    style = out.style
    if result.status in UNDER_WAY:
        out.print(f"{result.status}: job {style.paint(result.job, 'bold')}")
    elif result.status not in ("succeeded", "failed"):
        out.print(style.paint(result.status, "red"))
    if result.error is not None and result.error.get("name") == "KernelDied":
        out.print(style.paint(plain(str(result.error.get("message"))), "red"))
    _below(result.notes, result.next, out)


def _below(notes: tuple[str, ...], following: str, out: Screen) -> None:
    for note in notes:
        out.print(out.style.paint(f"  {plain(note)}", "dim"))
    if following:
        out.print(out.style.paint(f"  {plain(following)}", "dim"))


def _cell_row(cell: CellInfo, style: Style) -> tuple[str, ...]:
    status = style.paint(cell.status, _MANNER[cell.status]) if cell.kind == "code" else ""
    line = plain(cell.first_line)
    return (str(cell.index), cell.key, style.paint(cell.handle, "dim"), status, line)


def _session_row(info: SessionInfo, style: Style) -> tuple[str, ...]:
    manners = {"busy": "yellow", "idle": "green", "kernel-died": "red", "dead": "red"}
    manner = manners.get(info.state, "dim")
    state = style.paint(info.state, manner)
    if info.queue:
        state += f" +{info.queue}"
    notes = style.paint(plain("; ".join(info.notes)), "dim")
    cells = f"{info.position}/{info.cells}"
    return (info.short, state, cells, str(info.snapshots), _left(info), plain(_of(info)), notes)


def _of(info: SessionInfo) -> str:
    notebook = os.path.relpath(info.notebook) if info.notebook else ""
    return "  ".join(filter(None, (info.name, notebook))) or "no notebook"


def _left(info: SessionInfo) -> str:
    if info.lease_ends is None:
        return ""
    left = max(0, int(info.lease_ends - time.time()))
    return f"{left // 3600} h {left % 3600 // 60} min" if left >= 3600 else f"{left // 60 + 1} min"


def _took(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.2f} s"
