"""Work that goes on by itself, for people."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

from octavo.render.columns import one_line, pad, plain, width
from octavo.render.figures import ago, duration
from octavo.surfaces.cli.parser import Asked
from octavo.surfaces.cli.present.sessions import item_lines
from octavo.surfaces.cli.progress.view import View
from octavo.surfaces.cli.screen import Screen

#: The widest column of notebooks.
_WIDEST = 50
_COLOURS = {"succeeded": "green", "running": "cyan", "queued": "cyan"}


def detached(found: Any, out: Screen) -> None:
    """The jobs that were begun, and how to go on."""
    for job in found.jobs:
        out.print(f"{out.style.paint(job.short, 'cyan')}  {_relative(job.notebook)}")
    first = found.jobs[0]
    words = f"octavo job wait {first.short}; octavo job poll {first.short}"
    out.print(out.style.paint(words, "dim"))


def listing(found: Any, asked: Asked, view: View, out: Screen) -> None:
    """Jobs, one line each."""
    if not found.jobs:
        out.print("no jobs; octavo run --detach notebook.py begins one")
        return
    names = max(len(state.short) for state in found.jobs)
    words = max(len(state.status) for state in found.jobs)
    paths = [one_line(_relative(state.notebook), _WIDEST) for state in found.jobs]
    widest = max(map(width, paths))
    for state, path in zip(found.jobs, paths, strict=True):
        name = out.style.paint(pad(state.short, names), "cyan")
        status = _status(state, out, words)
        out.print(f"{name}  {status}  {pad(path, widest)}  {_facts(state, out)}".rstrip())


def polled(found: Any, asked: Asked, view: View, out: Screen) -> None:
    """What was printed, then how far the job is, and the cursor for the next time."""
    for item in found.outputs:
        out.print(*item_lines(item, out.style))
    out.print(_line(found.state, out))
    more = " (there is more)" if found.more else ""
    words = f"octavo job poll {found.state.short} --cursor {found.cursor}{more}"
    if found.more or not found.state.ended:
        out.print(out.style.paint(words, "dim"))


def waited(state: Any, asked: Asked, view: View, out: Screen) -> None:
    """How a job ended, or that it goes on."""
    out.print(_line(state, out))
    if state.message:
        out.print(f"  {plain(state.message)}")
    elif failure := _failure(state.result):
        out.print(f"  {plain(failure)}")
    if state.next:
        out.print(out.style.paint(state.next, "dim"))


def cancelled(found: Any, asked: Asked, view: View, out: Screen) -> None:
    """What became of a job that was asked to stop."""
    words = {
        "interrupted": "was interrupted",
        "killed": "did not heed the interrupt: its kernel was ended",
        "ended": "had ended before",
        "asked": "was asked to stop, and goes on",
    }
    out.print(f"{out.style.paint(found.state.short, 'cyan')} {words[found.how]}")
    if found.next:
        out.print(out.style.paint(found.next, "dim"))


def taken_up(info: Any, asked: Asked, view: View, out: Screen) -> None:
    """The session of a run that was held, and how to go on from the failing cell."""
    short, at = info.short, info.position - 1
    left = duration(max(0.0, (info.lease_ends or 0.0) - time.time()))
    name = out.style.paint(short, "cyan")
    out.print(f"session {name}  {_relative(info.notebook or '')}  paused at cell {at}, for {left}")
    out.print(*(f"  {note}" for note in info.notes))
    steps = _steps(short, at, copied=not any("no snapshots" in note for note in info.notes))
    widest = max(map(len, steps))
    for step, what in steps.items():
        out.print(f"  {pad(step, widest)}  {out.style.paint(what, 'dim')}")


def _steps(short: str, at: int, *, copied: bool) -> Mapping[str, str]:
    """Commands that go on from a failing cell, and what they are for."""
    again = "" if copied else ", after executing those before it again"
    live = {f"octavo session exec {short} CODE": "go on in the state as it is"}
    return {
        f"octavo session vars {short}": "what there is",
        **({} if copied else live),
        f"octavo session edit {short} {at} SOURCE --run": f"mend the cell{again}",
        f"octavo session run-all {short}": "go on with the rest",
        f"octavo session save {short}": "keep what was changed",
    }


def _line(state: Any, out: Screen) -> str:
    name = out.style.paint(state.short, "cyan")
    parts = [name, _status(state, out), _relative(state.notebook), _facts(state, out)]
    return "  ".join(part for part in parts if part)


def _status(state: Any, out: Screen, width: int = 0) -> str:
    return out.style.paint(pad(state.status, width), _COLOURS.get(state.status, "red"))


def _facts(state: Any, out: Screen) -> str:
    facts = []
    if state.cells:
        facts.append(f"{state.done}/{state.cells} cells")
    if state.finished and state.started:
        facts.append(duration(state.finished - state.started))
        facts.append(ago(time.time() - state.finished))
    elif state.started:
        facts.append(duration(time.time() - state.started))
    return out.style.paint(", ".join(facts), "dim") if facts else ""


def _failure(result: Mapping[str, Any] | None) -> str:
    failed = result.get("failed_cell") if result else None
    if failed is None:
        return ""
    told = failed if isinstance(failed, Mapping) else failed.to_dict()
    return f"{told.get('ename')}: {told.get('evalue')}"


def _relative(path: str) -> str:
    if not path or not os.path.isabs(path):
        return path
    near = os.path.relpath(path)
    return path if near.startswith("..") else near
