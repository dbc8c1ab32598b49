"""Tools in Hermes are those of the server: the same names, words, arguments and answers."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from octavo.compat import hermes
from octavo.compat.hermes.desks import FOLDER, project
from octavo.surfaces.mcp.desk import Desk
from octavo.surfaces.mcp.server import Server


class Hermes:
    """What Hermes gives a plug-in, as far as ours uses it."""

    def __init__(self) -> None:
        self.tools: dict[str, Any] = {}
        self.schemas: dict[str, Any] = {}
        self.toolsets: set[str] = set()
        self.skills: dict[str, Path] = {}

    def register_tool(
        self, name: str, toolset: str, schema: Any, handler: Any, description: str = ""
    ) -> None:
        self.tools[name] = handler
        self.schemas[name] = schema
        self.toolsets.add(toolset)

    def register_skill(self, name: str, path: Path, description: str = "") -> None:
        self.skills[name] = path


@pytest.fixture
def plugged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hermes:
    (tmp_path / "octavo.toml").touch()
    monkeypatch.setenv(FOLDER, str(tmp_path))
    ctx = Hermes()
    hermes.register(ctx)
    return ctx


def test_they_are_declared_as_the_server_declares_them(plugged: Hermes, tmp_path: Path) -> None:
    server = Server(Desk(str(tmp_path), dict(os.environ)))
    listed = {tool.name: tool for tool in asyncio.run(server.list_tools())}
    assert list(plugged.tools) == list(listed)
    for name, tool in listed.items():
        schema = plugged.schemas[name]
        assert schema["description"] == tool.description
        assert schema["parameters"] == tool.input_schema
    assert plugged.toolsets == {"octavo-notebooks"}
    assert plugged.skills["notebooks"].name == "SKILL.md"


@pytest.mark.kernel
def test_a_notebook_is_made_run_and_read_in_the_folder_of_the_terminal(
    plugged: Hermes, tmp_path: Path
) -> None:
    tools = plugged.tools
    made = json.loads(tools["notebook_create"]({"task_description": "Count"}, task_id="t"))
    assert (tmp_path / made["path"]).exists()
    ran = json.loads(tools["notebook_execute"]({"path": made["path"], "parameters": {}}))
    while ran["status"] == "running":
        ran = json.loads(tools["job_wait"]({"job": ran["job"]}))
    assert ran["status"] == "success" and ran["scraps"]["agent_id"]
    assert all(value not in (None, "", [], {}) for value in ran.values())
    seen = json.loads(tools["run_result"]({"run": ran["run_id"]}))
    assert seen["status"] == "success"


def test_a_call_that_is_wrong_is_an_error_with_a_hint(plugged: Hermes) -> None:
    for arguments, kind in (
        ({}, "wrong-argument"),
        ({"path": 3}, "wrong-argument"),
        ({"path": "a.py", "colour": "red"}, "wrong-argument"),
        ({"path": "/etc/passwd"}, "outside-project"),
        ({"path": "\0"}, "outside-project"),
        ({"path": "nothing.py"}, "notebook-not-found"),
        (None, "wrong-argument"),
    ):
        error = json.loads(plugged.tools["notebook_read"](arguments))["error"]
        assert error["kind"] == kind and error["hint"], error


def test_a_folder_that_is_none_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "octavo.toml").touch()
    for named in ("", ".", "auto", "relative/path", str(tmp_path / "missing")):
        monkeypatch.setenv(FOLDER, named)
        assert project() == str(tmp_path)
