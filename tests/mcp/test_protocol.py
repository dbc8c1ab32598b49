"""What goes over the wire: old and new versions of the protocol, tasks, and nothing else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp_types import CallToolResult, Result
from pydantic import Field

from mcp_clients import TOKENS, Project, Raw, Serving, answer, command, over_http, serving

TASKS = "io.modelcontextprotocol/tasks"
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"extensions": {TASKS: {}}},
}
PLAIN = {**MODERN, "io.modelcontextprotocol/clientCapabilities": {}}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path)
    yield made
    # Runs that a test left waiting come to their end.
    made.go()


@pytest.fixture
def raw(project: Project) -> Iterator[Raw]:
    server = Raw(project)
    yield server
    server.close()


def call(raw: Raw, tool: str, meta: dict[str, Any] | None = None, **arguments: Any) -> Any:
    params: dict[str, Any] = {"name": tool, "arguments": arguments}
    return raw.call("tools/call", {**params, "_meta": meta} if meta else params)


def task(raw: Raw, method: str, id: str, meta: dict[str, Any] = MODERN, **more: Any) -> Any:
    return raw.call(f"tasks/{method}", {"taskId": id, "_meta": meta, **more})


@pytest.mark.kernel
@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_the_handshake_of_older_clients(raw: Raw, version: str) -> None:
    begun = raw.initialize(version)["result"]
    assert begun["protocolVersion"] == version
    assert begun["serverInfo"]["name"] == "octavo"
    assert "notebook_execute" in begun["instructions"]
    tools = raw.call("tools/list")["result"]["tools"]
    assert len(tools) <= 20
    done = call(raw, "notebook_read", path="quick.py")["result"]
    assert "twice" in done["structuredContent"]["text"]
    failed = call(raw, "notebook_read", path="../x")["result"]
    assert failed["isError"] is True
    unknown = raw.call("tasks/get", {"taskId": "x"})
    assert unknown["error"]["code"] == -32601


def test_a_line_that_is_no_message_is_answered(raw: Raw) -> None:
    raw.initialize("2025-06-18")
    half = {"path": "quick.py", "cells": "\ud83d"}
    cut = raw.call("tools/call", {"name": "notebook_read", "arguments": half})
    assert cut["error"]["code"] == -32700
    raw.line("garbage")
    raw.line('{"jsonrpc": "2.0"}')
    raw.line("")
    assert "twice" in str(call(raw, "notebook_read", path="quick.py")["result"])
    refused = [json.loads(line) for line in raw.lines if '"error"' in line][1:]
    assert [(each["id"], each["error"]["code"]) for each in refused] == [
        (None, -32700),
        (None, -32600),
    ]


@pytest.mark.kernel
def test_standard_output_holds_nothing_but_the_protocol(project: Project) -> None:
    project.write(
        "noisy.py", "# %%\nimport os, sys\nprint('noise')\nos.write(1, b'raw noise\\n')\n"
        "os.write(2, b'more\\n')\n",
    )  # fmt: skip
    raw = Raw(project, "--json")
    raw.initialize("2025-06-18")
    done = call(raw, "notebook_execute", path="noisy.py")["result"]["structuredContent"]
    assert done["status"] == "success"
    session = call(raw, "session_start")["result"]["structuredContent"]["session"]
    call(raw, "session_execute", session=session, code="import os; os.write(1, b'loud\\n')")
    call(raw, "notebook_check", paths=["quick.py"])
    raw.send({"method": "not/known"})
    assert raw.call("nothing/known")["error"]["code"] == -32601
    call(raw, "session_stop", session=session)
    rest = raw.close()
    assert raw.process.returncode == 0
    for line in [*raw.lines, *rest.splitlines()]:
        assert json.loads(line)["jsonrpc"] == "2.0"


def test_garbage_does_not_end_the_server(project: Project) -> None:
    raw = Raw(project)
    assert raw.process.stdin is not None
    raw.process.stdin.write(
        '{"jsonrpc": "2.0", "id": 7\nnonsense\n[]\n{}\n"' + "x" * 100_000 + '"\n'
    )
    raw.initialize("2025-06-18")
    deep = "[" * 5000 + "]" * 5000
    answered = call(raw, "notebook_execute", path="quick.py", parameters=deep)["result"]
    assert answered["isError"] is True
    huge = call(raw, "notebook_create", task_description="x" * 1_000_000)["result"]
    assert huge["isError"] is True
    assert len(json.dumps(huge)) < 5000
    assert "twice" in json.dumps(call(raw, "notebook_read", path="quick.py"))
    raw.close()


@pytest.mark.kernel
def test_a_job_is_a_task_with_the_same_id(project: Project, raw: Raw) -> None:
    found = raw.call("server/discover", {"_meta": MODERN})["result"]
    assert TASKS in found["capabilities"]["extensions"]
    made = call(raw, "notebook_execute", MODERN, path="waiting.py", wait=0.2)["result"]
    assert (made["resultType"], made["status"], made["ttlMs"]) == ("task", "working", None)
    id = made["taskId"]
    strange = task(raw, "get", "0123abcd")["error"]["message"]
    assert "0123abcd" in strange and "runs_list" in strange and "octavo " not in strange
    going = task(raw, "get", id)["result"]
    assert (going["resultType"], going["status"], going["taskId"]) == ("complete", "working", id)
    assert task(raw, "update", id, inputResponses={})["result"]["resultType"] == "complete"
    (row,) = call(raw, "runs_list", MODERN)["result"]["structuredContent"]["runs"]
    assert row["run_id"] == id[-8:]
    project.go()
    waited = call(raw, "job_wait", MODERN, job=id)["result"]
    while waited["structuredContent"]["status"] == "running":
        waited = call(raw, "job_wait", MODERN, job=id)["result"]
    done = task(raw, "get", id)["result"]
    assert done["status"] == "completed"
    assert done["result"]["structuredContent"]["status"] == "success"
    assert done["result"]["isError"] is False
    assert "gone on" in done["result"]["content"][0]["text"]


@pytest.mark.kernel
def test_a_task_is_cancelled_and_its_record_is_true(project: Project, raw: Raw) -> None:
    id = call(raw, "notebook_execute", MODERN, path="waiting.py", wait=0.2)["result"]["taskId"]
    assert task(raw, "cancel", id)["result"]["resultType"] == "complete"
    while task(raw, "get", id)["result"]["status"] == "working":
        pass
    assert task(raw, "get", id)["result"]["status"] == "cancelled"
    (record,) = project.records()
    assert record["reason"] == "interrupted"


def test_tasks_are_for_clients_that_know_of_them(project: Project, raw: Raw) -> None:
    for method in ("get", "update", "cancel"):
        refused = task(raw, method, "work-000000000000", PLAIN)["error"]
        assert refused["code"] == -32021
        assert TASKS in json.dumps(refused["data"])
        unknown = task(raw, method, "work-000000000000")["error"]
        assert unknown["code"] == -32602
    assert raw.call("tasks/result", {"taskId": "x", "_meta": MODERN})["error"]["code"] == -32601


@pytest.mark.kernel
def test_a_client_without_tasks_gets_a_job(project: Project, raw: Raw) -> None:
    going = call(raw, "notebook_execute", PLAIN, path="waiting.py", wait=0.2)["result"]
    assert going["resultType"] == "complete"
    told = going["structuredContent"]
    assert told["status"] == "running"
    assert told["job"][-8:] in told["next"]
    while "begun" not in json.dumps(told.get("outputs")):
        told = call(raw, "job_wait", PLAIN, job=told["job"], seconds=0.2)["result"]
        told = told["structuredContent"]
    project.go()
    done = call(raw, "job_wait", PLAIN, job=told["job"], cursor=told["cursor"])["result"]
    while done["structuredContent"]["status"] == "running":
        done = call(raw, "job_wait", PLAIN, job=told["job"], cursor=told["cursor"])["result"]
    text = json.dumps(done["structuredContent"]["outputs"])
    assert "gone on" in text and "begun" not in text


class _Made(Result):
    """A task, as the server makes it."""

    result_type: Literal["task"] = Field(default="task", alias="resultType")
    task_id: str = Field(alias="taskId")


@pytest.mark.kernel
@pytest.mark.fault
def test_the_official_client_finds_its_task_after_the_server_was_killed(project: Project) -> None:
    made: list[str] = []

    async def remember(claimed: _Made, context: ClaimContext) -> CallToolResult:
        made.append(claimed.task_id)
        return CallToolResult(content=[], structured_content={"status": "running"})

    class Tasks(ClientExtension):
        identifier = TASKS

        def claims(self) -> list[ResultClaim[Any]]:
            return [ResultClaim(result_type="task", model=_Made, resolve=remember)]

    async def begin(server: Serving) -> None:
        async with over_http(server, extensions=[Tasks()]) as client:
            await client.call_tool("notebook_execute", {"path": "waiting.py", "wait": 0.2})

    async def end(server: Serving) -> None:
        async with over_http(server) as client:
            project.go()
            done = await answer(client, "job_wait", job=made[0])
            assert (done["status"], done["run_id"]) == ("success", made[0][-8:])

    first = Serving(project)
    asyncio.run(begin(first))
    first.kill()
    with serving(project) as second:
        asyncio.run(end(second))


def test_a_misspelled_toolset_or_folder_is_told_before_anything_is_served(project: Project) -> None:
    import subprocess

    for words, kind in (
        (["mcp", "--toolsets", "sesions"], "wrong-argument"),
        (["mcp", "--project", "nowhere"], "wrong-argument"),
        (["mcp", "--limit", "0"], "wrong-argument"),
        (["serve"], "wrong-argument"),
        (["serve", "--mcp"], "token-file"),
        (["serve", "--mcp", "--token-file", "octavo.toml"], "token-file"),
        (["serve", "--mcp", "--port", "70000", "--token-file", "new.txt"], "listen"),
    ):
        done = subprocess.run(
            command(*words, "--json"), cwd=project.root, env=dict(project.environ),
            capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        error = json.loads(done.stdout)["error"]
        assert (error["kind"], bool(error["hint"])) == (kind, True), words
        assert done.returncode in (2, 3)


@pytest.mark.kernel
@pytest.mark.fault
def test_a_task_outlives_its_server(project: Project) -> None:
    first = Raw(project)
    id = call(first, "notebook_execute", MODERN, path="waiting.py", wait=0.2)["result"]["taskId"]
    first.process.kill()
    first.process.wait()
    second = Raw(project)
    assert task(second, "get", id)["result"]["status"] == "working"
    project.go()
    while (found := task(second, "get", id)["result"])["status"] == "working":
        pass
    assert found["result"]["structuredContent"]["status"] == "success"
    second.close()


@pytest.mark.kernel
def test_tasks_over_http_belong_to_a_token(project: Project) -> None:
    def ask(server: Serving, who: str, method: str, named: str, **params: Any) -> dict[str, Any]:
        headers = {
            "Authorization": f"Bearer {TOKENS[who]}",
            "MCP-Protocol-Version": "2026-07-28",
            "Accept": "application/json, text/event-stream",
            "Mcp-Method": method,
            "Mcp-Name": named,
        }
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": method,
            "params": {**params, "_meta": MODERN},
        }
        answered = httpx2.post(server.url, json=message, headers=headers, timeout=60)
        text = answered.text
        if answered.headers["content-type"].startswith("text/event-stream"):
            data = [line[6:] for line in text.splitlines() if line.startswith("data: {")]
            text = data[-1]
        told: dict[str, Any] = json.loads(text)
        return told

    with serving(project) as server:
        made = ask(
            server, "alice", "tools/call", "notebook_execute", name="notebook_execute",
            arguments={"path": "waiting.py", "wait": 0.2},
        )["result"]  # fmt: skip
        assert made["resultType"] == "task"
        id = made["taskId"]
        assert ask(server, "bob", "tasks/get", id, taskId=id)["error"]["code"] == -32602
        assert ask(server, "bob", "tasks/cancel", id, taskId=id)["error"]["code"] == -32602
        going = ask(server, "alice", "tasks/get", id, taskId=id)["result"]
        assert going["status"] == "working", going
        project.go()
        found = made
        while found["status"] == "working":
            found = ask(server, "alice", "tasks/get", id, taskId=id)["result"]
        assert found["status"] == "completed"
