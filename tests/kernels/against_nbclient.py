"""The jupyter engine and nbclient on the same ipykernel, measured by hand.

python tests/kernels/against_nbclient.py {octavo|nbclient} {cells|lines|displays}
"""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import time
from collections.abc import Sequence

from octavo.events.types import KernelEvent, Stream

CASES = {
    "cells": [f"print({i})" for i in range(300)],
    "lines": ["line = 'x' * 99\nfor i in range(1_000_000): print(line)"],
    "displays": ["for i in range(5000): display(i)"],
}


def nbclient(cells: list[str]) -> int:
    import nbclient
    import nbformat

    sources = [nbformat.v4.new_code_cell(source) for source in cells]
    notebook = nbformat.v4.new_notebook(cells=sources)
    nbclient.NotebookClient(notebook, kernel_name="python3", timeout=600).execute()
    return sum(len(out.get("text", "")) for cell in notebook.cells for out in cell.outputs)


def octavo(cells: list[str]) -> int:
    from octavo.environments.launch import Environment, Launch
    from octavo.kernels.jupyter.engine import JupyterEngine
    from octavo.kernels.port import Code

    sizes: list[int] = []

    def sink(events: Sequence[KernelEvent]) -> None:
        sizes.append(sum(len(event.text) for event in events if isinstance(event, Stream)))

    async def run() -> None:
        environment = Environment(python=sys.executable, why="measured")
        launch = Launch(environment=environment, cwd=os.getcwd(), variables=dict(os.environ))
        kernel = await JupyterEngine().start(launch, sink)
        for index, source in enumerate(cells):
            assert (await kernel.execute(Code(index, source))).status == "ok"
        await kernel.stop()

    asyncio.run(run())
    return sum(sizes)


if __name__ == "__main__":
    began = time.perf_counter()
    count = {"octavo": octavo, "nbclient": nbclient}[sys.argv[1]](CASES[sys.argv[2]])
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{sys.argv[1]} {sys.argv[2]}: {seconds:.2f} s, {count} characters, {peak} MB")
