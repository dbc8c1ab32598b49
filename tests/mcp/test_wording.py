"""What tools say: names of tools and places of the project, and nothing of this machine."""

from __future__ import annotations

import ast
import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from mcp_clients import Project, over_stdio
from octavo.errors import UsageError
from octavo.surfaces.mcp.hints import in_tools, in_words
from octavo.surfaces.mcp.wording import Wording

SOURCES = Path(__file__).parents[2] / "src" / "octavo"
#: Rooms whose words reach whoever calls a tool.
ROOMS = ("authoring", "gate", "kernels", "notebook", "proposals", "records", "runs", "sessions")
#: Commands that a tool does, where no option is meant that the tool does not have.
KNOWN = re.compile(
    r"\boctavo (?:session (?!from-run)|job |runs?\b|show\b|read\b|create\b|edit\b|review\b|diff\b"
    r"|check\b(?!.*--update)|rerun (?!\S+ --hold))"
)
#: Not for agents: pages, forges' texts, files of references, and the drivers of git.
NOT_SAID = ("gate/reports", "gate/announce", "gate/references", "proposals/body", "git-diff")


def literals(path: Path) -> Iterator[str]:
    """Every text in a source that is no docstring; what is filled in is an id."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {
        id(part)
        for node in ast.walk(tree)
        for part in (
            node.values
            if isinstance(node, ast.JoinedStr)
            else [node.value]
            if isinstance(node, ast.Expr)
            else []
        )
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (p.value if isinstance(p, ast.Constant) else "01234567" for p in node.values)
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from () if id(node) in skipped else (node.value,)


def said() -> list[str]:
    paths = [path for room in ROOMS for path in sorted((SOURCES / room).rglob("*.py"))]
    return [
        text
        for path in paths
        if not any(each in path.as_posix() for each in NOT_SAID)
        for text in literals(path)
        if KNOWN.search(text) and not text.startswith(("# ", "  "))
    ]


def test_every_command_in_our_words_becomes_a_tool() -> None:
    texts = said()
    assert len(texts) > 50
    left = {text: told for text in texts if KNOWN.search(told := in_tools(text))}
    assert left == {}
    assert [text for text in texts if KNOWN.search(in_words(text))] == []


@pytest.mark.parametrize(
    ("hint", "told"),
    [
        ("octavo session run-all 0f3a9c21", 'session_execute(session="0f3a9c21", cell="all")'),
        ("`octavo read a.py` shows it", 'notebook_read(path="a.py") shows it'),
        ("octavo read 0f3a:1:0 --offset 90", 'run_result(handle="0f3a:1:0", offset=90)'),
        ("choose another name, or --force to write over it",
         "choose another name, or force=true to write over it"),
        ("correct the source, or say --untold to write it as it is", "correct the source"),
        ("git fetch --unshallow", "git fetch --unshallow"),
        ("octavo merge 3 --when-green", "octavo merge 3 --when-green"),
        ("-p n VALUE", 'parameters={"n": …}'),
    ],
)  # fmt: skip
def test_hints_name_tools_and_their_arguments(hint: str, told: str) -> None:
    assert in_tools(hint, ("force", "path")) == told


def test_places_are_relative_to_the_project() -> None:
    wording = Wording("/home/ada/work", "/home/ada", "/run/user/1/octavo")
    error = UsageError(
        "storage",
        "/home/ada/work/a.py and /home/ada/workshop and /run/user/1/octavo/x.sock",
        place="/home/ada/work",
        hint="see ~/work/b.py",
    )
    told = wording.error(error)
    assert told["message"] == "a.py and ~/workshop and $XDG_RUNTIME_DIR/x.sock"
    assert (told["place"], told["hint"]) == (".", "see b.py")
    code = {"outputs": [{"type": "text", "text": "/home/ada/work"}], "path": "/home/ada/work/a.py"}
    assert wording.answer(code) == {**code, "path": "a.py"}
    lines = ["File /usr/lib/python3.11/json/decoder.py:355, in decode"]
    assert wording.answer({"lines": lines}) == {"lines": ["File json/decoder.py:355, in decode"]}


async def asked(client: Client, project: Project, tool: str, **arguments: Any) -> dict[str, Any]:
    """A call whose answer says nothing of this machine and of the command line."""
    result = await client.call_tool(tool, arguments)
    told = json.dumps([result.model_dump(mode="json", by_alias=True)], ensure_ascii=False)
    assert str(project.home) not in told, told
    assert not KNOWN.search(told), told
    plain: dict[str, Any] = result.structured_content or {}
    return plain


#: Calls that succeed and calls that are wrong, of every tool that needs no session.
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("notebook_create", {"task_description": "Count"}),
    ("notebook_create", {"task_description": "x", "path": "quick.py"}),
    ("notebook_create", {"task_description": ""}),
    ("notebook_read", {"path": "quick.py"}),
    ("notebook_read", {"path": "bad.ipynb"}),
    ("notebook_read", {"path": "quick.py", "cells": "99"}),
    ("notebook_edit", {"path": "quick.py", "cell_index": 1, "new_source": "1+"}),
    ("notebook_edit", {"path": "quick.py", "cell_index": 1, "new_source": "1", "expect": "zz"}),
    ("notebook_execute", {"path": "library.py"}),
    ("notebook_execute", {"path": "quick.py", "parameters": {"m": 1}}),
    ("notebook_diff", {}),
    ("notebook_diff", {"path": "quick.py", "against": "nothing"}),
    ("notebook_check", {"paths": ["library.py", "bad.ipynb"]}),
    ("notebook_commit", {"path": "bad.ipynb", "message": "Change"}),
    ("notebook_pr", {"branch": "nothing", "title": "t"}),
    ("notebook_review", {"number": 7}),
    ("runs_list", {}),
    ("runs_list", {"where": ["=="]}),
    ("run_result", {}),
    ("run_result", {"run": "zzzzzzzz"}),
    ("run_result", {"handle": "last:99:0"}),
    ("job_wait", {"job": "zzzzzzzz"}),
    ("job_cancel", {"job": "zzzzzzzz"}),
    ("session_start", {"notebook": "nothing.py"}),
    ("session_start", {"restore": "zzzzzzzz"}),
    ("session_stop", {"session": "zzzzzzzz"}),
    ("notebook_inspect", {"path": "quick.py"}),
    ("notebook_lint", {"paths": ["bad.ipynb"]}),
    ("notebook_graph", {"path": "quick.py"}),
    ("proposals_list", {}),
    ("proposal_comment", {"number": 9, "text": "hi"}),
    ("notebook_propose", {"path": "library.py", "message": "m"}),
    ("runs_compare", {}),
    ("runs_archive", {}),
    ("run_export", {"what": ["last"], "to": "html"}),
    ("session_list", {}),
]
#: Of those that need one.
IN_SESSION: list[tuple[str, dict[str, Any]]] = [
    ("session_execute", {"code": "import library; library.fails()"}),
    ("session_execute", {"cell": "zz"}),
    ("session_execute", {}),
    ("session_variables", {}),
    ("session_variables", {"name": "nothing"}),
    ("session_rewind", {"cell": 1}),
    ("session_save", {"path": "failing.py"}),
    ("session_save", {"path": "saved.py"}),
    ("session_show", {}),
    ("session_interrupt", {}),
    ("session_diff", {"before": "0"}),
    ("session_promote", {"path": "promoted.py"}),
    ("session_restore", {}),
    ("session_execute", {"code": "import os; os._exit(3)"}),
    ("session_execute", {"code": "1"}),
    ("session_variables", {}),
    ("session_restart", {}),
    ("session_stop", {}),
    ("session_stop", {}),
]


@pytest.mark.kernel
@pytest.mark.slow
def test_no_answer_tells_of_this_machine_or_of_commands(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("bad.ipynb", "{")
    project.write("lib/library.py", "import json\ndef fails():\n    json.loads('{')\n")
    project.write("library.py", "# %%\nimport json\njson.loads('{')\n")

    async def talk() -> None:
        async with over_stdio(project, "--toolsets", "all") as client:
            for tool, arguments in CALLS:
                await asked(client, project, tool, **arguments)
            began = await asked(client, project, "session_start", notebook="quick.py", cell="all")
            for tool, arguments in IN_SESSION:
                await asked(client, project, tool, session=began["session"], **arguments)
            called = {tool for tool, _ in (*CALLS, *IN_SESSION)} | {"session_branch"}
            assert {tool.name for tool in (await client.list_tools()).tools} == called

    asyncio.run(talk())
