"""Copies of forked kernels, from the runner's side: frozen ones to go on from, passing ones to ask.

Every wait is bounded: a copy that hangs, in whatever library, is killed, and the caller is told.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from octavo.errors import KernelFailure
from octavo.kernels.fork.ends import Ends
from octavo.kernels.local.memory import share
from octavo.kernels.local.wire import receive_packet, send_packet
from octavo.kernels.port import Refusal, Sink
from octavo.systems import Descriptor

if TYPE_CHECKING:
    from octavo.kernels.fork.kernel import ForkKernel

FREEZE_SECONDS = 20.0
RESUME_SECONDS = 20.0
#: What an answer may take on top of the time that it was given, for the fork and the way back.
GRACE_SECONDS = 2.0


class ForkSnapshot:
    """A frozen copy of a kernel."""

    def __init__(self, control: socket.socket, pid: int, limits: Mapping[str, Any]) -> None:
        self.pid = pid
        self._control = control
        self._process = os.pidfd_open(pid)
        self._limits = limits

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_process": Descriptor(self._process)}

    async def resume(self, sink: Sink) -> ForkKernel:
        """A kernel that goes on from here; KernelFailure when it does not come up."""
        from octavo.kernels.fork.kernel import ForkKernel

        ours, theirs = Ends.open()
        try:
            message = {"op": "resume", "limits": dict(self._limits)}
            send_packet(self._control, message, tuple(theirs.descriptors()))
        except OSError as error:
            ours.close()
            raise _lost("the snapshot is gone") from error
        finally:
            theirs.close()
        kernel = ForkKernel(ours.streams(), sink, self._limits)
        try:
            await asyncio.wait_for(kernel.ready(), RESUME_SECONDS)
        except TimeoutError:
            kernel.abandon()
            await self.drop()
            raise _lost(f"nothing went on from the snapshot within {RESUME_SECONDS:g} s") from None
        except asyncio.CancelledError:
            kernel.abandon()
            raise
        return kernel

    async def memory(self) -> int:
        """Its own bytes and its part of those that are shared; 0 when it is gone."""
        return await asyncio.to_thread(share, self.pid) if self._process >= 0 else 0

    async def drop(self) -> None:
        """End the copy; kernels that went on from it stay."""
        self._control.close()
        process, self._process = self._process, -1
        if process >= 0:
            try:
                signal.pidfd_send_signal(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
            os.close(process)


async def freeze(kernel: ForkKernel, connections: Sequence[str]) -> ForkSnapshot | Refusal:
    """A frozen copy of an idle kernel."""
    control, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
    link, their_link = socket.socketpair(type=socket.SOCK_SEQPACKET)
    try:
        with theirs, link, their_link:
            await kernel.make_way(link.fileno())
            message = {"op": "snapshot", "connections": list(connections)}
            kernel.request(message, (theirs.fileno(), their_link.fileno()))
        answer = await asyncio.wait_for(_receive(control), FREEZE_SECONDS)
    except (OSError, TimeoutError) as error:
        control.close()
        raise _lost(f"no copy of the kernel was made: {error or 'it did not answer'}") from error
    except asyncio.CancelledError:
        control.close()
        raise
    finally:
        kernel.way_made()
    return _frozen(control, answer, kernel)


def _frozen(
    control: socket.socket, answer: dict[str, Any] | None, kernel: ForkKernel
) -> ForkSnapshot | Refusal:
    if answer is not None and answer["type"] == "frozen":
        try:
            return ForkSnapshot(control, answer["pid"], kernel.limits)
        except ProcessLookupError:
            answer = None
    control.close()
    if answer is not None and answer["type"] == "refused":
        return Refusal(answer["reason"], answer["message"])
    raise _lost("the kernel ended while it was copied")


def question(
    kernel: ForkKernel, function: str, arguments: Mapping[str, Any], seconds: float
) -> socket.socket:
    """Send a question; where the answer will come."""
    reply, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
    with theirs:
        message = {"op": "ask", "function": function, "arguments": dict(arguments)}
        try:
            kernel.request({**message, "seconds": seconds}, (theirs.fileno(),))
        except OSError as error:
            reply.close()
            raise _lost("the kernel is gone") from error
    return reply


async def answer(reply: socket.socket, seconds: float) -> Any:
    """The value that a question is answered with."""
    begun = time.monotonic()
    with reply:
        found = await asyncio.wait_for(_receive(reply), seconds + GRACE_SECONDS)
    late = time.monotonic() - begun >= seconds
    if (found is None and late) or (found and found["type"] == "late"):
        raise TimeoutError(f"no answer within {seconds:g} s")
    if found is None or found["type"] == "failed":
        why = found["message"] if found else "looking at them crashed"
        raise KernelFailure(
            "kernel-nonsense",
            f"the kernel's names cannot be looked at: {why}",
            hint="look at one of them by executing code",
        )
    return found["value"]


async def _receive(sock: socket.socket) -> dict[str, Any] | None:
    """The next packet, None at the end."""
    loop = asyncio.get_running_loop()
    sock.setblocking(False)
    readable: asyncio.Future[None] = loop.create_future()
    loop.add_reader(sock.fileno(), _wake, readable)
    try:
        await readable
    finally:
        loop.remove_reader(sock.fileno())
    try:
        received = receive_packet(sock)
    except OSError:
        return None
    return None if received is None else received[0]


def _wake(readable: asyncio.Future[None]) -> None:
    if not readable.done():
        readable.set_result(None)


def _lost(message: str) -> KernelFailure:
    return KernelFailure(
        "kernel-died", message, hint="restart the kernel, and execute its cells again"
    )
