"""Runs the corpus in ipykernel (through nbclient) and in the fork engine, and irons out what may
differ from run to run."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path
from typing import Any

from octavo.environments.launch import Environment, Launch
from octavo.events.fold import fold_outputs
from octavo.events.types import CommMessage, KernelEvent
from octavo.events.widgets import WidgetFold
from octavo.kernels.fork.engine import ForkEngine
from octavo.kernels.port import Code

Outputs = list[dict[str, Any]]


def run_ipykernel(cells: list[str], folder: Path) -> list[Outputs]:
    """The outputs of every cell, by ipykernel."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    # At times nbclient waits in vain for the end of a cell with an output widget, and goes on then.
    client = NotebookClient(notebook, timeout=40, allow_errors=True, kernel_name="python3")
    client.execute(cwd=str(folder), env=_variables(folder))
    return [cell.get("outputs", []) for cell in notebook.cells]


def run_fork(cells: list[str], folder: Path) -> list[Outputs]:
    """The outputs of every cell, by the fork engine."""
    return asyncio.run(_run_fork(cells, folder))


async def _run_fork(cells: list[str], folder: Path) -> list[Outputs]:
    engine = ForkEngine()
    launch = Launch(
        environment=Environment(python=sys.executable, why="it runs the tests"),
        cwd=str(folder),
        variables=_variables(folder),
    )
    events: list[KernelEvent] = []
    kernel = await engine.start(launch, events.extend)
    try:
        for index, cell in enumerate(cells):
            outcome = await kernel.execute(Code(index, cell))
            assert outcome.status != "died", cell
    finally:
        await kernel.stop()
        await engine.close()
    folded = fold_outputs(_not_captured(events))
    return [folded.get(index, []) for index in range(len(cells))]


def _not_captured(events: list[KernelEvent]) -> list[KernelEvent]:
    """The events that no output widget has taken."""
    widgets, shown = WidgetFold(), []
    for event in events:
        if isinstance(event, CommMessage):
            widgets.apply(event)
        elif not widgets.captures(event.cell):
            shown.append(event)
    return shown


def _variables(folder: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "IPYTHONDIR": str(folder / "ipython"),
        "MPLCONFIGDIR": str(folder / "matplotlib"),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }


_CHANGING = (
    (r"0x[0-9a-f]{6,}", "ADDRESS"),
    (r"/tmp/ipykernel_\d+/\d+\.py|<ipython-input-\d+-[0-9a-f]+>|\b\d{6,}\.py", "CELL"),
    (r"\b[0-9a-f]{32}\b", "HEX"),
    (r"[\d.]+ (ns|μs|µs|us|ms|s)\b", "TIME"),
    (r"total: TIME|user TIME, sys: TIME, total: TIME", "TIME"),
    (r"CPU times:.*", "CPU"),
    (r"\d\d\d\d-\d\d-\d\dT[\d:.]+", "DATE"),
)


def ironed(outputs: Outputs) -> Outputs:
    """Outputs without what changes from run to run, neighbouring streams joined.

    Tracebacks are compared without colours: ipykernel's take IPython's shortcut for long files.
    """
    joined: Outputs = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if output["output_type"] == "stream" and last.get("name") == output["name"]:
            last["text"] += output["text"]
        else:
            joined.append(dict(output))
    for output in joined:
        if output["output_type"] == "error":
            lines = "\n".join(output["traceback"]).split("\n")
            output["traceback"] = [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in lines]
    smooth: Outputs = _iron(joined)
    return smooth


def _iron(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _iron(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_iron(item) for item in value]
    if isinstance(value, str):
        for pattern, word in _CHANGING:
            value = re.sub(pattern, word, value)
    return value
