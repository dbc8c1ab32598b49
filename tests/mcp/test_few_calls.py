"""What one call can do, so that an agent need not make two."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from mcp_clients import Project, answer, over_stdio, refusal

REPORT = """\
# %% tags=["parameters"]
n = 2

# %%
from octavo_runtime import glue

# %%
scaled = [n * each for each in range(5)]

# %%
glue("total", sum(scaled))
"""
pytestmark = pytest.mark.kernel


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_one_call_runs_a_notebook_with_several_sets_of_parameters(project: Project) -> None:
    project.write("report.py", REPORT)

    async def talk() -> None:
        async with over_stdio(project) as client:
            told = await answer(
                client, "notebook_execute", path="report.py", parameters=[{"n": 3}, {}, {"n": 0}],
                request_id="sweep",
            )  # fmt: skip
            assert told["status"] == "success"
            assert [run["scraps"] for run in told["runs"]] == [
                {"total": 30}, {"total": 20}, {"total": 0},
            ]  # fmt: skip
            again = await answer(
                client, "notebook_execute", path="report.py", parameters=[{"n": 3}, {}, {"n": 0}],
                request_id="sweep",
            )  # fmt: skip
            assert [run["run_id"] for run in again["runs"]] == [
                run["run_id"] for run in told["runs"]
            ]
            wrong = await refusal(
                client, "notebook_execute", path="report.py", parameters=[{"n": 1}, {"m": 1}]
            )
            assert "parameter" in wrong
        assert len(project.records()) == 3

    asyncio.run(talk())


def test_cells_are_told_by_their_numbers_in_the_file(project: Project) -> None:
    draw = "# %%\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\n"
    project.write("drawn.py", f"{REPORT}\n{draw}")
    project.write("said.py", REPORT.replace('glue("total", ', "print("))

    async def talk() -> None:
        async with over_stdio(project) as client:
            drawn = await answer(client, "notebook_execute", path="drawn.py", parameters={"n": 3})
            assert drawn["images_of_cells"] == [4] and "outputs" not in drawn
            shown = await answer(client, "run_result", run=drawn["run_id"], cells="4")
            [image] = shown["images"]
            assert (project.root / image["path"]).stat().st_size and image["cell"] == 4
            said = await answer(client, "notebook_execute", path="said.py", parameters={"n": 3})
            assert said["outputs"] == [{"type": "text", "text": "30", "cell": 3}]

    asyncio.run(talk())


def test_a_failing_cell_is_told_with_the_name_that_was_meant(project: Project) -> None:
    project.write("report.py", REPORT.replace("sum(scaled)", "sum(scales)"))

    async def talk() -> None:
        async with over_stdio(project) as client:
            told = await answer(
                client, "notebook_execute", path="report.py", parameters=[{"n": 3}, {"n": 4}]
            )
            assert told["status"] == "error"
            failed = told["runs"][1]["failed_cell"]
            assert failed["did_you_mean"] == ["scaled"]
            mended = await answer(
                client, "notebook_edit", path="report.py", cell_index=failed["index"],
                new_source=failed["source"].replace("scales", "scaled"), execute=True,
            )  # fmt: skip
            assert mended["scraps"] == {"total": 20}

    asyncio.run(talk())


def test_a_step_is_put_behind_the_cell_that_makes_a_variable(project: Project) -> None:
    project.write("report.py", REPORT)

    async def talk() -> None:
        async with over_stdio(project) as client:
            told = await answer(
                client, "notebook_edit", path="report.py", cell_index="scaled", how="insert_after",
                new_source="print('most', max(scaled))", execute=True,
            )  # fmt: skip
            assert told["cell"]["index"] == 3
            assert [each["text"] for each in told["outputs"]] == ["most 8"]

    asyncio.run(talk())


def test_a_session_runs_up_to_a_cell_and_then_tries_something(project: Project) -> None:
    project.write("report.py", REPORT)

    async def talk() -> None:
        async with over_stdio(project) as client:
            told = await answer(
                client, "session_start", notebook="report.py", cell="scaled", scratch=True,
                parameters={"n": 3}, code="scaled.append(1)\nprint(len(scaled), sum(scaled))",
            )  # fmt: skip
            assert [each["text"] for each in told["outputs"]] == ["6 31"]
            kept = await answer(
                client, "session_execute", session=told["session"], code="print(len(scaled))"
            )
            assert [each["text"] for each in kept["outputs"]] == ["5"]
            await answer(client, "session_stop", session=told["session"])
            wrong = await refusal(client, "session_start", notebook="report.py", scratch=True)
            assert "scratch is for code" in wrong

    asyncio.run(talk())


def test_code_is_not_executed_on_a_state_that_was_not_reached(project: Project) -> None:
    project.write("report.py", REPORT.replace("n * each", "n / 0"))

    async def talk() -> None:
        async with over_stdio(project) as client:
            told = await answer(
                client, "session_start", notebook="report.py", cell="scaled", code="print('never')"
            )
            assert told["status"] == "failed"
            assert "not executed" in told["notes"][-1] and "never" not in str(told)
            await answer(client, "session_stop", session=told["session"])

    asyncio.run(talk())
