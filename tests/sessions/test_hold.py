"""Runs that fail and keep their kernel: `run --hold` and `session from-run`."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sessions.job_projects import (
    Project,
    is_alive,
    kernel_of,
    made_in,
    until_nobody_works_in,
    until_printed,
    wait_for_death,
)

pytestmark = pytest.mark.kernel

FAILS = """\
# %% [markdown]
# # Held

# %% tags=["parameters"]
n: int = 3

# %%
rows = list(range(n))
steps = (row for row in rows)
next(steps)
open("log.txt", "a").write("loaded\\n")

# %%
print("begun", flush=True)
last = rows[99]

# %%
print("last is", last, "then", next(steps))
"""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    yield from made_in(tmp_path)


def _held(project: Project, *words: str) -> dict[str, Any]:
    answer = project("run", "nb.py", "--hold", "--json", *words)
    assert answer.code == 1, answer.err
    told: dict[str, Any] = answer.json
    return told


def test_the_failing_cell_is_mended_and_the_rest_goes_on_from_its_state(project: Project) -> None:
    project.write(FAILS)
    held = _held(project, "-p", "n", "4")
    record = project.record(project.run(held["run_id"]))
    assert (held["reason"], record["reason"]) == ("cell-error", "cell-error")
    session = project("session", "from-run", held["run_id"], "--json").json
    assert session["parent"] == held["run_id"]
    assert project("session", "from-run", "last", "--json").json["id"] == session["id"]
    seen = project("session", "exec", session["id"], "rows", "--scratch", "--json").json
    assert seen["outputs"][0]["text"] == "[0, 1, 2, 3]"

    mended = project("session", "edit", session["id"], "4", "last = rows[-1]", "--run", "--json")
    assert mended.json["status"] == "succeeded"
    assert mended.json["notes"] == ["went back to before cell 4 by a snapshot"]
    rest = project("session", "run-all", session["id"], "--json").json["executed"]
    assert rest[-1]["outputs"][0]["text"] == "last is 3 then 1"
    assert (project.root / "log.txt").read_text() == "loaded\n"

    assert project("session", "save", session["id"]).code == 0
    assert (project.root / "nb.py").read_text() == FAILS.replace(
        'print("begun", flush=True)\nlast = rows[99]', "last = rows[-1]"
    )
    assert project("session", "stop", session["id"]).code == 0
    whole = project.record(project.run(session["id"]))
    assert whole["parent_run"] == held["run_id"]
    statuses = [cell["status"] for cell in whole["cells"] if cell["kind"] == "code"]
    assert statuses == ["succeeded"] * 3 + ["failed"] + ["succeeded"] * 3
    # The record of the run is as true as it was.
    assert project.record(project.run(held["run_id"])) == record


def test_the_last_of_many_cheap_cells_is_mended_in_the_state_before_it(project: Project) -> None:
    cells = "".join(f"# %%\nseen.append({at})\n\n" for at in range(60))
    project.write(f"# %%\nseen = []\n\n{cells}# %%\nseen.append(None)\n1 / 0\n")
    session = _held(project)["session"]
    mended = project("session", "edit", session, "61", "seen == [*range(60)]", "--run", "--json")
    assert mended.json["outputs"][0]["text"] == "True"
    assert mended.json["notes"][0].startswith("went back to before cell 61 by a snapshot")
    project("session", "stop", session)


def test_the_command_shows_what_a_run_shows_and_how_to_go_on(project: Project) -> None:
    project.write(FAILS)
    held = project("run", "nb.py", "--hold", "10m", "-o", "out.ipynb")
    plain = project("run", "nb.py")
    assert held.code == plain.code == 1
    assert "IndexError: list index out of range" in held.out
    shown = [[line.split(":")[0] for line in each.err.splitlines()[1:]] for each in (held, plain)]
    assert shown[0] == shown[1]
    (step,) = [line for line in held.out.splitlines() if "from-run" in line]
    run = step.split()[-1]
    assert "paused at cell 3" in project("session", "from-run", run).out
    info = project("session", "from-run", run, "--json").json
    # Asking renews it, to what --hold said.
    assert 500 < info["lease_ends"] - info["started"] < 700
    before = (project.root / "out.ipynb").read_bytes()
    project("session", "exec", info["id"], "1")
    project("session", "stop", info["id"])
    project("runs")
    assert (project.root / "out.ipynb").read_bytes() == before


def test_a_run_that_succeeds_holds_nothing(project: Project) -> None:
    project.write("# %%\nprint('fine')\n")
    answer = project("run", "nb.py", "--hold", "--json")
    assert (answer.code, answer.json["status"]) == (0, "success")
    assert "session" not in answer.json
    refused = project("session", "from-run", "last", "--json")
    assert (refused.code, refused.json["error"]["kind"]) == (2, "session-not-found")
    assert "--hold" in refused.json["error"]["hint"]
    until_nobody_works_in(project.root)


def test_a_run_without_hold_says_what_to_do(project: Project) -> None:
    project.write(FAILS)
    run = project("run", "nb.py", "--json").json["run_id"]
    refused = project("session", "from-run", run, "--json").json["error"]
    assert "was not held" in refused["message"]
    assert refused["hint"].startswith(f"octavo rerun {run[-8:]} --hold")


def test_after_its_time_it_ends_by_itself(project: Project) -> None:
    project.write(FAILS)
    held = _held(project, "--hold=1s")
    run = project.run(held["run_id"])
    wait_for_death(project.runner(run))
    refused = project("session", "from-run", run.run_id, "--json").json["error"]
    assert "no longer held" in refused["message"]
    assert held["session"] in refused["hint"]
    until_nobody_works_in(project.root)
    ended = project.record(project.run(held["session"]))
    assert (ended["reason"], ended["message"]) == ("interrupted", "the lease ended")


def test_a_cell_that_ran_too_long_is_held_with_all_that_it_printed(project: Project) -> None:
    project.write("# %%\nprint('x' * 200_000)\nkept = 1\n\n# %%\nimport time\ntime.sleep(600)\n")
    held = _held(project, "--cell-timeout", "1s", "--output-cap", "100KB")
    assert held["reason"] == "cell-timeout"
    session = project("session", "from-run", held["run_id"], "--json").json
    seen = project("session", "exec", session["id"], "kept", "--json").json
    assert seen["outputs"][0]["text"] == "1"
    project("session", "stop", session["id"])
    both = (project.run(held["run_id"]), project.run(session["id"]))
    notebooks = [json.loads(run.notebook_path.read_bytes())["cells"] for run in both]
    assert notebooks[0][0]["outputs"] == notebooks[1][0]["outputs"]
    (whole,) = (both[1].path / "files").iterdir()
    assert whole.stat().st_size == 200_001


def test_a_held_run_can_be_detached_too(project: Project) -> None:
    project.write(FAILS)
    run = project.detached("nb.py", "--hold")
    answer = project("job", "wait", run.run_id, "--json")
    assert (answer.code, answer.json["status"]) == (1, "failed")
    session = project("session", "from-run", run.run_id, "--json").json
    assert session["parent"] == run.run_id
    assert project("job", "cancel", run.run_id, "--json").json["how"] == "ended"
    assert project("session", "show", session["id"]).code == 0


def test_kernels_that_cannot_be_copied_go_on_in_the_state_as_it_is(project: Project) -> None:
    project.write(FAILS)
    held = _held(project, "--engine", "jupyter")
    shown = project("session", "from-run", held["run_id"]).out
    assert "no snapshots" in shown
    session = held["session"]
    assert f"octavo session exec {session} CODE" in shown
    assert project("session", "exec", session, "last = rows[-1]").code == 0
    rest = project("session", "run-all", session, "--json").json["executed"]
    assert rest[-1]["outputs"][0]["text"] == "last is 2 then 1"
    assert project("session", "edit", session, "3", "--delete").code == 0
    assert project("session", "save", session, "mended.py").code == 0
    assert (project.root / "log.txt").read_text() == "loaded\n"
    assert project("run", "mended.py").code == 0
    project("session", "stop", session)


def test_ctrl_c_interrupts_the_run_as_always(project: Project) -> None:
    project.waiting()
    client = project.start("run", "nb.py", "--hold", "--json")
    run = _first_run(project)
    until_printed(run)
    os.kill(client.pid, signal.SIGINT)
    out, _ = client.communicate(timeout=60)
    assert client.returncode == 130
    assert json.loads(out)["reason"] == "interrupted"
    wait_for_death(project.runner(run))
    until_nobody_works_in(project.root)


@pytest.mark.fault
def test_a_client_that_is_killed_takes_the_run_with_it(project: Project) -> None:
    project.waiting()
    client = project.start("run", "nb.py", "--hold", "--json")
    run = _first_run(project)
    until_printed(run)
    client.kill()
    client.communicate()
    waited = project("job", "wait", run.run_id, "--json").json
    assert (waited["status"], waited["message"]) == ("interrupted", "the client is gone")
    wait_for_death(project.runner(run))
    until_nobody_works_in(project.root)


@pytest.mark.fault
@pytest.mark.parametrize("victim", ["runner", "kernel"])
def test_nothing_is_left_when_a_part_is_killed_while_it_is_held(
    project: Project, victim: str
) -> None:
    project.write(FAILS)
    held = _held(project)
    run = project.run(held["run_id"])
    runner, kernel = project.runner(run), kernel_of(project.run(held["session"]))
    assert is_alive(kernel)
    os.kill(runner if victim == "runner" else kernel, signal.SIGKILL)
    wait_for_death(kernel)
    if victim == "runner":
        wait_for_death(runner)
        refused = project("session", "from-run", run.run_id, "--json").json["error"]
        assert "no longer held" in refused["message"]
    else:
        assert project("session", "stop", held["session"]).code == 0
        wait_for_death(runner)
    until_nobody_works_in(project.root)
    assert project.record(run)["reason"] == "cell-error"


@pytest.mark.fault
def test_a_process_that_is_killed_during_the_run_is_told(project: Project) -> None:
    project.waiting()
    client = project.start("run", "nb.py", "--hold", "--json")
    run = _first_run(project)
    until_printed(run)
    os.kill(project.runner(run), signal.SIGKILL)
    out, _ = client.communicate(timeout=60)
    assert json.loads(out)["reason"] == "runner-died"
    until_nobody_works_in(project.root)


def _first_run(project: Project) -> Any:
    while not project.runs() or not project.runs()[0].journal_path.exists():
        pass
    return project.runs()[0]
