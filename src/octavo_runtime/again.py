"""What a kernel takes on that goes on from a copy: its own descriptors, loop and name."""

from __future__ import annotations

import asyncio
import os
import selectors
import signal
import sys
from typing import Any

from octavo_runtime import holdings, process


def again(kernel: Any, held: list[holdings.Held], descriptors: dict[str, int]) -> None:
    """Make this process the kernel that `kernel` is the loop of."""
    kernel.usage.close()
    kernel.usage = process.Usage()
    holdings.take(held, descriptors)
    for descriptor in descriptors.values():
        os.close(descriptor)
    renew_loop(kernel.loop)
    _rename(kernel)
    _forget_processes()


def _rename(kernel: Any) -> None:
    """Those who remember which process is the kernel."""
    pid = os.getpid()
    kernel.emitter.adopt(pid)
    kernel.interrupts.adopt(pid)
    observe: Any = sys.modules.get("octavo_runtime.observe")
    if observe is not None:
        observe.adopt(pid)


def _forget_processes() -> None:
    """Children of the original are not ours to wait for, nor to end."""
    module: Any = sys.modules.get("multiprocessing.process")
    if module is not None:
        module._children.clear()


def renew_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Give a loop a selector of its own: the one it has is shared with the original."""
    inner: Any = loop
    shared, inner._selector = inner._selector, selectors.DefaultSelector()
    own = inner._ssock.fileno()
    for key in list(shared.get_map().values()):
        if key.fd != own:
            try:
                inner._selector.register(key.fileobj, key.events, key.data)
            except (OSError, ValueError, KeyError):
                continue
    _renew_self_pipe(inner)
    shared.close()
    asyncio._set_running_loop(loop)  # it is remembered together with the process


def _renew_self_pipe(loop: Any) -> None:
    """The pair of sockets by which a loop wakes itself."""
    before = loop._csock.fileno()
    for each in (loop._ssock, loop._csock):
        each.close()
    loop._internal_fds -= 1
    loop._make_self_pipe()
    waking = signal.set_wakeup_fd(-1)
    if waking >= 0:
        signal.set_wakeup_fd(loop._csock.fileno() if waking == before else waking)
