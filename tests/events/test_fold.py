"""Outputs as a fold over events: what a person sees under a cell."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from events.making import runs_of_events, texts
from events.reference import nbclient_folds
from octavo.events.fold import fold_outputs
from octavo.events.types import (
    Display,
    ErrorRaised,
    Event,
    ExecuteResult,
    OutputCleared,
    Stream,
)


def shown(*events: Event) -> list[dict]:
    return fold_outputs(events).get(0, [])


def stream(name: str, text: str) -> dict:
    return {"output_type": "stream", "name": name, "text": text}


def test_consecutive_pieces_of_a_stream_are_one_output() -> None:
    out = shown(Stream(0, "stdout", "a"), Stream(0, "stdout", "b\n"))
    assert out == [stream("stdout", "ab\n")]


def test_the_order_of_two_streams_is_kept() -> None:
    out = shown(Stream(0, "stdout", "a"), Stream(0, "stderr", "b"), Stream(0, "stdout", "c"))
    assert out == [stream("stdout", "a"), stream("stderr", "b"), stream("stdout", "c")]


def test_a_progress_bar_keeps_its_carriage_returns() -> None:
    assert shown(Stream(0, "stderr", "1%\r"), Stream(0, "stderr", "2%\r"))[0]["text"] == "1%\r2%\r"


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["stdout", "stderr"]), texts)), st.data())
def test_however_text_is_split_the_outputs_are_the_same(written, data) -> None:
    split = []
    for name, text in written:
        cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=3)))
        edges = [0, *cuts, len(text)]
        split += [Stream(0, name, text[a:b]) for a, b in pairwise(edges)]
    assert fold_outputs(split) == fold_outputs([Stream(0, name, text) for name, text in written])


def test_clearing_takes_away_what_was_shown() -> None:
    assert shown(Stream(0, "stdout", "a"), OutputCleared(0, wait=False)) == []


def test_clearing_with_wait_happens_when_there_is_something_new() -> None:
    first = [Stream(0, "stdout", "old"), OutputCleared(0, wait=True)]
    assert shown(*first) == [stream("stdout", "old")]
    assert shown(*first, Stream(0, "stdout", "new")) == [stream("stdout", "new")]


def test_an_update_reaches_a_display_of_an_earlier_cell() -> None:
    outputs = fold_outputs(
        [
            Display(0, {"text/plain": "0 %"}, {}, "bar"),
            Display(2, {"text/plain": "100 %"}, {"done": True}, "bar", update=True),
        ]
    )
    assert outputs == {
        0: [
            {
                "output_type": "display_data",
                "data": {"text/plain": "100 %"},
                "metadata": {"done": True},
            }
        ]
    }


def test_an_update_of_something_never_shown_shows_nothing() -> None:
    assert shown(Display(0, {"text/plain": "x"}, {}, "unknown", update=True)) == []


def test_the_value_of_a_cell_and_its_error() -> None:
    assert shown(
        ExecuteResult(0, 7, {"text/plain": "42"}),
        ErrorRaised(0, "ValueError", "no", ("line 1", "line 2"), 3),
    ) == [
        {
            "output_type": "execute_result",
            "execution_count": 7,
            "data": {"text/plain": "42"},
            "metadata": {},
        },
        {
            "output_type": "error",
            "ename": "ValueError",
            "evalue": "no",
            "traceback": ["line 1", "line 2"],
        },
    ]


def test_a_bundle_that_nbformat_would_refuse_becomes_text() -> None:
    data = shown(Display(0, {"text/plain": 3, "text/html": ["a", "b"]}))[0]["data"]
    assert data == {"text/plain": "3", "text/html": "ab"}


@settings(deadline=None)
@given(runs_of_events())
def test_the_same_outputs_as_nbclient(events: list[Event]) -> None:
    # An empty text is an output to nbclient and triggers a waiting clear; to us it is nothing.
    events = [each for each in events if not (isinstance(each, Stream) and not each.text)]
    notebook = nbclient_folds(events, 3)
    ours = fold_outputs(events)
    for index, cell in enumerate(notebook.cells):
        assert ours.get(index, []) == cell.outputs
