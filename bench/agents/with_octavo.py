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
    return text_in(await ask(tools, "session_execute", session=session, code=code, **more))


def text_in(told: dict[str, Any]) -> str:
    return "".join(str(each.get("text", "")) for each in told.get("outputs", ()))


async def found_at(tools: Tools, text: str) -> int:
    """The cell that holds a text."""
    found = await ask(tools, "notebook_read", path=REPORT, search=text)
    return int(found["text"].split("[", 1)[1].split("]", 1)[0])


async def explore(tools: Tools) -> Any:
    load = "import pandas as pd\ndf = pd.read_csv('sales.csv')\ndf.info()"
    begun = await ask(tools, "session_start", code=load)
    looked = text_in(begun)
    assert "region" in looked and "amount" in looked
    code = (
        "import json\nprint(json.dumps([df.groupby('region')['amount'].mean().round(2).to_dict(),"
        " {k: int(v) for k, v in df.isna().sum().items() if v}]))"
    )
    return json.loads(await text_of(tools, begun["session"], code))


async def find_failing(tools: Tools) -> Any:
    failed = (await ran(tools))["failed_cell"]
    return failed["index"], failed["ename"]


async def parameter(tools: Tools) -> Any:
    return (await ran(tools, threshold=0.9))["scraps"]


async def mend(tools: Tools) -> Any:
    failed = (await ran(tools))["failed_cell"]
    source = failed["source"].replace("scales", "scaled")
    mended = {"cell_index": failed["index"], "new_source": source, "execute": True}
    return (await ask(tools, "notebook_edit", path=REPORT, **mended))["scraps"]


async def compare(tools: Tools) -> Any:
    return [(await ran(tools, threshold=each))["scraps"] for each in (0.5, 0.9)]


async def add_step(tools: Tools) -> Any:
    index = await found_at(tools, "totals =")
    source = "best = totals.idxmax()\nprint('best', best)"
    step = {"cell_index": index, "new_source": source, "how": "insert_after", "execute": True}
    return text_in(await ask(tools, "notebook_edit", path=REPORT, **step)).split()[1]


async def flood(tools: Tools) -> Any:
    told = await ask(tools, "notebook_execute", path=REPORT, show=[4])
    return int(text_in(told).split("converged at ")[-1])


async def plot(tools: Tools) -> Any:
    code = (
        "import pandas as pd, matplotlib.pyplot as plt\ndf = pd.read_csv('sales.csv')\n"
        "df.groupby('day')['amount'].sum().plot(figsize=(8, 5), title='Sales')\nplt.show()"
    )
    told = await ask(tools, "session_start", code=code)
    return next(each for each in told["outputs"] if each["type"] == "image")["width"] > 0


async def what_if(tools: Tools) -> Any:
    index = await found_at(tools, "read_csv")
    session = (await ask(tools, "session_start", notebook=REPORT, cell=index))["session"]
    answers = []
    for column in ("region", "day", "units"):
        code = f"whole = len(df)\ndf = df.drop_duplicates('{column}')\nprint(whole, len(df))"
        whole, left = (await text_of(tools, session, code, scratch=True)).split()
        answers.append(int(left))
    return [*answers, int(whole)]


async def commit(tools: Tools) -> Any:
    await ask(tools, "notebook_edit", path=REPORT, cell_index=0, new_source="# Sales of the year")
    return (await ask(tools, "notebook_commit", path=REPORT, message="A better title"))["commit"]
