"""Events for tests, and strategies that make them up."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from octavo.events.types import (
    CommMessage,
    Display,
    ErrorRaised,
    Event,
    ExecuteResult,
    OutputCleared,
    Stream,
)

texts = st.text(max_size=12)
bundles: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.builds(lambda text: {"text/plain": text}, texts),
    st.builds(lambda text: {"text/plain": "x", "text/html": text}, texts),
    st.just({"application/json": {"a": [1, None]}, "text/plain": "x"}),
)
display_ids = st.sampled_from(["a", "b"])
metadata = st.sampled_from([{}, {"isolated": True}])


def output_events(cell: int) -> st.SearchStrategy[Event]:
    """Any output event of a cell."""
    here = st.just(cell)
    return st.one_of(
        st.builds(Stream, here, st.sampled_from(["stdout", "stderr"]), texts),
        st.builds(Display, here, bundles, metadata),
        st.builds(Display, here, bundles, metadata, display_ids, st.booleans()),
        st.builds(ExecuteResult, here, st.just(1), bundles, metadata),
        st.builds(OutputCleared, here, st.booleans()),
        st.builds(ErrorRaised, here, texts, texts, st.tuples(texts), st.none()),
    )


def runs_of_events(cells: int = 3) -> st.SearchStrategy[list[Event]]:
    """The output events of a few cells, one cell after the other."""
    each = [st.lists(output_events(cell), max_size=8) for cell in range(cells)]
    return st.tuples(*each).map(lambda parts: [event for part in parts for event in part])


def opened(comm_id: str, module: str, name: str, **state: Any) -> CommMessage:
    """The message by which a widget comes to be."""
    full = {"_model_module": module, "_model_name": name, "_model_module_version": "1.0", **state}
    return CommMessage(0, "open", comm_id, {"state": full}, {}, "jupyter.widget")


def output_widget(comm_id: str) -> CommMessage:
    return opened(comm_id, "@jupyter-widgets/output", "OutputModel", outputs=[], msg_id="")


def updated(comm_id: str, cell: int = 0, **state: Any) -> CommMessage:
    return CommMessage(cell, "msg", comm_id, {"method": "update", "state": state})


BUFFERED_COMM = CommMessage(
    0, "msg", "s", {"state": {}, "buffer_paths": [["data", 0]]}, buffers=("AAEC",)
)
