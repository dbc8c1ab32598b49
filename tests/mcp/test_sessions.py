"""Live sessions by tools: state between calls, steps back, long work, and what goes wrong."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from mcp_clients import Project, answer, over_stdio, refusal

pytestmark = pytest.mark.kernel


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path)
    yield made
    # Runs that a test left waiting come to their end.
    made.go()


def in_session(
    project: Project, work: Callable[[Client, str], Awaitable[None]], *words: str, **started: Any
) -> None:
    """Do some work in a session that is ended after it."""

    async def talk() -> None:
        async with over_stdio(project, *words) as client:
            session = (await answer(client, "session_start", **started))["session"]
            try:
                await work(client, session)
            finally:
                await client.call_tool("session_stop", {"session": session})

    asyncio.run(talk())


def test_state_stays_and_steps_are_taken_back(project: Project) -> None:
    async def work(client: Client, session: str) -> None:
        async def run(**asked: Any) -> dict[str, Any]:
            return await answer(client, "session_execute", session=session, **asked)

        failed = await run(cell="all")
        assert failed["status"] == "failed"
        *before, last = [each["status"] for each in failed["executed"]]
        assert ({*before}, last) == ({"succeeded"}, "failed")
        assert failed["executed"][-1]["error"]["message"] == "bad 5"
        assert failed["lease_ends"] > 0
        cell = failed["executed"][-1]["cell"]
        assert cell["key"] in failed["next"]
        assert "stale" in await refusal(
            client,
            "session_execute",
            session=session,
            cell=cell["key"],
            code="x",
            expect="00000000",
        )
        mended = await run(cell=cell["key"], code="total = n + 1; total", expect=cell["handle"])
        assert (mended["status"], mended["outputs"][0]["text"]) == ("succeeded", "6")
        await run(code="total = 100", scratch=True)
        assert (await run(code="total"))["outputs"][0]["text"] == "6"
        back = await answer(client, "session_rewind", session=session, cell=cell["key"])
        assert f"c{back['position'] + 1}" == cell["key"]
        gone = await run(code="total")
        assert gone["error"]["name"] == "NameError"
        saved = await answer(client, "session_save", session=session, path="saved.py")
        assert saved["path"] == "saved.py"
        assert "total = n + 1; total" in (project.root / "saved.py").read_text()
        assert "outside-project" in await refusal(
            client, "session_save", session=session, path="../saved.py"
        )
        assert (await run(code="-"))["status"] == "failed"

    in_session(project, work, notebook="failing.py", parameters={"n": 5})


def test_a_session_starts_with_work_and_answers_tell_nothing_twice(project: Project) -> None:
    async def talk() -> None:
        async with over_stdio(project) as client:
            begun = await answer(client, "session_start", code="number = 6\nprint(number + 1)")
            session = begun["session"]
            assert begun["status"] == "succeeded"
            assert begun["outputs"] == [{"type": "text", "text": "7"}]
            again = await answer(client, "session_execute", session=session, code="number")
            assert again["outputs"] == [{"type": "result", "text": "6"}]
            assert not {"session", "job", "notes"} & again.keys()
            await answer(client, "session_stop", session=session)
            begun = await answer(client, "session_start", notebook="failing.py", cell="all")
            assert begun["status"] == begun["executed"][-1]["status"] == "failed"
            await answer(client, "session_stop", session=begun["session"])
            assert "cell-not-found" in await refusal(client, "session_start", code="1", cell=0)
            assert "cell-not-found" in await refusal(
                client, "session_start", notebook="failing.py", cell=99
            )
        left = (project.home / "run").glob("octavo/sessions/*.sock")
        assert [each for each in left if each.exists()] == []

    asyncio.run(talk())


def test_variables_are_listed_and_shown_in_part(project: Project) -> None:
    async def work(client: Client, session: str) -> None:
        code = "words = ['alpha'] * 500; number = 7"
        await answer(client, "session_execute", session=session, code=code)
        listed = await answer(client, "session_variables", session=session)
        assert {each["name"] for each in listed["variables"]} >= {"words", "number"}
        one = await answer(client, "session_variables", session=session, name="words")
        assert "alpha" in json.dumps(one["preview"])
        assert len(json.dumps(one)) < 8000
        few = await answer(client, "session_variables", session=session, pattern="num*")
        assert [each["name"] for each in few["variables"]] == ["number"]

    in_session(project, work)


def test_long_work_is_a_job_and_nothing_runs_twice(project: Project) -> None:
    code = (
        "import pathlib, time\nprint('begun', flush=True)\ncount = globals().get('count', 0) + 1\n"
    )
    code += "while not pathlib.Path('go').exists(): time.sleep(0.02)\nprint('gone on')"

    async def work(client: Client, session: str) -> None:
        async def run(**asked: Any) -> dict[str, Any]:
            return await answer(client, "session_execute", session=session, **asked)

        going = await run(code=code, request_id="once", wait=0)
        assert going["status"] in ("running", "queued")
        again = await run(code=code, request_id="once", wait=0)
        assert again["job"] == going["job"]
        queued = await run(code="count", wait=0)
        assert queued["status"] == "queued"
        project.go()
        done = await answer(client, "job_wait", job=going["job"])
        assert done["status"] == "succeeded"
        assert "gone on" in json.dumps(done["outputs"])
        counted = await answer(client, "job_wait", job=queued["job"])
        assert counted["outputs"][0]["text"] == "1"

    in_session(project, work)


def test_what_never_ends_is_cancelled(project: Project) -> None:
    async def work(client: Client, session: str) -> None:
        code = "import time\nprint('on', flush=True)\nwhile True: time.sleep(0.02)"
        going = await answer(client, "session_execute", session=session, code=code, wait=1)
        assert going["status"] == "running"
        cancelled = await answer(client, "job_cancel", job=going["job"])
        assert cancelled["status"] == "interrupted"
        after = await answer(client, "session_execute", session=session, code="1 + 1")
        assert after["outputs"][0]["text"] == "2"

    in_session(project, work)


def test_a_kernel_that_died_is_told_and_gone_back_from(project: Project) -> None:
    async def work(client: Client, session: str) -> None:
        await answer(client, "session_execute", session=session, code="kept = 3")
        died = await answer(
            client, "session_execute", session=session, code="import os; os._exit(7)"
        )
        assert died["status"] == "kernel-died"
        assert died["next"] == f'the state is lost: session_rewind(session="{session}", cell=0)'
        back = await answer(client, "session_rewind", session=session, cell=1)
        assert back["position"] == 1
        again = await answer(client, "session_execute", session=session, code="kept")
        assert again["outputs"][0]["text"] == "3"

    in_session(project, work)


def test_a_session_that_ended_is_brought_back(project: Project) -> None:
    async def talk() -> None:
        async with over_stdio(project) as client:
            session = (await answer(client, "session_start"))["session"]
            await answer(client, "session_execute", session=session, code="kept = 3")
            await answer(client, "session_stop", session=session)
            text = await refusal(client, "session_execute", session=session, code="kept")
            assert text.startswith("session-")
            restored = await answer(client, "session_start", restore=session)
            assert restored["session"] != session
            assert restored["notes"]
            again = await answer(
                client, "session_execute", session=restored["session"], code="kept"
            )
            assert again["outputs"][0]["text"] == "3"
            await answer(client, "session_stop", session=restored["session"])

    asyncio.run(talk())


def test_floods_are_cut_and_images_are_resources(project: Project) -> None:
    pixel = base64.b64encode(
        b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03" + b"x" * 300_000
    )
    project.write(
        "loud.py",
        "# %%\nfor i in range(200_000): print('line', i)\n"
        "# %%\nfrom IPython.display import display\n"
        f"display({{'image/png': '{pixel.decode()}', 'text/plain': 'picture'}}, raw=True)\n",
    )

    async def talk() -> None:
        async with over_stdio(project) as client:
            result = await client.call_tool("notebook_execute", {"path": "loud.py"})
            told = result.structured_content
            assert told is not None and told["status"] == "success"
            assert len(json.dumps(told)) < 12_000
            flood, image = told["outputs"]
            assert "line 0" in flood["text"] and "line 199999" in flood["text"]
            assert (image["width"], image["height"]) == (2, 3)
            (link,) = [each for each in result.content if each.type == "resource_link"]
            assert (project.root / image["path"]).is_file()
            read = await client.read_resource(str(link.uri))
            assert read.contents[0].mime_type == "image/png"
            assert read.contents[0].blob == pixel.decode()
            whole = await answer(client, "run_result", handle=flood["handle"], offset=1_000_000)
            assert "line 9" in whole["text"] and whole["omitted"] > 0
            for path in ("../../../../octavo.toml", "events.jsonl", "images/../record.json",
                         "images/%2e%2e/%2e%2e/x.png", "images/none.png"):  # fmt: skip
                with pytest.raises(MCPError):
                    await client.read_resource(f"octavo://runs/{told['run_id']}/{path}")
            with pytest.raises(MCPError) as unknown:
                await client.read_resource("octavo://runs/0123abcd/record.json")
            assert "runs_list" in str(unknown.value) and "octavo " not in str(unknown.value)

    asyncio.run(talk())


def test_more_tools_can_be_switched_on(project: Project) -> None:
    async def work(client: Client, session: str) -> None:
        shown = await answer(client, "session_show", session=session)
        assert shown["result"]["session"]["id"].endswith(session)
        (listed,) = (await answer(client, "session_list"))["result"]["sessions"]
        assert listed["id"].endswith(session)
        linted = await answer(client, "notebook_lint", paths=["quick.py"])
        assert linted["result"]["ok"] is True
        assert "outside-project" in await refusal(client, "notebook_lint", paths=["../x.py"])
        (project.home / "outside.py").write_text("# %%\n1\n")
        (project.root / "link.py").symlink_to(project.home / "outside.py")
        assert "outside-project" in await refusal(client, "run_export", what=["link.py"])
        assert "run-not-found" in await refusal(client, "runs_compare", a="/etc/x", b="../y")
        inspected = await answer(client, "notebook_inspect", path="quick.py")
        assert "n" in json.dumps(inspected["result"])

    in_session(project, work, "--toolsets", "sessions,notebooks", "--toolsets", "archive")


def test_a_call_is_answered_in_time_when_a_session_hangs(project: Project) -> None:
    """What hangs is a job of the server, and its answer is there when it goes on."""

    async def work(client: Client, session: str) -> None:
        await answer(client, "session_execute", session=session, code="number = 7", wait=30)
        (note,) = (project.home / "run").glob(f"octavo/sessions/{session}.json")
        host = json.loads(note.read_text())["pid"]
        os.kill(host, signal.SIGSTOP)
        async with over_stdio(project, "--limit", "1s") as hasty:
            try:
                stuck = await answer(hasty, "session_variables", session=session)
                assert stuck["status"] == "running"
            finally:
                os.kill(host, signal.SIGCONT)
            done: dict[str, Any] = {"status": "running"}
            while done["status"] == "running":
                done = await answer(hasty, "job_wait", job=stuck["job"])
            assert "number" in json.dumps(done["result"])

    in_session(project, work)


def test_a_look_executes_nothing_and_says_what_it_shows(project: Project) -> None:
    marked = 'open("marks", "a").write("x")'

    async def work(client: Client, session: str) -> None:
        # With a thread of the user's no snapshot is taken.
        thread = "import threading\nthreading.Thread(target=threading.Event().wait).start()"
        code = f"kept = 1\n{thread}\n{marked}"
        await answer(client, "session_execute", session=session, code=code)
        await answer(client, "session_execute", session=session, code="later = 1")
        made = await answer(client, "session_branch", session=session, cell="1")
        branch = made["result"]["id"][-8:]
        looked = await answer(client, "session_variables", session=branch)
        assert "kept" not in json.dumps(looked.get("variables", []))
        assert "0 cells executed" in looked["notes"][0] and "executes 1 again" in looked["notes"][0]
        assert (project.root / "marks").read_text() == "x"
        used = await answer(
            client, "session_execute", session=branch, code="threading.active_count()"
        )
        assert used["status"] == "succeeded"
        assert (project.root / "marks").read_text() == "xx"
        now = await answer(client, "session_variables", session=branch)
        assert "kept" in json.dumps(now["variables"]) and "notes" not in now
        await client.call_tool("session_stop", {"session": branch})

    in_session(project, work, "--toolsets", "sessions")


def test_progress_is_told_while_a_session_executes(project: Project) -> None:
    async def work(client: Client, session: str) -> None:
        told: list[str | None] = []

        async def progress(done: float, total: float | None, text: str | None) -> None:
            told.append(text)
            project.go()

        code = (project.root / "waiting.py").read_text()
        asked = {"session": session, "code": code}
        result = await client.call_tool("session_execute", asked, progress_callback=progress)
        assert result.structured_content and result.structured_content["status"] == "succeeded"
        assert told and "at work" in str(told[0])

    in_session(project, work)
