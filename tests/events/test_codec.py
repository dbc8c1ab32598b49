"""Events as lines of a journal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.making import BUFFERED_COMM, output_events
from octavo.events.codec import UnknownEvent, decode, encode, from_dict, to_dict
from octavo.events.types import (
    BoundCell,
    Event,
    FilesSeen,
    RunStarted,
    ScrapsChecked,
    Stream,
)

STARTED = RunStarted(
    1, "r", 1.5, {"path": "a.py"}, (BoundCell("code", "é", "i", {"tags": ["x"]}),), {}, {"n": 1},
    {}, "fake", {}, {}, {},
)  # fmt: skip
CHECKED = ScrapsChecked(2.5, ({"name": "n", "problem": "missing"},))
SEEN = FilesSeen(1, ("/a", "/\udcff"), ("/c",), ("/b",), (), ("/m.py",), ("network",), True, True)


@settings(deadline=None)
@given(st.one_of(output_events(3), st.sampled_from([BUFFERED_COMM, STARTED, CHECKED, SEEN])))
def test_a_line_gives_back_its_event(event: Event) -> None:
    line = encode(event)
    assert "\n" not in line
    assert decode(line) == decode(line.encode()) == from_dict(to_dict(event)) == event


@settings(deadline=None)
@given(st.text())
def test_the_short_way_for_streams_spells_the_same(text: str) -> None:
    event = Stream(3, "stderr", text)
    assert encode(event) == json.dumps(to_dict(event), separators=(",", ":"))


def test_half_a_surrogate_pair_survives() -> None:
    event = Stream(0, "stdout", "\ud83d")
    assert decode(encode(event).encode("ascii")) == event


def test_fields_that_a_newer_version_added_are_dropped() -> None:
    assert decode('{"type":"stream","cell":0,"name":"stdout","text":"a","new":1}') == Stream(
        0, "stdout", "a"
    )


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"from-the-future","cell":0}',
        "[]",
        '{"type":"stream"}',
        '{"type":[]}',
        '{"type":"run-started"}',
    ],
)
def test_what_is_no_event_of_this_version_says_so(line: str) -> None:
    with pytest.raises(UnknownEvent):
        decode(line)


def test_a_torn_line_is_a_value_error() -> None:
    with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
        decode(encode(Stream(0, "stdout", "abc"))[:-4])
