"""The shortest ways with Octavo's tools."""

from __future__ import annotations

import json
from typing import Any

from bench.agents.arms import Tools

REPORT = "report.py"


async def ask(tools: Tools, tool: str, **arguments: Any) -> dict[str, Any]:
    """An answer; what is not done in time is waited for."""
    told: dict[str, Any] = json.loads(await tools(tool, **arguments))
    while told.get("status") == "running":
        told = json.loads(await tools("job_wait", job=told["job"]))
    return told


async def ran(tools: Tools, **parameters: Any) -> dict[str, Any]:
    return await ask(tools, "notebook_execute", path=REPORT, parameters=parameters)


async def text_of(tools: Tools, session: str, code: str, **more: Any) -> str:
    told = await ask(tools, "session_execute", session=session, code=code, **more)
    return "".join(str(each.get("text", "")) for each in told.get("outputs", ()))


async def found_at(tools: Tools, text: str) -> int:
    """The cell that holds a text."""
    found = await ask(tools, "notebook_read", path=REPORT, search=text)
    return int(found["text"].split("[", 1)[1].split("]", 1)[0])


async def explore(tools: Tools) -> Any:
    session = (await ask(tools, "session_start"))["session"]
    load = "import pandas as pd\ndf = pd.read_csv('sales.csv')\ndf.info()"
    looked = await text_of(tools, session, load)
    assert "region" in looked and "amount" in looked
    code = (
        "import json\nprint(json.dumps([df.groupby('region')['amount'].mean().round(2).to_dict(),"
        " {k: int(v) for k, v in df.isna().sum().items() if v}]))"
    )
    return json.loads(await text_of(tools, session, code))


async def find_failing(tools: Tools) -> Any:
    failed = (await ran(tools))["failed_cell"]
    return failed["index"], failed["ename"]


async def parameter(tools: Tools) -> Any:
    return (await ran(tools, threshold=0.9))["scraps"]


async def mend(tools: Tools) -> Any:
    failed = (await ran(tools))["failed_cell"]
    source = failed["source"].replace("scales", "scaled")
    await ask(tools, "notebook_edit", path=REPORT, cell_index=failed["index"], new_source=source)
    return (await ran(tools))["scraps"]


async def compare(tools: Tools) -> Any:
    return [(await ran(tools, threshold=each))["scraps"] for each in (0.5, 0.9)]


async def add_step(tools: Tools) -> Any:
    index = await found_at(tools, "totals =")
    source = "best = totals.idxmax()\nprint('best', best)"
    await ask(
        tools, "notebook_edit", path=REPORT, cell_index=index, new_source=source, how="insert_after"
    )
    done = await ran(tools)
    seen = await ask(tools, "run_result", run=done["run_id"], cells=str(index + 1))
    return seen["text"].split("best ")[-1].split()[0].strip("'\"")


async def flood(tools: Tools) -> Any:
    done = await ran(tools)
    seen = await ask(tools, "run_result", run=done["run_id"], cells="4")
    return int(seen["text"].split("converged at ")[-1].split()[0])


async def plot(tools: Tools) -> Any:
    session = (await ask(tools, "session_start"))["session"]
    code = (
        "import pandas as pd, matplotlib.pyplot as plt\ndf = pd.read_csv('sales.csv')\n"
        "df.groupby('day')['amount'].sum().plot(figsize=(8, 5), title='Sales')\nplt.show()"
    )
    told = await ask(tools, "session_execute", session=session, code=code)
    return next(each for each in told["outputs"] if each["type"] == "image")["width"] > 0


async def what_if(tools: Tools) -> Any:
    index = await found_at(tools, "read_csv")
    session = (await ask(tools, "session_start", notebook=REPORT))["session"]
    await ask(tools, "session_execute", session=session, cell=index)
    answers = []
    for column in ("region", "day", "units"):
        code = f"df = df.drop_duplicates('{column}')\nlen(df)"
        answers.append(int(await text_of(tools, session, code, scratch=True)))
    return [*answers, int(await text_of(tools, session, "len(df)", scratch=True))]


async def commit(tools: Tools) -> Any:
    await ask(tools, "notebook_edit", path=REPORT, cell_index=0, new_source="# Sales of the year")
    return (await ask(tools, "notebook_commit", path=REPORT, message="A better title"))["commit"]
