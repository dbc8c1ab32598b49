"""The shortest ways with a shell, nbconvert and a few lines of Python.

They are those of an expert: where something is known to fail, the run goes on behind it and a line
of Python prints the failing cells, so that no traceback is read; looking, changing and running are
put into as few commands as can be. A program that is about lines of a file is written after they
were seen.
"""

from __future__ import annotations

import json
import re
from typing import Any

from bench.agents.arms import Tools

#: What a kernel warns of is not read, unless it fails.
RUN = "jupyter nbconvert --to notebook --execute --log-level ERROR {} 2>err"
_OR_WHY = " || tail err"
#: Prints the cells of a notebook that hold a text, with their numbers.
_CELLS = (
    "python -c \"import json; [print(i, ''.join(c['source'])) for i, c in "
    "enumerate(json.load(open('report.ipynb'))['cells']) if '{}' in ''.join(c['source'])]\""
)
#: Prints what some cells of a notebook printed; all of them, where nobody knows which matters.
_PRINTED = (
    "python -c \"import json; [print(''.join(o['text']), end='') for c in "
    "json.load(open('{}'))['cells'][{}] for o in c.get('outputs', ()) if 'text' in o]\""
)


#: Runs the report to its end, and prints the cells that failed.
_FAILING = (
    RUN.format("--allow-errors --output done report.ipynb") + ' && python -c "import json; '
    "[print(i, o['ename'], o['evalue'], ''.join(c['source']), sep='\\n') for i, c in "
    "enumerate(json.load(open('done.ipynb'))['cells']) for o in c.get('outputs', ()) "
    "if o['output_type'] == 'error']\""
)
_DONE = RUN.format("--output done report.ipynb") + " && "


async def sh(tools: Tools, command: str) -> str:
    return await tools("sh", command=command)


def result(text: str) -> dict[str, float]:
    [share, per_unit] = re.findall(r"RESULT share=([\d.]+) per_unit=([\d.]+)", text)[-1]
    return {"share": float(share), "per_unit": float(per_unit)}


def edited(statement: str) -> str:
    """A command that changes the cells of the report."""
    lines = (
        "import json\np = 'report.ipynb'\nn = json.load(open(p))\nc = n['cells']\n"
        f"{statement}\njson.dump(n, open(p, 'w'), indent=1)"
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


async def find_failing(tools: Tools) -> Any:
    # The first is the one; what it led to is behind it.
    index, name, *_ = (await sh(tools, _FAILING)).split()
    return int(index), name


def at(threshold: float) -> str:
    """A command that runs a copy of the report with another threshold, and prints what it does."""
    return (
        f"sed 's/threshold = 0.5/threshold = {threshold}/' report.ipynb > t.ipynb && "
        f"{RUN.format('--inplace t.ipynb')} && {_PRINTED.format('t.ipynb', ':')}{_OR_WHY}; "
        "rm t.ipynb"
    )


async def parameter(tools: Tools) -> Any:
    found = await sh(tools, "grep -n threshold report.ipynb")
    assert "threshold = 0.5" in found
    return result(await sh(tools, at(0.9)))


async def mend(tools: Tools) -> Any:
    # As a script it fails with the line, and with the name that was meant.
    script = "jupyter nbconvert --to script --log-level ERROR --stdout report.ipynb > s.py"
    told = await sh(tools, f"{script} && python s.py")
    [(missing, meant)] = re.findall(r"name '(\w+)' is not defined. Did you mean: '(\w+)'", told)
    [line] = [line.strip() for line in told.splitlines() if f"({missing})" in line]
    change = f"sed -i 's|{line}|{line.replace(missing, meant)}|' report.ipynb; rm s.py; "
    return result(await sh(tools, f"{change}{_DONE}{_PRINTED.format('done.ipynb', ':')}{_OR_WHY}"))


async def compare(tools: Tools) -> Any:
    found = await sh(tools, "grep -n threshold report.ipynb")
    assert "threshold = 0.5" in found
    told = await sh(tools, f"{at(0.5)}; {at(0.9)}")
    first, second = [line for line in told.splitlines() if "RESULT" in line]
    return [result(first), result(second)]


async def add_step(tools: Tools) -> Any:
    found = await sh(tools, _CELLS.format("totals ="))
    index = int(found.split()[0]) + 1
    cell = (
        "{'cell_type': 'code', 'id': 'new', 'metadata': {}, 'execution_count': None, "
        "'outputs': [], 'source': \"best = totals.idxmax()\\nprint('best', best)\"}"
    )
    printed = _PRINTED.format("done.ipynb", f"{index}:{index + 1}")
    told = await sh(tools, f"{edited(f'c.insert({index}, {cell})')}{_DONE}{printed}{_OR_WHY}")
    return told.split("best ")[-1].split()[0]


async def flood(tools: Tools) -> Any:
    run = f"{_DONE}{_PRINTED.format('done.ipynb', '4:5')}{_OR_WHY}"
    return int((await sh(tools, run)).split("converged at ")[-1].split()[0])


async def plot(tools: Tools) -> Any:
    code = (
        "import pandas as pd, matplotlib; matplotlib.use('Agg'); df = pd.read_csv('sales.csv'); "
        "df.groupby('day')['amount'].sum().plot(figsize=(8, 5), title='Sales')"
        ".figure.savefig('sales.png')"
    )
    return "sales.png" in await sh(tools, f'python -c "{code}" && ls sales.png')


async def what_if(tools: Tools) -> Any:
    found = await sh(tools, _CELLS.format("df ="))
    assert "sleep" in found
    load = "import time, pandas as pd; df = pd.read_csv('sales.csv'); time.sleep(2)"
    tried = "(len(df.drop_duplicates(c)) for c in ('region', 'day', 'units'))"
    told = await sh(tools, f'python -c "{load}; print(*{tried}, len(df))"')
    return [int(word) for word in told.split()]


async def commit(tools: Tools) -> Any:
    found = await sh(tools, "grep '\"#' report.ipynb")
    assert found.split() == ['"#', "Sales", 'report"']
    keep = (
        "sed -i 's/# Sales report/# Sales of the year/' report.ipynb && "
        "jupyter nbconvert --clear-output --inplace --log-level ERROR report.ipynb && "
        "git add report.ipynb && git commit -qm 'A better title' && git rev-parse --short HEAD"
    )
    return (await sh(tools, keep)).split()[-1]
