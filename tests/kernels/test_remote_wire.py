"""Messages over a server's websocket: what is packed is what the server's own code reads."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_server.services.kernels.connection import base as theirs

from octavo.errors import UsageError
from octavo.kernels.remote.finding import same_notebook
from octavo.kernels.remote.server import Server, server_at
from octavo.kernels.remote.wire import NEWER, Nonsense, pack, unpack

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_PARTS = ("header", "parent_header", "metadata", "content")
_PART = st.dictionaries(st.text(), _JSON, max_size=4)
_MESSAGES = st.fixed_dictionaries(
    {"header": _PART, "parent_header": _PART, "metadata": _PART, "content": _PART}
)
_CHANNELS = st.sampled_from(["shell", "control", "iopub", "stdin"])


@given(_MESSAGES, _CHANNELS, st.sampled_from([NEWER, None]))
def test_what_is_packed_comes_back(message: dict[str, Any], channel: str, how: str | None) -> None:
    found, read = unpack(pack(channel, message, how), how)
    assert found == channel
    assert {name: read[name] for name in _PARTS} == message
    assert read["buffers"] == []


@given(_MESSAGES, _CHANNELS)
def test_the_server_reads_what_we_send(message: dict[str, Any], channel: str) -> None:
    import json

    frame = pack(channel, message, NEWER)
    found, parts = theirs.deserialize_msg_from_ws_v1(frame)
    assert found == channel
    assert [json.loads(part) for part in parts] == [message[name] for name in _PARTS]


@given(_MESSAGES, st.lists(st.binary(max_size=20), max_size=3))
def test_we_read_what_the_server_sends(message: dict[str, Any], buffers: list[bytes]) -> None:
    import json

    parts = [json.dumps(message[name]).encode() for name in _PARTS]
    frame = theirs.serialize_msg_to_ws_v1([*parts, *buffers], "iopub")
    assert unpack(frame, NEWER) == ("iopub", {**message, "buffers": buffers})
    older = theirs.serialize_binary_message(
        {**message, "channel": "iopub", "buffers": buffers or [b""]}
    )
    channel, read = unpack(older, None)
    assert (channel, read["content"], read["buffers"]) == (
        "iopub", message["content"], buffers or [b""],
    )  # fmt: skip


@given(st.binary(max_size=200) | st.text(max_size=50), st.sampled_from([NEWER, None]))
def test_anything_else_is_nonsense(frame: bytes | str, how: str | None) -> None:
    try:
        _, message = unpack(frame, how)
    except Nonsense:
        return
    assert all(isinstance(message[name], dict) for name in ("header", "content"))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("http://127.0.0.1:8888", "http://127.0.0.1:8888"),
        ("127.0.0.1:8888", "http://127.0.0.1:8888"),
        ("http://127.0.0.1:8888/lab/tree/a/report.ipynb", "http://127.0.0.1:8888"),
        ("http://127.0.0.1:8888/lab?reset", "http://127.0.0.1:8888"),
        ("https://hub.example.org/user/ada/lab", "https://hub.example.org/user/ada"),
        ("https://hub.example.org/user/laboratory/", "https://hub.example.org/user/laboratory"),
    ],
)
def test_an_address_is_taken_as_a_browser_shows_it(written: str, meant: str) -> None:
    assert server_at(written, "secret").url == meant


@pytest.mark.parametrize(
    "written",
    ["", "ftp://x", "http://", "http://[::1", "http://h:99999", "http://h/?token=secret123",
     "http://ada:secret123@h/"],
)  # fmt: skip
def test_what_is_no_address_or_holds_a_secret_is_refused(written: str) -> None:
    with pytest.raises(UsageError) as caught:
        server_at(written)
    assert caught.value.hint
    assert "secret123" not in f"{caught.value.message} {caught.value.place} {caught.value.hint}"


def test_a_server_does_not_show_its_token() -> None:
    server = Server("http://h", "secret123")
    assert "secret123" not in f"{server} {server!r} {server.to_dict()}"


@pytest.mark.parametrize(
    ("local", "remote", "same"),
    [
        ("/home/ada/work/report.ipynb", "work/report.ipynb", True),
        ("report.py", "work/report.ipynb", True),
        ("/home/ada/other/report.ipynb", "work/report.ipynb", False),
        ("report2.ipynb", "report.ipynb", False),
    ],
)
def test_a_notebook_is_known_by_the_end_of_its_path(local: str, remote: str, same: bool) -> None:
    assert same_notebook(local, remote) is same
