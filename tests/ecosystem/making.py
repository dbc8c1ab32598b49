"""Executed notebooks as a user makes them: examples, how they fail, and a gallery of outputs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import loaded_programs
from cli.calling import variables

EXAMPLES = Path(__file__).parents[2] / "notebooks"
BIN = Path(sys.executable).parent

#: A cell that is added to an example, and how the run is to be called.
ENDINGS: dict[str, tuple[str, tuple[str, ...]]] = {
    "success": ("", ()),
    "error": ('raise ValueError("the last cell \\x1b[31mfails\\x1b[0m <b>here</b>")', ()),
    "timeout": ('print("before")\nwhile True:\n    pass', ("--cell-timeout", "5s")),
    "dead": ('print("before", flush=True)\n__import__("os")._exit(3)', ()),
    "long": ('for n in range(20_000):\n    print("line", n)', ("--output-cap", "20k")),
}

GALLERY = r"""# %% [markdown]
# # Gallery
#
# Every kind of output: $e^{i\pi} = -1$, <https://example.org>, `code`.
#
# | a | b |
# | - | - |
# | 1 | 2 |

# %% streams
import sys

print("plain \x1b[31mred\x1b[0m \x1b[1;32mbold green\x1b[0m <b>&amp;")
print("told on stderr", file=sys.stderr)
print("10 %\r50 %\r100 %")

# %% png
import matplotlib.pyplot as plt

_ = plt.plot([1, 3, 2])
plt.show()

# %% texts
from IPython.display import HTML, JSON, SVG, Javascript, Latex, Markdown, display

display(HTML("<p>html <em>shown</em></p>"))
display(SVG('<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><circle r="9"/></svg>'))
display(Latex(r"$\int_0^1 x\,dx$"))
display(Markdown("*markdown* shown"))
display(JSON({"answer": 42, "list": [1, None, True]}))
display(Javascript("window.octavo_gallery = 1"))

# %% plotly
import plotly.graph_objects as go

go.Figure(go.Bar(y=[1, 3, 2])).show(renderer="plotly_mimetype")

# %% vega
import altair

altair.renderers.enable("mimetype")
altair.Chart(altair.Data(values=[{"x": 1, "y": 2}])).mark_point().encode(x="x:Q", y="y:Q")

# %% widgets
import ipywidgets

slider = ipywidgets.IntSlider(7, description="slider")
display(slider)
inside = ipywidgets.Output()
display(inside)
with inside:
    print("printed inside a widget")

# %% table
import pandas

pandas.DataFrame({"host": ["web-1", "web-2"], "load": [0.25, 0.5]})

# %% an update
shown = display("first", display_id="one")
shown.update("second")

# %% scraps
from octavo_runtime import glue

glue("score", 0.75)
glue("words", ["a", "b"])
glue("note", "as text")

# %% a kind that nobody knows
display({"application/vnd.nobody.v1+json": {"k": [1]}, "text/plain": "of nobody"}, raw=True)
"""


class Executed(NamedTuple):
    """A notebook that octavo ran."""

    name: str
    source: Path
    path: Path
    code: int


def names() -> list[str]:
    """Every executed notebook that the tests look at."""
    examples = [path.stem for path in sorted(EXAMPLES.glob("*.py"))]
    return [f"{example}-{ending}" for example in examples for ending in ENDINGS] + ["gallery"]


def make(name: str, folder: Path) -> Executed:
    """Run one of `names` in a copy of the examples."""
    project = folder / "project"
    if not project.exists():
        shutil.copytree(EXAMPLES, project)
        (project / "octavo.toml").write_text("")
    source = project / f"{name}.py"
    if name == "gallery":
        source.write_text(GALLERY)
        return execute(source)
    example, _, ending = name.rpartition("-")
    code, options = ENDINGS[ending]
    added = f"\n\n# %% added\n{code}\n\n# %% never reached\nprint('after')\n" if code else ""
    source.write_text((EXAMPLES / f"{example}.py").read_text() + added)
    return execute(source, *options)


def execute(source: Path, *options: str) -> Executed:
    """`octavo run` of a notebook; the executed one stands next to it in `executed/`."""
    path = source.parent / "executed" / f"{source.stem}.ipynb"
    path.parent.mkdir(exist_ok=True)
    done = command("octavo", "run", source, "-o", path, "-q", *options, cwd=source.parent)
    assert path.exists(), done.stderr
    return Executed(source.stem, source, path, done.returncode)


def command(*words: object, cwd: Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    """Call a program of the environment that the tests run in, as a user in a shell does."""
    home = cwd / ".home"
    home.mkdir(exist_ok=True)
    paths = os.pathsep.join((str(BIN), os.environ["PATH"]))
    # Jupyter would read what stands in the home directory of whoever runs the tests.
    env = {**variables(home), "PATH": paths, "NO_COLOR": "1", "PYTHONWARNINGS": "default"}
    env |= {f"JUPYTER_{kind}_DIR": str(home / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    env |= {"IPYTHONDIR": str(home / "ipython"), "MPLCONFIGDIR": str(home / "mpl")}
    told = [str(word) for word in words]
    if told[0] in loaded_programs.NAMES:
        return loaded_programs.call(told, cwd, env, text, 240)
    return subprocess.run(
        told,
        cwd=cwd, env=env, input=text, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip


def _refuse(name: str) -> NoReturn:
    raise AssertionError(f"{name} is Python's word, not JSON's")


def strict(path: Path) -> Any:
    """What a reader in another language sees: JSON in UTF-8 without a mark, and no NaN."""
    return json.loads(path.read_bytes().decode("utf-8"), parse_constant=_refuse)
