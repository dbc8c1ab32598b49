"""`octavo.run` and `octavo.run_async`, as scripts, services and notebooks call them."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import octavo
from octavo.runs.request import RunRequest

NOTEBOOK = """\
# %% tags=["parameters"]
n: int = 1  # how many
when: "datetime.date | None" = None

# %%
from octavo_runtime import glue

glue("n", n)
if n > 3:
    raise ValueError(f"too many: {n}")
"""
PATIENT = """\
# %%
import time

print("waiting", flush=True)
time.sleep(600)
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "octavo.toml").write_text("")
    (tmp_path / "nb.py").write_text(NOTEBOOK)
    (tmp_path / "patient.py").write_text(PATIENT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OCTAVO_NO_RESIDENT", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.kernel
def test_a_result_and_its_scraps(project: Path) -> None:
    result = octavo.run(project / "nb.py", {"n": 3}, cell_timeout="1m", memory="4GiB")
    assert result.ok
    assert result.scraps == {"n": 3}
    assert result.raise_for_status() is result
    record = json.loads(Path(result.record_path).read_text())
    assert (record["options"]["cell_timeout"], record["options"]["memory"]) == (60.0, 4 * 1024**3)


@pytest.mark.kernel
def test_a_failing_notebook_does_not_raise_until_asked() -> None:
    result = octavo.run("nb.py", parameters={"n": 9})
    assert (result.status, result.reason) == ("error", "cell-error")
    assert result.failed_cell is not None
    assert (result.failed_cell.ename, result.failed_cell.line) == ("ValueError", 10)
    with pytest.raises(octavo.NotebookFailed, match="too many: 9"):
        result.raise_for_status()


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"path": "missing.py"}, "notebook-not-found"),
        ({"path": "nb.py", "parameters": {"m": 1}}, "parameter-unknown"),
        ({"path": "nb.py", "parameters": {"n": "many"}}, "parameter-type"),
        ({"path": "nb.py", "timeout": "soon"}, "wrong-argument"),
    ],
)
def test_wrong_use_raises_and_leaves_nothing(arguments: dict[str, Any], kind: str) -> None:
    with pytest.raises(octavo.UsageError) as caught:
        octavo.run(**arguments)
    assert caught.value.kind == kind
    assert not Path(".octavo").exists()


@pytest.mark.kernel
def test_within_a_running_event_loop() -> None:
    async def work() -> tuple[octavo.RunResult, list[octavo.RunResult]]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticking = asyncio.ensure_future(tick())
        several = await asyncio.gather(*(octavo.run_async("nb.py", {"n": n}) for n in (1, 2)))
        assert ticks > 1, "the loop was held up"
        ticking.cancel()
        return octavo.run("nb.py", {"n": 3}), several

    one, several = asyncio.run(work())
    assert one.scraps == {"n": 3}
    assert [result.scraps["n"] for result in several] == [1, 2]


@pytest.mark.kernel
def test_from_many_threads() -> None:
    with ThreadPoolExecutor(3) as pool:
        results = list(pool.map(lambda n: octavo.run("nb.py", {"n": n}), (1, 2, 3)))
    assert [result.scraps["n"] for result in results] == [1, 2, 3]
    assert len({result.run_id for result in results}) == 3
    assert not [each for each in threading.enumerate() if each.name == "octavo-run"]


@pytest.mark.kernel
def test_events_are_told_while_it_runs() -> None:
    seen: list[Any] = []
    result = octavo.run("nb.py", on_event=seen.append)
    kinds = [happened.event.type for happened in seen]
    assert (kinds[0], kinds[-1]) == ("run-started", "run-finished")
    assert {happened.run_id for happened in seen} == {result.run_id}


@pytest.mark.kernel
def test_cancelling_the_async_run_finishes_its_record(project: Path) -> None:
    async def work() -> None:
        waiting = asyncio.Event()
        loop = asyncio.get_running_loop()

        def told(happened: Any) -> None:
            if happened.event.type == "stream":
                loop.call_soon_threadsafe(waiting.set)

        task = asyncio.ensure_future(octavo.run_async("patient.py", on_event=told))
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(work())
    [record] = project.glob(".octavo/runs/*/*/record.json")
    assert json.loads(record.read_text())["reason"] == "interrupted"


CTRL_C = """
import asyncio, sys, octavo

told_before = []

def told(happened):
    if happened.event.type == "stream" and not told_before:
        told_before.append(True)
        print("waiting", flush=True)

async def within_a_loop():
    octavo.run("patient.py", on_event=told)

try:
    if sys.argv[1] == "loop":
        asyncio.run(within_a_loop())
    else:
        octavo.run("patient.py", on_event=told)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.kernel
@pytest.mark.parametrize("where", ["script", "loop"])
def test_ctrl_c_interrupts_the_run_and_is_raised(project: Path, where: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", CTRL_C, where], cwd=project, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        os.kill(process.pid, signal.SIGINT)
        assert process.stdout.read() == "interrupted\n"
    [record] = project.glob(".octavo/runs/*/*/record.json")
    assert json.loads(record.read_text())["reason"] == "interrupted"


def test_arguments_mirror_the_request() -> None:
    """Whatever can be asked of a run on the command line can be asked from Python."""
    by_hand = {"paths": "path", "values": "parameters"}
    elsewhere = {"raw", "parameter_files", "yaml", "base64", "jobs", "prepare_only", "parameters"}
    elsewhere |= {"source", "unchecked", "prepared", "checkout", "observe", "coverage"}
    elsewhere |= {"detach", "hold", "request_id"}  # octavo.detach
    wanted = {by_hand.get(name, name) for name in RunRequest._fields if name not in elsewhere}
    for function in (octavo.run, octavo.run_async):
        found = set(inspect.signature(function).parameters)
        assert found == wanted | {"on_event"}
    assert inspect.signature(octavo.run) == inspect.signature(octavo.run_async)


def test_the_package_offers_what_it_lists() -> None:
    for name in octavo.__all__:
        assert getattr(octavo, name) is not None
    assert set(octavo.__all__) <= set(dir(octavo))
    assert octavo.__version__[0].isdigit()
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        octavo.nonsense  # noqa: B018
