"""Looking into a kernel without running a cell: in a copy that is thrown away.

The question is one of the runtime's own functions. What it meets in the notebook's objects may
take for ever or crash: then only the copy is lost. Where the kernel cannot be copied, the question
is answered in it, and bounded by an alarm.
"""

from __future__ import annotations

import importlib
import os
import signal
import socket
import sys
from types import FrameType
from typing import Any

from octavo_runtime import forking, holdings, packets, sharing, unforkable

MOST_BYTES = 2_000_000
#: Whether this process is a copy, in which objects may be asked for what they say of themselves.
copied = False


def answer(kernel: Any, request: dict[str, Any], descriptors: list[int]) -> None:
    """Answer one question on the socket that came with it. Never raises."""
    with socket.socket(fileno=descriptors[0]) as reply:
        try:
            possible = unforkable.reason([]) is None
            kernel.emitter.flush()
            held = held_for(kernel, reply) if possible else []
            state = forking.random_state()
            copied = possible and forking.fork_away()
        except (OSError, ValueError):
            possible = copied = False
        if copied:
            _answer_in_copy(kernel, request, reply, held, state)
        elif not possible:
            _answer_here(kernel, request, reply)


def held_for(kernel: Any, reply: socket.socket) -> list[holdings.Held]:
    """The descriptors of a kernel, but for the one on which a copy of it answers."""
    from octavo_runtime.copies import held_by

    return held_by(kernel, reply)


def _answer_in_copy(
    kernel: Any, request: dict[str, Any], reply: socket.socket, held: Any, state: Any
) -> None:
    """Never returns. The alarm is the system's, so nothing can hold it off."""
    global copied
    copied = True
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, {signal.SIGINT})
        signal.setitimer(signal.ITIMER_REAL, request["seconds"])
        holdings.let_go(held)
        sharing.make_private(sharing.shared())
        sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        forking.restore_random(state)
        _tell(reply, _result(kernel, request))
    finally:
        os._exit(0)


def _answer_here(kernel: Any, request: dict[str, Any], reply: socket.socket) -> None:
    kept = signal.signal(signal.SIGALRM, _too_late)
    signal.setitimer(signal.ITIMER_REAL, request["seconds"])
    try:
        found = _result(kernel, request)
    except TimeoutError:
        found = {"type": "late"}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, kept)
    _tell(reply, found)


def _too_late(number: int, frame: FrameType | None) -> None:
    raise TimeoutError("it took too long")


def _result(kernel: Any, request: dict[str, Any]) -> dict[str, Any]:
    try:
        module, _, name = request["function"].partition(":")
        function = getattr(importlib.import_module(f"octavo_runtime.{module}"), name)
        return {"type": "answer", "value": function(kernel.shell.user_ns, **request["arguments"])}
    except TimeoutError:
        raise
    except Exception as error:
        return {"type": "failed", "message": f"{type(error).__name__}: {error}"}


def _tell(reply: socket.socket, message: dict[str, Any]) -> None:
    try:
        if len(packets.encode(message)) > MOST_BYTES:
            message = {"type": "failed", "message": "the answer is larger than 2 MB"}
        packets.send(reply, message)
    except (OSError, ValueError, TypeError):
        pass


def names(namespace: dict[str, Any]) -> list[str]:
    """The names that the notebook has given."""
    return sorted(name for name in namespace if not name.startswith("_") and _is_its_own(name))


def _is_its_own(name: str) -> bool:
    return name not in ("In", "Out", "exit", "quit", "get_ipython", "open")
