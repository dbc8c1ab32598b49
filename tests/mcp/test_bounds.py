"""How many sessions and jobs one client may have."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from mcp_clients import Project, Serving, answer, over_http, over_stdio, refusal, serving

pytestmark = pytest.mark.kernel


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.write("octavo.toml", "mcp-sessions = 2\nmcp-jobs = 1\n")
    return made


def test_a_session_too_many_is_refused_and_another_client_has_room(project: Project) -> None:
    async def talk(server: Serving) -> None:
        async with over_http(server, "alice") as alice, over_http(server, "bob") as bob:
            first = (await answer(alice, "session_start"))["session"]
            second = (await answer(alice, "session_start"))["session"]
            told = await refusal(alice, "session_start")
            assert told.startswith("too-many: ") and "session_stop" in told
            assert first in told and second in told
            branch = await refusal(alice, "session_branch", session=first)
            assert branch.startswith("too-many: ")
            others = await answer(bob, "session_start")
            await answer(alice, "session_stop", session=first)
            third = await answer(alice, "session_start")
            for client, each in ((alice, second), (alice, third["session"])):
                await answer(client, "session_stop", session=each)
            await answer(bob, "session_stop", session=others["session"])

    with serving(project, "--toolsets", "sessions") as server:
        asyncio.run(talk(server))


def test_sessions_that_are_started_at_once_are_counted(project: Project) -> None:
    async def talk() -> None:
        async with over_stdio(project) as client:
            calls = [client.call_tool("session_start", {}) for _ in range(4)]
            results = await asyncio.gather(*calls)
            refused = [each for each in results if each.is_error]
            assert len(refused) == 2
            for each in results:
                if not each.is_error and each.structured_content:
                    await answer(client, "session_stop", session=each.structured_content["session"])

    asyncio.run(talk())


def test_a_job_too_many_is_refused_until_one_has_ended(project: Project) -> None:
    async def talk(server: Serving) -> None:
        async with over_http(server, "alice") as alice, over_http(server, "bob") as bob:
            asked = {"path": "waiting.py", "wait": 0, "request_id": "once"}
            going = await answer(alice, "notebook_execute", **asked)
            again = await answer(alice, "notebook_execute", **asked)
            assert again["job"] == going["job"]
            for tool, named in (
                ("notebook_execute", {"path": "quick.py"}),
                ("notebook_check", {"paths": ["quick.py"]}),
                ("notebook_commit", {"path": "quick.py", "message": "Change"}),
            ):
                told = await refusal(alice, tool, **named)
                assert told.startswith("too-many: ") and "job_cancel" in told
                assert going["job"][-8:] in told
            assert (await answer(bob, "notebook_execute", path="quick.py"))["status"] == "success"
            project.go()
            await answer(alice, "job_wait", job=going["job"])
            each = {"path": "quick.py", "parameters": [{"n": 1}, {"n": 2}]}
            ran = await answer(alice, "notebook_execute", **each)
            assert [run["status"] for run in ran["runs"]] == ["success"] * 2

    with serving(project) as server:
        asyncio.run(talk(server))


def test_a_project_may_have_no_bounds(project: Project) -> None:
    project.write("octavo.toml", "mcp-jobs = 0\n")

    async def talk() -> None:
        async with over_stdio(project) as client:
            going = await answer(client, "notebook_execute", path="waiting.py", wait=0)
            ran = await answer(client, "notebook_execute", path="quick.py")
            assert ran["status"] == "success"
            project.go()
            await answer(client, "job_wait", job=going["job"])

    asyncio.run(talk())
