"""The shortest ways with jupyter-mcp-server.

It has no tool that runs a notebook, and cell by cell twenty calls are needed for that; so code in
its kernel runs the file, which is one call. Connecting lists the first lines of all cells.
"""

from __future__ import annotations

import json
import re
from typing import Any

from bench.agents.arms import Tools
from bench.agents.with_shell import result

#: An edit reaches the file a moment later.
_SAVED = "import time; time.sleep(2)\n"
_RUN = "%run report.ipynb"
#: Runs code cells as they are in the file, changed by an expression.
_EACH = (
    "import json\nfor c in json.load(open('report.ipynb'))['cells']{}:\n"
    "    if c['cell_type'] == 'code':\n        get_ipython().run_cell({})"
)
_SOURCE = "''.join(c['source'])"
_LONGEST = 120


async def use(tools: Tools, mode: str = "connect", path: str = "report.ipynb") -> str:
    """Connect, which starts a kernel."""
    return await tools("use_notebook", notebook_name="n", notebook_path=path, mode=mode)


async def code(tools: Tools, text: str) -> str:
    return await tools("execute_code", code=text, timeout=_LONGEST)


def listed(told: str, text: str) -> int:
    """The cell that has a text in its first line."""
    return next(int(line.split()[0]) for line in told.splitlines() if text in line)


async def explore(tools: Tools) -> Any:
    await use(tools, "create", "new.ipynb")
    load = "import pandas as pd\ndf = pd.read_csv('sales.csv')\ndf.info()"
    looked = await code(tools, load)
    assert "region" in looked and "amount" in looked
    asked = (
        "import json\nprint(json.dumps([df.groupby('region')['amount'].mean().round(2).to_dict(),"
        " {k: int(v) for k, v in df.isna().sum().items() if v}]))"
    )
    told = await code(tools, asked)
    return json.loads(told[told.index("[{") : told.rindex("]") + 1])


async def find_failing(tools: Tools) -> Any:
    cells = await use(tools)
    told = await code(tools, _RUN)
    line = re.findall(r"^-+> 1 (.+)$", told, re.MULTILINE)[-1]
    return listed(cells, line), re.findall(r"^(\w+Error):", told, re.MULTILINE)[-1]


async def parameter(tools: Tools) -> Any:
    assert "threshold = 0.5" in await use(tools)
    changed = f"{_SOURCE}.replace('threshold = 0.5', 'threshold = 0.9')"
    return result(await code(tools, _EACH.format("", changed)))


async def mend(tools: Tools) -> Any:
    cells = await use(tools)
    told = await code(tools, _RUN)
    line = re.findall(r"^-+> 1 (.+)$", told, re.MULTILINE)[-1]
    # The name that was meant is in the list of cells.
    assert "scaled = " in cells
    change = {"old_string": "scales", "new_string": "scaled"}
    await tools("edit_cell_source", cell_index=listed(cells, line), **change)
    return result(await code(tools, _SAVED + _RUN))


async def compare(tools: Tools) -> Any:
    assert "threshold = 0.5" in await use(tools)
    changed = f"{_SOURCE}.replace('threshold = 0.5', 'threshold = 0.9')"
    told = await code(tools, f"{_EACH.format('', _SOURCE)}\n{_EACH.format('', changed)}")
    return [result(line) for line in told.splitlines() if "RESULT" in line]


async def add_step(tools: Tools) -> Any:
    index = listed(await use(tools), "totals =") + 1
    source = "best = totals.idxmax()\nprint('best', best)"
    await tools("insert_cell", cell_index=index, cell_type="code", cell_source=source)
    return (await code(tools, _SAVED + _RUN)).split("best ")[-1].split()[0]


async def flood(tools: Tools) -> Any:
    await use(tools)
    found = re.findall(r"converged at (\d+)", await code(tools, _RUN))
    return int(found[-1]) if found else None


async def plot(tools: Tools) -> Any:
    await use(tools, "create", "new.ipynb")
    before = tools.bytes
    await code(
        tools,
        "import pandas as pd, matplotlib.pyplot as plt\ndf = pd.read_csv('sales.csv')\n"
        "df.groupby('day')['amount'].sum().plot(figsize=(8, 5), title='Sales')\nplt.show()",
    )
    return tools.bytes > before


async def what_if(tools: Tools) -> Any:
    index = listed(await use(tools), "df =")
    tried = (
        "print(*(len(df.drop_duplicates(each)) for each in ('region', 'day', 'units')), len(df))"
    )
    told = await code(tools, f"{_EACH.format(f'[:{index + 1}]', _SOURCE)}\n{tried}")
    return [int(word) for word in told.split()]


async def commit(tools: Tools) -> Any:
    assert "# Sales report" in await use(tools)
    await tools("overwrite_cell_source", cell_index=0, cell_source="# Sales of the year")
    told = await code(
        tools, f"{_SAVED}!git commit -qam 'A better title' && git rev-parse --short HEAD"
    )
    return told.split()[-1]
