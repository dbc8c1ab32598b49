"""The tools over standard streams, as an agent calls them with the official client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from git_repositories import git
from mcp_clients import Project, answer, over_stdio, refusal

#: As the issue names them.
NAMES = [
    "notebook_create", "notebook_read", "notebook_edit", "notebook_execute", "notebook_diff",
    "notebook_check", "notebook_commit", "notebook_pr", "notebook_review", "runs_list",
    "run_result", "job_wait", "job_cancel", "session_start", "session_execute",
    "session_variables", "session_rewind", "session_save", "session_stop",
]  # fmt: skip
ARGUMENTS = {
    "notebook_create": ["task_description"],
    "notebook_edit": ["path", "cell_index", "new_source"],
    "notebook_execute": ["path", "parameters"],
    "notebook_commit": ["path", "message"],
    "notebook_pr": ["branch", "title", "description"],
}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path)
    yield made
    # Runs that a test left waiting come to their end.
    made.go()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_tools_are_few_and_cheap_to_list(project: Project, mode: str) -> None:
    async def talk() -> None:
        async with over_stdio(project, mode=mode) as client:
            tools = (await client.list_tools()).tools
            listed = [
                {"name": t.name, "description": t.description, "inputSchema": t.input_schema}
                for t in tools
            ]
            assert [tool.name for tool in tools] == NAMES
            assert len(json.dumps(listed).encode()) < 16_000
            for tool in tools:
                assert tool.output_schema
                assert tool.description
                begins = ARGUMENTS.get(tool.name, [])
                assert list(tool.input_schema["properties"])[: len(begins)] == begins
            assert client.instructions is not None
            assert 100 < len(client.instructions.split()) <= 150

    asyncio.run(talk())


def test_annotations_are_true(project: Project) -> None:
    async def talk() -> None:
        async with over_stdio(project, "--toolsets", "all") as client:
            tools = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
        assert len(tools) > len(NAMES)
        reading = {name for name, hints in tools.items() if hints and hints.read_only_hint}
        assert {"notebook_read", "notebook_diff", "runs_list", "run_result", "job_wait",
                "session_variables", "notebook_review"} <= reading  # fmt: skip
        for name, hints in tools.items():
            assert hints is not None
            told = (hints.read_only_hint, hints.destructive_hint, hints.open_world_hint)
            assert None not in told, name
        # Without a snapshot the last three execute cells again.
        for name in ("notebook_execute", "session_execute", "notebook_check", "session_start",
                     "session_rewind", "session_branch"):  # fmt: skip
            assert tools[name].destructive_hint and tools[name].open_world_hint
        for name in ("notebook_commit", "notebook_pr", "notebook_review"):
            assert tools[name].open_world_hint
        for name in ("job_cancel", "session_stop", "notebook_edit", "notebook_pr"):
            assert tools[name].destructive_hint
        for name in ("notebook_edit", "notebook_create", "notebook_commit", "notebook_execute"):
            assert not tools[name].idempotent_hint

    asyncio.run(talk())


@pytest.mark.kernel
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_whole_loop_ends_with_a_commit_and_a_true_record(project: Project, mode: str) -> None:
    async def talk() -> None:
        async with over_stdio(project, mode=mode) as client:
            made = await answer(client, "notebook_create", task_description="Count the hosts")
            path = made["path"]
            edited = await answer(
                client, "notebook_edit", path=path, cell_index="gather",
                new_source='values = {item: 1 / 0 for item in items}',
            )  # fmt: skip
            assert edited["changed"] and "values =" in edited["removed"]
            failed = await answer(client, "notebook_execute", path=path)
            assert failed["status"] == "error"
            assert failed["failed_cell"]["ename"] == "ZeroDivisionError"
            assert failed["failed_cell"]["index"] == edited["cell"]["index"]
            line = int(failed["failed_cell"]["where"].rpartition(":")[2])
            assert "1 / 0" in (project.root / path).read_text().splitlines()[line - 1]
            mended = await answer(
                client, "notebook_edit", path=path, cell_index=failed["failed_cell"]["index"],
                new_source="values = {item: 0.5 for item in items}",
                expect=edited["cell"]["handle"],
            )  # fmt: skip
            assert mended["changed"]
            done = await answer(
                client, "notebook_execute", path=path, parameters={"items": ["a", "b"]}
            )
            assert (done["status"], done["scraps"]["score"]) == ("success", 1.0)
            listed = await answer(client, "runs_list")
            assert [row["status"] for row in listed["runs"]] == ["success", "error"]
            assert listed["runs"][0]["parameters"] == {"items": ["a", "b"]}
            shown = await answer(client, "run_result", run=failed["run_id"])
            assert "ZeroDivisionError" in shown["text"] or shown["status"] == "error"
            committed = await answer(client, "notebook_commit", path=path, message="Count hosts")
            assert path in committed["files"]
        assert "Count hosts" in git(project.root, "log", "--format=%s", committed["branch"])
        assert sorted(each["status"] for each in project.records()) == ["error", "success"]

    asyncio.run(talk())


@pytest.mark.kernel
def test_an_edit_is_tried_at_once_and_outputs_of_cells_are_told(project: Project) -> None:
    project.write(
        "sum.py",
        '# %% tags=["parameters"]\nn = 1\n\n# %%\nprint("first", n)\n\n# %%\nprint("last", n)\n',
    )

    async def talk() -> None:
        async with over_stdio(project) as client:
            told = await answer(
                client, "notebook_edit", path="sum.py", cell_index=1, how="insert_after",
                new_source="print('added', n + 1)", execute=True,
            )  # fmt: skip
            assert (told["status"], told["cell"]["index"]) == ("success", 2)
            assert told["outputs"] == [{"type": "text", "text": "added 2", "cell": 2}]
            failed = await answer(
                client, "notebook_edit", path="sum.py", cell_index=2, execute=True,
                new_source="def half(n):\n    return n / 0\nhalf(n)", expect=told["cell"]["handle"],
            )  # fmt: skip
            assert failed["removed"] == "print('added', n + 1)"
            assert (
                failed["failed_cell"]["index"] == 2 and "half(n)" in failed["failed_cell"]["source"]
            )
            assert any("in half" in line for line in failed["failed_cell"]["traceback"])
            assert "execute=true" in failed["next"]
            mended = await answer(
                client, "notebook_edit", path="sum.py", cell_index=2, how="delete", new_source="",
                execute=True,
            )  # fmt: skip
            assert mended["status"] == "success"
            chosen = await answer(
                client, "notebook_execute", path="sum.py", parameters={"n": 7}, show=[1, -1]
            )
            assert [(each["cell"], each["text"]) for each in chosen["outputs"]] == [
                (1, "first 7"), (2, "last 7"),
            ]  # fmt: skip
        assert len(project.records()) == 4

    asyncio.run(talk())


@pytest.mark.kernel
def test_a_check_and_a_diff_tell_what_is_wrong(project: Project) -> None:
    async def talk() -> None:
        async with over_stdio(project) as client:
            good = await answer(client, "notebook_check", paths=["quick.py"])
            assert good["passed"] is True
            assert len(good["verdicts"][0]["run_id"]) == 8
            bad = await answer(client, "notebook_check", paths=["failing.py"])
            assert bad["passed"] is False
            assert "bad 1" in json.dumps(bad["verdicts"])
            await answer(
                client, "notebook_edit", path="quick.py", cell_index=1, new_source="print('three')"
            )
            changed = await answer(client, "notebook_diff", path="quick.py")
            assert changed["files"] == ["quick.py"]
            assert "+print('three')" in changed["markdown"]
            same = await answer(client, "notebook_diff", path="failing.py")
            assert same["changed"] is False
            other = await answer(client, "notebook_diff", path="quick.py", against="failing.py")
            assert other["changed"] is True

    asyncio.run(talk())


@pytest.mark.kernel
def test_a_run_that_is_asked_for_twice_is_run_once(project: Project) -> None:
    async def talk() -> None:
        async with over_stdio(project) as client:
            asked = {"path": "quick.py", "parameters": {"n": 3}, "request_id": "nightly"}
            both = [client.call_tool("notebook_execute", asked) for _ in range(2)]
            first, second = [each.structured_content for each in await asyncio.gather(*both)]
            third = await answer(client, "notebook_execute", **asked)
            assert first and second
            assert first["run_id"] == second["run_id"] == third["run_id"]
            assert third["status"] == "success"
        (record,) = project.records()
        assert record["parameters"] == {"n": 3}

    asyncio.run(talk())


def test_wrong_calls_are_refused_with_a_kind_and_a_hint(project: Project) -> None:
    outside = project.home / "outside.py"
    outside.write_text("# %%\nsecret = 1\n")
    (project.root / "link.py").symlink_to(outside)

    async def talk() -> None:
        async with over_stdio(project) as client:
            for path in ("../outside.py", "../../etc/passwd", str(outside), "/etc/passwd",
                         "link.py", ".git/config", ".octavo/owners/x", "http://x/y.py", "-",
                         "a\0b.py", "x" * 100_000, "  ", "~/../../../../hosts"):  # fmt: skip
                for tool, more in (
                    ("notebook_read", {}), ("notebook_execute", {}),
                    ("notebook_commit", {"message": "m"}),
                    ("notebook_edit", {"cell_index": 0, "new_source": "x = 1"}),
                ):  # fmt: skip
                    text = await refusal(client, tool, path=path, **more)
                    kind = text.partition(":")[0]
                    assert kind in ("outside-project", "notebook-not-found"), (tool, path, text)
                    assert len(text) < 5000
            assert "outside-project" in await refusal(
                client, "notebook_create", task_description="x", path="../new.py"
            )
            for how in ("replace", "insert_before", "insert_after", "delete"):
                assert "stale" in await refusal(
                    client, "notebook_edit", path="quick.py", cell_index=1, new_source="x",
                    expect="00000000", how=how,
                )  # fmt: skip
            for text in (
                await refusal(client, "notebook_read", path=["quick.py"]),
                await refusal(client, "notebook_read"),
                await refusal(client, "notebook_read", path="quick.py", budget=10),
                await refusal(client, "notebook_read", paht="quick.py"),
                await refusal(client, "notebook_execute", path="quick.py", parameters=[1]),
                await refusal(client, "notebook_diff", against="--output=/tmp/x"),
                await refusal(client, "runs_list", status="failed"),
                await refusal(client, "session_execute", session="00000000", code="", cell=None),
                await refusal(client, "session_execute", session="0", code="1", expect="00000000"),
                await refusal(client, "no_such_tool"),
            ):
                assert text.startswith("wrong-argument: "), text
            assert "did you mean path?" in await refusal(client, "notebook_read", paht="x")
            assert "parameter-unknown" in await refusal(
                client, "notebook_execute", path="quick.py", parameters={"nn": 1}
            )
            assert "parameter-type" in await refusal(
                client, "notebook_execute", path="quick.py", parameters={"n": "many"}
            )
            assert "job-not-found" in await refusal(client, "job_wait", job="../../x")
            assert "job-not-found" in await refusal(client, "job_wait", job="work-abcdef123456")
            assert "not-found" in await refusal(client, "job_cancel", job="0123abcd")
            assert "session-not-found" in await refusal(client, "session_stop", session="0123abcd")
            assert "run-not-found" in await refusal(client, "run_result", run="../../etc")
        assert outside.read_text() == "# %%\nsecret = 1\n"

    asyncio.run(talk())


@pytest.mark.kernel
def test_a_pull_request_is_opened_and_its_review_is_told(project: Project) -> None:
    project.write("octavo.toml", 'forge = "local"\n')

    async def talk() -> None:
        async with over_stdio(project, "--toolsets", "proposals") as client:
            await answer(
                client, "notebook_edit", path="quick.py", cell_index=1, new_source="print('new')"
            )
            done = await answer(client, "notebook_commit", path="quick.py", message="Say new")
            assert done["branch"] in done["next"]
            opened = await answer(
                client,
                "notebook_pr",
                branch=done["branch"],
                title="Say new",
                description="As asked",
            )
            assert opened["title"] == "Say new"
            number = opened["number"]
            commented = await answer(
                client, "proposal_comment", number=number, text="Why?", path="quick.py", cell=1
            )
            assert commented["result"]
            review = await answer(client, "notebook_review", number=number)
            (finding,) = review["findings"]
            assert (finding["body"], finding["cell"]) == ("Why?", 1)
            assert review["state"] == "open"
            assert "proposal-not-found" in await refusal(client, "notebook_review", number=999)
            assert "wrong-argument" in await refusal(client, "notebook_review", number=0)

    asyncio.run(talk())
