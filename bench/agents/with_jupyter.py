"""The shortest ways with jupyter-mcp-server: a notebook is run cell by cell."""

from __future__ import annotations

import json
import re
from typing import Any

from bench.agents.arms import Tools
from bench.agents.with_shell import result

LAST = 19
CODE = range(1, LAST + 1)


async def use(tools: Tools, mode: str = "connect", path: str = "report.ipynb") -> str:
    return await tools("use_notebook", notebook_name="n", notebook_path=path, mode=mode)


async def execute(tools: Tools, cells: range) -> tuple[int, str]:
    """Run cells until one fails; where that was, and what it said."""
    text = ""
    for index in cells:
        text = await tools("execute_cell", cell_index=index)
        if re.search(r"\w+Error\b", text):
            return index, text
    return -1, text


async def explore(tools: Tools) -> Any:
    await use(tools, "create", "new.ipynb")
    load = "import pandas as pd\ndf = pd.read_csv('sales.csv')\ndf.info()"
    looked = await tools("execute_code", code=load)
    assert "region" in looked and "amount" in looked
    code = (
        "import json\nprint(json.dumps([df.groupby('region')['amount'].mean().round(2).to_dict(),"
        " {k: int(v) for k, v in df.isna().sum().items() if v}]))"
    )
    told = await tools("execute_code", code=code)
    return json.loads(told[told.index("[{") : told.rindex("]") + 1])


async def find_failing(tools: Tools) -> Any:
    await use(tools)
    index, text = await execute(tools, CODE)
    return index, re.findall(r"(\w+Error)\b", text)[-1]


async def parameter(tools: Tools) -> Any:
    await use(tools)
    change = {"old_string": "threshold = 0.5", "new_string": "threshold = 0.9"}
    await tools("edit_cell_source", cell_index=1, **change)
    _, text = await execute(tools, CODE)
    back = {"old_string": "threshold = 0.9", "new_string": "threshold = 0.5"}
    await tools("edit_cell_source", cell_index=1, **back)
    return result(text)


async def mend(tools: Tools) -> Any:
    await use(tools)
    index, _ = await execute(tools, CODE)
    change = {"old_string": "scales", "new_string": "scaled"}
    await tools("edit_cell_source", cell_index=index, **change)
    _, text = await execute(tools, range(index, LAST + 1))
    return result(text)


async def compare(tools: Tools) -> Any:
    await use(tools)
    _, first = await execute(tools, CODE)
    change = {"old_string": "threshold = 0.5", "new_string": "threshold = 0.9"}
    await tools("edit_cell_source", cell_index=1, **change)
    _, second = await execute(tools, CODE)
    return [result(first), result(second)]


async def add_step(tools: Tools) -> Any:
    listed = await use(tools)
    index = next(int(line.split()[0]) for line in listed.splitlines() if "totals =" in line)
    await execute(tools, range(1, index + 1))
    source = "best = totals.idxmax()\nprint('best', best)"
    told = await tools("insert_execute_code_cell", cell_index=index + 1, cell_source=source)
    await execute(tools, range(index + 2, LAST + 2))
    return told.split("best ")[-1].split()[0]


async def flood(tools: Tools) -> Any:
    await use(tools)
    _, text = await execute(tools, range(1, 5))
    found = re.findall(r"converged at (\d+)", text)
    await execute(tools, range(5, LAST + 1))
    return int(found[-1]) if found else None


async def plot(tools: Tools) -> Any:
    await use(tools, "create", "new.ipynb")
    code = (
        "import pandas as pd, matplotlib.pyplot as plt\ndf = pd.read_csv('sales.csv')\n"
        "df.groupby('day')['amount'].sum().plot(figsize=(8, 5), title='Sales')\nplt.show()"
    )
    before = tools.bytes
    await tools("execute_code", code=code)
    return tools.bytes > before


async def what_if(tools: Tools) -> Any:
    listed = await use(tools)
    index = next(int(line.split()[0]) for line in listed.splitlines() if "read_csv" in line)
    await execute(tools, range(1, index + 1))
    answers = []
    for column in ("region", "day", "units"):
        # The state is kept by whoever thinks of it.
        told = await tools("execute_code", code=f"len(df.drop_duplicates('{column}'))")
        answers.append(int(re.findall(r"\d+", told)[0]))
    told = await tools("execute_code", code="len(df)")
    return [*answers, int(re.findall(r"\d+", told)[0])]


async def commit(tools: Tools) -> Any:
    await use(tools)
    await tools("overwrite_cell_source", cell_index=0, cell_source="# Sales of the year")
    # What is edited reaches the file a moment later.
    wait = "import time; time.sleep(2)\n"
    told = await tools(
        "execute_code",
        code=f"{wait}!git commit -qam 'A better title' && git rev-parse HEAD",
    )
    return re.findall(r"\b[0-9a-f]{40}\b", told)[-1]
