"""Reading what real libraries show: twenty notebooks, run by a real kernel."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli.calling import variables
from octavo.authoring.reading.read import ReadRequest, read
from octavo.authoring.reading.reading import Reading
from octavo.authoring.reading.tokens import tokens

FRAME = "import pandas as pd\ndf = pd.DataFrame({'a': range(1000), 'b': list('xy') * 500})\n"
POLARS = "import polars as pl\npf = pl.DataFrame({'a': [1, 2, 3], 'b': ['x', 'y', 'z']})\n"
PLOTLY = "import plotly.graph_objects as go\n"
ALTAIR = f"{FRAME}import altair as alt\n"
FIGURE = "import matplotlib.pyplot as plt\n"
SVG = f"%matplotlib inline\n%config InlineBackend.figure_formats = ['svg']\n{FIGURE}"

#: The last cell of a notebook, the kinds of its outputs, and what is told of them.
CASES: dict[str, tuple[str, list[str], list[str]]] = {
    "frame": (FRAME + "df", ["table"], ["1,000 rows × 2 columns", "999  999  y"]),
    "wide": (
        FRAME + "pd.DataFrame([[1] * 60], columns=[f'column_{i}' for i in range(60)])",
        ["table"], ["1 row × 60 columns", "column_59"],
    ),
    "levels": (
        FRAME + "df.groupby('b').agg({'a': ['min', 'max']})", ["table"], ["min", "max", "998"],
    ),
    "series": (FRAME + "df['a']", ["text"], ["Name: a, Length: 1000, dtype: int64"]),
    "printed": (FRAME + "print(df)", ["table"], ["1,000 rows × 2 columns"]),
    "styled": (FRAME + "df.head(3).style.format('{}')", ["table"], ["3 rows", "y"]),
    "info": (FRAME + "df.info()", ["stdout"], ["RangeIndex: 1000 entries"]),
    "polars": (POLARS + "pf", ["table"], ["3 rows × 2 columns", "i64  str"]),
    "polars_printed": (POLARS + "print(pf)", ["table"], ["3 rows × 2 columns", "i64  str"]),
    "plotly_lines": (
        PLOTLY + "go.Figure(go.Scatter(y=[3, 1, 2], name='trend'), layout={'title': 'Costs'})",
        ["plotly"], ["1 trace, 3 points, Costs", 'scatter "trend": 3 points, y 1..3'],
    ),
    "plotly_heat": (
        PLOTLY + "import numpy as np\ngo.Figure(go.Heatmap(z=np.arange(6.0).reshape(2, 3)))",
        ["plotly"], ["1 trace, 6 points", "heatmap: 6 points, z 0..5"],
    ),
    "altair": (
        ALTAIR + "alt.Chart(df.head(9)).mark_bar().encode(x='b:N', y='mean(a):Q')",
        ["vega-lite"], ["1 mark, 9 rows", "bar x=b:N y=mean(a):Q"],
    ),
    "altair_layers": (
        ALTAIR + "c = alt.Chart(df.head(9)).encode(x='a:Q', y='a:Q')\n"
        "c.mark_line() + c.mark_point()",
        ["vega-lite"], ["2 marks", "line x=a:Q y=a:Q", "point"],
    ),
    "png": (FIGURE + "plt.plot([1, 2]);", ["image"], ["png, ", " pixels, "]),
    "svg": (SVG + "plt.plot([1, 2]); plt.title('Two points');", ["svg"], ["Two points"]),
    "widget": (
        "import ipywidgets\nipywidgets.IntSlider(value=3)", ["widget"], ["IntSlider(value=3)"],
    ),
    "rich": (
        "from rich.table import Table\nfrom rich import print\nt = Table('a')\n"
        "t.add_row('1')\nprint(t)",
        ["text"], ["│ 1 │"],
    ),
    "progress": (
        "from tqdm import tqdm\nfor i in tqdm(range(500)): pass", ["stderr"], ["500/500"],
    ),
    "scraps": (
        FRAME + "from octavo_runtime import glue\nglue('score', 0.5)\nglue('table', df)",
        ["scrap", "scrap"], ["score: float = 0.5", "1,000 rows × 2 columns"],
    ),
    "failing": (
        FRAME + "def column(name):\n    return df[name]\ncolumn('c')", ["error"],
        ["KeyError: 'c'", "> 5 column('c')", "> 4     return df[name]", "in pandas"],
    ),
}  # fmt: skip

pytestmark = [pytest.mark.kernel, pytest.mark.slow]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which every notebook has been run once."""
    folder = tmp_path_factory.mktemp("libraries")
    (folder / "octavo.toml").write_text("")
    for name, (source, _, _) in CASES.items():
        magics = "\n".join(f"# {line}" if line.startswith("%") else line
                           for line in source.split("\n"))  # fmt: skip
        (folder / f"nb_{name}.py").write_text(f"# %% [markdown]\n# # {name}\n\n# %%\n{magics}\n")
    names = [f"nb_{name}.py" for name in CASES]
    words = [sys.executable, "-m", "octavo", "run", *names, "-j", "2", "-q"]
    subprocess.run(
        words, cwd=folder, env=variables(folder), check=False, capture_output=True, timeout=280
    )
    return folder


def reading(project: Path, name: str, **how: Any) -> Reading:
    from octavo.records.store import Store

    store = Store(project)
    run = next(store.runs(notebook=str(project / f"nb_{name}.py")))
    context: Any = SimpleNamespace(cwd=str(project), project=project, store=lambda near: store)
    return asyncio.run(read(ReadRequest(run.run_id, **how), context))


@pytest.mark.parametrize("name", CASES)
def test_what_a_library_shows_is_told_in_few_words(project: Path, name: str) -> None:
    _, kinds, told = CASES[name]
    found = reading(project, name, which=("1",), budget=2000)
    outputs = found.to_json()["cells"][0]["outputs"]
    assert [output["kind"] for output in outputs] == kinds
    for words in told:
        assert words in found.text
    assert tokens(found.text) <= 2000
    assert tokens(json.dumps(found.to_json())) <= 2000
    assert not re.search(r"[A-Za-z0-9+/]{90,}", found.text)


@pytest.mark.parametrize("name", CASES)
def test_the_least_budget_is_enough_to_tell_what_there_is(project: Path, name: str) -> None:
    found = reading(project, name, budget=300)
    assert tokens(found.text) <= 300
    assert f"nb_{name}.py: run, python, 2 cells" in found.text
