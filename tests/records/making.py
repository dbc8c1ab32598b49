"""Runs for tests: their events, their journals, and strategies that make them up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from events.making import BUFFERED_COMM, output_events, output_widget, updated
from octavo.events.codec import encode
from octavo.events.types import (
    BoundCell,
    CellFinished,
    CellSkipped,
    CellStarted,
    ErrorRaised,
    Event,
    KernelReady,
    Provenance,
    RunFinished,
    RunStarted,
    Stream,
)
from octavo.records.identity import uuid7
from octavo.records.journal import JOURNAL_NAME

BEGAN = 1_763_244_541.25
RUN_ID = uuid7(BEGAN, bytes(8))


def started(*cells: BoundCell, **changes: Any) -> RunStarted:
    values: dict[str, Any] = {
        "schema": 1,
        "run_id": RUN_ID,
        "time": BEGAN,
        "source": {"path": "work/nb.py", "sha256": "0" * 64, "format": "py"},
        "cells": cells,
        "metadata": {},
        "parameters": {"n": 3},
        "defaults": {"n": 1},
        "engine": "fake",
        "environment": {"python": "/usr/bin/python3", "why": "asked for"},
        "options": {"cell_timeout": 5.0},
        "host": {"system": "Linux", "octavo": "0.1.0"},
    }
    return RunStarted(**{**values, **changes})


def code(index: int, source: str = "x", **changes: Any) -> BoundCell:
    values: dict[str, Any] = {"origin": index, "line": 10 * index + 1, **changes}
    return BoundCell("code", source, f"cell-id-{index}", **values)


def succeeded(index: int, *events: Event) -> list[Event]:
    """A cell that did its work in half a second."""
    begin = BEGAN + index
    end = CellFinished(index, begin + 0.5, "succeeded", index + 1, 5_000_000, 0.25)
    return [CellStarted(index, begin), *events, end]


def finished(time: float = BEGAN + 60) -> RunFinished:
    return RunFinished(time, "success")


def small_run() -> list[Event]:
    """Two cells that went well."""
    return [
        started(code(0, "print('a')"), code(1, "1 + 1")),
        *succeeded(0, Stream(0, "stdout", "a\n")),
        *succeeded(1),
        finished(),
    ]


def failing_run(**changes: Any) -> list[Event]:
    """Three cells, of which the second raises in its second line."""
    return [
        started(code(0), code(1, "a = 1\nb = a / 0", **changes), code(2)),
        *succeeded(0),
        CellStarted(1, BEGAN + 1),
        ErrorRaised(1, "ZeroDivisionError", "division by zero", ("Traceback", "…"), 2),
        CellFinished(1, BEGAN + 2, "failed", 2),
        RunFinished(BEGAN + 2, "error", "cell-error", "ZeroDivisionError: division by zero"),
    ]


def journalled(folder: Path, events: list[Event], name: str = RUN_ID) -> Path:
    """A run's folder with these events as its journal."""
    run_dir = folder / name
    run_dir.mkdir(parents=True, exist_ok=True)
    (run_dir / JOURNAL_NAME).write_bytes(journal_bytes(events))
    return run_dir


def journal_bytes(events: list[Event]) -> bytes:
    return "".join(encode(event) + "\n" for event in events).encode()


def notebook_of(run_dir: Path) -> dict[str, Any]:
    """The executed notebook, checked by nbformat."""
    import nbformat

    plain = json.loads((run_dir / "notebook.ipynb").read_bytes(), parse_constant=_no_constant)
    nbformat.validate(nbformat.from_dict(plain))
    assert len({cell["id"] for cell in plain["cells"]}) == len(plain["cells"])
    return plain


def _no_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def _cell_events(index: int, kind: str) -> st.SearchStrategy[list[Event]]:
    if kind != "code":
        return st.just([])
    comms = st.sampled_from([output_widget("o"), updated("o", msg_id=f"cell-{index}"),
                             updated("o", msg_id=""), BUFFERED_COMM])  # fmt: skip
    outputs = st.lists(st.one_of(output_events(index), comms), max_size=6)
    skipped: list[Event] = [CellSkipped(index, BEGAN + index, "tagged skip")]
    return st.one_of(outputs.map(lambda each: succeeded(index, *each)), st.just(skipped))


@st.composite
def runs(draw: st.DrawFn) -> list[Event]:
    """A run of a few cells that went to its end."""
    kinds = draw(st.lists(st.sampled_from(["code", "code", "markdown", "raw"]), max_size=4))
    ids = draw(st.lists(st.sampled_from(["a", "b", "", "nicht gültig"]), min_size=4, max_size=4))
    cells = [BoundCell(kind, f"{kind} {n}\né", ids[n], {}, None, n) for n, kind in enumerate(kinds)]
    events: list[Event] = [started(*cells), KernelReady(BEGAN, 1, {"python": "3.11.7"})]
    for index, kind in enumerate(kinds):
        events += draw(_cell_events(index, kind))
    git = {"commit": "c0ffee", "branch": "main", "dirty": False}
    return [*events, Provenance(git, {"numpy": "2.0"}), finished()]
