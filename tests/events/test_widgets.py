"""The state of widgets, as JupyterLab restores it from a notebook."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from events.making import BUFFERED_COMM, opened, output_widget, updated
from events.reference import nbclient_folds
from octavo.events.fold import OUTPUT_EVENTS
from octavo.events.types import CommMessage, Event, OutputCleared, Stream
from octavo.events.widgets import WIDGET_STATE_MIME, WidgetFold


def fold(*events: Event) -> WidgetFold:
    widgets = WidgetFold()
    for event in events:
        if isinstance(event, CommMessage):
            widgets.apply(event)
        elif isinstance(event, OUTPUT_EVENTS) and widgets.captures(event.cell):
            widgets.capture(event)
    return widgets


def state_of(model: str, *events: Event) -> dict:
    metadata = fold(*events).metadata()
    assert metadata is not None
    return metadata[WIDGET_STATE_MIME]["state"][model]["state"]


SLIDER = opened("s", "@jupyter-widgets/controls", "IntSliderModel", value=1)


def test_a_run_without_widgets_has_no_state() -> None:
    assert fold(Stream(0, "stdout", "x")).metadata() is None


def test_a_slider_keeps_its_last_value() -> None:
    assert state_of("s", SLIDER, updated("s", value=5))["value"] == 5


def test_binary_state_is_kept_with_its_path() -> None:
    metadata = fold(SLIDER, BUFFERED_COMM).metadata()
    model = metadata[WIDGET_STATE_MIME]["state"]["s"]
    assert model["buffers"] == [{"data": "AAEC", "encoding": "base64", "path": ["data", 0]}]


def test_what_is_printed_inside_an_output_widget_is_in_it() -> None:
    outputs = state_of(
        "o",
        output_widget("o"),
        Stream(0, "stdout", "before"),
        updated("o", msg_id="cell-0"),
        Stream(0, "stdout", "in"),
        Stream(0, "stdout", "side"),
        updated("o", msg_id=""),
        Stream(0, "stdout", "after"),
    )["outputs"]
    assert outputs == [{"output_type": "stream", "name": "stdout", "text": "inside"}]


def test_what_code_appends_to_an_output_widget_does_not_drop_what_it_captured() -> None:
    appended = {"output_type": "stream", "name": "stdout", "text": "appended"}
    outputs = state_of(
        "o",
        output_widget("o"),
        updated("o", msg_id="cell-0"),
        Stream(0, "stdout", "captured"),
        updated("o", msg_id=""),
        updated("o", outputs=[appended]),
    )["outputs"]
    assert [each["text"] for each in outputs] == ["captured", "appended"]


def test_clearing_an_output_widget_empties_it() -> None:
    opening = [output_widget("o"), updated("o", msg_id="cell-0"), Stream(0, "stdout", "x")]
    assert state_of("o", *opening, OutputCleared(0, wait=False))["outputs"] == []
    assert state_of("o", *opening, updated("o", outputs=[]))["outputs"] == []


def _steps() -> st.SearchStrategy[list[Event]]:
    """Contexts of two output widgets, properly nested as `with` makes them, with prints."""
    leaf = st.one_of(
        st.builds(Stream, st.just(0), st.sampled_from(["stdout", "stderr"]), st.just("x\n")),
        st.builds(OutputCleared, st.just(0), st.booleans()),
        st.just(updated("s", value=2)),
        st.just(BUFFERED_COMM),
    )

    def within(name: str, body: list[Event]) -> list[Event]:
        return [updated(name, msg_id="cell-0"), *body, updated(name, msg_id="")]

    lists = st.lists(leaf, max_size=4)
    names = st.sampled_from(["op", "po"])
    single = st.builds(lambda name, body: within(name[0], body), names, lists)
    nested = st.builds(
        lambda name, body, inner: within(name[0], body + within(name[1], inner)),
        names,
        lists,
        lists,
    )
    return st.lists(st.one_of(lists, single, nested), max_size=4).map(
        lambda parts: [event for part in parts for event in part]
    )


@settings(deadline=None)
@given(_steps())
def test_the_same_state_as_nbclient(steps: list[Event]) -> None:
    events = [SLIDER, output_widget("o"), output_widget("p"), *steps]
    assert fold(*events).metadata() == nbclient_folds(events, 1).metadata.widgets
