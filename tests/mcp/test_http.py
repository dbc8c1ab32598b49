"""The tools over HTTP: tokens, identities, many clients, clients and servers that go away."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from mcp_clients import TOKENS, Project, Serving, answer, over_http, refusal, serving

pytestmark = pytest.mark.kernel
MODES = ["auto", "legacy"]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path)
    yield made
    # Runs that a test left waiting come to their end.
    made.go()


def post(server: Serving, headers: dict[str, str], **message: Any) -> httpx2.Response:
    usual = {"Accept": "application/json, text/event-stream"}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}, **message}
    return httpx2.post(server.url, json=call, headers={**usual, **headers}, timeout=30)


async def begun(client: Client) -> str:
    """The job of a run that waits."""
    going = await answer(client, "notebook_execute", path="waiting.py", wait=0.5)
    assert going["status"] == "running"
    return str(going["job"])


def test_only_known_tokens_and_names_are_answered(project: Project) -> None:
    good = {"Authorization": f"Bearer {TOKENS['alice']}"}
    with serving(project) as server:
        assert post(server, {}).status_code == 401
        assert post(server, {"Authorization": "Bearer wrong-token-of-nobody"}).status_code == 401
        assert post(server, {"Authorization": f"Basic {TOKENS['alice']}"}).status_code == 401
        assert post(server, {**good, "Host": "evil.example:80"}).status_code == 421
        assert post(server, {**good, "Origin": "http://evil.example"}).status_code == 403
        assert "evil" not in post(server, {**good, "Host": "evil.example"}).text
        assert post(server, good).status_code == 200
        assert "127.0.0.1" in server.url


@pytest.mark.parametrize("mode", MODES)
def test_each_token_has_its_own_sessions_and_jobs(project: Project, mode: str) -> None:
    async def talk(server: Serving) -> None:
        async with over_http(server, "alice", mode) as alice, over_http(server, "bob", mode) as bob:
            job = await begun(alice)
            session = (await answer(alice, "session_start"))["session"]
            await answer(alice, "session_execute", session=session, code="secret = 'plum'")
            for tool, named in (
                ("job_wait", {"job": job}), ("job_cancel", {"job": job}),
                ("job_wait", {"job": job[-8:]}), ("run_result", {"run": job}),
                ("run_result", {"run": "last"}),
                ("session_execute", {"session": session, "code": "secret"}),
                ("session_variables", {"session": session}),
                ("session_rewind", {"session": session, "cell": 0}),
                ("session_save", {"session": session, "path": "stolen.py"}),
                ("session_stop", {"session": session}),
            ):  # fmt: skip
                text = await refusal(bob, tool, **named)
                assert "not-found" in text and "plum" not in text
            for tool, named in (
                ("session_show", {"session": session}), ("session_branch", {"session": session}),
                ("session_restore", {"session": session}), ("runs_compare", {"a": job, "b": job}),
                ("session_diff", {"session": session, "before": "0"}),
            ):  # fmt: skip
                assert "not-found" in await refusal(bob, tool, **named)
            own = (await answer(bob, "session_start"))["session"]
            other = {"session": own, "before": session}
            assert "session-not-found" in await refusal(bob, "session_diff", **other)
            (listed,) = (await answer(bob, "session_list"))["result"]["sessions"]
            assert listed["id"].endswith(own)
            await answer(bob, "session_stop", session=own)
            for row in (await answer(bob, "runs_list"))["runs"]:
                assert row["run_id"].endswith(own)
            assert len((await answer(alice, "runs_list"))["runs"]) == 2
            more = await answer(alice, "session_execute", session=session, code="secret * 2")
            assert "plumplum" in json.dumps(more["outputs"])
            project.go()
            assert (await answer(alice, "job_wait", job=job))["status"] == "success"
            await answer(alice, "session_stop", session=session)

    with serving(project, "--toolsets", "all") as server:
        asyncio.run(talk(server))


def test_no_name_of_a_run_leads_to_another_ones(project: Project) -> None:
    async def talk(server: Serving) -> None:
        async with over_http(server) as alice, over_http(server, "bob") as bob:
            first = (await answer(alice, "notebook_execute", path="quick.py"))["run_id"]
            await answer(alice, "notebook_check", paths=["quick.py"])
            assert len((await answer(alice, "runs_list"))["runs"]) == 2
            assert (await answer(bob, "runs_list")).get("runs") is None
            for tool, named in (
                ("runs_compare", {}), ("runs_compare", {"a": first[:18], "b": first[:18]}),
                ("run_export", {}), ("run_export", {"what": ["last~1"]}),
                ("run_export", {"what": [first[:18]]}), ("runs_archive", {}),
                ("run_result", {}), ("run_result", {"run": first[:13]}),
                ("run_result", {"run": "last~1"}), ("run_result", {"handle": f"{first[-8:]}:1:0"}),
            ):  # fmt: skip
                text = await refusal(bob, tool, **named)
                told = set(re.findall(r"[0-9a-f]{8,}", text))
                assert "run-not-found" in text
                assert not told - set(re.findall(r"[0-9a-f]{8,}", json.dumps(named)))
            with pytest.raises(MCPError):
                await bob.read_resource(f"octavo://runs/{first}/notebook.ipynb")
            assert (await alice.read_resource(f"octavo://runs/{first}/notebook.ipynb")).contents
            assert (await answer(alice, "runs_compare"))["result"]

    with serving(project, "--toolsets", "all") as server:
        asyncio.run(talk(server))
    assert not list(project.root.glob("*.html"))


def test_nothing_is_run_whose_owner_cannot_be_noted(project: Project) -> None:
    project.write(".octavo/owners", "no folder")

    async def talk(server: Serving) -> None:
        async with over_http(server) as alice:
            for tool, named in (
                ("notebook_execute", {"path": "quick.py"}), ("session_start", {}),
                ("notebook_check", {"paths": ["quick.py"]}),
            ):  # fmt: skip
                await refusal(alice, tool, **named)

    with serving(project) as server:
        asyncio.run(talk(server))
    assert not list((project.root / ".octavo").glob("runs/*/*"))


def test_code_of_one_client_is_not_given_the_tokens_of_all(project: Project) -> None:
    project.environ = {**project.environ, "OCTAVO_MCP_TOKENS": f"carol={'c' * 20}"}
    project.write("spying.py", "# %%\nimport os\nprint(sorted(os.environ))\n")

    async def talk(server: Serving) -> None:
        async with over_http(server) as client:
            seen = await answer(client, "notebook_execute", path="spying.py")
            assert "PATH" in json.dumps(seen["outputs"])
            assert "TOKENS" not in json.dumps(seen["outputs"])

    with serving(project) as server:
        asyncio.run(talk(server))


@pytest.mark.slow
def test_twenty_clients_at_once_get_their_own_answers(project: Project) -> None:
    async def one(server: Serving, number: int) -> None:
        who, mode = ("alice", "bob")[number % 2], MODES[number // 2 % 2]
        async with over_http(server, who, mode) as client:
            done = await answer(
                client, "notebook_execute", path="quick.py", parameters={"n": number}
            )
            while done["status"] == "running":
                done = await answer(client, "job_wait", job=done["job"])
            assert done["status"] == "success", done
            shown = await answer(client, "run_result", run=done["run_id"], cells="1")
            assert f"twice {2 * number}" in shown["text"]

    async def talk(server: Serving) -> None:
        await asyncio.gather(*(one(server, number) for number in range(20)))

    with serving(project) as server:
        asyncio.run(talk(server))
    given = sorted(each["parameters"]["n"] for each in project.records())
    assert given == list(range(20))
    assert {each["status"] for each in project.records()} == {"success"}


@pytest.mark.parametrize("mode", MODES)
def test_a_run_goes_on_when_its_client_is_gone(project: Project, mode: str) -> None:
    """The client is cut off while its call is being answered."""

    async def vanish(server: Serving) -> None:
        async with over_http(server, mode=mode) as client:
            call = asyncio.create_task(client.call_tool("notebook_execute", {"path": "waiting.py"}))
            while not list((project.root / ".octavo").glob("runs/*/*/events.jsonl")):
                await asyncio.sleep(0.02)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)

    async def come_back(server: Serving) -> None:
        async with over_http(server, mode=mode) as client:
            (row,) = (await answer(client, "runs_list", status="running"))["runs"]
            project.go()
            done = await answer(client, "job_wait", job=row["run_id"])
            assert done["status"] == "success"
            assert "gone on" in json.dumps(done["outputs"])

    with serving(project) as server:
        asyncio.run(vanish(server))
        asyncio.run(come_back(server))
    (record,) = project.records()
    assert (record["status"], record["reason"]) == ("success", None)


@pytest.mark.fault
def test_jobs_and_sessions_are_found_again_after_the_server_was_killed(project: Project) -> None:
    async def before(server: Serving) -> tuple[str, str]:
        async with over_http(server) as client:
            session = (await answer(client, "session_start"))["session"]
            await answer(client, "session_execute", session=session, code="kept = 5")
            return await begun(client), session

    async def after(server: Serving, job: str, session: str) -> None:
        async with over_http(server, "bob") as bob:
            assert "job-not-found" in await refusal(bob, "job_wait", job=job)
        async with over_http(server) as client:
            assert (await answer(client, "job_wait", job=job, seconds=0))["status"] == "running"
            project.go()
            assert (await answer(client, "job_wait", job=job))["status"] == "success"
            found = await answer(client, "session_execute", session=session, code="kept + 1")
            assert "6" in json.dumps(found["outputs"])
            await answer(client, "session_stop", session=session)

    first = Serving(project)
    job, session = asyncio.run(before(first))
    first.kill()
    with serving(project) as second:
        asyncio.run(after(second, job, session))


@pytest.mark.parametrize("mode", MODES)
def test_progress_is_told_while_a_run_goes_on(project: Project, mode: str) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def hear(done: float, total: float | None, text: str | None) -> None:
        seen.append((done, total, text))
        project.go()

    async def talk(server: Serving) -> None:
        async with over_http(server, mode=mode) as client:
            result = await client.call_tool(
                "notebook_execute", {"path": "waiting.py"}, progress_callback=hear
            )
            assert result.structured_content["status"] == "success"

    with serving(project) as server:
        asyncio.run(talk(server))
    assert seen
    assert [each[0] for each in seen] == sorted(each[0] for each in seen)
    assert "of 2 cells" in str(seen[0][2])
