"""Widgets: their state is told, so that a notebook can show them later."""

from __future__ import annotations

from typing import Any

from octavo.events.types import CommMessage
from octavo.kernels.conformance.check import Room
from octavo.kernels.conformance.probe import Probe, Ran

room = Room("widgets", "python")
_WIDGETS = ("ipywidgets",)


def _messages(ran: Ran) -> list[CommMessage]:
    return [event for event in ran.events if isinstance(event, CommMessage)]


def _states(ran: Ran) -> dict[str, dict[str, Any]]:
    """The last known state of every model, by its id."""
    states: dict[str, dict[str, Any]] = {}
    for message in _messages(ran):
        states.setdefault(message.comm_id, {}).update(message.data.get("state") or {})
    return states


@room.check(modules=_WIDGETS)
async def a_widget_opens_a_comm(probe: Probe) -> None:
    ran = await probe.run("import ipywidgets\nslider = ipywidgets.IntSlider(value=7)\nslider")
    opened = {message.target_name for message in _messages(ran) if message.action == "open"}
    assert opened == {"jupyter.widget"}
    (view,) = [output["data"] for output in ran.outputs]
    model = view["application/vnd.jupyter.widget-view+json"]["model_id"]
    assert _states(ran)[model]["value"] == 7


@room.check(modules=_WIDGETS)
async def changes_and_closing_are_told(probe: Probe) -> None:
    await probe.run("import ipywidgets\nslider = ipywidgets.IntSlider(value=1)")
    ran = await probe.run("slider.value = 5\nslider.close()")
    messages = _messages(ran)
    assert messages[0].data["state"] == {"value": 5}
    assert messages[-1].action == "close"


@room.check(modules=_WIDGETS)
async def binary_state_travels_as_buffers(probe: Probe) -> None:
    ran = await probe.run("import ipywidgets\nimage = ipywidgets.Image(value=b'\\x00\\xff')")
    (message,) = [m for m in _messages(ran) if m.data["state"].get("_model_name") == "ImageModel"]
    assert message.data["buffer_paths"] == [["value"]]
    assert message.buffers == ("AP8=",)


@room.check(modules=_WIDGETS)
async def output_widgets_name_the_cell_they_capture(probe: Probe) -> None:
    ran = await probe.run(
        "import ipywidgets\nout = ipywidgets.Output()\nwith out:\n    print('inside')\n"
        "print('outside')"
    )
    asked = [
        message.data["state"]["msg_id"]
        for message in _messages(ran)
        if message.action == "msg" and "msg_id" in message.data.get("state", {})
    ]
    assert asked == ["cell-0", ""]
    kinds = [getattr(event, "text", None) or event.type for event in ran.events]
    assert kinds.index("inside\n") < kinds.index("outside\n")
    at = [i for i, event in enumerate(ran.events) if isinstance(event, CommMessage)]
    assert at[-2] < kinds.index("inside\n") < at[-1]


@room.check(modules=_WIDGETS)
async def interact_runs_the_function_once(probe: Probe) -> None:
    ran = await probe.run(
        "from ipywidgets import interact\n@interact(x=3)\ndef f(x):\n    print('x is', x)"
    )
    assert ran.ok, ran.events
    assert ran.text() == "x is 3\n"
    assert ran.displays


@room.check(modules=("ipywidgets", "tqdm"))
async def a_progress_bar_ends_full(probe: Probe) -> None:
    ran = await probe.run("from tqdm.notebook import tqdm\nfor i in tqdm(range(4)): pass")
    bars = [state for state in _states(ran).values() if "bar_style" in state]
    assert [(bar["value"], bar["bar_style"]) for bar in bars] == [(4.0, "success")], bars


@room.check(modules=_WIDGETS)
async def a_widget_may_be_made_by_a_thread(probe: Probe) -> None:
    ran = await probe.run(
        "import ipywidgets, threading\n"
        "t = threading.Thread(target=lambda: display(ipywidgets.Label('from a thread')))\n"
        "t.start()\nt.join()"
    )
    assert any(state.get("value") == "from a thread" for state in _states(ran).values())
