"""Going back: how long it takes until the state of an earlier cell is there again.

What is timed lies within a process, so each side tells it: it runs the cells of a notebook, goes
back to one of them several times, and prints the median, together with what the state then is.
Kishu's side is its own code in an IPython shell, without a browser or messages between processes;
ours is a kernel in a process of its own, until it can be asked for its first cell.
"""

from __future__ import annotations

import json
from pathlib import Path

from bench.told import Told, figure_told, script_of, sides, told
from bench.tools import Tool
from bench.verification import JobNotDone
from bench.work import Work

TIMES = 5

#: Kishu's kind of notebook: a table is read, changed in place, summed up and replaced.
TABLES = (
    "import numpy as np, pandas as pd\nrng = np.random.default_rng(0)",
    "frame = pd.DataFrame(rng.random((ROWS, 20)), columns=[f'c{n}' for n in range(20)])",
    "frame['kind'] = rng.integers(0, 9, len(frame))\nstate = 'read'",
    "total = frame.groupby('kind').sum()",
    "frame['c0'] = frame['c0'] * 2",
    "scaled = (frame - frame.mean()) / frame.std()",
    "frame = frame[frame.c1 > 0.5]\nstate = 'halved'",
    "total = frame.groupby('kind').mean()",
)
#: The same with what cannot be pickled: a generator, an open file, a lock, a module made in C.
LIVE = (
    "import itertools, threading, zlib\nnumbers = (n for n in itertools.count()); next(numbers)",
    "file = open('lines', 'w+'); _ = file.write('a\\nb\\n'); _ = file.seek(0); file.readline()",
    "lock = threading.Lock(); _ = lock.acquire(); packer = zlib.compressobj()\nstate = 'read'",
    "next(numbers); file.readline(); lock.release(); _ = packer.flush()\nstate = 'used'",
)
GIGABYTE = (
    "import numpy as np\nblock = np.ones(1 << 27)\nstate = 'read'",
    "block[0] = 2.0\nstate = 'written'",
)

_OCTAVO = """
import asyncio, json, os, statistics, sys, time
from octavo.environments.launch import Environment, Launch
from octavo.kernels.fork.engine import ForkEngine
from octavo.kernels.port import Code

async def main(cells, back, times):
    environment = Environment(python=sys.executable, why="it is measured")
    launch = Launch(environment=environment, cwd=os.getcwd(), variables=dict(os.environ))
    engine, seen, taken = ForkEngine(), [], []
    kernel = await engine.start(launch, seen.extend)
    for number, cell in enumerate(cells):
        outcome = await kernel.execute(Code(number, cell))
        assert outcome.status == "ok", seen
        if number == back:
            snapshot = await kernel.snapshot()
    for _ in range(times):
        began = time.perf_counter()
        again = await snapshot.resume(seen.extend)
        taken.append(time.perf_counter() - began)
        await kernel.kill()
        kernel = again
    seen.clear()
    await kernel.execute(Code(0, "print(state)"))
    text = "".join(event.text for event in seen)
    await snapshot.drop()
    await kernel.stop()
    await engine.close()
    print(json.dumps({"figure": statistics.median(taken), "state": text.strip()}))

asyncio.run(main(json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
"""

_KISHU = """
import json, os, statistics, sys, time
from pathlib import Path
os.environ["ENV_KISHU_TEST_MODE"] = "1"
import nbformat
from IPython.core.interactiveshell import InteractiveShell
from kishu.commands import KishuCommand
from kishu.jupyterint import KishuForJupyter
from kishu.notebook_id import NotebookId

notebook = Path("notebook.ipynb").resolve()
nbformat.write(nbformat.v4.new_notebook(), notebook)
shell, back = InteractiveShell.instance(), int(sys.argv[2])
kishu = KishuForJupyter(NotebookId(key="bench", path=notebook, kernel_id="none"), ip=shell)
kishu.install_kishu_hooks()
for cell in json.loads(sys.argv[1]):
    result = shell.run_cell(cell, store_history=True)
    assert result.error_in_exec is None, result.error_in_exec
commits = [entry.commit_id for entry in KishuCommand.log_all(notebook).commit_graph]
taken = []
for _ in range(int(sys.argv[3])):
    began = time.perf_counter()
    kishu.checkout(commits[back], skip_notebook=True)
    taken.append(time.perf_counter() - began)
    state = shell.user_ns["state"]
    kishu.checkout(commits[-1], skip_notebook=True)
print(json.dumps({"figure": statistics.median(taken), "state": state}))
"""


def restoring(cells: tuple[str, ...], back: int, rows: int = 0) -> Told:
    """A notebook to go back in; `rows` is how long its table is."""
    sources = [cell.replace("ROWS", str(rows)) for cell in cells]
    words = (json.dumps(sources), str(back), str(TIMES))
    return sides(words, octavo=_OCTAVO, kishu=_KISHU)


def check_restored(work: Work, folder: Path) -> None:
    """Whether the state that was gone back to is the one that was asked for."""
    if not isinstance(work, Told):
        return
    state = told(folder).get("state")
    if state != "read":
        raise JobNotDone(f"the state is {state!r}, and not that of the cell")


OCTAVO_BACK = Tool(
    *("octavo-tables", "octavo: resume", "octavo"), script_of("octavo"), check_restored, figure_told
)
KISHU = Tool(
    *("kishu", "kishu: checkout", "kishu"), script_of("kishu"), check_restored, figure_told
)
