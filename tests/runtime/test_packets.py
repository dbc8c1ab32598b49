"""Messages between a kernel and its runner."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo_runtime import packets

_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


@pytest.fixture(name="ends")
def _ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    with_kernel, with_runner = socket.socketpair(type=socket.SOCK_SEQPACKET)
    with with_kernel, with_runner:
        yield with_kernel, with_runner


@given(st.dictionaries(st.text(max_size=10), _json, max_size=5))
def test_any_message_arrives_as_it_was_sent(message: dict[str, object]) -> None:
    one, other = socket.socketpair(type=socket.SOCK_SEQPACKET)
    with one, other:
        packets.send(one, message)
        assert packets.receive(other) == (message, [])


def test_a_large_message_arrives_whole(ends: tuple[socket.socket, socket.socket]) -> None:
    message = {"data": "€" * 3_000_000}
    packets.send(ends[0], message)
    assert packets.receive(ends[1]) == (message, [])


def test_lone_surrogates_survive(ends: tuple[socket.socket, socket.socket]) -> None:
    packets.send(ends[0], {"x": "\ud800"})
    assert packets.receive(ends[1]) == ({"x": "\ud800"}, [])


@pytest.mark.parametrize("size", [10, 1_000_000])
def test_a_descriptor_travels_with_any_message(
    ends: tuple[socket.socket, socket.socket], size: int
) -> None:
    read, write = os.pipe()
    packets.send(ends[0], {"x": "y" * size}, (write,))
    os.close(write)
    received = packets.receive(ends[1])
    assert received is not None
    (descriptor,) = received[1]
    assert not os.get_inheritable(descriptor)
    os.write(descriptor, b"through")
    os.close(descriptor)
    assert os.read(read, 100) == b"through"
    os.close(read)


def test_the_end_is_none(ends: tuple[socket.socket, socket.socket]) -> None:
    ends[0].close()
    assert packets.receive(ends[1]) is None


@pytest.mark.parametrize("data", [b"{", b"[1]", b"\xff", b"@"])
def test_garbage_is_refused(ends: tuple[socket.socket, socket.socket], data: bytes) -> None:
    ends[0].send(data)
    with pytest.raises(ValueError, match=r".*"):
        packets.receive(ends[1])


def test_nothing_is_left_open(ends: tuple[socket.socket, socket.socket]) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        packets.send(ends[0], {"x": "y" * 500_000})
        packets.receive(ends[1])
    assert len(os.listdir("/proc/self/fd")) == before
