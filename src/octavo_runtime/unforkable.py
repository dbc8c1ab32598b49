"""Why a kernel cannot be copied now.

A fork copies one thread only. Where others are at work, or hold a lock that only they would give
back, the copy can hang; so can libraries that believe their pool of threads still stands. What is
known to be sound after a fork passes; what is not known does not.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from fnmatch import fnmatchcase
from typing import Any

from octavo_runtime import pools, sharing

Reason = tuple[str, str]

_GPU = ("/dev/nvidia", "/dev/dri/", "/dev/kfd")
MOST_SHARED_BYTES = 256 << 20


def reason(connections: list[str]) -> Reason | None:
    """What stands in the way, in words, or None. `connections` are patterns of a policy."""
    threads = os.listdir("/proc/self/task")
    found = None
    if len(threads) > 1:
        _end_monitors()
        threads = os.listdir("/proc/self/task")
    if len(threads) > 1:
        found = _python_threads() or pools.reason()
    return found or _opened(connections) or _shared_memory() or _locked()


def _end_monitors() -> None:
    """The thread of tqdm that looks after its bars; the next bar starts another."""
    tqdm: Any = sys.modules.get("tqdm")
    monitor = getattr(getattr(tqdm, "tqdm", None), "monitor", None)
    if monitor is not None and monitor.is_alive():
        monitor.exit()


def _python_threads() -> Reason | None:
    main = threading.main_thread()
    names = [each.name for each in threading.enumerate() if each is not main and each.is_alive()]
    if not names:
        return None
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return "threads", f"threads of the notebook are alive: {shown}"


# What is open, and what is shared


def _opened(connections: list[str]) -> Reason | None:
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
        if target.startswith(_GPU):
            return "gpu", f"a GPU is in use: {target} is open"
        if connections and target.startswith("socket:"):
            peer = _peer(int(name))
            if peer and _is_named(peer, connections):
                return "connections", f"a connection that the policy names is open: {peer}"
    return None


def _peer(number: int) -> str | None:
    import socket

    try:
        with socket.socket(fileno=os.dup(number)) as connection:
            if connection.family not in (socket.AF_INET, socket.AF_INET6):
                return None
            host, port = connection.getpeername()[:2]
    except OSError:
        return None
    return f"{host}:{port}"


def _is_named(peer: str, patterns: list[str]) -> bool:
    host, _, port = peer.rpartition(":")
    return any(
        fnmatchcase(word, pattern)
        for pattern in patterns
        for word in (peer, host, f":{port}", port)
    )


def _shared_memory() -> Reason | None:
    """It is copied with the kernel, which must not take long."""
    size = sharing.bytes_of(sharing.shared())
    if size <= MOST_SHARED_BYTES:
        return None
    return "unsupported", f"{size >> 20} MB of memory are shared with other processes"


def _locked() -> Reason | None:
    """Locks of the process on files do not pass to a copy, which believes that it has them.

    They are told by each open file: the list of all locks of the system takes long to come by.
    """
    own = os.getpid()
    for name in os.listdir("/proc/self/fdinfo"):
        try:
            if _is_locked(name, own):
                path = os.readlink(f"/proc/self/fd/{name}")
                return "connections", f"a file is locked, as by an open database: {path}"
        except OSError:
            continue
    return None


def _is_locked(name: str, own: int) -> bool:
    descriptor = os.open(f"/proc/self/fdinfo/{name}", os.O_RDONLY)
    try:
        data = os.read(descriptor, 1 << 16)
    finally:
        os.close(descriptor)
    return b"POSIX" in data and re.search(rb"POSIX\s+\w+\s+\w+\s+%d\s" % own, data) is not None
