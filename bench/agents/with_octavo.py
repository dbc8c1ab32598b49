"""The shortest ways with Octavo's tools."""

from __future__ import annotations

import json
import re
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


def text_in(told: dict[str, Any]) -> str:
    return "".join(str(each.get("text", "")) for each in told.get("outputs", ()))


async def explore(tools: Tools) -> Any:
    load = "import pandas as pd\ndf = pd.read_csv('sales.csv')\ndf.info()"
    begun = await ask(tools, "session_start", code=load)
    looked = text_in(begun)
    assert "region" in looked and "amount" in looked
    code = (
        "import json\nprint(json.dumps([df.groupby('region')['amount'].mean().round(2).to_dict(),"
        " {k: int(v) for k, v in df.isna().sum().items() if v}]))"
    )
    told = await ask(tools, "session_execute", session=begun["session"], code=code)
    return json.loads(text_in(told))


async def find_failing(tools: Tools) -> Any:
    failed = (await ran(tools))["failed_cell"]
    return failed["index"], failed["ename"]


async def parameter(tools: Tools) -> Any:
    return (await ran(tools, threshold=0.9))["scraps"]


async def mend(tools: Tools) -> Any:
    failed = (await ran(tools))["failed_cell"]
    [missing] = re.findall(r"name '(\w+)' is not defined", failed["evalue"])
    source = failed["source"].replace(missing, failed["did_you_mean"][0])
    mended = {"cell_index": failed["index"], "new_source": source, "execute": True}
    return (await ask(tools, "notebook_edit", path=REPORT, **mended))["scraps"]


async def compare(tools: Tools) -> Any:
    both = [{"threshold": 0.5}, {"threshold": 0.9}]
    told = await ask(tools, "notebook_execute", path=REPORT, parameters=both)
    return [run["scraps"] for run in told["runs"]]


async def add_step(tools: Tools) -> Any:
    # It goes behind the cell that makes the variable, wherever that is.
    source = "best = totals.idxmax()\nprint('best', best)"
    step = {"cell_index": "totals", "new_source": source, "how": "insert_after", "execute": True}
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
    code = "print(*(len(df.drop_duplicates(each)) for each in ('region', 'day', 'units')), len(df))"
    tried = {"notebook": REPORT, "cell": "df", "code": code, "scratch": True}
    return [int(word) for word in text_in(await ask(tools, "session_start", **tried)).split()]


async def commit(tools: Tools) -> Any:
    edited = await ask(
        tools, "notebook_edit", path=REPORT, cell_index=0, new_source="# Sales of the year"
    )
    # It was a title and nothing else.
    assert len(edited["removed"].splitlines()) == 1 and "# Sales report" in edited["removed"]
    return (await ask(tools, "notebook_commit", path=REPORT, message="A better title"))["commit"]
