"""The shortest ways with a shell, nbconvert and a few lines of Python.

They are those of an expert: where something is known to fail, the run goes on behind it and a line
of Python prints the failing cells, so that no traceback is read. What is edited is seen before, and
what an edit changed is seen before it is committed.
"""

from __future__ import annotations

import json
import re
from typing import Any

from bench.agents.arms import Tools

RUN = "jupyter nbconvert --to notebook --execute --log-level ERROR"
#: Prints the cells of a notebook that hold a text, with their numbers.
_CELLS = (
    "python -c \"import json; [print(i, ''.join(c['source'])) for i, c in "
    "enumerate(json.load(open('report.ipynb'))['cells']) if '{}' in ''.join(c['source'])]\""
)
#: Prints what some cells of a notebook printed; all of them, where nobody knows which matters.
_PRINTED = (
    "python -c \"import json; [print(''.join(o.get('text', ''))) for c in "
    "json.load(open('{}'))['cells'][{}] for o in c.get('outputs', ())]\""
)


#: Runs the report to its end, and prints the cells that failed.
_FAILING = (
    f'{RUN} --allow-errors --output done report.ipynb && python -c "import json; '
    "[print(i, o['ename'], o['evalue'], ''.join(c['source']), sep='\\n') for i, c in "
    "enumerate(json.load(open('done.ipynb'))['cells']) for o in c.get('outputs', ()) "
    "if o['output_type'] == 'error']\""
)
#: Shows that nothing else was changed.
_CHANGED = "git diff -U0 report.ipynb\n"


async def sh(tools: Tools, command: str) -> str:
    return await tools("sh", command=command)


def result(text: str) -> dict[str, float]:
    [share, per_unit] = re.findall(r"RESULT share=([\d.]+) per_unit=([\d.]+)", text)[-1]
    return {"share": float(share), "per_unit": float(per_unit)}


def edited(index: int, statement: str) -> str:
    """A command that changes the cells of the report."""
    lines = (
        "import json\np = 'report.ipynb'\nn = json.load(open(p))\nc = n['cells']\n"
        f"{statement.format(index=index)}\njson.dump(n, open(p, 'w'), indent=1)"
    )
    return f"python - <<'END'\n{lines}\nEND\n"


async def explore(tools: Tools) -> Any:
    load = "import pandas as pd; df = pd.read_csv('sales.csv')"
    looked = await sh(tools, f'python -c "{load}; df.info()"')
    assert "region" in looked and "amount" in looked
    code = (
        f"import json; {load}; print(json.dumps([df.groupby('region')['amount'].mean().round(2)"
        ".to_dict(), {k: int(v) for k, v in df.isna().sum().items() if v}]))"
    )
    return json.loads(await sh(tools, f'python -c "{code}"'))


async def failing(tools: Tools) -> tuple[int, str, str]:
    """The first cell that failed, its error and its source; what it led to is behind it."""
    told = await sh(tools, _FAILING)
    [first, *_] = re.findall(r"^(\d+)\n(\w+)\n.*\n((?:.+\n)+?)(?=\d+\n|\Z)", told, re.MULTILINE)
    return int(first[0]), first[1], first[2].strip()


async def find_failing(tools: Tools) -> Any:
    index, name, _ = await failing(tools)
    return index, name


async def parameter(tools: Tools) -> Any:
    found = await sh(tools, "grep -n threshold report.ipynb")
    assert "threshold = 0.5" in found
    command = (
        "sed 's/threshold = 0.5/threshold = 0.9/' report.ipynb > other.ipynb && "
        f"{RUN} --inplace other.ipynb && {_PRINTED.format('other.ipynb', ':')}; rm other.ipynb"
    )
    return result(await sh(tools, command))


async def mend(tools: Tools) -> Any:
    index, _, source = await failing(tools)
    statement = f"c[{{index}}]['source'] = {source.replace('scales', 'scaled')!r}"
    run = f"{RUN} --output done report.ipynb && {_PRINTED.format('done.ipynb', ':')}"
    return result(await sh(tools, edited(index, statement) + _CHANGED + run))


async def compare(tools: Tools) -> Any:
    found = await sh(tools, "grep -n threshold report.ipynb")
    assert "threshold = 0.5" in found
    runs = [
        f"sed 's/threshold = 0.5/threshold = {each}/' report.ipynb > t.ipynb && "
        f"{RUN} --inplace t.ipynb && {_PRINTED.format('t.ipynb', ':')}; rm t.ipynb"
        for each in (0.5, 0.9)
    ]
    told = await sh(tools, "; ".join(runs))
    first, second = [line for line in told.splitlines() if "RESULT" in line]
    return [result(first), result(second)]


async def add_step(tools: Tools) -> Any:
    found = await sh(tools, _CELLS.format("totals ="))
    index = int(found.split()[0])
    cell = (
        "{{'cell_type': 'code', 'id': 'new', 'metadata': {{}}, 'execution_count': None, "
        "'outputs': [], 'source': \"best = totals.idxmax()\\nprint('best', best)\"}}"
    )
    run = f"{RUN} --output done report.ipynb && "
    run += _PRINTED.format("done.ipynb", f"{index + 1}:{index + 2}")
    told = await sh(tools, edited(index + 1, f"c.insert({{index}}, {cell})") + _CHANGED + run)
    return told.split("best ")[-1].split()[0]


async def flood(tools: Tools) -> Any:
    run = f"{RUN} --output done report.ipynb && {_PRINTED.format('done.ipynb', '4:5')}"
    return int((await sh(tools, run)).split("converged at ")[-1].split()[0])


async def plot(tools: Tools) -> Any:
    code = (
        "import pandas as pd, matplotlib; matplotlib.use('Agg'); df = pd.read_csv('sales.csv'); "
        "df.groupby('day')['amount'].sum().plot(figsize=(8, 5), title='Sales')"
        ".figure.savefig('sales.png')"
    )
    return "sales.png" in await sh(tools, f'python -c "{code}" && ls sales.png')


async def what_if(tools: Tools) -> Any:
    # Nothing stays between calls, so each begins with the source that takes its time.
    load = "import time, pandas as pd; df = pd.read_csv('sales.csv'); time.sleep(2)"
    found = await sh(tools, _CELLS.format("read_csv"))
    assert "sleep" in found
    answers = []
    for column in ("region", "day", "units"):
        code = f"{load}; print(len(df), len(df.drop_duplicates('{column}')))"
        whole, left = (await sh(tools, f'python -c "{code}"')).split()
        answers.append(int(left))
    return [*answers, int(whole)]


async def commit(tools: Tools) -> Any:
    statement = "c[{index}]['source'] = '# Sales of the year'"
    changed = await sh(tools, edited(0, statement) + _CHANGED)
    assert "-   " in changed and "Sales report" in changed
    keep = "jupyter nbconvert --clear-output --inplace --log-level ERROR report.ipynb && "
    keep += "git add report.ipynb && git commit -qm 'A better title' && git rev-parse --short HEAD"
    return (await sh(tools, keep)).split()[-1]
