"""Results, displays and what is done to them later."""

from __future__ import annotations

import base64
from typing import Any

from octavo.events.types import Display, OutputCleared
from octavo.kernels.conformance.check import Room
from octavo.kernels.conformance.probe import Probe

room = Room("displays", "python")


@room.check()
async def the_last_expression_is_the_result(probe: Probe) -> None:
    assert (await probe.run("x = 20\nx + 1")).value == "21"
    assert (await probe.run("x + 1;")).value is None
    assert (await probe.run("None")).value is None


@room.check()
async def results_are_remembered(probe: Probe) -> None:
    await probe.run("40 + 2")
    assert (await probe.run("_ , Out[1], _1, In[1]")).value == "(42, 42, 42, '40 + 2')"


@room.check()
async def rich_objects_bring_every_form(probe: Probe) -> None:
    ran = await probe.run(
        "from IPython.display import *\n"
        "display(HTML('<b>h</b>'), Markdown('*m*'), Latex('$l$'), SVG('<svg/>'), JSON({'j': [1]}),"
        " Math('x'), Javascript('1'))"
    )
    mimes = [next(mime for mime in data if mime != "text/plain") for data in ran.displays]
    assert mimes == [
        "text/html",
        "text/markdown",
        "text/latex",
        "image/svg+xml",
        "application/json",
        "text/latex",
        "application/javascript",
    ]
    assert ran.displays[4]["application/json"] == {"j": [1]}


@room.check()
async def images_are_base64(probe: Probe) -> None:
    ran = await probe.run(
        "from IPython.display import Image\n"
        "import base64\n"
        "png = base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNg"
        "YGBgAAAABQABXvMqOgAAAABJRU5ErkJggg==')\n"
        "Image(png)"
    )
    (output,) = ran.outputs
    assert base64.b64decode(output["data"]["image/png"]).startswith(b"\x89PNG")


@room.check()
async def objects_may_choose_their_own_form(probe: Probe) -> None:
    ran = await probe.run(
        "class Own:\n"
        "    def _repr_mimebundle_(self, include=None, exclude=None):\n"
        "        return {'text/plain': 'own', 'application/x-own+json': {'a': (1, 2)}}, {'m': 1}\n"
        "Own()"
    )
    (output,) = ran.outputs
    assert output["data"] == {"text/plain": "own", "application/x-own+json": {"a": [1, 2]}}
    assert output["metadata"] == {"m": 1}


@room.check()
async def odd_values_in_a_bundle_become_json(probe: Probe) -> None:
    ran = await probe.run(
        "import datetime\n"
        "display({'application/json': {1: float('nan'), 'd': datetime.date(2020, 1, 2),"
        " 's': {3}, 'b': b'x'}}, raw=True)"
    )
    (data,) = ran.displays
    expected: Any = {"1": "nan", "d": "2020-01-02", "s": [3], "b": "eA=="}
    assert data["application/json"] == expected


@room.check()
async def a_display_can_be_updated_later(probe: Probe) -> None:
    first = await probe.run("handle = display('one', display_id='shown')")
    second = await probe.run(
        "from IPython.display import update_display\n"
        "handle.update('two')\nupdate_display('three', display_id='shown')"
    )
    (shown,) = [event for event in first.events if isinstance(event, Display)]
    assert (shown.display_id, shown.update) == ("shown", False)
    updates = [event for event in second.events if isinstance(event, Display)]
    assert [(event.display_id, event.update) for event in updates] == [("shown", True)] * 2
    assert [event.data["text/plain"] for event in updates] == ["'two'", "'three'"]


@room.check()
async def output_can_be_cleared(probe: Probe) -> None:
    ran = await probe.run(
        "from IPython.display import clear_output\n"
        "print('gone')\n"
        "clear_output(wait=True)\n"
        "print('kept')"
    )
    assert [event.wait for event in ran.events if isinstance(event, OutputCleared)] == [True]
    assert [output.get("text") for output in ran.outputs] == ["kept\n"]


@room.check()
async def a_large_display_arrives_whole(probe: Probe) -> None:
    ran = await probe.run(
        "display({'text/plain': 'x' * 3_000_000, 'text/html': '€' * 1_000_000}, raw=True)"
    )
    (data,) = ran.displays
    assert len(data["text/plain"]) == 3_000_000
    assert data["text/html"] == "€" * 1_000_000


@room.check()
async def a_long_cell_arrives_whole(probe: Probe) -> None:
    ran = await probe.run(f"x = {'y' * 500_000!r}\nlen(x)")
    assert ran.value == "500000"


@room.check()
async def a_huge_repr_is_shortened_as_ipython_does(probe: Probe) -> None:
    ran = await probe.run("list(range(100_000))")
    assert ran.value is not None
    assert ran.value.endswith("...]")


@room.check()
async def a_repr_that_raises_is_an_error(probe: Probe) -> None:
    ran = await probe.run(
        "class Bad:\n    def __repr__(self): raise ValueError('no picture')\nBad()"
    )
    assert ran.outcome.status == "error"
    assert (ran.error.ename, ran.error.evalue) == ("ValueError", "no picture")


@room.check()
async def empty_cells_do_nothing(probe: Probe) -> None:
    for source in ("", "  \n ", "# only a remark"):
        ran = await probe.run(source)
        assert ran.ok
        assert ran.events == ()


@room.check("early-exit")
async def glue_hands_out_values(probe: Probe) -> None:
    ran = await probe.run(
        "from octavo_runtime import glue\n"
        "glue('score', 0.5)\n"
        "glue('name', 'x', display=True)\n"
        "glue('table', {'a': (1, None)})"
    )
    scraps = [
        value
        for data in ran.displays
        for mime, value in data.items()
        if mime.startswith("application/scrapbook.scrap.")
    ]
    assert [(scrap["name"], scrap["data"]) for scrap in scraps] == [
        ("score", 0.5),
        ("name", "x"),
        ("table", {"a": [1, None]}),
    ]
    assert ran.displays[1]["text/plain"] == "'x'"
