"""Runs that go on when whoever started them is gone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

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


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    yield from made_in(tmp_path)


def test_a_detached_run_goes_on_and_leaves_the_record_of_any_run(project: Project) -> None:
    project.waiting()
    run = project.detached("nb.py", "-o", "out.ipynb")
    assert project("job", "wait", run.run_id, "--seconds", "0").out.startswith(
        f"{run.run_id[-8:]}  running"
    )
    project.open()
    answer = project("job", "wait", run.run_id[-8:], "--json")
    assert answer.code == 0
    assert answer.json["status"] == "succeeded"
    assert answer.json["result"]["cells_executed"] == 3
    record = project.record(run)
    assert (record["status"], record["options"]["detached"]) == ("success", True)
    executed = json.loads((project.root / "out.ipynb").read_bytes())
    assert executed["cells"][1]["outputs"][0]["text"] == ["let in by the test\n"]


def test_its_process_has_no_terminal_and_does_not_heed_the_end_of_one(project: Project) -> None:
    project.waiting()
    run = project.detached()
    pid = project.runner(run)
    assert os.getsid(pid) != os.getsid(0)
    assert {os.readlink(f"/proc/{pid}/fd/{number}") for number in (0, 1, 2)} == {"/dev/null"}
    until_printed(run)
    os.kill(pid, signal.SIGHUP)
    project.open()
    assert project("job", "wait", run.run_id).code == 0
    wait_for_death(pid)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (("nb.py", "-p", "m", "1"), "parameter-unknown"),
        (("none.py",), "notebook-not-found"),
        (("wrong.py",), "notebook-syntax"),
        (("nb.py", "wrong.py"), "notebook-syntax"),
        (("nb.py", "-o", "-"), "wrong-argument"),
        (("nb.py", "--prepare-only"), "wrong-argument"),
        (("nb.py", "other.py", "--hold"), "wrong-argument"),
        (("nb.py", "--hold", "--keep-going"), "wrong-argument"),
        (("nb.py", "--request-id", ""), "wrong-argument"),
    ],
)
def test_what_needs_no_kernel_is_told_at_once(
    project: Project, words: tuple[str, ...], kind: str
) -> None:
    project.write("# %%\n1\n")
    project.write("# %%\n1\n", "other.py")
    project.write("# %%\n1 +\n", "wrong.py")
    answer = project("run", "--detach", "--json", *words)
    assert answer.code == 2, answer.out
    assert answer.json["error"]["kind"] == kind
    assert project.runs() == []
    assert project("job", "list").out.startswith("no jobs")


def test_of_several_notebooks_each_has_an_id_and_waits_for_its_turn(project: Project) -> None:
    project.waiting("first.py")
    project.write("# %%\nprint(2)\n", "second.py")
    answer = project("run", "--detach", "--json", "first.py", "second.py")
    first, second = (project.run(job["id"]) for job in answer.json["jobs"])
    states = {job["id"]: job["status"] for job in project("job", "list", "--json").json["jobs"]}
    assert states == {first.run_id: "running", second.run_id: "queued"}
    assert project("job", "poll", second.run_id, "--json").json["outputs"] == []
    project.open()
    assert project("job", "wait", second.run_id, "--json").json["status"] == "succeeded"
    assert project("job", "wait", first.run_id).code == 0
    # The time in the queue is none of the run's.
    assert project.record(second)["started"] >= project.record(first)["finished"][:19]
    assert "queued" not in project.record(second)["options"]


def test_a_notebook_from_standard_input_is_handed_over(project: Project) -> None:
    answer = project("run", "-", "--detach", "--json", given="# %%\nprint('from afar')\n")
    polled = project("job", "wait", answer.json["id"])
    assert polled.code == 0
    assert "from afar" in project("job", "poll", answer.json["id"]).out


def test_a_run_is_repeated_without_waiting(project: Project) -> None:
    project.write("# %% tags=['parameters']\nn = 1\n\n# %%\nprint(n)\n".replace("'", '"'))
    before = project("run", "nb.py", "-p", "n", "5", "--json").json["run_id"]
    answer = project("rerun", before, "--detach", "--json")
    again = project("job", "wait", answer.json["id"], "--json").json
    record = project.record(project.run(again["id"]))
    assert (record["parent_run"], record["parameters"]["n"]) == (before, 5)


def test_the_same_request_twice_is_run_once(project: Project) -> None:
    project.waiting()
    words = ("run", "nb.py", "--detach", "--request-id", "once", "--json")
    both = [project.start(*words) for _ in range(2)]
    ids = {json.loads(process.communicate(timeout=60)[0])["id"] for process in both}
    third = project(*words).json["id"]
    assert ids == {third}
    project.open()
    assert project("job", "wait", third).code == 0
    assert project(*words).json["id"] == third
    assert len(project.runs()) == 1
    assert project("run", "nb.py", "--detach", "--request-id", "twice").code == 0
    assert len(project.runs()) == 2
    # It is for us to open the gate again, and for the run to end with its test.


def test_a_request_id_is_not_used_for_something_else(project: Project) -> None:
    project.write("# %%\n1\n")
    project.write("# %%\n2\n", "other.py")
    assert project("run", "nb.py", "--detach", "--request-id", "a").code == 0
    answer = project("run", "other.py", "--detach", "--request-id", "a")
    assert answer.code == 2
    assert "was used for another run" in answer.err
    assert project("run", "nb.py", "--request-id", "a").code == 2
    assert len(project.runs()) == 1


def test_a_request_id_is_not_used_for_other_parameters(project: Project) -> None:
    project.write('# %% tags=["parameters"]\nn = 1\nm = 1\n')
    words = ("run", "nb.py", "--detach", "--request-id", "a", "-p", "m", "2", "-p", "n")
    assert project(*words, "2").code == 0
    assert project(*words, "2").code == 0
    answer = project(*words, "3")
    assert answer.code == 2
    assert "was used for another run" in answer.err
    assert len(project.runs()) == 1


@pytest.mark.fault
def test_when_its_process_is_killed_its_kernel_ends_and_the_record_says_so(
    project: Project,
) -> None:
    project.waiting()
    run = project.detached()
    until_printed(run)
    kernel = kernel_of(run)
    waiting = project.start("job", "wait", run.run_id, "--json")
    os.kill(project.runner(run), signal.SIGKILL)
    out, _ = waiting.communicate(timeout=60)
    told = json.loads(out)
    assert (waiting.returncode, told["status"], told["reason"]) == (3, "runner-died", "runner-died")
    polled = project("job", "poll", run.run_id, "--json").json
    assert polled["outputs"][0]["text"] == "begun"
    assert project("job", "cancel", run.run_id, "--json").json["how"] == "ended"
    wait_for_death(kernel)
    until_nobody_works_in(project.root)
    assert os.listdir(project.root / ".octavo/live") == []


@pytest.mark.fault
def test_when_its_kernel_is_killed_the_run_ends_and_says_so(project: Project) -> None:
    project.waiting()
    run = project.detached()
    until_printed(run)
    kernel = kernel_of(run)
    os.kill(kernel, signal.SIGKILL)
    answer = project("job", "wait", run.run_id, "--json")
    assert (answer.code, answer.json["status"]) == (1, "kernel-died")
    assert not is_alive(kernel)


@pytest.mark.fault
def test_a_client_that_is_killed_at_any_moment_leaves_no_half_begun_run(project: Project) -> None:
    project.write("# %%\nopen('log.txt', 'a').write('x')\n")
    for moment in range(6):
        client = project.start("run", "nb.py", "--detach", "--json")
        if moment:
            try:
                client.wait(moment * 0.07)
            except subprocess.TimeoutExpired:
                pass
        client.kill()
        client.communicate()
    for job in project("job", "list", "--json").json["jobs"]:
        assert project("job", "wait", job["id"], "--json").json["status"] == "succeeded"
    ended = project("runs", "--json", "-n", "50").json["runs"]
    log = project.root / "log.txt"
    assert len(ended) == (log.stat().st_size if log.exists() else 0)


@pytest.mark.fault
def test_on_a_full_disk_nothing_begins(project: Project) -> None:
    disk = project.root / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a tmpfs: run as root to fill a disk")
    try:
        (disk / "octavo.toml").write_text("")
        (disk / "nb.py").write_text("# %%\n1\n")
        ballast = os.open(disk / "ballast", os.O_WRONLY | os.O_CREAT)
        with suppress(OSError):
            while os.write(ballast, bytes(4096)):
                pass
        os.close(ballast)
        answer = project("run", "disk/nb.py", "--detach", "--json")
        assert answer.code == 3
        assert answer.json["error"]["kind"] == "disk-full"
        assert not list(Path(disk).glob(".octavo/runs/*/*"))
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)
