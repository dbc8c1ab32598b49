"""Reading what real libraries show in twenty cells, run by a real kernel."""

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
from octavo.records.store import Store
from octavo.render.tokens import tokens

FRAME = "import pandas as pd\ndf = pd.DataFrame({'a': range(1000), 'b': list('xy') * 500})\n"
POLARS = "import polars as pl\npf = pl.DataFrame({'a': [1, 2, 3], 'b': ['x', 'y', 'z']})\n"
PLOTLY = "import plotly.graph_objects as go\n"
ALTAIR = f"{FRAME}import altair as alt\n"
FIGURE = "import matplotlib.pyplot as plt\n"
SVG = f"%matplotlib inline\n%config InlineBackend.figure_formats = ['svg']\n{FIGURE}"

#: A cell, the kinds of its outputs, and what is told of them. The last one ends the run.
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
        "from rich.table import Table\nimport rich\nt = Table('a')\n"
        "t.add_row('1')\nrich.print(t)",
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


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in which a notebook with all of them has been run: libraries are loaded once."""
    (tmp_path / "octavo.toml").write_text("")
    cells = [f'# %% name="{name}"\n{source}\n' for name, (source, _, _) in CASES.items()]
    (tmp_path / "nb.py").write_text("\n".join(cells))
    words = [sys.executable, "-m", "octavo", "run", "nb.py", "-q"]
    subprocess.run(
        words, cwd=tmp_path, env=variables(tmp_path), check=False, capture_output=True, timeout=280
    )
    return tmp_path


def reading(project: Path, name: str, budget: int) -> Reading:
    store = Store(project)
    context: Any = SimpleNamespace(cwd=str(project), project=project, store=lambda near: store)
    return asyncio.run(read(ReadRequest("last", which=(name,), budget=budget), context))


def test_what_libraries_show_is_told_in_few_words(project: Path) -> None:
    """One test, since every worker that has a part of it would have to run the notebook."""
    for name, (_, kinds, told) in CASES.items():
        found = reading(project, name, 2000)
        outputs = found.to_json()["cells"][0]["outputs"]
        assert [output["kind"] for output in outputs] == kinds, name
        for words in told:
            assert words in found.text, name
        assert tokens(found.text) <= 2000, name
        assert tokens(json.dumps(found.to_json())) <= 2000, name
        assert not re.search(r"[A-Za-z0-9+/]{90,}", found.text), name
        least = reading(project, name, 300).text
        assert tokens(least) <= 300, name
        assert f"nb.py: run, python, {len(CASES)} cells" in least, name
