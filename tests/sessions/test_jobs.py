"""Looking at jobs, waiting for them, and ending them."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.errors import UsageError
from octavo.events.codec import encode
from octavo.events.types import Stream
from octavo.sessions.jobs.journals import Reader, place_of
from sessions.job_projects import (
    STUBBORN,
    Project,
    made_in,
    until_printed,
)

TALKS = """\
# %%
for number in range(3):
    print("line", number, flush=True)

# %%
open("gate").read()
print("second", flush=True)
open("gate2").read()
print("third")

# %%
1 / 0
"""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    yield from made_in(tmp_path)


class TestCursors:
    @given(
        texts=st.lists(st.text(max_size=30), max_size=12),
        cuts=st.lists(st.integers(0, 2000), max_size=8),
        most=st.integers(1, 200),
    )
    def test_every_event_is_read_once_however_the_journal_grows(
        self, tmp_path_factory: pytest.TempPathFactory, texts: list[str], cuts: list[int], most: int
    ) -> None:
        path = tmp_path_factory.mktemp("journal") / "events.jsonl"
        events = [Stream(0, "stdout", text) for text in texts]
        content = "".join(f"{encode(event)}\n" for event in events).encode()
        read, cursor = [], None
        for cut in [*sorted(min(cut, len(content)) for cut in cuts), len(content)]:
            path.write_bytes(content[:cut])
            reader = Reader(path, place_of(cursor, path))
            read += list(reader.events(most))
            while reader.more:
                read += list(reader.events(most))
            cursor = str(reader.offset)
        assert read == events

    @pytest.mark.parametrize("cursor", ["-1", "x", "3", "99999", "1e3", "٣", "9" * 400])
    def test_a_cursor_of_something_else_is_refused(self, tmp_path: Path, cursor: str) -> None:
        path = tmp_path / "events.jsonl"
        path.write_text(encode(Stream(0, "stdout", "a")) + "\n")
        with pytest.raises(UsageError, match="no cursor of this job"):
            place_of(cursor, path)

    def test_a_line_that_is_torn_or_of_a_newer_version_is_passed_over(self, tmp_path: Path) -> None:
        path = tmp_path / "events.jsonl"
        event = Stream(0, "stdout", "whole")
        path.write_text(f'{{"type": "stream", "ce\n{{"type": "later"}}\n{encode(event)}\n')
        reader = Reader(path)
        assert list(reader.events()) == [event]
        assert reader.offset == path.stat().st_size


@pytest.mark.kernel
def test_polling_gives_what_is_new_and_nothing_twice(project: Project) -> None:
    for gate in ("gate", "gate2"):
        os.mkfifo(project.root / gate)
    project.write(TALKS)
    run = project.detached()
    until_printed(run, "line 2")
    seen, cursor = "", ""
    for gate, word in (("gate", "second"), ("gate2", "")):
        polled = project("job", "poll", run.run_id, "--json", *_from(cursor)).json
        assert polled["state"]["status"] == "running"
        seen += "".join(item["text"] + "\n" for item in polled["outputs"])
        cursor = polled["cursor"]
        project.open(gate)
        if word:
            until_printed(run, word)
    assert project("job", "wait", run.run_id).code == 1
    last = project("job", "poll", run.run_id, "--json", *_from(cursor)).json
    *texts, error = last["outputs"]
    seen += "".join(item["text"] + "\n" for item in texts)
    assert seen == "line 0\nline 1\nline 2\nsecond\nthird\n"
    assert (error["cell"], error["name"], error["where"]) == (2, "ZeroDivisionError", "nb.py:12")
    assert last["state"]["status"] == "failed"
    assert last["state"]["result"]["failed_cell"]["line"] == 12
    nothing = project("job", "poll", run.run_id, "--json", *_from(last["cursor"])).json
    assert (nothing["outputs"], nothing["cursor"]) == ([], last["cursor"])


def _from(cursor: str) -> tuple[str, ...]:
    return ("--cursor", cursor) if cursor else ()


@pytest.mark.kernel
def test_a_flood_is_told_in_few_words_and_images_are_files(project: Project) -> None:
    project.write(
        "# %%\nfor number in range(200_000):\n    print('row', number)\n\n"
        "# %%\nfrom IPython.display import Image\n"
        "Image(data=__import__('base64').b64decode("
        "'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='"
        "), format='png')\n"
    )
    run = project.detached()
    assert project("job", "wait", run.run_id).code == 0
    answer = project("job", "poll", run.run_id, "--budget", "500", "--json")
    assert len(answer.out) < 6000
    flood, image = answer.json["outputs"]
    assert flood["text"].startswith("row 0\n")
    assert flood["text"].endswith("row 199999")
    assert flood["handle"] == f"{run.run_id[-8:]}:0:0"
    assert (project.root / image["path"]).read_bytes().startswith(b"\x89PNG")
    shown = project("job", "poll", run.run_id).out
    assert f"octavo read {flood['handle']} has it whole" in shown
    assert image["path"] in shown


@pytest.mark.kernel
def test_people_who_poll_a_job_that_failed_are_told_the_error(project: Project) -> None:
    project.write("# %%\n{}['rate']\n")
    run = project.detached()
    assert project("job", "wait", run.run_id).code == 1
    assert "KeyError: 'rate'  nb.py:2\n" in project("job", "poll", run.run_id).out


@pytest.mark.kernel
def test_cancelling_interrupts_the_cell_and_the_record_says_so(project: Project) -> None:
    project.waiting()
    run = project.detached()
    until_printed(run)
    answer = project("job", "cancel", run.run_id, "--json").json
    assert (answer["how"], answer["state"]["status"]) == ("interrupted", "interrupted")
    waited = project("job", "wait", run.run_id, "--json")
    assert (waited.code, waited.json["reason"], waited.json["message"]) == (
        130,
        "interrupted",
        "cancelled",
    )
    again = project("job", "cancel", run.run_id)
    assert (again.code, again.out) == (0, f"{run.run_id[-8:]} had ended before\n")


@pytest.mark.kernel
def test_two_cancels_end_a_cell_that_does_not_heed_the_first(project: Project) -> None:
    os.mkfifo(project.root / "gate")
    project.write(STUBBORN)
    run = project.detached()
    until_printed(run)
    both = [project.start("job", "cancel", run.run_id, "--json") for _ in range(2)]
    told = [json.loads(process.communicate(timeout=60)[0]) for process in both]
    assert {each["how"] for each in told} <= {"killed", "ended"}
    assert {each["state"]["status"] for each in told} == {"interrupted"}


@pytest.mark.kernel
def test_one_of_several_jobs_is_cancelled_alone(project: Project) -> None:
    project.waiting("first.py")
    project.write("# %%\nopen('ran', 'w')\n", "second.py")
    project.write("# %%\n3\n", "third.py")
    answer = project("run", "--detach", "--json", "first.py", "second.py", "third.py")
    first, second, third = (job["id"] for job in answer.json["jobs"])
    until_printed(project.run(first))
    ended = project("job", "cancel", second, "--json").json
    assert ended["state"]["status"] == "interrupted"
    assert project("job", "wait", first, "--seconds", "0", "--json").json["status"] == "running"
    project.open()
    assert project("job", "wait", third).code == 0
    assert project("job", "wait", first).code == 0
    assert not (project.root / "ran").exists()
    cells = project.record(project.run(second))["cells"]
    assert [cell["status"] for cell in cells] == ["not-run"]


@pytest.mark.parametrize("word", ["nothing", "abcd1234.5", "last", "....", "0" * 500, "a.b"])
@pytest.mark.parametrize("command", ["poll", "wait", "cancel"])
def test_an_id_that_is_none(project: Project, command: str, word: str) -> None:
    answer = project("job", command, word, "--json")
    assert (answer.code, answer.json["error"]["kind"]) == (2, "job-not-found")
    assert answer.json["error"]["hint"]


@pytest.mark.kernel
def test_a_run_that_somebody_waits_for_is_looked_at_and_not_cancelled(project: Project) -> None:
    project.waiting()
    runner = project.start("run", "nb.py")
    try:
        while not project.runs() or not project.runs()[0].journal_path.exists():
            pass
        (run,) = project.runs()
        until_printed(run)
        assert "begun" in project("job", "poll", run.run_id).out
        answer = project("job", "cancel", run.run_id, "--json")
        assert answer.code == 2
        assert "Ctrl-C" in answer.json["error"]["hint"]
        assert project("job", "list").out.startswith("no jobs")
    finally:
        project.open()
    runner.communicate(timeout=60)
    assert runner.returncode == 0


@pytest.mark.kernel
def test_an_execution_in_a_session_is_a_job_too(project: Project) -> None:
    os.mkfifo(project.root / "gate")
    session = project("session", "start", "--json").json["id"]
    try:
        code = "print('begun', flush=True); print(open('gate').read())"
        job = project("session", "exec", session, code, "--detach", "--json").json["job"]
        until_printed(project.run(session))
        listed = project("job", "list", "--json").json["jobs"]
        assert [(each["id"], each["status"]) for each in listed] == [(job, "running")]
        polled = project("job", "poll", job, "--json").json
        assert [item["text"] for item in polled["outputs"]] == ["begun"]
        assert project("job", "wait", job, "--seconds", "0", "--json").json["status"] == "running"
        queued = project("session", "exec", session, "2", "--detach", "--json").json["job"]
        assert project("job", "cancel", queued, "--json").json["state"]["status"] == "interrupted"
        project.open(word="the gate")
        waited = project("job", "wait", job, "--json").json
        assert waited["status"] == "succeeded"
        rest = project("job", "poll", job, "--cursor", polled["cursor"], "--json").json
        assert [item["text"] for item in rest["outputs"]] == ["the gate"]
        assert rest["state"]["status"] == "succeeded"
    finally:
        project("session", "stop", session)
    # Its host is gone; the journal of the session tells.
    after = project("job", "poll", job, "--json").json
    assert after["state"]["status"] == "succeeded"
    assert [item["text"] for item in after["outputs"]] == ["begun\nthe gate"]
    listed = project("job", "list", "--json").json["jobs"]
    ended = [(job, "succeeded"), (queued, "interrupted")]
    assert sorted((each["id"], each["status"]) for each in listed) == sorted(ended)
    assert project("job", "list", "-n", "0").out.startswith("no jobs")


@pytest.mark.kernel
@pytest.mark.fault
@pytest.mark.parametrize("is_killed", [False, True])
def test_many_cells_of_a_session_are_one_job_also_when_its_host_is_gone(
    project: Project, is_killed: bool
) -> None:
    gate = "print(open('gate').read(), flush=True)"
    last = gate.replace("gate", "last")
    project.write(f"# %%\nprint('one')\n\n# %%\n{gate}\n\n# %%\n{last}\n1 / 0\n")
    for name in ("gate", "last"):
        os.mkfifo(project.root / name)
    session = project("session", "start", "nb.py", "--json").json
    job = project("session", "run-all", session["id"], "--detach", "--json").json["job"]
    project.open(word="two")
    if is_killed:
        until_printed(project.run(session["id"]), "two")
        os.kill(session["pid"], signal.SIGKILL)
        expected, texts = "interrupted", ["one", "two"]
    else:
        project.open("last", "three")
        project("job", "wait", job)
        project("session", "stop", session["id"])
        expected, texts = "failed", ["one", "two", "three"]
    polled = project("job", "poll", job, "--json").json
    assert polled["state"]["status"] == expected
    assert [item["text"] for item in polled["outputs"] if "text" in item] == texts
    (listed,) = project("job", "list", "--json").json["jobs"]
    assert (listed["id"], listed["status"]) == (job, expected)


@pytest.mark.kernel
@pytest.mark.fault
def test_a_session_that_is_killed_takes_its_jobs_along_and_the_journal_tells(
    project: Project,
) -> None:
    os.mkfifo(project.root / "gate")
    session = project("session", "start", "--json").json
    code = "print('begun', flush=True); print(open('gate').read())"
    job = project("session", "exec", session["id"], code, "--detach", "--json").json["job"]
    until_printed(project.run(session["id"]))
    refused = project("job", "cancel", session["id"], "--json").json["error"]
    assert refused["hint"] == f"octavo session stop {session['id'][-8:]} ends it"
    waiting = project.start("job", "wait", job, "--json")
    os.kill(session["pid"], signal.SIGKILL)
    out, err = waiting.communicate(timeout=60)
    assert json.loads(out)["status"] == "interrupted", err
    polled = project("job", "poll", job, "--json").json
    assert [item["text"] for item in polled["outputs"]] == ["begun"]
    (listed,) = project("job", "list", "--json").json["jobs"]
    assert (listed["id"], listed["status"]) == (job, "interrupted")
