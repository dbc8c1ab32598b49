"""The output notebook is brought up to date while a run goes on, at a bounded cost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from octavo.errors import UsageError
from octavo.events.types import CellFinished, CellStarted, Stream
from octavo.runs.autosave import REST, SHORTEST_REST, Autosave


class Simulated:
    """A clock that jumps to whatever is due next as soon as everybody waits."""

    def __init__(self) -> None:
        self.now = 0.0
        self._due: list[tuple[float, asyncio.Future[None]]] = []

    async def sleep(self, seconds: float) -> None:
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._due.append((self.now + seconds, waiting))
        await waiting

    async def advance(self, seconds: float) -> None:
        """Let so much time pass, and everything happen that falls into it."""
        end = self.now + seconds
        while True:
            for _ in range(20):
                await asyncio.sleep(0)
            self._due = [each for each in self._due if not each[1].done()]
            coming = min(self._due, key=lambda each: each[0], default=None)
            if coming is None or coming[0] > end:
                break
            self.now = max(self.now, coming[0])
            coming[1].set_result(None)
        self.now = end


class Saves:
    """Counts saves; each takes as long as `cost` says."""

    def __init__(self, time: Simulated, cost: Callable[[], float]) -> None:
        self.at: list[float] = []
        self.spent = 0.0
        self._time = time
        self._cost = cost

    async def __call__(self) -> None:
        self.at.append(self._time.now)
        cost = self._cost()
        self.spent += cost
        await self._time.sleep(cost)


def simulate(story: Callable[[Simulated, Autosave, Saves], Awaitable[None]], every: float,
             cost: Callable[[Simulated], float] = lambda time: 0.0) -> Saves:  # fmt: skip
    async def main() -> Saves:
        time = Simulated()
        saves = Saves(time, lambda: cost(time))
        autosave = Autosave(saves, every, clock=lambda: time.now, sleep=time.sleep)
        await story(time, autosave, saves)
        await autosave.end()
        return saves

    return asyncio.run(main())


@pytest.mark.parametrize("seconds", [0.001, 0.05, 1.0])
def test_saving_a_growing_notebook_costs_a_small_share(seconds: float) -> None:
    """300 cells, each of which makes the next save slower."""

    async def story(time: Simulated, autosave: Autosave, saves: Saves) -> None:
        for index in range(300):
            autosave.notice(CellStarted(index, 0.0))
            await time.advance(seconds)
            autosave.notice(CellFinished(index, 0.0, "succeeded"))

    saves = simulate(story, 30.0, cost=lambda time: 0.01 + 0.05 * time.now)
    run = 300 * seconds
    dearest = 0.01 + 0.05 * run
    assert saves.at
    assert saves.spent <= run / (REST + 1) + dearest
    assert len(saves.at) <= run / SHORTEST_REST + 1


def test_a_long_cell_that_writes_is_saved_at_intervals() -> None:
    async def story(time: Simulated, autosave: Autosave, saves: Saves) -> None:
        autosave.notice(CellStarted(0, 0.0))
        for _ in range(100):
            await time.advance(1.0)
            autosave.notice(Stream(0, "stdout", "."))

    saves = simulate(story, 10.0)
    assert len(saves.at) in (10, 11)


def test_a_silent_cell_is_not_saved_again() -> None:
    async def story(time: Simulated, autosave: Autosave, saves: Saves) -> None:
        autosave.notice(CellStarted(0, 0.0))
        await time.advance(1000.0)

    assert len(simulate(story, 10.0).at) == 1


def test_the_end_of_a_cell_does_not_wait_for_the_interval() -> None:
    async def story(time: Simulated, autosave: Autosave, saves: Saves) -> None:
        autosave.notice(Stream(0, "stdout", "."))
        await time.advance(1.0)
        autosave.notice(CellFinished(0, 0.0, "succeeded"))
        await time.advance(1.0)

    assert simulate(story, 1000.0).at == [1.0]


LOOKING = """\
# %%
import json, pathlib
def seen():
    try:
        return json.loads(pathlib.Path("out.ipynb").read_text())
    except FileNotFoundError:
        return None

# %%
def state(notebook):
    told = notebook["metadata"]["octavo"]["status"], notebook["metadata"]["papermill"]["end_time"]
    cells = [cell["metadata"]["papermill"]["status"] for cell in notebook["cells"]]
    return told, cells
while not (now := seen()) or state(now)[1] != ["completed", "running", "pending"]:
    pass
assert state(now)[0] == ("running", None)

# %%
print("written", flush=True)
while "written" not in json.dumps(seen()["cells"][2]["outputs"]):
    pass
"""


@pytest.mark.kernel
def test_a_cell_finds_the_run_so_far_in_the_output(project: Any) -> None:
    result = project.run(LOOKING, output="out.ipynb", autosave=0.1, cell_timeout=60.0)
    assert result.ok, result.failed_cell
    final = json.loads((project.root / "out.ipynb").read_text())
    assert final["metadata"]["octavo"]["status"] == "success"
    assert final == json.loads((Path(result.record_path).parent / "notebook.ipynb").read_text())


@pytest.mark.kernel
def test_a_save_that_fails_meanwhile_does_not_end_the_run(
    project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def failing(run_dir: Path, output: str) -> None:
        tried.append(output)
        raise OSError("no room")

    monkeypatch.setattr("octavo.records.unfinished.publish_unfinished", failing)
    result = project.run("# %%\n1\n# %%\n2\n", output="out.ipynb", autosave=0.0)
    assert result.ok and tried
    assert (project.root / "out.ipynb").exists()


def test_without_an_output_there_is_nothing_to_save(project: Any) -> None:
    with pytest.raises(UsageError, match="--autosave"):
        project.run("# %%\n1\n", autosave=1.0)
