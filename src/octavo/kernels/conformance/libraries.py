"""Libraries that look where they are, and show themselves accordingly."""

from __future__ import annotations

import base64

from octavo.kernels.conformance.check import Room
from octavo.kernels.conformance.probe import Probe, Ran

room = Room("libraries", "python")


def _pictures(ran: Ran) -> list[bytes]:
    found = [data["image/png"] for data in ran.displays if "image/png" in data]
    return [base64.b64decode(each) for each in found]


@room.check(modules=("matplotlib",))
async def figures_are_shown_without_asking(probe: Probe) -> None:
    ran = await probe.run("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nprint('after')")
    (picture,) = _pictures(ran)
    assert picture.startswith(b"\x89PNG")
    assert "<Figure size" in ran.displays[0]["text/plain"]
    assert [output["output_type"] for output in ran.outputs][-1] == "display_data"


@room.check(modules=("matplotlib",))
async def figures_are_shown_once(probe: Probe) -> None:
    ran = await probe.run(
        "%matplotlib inline\nimport matplotlib.pyplot as plt\n"
        "plt.plot([1]);\nplt.show()\nprint('between')\nplt.plot([2]);"
    )
    assert [output["output_type"] for output in ran.outputs] == [
        "display_data",
        "stream",
        "display_data",
    ]
    assert not _pictures(await probe.run("print('next cell')"))


@room.check(modules=("matplotlib",))
async def a_figure_is_shown_when_the_cell_fails(probe: Probe) -> None:
    ran = await probe.run("import matplotlib.pyplot as plt\nplt.plot([1])\n1 / 0")
    assert len(_pictures(ran)) == 1
    assert ran.error.ename == "ZeroDivisionError"


@room.check(modules=("matplotlib",))
async def figure_formats_can_be_chosen(probe: Probe) -> None:
    ran = await probe.run(
        "%config InlineBackend.figure_formats = ['svg']\n"
        "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()"
    )
    assert any("image/svg+xml" in data for data in ran.displays)
    ran = await probe.run("fig")
    assert "image/svg+xml" in ran.outputs[0]["data"]


@room.check(modules=("matplotlib",))
async def another_backend_may_be_wanted(probe: Probe) -> None:
    await probe.start(variables={**probe.launch.variables, "MPLBACKEND": "agg"})
    ran = await probe.run("import matplotlib.pyplot as plt\nplt.plot([1])\nplt.get_backend()")
    assert ran.value == "'agg'"
    assert not _pictures(ran)


@room.check(modules=("pandas",))
async def frames_are_tables(probe: Probe) -> None:
    ran = await probe.run("import pandas\npandas.DataFrame({'a': [1, 2]})")
    assert "<table" in ran.outputs[0]["data"]["text/html"]


@room.check(modules=("plotly", "nbformat"))
async def plotly_shows_its_own_form(probe: Probe) -> None:
    ran = await probe.run("import plotly.graph_objects as go\ngo.Figure(go.Bar(y=[1, 2])).show()")
    assert any("application/vnd.plotly.v1+json" in data for data in ran.displays), ran.events


@room.check(modules=("altair",))
async def altair_shows_its_own_form(probe: Probe) -> None:
    ran = await probe.run(
        "import altair as alt\nalt.Chart(alt.Data(values=[{'a': 1}])).mark_point().encode(x='a:Q')"
    )
    (data,) = [output["data"] for output in ran.outputs]
    assert any("vega" in mime for mime in data) or "text/html" in data


@room.check(modules=("tqdm", "ipywidgets"))
async def tqdm_takes_its_notebook_form(probe: Probe) -> None:
    ran = await probe.run("from tqdm.auto import tqdm\nfor i in tqdm(range(3)): pass")
    assert ran.ok, ran.events
    assert any("application/vnd.jupyter.widget-view+json" in data for data in ran.displays)
    assert "100%" not in ran.stderr


@room.check(modules=("tqdm",))
async def tqdm_takes_its_text_form_where_asked(probe: Probe) -> None:
    ran = await probe.run("from tqdm import tqdm\nfor i in tqdm(range(3)): pass")
    assert "3/3" in ran.stderr


@room.check(modules=("rich",))
async def rich_takes_its_notebook_form(probe: Probe) -> None:
    ran = await probe.run("from rich import print\nprint('[bold]loud[/bold]')")
    (data,) = ran.displays
    assert "font-weight: bold" in data["text/html"]


@room.check(modules=("rich", "ipywidgets"))
async def rich_progress_takes_its_notebook_form(probe: Probe) -> None:
    ran = await probe.run("from rich.progress import track\nfor i in track(range(3)): pass")
    assert ran.ok, ran.events


@room.check(modules=("numpy",))
async def numpy_prints_and_draws_fresh_numbers(probe: Probe) -> None:
    ran = await probe.run("import numpy as np\nnp.arange(3)")
    assert ran.value == "array([0, 1, 2])"
    draw = "import numpy.random\nfloat(numpy.random.random())"
    other = Probe(probe.engine, probe.launch)
    try:
        assert (await probe.run(draw)).value != (await other.run(draw)).value
    finally:
        await other.close()


@room.check()
async def libraries_see_a_notebook(probe: Probe) -> None:
    ran = await probe.run(
        "shell = get_ipython()\n"
        "(type(shell).__name__, type(shell).__module__, 'IPKernelApp' in shell.config,"
        " hasattr(shell, 'kernel'), shell.has_trait('kernel') or True)"
    )
    assert ran.value == "('ZMQInteractiveShell', 'ipykernel.zmqshell', True, True, True)"
